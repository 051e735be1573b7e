//! The loop itself: its own task, and a task for each connection.

use std::collections::BTreeMap;
use std::fmt;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};

use tokio::runtime::Runtime;
use tokio::task::unconstrained;

use super::bell::Bell;
use super::driver::{Driver, TASK};
use super::switchboard::{Driving, Switchboard};
use crate::threads::Ended;
use crate::wheelhouse;

/// A loop that waits for somebody to drive it.
///
/// Tasks are polled here rather than by the runtime, which would look for what the system has to tell before it
/// lets go of a thread that is called away: a system call for each request.
pub(crate) struct Wheel {
    tasks: Tasks,
    switchboard: Arc<Switchboard>,
    /// How often somebody in a row was called away without having looked for what the system has to tell.
    blind: u32,
    /// Last, because the others belong to it.
    runtime: Runtime,
}

/// What is polled.
struct Tasks {
    driver: Driver,
    connections: BTreeMap<u64, Task>,
    /// Those whose turn it is, the next one first.
    rung: Vec<u64>,
}

/// A connection as the loop sees it.
pub(crate) struct Task {
    future: Pin<Box<dyn Future<Output = ()> + Send>>,
    bell: Arc<Bell>,
    waker: Waker,
}

/// After how many times that must be done. Otherwise one client that never pauses could keep all others waiting.
const MOST_BLIND: u32 = 16;
/// How many tasks are polled before handlers get to run, so that the requests of a thousand clients are not all held
/// at the same time.
const AT_ONCE: usize = 16;

impl Wheel {
    pub(crate) fn new(runtime: Runtime, driver: Driver, switchboard: &Arc<Switchboard>) -> Wheel {
        let tasks = Tasks { driver, connections: BTreeMap::new(), rung: Vec::new() };
        Wheel { tasks, switchboard: Arc::clone(switchboard), blind: 0, runtime }
    }
}

impl wheelhouse::Wheel for Wheel {
    fn drive(&mut self, is_called: &AtomicBool) -> Option<Ended> {
        let Wheel { tasks, switchboard, blind, runtime } = self;
        let driving = switchboard.drive();
        let mut has_looked = false;
        let turns = poll_fn(|cx| {
            // Between two polls the runtime has looked.
            *blind = if has_looked { 0 } else { *blind + 1 };
            has_looked = true;
            if let Some(ended) = driving.polling(|| tasks.turn(&driving, cx)) {
                return Poll::Ready(Some(ended));
            }
            if !is_called.load(Ordering::SeqCst) {
                return Poll::Pending;
            }
            if *blind < MOST_BLIND {
                return Poll::Ready(None);
            }
            cx.waker().wake_by_ref();
            Poll::Pending
        });
        // The runtime would have tasks wait that have done a lot, and forget them where a thread leaves. Each ends
        // by itself instead, hyper after a few rounds.
        runtime.block_on(unconstrained(turns))
    }
}

impl Tasks {
    /// Polls all tasks that were rung for. Says how the loop has ended, if it has.
    fn turn(&mut self, driving: &Driving<'_>, cx: &Context<'_>) -> Option<Ended> {
        let is_behind = driving.hear(cx, &mut self.rung);
        let count = self.rung.len().min(AT_ONCE);
        if is_behind || count < self.rung.len() {
            cx.waker().wake_by_ref();
        }
        for number in self.rung.drain(..count).filter(|number| *number != TASK) {
            if let Some(task) = self.connections.get_mut(&number)
                && task.poll().is_ready()
            {
                let gone = self.connections.remove(&number);
                // What it leaves behind is the engine's, and the host's.
                drop(catch_unwind(AssertUnwindSafe(|| drop(gone))));
            }
        }
        // Afterwards, since it often is to look at what these have changed.
        let ended = self.driver.turn();
        for task in self.driver.arrived() {
            task.bell.ring();
            self.connections.insert(task.bell.task(), task);
        }
        ended
    }
}

impl Task {
    pub(crate) fn new(bell: &Arc<Bell>, future: impl Future<Output = ()> + Send + 'static) -> Task {
        let waker = Waker::from(Arc::clone(bell));
        Task { future: Box::pin(future), bell: Arc::clone(bell), waker }
    }

    /// A panic costs the connection.
    fn poll(&mut self) -> Poll<()> {
        self.bell.hear();
        let mut cx = Context::from_waker(&self.waker);
        let polled = catch_unwind(AssertUnwindSafe(|| self.future.as_mut().poll(&mut cx)));
        polled.unwrap_or(Poll::Ready(()))
    }
}

impl fmt::Debug for Wheel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Wheel").finish_non_exhaustive()
    }
}
