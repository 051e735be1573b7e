//! The threads of a loop, from the first to the last.

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::crew::Crew;
use crate::error::ServeError;
use crate::settings::Settings;

/// Beyond this the grace time is for ever, and no clock runs out.
const LONGEST_GRACE: Duration = Duration::from_secs(10 * 365 * 86_400);
/// How long handlers whose calls were cancelled have to notice.
const NOTICE: Duration = Duration::from_millis(100);

/// How an event loop has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) result: Result<(), ServeError>,
    /// Until when handlers that still run may go on.
    pub(crate) deadline: Instant,
}

/// Runs an event loop on a thread of its own until it ends, and beside it the crew; `is_ours` says that
/// there is one, rather than a host that runs handlers itself.
pub(crate) fn run(
    crew: &Arc<Crew>,
    settings: &Settings,
    is_ours: bool,
    events: impl FnOnce() -> Ended + Send + 'static,
) -> Result<(), ServeError> {
    let workers = Workers::start(crew, if is_ours { settings.workers } else { 0 })?;
    let stopper = Stopper(Arc::clone(crew));
    let events = spawn_deaf("mcplite-serve", move || {
        let _stopper = stopper;
        events()
    })?;
    if is_ours && settings.workers == 0 {
        crew.work();
    }
    let ended = events.join().unwrap_or_else(|_| Ended {
        result: Err(ServeError::Io(io::Error::other("the event thread has panicked"))),
        deadline: Instant::now(),
    });
    workers.finish(ended.deadline.max(Instant::now() + NOTICE));
    ended.result
}

/// How long calls may go on after the end.
pub(crate) fn grace(settings: &Settings) -> Duration {
    Duration::from_millis(settings.grace_ms).min(LONGEST_GRACE)
}

/// Threads that run handlers. Dropping them lets them go, each after the handler that it runs.
#[derive(Debug)]
struct Workers {
    crew: Arc<Crew>,
    threads: Vec<JoinHandle<()>>,
}

impl Workers {
    fn start(crew: &Arc<Crew>, count: usize) -> io::Result<Workers> {
        let mut workers = Workers { crew: Arc::clone(crew), threads: Vec::new() };
        for _ in 0..count {
            let presence = Presence::new(crew);
            // With the signals of whoever called: they run the host's code, and what that starts.
            let thread = thread::Builder::new().name("mcplite-worker".into());
            let thread = thread.spawn(move || presence.crew().work())?;
            workers.threads.push(thread);
        }
        Ok(workers)
    }

    /// Waits for them until `deadline`. One that is stuck in a handler is left behind; all that it uses
    /// it holds itself.
    fn finish(mut self, deadline: Instant) {
        self.crew.stop();
        if self.crew.wait_for_all(deadline) {
            for thread in self.threads.drain(..) {
                // A panic has told of itself.
                drop(thread.join());
            }
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.crew.stop();
    }
}

/// Stops the crew when the event thread ends, however it does.
#[derive(Debug)]
struct Stopper(Arc<Crew>);

impl Drop for Stopper {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// A worker, from before its thread starts until the end of it.
#[derive(Debug)]
struct Presence(Arc<Crew>);

impl Presence {
    fn new(crew: &Arc<Crew>) -> Presence {
        crew.enter();
        Presence(Arc::clone(crew))
    }

    fn crew(&self) -> &Crew {
        &self.0
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.0.leave();
    }
}

/// Starts a thread that no signal reaches, except what it does wrong itself: signals are for the host's
/// threads, and a client that is gone must not kill the process by `SIGPIPE`.
#[cfg(unix)]
fn spawn_deaf<T: Send + 'static>(
    name: &str,
    code: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    use nix::sys::signal::{SigSet, SigmaskHow, Signal};

    let mut mask = SigSet::all();
    let faults = [
        Signal::SIGSEGV,
        Signal::SIGBUS,
        Signal::SIGFPE,
        Signal::SIGILL,
        Signal::SIGTRAP,
        Signal::SIGSYS,
        Signal::SIGABRT,
    ];
    faults.into_iter().for_each(|fault| mask.remove(fault));
    // The mask is inherited, so that there is no moment without it.
    let before = mask.thread_swap_mask(SigmaskHow::SIG_SETMASK)?;
    let thread = thread::Builder::new().name(name.into()).spawn(code);
    before.thread_set_mask()?;
    thread
}

/// Elsewhere no signal comes to a thread that did not ask for it.
#[cfg(not(unix))]
fn spawn_deaf<T: Send + 'static>(
    name: &str,
    code: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    thread::Builder::new().name(name.into()).spawn(code)
}
