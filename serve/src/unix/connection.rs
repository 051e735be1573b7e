//! A connection: a session, the bytes that wait on either side of it, and how it ends.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mcplite_core::{Error, Server, Session};

use super::ends::{Ends, Found, Moved, Wants};
use super::signals::{Mark, Signals};
use super::throttle::Throttle;

/// One client.
#[derive(Debug)]
pub(crate) struct Connection {
    session: Session,
    ends: Ends,
    /// Set by the session's wake.
    mark: Arc<Mark>,
    signals: Arc<Signals>,
    throttle: Throttle,
    /// Whether the client has more to say.
    is_open: bool,
    /// Whether the first byte has yet to show that the client speaks JSON.
    is_stranger: bool,
    /// Input that the session could not take yet, and how much of it it has taken since.
    unread: Vec<u8>,
    taken: usize,
    /// Output on its way to the client, and how much of it is there.
    output: Vec<u8>,
    written: usize,
    /// Since when answers wait for those to more messages that are there.
    gathering: Option<Instant>,
    /// When to give up waiting for the end of open calls.
    deadline: Option<Instant>,
}

/// Whether a connection goes on.
#[derive(Debug)]
pub(crate) enum State {
    Alive,
    /// Everything has been said, or the client is gone.
    Over,
    Failed(io::Error),
}

/// How many messages are handed in before workers are told of them: so few that the engine has the state of
/// all their calls at hand, and so many that the telling costs little.
const MESSAGES_PER_RING: usize = 16;
/// How long answers may wait so that many are written at once.
const GATHERING: Duration = Duration::from_micros(250);
/// How many bytes are written before others have their turn.
const BYTES_PER_TURN: usize = 256 * 1024;
/// An empty buffer that has grown beyond this is given back.
const KEEP: usize = 256 * 1024;

impl Connection {
    /// A connection to `server`. A stranger has to begin with JSON.
    pub(crate) fn new(
        server: &Server,
        signals: &Arc<Signals>,
        ends: Ends,
        is_stranger: bool,
    ) -> Result<Connection, Error> {
        let session = Session::new(server)?;
        let mark = Arc::new(Mark::default());
        session.set_wake(Some(signals.session_wake(&mark)));
        Ok(Connection {
            session,
            ends,
            mark,
            signals: Arc::clone(signals),
            throttle: Throttle::new(&server.options().limits),
            is_open: true,
            is_stranger,
            unread: Vec::new(),
            taken: 0,
            output: Vec::new(),
            written: 0,
            gathering: None,
            deadline: None,
        })
    }

    /// Does all that can be done now: reads one piece, hands it in, writes what there is. If the driver
    /// `is_called` away, it leaves the rest for the next turn.
    pub(crate) fn turn(
        &mut self,
        found: Found,
        piece: &mut [u8],
        grace: Duration,
        is_called: &AtomicBool,
    ) -> State {
        let state = match self.advance(found, piece, grace, is_called) {
            State::Alive if self.session.is_finished() || self.session.is_closed() => State::Over,
            state => state,
        };
        if !matches!(state, State::Alive) {
            self.session.close();
        }
        state
    }

    /// Whether there is something to do without any news from `poll`.
    pub(crate) fn is_marked(&self) -> bool {
        self.mark.is_set()
    }

    pub(crate) fn wants(&self) -> Wants {
        Wants { input: self.wants_input(), output: self.has_output() }
    }

    pub(crate) fn ends(&self) -> &Ends {
        &self.ends
    }

    /// When open calls have had their time; `None` while the client may say more.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// When to take a turn although nothing has happened.
    pub(crate) fn wake_at(&self) -> Option<Instant> {
        let retry_at = self.throttle.retry_at().filter(|_| !self.unread.is_empty());
        self.deadline.into_iter().chain(retry_at).min()
    }

    fn wants_input(&self) -> bool {
        self.is_open && self.unread.is_empty()
    }

    /// Whether there is output for which there was no room.
    fn has_output(&self) -> bool {
        self.written < self.output.len()
    }

