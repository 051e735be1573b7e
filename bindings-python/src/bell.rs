//! Waiting for output, from Python.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mcplite_core::Wake;
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};

use crate::attached::{attached, call};

/// Told by the engine that there is output; tells a function of Python's, and whoever waits.
#[derive(Default)]
pub(crate) struct Bell {
    state: Mutex<State>,
    rung: Condvar,
}

#[derive(Default)]
struct State {
    rings: u64,
    sleepers: usize,
    wake: Option<Py<PyAny>>,
}

impl Bell {
    /// What to hand to the engine.
    pub(crate) fn wake(self: &Arc<Bell>) -> Wake {
        let bell = Arc::clone(self);
        Arc::new(move || bell.ring())
    }

    pub(crate) fn set_wake(&self, wake: Option<Py<PyAny>>) {
        let old = std::mem::replace(&mut self.lock().wake, wake);
        drop(old);
    }

    fn ring(&self) {
        let has_wake = {
            let mut state = self.lock();
            state.rings += 1;
            if state.sleepers > 0 {
                self.rung.notify_all();
            }
            state.wake.is_some()
        };
        if has_wake {
            let wake = attached(|py| self.lock().wake.as_ref().map(|wake| wake.clone_ref(py)));
            wake.flatten().iter().for_each(call);
        }
    }

    /// How often it has rung.
    pub(crate) fn rings(&self) -> u64 {
        self.lock().rings
    }

    /// Waits for a ring after those that were `heard`, at most until `deadline`. Signals are handled
    /// meanwhile, so that the main thread can be interrupted.
    pub(crate) fn wait(
        &self,
        py: Python<'_>,
        heard: u64,
        deadline: Option<Instant>,
    ) -> PyResult<bool> {
        loop {
            py.check_signals()?;
            let rest = deadline.map(|at| at.saturating_duration_since(Instant::now()));
            // A signal does not wake a thread that waits like this, so that it looks now and then.
            let turn = rest.unwrap_or(SIGNAL_PAUSE).min(SIGNAL_PAUSE);
            let has_rung = py.detach(|| {
                let mut state = self.lock();
                if state.rings == heard {
                    state.sleepers += 1;
                    let waited = self.rung.wait_timeout(state, turn);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                    state.sleepers -= 1;
                }
                state.rings != heard
            });
            if has_rung || rest.is_some_and(|rest| rest.is_zero()) {
                return Ok(has_rung);
            }
        }
    }

    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(state) = self.state.try_lock() else { return Ok(()) };
        visit.call(&state.wake)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The same, and keeps the deadlines of a server meanwhile: where a session is fed by hand, nobody else does.
pub(crate) fn wait_or_tick(
    py: Python<'_>,
    bell: &Bell,
    core: &mcplite_core::Server,
    heard: u64,
    deadline: Option<Instant>,
) -> PyResult<bool> {
    loop {
        let next = core.timeout_ms().map(Duration::from_millis);
        let next = next.and_then(|next| Instant::now().checked_add(next));
        let until = next.into_iter().chain(deadline).min();
        if bell.wait(py, heard, until)? {
            return Ok(true);
        }
        if core.timeout_ms() == Some(0) {
            py.detach(|| core.tick());
        } else if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
            return Ok(false);
        }
    }
}

const SIGNAL_PAUSE: Duration = Duration::from_millis(100);

/// When a timeout in seconds is over; `None` for never.
pub(crate) fn deadline(timeout: Option<f64>) -> Option<Instant> {
    let timeout = Duration::try_from_secs_f64(timeout?.max(0.0)).ok()?;
    Instant::now().checked_add(timeout)
}
