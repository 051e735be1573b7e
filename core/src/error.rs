//! What can go wrong in a call of the host's own. What a client does wrong is answered on the wire.

use std::fmt;

use crate::json::Fault;

/// Why the engine did not do what the host asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// An argument that makes no sense here.
    Invalid(&'static str),
    /// Text given as JSON is not, or not of the shape that is needed.
    Json {
        /// Byte offset in the text given.
        offset: usize,
        /// What is wrong there.
        reason: &'static str,
    },
    /// A schema, template or definition cannot be used.
    Definition(String),
    /// A tool's structured content does not fit its output schema; the call is still open.
    Output(String),
    /// A name or URI that is not allowed.
    Name(&'static str),
    /// Something of that name is registered already.
    Exists,
    /// Nothing of that name is registered.
    NotFound,
    /// A limit has been reached; it is named.
    Limit(&'static str),
    /// This end is in use by another thread or an outer frame.
    Busy,
    /// Too late or too early for this.
    State(&'static str),
    /// The session or server is closed.
    Closed,
    /// Nobody waits for this answer any more.
    Cancelled,
    /// The call has been answered already.
    Answered,
    /// A defect of the engine. The message was answered with an error, and the session should be given up.
    Panicked,
}

impl Error {
    pub(crate) fn from_fault(fault: Fault) -> Error {
        Error::Json { offset: fault.at, reason: fault.kind.describe() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Invalid(what) => write!(f, "invalid argument: {what}"),
            Error::Json { offset, reason } => write!(f, "invalid JSON at byte {offset}: {reason}"),
            Error::Definition(what) => write!(f, "unusable definition: {what}"),
            Error::Output(what) => write!(f, "invalid tool output: {what}"),
            Error::Name(what) => write!(f, "name not allowed: {what}"),
            Error::Exists => f.write_str("already registered; use replace to change it"),
            Error::NotFound => f.write_str("not registered"),
            Error::Limit(which) => write!(f, "limit reached: {which}"),
            Error::Busy => f.write_str("in use by another thread or an outer call"),
            Error::State(what) => f.write_str(what),
            Error::Closed => f.write_str("closed"),
            Error::Cancelled => f.write_str("cancelled: nobody waits for this answer"),
            Error::Answered => f.write_str("already answered"),
            Error::Panicked => f.write_str("a defect of the engine; see the panic message"),
        }
    }
}

impl std::error::Error for Error {}
