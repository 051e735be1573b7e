//! One duplex pipe: stdio, a socket, a WebSocket, two threads of one process. Messages or raw bytes in,
//! messages or raw bytes out.
//!
//! Two ends of a session belong to one thread at a time. The byte end is mcp_session_receive() and
//! mcp_session_end(): concurrent or nested use is MCP_E_BUSY. The output end is mcp_session_poll(),
//! mcp_session_peek() and mcp_session_consume(): its pointers live until the next call of the same end,
//! whatever other threads feed, answer or notify meanwhile. mcp_handle_message() is not an end: any number
//! of threads, also from inside a handler, to a depth of 8.

use std::any::Any;
use std::ffi::{c_char, c_void};
use std::sync::Arc;

use mcplite_core::{Session, Wake};

use crate::callback::{Callback, UserData};
use crate::failure::Refusal;
use crate::handle::{Handle, Health, Shared};
use crate::server::{mcp_destroy, mcp_server, mcp_wake};
use crate::solo::{Solo, Turn};
use crate::status::*;
use crate::{boundary, text};

/// One duplex pipe.
pub struct mcp_session {
    core: Session,
    health: Health,
    shared: Arc<Shared>,
    output: Solo<Output>,
}

/// What the output end has shown to the host.
#[derive(Default)]
struct Output {
    buffer: Vec<u8>,
    /// How much of what was lent by the engine is consumed; all of it while the buffer is a polled one.
    taken: usize,
    is_lent: bool,
}

/// How large an empty output buffer may stay.
const KEEP: usize = 256 * 1024;

impl Handle for mcp_session {
    fn health(&self) -> &Health {
        &self.health
    }

    fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }
}

/// A new session of the server.
///
/// Returns: the session; NULL if the server is NULL, closed, shutting down, or out of memory.
/// Ownership: yours, until mcp_session_free().
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_session_new(server: *mut mcp_server) -> *mut mcp_session {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::value(
            server,
            |_| std::ptr::null_mut(),
            |server| {
                let session = mcp_session {
                    core: Session::new(&server.core)?,
                    health: Health::default(),
                    shared: Arc::clone(server.shared()),
                    output: Solo::default(),
                };
                Ok(Arc::into_raw(Arc::new(session)).cast_mut())
            },
        )
    }
}

/// Closes the session: cancels its open calls (their on_cancel runs, where handlers run) and discards its
/// output. Inside a
/// callback that runs below it, it closes at once and goes away when the outermost call returns. NULL is
/// allowed.
///
/// Ownership: the session is not yours any more. Calls that you retained still are.
/// Threads: any, once. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_session_free(session: *mut mcp_session) {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::free(session, |session| {
            session.core.set_wake(None);
            session.core.close();
            session.core.set_context(None);
        });
    }
}

/// Takes one whole message without framing; a newline at its end is harmless. What is wrong with it is
/// answered to the client and is MCP_OK here. Handlers run in here unless dispatch is queued.
///
/// Returns: MCP_OK; MCP_E_LIMIT while output is full: take output, then try again; MCP_E_STATE after
/// mcp_session_end(); MCP_E_CLOSED, MCP_E_BUSY when nested too deeply or inside a hook, MCP_E_INVALID for
/// MCP_Z.
/// Ownership: the message is copied or finished with.
/// Threads: any, also several at once and from inside handlers. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_handle_message(
    session: *mut mcp_session,
    message: *const c_char,
    len: usize,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        // Every message comes by, so that none should pay for a reference that few hosts need. A delivery gives
        // no error once the session is closed, and who frees it closes it first.
        boundary::detached_status(
            session,
            |session| {
                let message = text::received(message.cast(), len)?;
                Ok((message, session.core.delivery().map_err(pushed_back)?))
            },
            |(message, delivery)| {
                let handled = match text::ascii(message) {
                    Some(text) => delivery.text(text),
                    None => delivery.message(message),
                };
                Ok(handled?)
            },
        )
    }
}

/// Takes bytes of a stream whose messages end with newlines.
///
/// With out_used it stops after at most one message, so that you can mind a budget, and says how many bytes
/// it took; offer the rest again. With out_used NULL it takes everything, and cannot push back: if nobody
/// takes the output, the session closes.
///
/// Returns: MCP_OK; with out_used, MCP_E_LIMIT and nothing taken while output is full: take output, then
/// offer the bytes again; MCP_E_STATE after mcp_session_end(); MCP_E_BUSY, MCP_E_CLOSED.
/// Ownership: the bytes are copied or finished with.
/// Threads: one at a time (the byte end). Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_session_receive(
    session: *mut mcp_session,
    data: *const c_void,
    len: usize,
    out_used: *mut usize,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        text::put(out_used, 0);
        boundary::status(session, |session| {
            let data = text::received(data, len)?;
            if out_used.is_null() {
                return Ok(session.core.receive_all(data)?);
            }
            let used = session.core.receive(data).map_err(pushed_back)?;
            text::put(out_used, used);
            Ok(())
        })
    }
}