    fn advance(
        &mut self,
        found: Found,
        piece: &mut [u8],
        grace: Duration,
        is_called: &AtomicBool,
    ) -> State {
        // What the client still wanted nobody waits for.
        if found.is_lost {
            return State::Over;
        }
        if found.is_readable && self.wants_input() {
            match self.ends.read(piece) {
                Moved::Bytes(0) => self.end(grace),
                Moved::Bytes(length) => {
                    let bytes = piece.get(..length).unwrap_or_default();
                    if !self.is_trusted(bytes) {
                        return State::Over;
                    }
                    let used = self.feed(bytes, is_called);
                    self.unread.extend_from_slice(bytes.get(used..).unwrap_or_default());
                }
                Moved::Nothing => {}
                Moved::Gone => self.end(grace),
                Moved::Failed(error) => return State::Failed(error),
            }
        } else {
            self.feed_unread(is_called);
        }
        if self.gathers(is_called) {
            return State::Alive;
        }
        if self.has_output() || self.mark.take() {
            let state = self.write(found.is_writable);
            if !matches!(state, State::Alive) {
                return state;
            }
            // What full output has held back can go on where all of it is gone.
            if !self.has_output() {
                self.feed_unread(is_called);
            }
        }
        State::Alive
    }

    /// Browsers let any page write to local ports, but not without a line of HTTP first.
    fn is_trusted(&mut self, bytes: &[u8]) -> bool {
        if !self.is_stranger {
            return true;
        }
        let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
        self.is_stranger = first.is_none();
        matches!(first, None | Some(b'{' | b'['))
    }

    fn end(&mut self, grace: Duration) {
        self.is_open = false;
        self.deadline = Some(Instant::now() + grace);
        self.signals.crew.hold();
        // A last line without a newline counts. If it cannot be taken, the session is closed.
        drop(self.session.end());
        self.signals.crew.release();
    }

    /// Whether to write only when more has been answered. There is more to hand in, which the driver comes
    /// back for as soon as the handlers for what it has handed in have run.
    fn gathers(&mut self, is_called: &AtomicBool) -> bool {
        if self.unread.is_empty() || !is_called.load(Ordering::SeqCst) {
            self.gathering = None;
            return false;
        }
        let now = Instant::now();
        let gathers = now < *self.gathering.get_or_insert(now) + GATHERING;
        self.gathering = self.gathering.filter(|_| gathers);
        gathers
    }

    fn feed_unread(&mut self, is_called: &AtomicBool) {
        if self.unread.is_empty() {
            return;
        }
        let unread = std::mem::take(&mut self.unread);
        self.taken += self.feed(unread.get(self.taken..).unwrap_or_default(), is_called);
        if self.taken < unread.len() {
            self.unread = unread;
        } else {
            self.taken = 0;
        }
    }

    /// Hands in messages as long as they are welcome. Says how many bytes that were.
    fn feed(&mut self, bytes: &[u8], is_called: &AtomicBool) -> usize {
        let Connection { session, throttle, signals, .. } = self;
        let (mut used, mut messages, mut admitted) = (0, 0, 0);
        signals.crew.hold();
        while let Some(rest) = bytes.get(used..).filter(|rest| !rest.is_empty()) {
            if admitted == 0 {
                admitted = throttle.admits(session.open_calls(), Instant::now);
            }
            if admitted == 0 {
                break;
            }
            match session.receive(rest) {
                Ok(taken) => used += taken,
                Err(Error::Limit(_)) => break,
                // Closed, or so broken that nobody knows where in the stream it is.
                Err(_) => {
                    session.close();
                    used = bytes.len();
                }
            }
            (messages, admitted) = (messages + 1, admitted - 1);
            if messages % MESSAGES_PER_RING == 0 {
                signals.crew.pass_on();
                if is_called.load(Ordering::SeqCst) {
                    break;
                }
            }
        }
        signals.crew.release();
        used
    }

    fn write(&mut self, mut is_ready: bool) -> State {
        let mut total = 0;
        while self.has_output() || self.fetch() {
            if total >= BYTES_PER_TURN {
                break;
            }
            let bytes = self.output.get(self.written..).unwrap_or_default();
            match self.ends.write(bytes, is_ready) {
                Moved::Bytes(count) => {
                    self.written += count;
                    self.session.settle(count);
                    total += count;
                }
                Moved::Nothing => break,
                Moved::Gone => return State::Over,
                Moved::Failed(error) => return State::Failed(error),
            }
            is_ready = false;
        }
        State::Alive
    }

    /// Takes output from the session; says whether there was any.
    fn fetch(&mut self) -> bool {
        self.output.clear();
        self.written = 0;
        if self.output.capacity() > KEEP {
            self.output = Vec::new();
        }
        self.session.lend_into(&mut self.output) > 0
    }
}
