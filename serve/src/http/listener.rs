//! Waiting for whoever connects.

use std::io::{self, IoSlice, Write};
#[cfg(any(target_os = "linux", target_os = "android"))]
use std::os::fd::{AsRawFd, RawFd};
use std::task::{Context, Poll, ready};

#[cfg(any(target_os = "linux", target_os = "android"))]
use tokio::io::Interest;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
#[cfg(unix)]
use tokio::net::{UnixListener, UnixStream};

use crate::address::{Address, bind};
use crate::error::ServeError;
#[cfg(unix)]
use crate::unix::SocketFile;

/// A listening socket that no runtime has been told of yet.
#[derive(Debug)]
pub(crate) enum Bound {
    Tcp(std::net::TcpListener),
    #[cfg(unix)]
    Unix {
        socket: std::os::unix::net::UnixListener,
        file: SocketFile,
    },
}

/// A listening socket. Dropping it takes its file away.
#[derive(Debug)]
pub(crate) enum Listener {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix {
        socket: UnixListener,
        /// Held for its end.
        _file: SocketFile,
    },
}

/// Somebody who has come.
#[derive(Debug)]
pub(crate) enum Visitor {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

/// Bytes to and from a client.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {
    /// Writes what the system takes now. No signal is raised where the client is gone, whatever thread this
    /// is on.
    fn poll_send(
        &mut self,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>>;
}

macro_rules! sends {
    ($stream:ty) => {
        impl Stream for $stream {
            #[cfg(any(target_os = "linux", target_os = "android"))]
            fn poll_send(
                &mut self,
                cx: &mut Context<'_>,
                slices: &[IoSlice<'_>],
            ) -> Poll<io::Result<usize>> {
                loop {
                    ready!(self.poll_write_ready(cx))?;
                    match self.try_io(Interest::WRITABLE, || send_slices(self.as_raw_fd(), slices))
                    {
                        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                        sent => return Poll::Ready(sent),
                    }
                }
            }

            /// Here only a thread that is deaf to signals does this.
            #[cfg(not(any(target_os = "linux", target_os = "android")))]
            fn poll_send(
                &mut self,
                cx: &mut Context<'_>,
                slices: &[IoSlice<'_>],
            ) -> Poll<io::Result<usize>> {
                std::pin::Pin::new(self).poll_write_vectored(cx, slices)
            }
        }
    };
}

sends!(TcpStream);
#[cfg(unix)]
sends!(UnixStream);

#[cfg(any(target_os = "linux", target_os = "android"))]
fn send_slices(socket: RawFd, slices: &[IoSlice<'_>]) -> io::Result<usize> {
    use nix::errno::Errno;
    use nix::sys::socket::{MsgFlags, send, sendmsg};

    // A head and a short body are copied sooner than the system has looked at where each of them stands.
    let mut short = [0; SHORT];
    let joined = joined(slices, &mut short);
    loop {
        let sent = match joined {
            Some(bytes) => send(socket, bytes, MsgFlags::MSG_NOSIGNAL),
            None => sendmsg::<()>(socket, slices, &[], MsgFlags::MSG_NOSIGNAL, None),
        };
        match sent {
            Err(Errno::EINTR) => {}
            sent => return sent.map_err(io::Error::from),
        }
    }
}

/// All that is to be sent, as one piece in `room` if it has room.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn joined<'r>(slices: &[IoSlice<'_>], room: &'r mut [u8]) -> Option<&'r [u8]> {
    let mut length = 0;
    for slice in slices {
        room.get_mut(length..length + slice.len())?.copy_from_slice(slice);
        length += slice.len();
    }
    room.get(..length)
}

#[cfg(any(target_os = "linux", target_os = "android"))]
const SHORT: usize = 1024;

impl Bound {
    pub(crate) fn new(address: &Address) -> Result<Bound, ServeError> {
        match address {
            Address::Tcp(addresses) => {
                let socket = bind(addresses)?;
                socket.set_nonblocking(true)?;
                lengthen_queue(&socket);
                Ok(Bound::Tcp(socket))
            }
            #[cfg(unix)]
            Address::Unix(path) => {
                let (file, socket) = SocketFile::bind(path)?;
                socket.set_nonblocking(true)?;
                Ok(Bound::Unix { socket, file })
            }
            #[cfg(not(unix))]
            Address::Unix(_) => Err(ServeError::Unsupported),
        }
    }

    /// Where it listens: a URL without a path, or the path of a socket.
    pub(crate) fn address(&self) -> io::Result<String> {
        match self {
            Bound::Tcp(socket) => socket.local_addr().map(|address| format!("http://{address}")),
            #[cfg(unix)]
            Bound::Unix { file, .. } => Ok(file.address()),
        }
    }

    /// To be called inside the runtime that it is for.
    pub(crate) fn listen(self) -> io::Result<Listener> {
        match self {
            Bound::Tcp(socket) => TcpListener::from_std(socket).map(Listener::Tcp),
            #[cfg(unix)]
            Bound::Unix { socket, file } => {
                let socket = UnixListener::from_std(socket)?;
                Ok(Listener::Unix { socket, _file: file })
            }
        }
    }
}

impl Listener {
    /// The next client.
    pub(crate) fn poll_accept(&self, cx: &mut Context<'_>) -> Poll<io::Result<Visitor>> {
        match self {
            Listener::Tcp(socket) => {
                let (stream, _) = ready!(socket.poll_accept(cx))?;
                // Fails where the client is gone already, which will show.
                drop(stream.set_nodelay(true));
                notice_loss(&stream);
                Poll::Ready(Ok(Visitor::Tcp(stream)))
            }
            #[cfg(unix)]
            Listener::Unix { socket, .. } => {
                let (stream, _) = ready!(socket.poll_accept(cx))?;
                Poll::Ready(Ok(Visitor::Unix(stream)))
            }
        }
    }
}

impl Visitor {
    /// Says a few last words, if there is room for them, and hangs up.
    pub(crate) fn turn_away(self, words: &[u8]) {
        let said = match self {
            Visitor::Tcp(stream) => stream.into_std().and_then(|mut stream| stream.write(words)),
            #[cfg(unix)]
            Visitor::Unix(stream) => stream.into_std().and_then(|mut stream| stream.write(words)),
        };
        // Whoever does not hear them sees the end.
        drop(said);
    }

    pub(crate) fn into_stream(self) -> Box<dyn Stream> {
        match self {
            Visitor::Tcp(stream) => Box::new(stream),
            #[cfg(unix)]
            Visitor::Unix(stream) => Box::new(stream),
        }
    }
}

/// Has the system ask now and then whether the client is still there: one that lost its power says nothing.
#[cfg(unix)]
fn notice_loss(stream: &TcpStream) {
    // Without it, only writing would tell.
    let _ = nix::sys::socket::setsockopt(stream, nix::sys::socket::sockopt::KeepAlive, &true);
}

#[cfg(not(unix))]
fn notice_loss(_: &TcpStream) {}

/// Lets as many wait to be accepted as there may be connections by default: whoever finds the queue full
/// tries again after a second.
#[cfg(unix)]
fn lengthen_queue(socket: &std::net::TcpListener) {
    if let Ok(queue) = nix::sys::socket::Backlog::new(QUEUE) {
        // It listens already, only with a shorter one.
        let _ = nix::sys::socket::listen(socket, queue);
    }
}

#[cfg(not(unix))]
fn lengthen_queue(_: &std::net::TcpListener) {}

#[cfg(unix)]
const QUEUE: i32 = 1024;
