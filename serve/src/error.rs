//! Why a loop could not begin, or ended early.

use std::error::Error;
use std::{fmt, io};

/// What went wrong. A client that goes away is none of these.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// Called from inside a handler or another callback of the engine.
    State,
    /// Standard input and output are served already, elsewhere in this process.
    Busy,
    /// An address that cannot be used, and why.
    Address(String),
    /// Somebody else listens there.
    InUse,
    /// The system refused something.
    Io(io::Error),
    /// The server was closed, or had been shut down before.
    Closed,
    /// This platform has no such loop.
    Unsupported,
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServeError::State => f.write_str("cannot serve from inside a handler or callback"),
            ServeError::Busy => {
                f.write_str("standard input and output of this process are served already")
            }
            ServeError::Address(why) => write!(f, "unusable address: {why}"),
            ServeError::InUse => f.write_str("somebody else listens at this address"),
            ServeError::Io(error) => error.fmt(f),
            ServeError::Closed => f.write_str("the server is closed or shut down"),
            ServeError::Unsupported => f.write_str("not supported on this platform"),
        }
    }
}

impl Error for ServeError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            ServeError::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for ServeError {
    fn from(error: io::Error) -> ServeError {
        match error.kind() {
            io::ErrorKind::AddrInUse => ServeError::InUse,
            _ => ServeError::Io(error),
        }
    }
}
