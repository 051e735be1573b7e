//! What a client carries for the server between attempts (requestState, 2026-07-28) is sealed: it can
//! neither read nor change it, nor use it for another request or principal, nor for longer than
//! MCP_OPT_STATE_TTL_MS. By default the key is drawn for each server object: then what was sealed is refused
//! by other processes and after a restart, and the client has to start anew.

use std::ffi::c_void;

use mcplite_core::{Hook, SealKey, Sealer};

use crate::callback::{Callback, UserData};
use crate::failure::Refusal;
use crate::server::{mcp_destroy, mcp_server};
use crate::status::{MCP_E_INVALID, MCP_OK, mcp_status};
use crate::{boundary, text};

/// Sets keys of 32 bytes each, one behind the other: the first seals, all open, so that keys can be changed
/// without losing what is under way. Processes that serve the same clients must share them. No keys: one is
/// drawn, as by default.
///
/// Returns: MCP_OK; MCP_E_INVALID.
/// Ownership: the keys are copied.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_set_seal_keys(
    server: *mut mcp_server,
    keys: *const u8,
    count: usize,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::status(server, |server| {
            let size = count.checked_mul(size_of::<SealKey>());
            let size = size.ok_or_else(|| Refusal::invalid("so many keys do not exist"))?;
            let (keys, _) = text::received(keys.cast(), size)?.as_chunks();
            server.core.set_seal_keys(keys);
            Ok(())
        })
    }
}

/// Where a callback writes bytes for the engine.
pub struct mcp_buf(Vec<u8>);

/// Seals in (open is 0) or opens it (open is 1) and appends the result to out with mcp_buf_append(). Returns
/// MCP_OK, or a negative status if it cannot, or if in is not what was sealed.
pub type mcp_seal = Option<
    unsafe extern "C-unwind" fn(
        user_data: *mut c_void,
        open: i32,
        r#in: *const u8,
        in_len: usize,
        out: *mut mcp_buf,
    ) -> mcp_status,
>;

type SealFunction = unsafe extern "C-unwind" fn(
    user_data: *mut c_void,
    open: i32,
    r#in: *const u8,
    in_len: usize,
    out: *mut mcp_buf,
) -> mcp_status;

/// Sets your own way to seal, instead of the keys. A NULL seal goes back to those.
///
/// Returns: MCP_OK.
/// Ownership: destroy runs exactly once, after the last run of the old seal, also on failure.
/// Threads: any. The seal runs in the call that needs it. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_set_seal(
    server: *mut mcp_server,
    seal: mcp_seal,
    user_data: *mut c_void,
    destroy: mcp_destroy,
) -> mcp_status {
    let data = UserData::new(user_data, destroy);
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::status(server, |server| {
            match Callback::new(seal, data) {
                Some(callback) => server.core.set_sealer(CSealer(callback)),
                None => server.core.unset(Hook::Sealer),
            }
            Ok(())
        })
    }
}

/// Appends bytes to what a callback was given to write to.
///
/// Returns: MCP_OK; MCP_E_INVALID.
/// Ownership: the bytes are copied.
/// Threads: the one that runs the callback, until it returns. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_buf_append(
    buf: *mut mcp_buf,
    data: *const c_void,
    len: usize,
) -> mcp_status {
    boundary::plain_status(|| {
        // SAFETY: the caller keeps the rules at the top of the header; only the running callback has it.
        let (buf, data) = unsafe { (buf.as_mut(), text::received(data, len)?) };
        let buf = buf.ok_or_else(|| Refusal::new(MCP_E_INVALID, "NULL"))?;
        buf.0.extend_from_slice(data);
        Ok(())
    })
}

struct CSealer(Callback<SealFunction>);

impl CSealer {
    fn work(&self, open: bool, input: &[u8]) -> Option<Vec<u8>> {
        let mut out = mcp_buf(Vec::new());
        let open = i32::from(open);
        // SAFETY: the host registered the two together; input and output live until this returns.
        let status = unsafe {
            (self.0.function)(
                self.0.data.pointer(),
                open,
                input.as_ptr(),
                input.len(),
                &raw mut out,
            )
        };
        (status == MCP_OK).then_some(out.0)
    }
}

impl Sealer for CSealer {
    fn seal(&self, plain: &[u8]) -> Option<Vec<u8>> {
        self.work(false, plain)
    }

    fn open(&self, sealed: &[u8]) -> Option<Vec<u8>> {
        self.work(true, sealed)
    }
}
