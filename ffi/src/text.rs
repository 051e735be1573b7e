//! Text and bytes on their way in and out: pointers with lengths, and slices.

use std::ffi::{CStr, c_char, c_void};

use mcplite_core::json;

use crate::failure::Refusal;
use crate::status::{MCP_E_BUFFER, MCP_E_UTF8};

/// The length that means "NUL-terminated, measure it": `MCP_Z` in the header.
const MEASURE: usize = usize::MAX;

/// A NUL-terminated text that must be there.
///
/// # Safety
/// `text` is NULL or points to a NUL-terminated text that lives as long as `'a`.
pub(crate) unsafe fn required<'a>(text: *const c_char) -> Result<&'a str, Refusal> {
    // SAFETY: the caller's promise is the same.
    let text = unsafe { optional(text) }?;
    text.ok_or_else(|| Refusal::invalid("a text that is needed is NULL"))
}

/// A NUL-terminated text that may be NULL.
///
/// # Safety
/// As for [`required`].
#[inline]
pub(crate) unsafe fn optional<'a>(text: *const c_char) -> Result<Option<&'a str>, Refusal> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: it is not NULL, so the caller promises a NUL-terminated text.
    let text = unsafe { CStr::from_ptr(text) };
    utf8(text.to_bytes()).map(Some)
}

/// Bytes as text, if they are ASCII, as nearly all are: that is found out several times faster than whether
/// they are UTF-8.
#[inline(always)]
pub(crate) fn ascii(bytes: &[u8]) -> Option<&str> {
    // SAFETY: ASCII is UTF-8.
    json::is_ascii(bytes).then(|| unsafe { std::str::from_utf8_unchecked(bytes) })
}

#[inline]
fn utf8(bytes: &[u8]) -> Result<&str, Refusal> {
    match ascii(bytes) {
        Some(text) => Ok(text),
        None => std::str::from_utf8(bytes).map_err(|error| not_utf8(error.valid_up_to())),
    }
}

/// Text that the host has computed: pointer and length, or `MCP_Z`.
///
/// # Safety
/// `text` is NULL, or points to `len` bytes (or, for `MCP_Z`, a NUL-terminated text) that live as long
/// as `'a`.
#[inline]
pub(crate) unsafe fn computed<'a>(text: *const c_char, len: usize) -> Result<&'a str, Refusal> {
    // SAFETY: the caller's promise is the same.
    utf8(unsafe { bytes(text.cast(), len) }?)
}

/// The same for bytes.
///
/// # Safety
/// As for [`computed`].
pub(crate) unsafe fn bytes<'a>(data: *const c_void, len: usize) -> Result<&'a [u8], Refusal> {
    if len == MEASURE && !data.is_null() {
        // SAFETY: with this length the caller promises a NUL-terminated text.
        return Ok(unsafe { CStr::from_ptr(data.cast()) }.to_bytes());
    }
    // SAFETY: the caller's promise is the same for every other length.
    unsafe { received(data, len) }
}

/// Bytes from a peer, whose length is never measured: -1 is also what a failed `read` returns.
///
/// # Safety
/// `data` is NULL or points to `len` bytes that live as long as `'a`, unless `len` is absurd.
pub(crate) unsafe fn received<'a>(data: *const c_void, len: usize) -> Result<&'a [u8], Refusal> {
    if data.is_null() && len == 0 {
        return Ok(&[]);
    }
    if data.is_null() {
        return Err(Refusal::invalid("NULL with a length"));
    }
    if isize::try_from(len).is_err() {
        return Err(Refusal::invalid("a length above PTRDIFF_MAX"));
    }
    // SAFETY: the pointer is not NULL and the length not absurd, so the caller promises so many bytes.
    Ok(unsafe { std::slice::from_raw_parts(data.cast(), len) })
}

/// Writes an out-parameter, if the host wants it.
///
/// # Safety
/// `out` is NULL or points to memory for one `T`.
pub(crate) unsafe fn put<T>(out: *mut T, value: T) {
    if !out.is_null() {
        // SAFETY: it is not NULL, so the caller promises memory for one. It may be uninitialised, which
        // a write does not look at.
        unsafe { out.write(value) };
    }
}

/// Copies text and its NUL into the host's buffer.
///
/// # Safety
/// `buf` is NULL or points to memory for `cap` bytes; `out_len` is NULL or points to memory for a length.
pub(crate) unsafe fn fill(
    text: &[u8],
    buf: *mut c_char,
    cap: usize,
    out_len: *mut usize,
) -> Result<(), Refusal> {
    if buf.is_null() && cap > 0 {
        return Err(Refusal::invalid("NULL with a capacity"));
    }
    if isize::try_from(cap).is_err() {
        return Err(Refusal::invalid("a capacity above PTRDIFF_MAX"));
    }
    if out_len.is_null() && text.contains(&0) {
        return Err(Refusal::invalid("the text contains a NUL, so that its length is needed"));
    }
    // SAFETY: the caller's promise is the same.
    unsafe { put(out_len, text.len()) };
    if cap <= text.len() {
        return Err(Refusal::new(MCP_E_BUFFER, "the buffer is too small"));
    }
    // SAFETY: the buffer has room for the text and its NUL. The text may be the host's own, which it has
    // promised not to overlap; if it does all the same, bytes are moved in the right order.
    unsafe {
        buf.cast::<u8>().copy_from(text.as_ptr(), text.len());
        buf.add(text.len()).write(0);
    }
    Ok(())
}

/// Empties the host's buffer, so that nobody reads what is left in it after an error.
///
/// # Safety
/// As for [`fill`].
pub(crate) unsafe fn empty(buf: *mut c_char, cap: usize, out_len: *mut usize) {
    // SAFETY: the caller's promise is the same.
    unsafe { put(out_len, 0) };
    if !buf.is_null() && cap > 0 && isize::try_from(cap).is_ok() {
        // SAFETY: there is room for at least one byte.
        unsafe { buf.write(0) };
    }
}

fn not_utf8(at: usize) -> Refusal {
    Refusal { offset: i32::try_from(at).unwrap_or(-1), ..Refusal::new(MCP_E_UTF8, "not UTF-8") }
}
