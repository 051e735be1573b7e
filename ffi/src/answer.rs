//! Answering a call. It is answered at most once: a second answer is MCP_E_ANSWERED, one after cancel,
//! timeout or free MCP_E_CANCELLED, and neither sends anything.

use std::ffi::{c_char, c_void};

use mcplite_core::{Call, Failure, LogLevel, Role, json};

use crate::call::mcp_call;
use crate::error::kind_of;
use crate::failure::Refusal;
use crate::status::{MCP_OK, mcp_status};
use crate::{boundary, text};

/// Answers with what has been added.
///
/// Returns: MCP_OK; MCP_E_OUTPUT, and the call stays open, if a tool's structured content does not fit
/// its output schema; MCP_E_ANSWERED, MCP_E_CANCELLED.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_reply(call: *mut mcp_call) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe { boundary::call_status(call, |_, core| Ok(core.reply()?)) }
}

/// Adds text and answers: mcp_add_text() and mcp_reply() in one.
///
/// Returns: MCP_OK; MCP_E_UTF8, MCP_E_OUTPUT, MCP_E_LIMIT for more than an answer has room for (twice
/// MCP_LIMIT_OUTPUT_BYTES), MCP_E_ANSWERED, MCP_E_CANCELLED.
/// Ownership: the text is copied.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_reply_text(
    call: *mut mcp_call,
    text: *const c_char,
    len: usize,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        // Without the code that is shared, which would cost more than it saves where most answers come by.
        boundary::call_value(
            call,
            |status| status,
            |_, core| {
                core.reply_text(text::computed(text, len)?)?;
                Ok(MCP_OK)
            },
        )
    }
}

/// Answers a tool call with structured content, and with its text unless content has been added.
///
/// Returns: MCP_OK; MCP_E_INVALID if it is no tool call; MCP_E_JSON, MCP_E_OUTPUT, MCP_E_LIMIT,
/// MCP_E_ANSWERED, MCP_E_CANCELLED.
/// Ownership: the JSON is copied.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_reply_json(
    call: *mut mcp_call,
    json: *const c_char,
    len: usize,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::call_status(call, |_, core| Ok(core.reply_json(text::computed(json, len)?)?))
    }
}

/// Answers with a whole result object, as the specification writes it. What has been added is dropped.
///
/// Returns: MCP_OK; MCP_E_JSON, MCP_E_SCHEMA if it is not a result of this method, MCP_E_OUTPUT, MCP_E_LIMIT,
/// MCP_E_ANSWERED, MCP_E_CANCELLED.
/// Ownership: the JSON is copied.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_reply_result(
    call: *mut mcp_call,
    json: *const c_char,
    len: usize,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::call_status(call, |_, core| Ok(core.reply_result(text::computed(json, len)?)?))
    }
}

/// Answers with a JSON-RPC error of your own code. data is JSON, or NULL and 0 for none; what is not JSON
/// is sent as a text.
///
/// Returns: MCP_OK; MCP_E_UTF8, MCP_E_ANSWERED, MCP_E_CANCELLED.
/// Ownership: message and data are copied.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_reply_error(
    call: *mut mcp_call,
    code: i32,
    message: *const c_char,
    data: *const c_char,
    data_len: usize,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::call_status(call, |_, core| {
            let failure = Failure::code(code, text::required(message)?);
            let data = text::computed(data, data_len)?;
            let failure = if data.is_empty() { failure } else { failure.with_data(data) };
            Ok(core.fail(failure)?)
        })
    }
}

/// Answers with an error by its kind, one of MCP_KIND_...: the error table decides on code and form.
/// MCP_KIND_TOOL_FAILED is what a model should read. MCP_SET_ERROR_DATA and MCP_SET_STACKTRACE go along if
/// they were set.
///
/// Returns: MCP_OK; MCP_E_INVALID for an unknown kind; MCP_E_UTF8, MCP_E_ANSWERED, MCP_E_CANCELLED.
/// Ownership: the text is copied.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_fail(
    call: *mut mcp_call,
    kind: i32,
    text: *const c_char,
    len: usize,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::call_status(call, |call, core| {
            let mut failure = Failure::new(kind_of(kind)?, text::computed(text, len)?);
            {
                let mut notes = call.notes();
                if let Some(data) = notes.data.take() {
                    failure = failure.with_data(data);
                }
                if let Some(stacktrace) = notes.stacktrace.take() {
                    failure = failure.with_stacktrace(stacktrace);
                }
            }
            Ok(core.fail(failure)?)
        })
    }
}

