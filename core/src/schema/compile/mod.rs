//! From the text of a schema to its program.

mod assertions;
mod compiler;
mod documents;
mod finish;
mod index;
mod keywords;
mod literals;
mod loops;
mod objects;
mod parts;

pub(super) use compiler::compile;
pub(super) use index::{LocationIndex, NameIndex};
