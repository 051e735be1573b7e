//! Threads that run handlers.
//!
//! ```text
//!   event thread             keeper                     workers (0 to n, started when needed)
//!        │                      │                             │
//!        │ a handler waits      │                             │ wait, without the interpreter's lock
//!        ├── nobody works ──────┼────────────────────────────▶│ take the lock, run what waits
//!        ├── somebody works ───▶│ look every half             │ handler, handler, handler …
//!        │                      │ millisecond: has any        │
//!        │                      │ handler ended? if not ─────▶│ one more worker
//!        │                      │ keep deadlines              │
//! ```
//!
//! A worker that would wait drives the event loop of a listener instead, if there is one that nobody drives.
//!
//! Handlers share the interpreter's lock, so that a second thread is of use only while the first waits
//! for something else. While handlers end quickly one worker runs them all and keeps the lock between
//! them: handing it to and fro costs more than most handlers do.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use mcplite_core::{Attendant, Server};
use mcplite_serve::Helm;
use pyo3::prelude::*;

/// The threads of one server. Dropping it lets them go, each after the handler that it runs.
pub(crate) struct Pool {
    inner: Arc<Inner>,
    attendant: Option<Attendant>,
    process: u32,
}

struct Inner {
    core: Server,
    most: usize,
    state: Mutex<State>,
    /// For workers: there is work, or an end.
    called: Condvar,
    /// For the keeper: there is something to look at.
    noted: Condvar,
    /// For whoever waits for the end: a worker has left.
    left: Condvar,
    /// Workers that run handlers or look for them.
    active: AtomicUsize,
    /// A worker drives a loop. Changes with the state only.
    is_driving: AtomicBool,
    /// The keeper looks after handlers that wait while workers are at work.
    watching: AtomicBool,
    stopped: AtomicBool,
    ended: AtomicU64,
    /// Somebody has kept what workers are to be told to itself.
    is_held: AtomicBool,
}

std::thread_local! {
    /// The pool whose workers this thread tells later, by its address.
    static HELD: Cell<usize> = const { Cell::new(0) };
}

#[derive(Default)]
struct State {
    /// Workers that wait.
    idle: usize,
    /// Of those, how many were called.
    tickets: usize,
    /// Workers that have not left.
    present: usize,
    /// Those who wait until workers have ended their handlers.
    settlers: usize,
    /// Something the keeper has not looked at.
    news: bool,
    /// The loop to drive for those who have nothing else to do.
    helm: Option<Helm>,
}

/// How many handlers a worker runs before it counts them.
const STRETCH: usize = 4;
/// How long no handler may end before another worker helps.
const PATIENCE: Duration = Duration::from_micros(500);

impl Pool {
    pub(crate) fn new(core: &Server, most: usize) -> PyResult<Arc<Pool>> {
        let inner = Arc::new(Inner {
            core: core.clone(),
            most,
            state: Mutex::default(),
            called: Condvar::new(),
            noted: Condvar::new(),
            left: Condvar::new(),
            active: AtomicUsize::new(0),
            is_driving: AtomicBool::new(false),
            watching: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            ended: AtomicU64::new(0),
            is_held: AtomicBool::new(false),
        });
        let keeper = Arc::clone(&inner);
        thread::Builder::new().name("mcplite-keeper".into()).spawn(move || keeper.keep())?;
        let told = Arc::clone(&inner);
        let attendant = core.attend(Arc::new(move || told.tell()));
        Ok(Arc::new(Pool { inner, attendant: Some(attendant), process: std::process::id() }))
    }

    /// Threads do not survive a fork.
    pub(crate) fn is_of_this_process(&self) -> bool {
        self.process == std::process::id()
    }

    /// Has workers without work drive a loop; there is at least one from now on. Of several loops it is the
    /// last that came.
    pub(crate) fn lend_a_hand(&self, helm: &Helm) {
        let mut state = self.inner.lock();
        state.helm = Some(helm.clone());
        if state.present == 0 {
            // Also if it will never have a handler to run: what the loop tells Python costs less on a thread
            // that the interpreter knows.
            self.inner.add_worker(state);
        }
    }

    /// Whether a handler runs or waits.
    pub(crate) fn is_busy(&self) -> bool {
        self.inner.active.load(Ordering::SeqCst) > 0 || self.inner.core.waiting() > 0
    }

