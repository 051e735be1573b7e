//! The two ends of a connection, as files.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::fd::AsFd;

use nix::poll::{PollFd, PollFlags};

use super::outlet::{Outlet, send};

/// Where bytes come from and where they go.
#[derive(Debug)]
pub(crate) enum Ends {
    /// Two files that others may have open too, so that they cannot be made non-blocking.
    Pair {
        /// Where bytes come from.
        input: File,
        /// Where bytes go.
        output: Outlet,
    },
    /// A non-blocking socket of our own.
    Socket(File),
}

/// What a connection waits for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wants {
    pub(crate) input: bool,
    /// Room for output.
    pub(crate) output: bool,
}

/// What came of an attempt to read or write.
#[derive(Debug)]
pub(crate) enum Moved {
    /// So many bytes; 0 for the end of input.
    Bytes(usize),
    /// Nothing now.
    Nothing,
    /// The other side is gone.
    Gone,
    /// Something else.
    Failed(io::Error),
}

/// What `poll` found out about a connection.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Found {
    /// There is input, or the end of it.
    pub(crate) is_readable: bool,
    /// There is room for output.
    pub(crate) is_writable: bool,
    /// Nobody takes output any more.
    pub(crate) is_lost: bool,
}

/// What either end says when nobody is on the other side any more.
const LOST: PollFlags = PollFlags::POLLERR.union(PollFlags::POLLHUP).union(PollFlags::POLLNVAL);

impl Ends {
    /// Reads once. Call it for a [`Ends::Pair`] only if there is input.
    pub(crate) fn read(&self, buffer: &mut [u8]) -> Moved {
        let (Ends::Pair { input, .. } | Ends::Socket(input)) = self;
        Moved::from((&mut &*input).read(buffer))
    }

    /// Writes once, as much as can be without blocking. `is_ready` says that there is room.
    pub(crate) fn write(&self, bytes: &[u8], is_ready: bool) -> Moved {
        let written = match self {
            Ends::Socket(socket) => send(socket, bytes),
            Ends::Pair { output, .. } => output.write(bytes, is_ready),
        };
        match Moved::from(written) {
            Moved::Bytes(0) => Moved::Nothing,
            moved => moved,
        }
    }
}

impl Ends {
    /// Adds what `poll` is to look at. Where no input is wanted, the end of it must not be reported for
    /// ever; that nobody takes output is reported always.
    pub(crate) fn watch<'a>(&'a self, wants: Wants, fds: &mut Vec<PollFd<'a>>) {
        let reading = if wants.input { PollFlags::POLLIN } else { PollFlags::empty() };
        let writing = if wants.output { PollFlags::POLLOUT } else { PollFlags::empty() };
        match self {
            Ends::Socket(socket) => fds.push(PollFd::new(socket.as_fd(), reading | writing)),
            Ends::Pair { input, output } => {
                if wants.input {
                    fds.push(PollFd::new(input.as_fd(), reading));
                }
                fds.push(PollFd::new(output.as_fd(), writing));
            }
        }
    }

    /// Reads what `poll` has answered to the same wants.
    pub(crate) fn found(
        &self,
        wants: Wants,
        answers: &mut impl Iterator<Item = PollFlags>,
    ) -> Found {
        let mut next = || answers.next().unwrap_or(PollFlags::empty());
        match self {
            Ends::Socket(_) => {
                let flags = next();
                let is_readable = wants.input && flags.intersects(PollFlags::POLLIN | LOST);
                Found {
                    is_readable,
                    is_writable: flags.contains(PollFlags::POLLOUT),
                    // What the client said before it left is read first.
                    is_lost: flags.intersects(LOST) && !is_readable,
                }
            }
            Ends::Pair { .. } => {
                let reading = if wants.input { next() } else { PollFlags::empty() };
                let writing = next();
                Found {
                    is_readable: !reading.is_empty(),
                    is_writable: writing.contains(PollFlags::POLLOUT),
                    is_lost: writing.intersects(LOST),
                }
            }
        }
    }
}

impl From<io::Result<usize>> for Moved {
    fn from(result: io::Result<usize>) -> Moved {
        let error = match result {
            Ok(bytes) => return Moved::Bytes(bytes),
            Err(error) => error,
        };
        match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::Interrupted => Moved::Nothing,
            ErrorKind::BrokenPipe
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::NotConnected
            | ErrorKind::TimedOut => Moved::Gone,
            _ => Moved::Failed(error),
        }
    }
}
