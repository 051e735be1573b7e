//! Asking the client: the user, its model, or the client itself, the same in every revision.
//!
//!   const char *answer = mcp_ask(call, "when", "elicitation/create", MCP_JSON({...}), MCP_Z, &len);
//!   if (!answer) return MCP_PENDING;
//!
//! The handler runs again from the top when the client has answered: after its response, or in 2026-07-28
//! after its retry. Each run is a new mcp_call; what must survive goes into MCP_SET_STATE, which is sealed
//! when it leaves the process. Ask for several keys, then return MCP_PENDING once. A client that cannot be
//! asked, or is asked too often, gets the error that says so; to do without, look at mcp_can_ask().
//! Answers that do not fit their question are asked for again.

use std::ffi::c_char;

use mcplite_core::Error;

use crate::call::mcp_call;
use crate::failure::Refusal;
use crate::handler::end_attempt;
use crate::status::mcp_status;
use crate::{boundary, text};

/// Asks the client. key names the question within the call; method is elicitation/create,
/// sampling/createMessage or roots/list; params is JSON as the newest revision writes it, NULL and 0 for
/// none.
///
/// Returns: the JSON text of the client's result; NULL if there is no answer yet or the question cannot be
/// asked: return MCP_PENDING, and the engine does what is right.
/// Valid until: the last holder lets go of the call.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_ask(
    call: *mut mcp_call,
    key: *const c_char,
    method: *const c_char,
    params: *const c_char,
    params_len: usize,
    out_len: *mut usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        text::put(out_len, 0);
        boundary::call_value(
            call,
            |_| std::ptr::null(),
            |call, core| {
                let asked = (|| {
                    let (key, method) = (text::required(key)?, text::required(method)?);
                    let params = text::computed(params, params_len)?;
                    Ok(core.ask(key, method, params)?)
                })();
                match asked {
                    Ok(Some(answer)) => Ok(call.lend(answer, answer, out_len)),
                    Ok(None) => Ok(std::ptr::null()),
                    Err(refusal) => {
                        call.notes().not_asked.get_or_insert(Refusal::clone(&refusal));
                        Err(refusal)
                    }
                }
            },
        )
    }
}

/// Whether the client can be asked this. params is the question, NULL and 0 for its plain form.
///
/// Returns: 1 or 0.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_can_ask(
    call: *mut mcp_call,
    method: *const c_char,
    params: *const c_char,
    params_len: usize,
) -> i32 {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::call_value(
            call,
            |_| 0,
            |_, core| {
                let (method, params) =
                    (text::required(method)?, text::computed(params, params_len)?);
                Ok(i32::from(core.can_ask(method, params)))
            },
        )
    }
}

/// Ends the attempt of a retained call that has asked, as returning MCP_PENDING does in a handler.
///
/// Returns: MCP_OK; MCP_E_STATE if nothing has been asked; MCP_E_ANSWERED, MCP_E_CANCELLED.
/// Threads: any that holds the call. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_reply_asked(call: *mut mcp_call) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::call_status(call, |call, core| {
            let is_refused = call.notes().not_asked.is_some();
            match is_refused.then(|| end_attempt(call, core)) {
                Some(Err(failure)) => Ok(core.fail(failure)?),
                _ => Ok::<_, Error>(core.reply_asked()?).map_err(Refusal::from),
            }
        })
    }
}
