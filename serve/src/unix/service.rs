//! The threads of a loop, from the first to the last.

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use mcplite_core::{Dispatch, Server};
use nix::sys::signal::{SigSet, SigmaskHow, Signal};

use super::crew::Crew;
use super::driver::{Driver, Ended};
use super::signals::Signals;
use crate::error::ServeError;
use crate::settings::Settings;

/// Beyond this the grace time is for ever, and no clock runs out.
const LONGEST_GRACE: Duration = Duration::from_secs(10 * 365 * 86_400);
/// How long handlers whose calls were cancelled have to notice.
const NOTICE: Duration = Duration::from_millis(100);

/// Serves until it is over. `prepare` gives the driver what it serves.
pub(crate) fn serve(
    server: &Server,
    settings: &Settings,
    prepare: impl FnOnce(&mut Driver) -> Result<(), ServeError>,
) -> Result<(), ServeError> {
    let signals = Arc::new(Signals::new(server)?);
    let grace = Duration::from_millis(settings.grace_ms).min(LONGEST_GRACE);
    let mut driver = Driver::new(server, &signals, grace);
    let _attendant = server.attend(signals.server_wake());
    prepare(&mut driver)?;

    // A host that runs handlers itself has its reasons, such as a thread that must do it.
    let is_ours = server.options().dispatch == Dispatch::Inline;
    let workers = Workers::start(&signals, if is_ours { settings.workers } else { 0 })?;
    let stopper = Stopper(Arc::clone(&signals));
    let events = spawn_deaf("mcplite-serve", move || {
        let _stopper = stopper;
        driver.run()
    })?;
    if is_ours && settings.workers == 0 {
        signals.crew.work();
    }
    let ended = events.join().unwrap_or_else(|_| Ended {
        result: Err(ServeError::Io(io::Error::other("the event thread has panicked"))),
        deadline: Instant::now(),
    });
    workers.finish(ended.deadline.max(Instant::now() + NOTICE));
    ended.result
}

/// Threads that run handlers. Dropping them lets them go, each after the handler that it runs.
#[derive(Debug)]
struct Workers {
    signals: Arc<Signals>,
    threads: Vec<JoinHandle<()>>,
}

impl Workers {
    fn start(signals: &Arc<Signals>, count: usize) -> io::Result<Workers> {
        let mut workers = Workers { signals: Arc::clone(signals), threads: Vec::new() };
        for _ in 0..count {
            let presence = Presence::new(signals);
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
        let crew = &self.signals.crew;
        crew.stop();
        if crew.wait_for_all(deadline) {
            for thread in self.threads.drain(..) {
                // A panic has told of itself.
                drop(thread.join());
            }
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.signals.crew.stop();
    }
}

/// Stops the crew when the event thread ends, however it does.
#[derive(Debug)]
struct Stopper(Arc<Signals>);

impl Drop for Stopper {
    fn drop(&mut self) {
        self.0.crew.stop();
    }
}

/// A worker, from before its thread starts until the end of it.
#[derive(Debug)]
struct Presence(Arc<Signals>);

impl Presence {
    fn new(signals: &Arc<Signals>) -> Presence {
        signals.crew.enter();
        Presence(Arc::clone(signals))
    }

    fn crew(&self) -> &Crew {
        &self.0.crew
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.0.crew.leave();
    }
}

/// Starts a thread that no signal reaches, except what it does wrong itself: signals are for the host's
/// threads, and a client that is gone must not kill the process by `SIGPIPE`.
fn spawn_deaf<T: Send + 'static>(
    name: &str,
    code: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
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
