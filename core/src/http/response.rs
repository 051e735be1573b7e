//! A response that is settled as a whole.

use std::borrow::Cow;

use crate::jsonrpc::{Id, NoId, write_error};

use super::media;

/// Headers of a response.
pub(super) type Headers = Vec<(&'static str, Cow<'static, str>)>;

/// Status, headers and body.
#[derive(Debug)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) headers: Headers,
    pub(super) body: Vec<u8>,
}

impl Response {
    pub(super) fn empty(status: u16) -> Response {
        Response { status, headers: Vec::new(), body: Vec::new() }
    }

    pub(super) fn json(status: u16, body: Vec<u8>) -> Response {
        Response { status, headers: vec![("Content-Type", media::JSON.into())], body }
    }

    /// A response of the transport's own, as a JSON-RPC error: so clients can show why.
    pub(super) fn refusal(status: u16, id: Option<Id<'_>>, text: &str) -> Response {
        let (code, title) = match status {
            500.. => (-32603, "Internal error"),
            _ => (-32600, "Invalid Request"),
        };
        let mut body = Vec::new();
        let id = id.ok_or(NoId::Absent);
        write_error(&mut body, id, code, &format!("{title}: {text}"), None);
        let mut response = Response::json(status, body);
        if status == 503 {
            response.headers.push(("Retry-After", "1".into()));
        }
        response
    }

    pub(super) fn no_memory_for_body() -> Response {
        Response::refusal(503, None, "there is no memory for the body now")
    }

    /// A method that the resource does not have.
    pub(super) fn not_allowed(allowed: &str) -> Response {
        let mut response = Response::refusal(405, None, "the method is not allowed here");
        response.headers.push(("Allow", allowed.to_owned().into()));
        response
    }

    pub(super) fn with(
        mut self,
        name: &'static str,
        value: impl Into<Cow<'static, str>>,
    ) -> Response {
        self.headers.push((name, value.into()));
        self
    }
}
