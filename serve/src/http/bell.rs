//! Having a task of the loop polled, from any thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Wake;

use super::switchboard::Switchboard;

/// Rings for one task. Rings are counted as one until the task has heard. It is also what wakes the task
/// when there is something to read or to write.
#[derive(Debug)]
pub(crate) struct Bell {
    task: u64,
    rung: AtomicBool,
    switchboard: Arc<Switchboard>,
}

impl Bell {
    pub(crate) fn new(task: u64, switchboard: &Arc<Switchboard>) -> Arc<Bell> {
        let rung = AtomicBool::new(false);
        Arc::new(Bell { task, rung, switchboard: Arc::clone(switchboard) })
    }

    /// Whatever the task is to find must be visible before.
    pub(crate) fn ring(&self) {
        if !self.rung.swap(true, Ordering::SeqCst) {
            self.switchboard.add(self.task);
        }
    }

    /// To be called whenever the task is polled, before it looks at what others may have changed; says whether
    /// somebody has rung.
    pub(crate) fn hear(&self) -> bool {
        // In one step, so that what was visible to those who found it rung is visible from here on.
        self.rung.load(Ordering::SeqCst) && self.rung.swap(false, Ordering::SeqCst)
    }

    pub(crate) fn task(&self) -> u64 {
        self.task
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.ring();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.ring();
    }
}