/// Adds text: a content block of a tool or prompt, the contents of a resource, or one value of a
/// completion.
///
/// Returns: MCP_OK; MCP_E_UTF8, MCP_E_LIMIT, MCP_E_ANSWERED, MCP_E_CANCELLED.
/// Ownership: the text is copied.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_add_text(
    call: *mut mcp_call,
    text: *const c_char,
    len: usize,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe { boundary::call_status(call, |_, core| Ok(core.add_text(text::computed(text, len)?)?)) }
}

/// Adds an image or sound, or the bytes of a resource. For a resource mime_type may be NULL: as it was
/// registered.
///
/// Returns: MCP_OK; MCP_E_INVALID where the method has no such content; MCP_E_LIMIT,
/// MCP_E_ANSWERED, MCP_E_CANCELLED.
/// Ownership: the bytes are copied.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_add_media(
    call: *mut mcp_call,
    mime_type: *const c_char,
    data: *const c_void,
    len: usize,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::call_status(call, |_, core| {
            let data = text::bytes(data, len)?;
            match text::optional(mime_type)? {
                Some(mime_type) => Ok(core.add_media(mime_type, data)?),
                None => Ok(core.add_contents(data)?),
            }
        })
    }
}

/// Adds an embedded resource; with data NULL and len 0 a link to one, which needs a name. While a resource
/// is read: the contents of a further URI. mime_type may be NULL.
///
/// Returns: MCP_OK; MCP_E_INVALID where the method has no such content; MCP_E_LIMIT,
/// MCP_E_ANSWERED, MCP_E_CANCELLED.
/// Ownership: everything is copied.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_add_resource(
    call: *mut mcp_call,
    uri: *const c_char,
    name: *const c_char,
    mime_type: *const c_char,
    data: *const c_void,
    len: usize,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::call_status(call, |_, core| {
            let (uri, mime_type) = (text::required(uri)?, text::optional(mime_type)?);
            let name = text::optional(name)?;
            let bytes = text::bytes(data, len)?;
            if !data.is_null() {
                return Ok(core.add_resource(uri, mime_type, bytes)?);
            }
            let name = name.ok_or_else(|| Refusal::invalid("a link needs a name"))?;
            Ok(core.add_link(uri, name, mime_type)?)
        })
    }
}

/// Adds a block as the specification writes it: content of a tool or prompt, contents of a resource.
///
/// Returns: MCP_OK; MCP_E_JSON, MCP_E_SCHEMA if it is no such block; MCP_E_LIMIT, MCP_E_ANSWERED,
/// MCP_E_CANCELLED.
/// Ownership: the JSON is copied.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_add_json(
    call: *mut mcp_call,
    block: *const c_char,
    len: usize,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::call_status(call, |_, core| Ok(core.add_json(text::computed(block, len)?)?))
    }
}

/// Sets one member of a tool's structured content to a text; then mcp_reply(). Quotes and escapes.
///
/// Returns: MCP_OK; MCP_E_INVALID if it is no tool call; MCP_E_UTF8, MCP_E_EXISTS, MCP_E_LIMIT,
/// MCP_E_ANSWERED, MCP_E_CANCELLED.
/// Ownership: key and text are copied.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_put_str(
    call: *mut mcp_call,
    key: *const c_char,
    text: *const c_char,
    len: usize,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe { member(call, key, |core, key| Ok(core.put_str(key, text::computed(text, len)?)?)) }
}

/// Sets one member of a tool's structured content to an integer.
///
/// Returns: as mcp_put_str().
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_put_int(
    call: *mut mcp_call,
    key: *const c_char,
    value: i64,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe { member(call, key, |core, key| Ok(core.put_json(key, &value.to_string())?)) }
}

/// Sets one member of a tool's structured content to a number. No locale can change how it is written.
///
/// Returns: as mcp_put_str(); MCP_E_INVALID for infinities and NaN too.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_put_num(
    call: *mut mcp_call,
    key: *const c_char,
    value: f64,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe { member(call, key, |core, key| Ok(core.put_f64(key, value)?)) }
}

