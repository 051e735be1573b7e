//! What functions return: 0 is success, positive is "nothing wrong, nothing done", negative an error.

use std::ffi::{CStr, c_char};

use crate::boundary;

/// What most functions return.
pub type mcp_status = i32;

/// It was done.
pub const MCP_OK: i32 = 0;
/// There is nothing (more) to do.
pub const MCP_DONE: i32 = 1;
/// From a handler: I asked the client; run me again when it has answered.
pub const MCP_PENDING: i32 = 2;

/// A bad argument: NULL, a length, an enumerator, or something that this kind of call does not have.
pub const MCP_E_INVALID: i32 = -1;
/// Over the server's memory cap, MCP_LIMIT_MEMORY_BYTES.
pub const MCP_E_NOMEM: i32 = -2;
/// Text is not UTF-8.
pub const MCP_E_UTF8: i32 = -3;
/// Text given as JSON is not, or not of the type that is needed.
pub const MCP_E_JSON: i32 = -4;
/// A schema, template or definition cannot be used.
pub const MCP_E_SCHEMA: i32 = -5;
/// A name or URI is not allowed.
pub const MCP_E_NAME: i32 = -6;
/// There is one of that name already.
pub const MCP_E_EXISTS: i32 = -7;
/// There is none of that name.
pub const MCP_E_NOT_FOUND: i32 = -8;
/// A limit has been reached.
pub const MCP_E_LIMIT: i32 = -9;
/// This end is in use by another thread or an outer frame, or frames are nested too deeply.
pub const MCP_E_BUSY: i32 = -10;
/// Too late or too early for this.
pub const MCP_E_STATE: i32 = -11;
/// Not in this build, or unknown to this version.
pub const MCP_E_UNSUPPORTED: i32 = -12;
/// The buffer is too small; *out_len says how long the text is.
pub const MCP_E_BUFFER: i32 = -13;
/// Structured content does not fit the tool's output schema; the call is still open.
pub const MCP_E_OUTPUT: i32 = -14;
/// The session or server is closed.
pub const MCP_E_CLOSED: i32 = -20;
/// Nobody waits for this answer any more.
pub const MCP_E_CANCELLED: i32 = -21;
/// Already answered, or the attempt ended by asking.
pub const MCP_E_ANSWERED: i32 = -22;
/// Reading, writing, binding or accepting failed; serve functions only.
pub const MCP_E_IO: i32 = -30;
/// A defect of mcplite; the object is poisoned.
pub const MCP_E_PANIC: i32 = -90;
/// Used after MCP_E_PANIC: output can still be taken and the object freed, nothing else.
pub const MCP_E_POISONED: i32 = -91;

/// Every status with its words, which `mcp_status_str` gives and the bindings repeat.
pub const STATUSES: [(i32, &CStr); 23] = [
    (MCP_OK, c"ok"),
    (MCP_DONE, c"nothing more to do"),
    (MCP_PENDING, c"waiting for the client"),
    (MCP_E_INVALID, c"invalid argument"),
    (MCP_E_NOMEM, c"out of memory"),
    (MCP_E_UTF8, c"not UTF-8"),
    (MCP_E_JSON, c"not the JSON that is needed"),
    (MCP_E_SCHEMA, c"unusable definition"),
    (MCP_E_NAME, c"name not allowed"),
    (MCP_E_EXISTS, c"already registered"),
    (MCP_E_NOT_FOUND, c"not found"),
    (MCP_E_LIMIT, c"limit reached"),
    (MCP_E_BUSY, c"in use"),
    (MCP_E_STATE, c"not possible now"),
    (MCP_E_UNSUPPORTED, c"not supported"),
    (MCP_E_BUFFER, c"buffer too small"),
    (MCP_E_OUTPUT, c"output does not fit its schema"),
    (MCP_E_CLOSED, c"closed"),
    (MCP_E_CANCELLED, c"cancelled"),
    (MCP_E_ANSWERED, c"already answered"),
    (MCP_E_IO, c"input or output failed"),
    (MCP_E_PANIC, c"defect of mcplite"),
    (MCP_E_POISONED, c"given up after a defect of mcplite"),
];

/// A status in a few words, for people. The detail is in mcp_server_last_error().
///
/// Returns: a text that lives for ever; "unknown status" for other numbers, never NULL.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub extern "C" fn mcp_status_str(status: mcp_status) -> *const c_char {
    boundary::plain(c"unknown status".as_ptr(), || words(status).as_ptr())
}

pub(crate) fn words(status: mcp_status) -> &'static CStr {
    let known = STATUSES.iter().find(|(own, _)| *own == status);
    known.map_or(c"unknown status", |(_, words)| words)
}
