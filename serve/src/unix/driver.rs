//! The event loop: whoever drives it reads, hands in, keeps deadlines and writes.

use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mcplite_core::Server;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::connection::{Connection, State};
use super::ends::{Ends, Found};
use super::listener::Listener;
use super::signals::Signals;
use crate::error::ServeError;
use crate::threads::Ended;
use crate::wheelhouse::Wheel;

/// What one loop serves.
#[derive(Debug)]
pub(crate) struct Driver {
    server: Server,
    signals: Arc<Signals>,
    grace: Duration,
    connections: Vec<Connection>,
    /// What `poll` found, for each connection in their order; nothing for those that came later.
    found: Vec<Found>,
    listener: Option<Listener>,
    /// The most connections at any one time.
    capacity: usize,
    /// When all must be over, once the server shuts down or the only connection has ended.
    deadline: Option<Instant>,
    piece: Vec<u8>,
}

/// How much is read at once.
const PIECE: usize = 64 * 1024;
/// How many connections are accepted before those that exist have their turn.
const ACCEPTS_PER_TURN: usize = 16;

impl Driver {
    pub(crate) fn new(server: &Server, signals: &Arc<Signals>, grace: Duration) -> Driver {
        Driver {
            server: server.clone(),
            signals: Arc::clone(signals),
            grace,
            connections: Vec::new(),
            found: Vec::new(),
            listener: None,
            capacity: 0,
            deadline: None,
            piece: vec![0; PIECE],
        }
    }

    /// Serves one connection, and ends with it.
    pub(crate) fn connect(&mut self, ends: Ends) -> Result<(), ServeError> {
        let connection = Connection::new(&self.server, &self.signals, ends, false);
        self.connections.push(connection.map_err(|_| ServeError::Closed)?);
        Ok(())
    }

    /// Serves whoever comes, until the server shuts down.
    pub(crate) fn listen(&mut self, listener: Listener, capacity: usize) {
        self.listener = Some(listener);
        self.capacity = capacity;
    }

    /// Goes on until there is nobody to serve any more, or `is_called`; says whether it is over.
    fn serve(&mut self, is_called: &AtomicBool) -> Result<bool, ServeError> {
        loop {
            self.take_turns(is_called)?;
            // Before the server is looked at, so that what it says afterwards counts as news.
            self.signals.take_news();
            if self.server.is_closed() {
                return Err(ServeError::Closed);
            }
            if self.server.is_draining() && self.deadline.is_none() {
                self.deadline = Some(Instant::now() + self.grace);
                // From here on nobody can connect; a socket's file goes away.
                self.listener = None;
            }
            if self.listener.is_none() && self.connections.is_empty() {
                return Ok(true);
            }
            let timeout = self.tick();
            if is_called.load(Ordering::SeqCst) {
                return Ok(false);
            }
            self.sleep(timeout, is_called)?;
        }
    }

    /// Lets every connection do what it can, and lets go of those that are over.
    fn take_turns(&mut self, is_called: &AtomicBool) -> Result<(), ServeError> {
        let is_only = self.listener.is_none() && self.deadline.is_none();
        let mut found = self.found.drain(..);
        let mut failure = None;
        self.connections.retain_mut(|connection| {
            let found = found.next().unwrap_or_default();
            let state = connection.turn(found, &mut self.piece, self.grace, is_called);
            let is_over = match state {
                State::Alive => {
                    let until = connection.deadline().into_iter().chain(self.deadline).min();
                    until.is_some_and(|until| until <= Instant::now())
                }
                State::Over => true,
                State::Failed(error) => {
                    failure = Some(error);
                    true
                }
            };
            if is_over && is_only {
                self.deadline = connection.deadline();
            }
            !is_over
        });
        match failure {
            // One of many may come to grief without the others.
            Some(error) if is_only => Err(ServeError::Io(error)),
            _ => Ok(()),
        }
    }