/// Sets one member of a tool's structured content to false (0) or true.
///
/// Returns: as mcp_put_str().
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_put_bool(
    call: *mut mcp_call,
    key: *const c_char,
    value: i32,
) -> mcp_status {
    let value = if value == 0 { "false" } else { "true" };
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe { member(call, key, |core, key| Ok(core.put_json(key, value)?)) }
}

/// Sets one member of a tool's structured content to a JSON value.
///
/// Returns: as mcp_put_str(); MCP_E_JSON.
/// Ownership: key and JSON are copied.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_put_json(
    call: *mut mcp_call,
    key: *const c_char,
    json: *const c_char,
    len: usize,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe { member(call, key, |core, key| Ok(core.put_json(key, text::computed(json, len)?)?)) }
}

/// JSON: the whole structured content of a tool.
pub const MCP_SET_STRUCTURED: i32 = 1;
/// A JSON object: _meta of the result.
pub const MCP_SET_META: i32 = 2;
/// "user" or "assistant": who speaks in the prompt messages that are added from now on.
pub const MCP_SET_ROLE: i32 = 3;
/// A number: how many values a completion has in all.
pub const MCP_SET_TOTAL: i32 = 4;
/// "true" or "false": whether a completion has more values than were added.
pub const MCP_SET_HAS_MORE: i32 = 5;
/// Text: the description of a prompt result.
pub const MCP_SET_DESCRIPTION: i32 = 6;
/// Text: what the next attempt finds in MCP_INFO_STATE.
pub const MCP_SET_STATE: i32 = 7;
/// JSON: the data of an error, for mcp_fail().
pub const MCP_SET_ERROR_DATA: i32 = 8;
/// Text: the stack trace of an error, for mcp_fail(); leaves the process only with MCP_OPT_STACKTRACE.
pub const MCP_SET_STACKTRACE: i32 = 9;

/// Sets a part of the answer; what is one of MCP_SET_...
///
/// Returns: MCP_OK; MCP_E_INVALID where the method has no such part, or for a value that makes no sense;
/// MCP_E_UTF8, MCP_E_JSON, MCP_E_LIMIT, MCP_E_UNSUPPORTED for an unknown number; MCP_E_ANSWERED,
/// MCP_E_CANCELLED.
/// Ownership: the value is copied.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_reply_set(
    call: *mut mcp_call,
    what: i32,
    value: *const c_char,
    len: usize,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::call_status(call, |call, core| {
            let value = text::computed(value, len)?;
            match what {
                MCP_SET_STRUCTURED => core.set_structured(value)?,
                MCP_SET_META => core.set_meta(value)?,
                MCP_SET_ROLE => core.set_role(match value {
                    "user" => Role::User,
                    "assistant" => Role::Assistant,
                    _ => return Err(Refusal::invalid("a role is user or assistant")),
                })?,
                MCP_SET_TOTAL => {
                    let total = value.parse().ok();
                    core.set_total(total.ok_or_else(|| Refusal::invalid("a total is a number"))?)?;
                }
                MCP_SET_HAS_MORE => core.set_has_more(match value {
                    "true" => true,
                    "false" => false,
                    _ => return Err(Refusal::invalid("it is true or false")),
                })?,
                MCP_SET_DESCRIPTION => core.set_description(value)?,
                MCP_SET_STATE => core.set_state(value)?,
                MCP_SET_ERROR_DATA => {
                    core.check_open()?;
                    check_json(value)?;
                    call.notes().data = Some(value.to_owned());
                }
                MCP_SET_STACKTRACE => {
                    core.check_open()?;
                    call.notes().stacktrace = Some(value.to_owned());
                }
                _ => return Err(Refusal::unsupported("an answer has no such part")),
            }
            Ok(())
        })
    }
}

/// Tells how far the work has come; dropped unless the client asked for it. progress must grow from one
/// report to the next. total below 0: unknown. message may be NULL.
///
/// Returns: MCP_OK, also when dropped; MCP_E_INVALID if it does not grow or is not finite; MCP_E_UTF8,
/// MCP_E_LIMIT, MCP_E_ANSWERED, MCP_E_CANCELLED.
/// Ownership: the message is copied.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_progress(
    call: *mut mcp_call,
    progress: f64,
    total: f64,
    message: *const c_char,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::call_status(call, |_, core| {
            let total = if total < 0.0 { None } else { Some(total) };
            Ok(core.progress(progress, total, text::optional(message)?)?)
        })
    }
}

