//! Telling the host that something waits, one telling at a time.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::hooks::guarded;

/// The host's code that wants to be told. It never runs concurrently with itself.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// Runs a wake on whatever thread rings. A thread that finds it running leaves its ring to the one
/// that runs it, so that none is lost and none runs beside another.
#[derive(Default)]
pub(crate) struct Bell {
    state: Mutex<State>,
    /// Whether there is a wake, so that the many hosts without one pay no lock.
    has_wake: AtomicBool,
}

#[derive(Default)]
struct State {
    /// Not there while it runs.
    wake: Option<Wake>,
    running: bool,
    /// Another was set or it was taken away while it ran.
    replaced: bool,
    again: bool,
}

impl Bell {
    /// Sets or takes away the wake. The old one is dropped here, or after its last run.
    pub(crate) fn set(&self, wake: Option<Wake>) {
        if wake.is_none() && !self.is_set() {
            return;
        }
        let old = {
            let mut state = self.lock();
            self.has_wake.store(wake.is_some(), Ordering::SeqCst);
            state.replaced = state.running;
            std::mem::replace(&mut state.wake, wake)
        };
        drop(old);
    }

    /// Whether there is a wake.
    pub(crate) fn is_set(&self) -> bool {
        self.has_wake.load(Ordering::SeqCst)
    }

    pub(crate) fn ring(&self) {
        if !self.has_wake.load(Ordering::SeqCst) {
            return;
        }
        let mut wake = {
            let mut state = self.lock();
            if state.running {
                state.again = true;
                return;
            }
            let Some(wake) = state.wake.take() else { return };
            state.running = true;
            wake
        };
        loop {
            // A panic in the host's code must not leave the bell ringing for ever.
            guarded(|| wake());
            let (next, old) = self.go_on(wake);
            drop(old);
            match next {
                Some(next) => wake = next,
                None => return,
            }
        }
    }

    /// A run is over: gives the wake again, or the one that has taken its place, if there was another ring; and
    /// the old one, to be dropped without the lock.
    fn go_on(&self, wake: Wake) -> (Option<Wake>, Option<Wake>) {
        let mut state = self.lock();
        let old = match std::mem::take(&mut state.replaced) {
            true => Some(wake),
            false => state.wake.replace(wake),
        };
        let is_again = std::mem::take(&mut state.again);
        let next = if is_again { state.wake.take() } else { None };
        state.running = next.is_some();
        (next, old)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Bell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Bell")
    }
}
