//! One attempt at answering one request.
//!
//! A call is open while somebody holds it: the engine while the handler runs, the host for longer with
//! mcp_call_retain(), on any thread, until mcp_call_release(). Pointers read from a call live as long as
//! somebody holds it. After the call is answered, cancelled or timed out, or its session or server freed,
//! readers still work until the last holder lets go.

use std::ffi::{c_char, c_void};

use mcplite_core::Call;

use crate::callback::{Callback, UserData};
use crate::failure::Refusal;
use crate::server::{mcp_destroy, mcp_wake};
use crate::status::mcp_status;
use crate::{boundary, text};

use crate::held::Held;
pub use crate::held::mcp_call;

/// Holds the call for longer than the handler runs. Do it before another thread can see the call.
///
/// Returns: its argument; NULL for NULL.
/// Ownership: one mcp_call_release() is yours to make.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_retain(call: *mut mcp_call) -> *mut mcp_call {
    boundary::plain(std::ptr::null_mut(), || {
        // SAFETY: `call` is NULL or held by the caller, as the header demands.
        match unsafe { Held::retain(call) } {
            Some(held) => {
                // The reference is the host's from here on.
                std::mem::forget(held);
                call
            }
            None => std::ptr::null_mut(),
        }
    })
}

/// Lets the call go, once for each mcp_call_retain() and for what mcp_server_next_call() gave. If nobody
/// holds it any more and nobody has answered, the client gets an internal error. NULL is allowed.
///
/// Ownership: the call is not yours any more. One release too many is undefined, as with free().
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_release(call: *mut mcp_call) {
    boundary::plain((), || {
        // SAFETY: `call` is NULL or held by the caller, who gives that reference up here.
        unsafe { Held::release(call) };
    });
}

/// An argument that is a text: of a tool or prompt, a variable of a template, a member of the params of a
/// custom method. `path` is a member name, or a JSON Pointer if it starts with '/'.
///
/// Returns: the decoded text, NUL-terminated; NULL if it is absent or not a string. With out_len NULL, a
/// text that contains a NUL counts as absent, so that nothing is ever cut short.
/// Valid until: the last holder lets go of the call.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_arg_str(
    call: *mut mcp_call,
    path: *const c_char,
    out_len: *mut usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules for handles, texts and out-parameters at the top of the header.
    unsafe {
        text::put(out_len, 0);
        boundary::call_read(call, none, |call, core| {
            let path = text::required(path)?;
            let Some(value) = core.arg_str(path) else { return Ok(std::ptr::null()) };
            let source = match &value {
                std::borrow::Cow::Borrowed(plain) => plain,
                std::borrow::Cow::Owned(_) => core.arg_json(path).unwrap_or_default(),
            };
            Ok(call.lend(source, &value, out_len))
        })
    }
}

/// An argument that is an integer; 5.0 is one.
///
/// Returns: the value; fallback if it is absent, of another type, or does not fit.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_arg_int(
    call: *mut mcp_call,
    path: *const c_char,
    fallback: i64,
) -> i64 {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe { argument(call, path, fallback, Call::arg_i64) }
}

/// An argument that is a number. No locale can change how it is read.
///
/// Returns: the value; fallback if it is absent, of another type, or not finite.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_arg_num(
    call: *mut mcp_call,
    path: *const c_char,
    fallback: f64,
) -> f64 {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe { argument(call, path, fallback, Call::arg_f64) }
}

/// An argument that is true or false.
///
/// Returns: 1 or 0; fallback if it is absent or of another type.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_arg_bool(
    call: *mut mcp_call,
    path: *const c_char,
    fallback: i32,
) -> i32 {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe { argument(call, path, fallback, |core, path| core.arg_bool(path).map(i32::from)) }
}

/// The JSON text of an argument, as the client wrote it; the empty path is all arguments.
///
/// Returns: the text, NUL-terminated; NULL if it is absent.
/// Valid until: the last holder lets go of the call.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_arg_json(
    call: *mut mcp_call,
    path: *const c_char,
    out_len: *mut usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        text::put(out_len, 0);
        boundary::call_read(call, none, |call, core| {
            let value = core.arg_json(text::required(path)?);
            Ok(value.map_or(std::ptr::null(), |value| call.lend(value, value, out_len)))
        })
    }
}