/// Ends the connection on which the client waits for the answer, and lets it come back for the rest after
/// MCP_HTTP_RETRY_MS: for calls that take long.
///
/// Returns: MCP_OK; MCP_E_STATE, and nothing happens, where the client could not come back: it can over HTTP,
/// in a session of 2025-11-25. MCP_E_ANSWERED, MCP_E_CANCELLED.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_close_stream(call: *mut mcp_call) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe { boundary::call_status(call, |_, core| Ok(core.close_stream()?)) }
}

/// Levels of log messages, as syslog has them.
pub const MCP_LOG_DEBUG: i32 = 0;
/// See MCP_LOG_DEBUG.
pub const MCP_LOG_INFO: i32 = 1;
/// See MCP_LOG_DEBUG.
pub const MCP_LOG_NOTICE: i32 = 2;
/// See MCP_LOG_DEBUG.
pub const MCP_LOG_WARNING: i32 = 3;
/// See MCP_LOG_DEBUG.
pub const MCP_LOG_ERROR: i32 = 4;
/// See MCP_LOG_DEBUG.
pub const MCP_LOG_CRITICAL: i32 = 5;
/// See MCP_LOG_DEBUG.
pub const MCP_LOG_ALERT: i32 = 6;
/// See MCP_LOG_DEBUG.
pub const MCP_LOG_EMERGENCY: i32 = 7;
/// Or'ed to a level: the text is any JSON value instead of plain text.
pub const MCP_LOG_JSON: i32 = 0x100;

/// Sends a log message; dropped unless the client wants messages of this level. logger may be NULL.
/// Logging is deprecated in 2026-07-28, and served there for requests that ask for it.
///
/// Returns: MCP_OK, also when dropped; MCP_E_INVALID for an unknown level; MCP_E_UTF8, MCP_E_JSON,
/// MCP_E_LIMIT, MCP_E_ANSWERED, MCP_E_CANCELLED.
/// Ownership: everything is copied.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_log(
    call: *mut mcp_call,
    level: i32,
    logger: *const c_char,
    text: *const c_char,
    len: usize,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::call_status(call, |_, core| {
            let severity = log_level(level & !MCP_LOG_JSON);
            let severity =
                severity.ok_or_else(|| Refusal::invalid("there is no such log level"))?;
            let (logger, text) = (text::optional(logger)?, text::computed(text, len)?);
            match level & MCP_LOG_JSON {
                0 => core.log(severity, logger, text)?,
                _ => core.log_json(severity, logger, text)?,
            }
            Ok(())
        })
    }
}

/// # Safety
/// The rules at the top of the header.
unsafe fn member(
    call: *mut mcp_call,
    key: *const c_char,
    put: impl FnOnce(&Call, &str) -> Result<(), Refusal>,
) -> mcp_status {
    // SAFETY: the caller's promise is the same.
    unsafe { boundary::call_status(call, |_, core| put(core, text::required(key)?)) }
}

fn check_json(value: &str) -> Result<(), Refusal> {
    let mut reader = json::Reader::new(value, json::MAX_DEPTH);
    let read = reader.skip().and_then(|_| reader.end());
    read.map_err(|fault| {
        let offset = i32::try_from(fault.at).unwrap_or(-1);
        Refusal { offset, ..Refusal::new(crate::status::MCP_E_JSON, fault.kind.describe()) }
    })
}

fn log_level(level: i32) -> Option<LogLevel> {
    Some(match level {
        MCP_LOG_DEBUG => LogLevel::Debug,
        MCP_LOG_INFO => LogLevel::Info,
        MCP_LOG_NOTICE => LogLevel::Notice,
        MCP_LOG_WARNING => LogLevel::Warning,
        MCP_LOG_ERROR => LogLevel::Error,
        MCP_LOG_CRITICAL => LogLevel::Critical,
        MCP_LOG_ALERT => LogLevel::Alert,
        MCP_LOG_EMERGENCY => LogLevel::Emergency,
        _ => return None,
    })
}
