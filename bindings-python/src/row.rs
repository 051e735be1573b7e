//! Requests that wait on an event loop of Python's, and are told together.
//!
//! ```text
//!   the loop                                        a worker
//!   request, request, request: a future each
//!   turn: lets go of the interpreter ─────────────▶ handler, handler, handler
//!         futures are done ◀─────────────────────── nothing is left
//! ```
//!
//! Most handlers take less time than it takes a thread to wake the loop. So the loop stands still for a
//! moment when it has read what there was to read, and takes the answers of all of them along. After a
//! moment that was in vain the loop does without for a while, and is woken.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use mcplite_core::Wake;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};

use crate::attached::{attached, invoke_with};
use crate::pool::Pool;

/// How long the loop may stand still for answers.
const MOMENT: Duration = Duration::from_micros(200);
/// For how many requests it does not after that was in vain.
pub(crate) const PAUSE: usize = 8;

/// Those who wait on one loop.
pub(crate) struct Row {
    thread: ThreadId,
    pool: Weak<Pool>,
    create_future: Py<PyAny>,
    call_soon: Py<PyAny>,
    call_soon_threadsafe: Py<PyAny>,
    turn: Py<Turn>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// How many turns there were.
    turns: u64,
    /// Those who began to wait since the last turn, and were not told of anything yet.
    fresh: usize,
    /// Whom to tell.
    rung: Vec<Weak<Waiter>>,
    /// A turn is due.
    is_due: bool,
    /// For how many requests the loop is not to stand still.
    pause: usize,
    /// Those who began to wait since the last look, and since the one before it.
    young: Vec<Weak<Waiter>>,
    old: Vec<Weak<Waiter>>,
    /// Somebody looks now and then.
    is_watched: bool,
}

/// Somebody who waits: a future, which is done as soon as there is something to look at.
pub(crate) struct Waiter {
    row: Arc<Row>,
    /// The turn before which it began to wait.
    turn: u64,
    is_rung: AtomicBool,
    future: Mutex<Option<Py<PyAny>>>,
}

/// What the loop calls. Holds nothing, so that the row can hold it.
#[pyclass(frozen, module = "mcplite._native")]
struct Turn(OnceLock<Weak<Row>>);

#[pymethods]
impl Turn {
    fn __call__(&self, py: Python<'_>) {
        if let Some(row) = self.0.get().and_then(Weak::upgrade) {
            row.turn(py);
        }
    }
}

impl Row {
    pub(crate) fn new(event_loop: &Bound<'_, PyAny>, pool: Weak<Pool>) -> PyResult<Arc<Row>> {
        let py = event_loop.py();
        let turn = Py::new(py, Turn(OnceLock::new()))?;
        let method = |name: &str| event_loop.getattr(name).map(Bound::unbind);
        let row = Arc::new(Row {
            thread: thread::current().id(),
            pool,
            create_future: method("create_future")?,
            call_soon: method("call_soon")?,
            call_soon_threadsafe: method("call_soon_threadsafe")?,
            turn: turn.clone_ref(py),
            state: Mutex::default(),
        });
        // It was empty.
        drop(turn.get().0.set(Arc::downgrade(&row)));
        Ok(row)
    }

    pub(crate) fn pool(&self) -> Option<Arc<Pool>> {
        self.pool.upgrade()
    }

