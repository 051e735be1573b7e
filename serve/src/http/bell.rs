//! Waking a task from any thread.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Waker};

/// Wakes one task. Rings are counted as one until the task has heard.
#[derive(Debug, Default)]
pub(crate) struct Bell {
    waker: Mutex<Option<Waker>>,
    rung: AtomicBool,
}

impl Bell {
    /// To be called by the task whenever it is polled, before it looks at what others may have changed.
    pub(crate) fn hear(&self, cx: &Context<'_>) {
        let mut waker = self.waker();
        if !waker.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            *waker = Some(cx.waker().clone());
        }
        drop(waker);
        self.rung.store(false, Ordering::SeqCst);
    }

    /// Whatever the task is to find must be visible before.
    pub(crate) fn ring(&self) {
        self.ring_by(Waker::wake_by_ref);
    }

    /// The same, where somebody else sees to it that the task is woken.
    pub(crate) fn ring_by(&self, wake: impl FnOnce(&Waker)) {
        if !self.rung.swap(true, Ordering::SeqCst)
            && let Some(waker) = &*self.waker()
        {
            wake(waker);
        }
    }

    fn waker(&self) -> MutexGuard<'_, Option<Waker>> {
        self.waker.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
