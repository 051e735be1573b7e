//! Why a schema cannot be used.

use std::fmt;

/// What is wrong with a schema, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError {
    /// JSON Pointer to the place in the schema; empty for the schema itself.
    pub path: String,
    /// What is wrong there and what to do about it.
    pub reason: String,
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "/" } else { &self.path };
        write!(f, "schema at {path}: {}", self.reason)
    }
}

impl std::error::Error for SchemaError {}
