//! How a handler says that it could not answer.

use crate::error::Error;
use crate::kind::ErrorKind;

/// The reason why a request is answered with an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub(crate) cause: Cause,
    /// What happened, for whoever reads the answer.
    pub(crate) text: String,
    /// JSON that goes along as `data`.
    pub(crate) data: Option<String>,
    pub(crate) stacktrace: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The error table decides on code and form.
    Kind(ErrorKind),
    /// The handler's own code.
    Code(i32),
}

impl Failure {
    /// A failure of that kind; the error table decides on code and form.
    pub fn new(kind: ErrorKind, text: impl Into<String>) -> Failure {
        Failure { cause: Cause::Kind(kind), text: text.into(), data: None, stacktrace: None }
    }

    /// The tool could not do it, and `text` tells the model why.
    pub fn tool(text: impl Into<String>) -> Failure {
        Failure::new(ErrorKind::ToolFailed, text)
    }

    /// A JSON-RPC error with the host's own code and message.
    pub fn code(code: i32, message: impl Into<String>) -> Failure {
        Failure { cause: Cause::Code(code), text: message.into(), data: None, stacktrace: None }
    }

    /// Adds `data`, a JSON text. Text that is not JSON is sent as a string.
    #[must_use]
    pub fn with_data(mut self, json: impl Into<String>) -> Failure {
        self.data = Some(json.into());
        self
    }

    /// Adds a stack trace, which leaves the process only where the host allows it.
    #[must_use]
    pub fn with_stacktrace(mut self, text: impl Into<String>) -> Failure {
        self.stacktrace = Some(text.into());
        self
    }

    /// The kind, if it is not an error with a code of its own.
    pub fn kind(&self) -> Option<ErrorKind> {
        match self.cause {
            Cause::Kind(kind) => Some(kind),
            Cause::Code(_) => None,
        }
    }

    /// The JSON that goes along as `data`.
    pub fn data(&self) -> Option<&str> {
        self.data.as_deref()
    }

    /// What happened.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl From<&str> for Failure {
    fn from(text: &str) -> Failure {
        Failure::tool(text)
    }
}

impl From<String> for Failure {
    fn from(text: String) -> Failure {
        Failure::tool(text)
    }
}

/// Lets a handler write `call.reply_text("…")?`. If the call is over, nobody gets to see this.
impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        match error {
            Error::Output(text) => Failure::new(ErrorKind::InvalidOutput, text),
            error => Failure::new(ErrorKind::Internal, error.to_string()),
        }
    }
}
