//! One HTTP request and its perhaps endless response. Hand in what your HTTP server gives you: open, header
//! after header, the body by pieces, end. The response may be there early, when the request is refused: look
//! at mcp_exchange_status() after each step. Then send status, headers and what mcp_exchange_poll() gives,
//! until mcp_exchange_finished(); a wake says when there is more. Have mcp_server_timeout() and
//! mcp_server_tick() run as for sessions: they keep streams alive and end sessions that nobody uses.
//!
//! Two ends of an exchange belong to one thread at a time: mcp_exchange_header(), mcp_exchange_body() and
//! mcp_exchange_end(); and mcp_exchange_poll(). Concurrent use is MCP_E_BUSY.

use std::any::Any;
use std::ffi::{CString, c_char, c_void};
use std::sync::{Arc, Mutex, OnceLock};

#[cfg(feature = "exchange")]
use mcplite_core::{Exchange, HttpRequest};

#[cfg(not(feature = "exchange"))]
use crate::absent::{Exchange, HttpRequest};
use crate::callback::UserData;
use crate::failure::Refusal;
use crate::handle::{Handle, Health, Shared, lock};
use crate::http::mcp_http;
use crate::server::{mcp_destroy, mcp_wake};
use crate::session::{output_is_taken, wake_of};
use crate::solo::Solo;
use crate::status::*;
use crate::{boundary, text};

/// One HTTP request and its response.
pub struct mcp_exchange {
    /// `None` for the view that an authorising function gets.
    core: Option<Exchange>,
    request: HttpRequest,
    health: Health,
    shared: Arc<Shared>,
    output: Solo<Vec<u8>>,
    /// The headers of the response, once they are settled.
    headers: OnceLock<Vec<(CString, CString)>>,
    /// What was asked for of the request.
    asked: Mutex<Vec<(String, CString)>>,
}

impl Handle for mcp_exchange {
    fn health(&self) -> &Health {
        &self.health
    }

    fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }
}

impl mcp_exchange {
    fn new(core: Option<Exchange>, request: HttpRequest, shared: &Arc<Shared>) -> mcp_exchange {
        mcp_exchange {
            core,
            request,
            health: Health::default(),
            shared: Arc::clone(shared),
            output: Solo::default(),
            headers: OnceLock::new(),
            asked: Mutex::default(),
        }
    }

    /// What an authorising function gets to see.
    pub(crate) fn view(request: &HttpRequest, shared: &Arc<Shared>) -> Arc<mcp_exchange> {
        Arc::new(mcp_exchange::new(None, request.clone(), shared))
    }

    fn core(&self) -> Result<&Exchange, Refusal> {
        let text = "an authorising function can only read and say who it is";
        self.core.as_ref().ok_or(Refusal::new(MCP_E_STATE, text))
    }

    /// Gives C a text of the request, made once for each name.
    ///
    /// # Safety
    /// `out_len` is NULL or points to memory for a length.
    unsafe fn lend(
        &self,
        name: &str,
        read: impl FnOnce() -> Option<String>,
        out_len: *mut usize,
    ) -> *const c_char {
        let mut asked = lock(&self.asked);
        if !asked.iter().any(|(known, _)| known == name) {
            let value = read().and_then(|value| CString::new(value).ok());
            asked.extend(value.map(|value| (name.to_owned(), value)));
        }
        let known = asked.iter().find(|(known, _)| known == name);
        let Some((_, value)) = known else { return std::ptr::null() };
        // SAFETY: the caller's promise is the same.
        unsafe { text::put(out_len, value.as_bytes().len()) };
        value.as_ptr()
    }

    fn headers(&self) -> Result<&[(CString, CString)], Refusal> {
        let core = self.core()?;
        if core.status().is_none() {
            return Ok(&[]);
        }
        Ok(self.headers.get_or_init(|| {
            let headers = core.response_headers().into_iter();
            let pairs = headers.filter_map(|(name, value)| {
                Some((CString::new(name).ok()?, CString::new(&*value).ok()?))
            });
            pairs.collect()
        }))
    }
}

/// A request arrives. target is what stands in the request line: the path, with the query if there is one.
///
/// Returns: the exchange; NULL if http or method is NULL, the endpoint or its server is closed, or there is no
/// memory. NULL may be used like any exchange: its response is an empty 503, and finished.
/// Ownership: yours, until mcp_exchange_free(). The texts are copied.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_http_open(
    http: *mut mcp_http,
    method: *const c_char,
    target: *const c_char,
    target_len: usize,
) -> *mut mcp_exchange {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::value(
            http,
            |_| std::ptr::null_mut(),
            |http| {
                let method = text::required(method)?;
                // What is no text is no path either, and is told so to the client.
                let target = String::from_utf8_lossy(text::bytes(target.cast(), target_len)?);
                let core = http.core.open(method, &target)?;
                let request = core.request().clone();
                let exchange = mcp_exchange::new(Some(core), request, http.shared());
                Ok(Arc::into_raw(Arc::new(exchange)).cast_mut())
            },
        )
    }
}

