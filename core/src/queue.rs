//! Calls that wait for the host: for its thread, or for its hands.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::call::{Call, OnCancel};
use crate::wake::{Bell, Wake};

/// The two queues of a server.
#[derive(Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    bell: Bell,
    /// How many jobs are stalled, for whoever takes output, which is often.
    stalled_count: AtomicUsize,
    /// Who runs handlers on the host's behalf, each with its bell.
    attendants: Mutex<Arc<Vec<Attending>>>,
    attendant_count: AtomicUsize,
}

/// Whoever runs handlers on the host's behalf.
type Attending = (u64, Arc<Bell>);

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    calls: VecDeque<Call>,
    /// Jobs whose client does not take its output: they would only add to it.
    stalled: VecDeque<Job>,
    /// Calls cancelled since the queues were last looked through.
    stale: usize,
    abandoned: bool,
}

/// The host's code that waits for its thread.
pub(crate) enum Job {
    Run(Call),
    Cancel(OnCancel),
}

impl Queue {
    pub(crate) fn push_job(&self, job: Job) {
        self.push(|state| state.jobs.push_back(job));
    }

    pub(crate) fn push_call(&self, call: Call) {
        self.push(|state| state.calls.push_back(call));
    }

    pub(crate) fn pop_job(&self) -> Option<Job> {
        self.state().jobs.pop_front()
    }

    /// Puts a job aside until its client has taken output.
    pub(crate) fn stall(&self, job: Job) {
        let mut state = self.state();
        state.stalled.push_back(job);
        self.stalled_count.store(state.stalled.len(), Ordering::SeqCst);
    }

    /// Puts what was stalled back in front, if there is anything; says whether there was.
    #[inline]
    pub(crate) fn resume(&self) -> bool {
        self.has_stalled() && self.resume_stalled()
    }

    #[inline]
    pub(crate) fn has_stalled(&self) -> bool {
        self.stalled_count.load(Ordering::SeqCst) != 0
    }

    #[cold]
    fn resume_stalled(&self) -> bool {
        let mut state = self.state();
        self.stalled_count.store(0, Ordering::SeqCst);
        let mut jobs = std::mem::take(&mut state.stalled);
        jobs.append(&mut state.jobs);
        state.jobs = jobs;
        true
    }

    pub(crate) fn pop_call(&self) -> Option<Call> {
        self.state().calls.pop_front()
    }

    pub(crate) fn has_calls(&self) -> bool {
        !self.state().calls.is_empty()
    }

    pub(crate) fn waiting(&self) -> usize {
        self.state().jobs.len()
    }

    /// So many calls were cancelled, some of them perhaps while they waited. Lets go of those once they
    /// may be as many as the rest, so that a cancellation costs little however many wait.
    pub(crate) fn note_cancelled(&self, count: usize) {
        let gone = {
            let mut state = self.state();
            state.stale += count;
            if state.stale * 2 < state.jobs.len() + state.calls.len() + state.stalled.len() {
                return;
            }
            let gone = state.take_cancelled();
            self.stalled_count.store(state.stalled.len(), Ordering::SeqCst);
            gone
        };
        // Dropped when the lock is free: the last holder of a call runs more than a destructor.
        drop(gone);
    }

    /// Nobody is left who could run or take anything: lets go of all that waits or will wait.
    pub(crate) fn abandon(&self) {
        let waiting =
            std::mem::replace(&mut *self.state(), State { abandoned: true, ..State::default() });
        drop(waiting);
        self.set_wake(None);
    }

    pub(crate) fn set_wake(&self, wake: Option<Wake>) {
        self.bell.set(wake);
    }

    /// Tells the host that something waits, or that the next deadline came nearer.
    pub(crate) fn ring(&self) {
        self.bell.ring();
        self.ring_attendants();
    }

    /// Tells those who run handlers on the host's behalf only.
    pub(crate) fn ring_attendants(&self) {
        if self.is_attended() {
            // A snapshot, since a bell runs code that may come back here.
            let attending = Arc::clone(&self.attendants());
            attending.iter().for_each(|(_, bell)| bell.ring());
        }
    }

    pub(crate) fn add_attendant(&self, token: u64, wake: Wake) {
        let bell = Arc::new(Bell::default());
        bell.set(Some(wake));
        Arc::make_mut(&mut self.attendants()).push((token, bell));
        self.attendant_count.fetch_add(1, Ordering::SeqCst);
    }

    /// Takes an attendant away; what it left must be dropped when no lock is held.
    pub(crate) fn remove_attendant(&self, token: u64) -> Option<Arc<Bell>> {
        let mut attendants = self.attendants();
        let place = attendants.iter().position(|(own, _)| *own == token)?;
        let (_, bell) = Arc::make_mut(&mut attendants).swap_remove(place);
        self.attendant_count.fetch_sub(1, Ordering::SeqCst);
        Some(bell)
    }

    /// Whether somebody runs handlers on the host's behalf.
    pub(crate) fn is_attended(&self) -> bool {
        self.attendant_count.load(Ordering::SeqCst) > 0
    }

    fn push(&self, push: impl FnOnce(&mut State)) {
        {
            let mut state = self.state();
            if state.abandoned {
                // What `push` holds is dropped at the end of this function, when the lock is free.
                drop(state);
                return;
            }
            push(&mut state);
        }
        self.ring();
    }

    fn attendants(&self) -> MutexGuard<'_, Arc<Vec<Attending>>> {
        self.attendants.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take_cancelled(&mut self) -> (VecDeque<Job>, VecDeque<Job>, VecDeque<Call>) {
        let is_gone = |job: &Job| matches!(job, Job::Run(call) if call.is_cancelled());
        let (gone_jobs, jobs) = std::mem::take(&mut self.jobs).into_iter().partition(is_gone);
        let stalled = std::mem::take(&mut self.stalled).into_iter();
        let (gone_stalled, stalled) = stalled.partition(is_gone);
        let calls = std::mem::take(&mut self.calls).into_iter();
        let (gone_calls, calls) = calls.partition(Call::is_cancelled);
        (self.jobs, self.stalled, self.calls, self.stale) = (jobs, stalled, calls, 0);
        (gone_jobs, gone_stalled, gone_calls)
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Queue")
    }
}
