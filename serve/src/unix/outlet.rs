//! Where output goes, written to on any thread without waiting, and without a signal where nobody reads.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::os::fd::{AsFd, BorrowedFd};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, SigmaskHow, Signal};

/// A file for output. Others may have it open too, so that it cannot be made non-blocking.
#[derive(Debug)]
pub(crate) enum Outlet {
    /// A pipe, opened once more: what is non-blocking then is so for us only.
    Pipe(File),
    /// A socket, which can be told with each write.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    Socket(File),
    /// Anything else, which has to be asked first.
    Other(File),
}

/// A file that says it can be written to takes this much without blocking: POSIX's `PIPE_BUF` on Linux, and
/// less than the pipes of all others hold.
const PIECE: usize = 4096;

impl Outlet {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(crate) fn new(file: File) -> Outlet {
        use std::os::unix::fs::FileTypeExt;

        match file.metadata().map(|metadata| metadata.file_type()) {
            Ok(kind) if kind.is_fifo() => {
                open_again(&file).map_or(Outlet::Other(file), Outlet::Pipe)
            }
            Ok(kind) if kind.is_socket() => Outlet::Socket(file),
            _ => Outlet::Other(file),
        }
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(crate) fn new(file: File) -> Outlet {
        Outlet::Other(file)
    }

    /// Writes once, as much as can be without blocking. `is_ready` says that there is room.
    pub(crate) fn write(&self, bytes: &[u8], is_ready: bool) -> io::Result<usize> {
        match self {
            Outlet::Pipe(pipe) => without_signal(|| (&mut &*pipe).write(bytes)),
            #[cfg(any(target_os = "linux", target_os = "android"))]
            Outlet::Socket(socket) => send(socket, bytes),
            Outlet::Other(file) if is_ready || has_room(file)? => {
                without_signal(|| (&mut &*file).write(bytes.get(..PIECE).unwrap_or(bytes)))
            }
            Outlet::Other(_) => Err(ErrorKind::WouldBlock.into()),
        }
    }
}

impl AsFd for Outlet {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Outlet::Pipe(file) | Outlet::Other(file) => file.as_fd(),
            #[cfg(any(target_os = "linux", target_os = "android"))]
            Outlet::Socket(file) => file.as_fd(),
        }
    }
}

/// Writes to a socket, whether it is blocking or not.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn send(socket: &File, bytes: &[u8]) -> io::Result<usize> {
    use std::os::fd::AsRawFd;

    use nix::sys::socket::{MsgFlags, send};

    let flags = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_NOSIGNAL;
    send(socket.as_raw_fd(), bytes, flags).map_err(io::Error::from)
}

/// Writes to a non-blocking socket.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) fn send(socket: &File, bytes: &[u8]) -> io::Result<usize> {
    without_signal(|| (&mut &*socket).write(bytes))
}

/// Fails where there is no `/proc`, or the pipe belongs to another user.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn open_again(pipe: &File) -> io::Result<File> {
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::OpenOptionsExt;

    use nix::fcntl::OFlag;

    let path = format!("/proc/self/fd/{}", pipe.as_raw_fd());
    File::options().write(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(path)
}

/// Whether a write would do something other than wait.
fn has_room(output: &File) -> io::Result<bool> {
    let mut fds = [PollFd::new(output.as_fd(), PollFlags::POLLOUT)];
    match poll(&mut fds, PollTimeout::ZERO) {
        Ok(found) => Ok(found > 0),
        Err(nix::Error::EINTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Writes with `SIGPIPE` blocked. If that is raised on a thread that had it unblocked, it is taken back, so
/// that the thread never sees it.
fn without_signal(write: impl FnOnce() -> io::Result<usize>) -> io::Result<usize> {
    let mut pipe = SigSet::empty();
    pipe.add(Signal::SIGPIPE);
    let is_deaf = pipe.thread_swap_mask(SigmaskHow::SIG_BLOCK)?.contains(Signal::SIGPIPE);
    let written = write();
    let is_raised = written.as_ref().is_err_and(|error| error.kind() == ErrorKind::BrokenPipe);
    // A signal that cannot be taken back stays blocked, which is better than the end of the process.
    if !is_deaf && (!is_raised || take_back(&pipe)) {
        pipe.thread_unblock()?;
    }
    written
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn take_back(signals: &SigSet) -> bool {
    use nix::sys::signalfd::{SfdFlags, SignalFd};

    // Unlike `sigwait`, this cannot wait for a signal that somebody else has done away with.
    let pending = SignalFd::with_flags(signals, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC);
    pending.and_then(|pending| pending.read_signal()).is_ok()
}

/// Here only a thread that is deaf to signals writes.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn take_back(_: &SigSet) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;

    use super::*;

    fn outlets() -> Vec<(Outlet, File)> {
        let (pipe_reader, pipe) = io::pipe().unwrap();
        let (other_reader, other) = io::pipe().unwrap();
        let (socket_reader, socket) = UnixStream::pair().unwrap();
        let file = |end: OwnedFd| File::from(end);
        vec![
            (Outlet::new(file(pipe.into())), file(pipe_reader.into())),
            (Outlet::new(file(socket.into())), file(socket_reader.into())),
            (Outlet::Other(file(other.into())), file(other_reader.into())),
        ]
    }

    #[test]
    fn what_has_no_room_is_not_waited_for() {
        for (outlet, mut reader) in outlets() {
            let mut total = 0;
            let error = loop {
                match outlet.write(&[7; 100_000], false) {
                    Ok(count) => total += count,
                    Err(error) => break error,
                }
            };
            assert_eq!(error.kind(), ErrorKind::WouldBlock, "{outlet:?}");
            assert!(total >= PIECE);
            drop(outlet);
            assert_eq!(reader.read_to_end(&mut Vec::new()).unwrap(), total);
        }
    }

    #[test]
    fn nobody_there_is_an_error_and_the_mask_stays_as_it_was() {
        // That there is no signal is seen by processes that do not ignore it, in `tests/stdio_endings.rs`.
        let mask = SigSet::thread_get_mask().unwrap();
        for (outlet, reader) in outlets() {
            drop(reader);
            let error = outlet.write(b"hello", true).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::BrokenPipe, "{outlet:?}");
            assert_eq!(SigSet::thread_get_mask().unwrap(), mask);
        }
    }
}