/// Takes one header of the request. What is wrong with it is said in the response.
///
/// Returns: MCP_OK, also when the response is settled already; MCP_E_STATE after the first piece of the body;
/// MCP_E_BUSY.
/// Ownership: name and value are copied; lengths may be MCP_Z.
/// Threads: one at a time (the request end). Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_exchange_header(
    exchange: *mut mcp_exchange,
    name: *const c_char,
    name_len: usize,
    value: *const c_char,
    value_len: usize,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::status(exchange, |exchange| {
            let name = text::bytes(name.cast(), name_len)?;
            let value = text::bytes(value.cast(), value_len)?;
            Ok(exchange.core()?.header(name, value)?)
        })
    }
}

/// Takes a piece of the body, which may be empty: the headers are complete. The authorising function runs in
/// here.
///
/// Returns: MCP_OK, also when the response is settled already and nothing more is kept; MCP_E_STATE after
/// mcp_exchange_end(); MCP_E_BUSY, MCP_E_INVALID for MCP_Z.
/// Ownership: the bytes are copied.
/// Threads: one at a time (the request end). Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_exchange_body(
    exchange: *mut mcp_exchange,
    data: *const c_void,
    len: usize,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::status(exchange, |exchange| {
            Ok(exchange.core()?.body(text::received(data, len)?)?)
        })
    }
}

/// The request is complete. Handlers run in here unless dispatch is queued.
///
/// Returns: MCP_OK; MCP_E_STATE when it was called before; MCP_E_BUSY when nested too deeply or inside a hook.
/// Threads: one at a time (the request end). Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_exchange_end(exchange: *mut mcp_exchange) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe { boundary::status(exchange, |exchange| Ok(exchange.core()?.end()?)) }
}

/// The status of the response.
///
/// Returns: 0 until the head is settled, then the HTTP status; 503 for NULL.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_exchange_status(exchange: *const mcp_exchange) -> i32 {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::lenient_value(
            exchange,
            |_| 503,
            |exchange| Ok(exchange.core()?.status().map_or(0, i32::from)),
        )
    }
}

/// A header of the response, by its number from 0 on. There is no Content-Length among them, no Date and no
/// Connection: those are your HTTP server's.
///
/// Returns: MCP_OK; MCP_DONE when there are no more, or the head is not settled.
/// Valid until: mcp_exchange_free().
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_exchange_response_header(
    exchange: *const mcp_exchange,
    index: usize,
    out_name: *mut *const c_char,
    out_value: *mut *const c_char,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        text::put(out_name, std::ptr::null());
        text::put(out_value, std::ptr::null());
        if exchange.is_null() {
            return MCP_DONE;
        }
        boundary::lenient_value(
            exchange,
            |status| status,
            |exchange| {
                let Some((name, value)) = exchange.headers()?.get(index) else {
                    return Ok(MCP_DONE);
                };
                text::put(out_name, name.as_ptr());
                text::put(out_value, value.as_ptr());
                Ok(MCP_OK)
            },
        )
    }
}

/// The next bytes of the response's body: all of a JSON body, or events of a stream.
///
/// Returns: the bytes, *out_len of them, and a NUL behind them; NULL when there are none now. out_len must not
/// be NULL.
/// Valid until: the next mcp_exchange_poll() of this exchange, or mcp_exchange_free().
/// Threads: one at a time. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_exchange_poll(
    exchange: *mut mcp_exchange,
    out_len: *mut usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        text::put(out_len, 0);
        boundary::lenient_value(
            exchange,
            |_| std::ptr::null(),
            |exchange| {
                let core = exchange.core()?;
                if out_len.is_null() {
                    return Err(Refusal::invalid("the length is needed"));
                }
                let mut output = exchange.output.enter().ok_or_else(output_is_taken)?;
                if !core.poll_into(&mut output) {
                    *output = Vec::new();
                    return Ok(std::ptr::null());
                }
                text::put(out_len, output.len());
                output.push(0);
                Ok(output.as_ptr().cast())
            },
        )
    }
}

/// Whether all of the response was taken and nothing will come.
///
/// Returns: 1 or 0; 1 for NULL.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_exchange_finished(exchange: *const mcp_exchange) -> i32 {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::lenient_value(
            exchange,
            |_| 1,
            |exchange| Ok(i32::from(exchange.core()?.is_finished())),
        )
    }
}

