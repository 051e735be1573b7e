//! Getting a thread out of `poll`.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};

/// A pipe to itself for a thread that sleeps in `poll`. Waking it while it is awake costs no system
/// call.
///
/// Both ends live as long as anybody can wake, so that nobody ever writes to a pipe without a reader.
#[derive(Debug)]
pub(crate) struct Waker {
    asleep: AtomicBool,
    reader: PipeReader,
    writer: PipeWriter,
}

impl Waker {
    pub(crate) fn new() -> io::Result<Waker> {
        let (reader, writer) = io::pipe()?;
        Ok(Waker { asleep: AtomicBool::new(false), reader, writer })
    }

    /// Wakes the thread if it sleeps. Whatever it is to find must be visible before.
    pub(crate) fn wake(&self) {
        if self.asleep.load(Ordering::SeqCst) && self.asleep.swap(false, Ordering::SeqCst) {
            // There is at most one byte for each thread that is just here, so that the pipe has room.
            // A signal handler may interrupt a thread of the host's.
            while let Err(error) = (&self.writer).write(&[0]) {
                if error.kind() != io::ErrorKind::Interrupted {
                    return;
                }
            }
        }
    }

    /// The thread is about to sleep. After this it must look once more whether there is anything.
    pub(crate) fn fall_asleep(&self) {
        self.asleep.store(true, Ordering::SeqCst);
    }

    /// The thread is awake. `was_told` says that [`Waker::as_fd`] was found readable.
    pub(crate) fn get_up(&self, was_told: bool) {
        self.asleep.store(false, Ordering::SeqCst);
        if was_told {
            // Whatever it says, the thread is awake now.
            drop((&self.reader).read(&mut [0; 64]));
        }
    }
}

impl AsFd for Waker {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.reader.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

    use super::*;

    fn is_told(waker: &Waker) -> bool {
        let mut fds = [PollFd::new(waker.as_fd(), PollFlags::POLLIN)];
        poll(&mut fds, PollTimeout::ZERO).unwrap() > 0
    }

    #[test]
    fn only_a_sleeper_is_told_and_only_once() {
        let waker = Waker::new().unwrap();
        waker.wake();
        assert!(!is_told(&waker));
        waker.fall_asleep();
        waker.wake();
        waker.wake();
        assert!(is_told(&waker));
        waker.get_up(true);
        assert!(!is_told(&waker));
        waker.wake();
        assert!(!is_told(&waker));
    }
}