/// The method, such as tools/call.
pub const MCP_INFO_METHOD: i32 = 1;
/// The tool, the prompt or the URI; for completions the prompt or template.
pub const MCP_INFO_NAME: i32 = 2;
/// JSON text of the request's id; NULL for a notification.
pub const MCP_INFO_ID: i32 = 3;
/// JSON text of _meta.
pub const MCP_INFO_META: i32 = 4;
/// The revision in which the answer is written, such as 2026-07-28.
pub const MCP_INFO_REVISION: i32 = 5;
/// JSON text of what the client says it is.
pub const MCP_INFO_CLIENT: i32 = 6;
/// JSON text of what the client says it can do.
pub const MCP_INFO_CLIENT_CAPABILITIES: i32 = 7;
/// Who asks, as mcp_session_set_principal() said.
pub const MCP_INFO_PRINCIPAL: i32 = 8;
/// The W3C traceparent that came with the request.
pub const MCP_INFO_TRACEPARENT: i32 = 9;
/// The W3C tracestate that came with the request.
pub const MCP_INFO_TRACESTATE: i32 = 10;
/// The W3C baggage that came with the request.
pub const MCP_INFO_BAGGAGE: i32 = 11;
/// Why the call was cancelled, if somebody said.
pub const MCP_INFO_CANCEL_REASON: i32 = 12;
/// What an earlier attempt kept with MCP_SET_STATE.
pub const MCP_INFO_STATE: i32 = 13;
/// Of an error on its way out only, see mcp_failure_info(): its message.
pub const MCP_INFO_MESSAGE: i32 = 14;
/// Of an error on its way out only, see mcp_failure_info(): JSON text of its data.
pub const MCP_INFO_DATA: i32 = 15;
/// The id of the HTTP session that the call belongs to (before 2026-07-28). It is a secret of the client's.
pub const MCP_INFO_SESSION_ID: i32 = 16;

/// What is known of the call; what is one of MCP_INFO_...
///
/// Returns: the text, NUL-terminated; NULL if there is none.
/// Valid until: the last holder lets go of the call.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_info(
    call: *mut mcp_call,
    what: i32,
    out_len: *mut usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        text::put(out_len, 0);
        boundary::call_read(call, none, |call, core| {
            let traced = match what {
                MCP_INFO_TRACEPARENT => core.traceparent(),
                MCP_INFO_TRACESTATE => core.tracestate(),
                MCP_INFO_BAGGAGE => core.baggage(),
                _ => None,
            };
            if let Some(text) = traced {
                // Decoded anew each time, so what tells it apart is what it was asked for as.
                return Ok(call.lend_as(what, &text, out_len));
            }
            let reason = core.cancel_reason().filter(|_| what == MCP_INFO_CANCEL_REASON);
            let text = match what {
                MCP_INFO_METHOD => Some(core.method()),
                MCP_INFO_NAME => Some(core.name()),
                MCP_INFO_ID => core.id(),
                MCP_INFO_META => core.meta(),
                MCP_INFO_REVISION => Some(core.revision().name()),
                MCP_INFO_CLIENT => core.client_info(),
                MCP_INFO_CLIENT_CAPABILITIES => Some(core.client_capabilities()),
                MCP_INFO_PRINCIPAL => core.principal(),
                MCP_INFO_CANCEL_REASON => reason.as_deref(),
                MCP_INFO_STATE => core.state(),
                MCP_INFO_SESSION_ID => core.session_id(),
                MCP_INFO_TRACEPARENT | MCP_INFO_TRACESTATE | MCP_INFO_BAGGAGE => None,
                _ => return Err(Refusal::unsupported("a call has no such information")),
            };
            Ok(text.map_or(std::ptr::null(), |text| call.lend(text, text, out_len)))
        })
    }
}

