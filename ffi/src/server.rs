//! What is offered, and policy: shared by every session, changeable at any time and from any thread.

use std::ffi::{c_char, c_void};
use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use mcplite_core::Server;
use mcplite_system::System;

use crate::callback::UserData;
use crate::failure::Refusal;
use crate::handle::{Handle, Health, Shared};
use crate::held::{Held, mcp_call};
use crate::session::wake_of;
use crate::status::mcp_status;
use crate::{boundary, text};

/// Tools, resources, prompts and policy.
pub struct mcp_server {
    pub(crate) core: Server,
    health: Health,
    shared: Arc<Shared>,
    pub(crate) serving: Arc<Serving>,
}

/// What only the serve functions look at.
pub(crate) struct Serving {
    pub(crate) workers: AtomicI64,
    pub(crate) grace_ms: AtomicI64,
    pub(crate) connections: AtomicI64,
}

impl Handle for mcp_server {
    fn health(&self) -> &Health {
        &self.health
    }

    fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }
}

/// Gets rid of user_data. Runs exactly once, after the last run of the function that was registered with
/// it: on replacement, on free, and also when the registering function fails. It may run on any thread that
/// uses the library; from inside of it no message can be fed and no handler run.
pub type mcp_destroy = Option<unsafe extern "C-unwind" fn(user_data: *mut c_void)>;

/// Told that something is there: see mcp_session_set_wake(), mcp_server_set_wake(), mcp_call_on_cancel().
pub type mcp_wake = Option<unsafe extern "C-unwind" fn(user_data: *mut c_void)>;

/// Detail of a failure, copied out. It never grows.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mcp_error {
    /// The status that was returned.
    pub status: mcp_status,
    /// Byte offset in the text given, or -1.
    pub offset: i32,
    /// One line, NUL-terminated, cut at a character if it is long.
    pub text: [c_char; 248],
}

impl mcp_error {
    pub(crate) fn new(refusal: &Refusal) -> mcp_error {
        let mut text = [0; 248];
        let end = refusal.text.floor_char_boundary(text.len() - 1);
        let line = refusal.text.get(..end).unwrap_or_default();
        for (slot, byte) in text.iter_mut().zip(line.bytes()) {
            *slot = if byte == b'\n' || byte == 0 { b' ' } else { byte } as c_char;
        }
        mcp_error { status: refusal.status, offset: refusal.offset, text }
    }
}

/// A server that offers nothing yet, with the system's clock and entropy.
///
/// Returns: the server; NULL if name or version is NULL, empty or not UTF-8.
/// Ownership: yours, until mcp_server_free(). name and version are copied.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_new(
    name: *const c_char,
    version: *const c_char,
) -> *mut mcp_server {
    boundary::plain(std::ptr::null_mut(), || {
        // SAFETY: the caller keeps the rules at the top of the header.
        let texts = unsafe { (text::required(name), text::required(version)) };
        let (Ok(name), Ok(version)) = texts else { return std::ptr::null_mut() };
        let Ok(core) = Server::new(name, version) else { return std::ptr::null_mut() };
        System::provide(&core);
        let serving = Serving {
            workers: AtomicI64::new(1),
            grace_ms: AtomicI64::new(5000),
            connections: AtomicI64::new(64),
        };
        let serving = Arc::new(serving);
        let server = mcp_server { core, health: Health::default(), shared: Shared::new(), serving };
        Arc::into_raw(Arc::new(server)).cast_mut()
    })
}

/// Closes every session and forgets what was registered. Handlers that run already go on; no other starts.
/// Handles of sessions and calls stay valid, closed, and are still yours to free. Inside a callback that
/// runs below it, it closes at once and goes away when the outermost call returns. NULL is allowed.
///
/// Ownership: the server is not yours any more.
/// Threads: any, once. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_free(server: *mut mcp_server) {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::free(server, |server| {
            server.core.set_wake(None);
            server.core.close();
        });
    }
}

/// Ends listen streams properly, refuses new calls, and lets open ones finish: sessions become finished,
/// and serve functions return once open calls are answered or MCP_OPT_GRACE_MS is over. Not for signal
/// handlers.
///
/// Returns: MCP_OK.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_shutdown(server: *mut mcp_server) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::status(server, |server| {
            server.core.shutdown();
            Ok(())
        })
    }
}

