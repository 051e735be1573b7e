//! A thread that sleeps until another one, or a signal, has something for it.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(unix)]
use std::os::unix::net::UnixStream;

/// Wakes one thread. A signal wakes it too, where Python is told to write to [`Waker::signal_fd`].
#[derive(Debug)]
pub(crate) struct Waker {
    rung: AtomicBool,
    asleep: AtomicBool,
    #[cfg(unix)]
    ends: (UnixStream, UnixStream),
    #[cfg(not(unix))]
    sleeper: std::sync::Mutex<Option<std::thread::Thread>>,
}

#[cfg(unix)]
impl Waker {
    pub(crate) fn new() -> io::Result<Waker> {
        let ends = UnixStream::pair()?;
        ends.0.set_nonblocking(true)?;
        ends.1.set_nonblocking(true)?;
        Ok(Waker { rung: AtomicBool::new(false), asleep: AtomicBool::new(false), ends })
    }

    /// Where a signal is to write a byte.
    pub(crate) fn signal_fd(&self) -> i64 {
        use std::os::fd::AsRawFd;
        self.ends.1.as_raw_fd().into()
    }

    pub(crate) fn ring(&self) {
        use std::io::Write;
        self.rung.store(true, Ordering::SeqCst);
        if self.asleep.swap(false, Ordering::SeqCst) {
            // A pipe that is full wakes as well.
            drop((&self.ends.1).write(&[0]));
        }
    }

    /// Sleeps until there was a ring, or a signal.
    pub(crate) fn sleep(&self) {
        use std::io::Read;
        use std::os::fd::AsFd;

        use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

        self.asleep.store(true, Ordering::SeqCst);
        if !self.rung.swap(false, Ordering::SeqCst) {
            let mut fds = [PollFd::new(self.ends.0.as_fd(), PollFlags::POLLIN)];
            // Interrupted, it has something to look at as well.
            let _interrupted = poll(&mut fds, PollTimeout::NONE);
            self.rung.store(false, Ordering::SeqCst);
        }
        self.asleep.store(false, Ordering::SeqCst);
        drop((&self.ends.0).read(&mut [0; 64]));
    }
}

#[cfg(not(unix))]
impl Waker {
    pub(crate) fn new() -> io::Result<Waker> {
        Ok(Waker {
            rung: AtomicBool::new(false),
            asleep: AtomicBool::new(false),
            sleeper: std::sync::Mutex::default(),
        })
    }

    /// There is none here: the thread looks for signals now and then.
    pub(crate) fn signal_fd(&self) -> i64 {
        -1
    }

    pub(crate) fn ring(&self) {
        self.rung.store(true, Ordering::SeqCst);
        let sleeper = self.sleeper.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(thread) = sleeper.as_ref() {
            thread.unpark();
        }
    }

    pub(crate) fn sleep(&self) {
        let own = std::thread::current();
        *self.sleeper.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(own);
        if !self.rung.swap(false, Ordering::SeqCst) {
            std::thread::park_timeout(std::time::Duration::from_millis(100));
        }
    }
}
