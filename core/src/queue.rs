//! Calls that wait for the host: for its thread, or for its hands.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::call::{Call, OnCancel};
use crate::lane::Wake;

/// The two queues of a server.
#[derive(Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    wake: Mutex<Option<Wake>>,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    calls: VecDeque<Call>,
}

/// The host's code that waits for its thread.
pub(crate) enum Job {
    Run(Call),
    Cancel(OnCancel),
}

impl Queue {
    pub(crate) fn push_job(&self, job: Job) {
        self.state().jobs.push_back(job);
        self.ring();
    }

    pub(crate) fn push_call(&self, call: Call) {
        self.state().calls.push_back(call);
        self.ring();
    }

    pub(crate) fn pop_job(&self) -> Option<Job> {
        self.state().jobs.pop_front()
    }

    pub(crate) fn pop_call(&self) -> Option<Call> {
        self.state().calls.pop_front()
    }

    pub(crate) fn waiting(&self) -> usize {
        self.state().jobs.len()
    }

    /// Lets go of everything that waits.
    pub(crate) fn clear(&self) {
        let waiting = std::mem::take(&mut *self.state());
        drop(waiting);
    }

    pub(crate) fn set_wake(&self, wake: Option<Wake>) {
        let old = std::mem::replace(&mut *self.wake_slot(), wake);
        drop(old);
    }

    /// Tells the host that something waits, or that the next deadline came nearer.
    pub(crate) fn ring(&self) {
        let wake = self.wake_slot().as_ref().map(Arc::clone);
        if let Some(wake) = wake {
            wake();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake_slot(&self) -> MutexGuard<'_, Option<Wake>> {
        self.wake.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Queue")
    }
}
