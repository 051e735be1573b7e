//! What else happens when its time has come, besides deadlines of calls: signs of life of streams, and the
//! end of sessions that nobody uses.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::timers::{Due, Schedule};

/// Something that wants to be told when its time has come.
pub(crate) trait Alarmed: Send + Sync {
    /// It is that time; says when the next one is.
    fn ring(self: Arc<Self>, now_ms: u64) -> Option<u64>;
}

/// The alarms of one server, the next one first.
#[derive(Default)]
pub(crate) struct Alarms {
    state: Mutex<State>,
    /// Whether there is any, for whoever asks often which is the next.
    has_any: AtomicBool,
}

#[derive(Default)]
struct State {
    next: Schedule,
    /// Tokens and their times, by token. Tokens grow, so that a new one is mostly the last.
    times: Vec<(u64, u64)>,
}

impl State {
    /// The place of a token in `times`, or where it belongs.
    fn place(&self, token: u64) -> Result<usize, usize> {
        self.times.binary_search_by_key(&token, |(token, _)| *token)
    }

    fn forget(&mut self, token: u64) -> Option<u64> {
        let place = self.place(token).ok()?;
        Some(self.times.remove(place).1)
    }
}

impl Alarms {
    /// Sets the alarm of that token. Says whether it is now the next of all.
    pub(crate) fn set(&self, token: u64, at_ms: u64, who: Weak<dyn Alarmed>) -> bool {
        let mut state = self.lock();
        if let Some(old) = state.forget(token) {
            state.next.remove(&(old, token));
        }
        if let Err(place) = state.place(token) {
            state.times.insert(place, (token, at_ms));
        }
        state.next.insert((at_ms, token), Due::Alarm(who));
        self.has_any.store(true, Ordering::SeqCst);
        state.next.first_key_value().is_some_and(|(first, _)| *first == (at_ms, token))
    }

    pub(crate) fn remove(&self, token: u64) {
        let mut state = self.lock();
        if let Some(at_ms) = state.forget(token) {
            state.next.remove(&(at_ms, token));
            self.has_any.store(!state.next.is_empty(), Ordering::SeqCst);
        }
    }

    pub(crate) fn next_ms(&self) -> Option<u64> {
        if !self.has_any.load(Ordering::SeqCst) {
            return None;
        }
        self.lock().next.first_key_value().map(|((at_ms, _), _)| *at_ms)
    }

    /// Rings every alarm whose time has come.
    pub(crate) fn tick(&self, now_ms: u64) {
        while let Some((token, who)) = self.take(now_ms) {
            // Without the lock: it may run the host's wake.
            let next = who.upgrade().and_then(|it| it.ring(now_ms));
            if let Some(at_ms) = next {
                // At a later time in any case, or there would be no end.
                self.set(token, at_ms.max(now_ms.saturating_add(1)), who);
            }
        }
    }

    fn take(&self, now_ms: u64) -> Option<(u64, Weak<dyn Alarmed>)> {
        let mut state = self.lock();
        let first = state.next.first_entry().filter(|first| first.key().0 <= now_ms)?;
        let ((_, token), due) = first.remove_entry();
        state.forget(token);
        self.has_any.store(!state.next.is_empty(), Ordering::SeqCst);
        match due {
            Due::Alarm(who) => Some((token, who)),
            Due::Call(_) => None,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Alarms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Alarms")
    }
}