    /// Waits until no worker runs a handler, or until `deadline`.
    pub(crate) fn settle(&self, deadline: Instant) {
        self.settle_unless(deadline, || false);
    }

    fn settle_unless(&self, deadline: Instant, is_enough: impl Fn() -> bool) {
        let mut state = self.inner.lock();
        while self.inner.active.load(Ordering::SeqCst) > 0 && !is_enough() {
            let rest = deadline.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                return;
            }
            state.settlers += 1;
            let waited = self.inner.left.wait_timeout(state, rest);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            state.settlers -= 1;
        }
    }

    /// Runs code whose handlers are told to workers by [`Pool::release`]: a worker that wakes up while its
    /// caller has the interpreter could only wait for it.
    pub(crate) fn holding<T>(&self, code: impl FnOnce() -> T) -> T {
        struct Held(usize);
        impl Drop for Held {
            fn drop(&mut self) {
                HELD.set(self.0);
            }
        }
        let _held = Held(HELD.replace(self.inner.address()));
        code()
    }

    /// Tells workers what was held back.
    pub(crate) fn release(&self) {
        let waiting = self.inner.core.waiting();
        // More than one handler may have been held back, and the first may be one that does not end.
        if self.call_held() && waiting > 1 {
            self.inner.watch();
        }
    }

    /// The same, and waits until no worker runs a handler, until `deadline`, or until [`Pool::nudge`] finds
    /// that it is enough; says whether handlers are left. Whoever waits here watches as the keeper would.
    pub(crate) fn release_and_settle(
        &self,
        deadline: Instant,
        is_enough: impl Fn() -> bool,
    ) -> bool {
        self.call_held();
        self.settle_unless(deadline, is_enough);
        let is_active = self.inner.active.load(Ordering::SeqCst) > 0;
        if is_active && self.inner.core.waiting() > 0 {
            self.inner.watch();
        }
        is_active
    }

    fn call_held(&self) -> bool {
        let was_held = self.inner.is_held.swap(false, Ordering::SeqCst);
        if was_held {
            self.inner.tell();
        }
        was_held
    }

    /// Has those who wait for workers look whether it is enough. For workers, while they run handlers: one
    /// that is alone leaves it to its own end, which is near, and comes without the interpreter's lock.
    pub(crate) fn nudge(&self) {
        if self.inner.active.load(Ordering::SeqCst) > 1 {
            drop(self.inner.tell_settlers(self.inner.lock()));
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.inner.stop();
        drop(self.attendant.take());
    }
}

impl Inner {
    /// Handlers may wait, or the next deadline came nearer.
    fn tell(self: &Arc<Inner>) {
        if HELD.get() == self.address() {
            return self.is_held.store(true, Ordering::SeqCst);
        }
        if self.active.load(Ordering::SeqCst) == 0 || self.is_driving.load(Ordering::SeqCst) {
            self.call_worker();
        } else {
            self.watch();
        }
        // Whoever works looks once more before it rests, and the keeper after that.
    }

    /// Has the keeper look whether handlers wait for one that does not end.
    fn watch(&self) {
        if !self.watching.swap(true, Ordering::SeqCst) {
            self.note();
        }
    }

    /// Calls one more worker, if there is work.
    fn call_worker(self: &Arc<Inner>) {
        let mut state = self.lock();
        if self.core.waiting() == 0 {
            drop(state);
            // Handlers on a loop of Python's are none of the keeper's business, if they have no deadline.
            if self.core.timeout_ms().is_some() {
                self.note();
            }
            return;
        }
        if state.tickets > 0 {
            return;
        }
        if let Some(helm) = &state.helm {
            if self.is_driving.load(Ordering::SeqCst) {
                return helm.call_away();
            }
            if self.active.load(Ordering::SeqCst) == 0 {
                // Who is called now will drive as soon as it has done what waits.
                helm.call_away();
            }
        }
        if state.idle > 0 {
            state.tickets += 1;
            self.active.fetch_add(1, Ordering::SeqCst);
            drop(state);
            self.called.notify_one();
        } else if state.present < self.most && !self.stopped.load(Ordering::SeqCst) {
            self.add_worker(state);
        }
    }

