//! Deadlines of open calls. Nothing runs by itself: the host asks when, and ticks.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::call::CallState;

/// The deadlines of one server.
///
/// A plain list: it holds open calls only, is looked through when the host ticks, and costs no
/// allocation in the steady state.
#[derive(Debug, Default)]
pub(crate) struct Timers(Mutex<Vec<Timer>>);

#[derive(Debug)]
struct Timer {
    at_ms: u64,
    token: u64,
    call: Arc<CallState>,
}

impl Timers {
    /// Sets or moves the deadline of a call. Says whether it is now the next of all.
    pub(crate) fn set(&self, token: u64, at_ms: u64, call: &Arc<CallState>) -> bool {
        let mut timers = self.lock();
        let is_next = timers.iter().all(|timer| timer.token == token || at_ms < timer.at_ms);
        match timers.iter_mut().find(|timer| timer.token == token) {
            Some(timer) => timer.at_ms = at_ms,
            None => timers.push(Timer { at_ms, token, call: Arc::clone(call) }),
        }
        is_next
    }

    pub(crate) fn remove(&self, token: u64) {
        let mut timers = self.lock();
        if let Some(position) = timers.iter().position(|timer| timer.token == token) {
            timers.swap_remove(position);
        }
    }

    /// When the next deadline passes.
    pub(crate) fn next_ms(&self) -> Option<u64> {
        self.lock().iter().map(|timer| timer.at_ms).min()
    }

    /// One call whose deadline has passed.
    pub(crate) fn take_expired(&self, now_ms: u64) -> Option<Arc<CallState>> {
        let mut timers = self.lock();
        let position = timers.iter().position(|timer| timer.at_ms <= now_ms)?;
        Some(timers.swap_remove(position).call)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Timer>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
