//! MCP over HTTP without the socket: give the library requests of whatever HTTP server you have, and send
//! what it answers. mcp_serve_http() is for hosts that have none.
//!
//! An endpoint serves every revision. Sessions, streams and their resumption are for clients before
//! 2026-07-28, which has none of that. Unless told otherwise, only requests to this machine by one of its own
//! names (localhost, 127.0.0.1, [::1]) come in, and of pages only its own: a web page must not be able to use
//! a local server behind its user's back.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

#[cfg(feature = "exchange")]
use mcplite_core::{Authorizer, Http, HttpRequest};
use mcplite_core::{HttpOptions, Verdict};

#[cfg(not(feature = "exchange"))]
use crate::absent::{Authorizer, Http, HttpRequest};
use crate::callback::{Callback, UserData};
use crate::exchange::mcp_exchange;
use crate::failure::Refusal;
use crate::handle::{Handle, Health, Shared};
use crate::server::{Serving, mcp_destroy, mcp_server};
use crate::status::mcp_status;
use crate::{boundary, text};

/// Servers at their paths.
pub struct mcp_http {
    pub(crate) core: Http,
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "there is no listener"))]
    pub(crate) serving: Arc<Serving>,
    health: Health,
    shared: Arc<Shared>,
}

impl Handle for mcp_http {
    fn health(&self) -> &Health {
        &self.health
    }

    fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }
}

/// Bytes of a body; default 4 MiB.
pub const MCP_HTTP_MAX_BODY: i32 = 1;
/// Sessions of clients before 2026-07-28 at a time; default 1024.
pub const MCP_HTTP_MAX_SESSIONS: i32 = 2;
/// After how many milliseconds without a request or stream a session ends; 0 for never; default 1800000.
pub const MCP_HTTP_SESSION_IDLE_MS: i32 = 3;
/// After how many milliseconds of silence a stream says that it is still there; 0 for never; default 15000.
pub const MCP_HTTP_KEEPALIVE_MS: i32 = 4;
/// Bytes of messages kept for each session, for clients that lost their connection; default 262144.
pub const MCP_HTTP_REPLAY_BYTES: i32 = 5;
/// In how many milliseconds a client is to come back whose stream was closed; default 1000.
pub const MCP_HTTP_RETRY_MS: i32 = 6;
/// Whether clients before 2026-07-28 are served without sessions, each request for itself: they cannot be
/// asked or told of changes; default 0.
pub const MCP_HTTP_STATELESS: i32 = 7;
/// mcp_serve_http(): connections at a time; default 1024.
pub const MCP_HTTP_MAX_CONNECTIONS: i32 = 8;
/// mcp_serve_http(): how long the head of a request may take, in milliseconds; 0, here and below, for as long as
/// it likes; default 10000.
pub const MCP_HTTP_HEADER_TIMEOUT_MS: i32 = 9;
/// mcp_serve_http(): how long the body of a request may take; default 30000.
pub const MCP_HTTP_BODY_TIMEOUT_MS: i32 = 10;
/// mcp_serve_http(): how long a connection may be without a request; default 60000.
pub const MCP_HTTP_IDLE_TIMEOUT_MS: i32 = 11;
/// mcp_serve_http(): how long a client may take no output while there is some; default 30000.
pub const MCP_HTTP_WRITE_TIMEOUT_MS: i32 = 12;
/// Headers of a request; default 100, at most 16384.
pub const MCP_HTTP_MAX_HEADERS: i32 = 13;
/// Bytes of them; default 32768, at most 1048576.
pub const MCP_HTTP_MAX_HEADER_BYTES: i32 = 14;
/// Requests of one server that wait for the rest of their answer, streams included; default 4096.
pub const MCP_HTTP_MAX_EXCHANGES: i32 = 15;

/// A name by which requests may address the server (Host): "example.org", "example.org:8443", or "*" for
/// all. The first one takes the place of the names of this machine, the others are added.
pub const MCP_HTTP_ALLOW_HOST: i32 = 100;
/// A page that may send requests (Origin): "https://example.org", or "*" for all. As above.
pub const MCP_HTTP_ALLOW_ORIGIN: i32 = 101;
/// A page whose scripts may read the answers too (CORS), or "*" for all; added.
pub const MCP_HTTP_CORS_ORIGIN: i32 = 102;
/// The metadata of this protected resource (RFC 9728): a JSON object with at least resource, the URL of the
/// endpoint. Served under /.well-known/oauth-protected-resource, and named to clients that lack authorisation.
pub const MCP_HTTP_RESOURCE_METADATA: i32 = 103;
/// The path of the stream of 2024-11-05. With MCP_HTTP_SSE_POST_PATH it turns that transport on.
pub const MCP_HTTP_SSE_PATH: i32 = 104;
/// The path that clients of 2024-11-05 post to.
pub const MCP_HTTP_SSE_POST_PATH: i32 = 105;