    /// Somebody begins to wait, and is to be told by what is given. Says whether somebody has to look now
    /// and then from now on.
    pub(crate) fn enter<'py>(
        self: &Arc<Row>,
        py: Python<'py>,
        connect: impl FnOnce(&Arc<Waiter>),
    ) -> PyResult<(Bound<'py, PyAny>, bool)> {
        let future = self.create_future.bind(py).call0()?;
        let pool = self.pool();
        let is_busy = pool.as_ref().is_some_and(|pool| pool.is_busy());
        let (waiter, takes_turn, is_due, is_first) = {
            let mut state = self.lock();
            let waiter = Arc::new(Waiter {
                row: Arc::clone(self),
                turn: state.turns,
                is_rung: AtomicBool::new(false),
                future: Mutex::new(Some(future.clone().unbind())),
            });
            state.fresh += 1;
            state.young.push(Arc::downgrade(&waiter));
            let is_paused = state.pause > 0;
            state.pause = state.pause.saturating_sub(1);
            let takes_turn = is_busy && !is_paused && !state.is_due;
            state.is_due |= takes_turn;
            let is_first = !std::mem::replace(&mut state.is_watched, true);
            (waiter, takes_turn, state.is_due, is_first)
        };
        if takes_turn {
            // After all that the loop has to do now, which may be more requests.
            self.call_soon.bind(py).call1((&self.turn,))?;
        }
        if !is_due {
            pool.iter().for_each(|pool| pool.release());
        }
        connect(&waiter);
        Ok((future, is_first))
    }

    /// Lets handlers have the interpreter until they have ended, for a moment.
    pub(crate) fn lend(
        &self,
        py: Python<'_>,
        pool: &Pool,
        is_enough: impl Fn() -> bool + Send + Sync,
    ) {
        let is_in_vain = py.detach(|| {
            pool.release_and_settle(Instant::now() + MOMENT, &is_enough) && !is_enough()
        });
        if is_in_vain {
            self.lock().pause = PAUSE;
        }
    }

    /// Whether the last moment was in vain, not long ago.
    pub(crate) fn is_paused(&self) -> bool {
        let mut state = self.lock();
        let is_paused = state.pause > 0;
        state.pause = state.pause.saturating_sub(1);
        is_paused
    }

    /// Tells everybody who has something to look at, and perhaps waits for a moment before.
    fn turn(&self, py: Python<'_>) {
        let waits = |state: &State| state.fresh > 0 && state.pause == 0;
        match self.pool() {
            Some(pool) if waits(&self.lock()) && pool.is_busy() => {
                self.lend(py, &pool, || self.lock().fresh == 0);
            }
            pool => pool.iter().for_each(|pool| pool.release()),
        }
        let rung = {
            let mut state = self.lock();
            (state.turns, state.fresh, state.is_due) = (state.turns + 1, 0, false);
            std::mem::take(&mut state.rung)
        };
        rung.iter().filter_map(Weak::upgrade).for_each(|waiter| waiter.end(py));
    }

    /// There is something to look at. Runs on any thread.
    fn ring(&self, waiter: &Arc<Waiter>) {
        let is_here = thread::current().id() == self.thread;
        let (is_enough, is_due) = {
            let mut state = self.lock();
            if waiter.turn == state.turns {
                state.fresh = state.fresh.saturating_sub(1);
            }
            if !is_here {
                state.rung.push(Arc::downgrade(waiter));
            }
            let is_due = state.is_due;
            state.is_due |= !is_here;
            (state.fresh == 0, is_due)
        };
        if is_here {
            attached(|py| waiter.end(py));
        } else if !is_due {
            // If the loop is closed, nobody waits any more.
            attached(|py| drop(invoke_with(self.call_soon_threadsafe.bind(py), &self.turn)));
        } else if is_enough {
            self.pool().iter().for_each(|pool| pool.nudge());
        }
    }

    /// Lets those go on who have waited since the look before the last: they see to it themselves from
    /// now on. Says whether anybody is left to be looked after.
    pub(crate) fn look(&self, py: Python<'_>) -> bool {
        let is_waiting = |waiter: &Weak<Waiter>| waiter.upgrade().is_some_and(|it| !it.is_rung());
        let (old, is_watched) = {
            let mut state = self.lock();
            let mut young = std::mem::take(&mut state.young);
            young.retain(is_waiting);
            state.is_watched = !young.is_empty();
            (std::mem::replace(&mut state.old, young), state.is_watched)
        };
        old.iter().filter(|it| is_waiting(it)).filter_map(Weak::upgrade).for_each(|it| it.end(py));
        is_watched
    }

    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.create_future)?;
        visit.call(&self.call_soon)?;
        visit.call(&self.call_soon_threadsafe)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Row {
    fn drop(&mut self) {
        // A loop that has ended before its turn leaves handlers to those who run them.
        self.pool().iter().for_each(|pool| pool.release());
    }
}

impl Waiter {
    /// What to hand to the engine.
    pub(crate) fn wake(self: &Arc<Waiter>) -> Wake {
        let waiter = Arc::clone(self);
        Arc::new(move || {
            if !waiter.is_rung.swap(true, Ordering::SeqCst) {
                waiter.row.ring(&waiter);
            }
        })
    }

    /// Ends the wait, on the thread of the loop.
    fn end(&self, py: Python<'_>) {
        if let Some(future) = self.leave() {
            // Refused by a future that was cancelled, whose request knows already.
            drop(future.bind(py).call_method1(intern!(py, "set_result"), (py.None(),)));
        }
    }

    /// Nobody waits any more.
    pub(crate) fn leave(&self) -> Option<Py<PyAny>> {
        self.future.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn is_rung(&self) -> bool {
        self.is_rung.load(Ordering::SeqCst)
    }

    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(future) = self.future.try_lock() else { return Ok(()) };
        visit.call(&*future)
    }
}
