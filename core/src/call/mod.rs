//! A call: one attempt at answering one request.

mod answer;
mod ask;
mod build;
mod companion;
mod draft;
mod emit;
mod lease;
mod pool;
mod read;
mod state;

pub use build::Role;
pub use companion::Companion;
pub(crate) use lease::SharedState;
pub(crate) use pool::Pool;
pub(crate) use state::{Arguments, Bound, CallState, OVERHEAD, OnCancel};

use std::fmt;

use lease::Lease;

/// A request that waits for its answer, held by whoever has this handle.
///
/// A call is open while somebody holds it. The engine does while the handler runs; a clone keeps it
/// open for longer, on any thread. When the last holder lets go without an answer, the engine
/// answers "internal error". It is answered at most once: a later answer, or one after cancel, timeout
/// or the end of the session, is refused with an error and sends nothing, while reading still works.
///
/// The call owns a copy of its parameters, so what is read from it lives as long as the handle.
pub struct Call {
    state: Lease,
}

impl Call {
    /// The first handle of a state that the engine has prepared.
    pub(crate) fn first(state: SharedState) -> Call {
        Call { state: Lease::new(state) }
    }

    #[inline]
    pub(crate) fn shared(&self) -> &CallState {
        &self.state
    }

    /// The reference that the handle is; `None` only while it is dropped.
    pub(crate) fn held(&self) -> Option<&SharedState> {
        self.state.shared()
    }
}

impl Clone for Call {
    fn clone(&self) -> Call {
        self.state.hold();
        Call { state: self.state.clone() }
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
        if let Some(state) = self.state.take() {
            Pool::put_back(state);
        }
    }
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Call");
        debug.field("method", &self.method()).field("id", &self.id()).finish_non_exhaustive()
    }
}
