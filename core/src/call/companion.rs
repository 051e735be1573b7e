//! What a shell around the engine keeps beside a call.

use std::any::Any;

use super::Call;

/// A shell's own part of a call. It stays with the engine's part when that is used again by a later call, so
/// that the steady state allocates nothing there either.
pub trait Companion: Any + Send + Sync {
    /// Nobody holds the call any more: forgets what is of it, and lets no buffer be larger than `keep`.
    fn clear(&mut self, keep: usize);
}

impl Call {
    /// The companion of the call, made if there is none yet. It lives as long as somebody holds the call.
    ///
    /// `None` if there is one of another type: one server has one shell.
    #[inline]
    pub fn companion<C: Companion>(&self, make: impl FnOnce() -> C) -> Option<&C> {
        let companion = self.state.companion.get_or_init(|| Box::new(make()));
        let companion: &dyn Any = &**companion;
        companion.downcast_ref()
    }
}
