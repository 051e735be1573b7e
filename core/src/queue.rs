//! Calls that wait for the host: for its thread, or for its hands.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::call::{Call, OnCancel};
use crate::wake::{Bell, Wake};

/// The two queues of a server.
#[derive(Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    bell: Bell,
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

    /// Lets go of calls that were cancelled while they waited. They would keep the server alive, which
    /// owns this queue.
    pub(crate) fn forget_cancelled(&self) {
        let gone = {
            let mut state = self.state();
            let jobs = std::mem::take(&mut state.jobs).into_iter();
            let is_gone = |job: &Job| matches!(job, Job::Run(call) if call.is_cancelled());
            let (gone_jobs, jobs): (VecDeque<_>, _) = jobs.partition(is_gone);
            let calls = std::mem::take(&mut state.calls).into_iter();
            let (gone_calls, calls): (VecDeque<_>, _) = calls.partition(Call::is_cancelled);
            *state = State { jobs, calls };
            (gone_jobs, gone_calls)
        };
        // Dropped when the lock is free: the last holder of a call runs more than a destructor.
        drop(gone);
    }

    pub(crate) fn set_wake(&self, wake: Option<Wake>) {
        self.bell.set(wake);
    }

    /// Tells the host that something waits, or that the next deadline came nearer.
    pub(crate) fn ring(&self) {
        self.bell.ring();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Queue")
    }
}