/// An endpoint with the server at a path, such as "/mcp".
///
/// Returns: the endpoint; NULL if server or path is NULL, the path does not start with a slash, or in builds
/// without exchange, the smallest.
/// Ownership: yours, until mcp_http_free(). The server may be freed before or after.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_http_new(
    server: *mut mcp_server,
    path: *const c_char,
) -> *mut mcp_http {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::value(
            server,
            |_| std::ptr::null_mut(),
            |server| {
                if cfg!(not(feature = "exchange")) {
                    return Err(Refusal::unsupported("built without the feature exchange"));
                }
                let http = mcp_http {
                    core: Http::new(&server.core, text::required(path)?)?,
                    serving: Arc::clone(&server.serving),
                    health: Health::default(),
                    shared: Arc::clone(server.shared()),
                };
                Ok(Arc::into_raw(Arc::new(http)).cast_mut())
            },
        )
    }
}

/// Ends all sessions of the endpoint and takes no more requests. Exchanges are still yours to free, and go on.
/// NULL is allowed.
///
/// Ownership: the endpoint is not yours any more.
/// Threads: any, once. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_http_free(http: *mut mcp_http) {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::free(http, |http| {
            http.core.close();
            http.core.set_authorizer(None);
        });
    }
}

/// Puts another server at another path of the endpoint, such as "/mcp/other".
///
/// Returns: MCP_OK; MCP_E_EXISTS if there is one at that path, MCP_E_NAME for a path that cannot be one.
/// Ownership: the path is copied; the server may be freed before or after the endpoint.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_http_mount(
    http: *mut mcp_http,
    path: *const c_char,
    server: *mut mcp_server,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        let server = boundary::pin(server);
        boundary::status(http, |http| {
            let server = server.as_ref().ok_or(Refusal::invalid("the server is NULL"))?;
            Ok(http.core.mount(text::required(path)?, &server.core)?)
        })
    }
}

/// Takes the server at a path away again; its sessions end. The one that was there first stays.
///
/// Returns: MCP_OK; MCP_E_NOT_FOUND.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_http_unmount(http: *mut mcp_http, path: *const c_char) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe { boundary::status(http, |http| Ok(http.core.unmount(text::required(path)?)?)) }
}

/// Sets an option that is a number: MCP_HTTP_MAX_BODY and those that follow it.
///
/// Returns: MCP_OK; MCP_E_INVALID for a value that makes no sense, MCP_E_UNSUPPORTED for an unknown option.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_http_set_int(
    http: *mut mcp_http,
    option: i32,
    value: i64,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe { boundary::status(http, |http| set_int(&http.core, option, value)) }
}

/// Sets an option that is a text: MCP_HTTP_ALLOW_HOST and those that follow it. Hosts and origins are lists,
/// to which each call adds one. NULL empties a list, or takes a text away.
///
/// Returns: MCP_OK; MCP_E_INVALID or MCP_E_NAME for a text that makes no sense, MCP_E_JSON, MCP_E_UTF8,
/// MCP_E_UNSUPPORTED for an unknown option.
/// Ownership: the text is copied.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_http_set_str(
    http: *mut mcp_http,
    option: i32,
    value: *const c_char,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe { boundary::status(http, |http| set_str(&http.core, option, text::optional(value)?)) }
}

/// Decides about a request when its headers are complete: read them with mcp_exchange_request_header(), say
/// who it is with mcp_exchange_set_principal(), and return 0; or return 401 or 403. The exchange is yours
/// until you return, and nothing else can be done with it. Whatever else you return is 403. While
/// mcp_serve_http() runs, it runs on the thread that serves everybody, so that it should be quick.
pub type mcp_authorize =
    Option<unsafe extern "C-unwind" fn(user_data: *mut c_void, exchange: *mut mcp_exchange) -> i32>;

type AuthorizeFunction =
    unsafe extern "C-unwind" fn(user_data: *mut c_void, exchange: *mut mcp_exchange) -> i32;

