//! Blocking loops around the engine: a server on standard input and output, on a socket, or over HTTP.
//!
//! ```no_run
//! use mcplite_core::{Call, Item, Server};
//! use mcplite_serve::{Settings, stdio};
//!
//! let server = Server::new("hello", "1.0")?;
//! server.register(Item::tool("greet").on_call(|call: &Call| Ok(call.reply_text("Hello!")?)))?;
//! stdio(&server, &Settings::default())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Threads
//!
//! ```text
//!             the caller            event thread              workers (0 to n)
//!                 │                      │                          │
//!   stdio() ──────┤                      │                          │
//!                 ├── starts ────────────┼─────────────────────────▶│
//!                 ├── starts ───────────▶│                          │
//!                 │                      │                          │ drive: poll, read, Session::receive,
//!                 │ waits; or            │ stands by                │        Server::tick, write
//!                 │ does what            │                          │ Server::run
//!                 │ workers do           │ drives, if a handler     │   handler
//!                 │ if there             │ takes its time           │   answer
//!                 │ are none             │                          │ drive …
//!                 │                      │                          │
//!                 │◀── the end ──────────┤                          │
//!                 ├── waits, at most to the end of the grace time ─▶│
//!   returns ◀─────┤
//! ```
//!
//! A worker that has nothing to run drives the loop, and the event thread steps in when nobody has done so for
//! a millisecond: most requests are read, run and answered by one thread, and yet pings, lists, cancellations
//! and deadlines are answered while tools are busy, and the end of input is seen while they block. Hooks of the
//! server (observer, error hook, wakes) may run on any of these threads and should be quick. Where the system
//! knows no way to write without a signal, the event thread drives alone.
//!
//! The event thread is started with all signals blocked but those for faults of its own: signals go to
//! threads of the host's. Workers have the signals of whoever called, since they run the host's code and what
//! that starts; but a client that goes away does not kill the process by `SIGPIPE`, whoever writes to it.
//!
//! # The end
//!
//! A connection ends when its input has ended and its calls are answered, when its client is gone, when
//! the grace time is over, or when the server shuts down. A handler that still runs by then finds its
//! call cancelled. Workers that do not come back from their handler before the grace time is over are
//! left behind; they hold what they use, so that nothing dangles. Without workers the handler runs on
//! the caller's thread, and the loop returns when it does.
//!
//! # Deadlines
//!
//! The engine has the clock that the host gave it: without [`Server::set_clock`], deadlines of calls do
//! not pass.

#![forbid(unsafe_code)]

#[cfg(any(unix, feature = "http"))]
mod address;
#[cfg(any(unix, feature = "http"))]
mod crew;
mod error;
#[cfg(feature = "http")]
mod http;
mod settings;
#[cfg(any(unix, feature = "http"))]
mod threads;
#[cfg(unix)]
mod unix;
#[cfg(any(unix, feature = "http"))]
mod wheelhouse;

use mcplite_core::Server;

pub use error::ServeError;
#[cfg(feature = "http")]
pub use http::Helm;
pub use settings::Settings;

/// Serves the client at standard input and output until it has said all, is gone, or the server shuts
/// down.
///
/// Meanwhile file descriptor 1 leads to standard error, so that what handlers and libraries print does
/// not get among the messages, and descriptor 0 is empty; both are restored at the end. Standard input
/// and output keep the flags they have: they may be shared with other processes.
///
/// Returns `Ok` also when the client has vanished. [`ServeError::Closed`] says that the server was
/// closed, before or meanwhile; [`ServeError::Busy`] that another such call is under way.
pub fn stdio(server: &Server, settings: &Settings) -> Result<(), ServeError> {
    check_place()?;
    #[cfg(unix)]
    return unix::stdio(server, settings);
    #[cfg(not(unix))]
    {
        let _ = (server, settings);
        Err(ServeError::Unsupported)
    }
}

/// Serves clients that connect to a socket, with the framing of standard input and output, until the
/// server shuts down.
///
/// `address` is the path of a Unix socket (with a slash in it, or after `unix:`), or
/// `127.0.0.1:7000`, `[::1]:0`, `localhost:7000`. `listening` is told the address as soon as clients can
/// connect, with the port that the system chose where 0 was asked for.
///
/// A Unix socket can be opened by this user only. Its file is removed at the end; one that a server
/// left behind is replaced. Over TCP there is nobody but the machine's own users, whom nobody asks who
/// they are; a connection that does not begin with JSON, such as one that a web page makes a browser
/// open, is hung up on.
///
/// Returns `Ok` after [`Server::shutdown`], and [`ServeError::Closed`] after [`Server::close`].
pub fn socket(
    server: &Server,
    address: &str,
    settings: &Settings,
    listening: &mut dyn FnMut(&str),
) -> Result<(), ServeError> {
    check_place()?;
    #[cfg(unix)]
    return unix::socket(server, &address::Address::local(address)?, settings, listening);
    #[cfg(not(unix))]
    {
        let _ = (server, address, settings, listening);
        Err(ServeError::Unsupported)
    }
}

/// Serves clients over HTTP until the server shuts down: the first of `http`, if it has several.
///
/// `address` is `127.0.0.1:8080`, `0.0.0.0:8080`, `[::1]:0`, `localhost:8080`, or the path of a Unix socket
/// as in [`socket`], for a proxy of the same user. Who may connect is the host's decision, and so is what
/// clients must show (`HttpOptions`). `listening` is told a URL without a path, such as
/// `http://127.0.0.1:8080`, or the path of the socket, as soon as clients can connect.
///
/// The event thread, or a worker in its stead, reads, feeds, ticks and writes; a client takes a stream at its
/// own pace, and one that hangs up lets go of what it asked for. Limits and timeouts are those of
/// `HttpOptions`, `connections` among them; each connection has those of its beginning.
///
/// Returns `Ok` after [`Server::shutdown`], and [`ServeError::Closed`] after [`Server::close`].
#[cfg(feature = "http")]
pub fn http(
    http: &mcplite_core::Http,
    address: &str,
    settings: &Settings,
    listening: &mut dyn FnMut(&str),
) -> Result<(), ServeError> {
    http_at(&Helm::default(), http, address, settings, listening)
}

/// The same; meanwhile threads of the host's can take the helm, if they run its handlers themselves
/// ([`Settings::host_attends`]).
#[cfg(feature = "http")]
pub fn http_at(
    helm: &Helm,
    http: &mcplite_core::Http,
    address: &str,
    settings: &Settings,
    listening: &mut dyn FnMut(&str),
) -> Result<(), ServeError> {
    check_place()?;
    http::http(http, &address::Address::parse(address)?, settings, helm, listening)
}

/// A loop inside a handler would wait for that handler.
fn check_place() -> Result<(), ServeError> {
    if mcplite_core::nesting() > 0 { Err(ServeError::State) } else { Ok(()) }
}
