//! Reading and writing JSON text without building a tree.
//!
//! There is one reader, [`Reader`], and it is strict: what it accepts is RFC 8259 within the depth
//! limit. Everything that looks at JSON in this crate goes through it.

mod fault;
mod find;
mod glance;
mod number;
mod plain;
mod positions;
mod reader;
mod short;
mod skip;
mod special;
mod string;
mod write;

pub use fault::{Fault, FaultKind};
pub use find::{elements, find, find_member, members};
pub(crate) use glance::{glance_member, glance_str};
pub use number::{is_integer, parse_f64, parse_i64};
pub(crate) use plain::{Ahead, Plain, Written, mix};
pub(crate) use positions::{Member, Positions, value_at};
pub use reader::{MAX_DEPTH, Reader};
pub(crate) use reader::{Mark, Word};
pub(crate) use short::Short;
pub(crate) use string::is_same;
pub use string::{Str, is_ascii};
pub(crate) use write::{
    compact, push_checked, push_compact, push_escaped, push_i64, push_key, separate,
};
pub use write::{push_f64, push_json, push_quoted, push_u64, quoted};

#[cfg(test)]
mod tests;
