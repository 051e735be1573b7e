//! A server that listens at a socket, in a thread of this process.

use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::sync::mpsc;
use std::thread::JoinHandle;

use mcplite_core::Server;
use mcplite_serve::{ServeError, Settings, socket};

use super::client::Client;
use super::{tools, watchdog};

/// The server, and how it ends.
pub(crate) struct Listening {
    pub(crate) server: Server,
    /// Where it listens.
    pub(crate) address: String,
    thread: JoinHandle<Result<(), ServeError>>,
}

impl Listening {
    /// Starts to serve, and waits until clients can connect.
    pub(crate) fn start(address: &str, settings: Settings) -> Listening {
        Listening::try_start(address, settings).unwrap()
    }

    pub(crate) fn try_start(address: &str, settings: Settings) -> Result<Listening, ServeError> {
        watchdog::watch();
        let server = tools::server().unwrap();
        let (sender, receiver) = mpsc::channel();
        let (own, address) = (server.clone(), address.to_owned());
        let thread = std::thread::spawn(move || {
            socket(&own, &address, &settings, &mut |address| sender.send(address.into()).unwrap())
        });
        match receiver.recv() {
            Ok(address) => Ok(Listening { server, address, thread }),
            // It has ended without listening.
            Err(_) => Err(thread.join().unwrap().unwrap_err()),
        }
    }

    /// A client that has shaken hands.
    pub(crate) fn connect(&self) -> Client<UnixStream, UnixStream> {
        let mut client = self.connect_only();
        client.initialize();
        client
    }

    pub(crate) fn connect_only(&self) -> Client<UnixStream, UnixStream> {
        let stream = UnixStream::connect(&self.address).unwrap();
        Client::new(stream.try_clone().unwrap(), stream)
    }

    pub(crate) fn connect_tcp(&self) -> Client<TcpStream, TcpStream> {
        let stream = TcpStream::connect(&self.address).unwrap();
        Client::new(stream.try_clone().unwrap(), stream)
    }

    /// Waits for its end.
    pub(crate) fn wait(self) -> Result<(), ServeError> {
        self.thread.join().unwrap()
    }

    /// Shuts it down and waits for its end.
    pub(crate) fn stop(self) {
        self.server.shutdown();
        self.wait().unwrap();
    }
}
