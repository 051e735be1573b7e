//! Cutting a byte stream into messages.

mod lines;

pub(crate) use lines::{Line, Lines};
