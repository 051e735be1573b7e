//! Waking tasks of the loop from threads that are not driving it.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Waker};

use super::bell::Bell;

/// Collects who is to be woken until somebody drives.
///
/// To wake a task from outside of its runtime costs a system call each time, and mostly nobody sleeps: who
/// answers a call has let go of the wheel to run its handler, and takes it again afterwards.
#[derive(Debug, Default)]
pub(crate) struct Switchboard {
    waiting: Mutex<Vec<Waker>>,
    is_driven: AtomicBool,
    /// For whoever drives: there is something here, or they are called away.
    pub(crate) bell: Bell,
}

thread_local! {
    /// Whether this thread drives a loop: there, waking a task only puts it in line.
    static DRIVES: Cell<bool> = const { Cell::new(false) };
}

/// A thread drives while one lives.
#[derive(Debug)]
pub(crate) struct Driving<'s>(&'s Switchboard);

impl Switchboard {
    /// Rings the bell of a task of this loop.
    pub(crate) fn ring(&self, bell: &Bell) {
        bell.ring_by(|waker| {
            if DRIVES.get() {
                waker.wake_by_ref();
            } else {
                self.waiting().push(waker.clone());
                // Whoever begins to drive after this look finds the waker there.
                if self.is_driven.load(Ordering::SeqCst) {
                    self.bell.ring();
                }
            }
        });
    }

    /// This thread begins to drive.
    pub(crate) fn drive(&self) -> Driving<'_> {
        self.is_driven.store(true, Ordering::SeqCst);
        DRIVES.set(true);
        Driving(self)
    }

    /// To be called by whoever drives, whenever it is polled.
    pub(crate) fn hear(&self, cx: &Context<'_>) {
        self.bell.hear(cx);
        let mut waiting = self.waiting();
        if !waiting.is_empty() {
            // Woken without the lock: what a task does then may come back here.
            let wakers = std::mem::take(&mut *waiting);
            drop(waiting);
            wakers.iter().for_each(Waker::wake_by_ref);
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Waker>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Driving<'_> {
    fn drop(&mut self) {
        DRIVES.set(false);
        self.0.is_driven.store(false, Ordering::SeqCst);
    }
}
