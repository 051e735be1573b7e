//! Ends a process whose client is gone while a handler blocks the only thread that could notice.

use napi_derive::napi;

use crate::error::Result;

/// While one lives, the end of the input is noticed also where JavaScript cannot.
#[napi]
pub struct Watchdog {
    #[cfg(unix)]
    watch: unix::Watch,
}

#[napi]
impl Watchdog {
    /// Watches standard input, whatever takes its place later. When it has ended, JavaScript has so many milliseconds
    /// from one sign of life to the next.
    #[napi(constructor, catch_unwind)]
    #[cfg_attr(not(unix), expect(unused_variables, reason = "there is nothing to watch it with"))]
    pub fn new(patience_ms: u32) -> Result<Watchdog> {
        Ok(Watchdog {
            #[cfg(unix)]
            watch: unix::Watch::new(patience_ms)?,
        })
    }

    /// JavaScript is alive.
    #[napi(catch_unwind)]
    pub fn beat(&self) {
        #[cfg(unix)]
        self.watch.beat();
    }

    /// There is nothing to watch any more.
    #[napi(catch_unwind)]
    pub fn stop(&self) {
        #[cfg(unix)]
        self.watch.stop();
    }
}

#[cfg(unix)]
mod unix {
    use std::io::stdin;
    use std::net::Shutdown;
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::net::UnixStream;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::thread;

    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    use nix::sys::signal::{Signal, raise};

    use crate::error::{Result, misuse};

    pub(super) struct Watch {
        control: UnixStream,
        beats: Arc<AtomicU32>,
    }

    impl Watch {
        pub(super) fn new(patience_ms: u32) -> Result<Watch> {
            let failed = |error: std::io::Error| {
                misuse(format!("standard input cannot be watched: {error}"))
            };
            let input = stdin().as_fd().try_clone_to_owned().map_err(failed)?;
            let (control, told) = UnixStream::pair().map_err(failed)?;
            let beats = Arc::new(AtomicU32::new(0));
            let watch = Watch { control, beats: Arc::clone(&beats) };
            let watching = thread::Builder::new().name("mcplite-watchdog".to_owned());
            let watching = watching.stack_size(64 * 1024);
            watching.spawn(move || run(&input, &told, &beats, patience_ms)).map_err(failed)?;
            Ok(watch)
        }

        pub(super) fn beat(&self) {
            self.beats.fetch_add(1, Ordering::Relaxed);
        }

        pub(super) fn stop(&self) {
            // One that was stopped already is stopped.
            drop(self.control.shutdown(Shutdown::Both));
        }
    }

    impl Drop for Watch {
        fn drop(&mut self) {
            self.stop();
        }
    }

    fn run(input: &OwnedFd, told: &UnixStream, beats: &AtomicU32, patience_ms: u32) {
        // Hanging up is told without being asked for, and data is none of our business.
        let mut both = [
            PollFd::new(input.as_fd(), PollFlags::empty()),
            PollFd::new(told.as_fd(), PollFlags::POLLIN),
        ];
        loop {
            if poll(&mut both, PollTimeout::NONE).is_err() {
                continue;
            }
            if both.last().and_then(PollFd::any) == Some(true) {
                return;
            }
            if both.first().and_then(PollFd::any) == Some(true) {
                break;
            }
        }
        let patience = PollTimeout::try_from(patience_ms).unwrap_or(PollTimeout::MAX);
        let mut last = beats.load(Ordering::Relaxed);
        loop {
            let mut stop = [PollFd::new(told.as_fd(), PollFlags::POLLIN)];
            match poll(&mut stop, patience) {
                Ok(0) => {}
                Ok(_) => return,
                Err(_) => continue,
            }
            let now = beats.load(Ordering::Relaxed);
            if now == last {
                break;
            }
            last = now;
        }
        // JavaScript would not hear of anything milder, and there is nobody left to answer to.
        let _never_refused = raise(Signal::SIGKILL);
    }
}
