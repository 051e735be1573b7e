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
    wake: Option<Wake>,
    running: bool,
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
            let Some(wake) = state.wake.clone() else { return };
            if state.running {
                state.again = true;
                return;
            }
            state.running = true;
            wake
        };
        loop {
            // A panic in the host's code must not leave the bell ringing for ever.
            guarded(|| wake());
            let mut state = self.lock();
            let is_again = std::mem::take(&mut state.again);
            match &state.wake {
                Some(next) if is_again => {
                    let next = Arc::clone(next);
                    drop(state);
                    wake = next;
                }
                _ => {
                    state.running = false;
                    return;
                }
            }
        }
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