/// The input has ended; a last line without a newline counts. Output and open calls go on.
///
/// Returns: MCP_OK, also when it had ended before; MCP_E_BUSY.
/// Threads: one at a time (the byte end). Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_session_end(session: *mut mcp_session) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe { boundary::status(session, |session| Ok(session.core.end()?)) }
}

/// The next message.
///
/// Returns: its JSON text, which has *out_len bytes and no newline; a newline and a NUL follow, so that
/// fputs() writes one frame of stdio. NULL when there is none, or while bytes that mcp_session_peek() has
/// shown are not consumed.
/// Valid until: the next call of the output end, or mcp_session_free().
/// Threads: one at a time (the output end). Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_session_poll(
    session: *mut mcp_session,
    out_len: *mut usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        text::put(out_len, 0);
        let mut holds_back = false;
        let message = with_output(session, |session, output| {
            if output.is_lent && output.taken < output.buffer.len() {
                let text = "bytes that mcp_session_peek has shown are not consumed";
                return Err(Refusal::new(MCP_E_STATE, text));
            }
            output.is_lent = false;
            let was_one = session.core.take_into(&mut output.buffer);
            holds_back = session.core.holds_back();
            if !was_one {
                output.buffer.shrink_to(KEEP);
                return Ok(std::ptr::null());
            }
            text::put(out_len, output.buffer.len());
            output.buffer.extend_from_slice(b"\n\0");
            Ok(output.buffer.as_ptr().cast())
        });
        if holds_back {
            // This may run the host's code, which may free the session.
            boundary::lenient_value(
                session,
                |_| (),
                |session| {
                    session.core.go_on();
                    Ok(())
                },
            );
        }
        message
    }
}

/// The same output as a stream of bytes in which each message ends with a newline: for writing to
/// something that may take only a part. Shows what is there; mcp_session_consume() takes it.
///
/// Returns: the bytes, *out_len of them, without a NUL; NULL when there are none. out_len must not be NULL.
/// Valid until: the next call of the output end, or mcp_session_free().
/// Threads: one at a time (the output end). Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_session_peek(
    session: *mut mcp_session,
    out_len: *mut usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        text::put(out_len, 0);
        with_output(session, |session, output| {
            if out_len.is_null() {
                return Err(Refusal::invalid("the length is needed"));
            }
            if !output.is_lent || output.taken >= output.buffer.len() || session.core.is_closed() {
                output.buffer.clear();
                (output.taken, output.is_lent) = (0, true);
                if session.core.lend_into(&mut output.buffer) == 0 {
                    output.buffer.shrink_to(KEEP);
                    return Ok(std::ptr::null());
                }
            }
            let rest = output.buffer.get(output.taken..).unwrap_or_default();
            text::put(out_len, rest.len());
            Ok(rest.as_ptr().cast())
        })
    }
}

/// So many of the bytes that mcp_session_peek() has shown were written. Until then they count as waiting
/// output, against the limits and in mcp_session_finished().
///
/// Returns: MCP_OK; MCP_E_INVALID for more than was shown; MCP_E_BUSY.
/// Threads: one at a time (the output end). Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_session_consume(session: *mut mcp_session, len: usize) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::lenient_value(
            session,
            |status| status,
            |session| {
                let mut output = session.output()?;
                let shown = if output.is_lent { output.buffer.len() - output.taken } else { 0 };
                if len > shown {
                    return Err(Refusal::invalid("more than mcp_session_peek has shown"));
                }
                output.taken += len;
                session.core.settle(len);
                Ok(MCP_OK)
            },
        )
    }
}

/// Sets who is told that there is output: once when output appears after all of it was taken or none was
/// found, on whatever thread made it, also in the middle of mcp_handle_message(); and when the session becomes
/// finished, unless that is because you have just taken its last output. It never runs concurrently with itself, so that it may signal
/// your loop or take the output right there. A NULL wake takes it away.
///
/// Returns: MCP_OK.
/// Ownership: destroy runs exactly once, after the last run of the old wake, also on failure.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_session_set_wake(
    session: *mut mcp_session,
    wake: mcp_wake,
    user_data: *mut c_void,
    destroy: mcp_destroy,
) -> mcp_status {
    let data = UserData::new(user_data, destroy);
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        let wake = wake_of(session, wake, data);
        boundary::status(session, |session| {
            session.core.set_wake(wake);
            Ok(())
        })
    }
}

