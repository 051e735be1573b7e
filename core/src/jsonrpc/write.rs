//! Appending whole JSON-RPC messages, or their fixed parts, to a buffer.

use super::id::Id;
use crate::json::{push_checked, push_escaped, push_i64, push_quoted};

/// How the `id` of an error answer is written when the request had none that could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoId {
    Null,
    Absent,
}

/// Up to and including `"result":`; the result and a closing brace follow.
#[inline]
pub(crate) fn write_result_head(out: &mut Vec<u8>, id: Id<'_>) {
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    // A number or a string, in which there is no line break.
    out.extend_from_slice(id.as_json().as_bytes());
    out.extend_from_slice(b",\"result\":");
}

/// The answer to a call of a tool that says nothing but a text, up to the closing bracket of its `content`; the end
/// of the result and a closing brace follow.
#[inline]
pub(crate) fn write_text_head(out: &mut Vec<u8>, id: Id<'_>, text: &str) {
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    out.extend_from_slice(id.as_json().as_bytes());
    out.extend_from_slice(b",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"");
    push_escaped(out, text);
    out.extend_from_slice(b"\"}]");
}

/// A whole error answer. `data` is JSON that has been checked.
pub(crate) fn write_error(
    out: &mut Vec<u8>,
    id: Result<Id<'_>, NoId>,
    code: i32,
    message: &str,
    data: Option<&str>,
) {
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",");
    match id {
        Ok(id) => {
            out.extend_from_slice(b"\"id\":");
            push_checked(out, id.as_json());
            out.push(b',');
        }
        Err(NoId::Null) => out.extend_from_slice(b"\"id\":null,"),
        Err(NoId::Absent) => {}
    }
    out.extend_from_slice(b"\"error\":{\"code\":");
    push_i64(out, i64::from(code));
    out.extend_from_slice(b",\"message\":");
    push_quoted(out, message);
    if let Some(data) = data {
        out.extend_from_slice(b",\"data\":");
        push_checked(out, data);
    }
    out.extend_from_slice(b"}}");
}

/// A whole `notifications/cancelled`, of a request of ours or a stream of the client's; `id` is JSON.
pub(crate) fn write_cancelled(out: &mut Vec<u8>, id: &str, reason: &str) {
    out.extend_from_slice(
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":",
    );
    push_checked(out, id);
    out.extend_from_slice(b",\"reason\":");
    push_quoted(out, reason);
    out.extend_from_slice(b"}}");
}

/// A whole notification. `params` is JSON that has been checked, or empty for none.
pub(crate) fn write_notification(out: &mut Vec<u8>, method: &str, params: &str) {
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"method\":");
    push_quoted(out, method);
    if !params.is_empty() {
        out.extend_from_slice(b",\"params\":");
        push_checked(out, params);
    }
    out.push(b'}');
}
