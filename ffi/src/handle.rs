//! What stands behind the handles that C has, besides the engine's own objects.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::failure::Refusal;
use crate::server::mcp_error;

/// What a server, its sessions and its calls have in common.
pub(crate) struct Shared {
    last_error: Mutex<Option<mcp_error>>,
    /// The first registration that was refused; serving would be without it.
    refused: Mutex<Option<Refusal>>,
}

impl Shared {
    pub(crate) fn new() -> Arc<Shared> {
        Arc::new(Shared { last_error: Mutex::default(), refused: Mutex::default() })
    }

    /// Remembers why something was refused.
    pub(crate) fn report(&self, refusal: &Refusal) {
        *lock(&self.last_error) = Some(mcp_error::new(refusal));
    }

    pub(crate) fn last_error(&self) -> Option<mcp_error> {
        *lock(&self.last_error)
    }

    /// Remembers that a registration was refused, if it is the first.
    pub(crate) fn refuse(&self, refusal: &Refusal) {
        lock(&self.refused).get_or_insert_with(|| refusal.clone());
    }

    pub(crate) fn refused(&self) -> Option<Refusal> {
        lock(&self.refused).clone()
    }
}

/// Whether an object can still be trusted.
#[derive(Default)]
pub(crate) struct Health(AtomicBool);

impl Health {
    pub(crate) fn is_poisoned(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn poison(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(crate) fn heal(&mut self) {
        *self.0.get_mut() = false;
    }
}

/// An object whose handle C has, as an `Arc` of which C owns one reference.
pub(crate) trait Handle {
    fn health(&self) -> &Health;
    fn shared(&self) -> &Arc<Shared>;
}

/// A lock whose poison is of no interest: what it guards is whole between any two statements.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