/// Attaches something of yours that handlers find with mcp_call_context(), for messages handed in from now
/// on; calls keep what they started with. NULL for nothing.
///
/// Returns: MCP_OK.
/// Ownership: destroy runs exactly once, after the last call that has it, also on failure.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_session_set_context(
    session: *mut mcp_session,
    context: *mut c_void,
    destroy: mcp_destroy,
) -> mcp_status {
    let data = UserData::new(context, destroy);
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::status(session, |session| {
            let context: Arc<dyn Any + Send + Sync> = Arc::new(data);
            session.core.set_context(Some(context));
            Ok(())
        })
    }
}

/// Says who the client is (MCP_INFO_PRINCIPAL), for messages handed in from now on. What it is asked can be
/// answered by the same principal only. NULL for nobody.
///
/// Returns: MCP_OK; MCP_E_UTF8.
/// Ownership: the text is copied.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_session_set_principal(
    session: *mut mcp_session,
    principal: *const c_char,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::status(session, |session| {
            session.core.set_principal(text::optional(principal)?);
            Ok(())
        })
    }
}

/// Sends a notification of your own. params is a JSON object, NULL and 0 for none.
///
/// Returns: MCP_OK; MCP_E_JSON, MCP_E_UTF8, MCP_E_LIMIT while output is full, MCP_E_CLOSED.
/// Ownership: method and params are copied.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_session_notify(
    session: *mut mcp_session,
    method: *const c_char,
    params: *const c_char,
    params_len: usize,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::status(session, |session| {
            let (method, params) = (text::required(method)?, text::computed(params, params_len)?);
            Ok(session.core.notify(method, params)?)
        })
    }
}

/// Whether the session has nothing more to do: its input has ended (or it is closed, or the server shuts
/// down), every call is answered and all output taken. One question, so that there is no race.
///
/// Returns: 1 or 0; 1 for NULL.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_session_finished(session: *const mcp_session) -> i32 {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::lenient_value(session, |_| 1, |session| Ok(i32::from(session.core.is_finished())))
    }
}

/// How many requests of the client wait for an answer.
///
/// Returns: the number; 0 for NULL.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_session_open_calls(session: *const mcp_session) -> i32 {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::lenient_value(
            session,
            |_| 0,
            |session| Ok(i32::try_from(session.core.open_calls()).unwrap_or(i32::MAX)),
        )
    }
}

impl mcp_session {
    fn output(&self) -> Result<Turn<'_, Output>, Refusal> {
        self.output.enter().ok_or_else(output_is_taken)
    }
}

/// Why the output end cannot be used.
#[cold]
pub(crate) fn output_is_taken() -> Refusal {
    Refusal::new(MCP_E_BUSY, "another thread takes output")
}

/// The wake of the host's as the engine sees it. The object whose wake it is stays alive while it runs, so
/// that it may be used in there whoever frees it meanwhile.
///
/// # Safety
/// The rules at the top of the header.
pub(crate) unsafe fn wake_of<H: Send + Sync + 'static>(
    handle: *const H,
    wake: mcp_wake,
    data: UserData,
) -> Option<Wake> {
    // SAFETY: the caller's promise is the same.
    let own = unsafe { boundary::pin(handle) }.map(|own| Arc::downgrade(&own))?;
    let callback = Callback::new(wake, data)?;
    Some(Arc::new(move || {
        if let Some(_own) = own.upgrade() {
            // SAFETY: the host registered the two together.
            unsafe { (callback.function)(callback.data.pointer()) };
        }
    }))
}

/// Shows output. No code of the host's may run in `body`.
///
/// # Safety
/// The rules at the top of the header.
unsafe fn with_output(
    session: *mut mcp_session,
    body: impl FnOnce(&mcp_session, &mut Output) -> Result<*const c_char, Refusal>,
) -> *const c_char {
    // SAFETY: the caller's promise is the same.
    unsafe {
        boundary::lenient_read(
            session,
            |_| std::ptr::null(),
            |session| body(session, &mut *session.output()?),
        )
    }
}

/// Too much output and too much memory are one thing to whoever feeds: take output first.
fn pushed_back(error: mcplite_core::Error) -> Refusal {
    let refusal = Refusal::from(error);
    match refusal.status {
        MCP_E_NOMEM => Refusal { status: MCP_E_LIMIT, ..refusal },
        _ => refusal,
    }
}
