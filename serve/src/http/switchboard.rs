//! Which tasks of the loop are to be polled.

use std::cell::Cell;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Waker};

/// Collects whose bells were rung until somebody drives.
///
/// To get a loop out of its sleep costs a system call, and mostly nobody sleeps: who answers a call has let go of
/// the wheel to run its handler, and takes it again afterwards.
#[derive(Debug, Default)]
pub(crate) struct Switchboard(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    rung: Vec<u64>,
    /// Wakes whoever drives.
    waker: Option<Waker>,
    /// It was woken, and has not come yet.
    is_woken: bool,
}

thread_local! {
    /// Whose tasks this thread polls, or 0.
    static POLLED: Cell<usize> = const { Cell::new(0) };
}

/// A thread drives while one lives.
#[derive(Debug)]
pub(crate) struct Driving<'s>(&'s Switchboard);

impl Switchboard {
    /// The bell of a task was rung.
    pub(crate) fn add(&self, task: u64) {
        let mut state = self.lock();
        state.rung.push(task);
        state.wake();
    }

    /// Has whoever drives look up. On their own thread they are about to.
    pub(crate) fn wake(&self) {
        if POLLED.get() != self.place() {
            self.lock().wake();
        }
    }

    /// This thread begins to drive.
    pub(crate) fn drive(&self) -> Driving<'_> {
        Driving(self)
    }

    /// What tells it from others.
    fn place(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn wake(&mut self) {
        // Whoever begins to drive later looks first.
        if !self.is_woken
            && let Some(waker) = &self.waker
        {
            self.is_woken = true;
            waker.wake_by_ref();
        }
    }
}

impl Driving<'_> {
    /// Runs `code`, which polls tasks. Afterwards the thread looks whether it is called away.
    pub(crate) fn polling<T>(&self, code: impl FnOnce() -> T) -> T {
        struct Polled;
        impl Drop for Polled {
            fn drop(&mut self) {
                POLLED.set(0);
            }
        }
        POLLED.set(self.0.place());
        let _polled = Polled;
        code()
    }

    /// To be called by whoever drives, whenever it is polled: puts the tasks that were rung for into `rung`, if
    /// that is empty. Says whether it has to come back for them in any case.
    pub(crate) fn hear(&self, cx: &Context<'_>, rung: &mut Vec<u64>) -> bool {
        let mut state = self.0.lock();
        if !state.waker.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            state.waker = Some(cx.waker().clone());
        }
        state.is_woken = false;
        let is_behind = !rung.is_empty();
        if !is_behind {
            std::mem::swap(&mut state.rung, rung);
        }
        is_behind
    }
}

impl Drop for Driving<'_> {
    fn drop(&mut self) {
        let waker = self.0.lock().waker.take();
        drop(waker);
    }
}
