//! Enough JSON for a host without a parser of its own: to read what mcp_ask() and mcp_arg_json() give, and
//! to write questions and results. It is read as far as needed: what follows is not judged. A
//! buffer to write to must not overlap what is read. A path is a member name, or a JSON Pointer if it starts with '/'; the
//! empty path is the whole.

use std::ffi::c_char;

use mcplite_core::json;

use crate::failure::Refusal;
use crate::status::{MCP_E_JSON, MCP_E_NOT_FOUND, mcp_status};
use crate::{boundary, text};

/// Finds a value in JSON text.
///
/// Returns: a pointer into json, *out_len bytes, without a NUL; NULL if it is absent. out_len must not be
/// NULL.
/// Valid until: json goes away.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_json_find(
    json: *const c_char,
    len: usize,
    path: *const c_char,
    out_len: *mut usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        text::put(out_len, 0);
        boundary::plain(std::ptr::null(), || {
            let found = find(json, len, path).ok().filter(|_| !out_len.is_null());
            let Some(found) = found else { return std::ptr::null() };
            text::put(out_len, found.len());
            found.as_ptr().cast()
        })
    }
}

/// Decodes a string in JSON text into buf, with a NUL behind it.
///
/// Returns: MCP_OK, and *out_len is its length without the NUL; MCP_E_NOT_FOUND if it is absent, MCP_E_JSON
/// if it is no string; MCP_E_BUFFER if cap is not above *out_len. With out_len NULL a text that contains a
/// NUL is MCP_E_INVALID. buf is empty after an error.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_json_str(
    json: *const c_char,
    len: usize,
    path: *const c_char,
    buf: *mut c_char,
    cap: usize,
    out_len: *mut usize,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        text::empty(buf, cap, out_len);
        boundary::plain_status(|| {
            let found = json::Str::from_json(find(json, len, path)?);
            let found = found.ok_or_else(|| Refusal::new(MCP_E_JSON, "it is not a string"))?;
            text::fill(found.decode().as_bytes(), buf, cap, out_len)
        })
    }
}

/// Reads a number in JSON text. No locale can change how.
///
/// Returns: MCP_OK; MCP_E_NOT_FOUND if it is absent, MCP_E_JSON if it is no finite number, MCP_E_INVALID.
/// *out_value is 0 after an error.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_json_num(
    json: *const c_char,
    len: usize,
    path: *const c_char,
    out_value: *mut f64,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe { number(json, len, path, out_value, 0.0, json::parse_f64) }
}

/// Reads an integer in JSON text; 5.0 is one.
///
/// Returns: as mcp_json_num(); MCP_E_JSON also if it does not fit.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_json_int(
    json: *const c_char,
    len: usize,
    path: *const c_char,
    out_value: *mut i64,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe { number(json, len, path, out_value, 0, json::parse_i64) }
}

/// Writes text as a JSON string, with its quotes and escapes, into buf, with a NUL behind it.
///
/// Returns: MCP_OK, and *out_len is its length without the NUL; MCP_E_BUFFER if cap is not above *out_len;
/// MCP_E_UTF8, MCP_E_INVALID. buf is empty after an error.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_json_quote(
    text: *const c_char,
    len: usize,
    buf: *mut c_char,
    cap: usize,
    out_len: *mut usize,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        text::empty(buf, cap, out_len);
        boundary::plain_status(|| {
            text::fill(json::quoted(text::computed(text, len)?).as_bytes(), buf, cap, out_len)
        })
    }
}

/// Writes a whole JSON-RPC response, for hosts that answer a message themselves. id is JSON text of a string
/// or number, NULL for none. With code 0 body is JSON, the result; with another code it is the message of an error.
///
/// Returns: MCP_OK, and *out_len is its length without the NUL; MCP_E_BUFFER if cap is not above *out_len;
/// MCP_E_JSON, MCP_E_UTF8; MCP_E_INVALID for a result without an id. buf is empty after an error.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_make_response(
    id: *const c_char,
    code: i32,
    body: *const c_char,
    body_len: usize,
    buf: *mut c_char,
    cap: usize,
    out_len: *mut usize,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        text::empty(buf, cap, out_len);
        boundary::plain_status(|| {
            let (id, body) = (text::optional(id)?, text::computed(body, body_len)?);
            text::fill(&response(id, code, body)?, buf, cap, out_len)
        })
    }
}

/// Whether a message is a JSON-RPC notification: it has a method and no id.
///
/// Returns: 1 or 0; 0 for what is not JSON.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_is_notification(message: *const c_char, len: usize) -> i32 {
    boundary::plain(0, || {
        // SAFETY: the caller keeps the rules at the top of the header.
        let message = unsafe { text::received(message.cast(), len) };
        let message = message.ok().and_then(|bytes| std::str::from_utf8(bytes).ok());
        let Some(message) = message else { return 0 };
        let mut reader = json::Reader::new(message, json::MAX_DEPTH);
        let is_json = reader.skip().and_then(|_| reader.end()).is_ok();
        let has = |name| json::find_member(message, name).is_some();
        i32::from(is_json && has("method") && !has("id"))
    })
}

fn response(id: Option<&str>, code: i32, body: &str) -> Result<Vec<u8>, Refusal> {
    let push = |out: &mut Vec<u8>, json: &str| {
        json::push_json(out, json, json::MAX_DEPTH).map_err(|fault| {
            let offset = i32::try_from(fault.at).unwrap_or(-1);
            Refusal { offset, ..Refusal::new(MCP_E_JSON, fault.kind.describe()) }
        })
    };
    let is_id =
        |id: &str| matches!(id.trim_start().as_bytes().first(), Some(b'"' | b'-' | b'0'..=b'9'));
    if id.is_some_and(|id| !is_id(id)) {
        return Err(Refusal::new(MCP_E_JSON, "an id is a string or a number"));
    }
    let mut out = b"{\"jsonrpc\":\"2.0\",\"id\":".to_vec();
    push(&mut out, id.unwrap_or("null"))?;
    if code == 0 {
        if id.is_none() {
            return Err(Refusal::invalid("a result needs an id"));
        }
        out.extend_from_slice(b",\"result\":");
        push(&mut out, body)?;
    } else {
        out.extend_from_slice(format!(",\"error\":{{\"code\":{code},\"message\":").as_bytes());
        json::push_quoted(&mut out, body);
        out.push(b'}');
    }
    out.push(b'}');
    Ok(out)
}

/// # Safety
/// The rules at the top of the header.
unsafe fn find<'a>(
    json: *const c_char,
    len: usize,
    path: *const c_char,
) -> Result<&'a str, Refusal> {
    // SAFETY: the caller's promise is the same.
    let (json, path) = unsafe { (text::computed(json, len)?, text::required(path)?) };
    let found = json::find(json, path).map(str::trim);
    found.ok_or_else(|| Refusal::new(MCP_E_NOT_FOUND, "it is absent"))
}

/// # Safety
/// The rules at the top of the header.
unsafe fn number<T: Copy>(
    json: *const c_char,
    len: usize,
    path: *const c_char,
    out_value: *mut T,
    zero: T,
    parse: fn(&str) -> Option<T>,
) -> mcp_status {
    // SAFETY: the caller's promise is the same.
    unsafe {
        text::put(out_value, zero);
        boundary::plain_status(|| {
            if out_value.is_null() {
                return Err(Refusal::invalid("out_value is NULL"));
            }
            let value = parse(find(json, len, path)?);
            let value = value.ok_or_else(|| Refusal::new(MCP_E_JSON, "it is no such number"))?;
            text::put(out_value, value);
            Ok(())
        })
    }
}
