//! The state of a call as its handles have it.

use std::ops::Deref;
use std::sync::LazyLock;

use super::state::CallState;

/// A reference to a state. Whether it is the only one can be seen without writing, because there are no weak ones.
pub(crate) type SharedState = triomphe::Arc<CallState>;

/// A reference that can be taken out of a handle that is dropped.
pub(super) struct Lease(Option<SharedState>);

/// What is seen of a state that has been taken out: nothing, and nothing is ever written to it.
#[cold]
#[inline(never)]
fn gone() -> &'static CallState {
    static GONE: LazyLock<CallState> = LazyLock::new(CallState::default);
    &GONE
}

impl Lease {
    pub(super) fn new(state: SharedState) -> Lease {
        Lease(Some(state))
    }

    pub(super) fn shared(&self) -> Option<&SharedState> {
        self.0.as_ref()
    }

    pub(super) fn take(&mut self) -> Option<SharedState> {
        self.0.take()
    }
}

impl Clone for Lease {
    fn clone(&self) -> Lease {
        Lease(self.0.clone())
    }
}

impl Deref for Lease {
    type Target = CallState;

    #[inline]
    fn deref(&self) -> &CallState {
        match &self.0 {
            Some(state) => state,
            None => gone(),
        }
    }
}
