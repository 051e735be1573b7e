//! Running handlers: now, later on a thread of the host's, or when their client has taken its output.

use std::sync::Arc;

use crate::call::{Bound, Call, OnCancel};
use crate::failure::Failure;
use crate::hooks::guarded;
use crate::kind::ErrorKind;
use crate::options::Dispatch;
use crate::queue::Job;
use crate::registry::Catalog;
use crate::revision::Method;
use crate::server::ServerState;

impl ServerState {
    /// Gives a new call to whoever answers it.
    #[inline(always)]
    pub(crate) fn dispatch(&self, call: Call) {
        let Some(bound) = call.shared().bound() else {
            return;
        };
        if bound.entry().is_none_or(|entry| entry.handler.is_none()) {
            self.queue().push_call(call);
        } else if bound.catalog.options.dispatch == Dispatch::Queued {
            self.queue().push_job(Job::Run(call));
        } else if self.queue().is_attended() {
            self.queue().push_job(Job::Run(call));
            self.run_left_over();
        } else {
            self.run_handler(call);
        }
    }

    /// Runs what waits for somebody to attend, if nobody does any more.
    pub(crate) fn run_left_over(&self) {
        if self.queue().is_attended() {
            return;
        }
        if self.peek(|catalog| catalog.options.dispatch) == Dispatch::Inline {
            self.queue().resume();
            self.run_jobs(self.queue().waiting());
        }
    }

    /// Whether something waits until output is taken.
    pub(crate) fn holds_back(&self) -> bool {
        self.queue().has_stalled()
    }

    /// Output was taken: what waited for that may go on.
    #[inline]
    pub(crate) fn resume(&self) {
        if self.queue().resume() {
            self.queue().ring();
        }
    }

    /// Puts a job aside whose client does not take its output: the answer would only add to that, until
    /// the session is given up. Gives it back if it may run.
    fn stall(&self, call: Call) -> Option<Call> {
        let bound = call.shared().bound()?;
        let (limits, lane) = (&bound.catalog.options.limits, Arc::clone(bound.outlet().lane()));
        let limit = limits.output_bytes;
        let waits =
            bound.catalog.options.dispatch == Dispatch::Queued || self.queue().is_attended();
        if waits && !call.is_cancelled() && self.memory.is_full() {
            // It was let in before others had taken all there is; what it would say could not be held.
            let text = "there is no memory for an answer now";
            drop(call.fail(Failure::new(ErrorKind::Limit, text)));
            return None;
        }
        if !waits || call.is_cancelled() || !lane.seems_full(limit) {
            return Some(call);
        }
        self.queue().stall(Job::Run(call));
        // Output may have been taken before the job was there to be found.
        if !lane.is_full(limit) {
            self.resume();
        }
        None
    }

    /// Runs the host's code for a cancellation, where handlers run; but while somebody attends, at once:
    /// whoever runs handlers may be busy with the very one that is cancelled.
    pub(crate) fn run_cancel(&self, catalog: &Catalog, code: OnCancel) {
        match catalog.options.dispatch {
            Dispatch::Inline => drop(guarded(code.0)),
            Dispatch::Queued => self.queue().push_job(Job::Cancel(code)),
        }
    }

    pub(crate) fn run_jobs(&self, max: usize) -> usize {
        let mut ran = 0;
        while ran < max {
            match self.queue().pop_job() {
                Some(Job::Run(call)) => match self.stall(call) {
                    Some(call) => self.run_handler(call),
                    None => continue,
                },
                Some(Job::Cancel(code)) => drop(guarded(code.0)),
                None => break,
            }
            ran += 1;
        }
        ran
    }

    #[inline(always)]
    fn run_handler(&self, call: Call) {
        if call.is_cancelled() || self.is_closed() {
            return;
        }
        let entry = call.shared().bound().and_then(Bound::entry);
        let Some(handler) = entry.and_then(|entry| entry.handler.as_deref()) else { return };
        // A failure is large, and there seldom is one to hand on.
        let failure = match guarded(|| handler.handle(&call).err().map(Box::new)) {
            Some(None) => return,
            Some(Some(failure)) => *failure,
            None => {
                let method = call.shared().bound().and_then(|bound| bound.method);
                let is_tool = method == Some(Method::ToolsCall);
                let kind = if is_tool { ErrorKind::ToolFailed } else { ErrorKind::Internal };
                Failure::new(kind, "the handler panicked")
            }
        };
        // If the handler answered before it failed, that answer stands.
        drop(call.fail(failure));
    }
}
