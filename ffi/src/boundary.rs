//! The boundary: every exported function does its work inside one of these.
//!
//! They check the handle, keep the object alive while the engine works (the host may free it in a
//! callback), remember why something was refused, and turn a panic into a status that poisons the object.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use mcplite_core::Call;

use crate::failure::Refusal;
use crate::handle::Handle;
use crate::held::{Held, mcp_call};
use crate::status::{MCP_E_INVALID, MCP_E_PANIC, MCP_E_POISONED, MCP_OK, mcp_status};

/// A function without a handle; `broken` is what it returns after a panic.
pub(crate) fn plain<T>(broken: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(broken)
}

/// A function without a handle that returns a status.
pub(crate) fn plain_status(body: impl FnOnce() -> Result<(), Refusal>) -> mcp_status {
    plain(MCP_E_PANIC, || body().map_or_else(|refusal| refusal.status, |()| MCP_OK))
}

/// A function of a server or session that returns a status.
///
/// # Safety
/// `handle` is NULL, or was given to C by `Arc::into_raw` and not freed yet.
pub(crate) unsafe fn status<H: Handle>(
    handle: *const H,
    body: impl FnOnce(&H) -> Result<(), Refusal>,
) -> mcp_status {
    let mut body = Some(body);
    // SAFETY: the caller's promise is the same.
    unsafe { shared_status(handle, &mut |handle| body.take().map_or(Ok(()), |body| body(handle))) }
}

/// The code that all functions of one type of handle share, so that each of them is small.
///
/// # Safety
/// As for [`status`].
#[inline(never)]
unsafe fn shared_status<H: Handle>(
    handle: *const H,
    body: &mut dyn FnMut(&H) -> Result<(), Refusal>,
) -> mcp_status {
    // SAFETY: the caller's promise is the same.
    unsafe { value(handle, |status| status, |handle| body(handle).map(|()| MCP_OK)) }
}

/// A function of a server or session; `otherwise` makes what it returns when it is refused.
///
/// # Safety
/// As for [`status`].
pub(crate) unsafe fn value<H: Handle, T>(
    handle: *const H,
    otherwise: impl FnOnce(mcp_status) -> T,
    body: impl FnOnce(&H) -> Result<T, Refusal>,
) -> T {
    // SAFETY: the caller's promise is the same.
    let Some(handle) = (unsafe { pin(handle) }) else { return otherwise(MCP_E_INVALID) };
    if handle.health().is_poisoned() {
        return otherwise(MCP_E_POISONED);
    }
    run(&*handle, otherwise, body)
}

/// The same for what can still be done with an object that is poisoned.
///
/// # Safety
/// As for [`status`].
pub(crate) unsafe fn lenient_value<H: Handle, T>(
    handle: *const H,
    otherwise: impl FnOnce(mcp_status) -> T,
    body: impl FnOnce(&H) -> Result<T, Refusal>,
) -> T {
    // SAFETY: the caller's promise is the same.
    let Some(handle) = (unsafe { pin(handle) }) else { return otherwise(MCP_E_INVALID) };
    run(&*handle, otherwise, body)
}

/// The same for a function in which no code of the host's can run, so that nobody frees the object meanwhile
/// but by mistake.
///
/// # Safety
/// As for [`status`].
pub(crate) unsafe fn lenient_read<H: Handle, T>(
    handle: *const H,
    otherwise: impl FnOnce(mcp_status) -> T,
    body: impl FnOnce(&H) -> Result<T, Refusal>,
) -> T {
    // SAFETY: it is NULL, or a reference that C keeps until this returns.
    let Some(handle) = (unsafe { handle.as_ref() }) else { return otherwise(MCP_E_INVALID) };
    run(handle, otherwise, body)
}

/// A function of a server or session in two steps: only the second runs code of the host's, which may free the
/// object, and does without it.
///
/// # Safety
/// As for [`status`], and `run` gives an error only while nobody has freed the object.
#[inline(always)]
pub(crate) unsafe fn detached_status<H: Handle, P>(
    handle: *const H,
    prepare: impl FnOnce(&H) -> Result<P, Refusal>,
    run: impl FnOnce(P) -> Result<(), Refusal>,
) -> mcp_status {
    let steps = || {
        // SAFETY: it is NULL, or a reference that C keeps until code of its own runs.
        let Some(object) = (unsafe { handle.as_ref() }) else { return Ok(MCP_E_INVALID) };
        if object.health().is_poisoned() {
            return Ok(MCP_E_POISONED);
        }
        run(prepare(object)?).map(|()| MCP_OK)
    };
    match catch_unwind(AssertUnwindSafe(steps)) {
        Ok(Ok(status)) => status,
        Ok(Err(refusal)) => {
            // SAFETY: it was no NULL, and nobody has freed the object, as the caller promises.
            refused(unsafe { &*handle }, &refusal);
            refusal.status
        }
        Err(_) => MCP_E_PANIC,
    }
}

