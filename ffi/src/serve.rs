//! Blocking loops for hosts that have none of their own. They start MCP_OPT_WORKERS threads that run handlers
//! and, while they have none to run, read, feed and write; and a thread that does the latter when handlers
//! take long. All of them are gone when the function returns, except one
//! whose handler does not return. Pings, lists and cancellations are answered while handlers work. If
//! MCP_OPT_DISPATCH is queued, handlers are left to mcp_server_run() on threads of your own.

use std::ffi::c_char;

use crate::boundary;
use crate::failure::Refusal;
use crate::handle::{Handle, Shared};
use crate::http::mcp_http;
use crate::server::mcp_server;
use crate::status::mcp_status;
use crate::text;

/// Serves one client on standard input and output until the input ends or mcp_server_shutdown(). Meanwhile
/// what the program itself prints to standard output goes to standard error, so that it cannot spoil the
/// protocol (what stdio still buffers when this returns goes to standard output: flush it before). At the end of input open calls have MCP_OPT_GRACE_MS to finish, then they are cancelled; with
/// MCP_OPT_WORKERS 0 a handler that blocks keeps this function from returning until it returns.
///
/// Returns: MCP_OK at the end; the status of the first registration that was refused, if one was, without
/// serving; MCP_E_STATE inside a handler, MCP_E_BUSY if another thread serves standard input, MCP_E_IO,
/// MCP_E_CLOSED if the server is freed meanwhile, MCP_E_UNSUPPORTED in builds without serve.
/// Threads: any that is not inside a callback. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_serve_stdio(server: *mut mcp_server) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe { boundary::status(server, serve_stdio) }
}

/// Serves clients on a socket until mcp_server_shutdown(), each connection framed as on standard input and
/// output. address is the path of a Unix socket ("/run/user/1000/app.sock", "./app.sock"), which only you
/// can connect to and which replaces a stale one; or a loopback address ("127.0.0.1:7000", "[::1]:0").
/// MCP_EVENT_LISTENING tells the observer the address, with the port that was chosen for port 0.
///
/// Returns: as mcp_serve_stdio(); MCP_E_INVALID for an address that cannot be used, MCP_E_EXISTS if
/// somebody listens there already.
/// Ownership: the address is copied.
/// Threads: any that is not inside a callback. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_serve_socket(
    server: *mut mcp_server,
    address: *const c_char,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::status(server, |server| {
            let address = text::required(address)?;
            check_registrations(server.shared())?;
            loops::socket(server, address)
        })
    }
}

/// Serves an endpoint over HTTP until mcp_server_shutdown() of the server that was there first. address is
/// where to listen: "127.0.0.1:8080", "localhost:0", "[::1]:0", "0.0.0.0:80" if you mean it, or the path of a
/// Unix socket. MCP_EVENT_LISTENING tells the observer the URL without a path, with the port that was chosen for
/// port 0; or the path of the socket.
/// MCP_OPT_WORKERS and MCP_OPT_GRACE_MS are those of the first server. TLS is for a proxy in front.
///
/// Returns: as mcp_serve_socket().
/// Ownership: the address is copied.
/// Threads: any that is not inside a callback. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_serve_http(http: *mut mcp_http, address: *const c_char) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::status(http, |http| {
            let address = text::required(address)?;
            check_registrations(http.shared())?;
            listener::http(http, address)
        })
    }
}

/// A server without one of its tools is not what anybody wants to serve.
fn check_registrations(shared: &Shared) -> Result<(), Refusal> {
    match shared.refused() {
        None => Ok(()),
        Some(refusal) => {
            let text = format!("a registration was refused: {}", refusal.text);
            Err(Refusal { text: text.into(), ..refusal })
        }
    }
}

fn serve_stdio(server: &mcp_server) -> Result<(), Refusal> {
    check_registrations(server.shared())?;
    loops::stdio(server)
}

#[cfg(not(feature = "http"))]
mod listener {
    use super::{Refusal, mcp_http};

    pub(super) fn http(_: &mcp_http, _: &str) -> Result<(), Refusal> {
        Err(Refusal::unsupported("built without the feature http"))
    }
}

#[cfg(feature = "http")]
mod listener {
    use mcplite_core::Event;

    use super::{Refusal, loops, mcp_http};

    pub(super) fn http(http: &mcp_http, address: &str) -> Result<(), Refusal> {
        let mut tell = |address: &str| http.core.server().observe(&Event::Listening { address });
        let settings = loops::settings(&http.serving);
        mcplite_serve::http(&http.core, address, &settings, &mut tell).map_err(loops::refusal)
    }
}

#[cfg(not(feature = "serve"))]
mod loops {
    use super::{Refusal, mcp_server};

    pub(super) fn stdio(_: &mcp_server) -> Result<(), Refusal> {
        Err(Refusal::unsupported("built without the feature serve"))
    }

    pub(super) fn socket(_: &mcp_server, _: &str) -> Result<(), Refusal> {
        Err(Refusal::unsupported("built without the feature serve"))
    }
}

#[cfg(feature = "serve")]
mod loops {
    use std::sync::atomic::{AtomicI64, Ordering};

    use mcplite_core::Event;
    use mcplite_serve::{ServeError, Settings};

    use super::{Refusal, mcp_server};
    use crate::server::Serving;
    use crate::status::*;

    pub(super) fn stdio(server: &mcp_server) -> Result<(), Refusal> {
        mcplite_serve::stdio(&server.core, &settings(&server.serving)).map_err(refusal)
    }

    pub(super) fn socket(server: &mcp_server, address: &str) -> Result<(), Refusal> {
        let mut tell = |address: &str| server.core.observe(&Event::Listening { address });
        mcplite_serve::socket(&server.core, address, &settings(&server.serving), &mut tell)
            .map_err(refusal)
    }

    pub(super) fn settings(serving: &Serving) -> Settings {
        let read = |slot: &AtomicI64| slot.load(Ordering::Relaxed).unsigned_abs();
        Settings {
            host_attends: false,
            workers: usize::try_from(read(&serving.workers)).unwrap_or(1),
            grace_ms: read(&serving.grace_ms),
            connections: usize::try_from(read(&serving.connections)).unwrap_or(1),
        }
    }

    pub(super) fn refusal(error: ServeError) -> Refusal {
        let status = match &error {
            ServeError::State => MCP_E_STATE,
            ServeError::Busy => MCP_E_BUSY,
            ServeError::Address(_) => MCP_E_INVALID,
            ServeError::InUse => MCP_E_EXISTS,
            ServeError::Closed => MCP_E_CLOSED,
            ServeError::Unsupported => MCP_E_UNSUPPORTED,
            _ => MCP_E_IO,
        };
        Refusal::new(status, error.to_string())
    }
}
