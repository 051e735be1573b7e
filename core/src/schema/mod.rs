//! JSON Schema, 2020-12 and draft-07: compiled once, then validated in the pass that reads the value.
//!
//! ```text
//!   text ──▶ Documents ──▶ Compiler ──▶ Program        nodes and rules in flat buffers
//!                                          │
//!   Reader ──────────────▶ Evaluator ◀─────┘           Silent: stops at the first failure
//!                              │                       Collector: lists them, for messages
//!                              └─▶ Verdict, Violations
//! ```
//!
//! ```
//! use mcplite_core::schema::{CompileOptions, Schema};
//!
//! let text = r#"{"type": "object", "properties": {"age": {"type": "integer"}}}"#;
//! let schema = Schema::compile(text, &CompileOptions::default())?;
//! assert!(schema.is_valid(r#"{"age": 7}"#));
//! let violations = schema.validate(r#"{"age": "7"}"#).unwrap_err();
//! assert_eq!(violations[0].to_string(), "/age: must be an integer, but is a string");
//! assert_eq!(schema.coerce(r#"{"age": "7"}"#).as_deref(), Some(r#"{"age": 7}"#));
//! # Ok::<(), mcplite_core::schema::SchemaError>(())
//! ```
//!
//! A value is read once by the strict reader of [`json`](crate::json), which the evaluator drives; what
//! combinators look at again is read again, and counted. No tree is built and nothing is fetched.

mod arena;
mod coerce;
mod compile;
mod dialect;
mod equality;
mod error;
mod evaluate;
mod headers;
mod limits;
mod message;
mod metaschema;
mod names;
mod number;
mod pointer;
mod program;
mod report;
mod sight;
mod types;
mod uri;
mod validator;
mod violation;

pub use error::SchemaError;
pub use headers::{HeaderKind, HeaderParam, headers};
pub use limits::{CompileOptions, SchemaLimits};
pub use validator::Schema;
pub use violation::{Verdict, Violation};

#[cfg(test)]
mod tests;