/// Takes the object back from C, to be freed.
///
/// # Safety
/// As for [`status`]; the handle is not used by the caller afterwards.
pub(crate) unsafe fn free<H: Handle>(handle: *const H, body: impl FnOnce(&H)) {
    if handle.is_null() {
        return;
    }
    // SAFETY: the reference that C owned is ours from here on.
    let handle = unsafe { Arc::from_raw(handle) };
    // Host code that runs because of this is guarded where it is called; what else might panic must
    // not keep the object from being freed.
    drop(catch_unwind(AssertUnwindSafe(|| body(&handle))));
    drop(catch_unwind(AssertUnwindSafe(|| drop(handle))));
}

/// A function of a call that returns a status.
///
/// # Safety
/// `call` is NULL, or somebody who holds the call has it from the library.
pub(crate) unsafe fn call_status(
    call: *const mcp_call,
    body: impl FnOnce(&mcp_call, &Call) -> Result<(), Refusal>,
) -> mcp_status {
    let mut body = Some(body);
    let mut body = |call: &_, core: &_| body.take().map_or(Ok(()), |body| body(call, core));
    // SAFETY: the caller's promise is the same.
    unsafe { shared_call_status(call, &mut body) }
}

/// The code that they share.
///
/// # Safety
/// As for [`call_status`].
#[inline(never)]
unsafe fn shared_call_status(
    call: *const mcp_call,
    body: &mut dyn FnMut(&mcp_call, &Call) -> Result<(), Refusal>,
) -> mcp_status {
    // SAFETY: the caller's promise is the same.
    unsafe { call_value(call, |status| status, |call, core| body(call, core).map(|()| MCP_OK)) }
}

/// A function of a call; `otherwise` makes what it returns when it is refused.
///
/// # Safety
/// As for [`call_status`].
pub(crate) unsafe fn call_value<T>(
    call: *const mcp_call,
    otherwise: impl FnOnce(mcp_status) -> T,
    body: impl FnOnce(&mcp_call, &Call) -> Result<T, Refusal>,
) -> T {
    // SAFETY: the caller's promise is the same. While this is there, the call is not taken apart.
    let Some(kept) = (unsafe { Held::keep(call) }) else { return otherwise(MCP_E_INVALID) };
    run_call(&kept, otherwise, body)
}

/// The same for a function in which no code of the host's can run, so that nobody lets go of the call
/// meanwhile but by mistake.
///
/// # Safety
/// As for [`call_status`].
pub(crate) unsafe fn call_read<T>(
    call: *const mcp_call,
    otherwise: impl FnOnce(mcp_status) -> T,
    body: impl FnOnce(&mcp_call, &Call) -> Result<T, Refusal>,
) -> T {
    // SAFETY: the caller holds the call until this returns.
    let Some(held) = (unsafe { Held::look(call) }) else { return otherwise(MCP_E_INVALID) };
    run_call(held, otherwise, body)
}

fn run_call<T>(
    held: &mcp_call,
    otherwise: impl FnOnce(mcp_status) -> T,
    body: impl FnOnce(&mcp_call, &Call) -> Result<T, Refusal>,
) -> T {
    if held.health.is_poisoned() {
        return otherwise(MCP_E_POISONED);
    }
    let Some(core) = held.core() else { return otherwise(MCP_E_INVALID) };
    match catch_unwind(AssertUnwindSafe(|| body(held, core))) {
        Ok(Ok(value)) => value,
        Ok(Err(refusal)) => {
            held.note(&refusal);
            otherwise(refusal.status)
        }
        Err(_) => {
            held.break_down(core);
            otherwise(MCP_E_PANIC)
        }
    }
}

fn run<H: Handle, T>(
    handle: &H,
    otherwise: impl FnOnce(mcp_status) -> T,
    body: impl FnOnce(&H) -> Result<T, Refusal>,
) -> T {
    let refusal = match catch_unwind(AssertUnwindSafe(|| body(handle))) {
        Ok(Ok(value)) => return value,
        Ok(Err(refusal)) => refusal,
        Err(_) => broken(),
    };
    refused(handle, &refusal);
    otherwise(refusal.status)
}

/// Remembers a refusal, and whether the object is still good for anything.
#[cold]
fn refused<H: Handle>(handle: &H, refusal: &Refusal) {
    if refusal.status == MCP_E_PANIC {
        handle.health().poison();
    }
    handle.shared().report(refusal);
}

/// What is reported of a panic.
pub(crate) fn broken() -> Refusal {
    Refusal::new(MCP_E_PANIC, "a defect of mcplite; the panic message is on stderr")
}

/// Keeps an object alive, even if the host frees it.
///
/// # Safety
/// As for [`status`].
pub(crate) unsafe fn pin<H>(handle: *const H) -> Option<Arc<H>> {
    if handle.is_null() {
        return None;
    }
    // SAFETY: C owns a reference, so that the count is at least 1 and the object alive.
    unsafe { Arc::increment_strong_count(handle) };
    // SAFETY: the reference was just made.
    Some(unsafe { Arc::from_raw(handle) })
}