/// Copies out the detail of what was last refused on this server, its sessions or its calls, by any thread.
///
/// Returns: MCP_OK; MCP_DONE, with an empty text, if nothing has been refused yet; MCP_E_INVALID.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_last_error(
    server: *const mcp_server,
    out_error: *mut mcp_error,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        text::put(out_error, mcp_error { status: 0, offset: -1, text: [0; 248] });
        boundary::lenient_value(
            server,
            |status| status,
            |server| {
                if out_error.is_null() {
                    return Ok(crate::status::MCP_E_INVALID);
                }
                let Some(error) = server.shared.last_error() else {
                    return Ok(crate::status::MCP_DONE);
                };
                text::put(out_error, error);
                Ok(crate::status::MCP_OK)
            },
        )
    }
}

/// Queued dispatch (MCP_OPT_DISPATCH): runs up to max_calls waiting handlers on this thread, 0 for all that
/// wait now. Several threads may do so: a worker pool.
///
/// Returns: how many ran; MCP_E_BUSY when nested too deeply or inside a hook, MCP_E_INVALID.
/// Threads: any, also several at once and from inside handlers. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_run(server: *mut mcp_server, max_calls: i32) -> i32 {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::value(
            server,
            |status| status,
            |server| {
                let max = usize::try_from(max_calls);
                let max = max.map_err(|_| Refusal::invalid("max_calls is below 0"))?;
                Ok(i32::try_from(server.core.run(max)?).unwrap_or(i32::MAX))
            },
        )
    }
}

/// Takes the next call whose item was registered with a NULL handler: for hosts that want no callbacks.
/// mcp_call_user_data() says which item it is.
///
/// Returns: the call; NULL when none waits.
/// Ownership: yours, until mcp_call_release().
/// Threads: any, also several at once. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_next_call(server: *mut mcp_server) -> *mut mcp_call {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::value(
            server,
            |_| std::ptr::null_mut(),
            |server| {
                let call = server.core.next_call();
                let held = call.and_then(|call| Held::new(call, &server.shared));
                Ok(held.map_or(std::ptr::null_mut(), Held::into_raw))
            },
        )
    }
}

/// Sets who is told that calls wait for mcp_server_run() or mcp_server_next_call(), or that
/// mcp_server_timeout() got shorter. It never runs concurrently with itself. A NULL wake takes it away.
///
/// Returns: MCP_OK.
/// Ownership: destroy runs exactly once, after the last run of the old wake, also on failure.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_set_wake(
    server: *mut mcp_server,
    wake: mcp_wake,
    user_data: *mut c_void,
    destroy: mcp_destroy,
) -> mcp_status {
    let data = UserData::new(user_data, destroy);
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        let wake = wake_of(server, wake, data);
        boundary::status(server, |server| {
            server.core.set_wake(wake);
            Ok(())
        })
    }
}

/// In how many milliseconds mcp_server_tick() has something to do. Made to be the timeout of poll().
///
/// Returns: milliseconds; -1 for never, and for NULL.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_timeout(server: *const mcp_server) -> i32 {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::value(
            server,
            |_| -1,
            |server| {
                let timeout = server.core.timeout_ms();
                Ok(timeout.map_or(-1, |ms| i32::try_from(ms).unwrap_or(i32::MAX)))
            },
        )
    }
}

/// Does what time has come for: answers calls whose deadline has passed. Nobody else does.
///
/// Returns: MCP_OK.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_tick(server: *mut mcp_server) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::status(server, |server| {
            server.core.tick();
            Ok(())
        })
    }
}

/// Bytes that the engine holds for this server, as counted against MCP_LIMIT_MEMORY_BYTES.
///
/// Returns: the number; 0 for NULL.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_memory_used(server: *const mcp_server) -> i64 {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::lenient_value(
            server,
            |_| 0,
            |server| Ok(i64::try_from(server.core.memory_used()).unwrap_or(i64::MAX)),
        )
    }
}