    fn add_worker(self: &Arc<Inner>, mut state: MutexGuard<'_, State>) {
        state.present += 1;
        self.active.fetch_add(1, Ordering::SeqCst);
        drop(state);
        let inner = Arc::clone(self);
        let thread = thread::Builder::new().name("mcplite-worker".into());
        let started = thread.spawn(move || {
            // One state of the interpreter for the whole life of the thread. While the interpreter ends
            // there is none, and nothing to do either.
            Python::try_attach(|py| inner.work(py));
            inner.leave();
        });
        if started.is_err() {
            self.leave();
        }
    }

    fn work(self: &Arc<Inner>, py: Python<'_>) {
        loop {
            while !self.stopped.load(Ordering::SeqCst) {
                match self.core.run(STRETCH) {
                    Ok(ran) if ran > 0 => self.ended.fetch_add(1, Ordering::Relaxed),
                    _ => break,
                };
            }
            if !py.detach(|| self.rest()) {
                return;
            }
        }
    }

    /// Waits to be called; says whether to go on.
    fn rest(&self) -> bool {
        let mut state = self.lock();
        self.active.fetch_sub(1, Ordering::SeqCst);
        // Who came while this worker was active has left it to this look.
        if self.core.waiting() > 0 && !self.stopped.load(Ordering::SeqCst) {
            self.active.fetch_add(1, Ordering::SeqCst);
            return true;
        }
        state.idle += 1;
        state = self.tell_settlers(state);
        state.idle -= 1;
        while state.tickets == 0 && !self.stopped.load(Ordering::SeqCst) {
            if let Some(helm) = state.helm.clone()
                && !self.is_driving.swap(true, Ordering::SeqCst)
            {
                drop(state);
                let drove = helm.drive();
                state = self.lock();
                self.is_driving.store(false, Ordering::SeqCst);
                if self.core.waiting() > 0 {
                    break;
                }
                if drove || state.tickets > 0 || self.stopped.load(Ordering::SeqCst) {
                    continue;
                }
            }
            state.idle += 1;
            state = self.called.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
        if state.tickets > 0 {
            state.tickets -= 1;
        } else {
            self.active.fetch_add(1, Ordering::SeqCst);
        }
        !self.stopped.load(Ordering::SeqCst)
    }

    /// A worker that was counted among the active is gone.
    fn leave(&self) {
        let mut state = self.lock();
        state.present -= 1;
        self.active.fetch_sub(1, Ordering::SeqCst);
        drop(self.tell_settlers(state));
    }

    /// Wakes whoever waits for workers, if there is anybody. Not under the lock, which they need first.
    fn tell_settlers<'s>(&'s self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        if state.settlers == 0 {
            return state;
        }
        drop(state);
        self.left.notify_all();
        self.lock()
    }

    /// What tells one pool from another.
    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    fn note(&self) {
        self.lock().news = true;
        self.noted.notify_one();
    }

    /// Keeps deadlines, and calls for help when handlers wait for one that does not end.
    fn keep(self: &Arc<Inner>) {
        let mut before = self.ended.load(Ordering::Relaxed);
        while !self.stopped.load(Ordering::SeqCst) {
            if self.core.timeout_ms() == Some(0) {
                self.core.tick();
            }
            if self.watching.load(Ordering::SeqCst) {
                if self.core.waiting() == 0 {
                    self.watching.store(false, Ordering::SeqCst);
                    // Who came in between has seen that somebody watches.
                    if self.core.waiting() == 0 {
                        continue;
                    }
                    self.watching.store(true, Ordering::SeqCst);
                }
                self.wait_for_news(Some(PATIENCE));
                let ended = self.ended.load(Ordering::Relaxed);
                if ended == before {
                    self.call_worker();
                }
                before = ended;
            } else {
                self.wait_for_news(self.core.timeout_ms().map(Duration::from_millis));
            }
        }
    }

    fn wait_for_news(&self, timeout: Option<Duration>) {
        let mut state = self.lock();
        if !state.news && !self.stopped.load(Ordering::SeqCst) {
            state = match timeout {
                Some(timeout) => {
                    let waited = self.noted.wait_timeout(state, timeout);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.noted.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
        state.news = false;
    }

    fn stop(&self) {
        let mut state = self.lock();
        self.stopped.store(true, Ordering::SeqCst);
        self.called.notify_all();
        self.noted.notify_all();
        if let Some(helm) = state.helm.take() {
            helm.call_away();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
