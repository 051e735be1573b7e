//! A call: one attempt at answering one request.

mod answer;
mod ask;
mod build;
mod companion;
mod draft;
mod emit;
mod pool;
mod read;
mod state;

pub use build::Role;
pub use companion::Companion;
pub(crate) use pool::Pool;
pub(crate) use state::{Arguments, Bound, CallState, OVERHEAD, OnCancel};

use std::fmt;
use std::sync::Arc;

/// A request that waits for its answer, held by whoever has this handle.
///
/// A call is open while somebody holds it. The engine does while the handler runs; a clone keeps it
/// open for longer, on any thread. When the last holder lets go without an answer, the engine
/// answers "internal error". It is answered at most once: a later answer, or one after cancel, timeout
/// or the end of the session, is refused with an error and sends nothing, while reading still works.
///
/// The call owns a copy of its parameters, so what is read from it lives as long as the handle.
pub struct Call {
    state: Arc<CallState>,
}

impl Call {
    /// The first handle of a state that the engine has prepared.
    pub(crate) fn first(state: Arc<CallState>) -> Call {
        Call { state }
    }

    pub(crate) fn shared(&self) -> &Arc<CallState> {
        &self.state
    }
}

impl Clone for Call {
    fn clone(&self) -> Call {
        self.state.hold();
        Call { state: Arc::clone(&self.state) }
    }
}

impl Drop for Call {
    #[inline]
    fn drop(&mut self) {
        if self.state.let_go() {
            self.put_back();
        }
    }
}

impl Call {
    /// Nobody holds the call any more.
    #[inline(never)]
    fn put_back(&mut self) {
        self.answer_if_abandoned();
        let Some(bound) = self.state.bound() else { return };
        // The idle state takes this one's place, so that this one has a single owner again and its
        // buffers can serve the next call.
        let idle = bound.server.pool.idle(bound.peer.number);
        Pool::put_back(std::mem::replace(&mut self.state, idle));
    }
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Call");
        debug.field("method", &self.method()).field("id", &self.id()).finish_non_exhaustive()
    }
}
