//! Who drives the event loop.
//!
//! ```text
//!        a thread that runs handlers                     the relief (the event thread)
//!   ┌─▶ drives: reads, feeds, writes                           │ sleeps
//!   │       │ a handler waits                                  │
//!   │   lets go of the wheel ─────────────────────────────────▶│ watches
//!   │   runs the handler                                       │
//!   └────── in time                                            │
//!           or it takes longer ───────────────────────────────▶│ drives, and calls other threads to work,
//!   ┌─▶ waits for more ◀───────────────────────────────────────┤ until nobody is at work
//! ```
//!
//! To pass a request to another thread and its answer back takes longer than most handlers do. So whoever
//! runs handlers drives the loop while it has none to run, and somebody else stands by.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::runtime::{Handle, Runtime};
use tokio::task::JoinHandle;

use super::bell::Bell;
use crate::error::ServeError;
use crate::threads::Ended;

/// The right to drive the event loop of [`http_at`](crate::http_at), for threads that run its handlers.
///
/// Clones are the same helm. It is for one loop.
#[derive(Clone, Default)]
pub struct Helm(Arc<Inner>);

#[derive(Default)]
struct Inner {
    state: Mutex<State>,
    /// For the relief: somebody has let go of the wheel, or all is over.
    noted: Condvar,
    /// For whoever drives: they are called away.
    bell: Bell,
    /// For the next one who drives, if it is not the relief: it may have been about to when it was called.
    called_away: AtomicBool,
    /// The same for the relief, which has done its part once somebody is called.
    stood_down: AtomicBool,
}

#[derive(Default)]
struct State {
    /// There while nobody drives.
    wheel: Option<Wheel>,
    /// How the loop has ended, with what is left of it.
    ended: Option<(Ended, Wheel)>,
    /// How often somebody has let go of the wheel.
    turns: u64,
    /// The relief looks by itself, now and then.
    is_watched: bool,
    #[cfg(unix)]
    watched: Option<(std::os::unix::net::UnixStream, Told)>,
}

#[cfg(unix)]
type Told = Box<dyn FnMut() + Send>;

/// A loop that waits for somebody to drive it.
#[derive(Debug)]
pub(crate) struct Wheel {
    pub(crate) runtime: Runtime,
    /// The task that ends when the loop does.
    pub(crate) driver: JoinHandle<Ended>,
}

/// How long nobody may drive before the relief does.
const PATIENCE: Duration = Duration::from_millis(1);
/// How often the relief finds that nothing has happened before it goes to sleep.
const YAWNS: u32 = 20;
/// Where a client that is gone raises a signal, only a thread that is deaf to it may write to sockets.
const CAN_LEND: bool = cfg!(any(target_os = "linux", target_os = "android"));

impl Helm {
    /// Drives the loop on this thread until [`Helm::call_away`]. Gives false, at once, if that cannot be: if
    /// another thread drives, or there is no loop, or not yet, or not any more.
    pub fn drive(&self) -> bool {
        // A loop inside a loop is nothing that the runtime could do.
        if !CAN_LEND || Handle::try_current().is_ok() {
            return false;
        }
        let wheel = self.0.lock().wheel.take();
        wheel.map(|wheel| self.turn(wheel, &self.0.called_away)).is_some()
    }

    /// Has whoever drives let go of the wheel, or the next one to try: there are handlers to run. If it is
    /// the relief that drives, it stands by again.
    pub fn call_away(&self) {
        self.0.called_away.store(true, Ordering::SeqCst);
        self.0.stood_down.store(true, Ordering::SeqCst);
        self.0.bell.ring();
    }

    /// Tells of every byte that comes, while the loop is there, and calls whoever drives away: so a signal
    /// can interrupt them. To be called before there is a loop.
    #[cfg(unix)]
    pub fn watch(
        &self,
        bytes: std::os::unix::net::UnixStream,
        told: impl FnMut() + Send + 'static,
    ) {
        self.0.lock().watched = Some((bytes, Box::new(told)));
    }

    /// Puts a loop in place.
    fn offer(&self, wheel: Wheel) {
        let mut state = self.0.lock();
        #[cfg(unix)]
        if let Some((bytes, told)) = state.watched.take() {
            drop(wheel.runtime.spawn(pass_on(bytes, told, self.clone())));
        }
        state.wheel = Some(wheel);
    }

    /// Puts a loop in place, drives it, and stands by while somebody else does, until the loop is over. What
    /// connections have left goes before this ends.
    pub(crate) fn relieve(&self, wheel: Wheel) -> Ended {
        self.offer(wheel);
        let mut state = self.0.lock();
        let (mut seen, mut yawns) = (Some(state.turns), 0);
        loop {
            if let Some((ended, wheel)) = state.ended.take() {
                drop(state);
                drop(wheel);
                return ended;
            }
            let is_new = seen.replace(state.turns) != Some(state.turns);
            yawns = if is_new { 0 } else { yawns + 1 };
            if !is_new && let Some(wheel) = state.wheel.take() {
                drop(state);
                // Whoever was called before has not come.
                self.0.stood_down.store(false, Ordering::SeqCst);
                self.turn(wheel, &self.0.stood_down);
                state = self.0.lock();
                continue;
            }
            state.is_watched = yawns < YAWNS;
            state = if state.is_watched {
                let waited = self.0.noted.wait_timeout(state, PATIENCE);
                waited.unwrap_or_else(PoisonError::into_inner).0
            } else {
                self.0.noted.wait(state).unwrap_or_else(PoisonError::into_inner)
            };
        }
    }

    /// Drives until it is to `end`, or to the end of the loop.
    fn turn(&self, mut wheel: Wheel, end: &AtomicBool) {
        let own = &*self.0;
        let ended = wheel.runtime.block_on(poll_fn(|cx| {
            own.bell.hear(cx);
            if end.swap(false, Ordering::SeqCst) {
                return Poll::Ready(None);
            }
            Pin::new(&mut wheel.driver).poll(cx).map(Some)
        }));
        let mut state = own.lock();
        state.turns += 1;
        if let Some(ended) = ended {
            let ended = ended.unwrap_or_else(|error| Ended {
                result: Err(ServeError::Io(error.into())),
                deadline: Instant::now(),
            });
            state.ended = Some((ended, wheel));
        } else {
            state.wheel = Some(wheel);
        }
        if state.ended.is_some() || !state.is_watched {
            state.is_watched = true;
            own.noted.notify_one();
        }
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Helm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Helm").finish_non_exhaustive()
    }
}

#[cfg(unix)]
async fn pass_on(bytes: std::os::unix::net::UnixStream, mut told: Told, helm: Helm) {
    let Ok(bytes) = tokio::net::UnixStream::from_std(bytes) else { return };
    let mut piece = [0; 64];
    while bytes.readable().await.is_ok() {
        match bytes.try_read(&mut piece) {
            Ok(0) => return,
            Ok(_) => {
                told();
                helm.call_away();
            }
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(_) => return,
        }
    }
}