/// Whether the response is a stream of events, to be passed on piece by piece, as opposed to a body that is
/// there as a whole.
///
/// Returns: 1 or 0; 0 until the head is settled, and for NULL.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_exchange_is_stream(exchange: *const mcp_exchange) -> i32 {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::lenient_value(
            exchange,
            |_| 0,
            |exchange| Ok(i32::from(exchange.core()?.is_stream())),
        )
    }
}

/// Sets who is told that the head, bytes of the body, or the end have appeared, on whatever thread made them.
/// It never runs concurrently with itself, so that it may signal your loop or poll right there. A NULL wake
/// takes it away.
///
/// Returns: MCP_OK.
/// Ownership: destroy runs exactly once, after the last run of the old wake, also on failure.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_exchange_set_wake(
    exchange: *mut mcp_exchange,
    wake: mcp_wake,
    user_data: *mut c_void,
    destroy: mcp_destroy,
) -> mcp_status {
    let data = UserData::new(user_data, destroy);
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        let wake = wake_of(exchange, wake, data);
        boundary::status(exchange, |exchange| {
            exchange.core()?.set_wake(wake);
            Ok(())
        })
    }
}

/// Attaches something of yours that handlers find with mcp_call_context(); before mcp_exchange_end().
///
/// Returns: MCP_OK.
/// Ownership: destroy runs exactly once, after the last call that has it, also on failure.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_exchange_set_context(
    exchange: *mut mcp_exchange,
    context: *mut c_void,
    destroy: mcp_destroy,
) -> mcp_status {
    let data = UserData::new(context, destroy);
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::status(exchange, |exchange| {
            let context: Arc<dyn Any + Send + Sync> = Arc::new(data);
            exchange.request.set_context(Some(context));
            Ok(())
        })
    }
}

/// Says who the client is (MCP_INFO_PRINCIPAL); before mcp_exchange_end(), or in the authorising function. A
/// session can be used, and what is asked answered, by the same principal only. NULL for nobody.
///
/// Returns: MCP_OK; MCP_E_UTF8.
/// Ownership: the text is copied.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_exchange_set_principal(
    exchange: *mut mcp_exchange,
    principal: *const c_char,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::status(exchange, |exchange| {
            exchange.request.set_principal(text::optional(principal)?);
            Ok(())
        })
    }
}

/// Adds parameters to the challenge (WWW-Authenticate) that a client gets whom the authorising function
/// refuses, such as "scope=\"files:read\"".
///
/// Returns: MCP_OK; MCP_E_INVALID for what cannot stand in a header.
/// Ownership: the text is copied.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_exchange_set_challenge(
    exchange: *mut mcp_exchange,
    parameters: *const c_char,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::status(exchange, |exchange| {
            Ok(exchange.request.set_challenge(text::required(parameters)?)?)
        })
    }
}

/// The first header of the request that has this name, in whatever case.
///
/// Returns: its value, NUL-terminated; NULL if there is none.
/// Valid until: mcp_exchange_free(), or the authorising function returns.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_exchange_request_header(
    exchange: *const mcp_exchange,
    name: *const c_char,
    out_len: *mut usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        text::put(out_len, 0);
        boundary::lenient_value(
            exchange,
            |_| std::ptr::null(),
            |exchange| {
                let name = text::required(name)?;
                Ok(exchange.lend(name, || exchange.request.header(name), out_len))
            },
        )
    }
}

/// The method of the request.
pub const MCP_EXCHANGE_METHOD: i32 = 1;
/// The path of the request, without the query.
pub const MCP_EXCHANGE_PATH: i32 = 2;

/// What the request line says; what is one of MCP_EXCHANGE_...
///
/// Returns: the text, NUL-terminated; NULL if there is none.
/// Valid until: mcp_exchange_free(), or the authorising function returns.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_exchange_info(
    exchange: *const mcp_exchange,
    what: i32,
    out_len: *mut usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        text::put(out_len, 0);
        boundary::lenient_value(
            exchange,
            |_| std::ptr::null(),
            |exchange| {
                let request = &exchange.request;
                // No header has such a name.
                match what {
                    MCP_EXCHANGE_METHOD => {
                        Ok(exchange.lend(" method", || Some(request.method()), out_len))
                    }
                    MCP_EXCHANGE_PATH => {
                        Ok(exchange.lend(" path", || Some(request.path()), out_len))
                    }
                    _ => Err(Refusal::unsupported("an exchange has no such information")),
                }
            },
        )
    }
}

/// Lets go of an exchange. Before it is finished this means that the client is gone: what it asked for by
/// 2026-07-28 is cancelled, older requests go on, and their streams wait for the client to come back. NULL is
/// allowed.
///
/// Ownership: the exchange is not yours any more.
/// Threads: any, once. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_exchange_free(exchange: *mut mcp_exchange) {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::free(exchange, |exchange| {
            exchange.core.iter().for_each(Exchange::close);
        });
    }
}
