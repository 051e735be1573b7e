//! The threads that run handlers.

use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use mcplite_core::Error;

/// What has handlers to run.
pub(crate) trait Work: Debug + Send + Sync {
    /// How many wait.
    fn waiting(&self) -> usize;

    /// Runs at most so many of them; says how many there were.
    fn run(&self, max: usize) -> Result<usize, Error>;

    /// Does for the loop what a worker can that has none to run, until it is called away; gives false, at
    /// once, if there is nothing of the kind.
    fn stand_in(&self) -> bool;

    /// Ends that on whatever thread, also on one that is about to begin.
    fn call_away(&self);
}

/// Tells workers that handlers wait, and when to stop.
#[derive(Debug)]
pub(crate) struct Crew {
    work: Box<dyn Work>,
    state: Mutex<State>,
    rung: Condvar,
    left: Condvar,
    stopped: AtomicBool,
    /// Handlers wait, and the workers have not been told.
    due: AtomicBool,
    /// The workers will be told later, of many handlers at once.
    holding: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    /// How often the workers were told.
    rings: u64,
    /// Workers that wait to be told.
    idle: usize,
    /// A worker stands in for the event thread.
    stands_in: bool,
    /// Workers that run handlers.
    at_work: usize,
    /// Workers that have not left yet.
    present: usize,
}

/// How many handlers a worker runs before it looks whether it is to stop.
const STRETCH: usize = 8;

impl Crew {
    pub(crate) fn new(work: impl Work + 'static) -> Crew {
        Crew {
            work: Box::new(work),
            // Something may wait already: the first look is free.
            state: Mutex::new(State { rings: 1, ..State::default() }),
            rung: Condvar::new(),
            left: Condvar::new(),
            stopped: AtomicBool::new(false),
            due: AtomicBool::new(false),
            holding: AtomicBool::new(false),
        }
    }

    /// Handlers may wait.
    pub(crate) fn tell(&self) {
        // Before the look at `holding`, so that either this thread or the one that holds passes it on. Mostly it
        // is set already, and to look costs less than to set it again.
        if !self.due.load(Ordering::SeqCst) {
            self.due.store(true, Ordering::SeqCst);
        }
        if !self.holding.load(Ordering::SeqCst) {
            self.pass_on();
        }
    }

    /// From now on workers are told only by [`Crew::pass_on`] and [`Crew::release`].
    pub(crate) fn hold(&self) {
        // A thread that does not see it yet tells them itself.
        self.holding.store(true, Ordering::Release);
    }

    pub(crate) fn release(&self) {
        self.holding.store(false, Ordering::SeqCst);
        self.pass_on();
    }

    /// Tells workers of what `code` has for them only when it is done, however it ends.
    #[cfg(feature = "http")]
    pub(crate) fn holding<T>(&self, code: impl FnOnce() -> T) -> T {
        struct Released<'c>(&'c Crew);
        impl Drop for Released<'_> {
            fn drop(&mut self) {
                self.0.release();
            }
        }
        self.hold();
        let _released = Released(self);
        code()
    }

    /// Tells the workers, if there is something that they have not been told.
    pub(crate) fn pass_on(&self) {
        if self.due.load(Ordering::SeqCst) && self.due.swap(false, Ordering::SeqCst) {
            let (idle, stands_in, at_work) = {
                let mut state = self.lock();
                state.rings += 1;
                (state.idle, state.stands_in, state.at_work)
            };
            let mut waiting = self.work.waiting();
            if waiting > 0 && (stands_in || idle > 0 && at_work == 0) {
                // Also the event thread itself: the worker that is told will stand in for it.
                self.work.call_away();
                waiting -= usize::from(stands_in);
            }
            // One worker for each handler. Later ones ring again, so that none is waited for in vain.
            // Without the lock, which is the first thing that a worker needs.
            for _ in 0..idle.min(waiting) {
                self.rung.notify_one();
            }
        }
    }

    /// Runs handlers on this thread until the crew is stopped.
    pub(crate) fn work(&self) {
        let mut heard = 0;
        let mut state = self.lock();
        while self.wait(state, &mut heard) {
            while !self.is_stopped() && self.run_some() {}
            state = self.lock();
            state.at_work -= 1;
        }
    }

    /// Runs handlers that wait; says whether there may be more. If so many were not there, whatever comes
    /// rings. What panics, such as a destructor of the host's, must not cost a worker.
    fn run_some(&self) -> bool {
        let ran = catch_unwind(AssertUnwindSafe(|| self.work.run(STRETCH)));
        ran.map_or(true, |ran| ran.is_ok_and(|ran| ran >= STRETCH))
    }

    /// No handler starts any more, except those that a worker is just taking.
    pub(crate) fn stop(&self) {
        let state = self.lock();
        self.stopped.store(true, Ordering::SeqCst);
        self.rung.notify_all();
        drop(state);
        self.work.call_away();
    }

    /// Counts a worker, from before its thread starts until the end of it.
    pub(crate) fn enter(&self) {
        self.lock().present += 1;
    }

    pub(crate) fn leave(&self) {
        self.lock().present -= 1;
        self.left.notify_all();
    }

    /// Waits until every worker has left, or until `deadline`. Says whether they have.
    pub(crate) fn wait_for_all(&self, deadline: Instant) -> bool {
        let mut state = self.lock();
        while state.present > 0 {
            let rest = deadline.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                return false;
            }
            let waited = self.left.wait_timeout(state, rest);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// Waits until there was a ring that this worker has not heard; says whether to go on.
    fn wait<'c>(&'c self, mut state: MutexGuard<'c, State>, heard: &mut u64) -> bool {
        while state.rings == *heard && !self.is_stopped() {
            if !state.stands_in {
                state.stands_in = true;
                drop(state);
                let stood_in = self.work.stand_in();
                state = self.lock();
                state.stands_in = false;
                if stood_in {
                    continue;
                }
            }
            if state.rings == *heard && !self.is_stopped() {
                state.idle += 1;
                state = self.rung.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.idle -= 1;
            }
        }
        *heard = state.rings;
        let goes_on = !self.is_stopped();
        state.at_work += usize::from(goes_on);
        goes_on
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
