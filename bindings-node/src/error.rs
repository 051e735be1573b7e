//! What the engine refuses a program, as errors with a code.

use mcplite_core::Error;

/// The `code` of an error.
#[derive(Clone, Copy, Debug)]
pub enum Code {
    Definition,
    Exists,
    NotFound,
    Limit,
    Busy,
    Closed,
    Cancelled,
    Answered,
    Misuse,
}

impl AsRef<str> for Code {
    fn as_ref(&self) -> &str {
        match self {
            Code::Definition => "ERR_MCPLITE_DEFINITION",
            Code::Exists => "ERR_MCPLITE_EXISTS",
            Code::NotFound => "ERR_MCPLITE_NOT_FOUND",
            Code::Limit => "ERR_MCPLITE_LIMIT",
            Code::Busy => "ERR_MCPLITE_BUSY",
            Code::Closed => "ERR_MCPLITE_CLOSED",
            Code::Cancelled => "ERR_MCPLITE_CANCELLED",
            Code::Answered => "ERR_MCPLITE_ANSWERED",
            Code::Misuse => "ERR_MCPLITE_MISUSE",
        }
    }
}

/// What every function of the addon gives.
pub(crate) type Result<T> = napi::Result<T, Code>;

/// What the program did wrong.
pub(crate) fn refused(error: Error) -> napi::Error<Code> {
    let code = match &error {
        Error::Definition(_) | Error::Json { .. } | Error::Name(_) => Code::Definition,
        Error::Exists => Code::Exists,
        Error::NotFound => Code::NotFound,
        Error::Limit(_) => Code::Limit,
        Error::Busy => Code::Busy,
        Error::Closed => Code::Closed,
        Error::Cancelled => Code::Cancelled,
        Error::Answered => Code::Answered,
        _ => Code::Misuse,
    };
    napi::Error::new(code, error.to_string())
}

pub(crate) fn misuse(text: impl Into<String>) -> napi::Error<Code> {
    napi::Error::new(Code::Misuse, text.into())
}

/// Lets the results of the engine pass with `?`.
pub(crate) trait OrThrow<T> {
    fn or_throw(self) -> Result<T>;
}

impl<T> OrThrow<T> for std::result::Result<T, Error> {
    fn or_throw(self) -> Result<T> {
        self.map_err(refused)
    }
}

impl<T> OrThrow<T> for napi::Result<T> {
    fn or_throw(self) -> Result<T> {
        self.map_err(|error| misuse(error.reason.clone()))
    }
}