/// The first header of that name, in whatever case, of the HTTP request that the call came with.
///
/// Returns: its value, NUL-terminated; NULL if there is none, or the call did not come over HTTP.
/// Valid until: the last holder lets go of the call.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_header(
    call: *const mcp_call,
    name: *const c_char,
    out_len: *mut usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        text::put(out_len, 0);
        boundary::call_read(call, none, |call, core| {
            let value = core.header(text::required(name)?);
            Ok(value.map_or(std::ptr::null(), |value| call.lend(value, value, out_len)))
        })
    }
}

/// What mcp_session_set_context() or mcp_exchange_set_context() had attached when the message came.
///
/// Returns: the pointer; NULL if there is none.
/// Valid until: its destroy runs, which is not before the last holder lets go of the call.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_context(call: *const mcp_call) -> *mut c_void {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::call_read(call, none_mut, |_, core| {
            let data = core.context().and_then(|context| context.downcast_ref::<UserData>());
            Ok(data.map_or(std::ptr::null_mut(), UserData::pointer))
        })
    }
}

/// The user_data with which the item was registered; for mcp_server_next_call().
///
/// Returns: the pointer.
/// Valid until: its destroy runs, which is not before the last holder lets go of the call.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_user_data(call: *const mcp_call) -> *mut c_void {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::call_read(call, none_mut, |_, core| {
            let data = core.attachment().and_then(|data| data.downcast_ref::<UserData>());
            Ok(data.map_or(std::ptr::null_mut(), UserData::pointer))
        })
    }
}

/// Whether nobody waits for the answer any more: cancelled, timed out, client gone, session or server
/// freed. Cheap: ask it in a loop.
///
/// Returns: 1 or 0; 1 for NULL.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_cancelled(call: *const mcp_call) -> i32 {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe { boundary::call_read(call, |_| 1, |_, core| Ok(i32::from(core.is_cancelled()))) }
}

/// Runs function when the call is cancelled; at once, in here, if it is already. It runs at most once, and not at
/// all if the call is answered. A call that is cancelled while it waits for its handler never reaches it. One for each call: a second takes the place of the first.
///
/// Returns: MCP_OK; MCP_E_INVALID for a NULL function.
/// Ownership: destroy runs exactly once, also on failure.
/// Threads: any that holds the call. It runs where handlers run. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_on_cancel(
    call: *mut mcp_call,
    function: mcp_wake,
    user_data: *mut c_void,
    destroy: mcp_destroy,
) -> mcp_status {
    let data = UserData::new(user_data, destroy);
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::call_status(call, |_, core| {
            let callback = Callback::new(function, data);
            let callback = callback.ok_or_else(|| Refusal::invalid("the function is NULL"))?;
            core.on_cancel(move || (callback.function)(callback.data.pointer()));
            Ok(())
        })
    }
}

/// Moves the deadline of the call; -1 takes it away. When it passes, mcp_server_tick() answers "timed out"
/// and cancels the call.
///
/// Returns: MCP_OK; MCP_E_INVALID for a notification; MCP_E_ANSWERED, MCP_E_CANCELLED.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_call_set_deadline(
    call: *mut mcp_call,
    ms_from_now: i64,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::call_status(call, |_, core| match u64::try_from(ms_from_now) {
            Ok(ms) => Ok(core.set_deadline_ms(ms)?),
            Err(_) if ms_from_now == -1 => {
                core.check_open()?;
                if core.id().is_none() {
                    return Err(Refusal::invalid("nobody waits for the answer to a notification"));
                }
                core.clear_deadline();
                Ok(())
            }
            Err(_) => Err(Refusal::invalid("a deadline is in the future, or -1 for none")),
        })
    }
}

/// # Safety
/// The rules at the top of the header.
unsafe fn argument<T: Copy>(
    call: *const mcp_call,
    path: *const c_char,
    fallback: T,
    read: impl FnOnce(&Call, &str) -> Option<T>,
) -> T {
    // SAFETY: the caller's promise is the same.
    unsafe {
        boundary::call_read(
            call,
            |_| fallback,
            |_, core| Ok(read(core, text::required(path)?).unwrap_or(fallback)),
        )
    }
}

fn none(_: mcp_status) -> *const c_char {
    std::ptr::null()
}

fn none_mut(_: mcp_status) -> *mut c_void {
    std::ptr::null_mut()
}
