//! Waiting for whoever connects.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::net::TcpListener;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixListener;
use std::time::{Duration, Instant};

use super::socket_file::SocketFile;
use crate::address::{Address, bind};
use crate::error::ServeError;

/// A listening socket. Dropping it takes its file away.
#[derive(Debug)]
pub(crate) struct Listener {
    socket: Socket,
    paused_until: Option<Instant>,
}

#[derive(Debug)]
enum Socket {
    Unix { socket: UnixListener, file: SocketFile },
    Tcp(TcpListener),
}

/// How long nobody is accepted after that has failed, mostly for want of file descriptors.
const PAUSE: Duration = Duration::from_millis(100);

impl Listener {
    pub(crate) fn new(address: &Address) -> Result<Listener, ServeError> {
        let socket = match address {
            Address::Unix(path) => {
                let (file, socket) = SocketFile::bind(path)?;
                socket.set_nonblocking(true)?;
                Socket::Unix { socket, file }
            }
            Address::Tcp(addresses) => {
                let socket = bind(addresses)?;
                socket.set_nonblocking(true)?;
                Socket::Tcp(socket)
            }
        };
        Ok(Listener { socket, paused_until: None })
    }

    /// Where it listens, in a form that can be given to [`Address::local`].
    pub(crate) fn address(&self) -> io::Result<String> {
        match &self.socket {
            Socket::Unix { file, .. } => Ok(file.address()),
            Socket::Tcp(socket) => socket.local_addr().map(|address| address.to_string()),
        }
    }

    /// Until when it makes no sense to accept; `None` if it does.
    pub(crate) fn pause(&mut self, now: Instant) -> Option<Instant> {
        self.paused_until = self.paused_until.filter(|until| now < *until);
        self.paused_until
    }

    /// The next client, if one has come, as a non-blocking socket; and whether it may be anybody on
    /// this machine, browsers included.
    pub(crate) fn accept(&mut self) -> Option<(File, bool)> {
        match self.socket.accept() {
            Ok(accepted) => Some(accepted),
            Err(error) if error.kind() == ErrorKind::WouldBlock => None,
            // Also where only this client is to blame: it is not worth telling the two apart.
            Err(_) => {
                self.paused_until = Some(Instant::now() + PAUSE);
                None
            }
        }
    }
}

impl Socket {
    fn accept(&self) -> io::Result<(File, bool)> {
        match self {
            Socket::Unix { socket, .. } => {
                let (stream, _) = socket.accept()?;
                stream.set_nonblocking(true)?;
                Ok((File::from(OwnedFd::from(stream)), false))
            }
            Socket::Tcp(socket) => {
                let (stream, _) = socket.accept()?;
                stream.set_nonblocking(true)?;
                stream.set_nodelay(true)?;
                Ok((File::from(OwnedFd::from(stream)), true))
            }
        }
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.socket {
            Socket::Unix { socket, .. } => socket.as_fd(),
            Socket::Tcp(socket) => socket.as_fd(),
        }
    }
}
