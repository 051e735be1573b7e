//! What is wrong with a value.

use std::fmt;

/// One way in which a value does not match its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// JSON Pointer to the place in the value; empty for the value itself. Names of more than 60
    /// characters are clipped, which a `…` shows.
    pub instance_path: String,
    /// The keyword of the schema that is violated; `json` for text that is not JSON, `steps` for a
    /// value that could not be judged within the limits, `duplicate` for a member name that stands
    /// twice.
    pub keyword: &'static str,
    /// What the value at that place must be, in words for whoever has to correct it.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.instance_path.is_empty() { "/" } else { &self.instance_path };
        write!(f, "{path}: {}", self.message)
    }
}

/// The outcome of validating one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The value matches the schema.
    Valid,
    /// It does not.
    Invalid,
    /// It could not be judged within [`SchemaLimits::steps`](super::SchemaLimits::steps) and
    /// [`SchemaLimits::nesting`](super::SchemaLimits::nesting).
    OutOfSteps,
}
