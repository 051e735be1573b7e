//! Deadlines of open calls. Nothing runs by itself: the host asks when, and ticks.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, Weak};

use crate::alarms::Alarmed;
use crate::call::{CallState, SharedState};

/// The deadlines of one server, the next one first. Only open calls have one.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    schedule: Mutex<Schedule>,
    /// Whether there is any, for whoever asks often when the next one passes.
    has_any: AtomicBool,
}

/// Who is next, by time and token. Deadlines and alarms are kept apart, but in maps of one type, because
/// each type is code of its own.
pub(crate) type Schedule = BTreeMap<(u64, u64), Due>;

/// Whose time it is.
pub(crate) enum Due {
    Call(SharedState),
    Alarm(Weak<dyn Alarmed>),
}

impl Timers {
    /// Sets or moves the deadline of a call. Says whether it is now the next of all.
    pub(crate) fn set(&self, token: u64, at_ms: u64, call: &SharedState) -> bool {
        // The call keeps it one higher, see there.
        let at_ms = at_ms.min(u64::MAX - 1);
        let mut timers = self.lock();
        if let Some(old) = call.swap_deadline(Some(at_ms)) {
            timers.remove(&(old, token));
        }
        timers.insert((at_ms, token), Due::Call(SharedState::clone(call)));
        self.has_any.store(true, Ordering::SeqCst);
        timers.first_key_value().is_some_and(|(first, _)| *first == (at_ms, token))
    }

    #[inline]
    pub(crate) fn remove(&self, token: u64, call: &CallState) {
        // Most calls have none, and need not wait for the lock.
        if call.has_deadline() {
            self.remove_set(token, call);
        }
    }

    fn remove_set(&self, token: u64, call: &CallState) {
        let mut timers = self.lock();
        if let Some(at_ms) = call.swap_deadline(None) {
            timers.remove(&(at_ms, token));
            self.has_any.store(!timers.is_empty(), Ordering::SeqCst);
        }
    }

    /// When the next deadline passes.
    pub(crate) fn next_ms(&self) -> Option<u64> {
        if !self.has_any.load(Ordering::SeqCst) {
            return None;
        }
        self.lock().first_key_value().map(|((at_ms, _), _)| *at_ms)
    }

    /// One call whose deadline has passed.
    pub(crate) fn take_expired(&self, now_ms: u64) -> Option<SharedState> {
        let mut timers = self.lock();
        let first = timers.first_entry().filter(|first| first.key().0 <= now_ms)?;
        // The call keeps its deadline: if it asks its client just now, the next attempt is as late.
        let due = first.remove();
        self.has_any.store(!timers.is_empty(), Ordering::SeqCst);
        match due {
            Due::Call(call) => Some(call),
            Due::Alarm(_) => None,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Schedule> {
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Due {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Due")
    }
}