/// Sets who decides about requests. A NULL function takes it away: then all that come in may go on.
///
/// Returns: MCP_OK.
/// Ownership: destroy runs exactly once, after the last run of the old function, also on failure.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_http_set_authorize(
    http: *mut mcp_http,
    authorize: mcp_authorize,
    user_data: *mut c_void,
    destroy: mcp_destroy,
) -> mcp_status {
    let data = UserData::new(user_data, destroy);
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::status(http, |http| {
            let shared = Arc::clone(&http.shared);
            let authorizer = Callback::new(authorize, data)
                .map(|callback| Arc::new(CAuthorizer { callback, shared }) as Arc<dyn Authorizer>);
            http.core.set_authorizer(authorizer);
            Ok(())
        })
    }
}

/// The host's function as the engine sees it.
struct CAuthorizer {
    callback: Callback<AuthorizeFunction>,
    shared: Arc<Shared>,
}

impl Authorizer for CAuthorizer {
    fn authorize(&self, request: &HttpRequest) -> Verdict {
        let exchange = mcp_exchange::view(request, &self.shared);
        let pointer = Arc::as_ptr(&exchange).cast_mut();
        // SAFETY: the host registered the two together. The exchange outlives the call.
        let verdict = unsafe { (self.callback.function)(self.callback.data.pointer(), pointer) };
        match verdict {
            0 => Verdict::Granted,
            401 => Verdict::Unauthorized,
            _ => Verdict::Forbidden,
        }
    }
}

fn set_int(http: &Http, option: i32, value: i64) -> Result<(), Refusal> {
    let unsigned = u64::try_from(value).map_err(|_| Refusal::invalid("the value is negative"))?;
    let size = usize::try_from(value).map_err(|_| Refusal::invalid("the value is negative"))?;
    let is_switch = value <= 1;
    let change: fn(&mut HttpOptions, u64, usize) = match option {
        MCP_HTTP_MAX_BODY => |options, _, size| options.body_bytes = size,
        MCP_HTTP_MAX_SESSIONS => |options, _, size| options.sessions = size,
        MCP_HTTP_SESSION_IDLE_MS => |options, ms, _| options.session_idle_ms = ms,
        MCP_HTTP_KEEPALIVE_MS => |options, ms, _| options.keepalive_ms = ms,
        MCP_HTTP_REPLAY_BYTES => |options, _, size| options.replay_bytes = size,
        MCP_HTTP_RETRY_MS => |options, ms, _| options.retry_ms = ms,
        MCP_HTTP_STATELESS if is_switch => |options, value, _| options.stateless = value == 1,
        MCP_HTTP_STATELESS => return Err(Refusal::invalid("a switch is 0 or 1")),
        MCP_HTTP_MAX_CONNECTIONS => |options, _, size| options.connections = size.max(1),
        MCP_HTTP_HEADER_TIMEOUT_MS => |options, ms, _| options.header_timeout_ms = ms,
        MCP_HTTP_BODY_TIMEOUT_MS => |options, ms, _| options.body_timeout_ms = ms,
        MCP_HTTP_IDLE_TIMEOUT_MS => |options, ms, _| options.idle_timeout_ms = ms,
        MCP_HTTP_WRITE_TIMEOUT_MS => |options, ms, _| options.write_timeout_ms = ms,
        MCP_HTTP_MAX_HEADERS => |options, _, size| options.header_count = size,
        MCP_HTTP_MAX_HEADER_BYTES => |options, _, size| options.header_bytes = size,
        MCP_HTTP_MAX_EXCHANGES => |options, _, size| options.exchanges = size,
        _ => return Err(Refusal::unsupported("an endpoint has no such number")),
    };
    Ok(http.configure(|options| change(options, unsigned, size))?)
}

fn set_str(http: &Http, option: i32, value: Option<&str>) -> Result<(), Refusal> {
    let list: Option<fn(&mut HttpOptions) -> &mut Vec<String>> = match option {
        MCP_HTTP_ALLOW_HOST => Some(|options| &mut options.allowed_hosts),
        MCP_HTTP_ALLOW_ORIGIN => Some(|options| &mut options.allowed_origins),
        MCP_HTTP_CORS_ORIGIN => Some(|options| &mut options.cors_origins),
        _ => None,
    };
    if let Some(list) = list {
        return Ok(http.configure(|options| match value {
            Some(value) => list(options).push(value.to_owned()),
            None => list(options).clear(),
        })?);
    }
    let slot: fn(&mut HttpOptions) -> &mut Option<String> = match option {
        MCP_HTTP_RESOURCE_METADATA => |options| &mut options.resource_metadata,
        MCP_HTTP_SSE_PATH => |options| &mut options.sse_path,
        MCP_HTTP_SSE_POST_PATH => |options| &mut options.sse_post_path,
        _ => return Err(Refusal::unsupported("an endpoint has no such text")),
    };
    Ok(http.configure(|options| *slot(options) = value.map(str::to_owned))?)
}
