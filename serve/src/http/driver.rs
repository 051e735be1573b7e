//! The event loop's own task: accepts, keeps deadlines, and sees the end.

use std::future::Future as _;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use mcplite_core::Http;
use tokio::time::{Sleep, sleep_until};

use super::bell::Bell;
use super::connection::Connection;
use super::listener::{Listener, Visitor};
use super::seat::{Patience, Seats};
use super::switchboard::Switchboard;
use super::wheel::Task;
use crate::crew::Crew;
use crate::error::ServeError;
use crate::threads::Ended;

/// The number of its task; those of connections are others.
pub(crate) const TASK: u64 = 0;

/// What one loop serves. Connections are tasks of their own.
pub(crate) struct Driver {
    http: Http,
    crew: Arc<Crew>,
    /// Rung when something of the server may have changed, and at the end when a connection is over.
    bell: Arc<Bell>,
    own: Waker,
    /// Rung when somebody may have come, which is not looked for whenever a handler waits.
    door: Arc<Bell>,
    knock: Waker,
    seats: Arc<Seats>,
    arrived: Vec<Task>,
    listener: Option<Listener>,
    grace: Duration,
    /// When all must be over, once the server shuts down.
    deadline: Option<Instant>,
    /// When to look whether connections keep us waiting, if there are any.
    sweep_at: Option<Instant>,
    /// Until when nobody is accepted after that has failed, mostly for want of file descriptors.
    paused_until: Option<Instant>,
    sleep: Pin<Box<Sleep>>,
}

const PAUSE: Duration = Duration::from_millis(100);
/// How many connections are accepted before those that exist have their turn.
const ACCEPTS_PER_TURN: usize = 16;
/// For how long to sleep where there is nothing to do; it must end some time, but not soon.
const LONG: Duration = Duration::from_secs(86_400);
/// What is said to whoever is too many.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\n\
    connection: close\r\ncontent-length: 0\r\n\r\n";

impl Driver {
    /// To be called inside the runtime.
    pub(crate) fn new(
        http: &Http,
        crew: &Arc<Crew>,
        bell: &Arc<Bell>,
        switchboard: &Arc<Switchboard>,
        seats: Seats,
        listener: Listener,
        grace: Duration,
    ) -> Driver {
        let door = Bell::new(TASK, switchboard);
        bell.ring();
        door.ring();
        Driver {
            http: http.clone(),
            crew: Arc::clone(crew),
            bell: Arc::clone(bell),
            own: Waker::from(Arc::clone(bell)),
            knock: Waker::from(Arc::clone(&door)),
            door,
            seats: Arc::new(seats),
            arrived: Vec::new(),
            listener: Some(listener),
            grace,
            deadline: None,
            sweep_at: None,
            paused_until: None,
            sleep: Box::pin(sleep_until((Instant::now() + LONG).into())),
        }
    }

    /// Does all that can be done now. Says how the loop has ended, if it has.
    fn look(&mut self, now: Instant, is_at_door: bool) -> Option<Ended> {
        if self.http.is_closed() {
            return Some(Ended { result: Err(ServeError::Closed), deadline: now });
        }
        if self.http.is_draining() && self.deadline.is_none() {
            self.deadline = Some(now + self.grace);
            // From here on nobody can connect; a socket's file goes away.
            self.listener = None;
            self.http.drain();
            self.seats.close();
        }
        if is_at_door || self.paused_until.is_some_and(|until| until <= now) {
            self.accept(now);
        }
        if self.sweep_at.is_some_and(|at| at <= now) {
            self.sweep_at = self.seats.sweep(now);
        }
        let deadline = self.deadline?;
        (self.seats.count() == 0 || deadline <= now).then_some(Ended { result: Ok(()), deadline })
    }

    fn accept(&mut self, now: Instant) {
        self.paused_until = self.paused_until.filter(|until| now < *until);
        if self.paused_until.is_some() {
            return;
        }
        for _ in 0..ACCEPTS_PER_TURN {
            let mut cx = Context::from_waker(&self.knock);
            let accepted = self.listener.as_ref().map(|listener| listener.poll_accept(&mut cx));
            match accepted {
                Some(Poll::Ready(Ok(visitor))) => self.receive(visitor, now),
                // Also where only this client is to blame: it is not worth telling the two apart.
                Some(Poll::Ready(Err(_))) => {
                    self.paused_until = Some(now + PAUSE);
                    return;
                }
                Some(Poll::Pending) | None => return,
            }
        }
        self.door.ring();
    }

    fn receive(&mut self, visitor: Visitor, now: Instant) {
        let options = self.http.options();
        if self.seats.count() >= options.connections {
            visitor.turn_away(FULL);
            return;
        }
        let patience = Patience::new(&options);
        let sweep_at = now + patience.shortest();
        self.sweep_at = Some(self.sweep_at.map_or(sweep_at, |at| at.min(sweep_at)));
        let connection = Connection::new(&self.http, &self.crew, &self.seats, patience);
        self.arrived.push(connection.task(visitor.into_stream(), options));
    }

    /// Keeps the server's deadlines; says when the next thing is to be done.
    fn next(&self, now: Instant) -> Instant {
        let mut timeout = self.http.timeout_ms();
        if timeout == Some(0) {
            self.http.tick();
            timeout = self.http.timeout_ms();
        }
        let timeout = timeout.map_or(LONG, Duration::from_millis).min(LONG);
        let timers = [self.deadline, self.sweep_at, self.paused_until];
        timers.into_iter().flatten().fold(now + timeout, Instant::min)
    }

    /// Does what is due, if anything is. Says how the loop has ended, if it has.
    pub(crate) fn turn(&mut self) -> Option<Ended> {
        // Before anything is looked at, so that what changes afterwards is news.
        let (is_rung, is_at_door) = (self.bell.hear(), self.door.hear());
        if !is_rung && !is_at_door {
            return None;
        }
        let now = Instant::now();
        if let Some(ended) = self.look(now, is_at_door) {
            return Some(ended);
        }
        let next = self.next(now).into();
        // Waking up too early costs less than setting the timer each time.
        if next < self.sleep.deadline() || self.sleep.is_elapsed() {
            self.sleep.as_mut().reset(next);
        }
        if self.sleep.as_mut().poll(&mut Context::from_waker(&self.own)).is_ready() {
            // Others have their turn first.
            self.bell.ring();
        }
        None
    }

    /// Those who have come since this was asked last.
    pub(crate) fn arrived(&mut self) -> impl Iterator<Item = Task> {
        self.arrived.drain(..)
    }
}
