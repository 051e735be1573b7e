//! Why a function did not do what it was asked for, until it becomes a status.

use std::borrow::Cow;

use mcplite_core::Error;

use crate::status::*;

/// A status with its detail.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) status: mcp_status,
    /// Byte offset in the JSON given, or -1.
    pub(crate) offset: i32,
    pub(crate) text: Cow<'static, str>,
}

impl Refusal {
    pub(crate) fn new(status: mcp_status, text: impl Into<Cow<'static, str>>) -> Refusal {
        Refusal { status, offset: -1, text: text.into() }
    }

    pub(crate) fn invalid(text: &'static str) -> Refusal {
        Refusal::new(MCP_E_INVALID, text)
    }

    /// An option, kind or other number that this version does not know.
    pub(crate) fn unsupported(text: &'static str) -> Refusal {
        Refusal::new(MCP_E_UNSUPPORTED, text)
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        let offset = match &error {
            Error::Json { offset, .. } => i32::try_from(*offset).unwrap_or(-1),
            _ => -1,
        };
        Refusal { status: status_of(&error), offset, text: error.to_string().into() }
    }
}

pub(crate) fn status_of(error: &Error) -> mcp_status {
    match error {
        Error::Invalid(_) => MCP_E_INVALID,
        Error::Json { .. } => MCP_E_JSON,
        Error::Definition(_) => MCP_E_SCHEMA,
        Error::Output(_) => MCP_E_OUTPUT,
        Error::Name(_) => MCP_E_NAME,
        Error::Exists => MCP_E_EXISTS,
        Error::NotFound => MCP_E_NOT_FOUND,
        Error::Limit("memory_bytes") => MCP_E_NOMEM,
        Error::Limit(_) => MCP_E_LIMIT,
        Error::Busy => MCP_E_BUSY,
        Error::State(_) => MCP_E_STATE,
        Error::Closed => MCP_E_CLOSED,
        Error::Cancelled => MCP_E_CANCELLED,
        Error::Answered => MCP_E_ANSWERED,
        Error::Panicked => MCP_E_PANIC,
        // The engine's list may grow before this one does.
        _ => MCP_E_STATE,
    }
}