    /// Keeps the server's deadlines; says when the next one is.
    fn tick(&self) -> Option<Duration> {
        let mut timeout = self.server.timeout_ms();
        if timeout == Some(0) {
            self.server.tick();
            timeout = self.server.timeout_ms();
        }
        timeout.map(Duration::from_millis)
    }

    /// Waits until there is something to do, at most for `timeout`, and accepts who has come.
    fn sleep(
        &mut self,
        timeout: Option<Duration>,
        is_called: &AtomicBool,
    ) -> Result<(), ServeError> {
        let now = Instant::now();
        let timers = self.connections.iter().filter_map(Connection::wake_at);
        let timers = timers.chain(self.deadline);
        let pause = self.listener.as_mut().and_then(|listener| listener.pause(now));
        let timers = timers.chain(pause);
        let timers = timers.map(|at| at.saturating_duration_since(now)).chain(timeout);
        let timeout = timers.min();

        let listener = self.listener.as_ref().filter(|_| pause.is_none());
        let mut fds = Vec::with_capacity(2 + 2 * self.connections.len());
        fds.push(PollFd::new(self.signals.waker.as_fd(), PollFlags::POLLIN));
        fds.extend(listener.map(|it| PollFd::new(it.as_fd(), PollFlags::POLLIN)));
        for connection in &self.connections {
            connection.ends().watch(connection.wants(), &mut fds);
        }

        self.signals.waker.fall_asleep();
        // Who set a mark before this did not see that we sleep, and who does so after it wakes us.
        let is_awake = is_called.load(Ordering::SeqCst)
            || self.signals.has_news()
            || self.connections.iter().any(Connection::is_marked);
        let answer =
            poll(&mut fds, if is_awake { PollTimeout::ZERO } else { in_whole_ms(timeout) });
        match answer {
            Ok(_) | Err(nix::Error::EINTR) => {}
            Err(error) => return Err(ServeError::Io(error.into())),
        }
        // Flags that the library does not know are worth a look too.
        let mut answers = fds.iter().map(|fd| fd.revents().unwrap_or(PollFlags::POLLIN));
        let was_told = answers.next().is_some_and(|flags| !flags.is_empty());
        self.signals.waker.get_up(was_told);
        let has_come = listener.is_some() && answers.next().is_some_and(|flags| !flags.is_empty());
        for connection in &self.connections {
            self.found.push(connection.ends().found(connection.wants(), &mut answers));
        }
        drop(fds);
        if has_come {
            self.accept();
        }
        Ok(())
    }

    fn accept(&mut self) {
        for _ in 0..ACCEPTS_PER_TURN {
            let accepted = self.listener.as_mut().and_then(Listener::accept);
            let Some((socket, is_stranger)) = accepted else { return };
            // Whoever is too many is hung up on here.
            if self.connections.len() < self.capacity {
                let ends = Ends::Socket(socket);
                let connection = Connection::new(&self.server, &self.signals, ends, is_stranger);
                // So is everybody while there is no memory for another session.
                self.connections.extend(connection);
            }
        }
    }
}

impl Wheel for Driver {
    fn drive(&mut self, is_called: &AtomicBool) -> Option<Ended> {
        let result = self.serve(is_called);
        let now = Instant::now();
        let (result, deadline) = match result {
            Ok(false) => return None,
            Ok(true) => (Ok(()), self.deadline.unwrap_or(now + self.grace)),
            Err(error) => (Err(error), now),
        };
        Some(Ended { result, deadline })
    }
}

/// Rather a millisecond late than awake in vain.
fn in_whole_ms(timeout: Option<Duration>) -> PollTimeout {
    let Some(timeout) = timeout else { return PollTimeout::NONE };
    let ms = timeout.as_micros().div_ceil(1000);
    let ms = i32::try_from(ms).unwrap_or(i32::MAX);
    PollTimeout::try_from(ms).unwrap_or(PollTimeout::MAX)
}
