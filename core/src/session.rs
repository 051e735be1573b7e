//! A session: one duplex pipe. Messages or raw bytes in, messages out.

use std::any::Any;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::batch::Sink;
use crate::dispatch::Incoming;
use crate::error::Error;
use crate::framing::{Line, Lines};
use crate::hooks::Event;
use crate::jsonrpc::write_notification;
use crate::lane::{Lane, Weight};
use crate::listen::Ending;
use crate::memory::Charge;
use crate::model::definition::check_object;
use crate::nesting::Nesting;
use crate::origin::Origin;
use crate::peer::Peer;
use crate::registry::Catalog;
use crate::server::{Server, ServerState};
use crate::wake::Wake;

/// One client on a duplex pipe: stdio, a socket, a WebSocket, two threads of the same process.
///
/// Dropping it cancels its open calls and discards its output.
#[derive(Debug)]
pub struct Session {
    state: Arc<SessionState>,
}

/// What outlives the handle while the engine is at work.
pub(crate) struct SessionState {
    server: Arc<ServerState>,
    peer: Arc<Peer>,
    lines: Mutex<Lines>,
    is_receiving: AtomicBool,
    desk: Mutex<Desk>,
    /// Whether the observer has been told of the end.
    farewell: AtomicBool,
    _charge: Charge,
}

/// What the host wants handlers to know of the client, and what messages work on while nothing changes.
#[derive(Default)]
struct Desk {
    context: Option<Arc<dyn Any + Send + Sync>>,
    principal: Option<Arc<str>>,
    /// With the generation of the catalog that it holds.
    origin: Option<(u64, Arc<Origin>)>,
}

/// What a session costs besides its buffers.
const OVERHEAD: usize = 1024;

impl Session {
    /// A session on `server`.
    pub fn new(server: &Server) -> Result<Session, Error> {
        let server = Arc::clone(server.state());
        if server.is_closed() || server.is_draining() {
            return Err(Error::Closed);
        }
        let charge = Charge::new(&server.memory, OVERHEAD)?;
        let lane = Arc::new(Lane::new(Arc::clone(&server.memory)));
        let state = Arc::new(SessionState {
            peer: Arc::new(Peer::new(server.next_peer(), lane)),
            lines: Mutex::default(),
            is_receiving: AtomicBool::new(false),
            desk: Mutex::default(),
            farewell: AtomicBool::new(false),
            _charge: charge,
            server,
        });
        state.server.add_session(&state);
        state.server.catalog().hooks.tell(&Event::SessionOpened);
        let session = Session { state };
        // A server that was closed meanwhile did not see this session.
        let missed = session.state.server.is_closed() || session.state.server.is_draining();
        if missed { Err(Error::Closed) } else { Ok(session) }
    }

    /// Takes one whole message, without framing. What is wrong with it is answered to the client and
    /// is `Ok` here. May be called from any thread, also from inside a handler.
    pub fn handle_message(&self, message: &[u8]) -> Result<(), Error> {
        self.delivery()?.message(message)
    }

    /// The same for a message that is known to be UTF-8.
    pub fn handle_text(&self, message: &str) -> Result<(), Error> {
        self.delivery()?.text(message)
    }

    /// The same in two steps, for shells whose host may free the session in its own code, which only the second
    /// runs.
    #[inline]
    pub fn delivery(&self) -> Result<Delivery, Error> {
        let nesting = Nesting::enter()?;
        Ok(Delivery { incoming: self.state.incoming()?, _nesting: nesting })
    }

    /// Takes bytes of a stream whose messages end with newlines, at most one message of them. Says
    /// how many bytes were taken; offer the rest again. While output is full, nothing is taken and
    /// the error is [`Error::Limit`]: take output, then offer the bytes again.
    pub fn receive(&self, bytes: &[u8]) -> Result<usize, Error> {
        let _nesting = Nesting::enter()?;
        let _turn = self.state.begin_receiving()?;
        self.state.receive_message(bytes)
    }

    /// Takes all of the bytes, however many messages they hold. It cannot push back, so that a
    /// session whose output is not taken is closed.
    pub fn receive_all(&self, bytes: &[u8]) -> Result<(), Error> {
        let _nesting = Nesting::enter()?;
        // For all of them: nobody else's bytes may come in between.
        let _turn = self.state.begin_receiving()?;
        let mut used = 0;
        while let Some(rest) = bytes.get(used..).filter(|rest| !rest.is_empty()) {
            match self.state.receive_message(rest) {
                Ok(taken) => used += taken,
                Err(Error::Limit(_)) => {
                    self.state.close();
                    return Err(Error::Closed);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The input has ended; a last line without a newline counts. Output and open calls go on.
    pub fn end(&self) -> Result<(), Error> {
        let _nesting = Nesting::enter()?;
        let mut handled = Ok(false);
        {
            let _turn = self.state.begin_receiving()?;
            if !self.state.peer.is_closed() && !self.state.peer.has_ended() {
                let line = self.state.frame(Lines::end);
                let incoming = Incoming::new(self.state.origin(), Sink::Peer, false);
                handled = self.state.handle_line(line, b"", &incoming);
            }
        }
        self.state.close_if_overrun();
        self.state.peer.end();
        handled.map(|_| ())
    }

    /// Replaces the contents of `buffer` with the next message; says whether there was one.
    pub fn poll_into(&self, buffer: &mut Vec<u8>) -> bool {
        let was_one = self.take_into(buffer);
        self.go_on();
        was_one
    }

    /// The same without running any code of the host's. While handlers are held back, [`Session::go_on`] must
    /// follow.
    pub fn take_into(&self, buffer: &mut Vec<u8>) -> bool {
        self.state.peer.lane.poll_into(buffer)
    }

    /// Whether handlers wait until output is taken.
    pub fn holds_back(&self) -> bool {
        self.state.server.holds_back()
    }

    /// Output was taken: lets handlers run that waited for it.
    pub fn go_on(&self) {
        self.state.server.resume();
    }

    /// Appends all waiting messages to `out`, each with a newline; says how many there were.
    pub fn drain_into(&self, out: &mut Vec<u8>) -> usize {
        let count = self.state.peer.lane.drain_into(out);
        self.state.server.resume();
        count
    }

    /// Moves all waiting messages into `out`, which is empty, each with a newline; says how many bytes.
    /// They count as waiting until [`Session::settle`] says that they were passed on: for hosts that
    /// write to something which may take only a part.
    pub fn lend_into(&self, out: &mut Vec<u8>) -> usize {
        self.state.peer.lane.lend_into(out)
    }

    /// So many of the bytes that were lent have been passed on.
    pub fn settle(&self, bytes: usize) {
        self.state.peer.lane.settle(bytes);
        self.state.server.resume();
    }

    /// Sets who is told that there is output: once after all of it was taken or none found, and when the
    /// session becomes finished in another way than by taking its last output.
    pub fn set_wake(&self, wake: Option<Wake>) {
        self.state.peer.lane.set_wake(wake);
        if self.state.peer.is_finished() {
            self.state.peer.lane.ring();
        }
    }

    /// Attaches something of the host's that handlers see as `Call::context`, for messages handed in
    /// from now on.
    pub fn set_context(&self, context: Option<Arc<dyn Any + Send + Sync>>) {
        let old = {
            let mut desk = self.state.desk();
            (std::mem::replace(&mut desk.context, context), desk.origin.take())
        };
        drop(old);
    }

    /// Says who the client is, for messages handed in from now on.
    pub fn set_principal(&self, principal: Option<&str>) {
        let old = {
            let mut desk = self.state.desk();
            desk.principal = principal.map(Arc::from);
            desk.origin.take()
        };
        drop(old);
    }

    /// Sends a notification of the host's own. `params` is a JSON object, or empty for none.
    pub fn notify(&self, method: &str, params: &str) -> Result<(), Error> {
        let catalog = self.state.server.catalog();
        let limits = &catalog.options.limits;
        let params = match params {
            "" => "",
            params => check_object(params, limits.depth)?,
        };
        let lane = &self.state.peer.lane;
        lane.push(Weight::Notification, limits.output_bytes, |out| {
            write_notification(out, method, params);
        })?;
        lane.ring();
        Ok(())
    }

    /// Whether the input has ended, every call is answered and all output taken.
    pub fn is_finished(&self) -> bool {
        self.state.peer.is_finished()
    }

    /// Whether the session was closed, by the host or because nobody took its output.
    pub fn is_closed(&self) -> bool {
        self.state.peer.is_closed()
    }

    /// Requests that wait for an answer, and notifications that handlers still hold.
    pub fn open_calls(&self) -> usize {
        self.state.peer.open_count()
    }

    /// Cancels open calls, discards output, and refuses everything from now on.
    pub fn close(&self) {
        self.state.close();
    }
}

/// One message that is about to be taken. It holds all that this needs, and refuses nothing: what breaks down
/// is an error as long as the session is not closed.
#[derive(Debug)]
pub struct Delivery {
    incoming: Incoming,
    _nesting: Nesting,
}

impl Delivery {
    /// Takes the message, see [`Session::handle_message`].
    pub fn message(self, message: &[u8]) -> Result<(), Error> {
        self.incoming.message(message);
        self.settle()
    }

    /// The same for a message that is known to be UTF-8.
    #[inline(always)]
    pub fn text(self, message: &str) -> Result<(), Error> {
        self.incoming.text(message);
        self.settle()
    }

    #[inline(always)]
    fn settle(&self) -> Result<(), Error> {
        self.incoming.close_if_overrun();
        self.incoming.outcome()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.state.close();
        // A call that is still held keeps the lane; the host's wake goes with the session.
        self.state.peer.lane.set_wake(None);
    }
}

impl SessionState {
    pub(crate) fn close(&self) {
        self.server.note_cancelled(self.peer.close());
        drop(self.take_origin());
        if !self.farewell.swap(true, Ordering::Relaxed) {
            self.server.catalog().hooks.tell(&Event::SessionClosed);
        }
    }

    /// Lets open calls finish and says goodbye to listeners.
    pub(crate) fn shutdown(&self) {
        for listen in self.peer.drain() {
            listen.end(Ending::Graceful);
        }
        self.peer.release();
    }

    /// Tells this client, if it was sent there.
    pub(crate) fn complete_elicitation(&self, id: &str, limit: usize) -> Result<(), Error> {
        self.peer.complete_elicitation(id, limit)
    }

    #[inline]
    fn close_if_overrun(&self) {
        self.server.note_cancelled(self.peer.close_if_overrun());
    }

    /// Takes bytes up to the end of one message at most; says how many.
    fn receive_message(&self, bytes: &[u8]) -> Result<usize, Error> {
        let incoming = self.incoming()?;
        let mut used = 0;
        while let Some(rest) = bytes.get(used..).filter(|rest| !rest.is_empty()) {
            let (taken, line) = self.take_line(rest, &incoming.catalog);
            used += taken;
            if self.handle_line(line, rest, &incoming)? {
                break;
            }
        }
        self.close_if_overrun();
        Ok(used)
    }

    /// What a message works on, if the session can take one now.
    #[inline(always)]
    fn incoming(&self) -> Result<Incoming, Error> {
        if self.peer.is_closed() || self.server.is_closed() {
            return Err(Error::Closed);
        }
        if self.peer.has_ended() {
            return Err(Error::State("the input has ended"));
        }
        // Whoever lets output wait has to take it before there is more; the others go on.
        if self.server.memory.is_full() && !self.peer.lane.seems_empty() {
            return Err(Error::Limit("memory_bytes"));
        }
        let origin = self.origin();
        if self.peer.lane.seems_full(origin.catalog.options.limits.output_bytes) {
            return Err(Error::Limit("output_bytes"));
        }
        Ok(Incoming::new(origin, Sink::Peer, false))
    }

    /// What messages that arrive now work on.
    #[inline(always)]
    fn origin(&self) -> Arc<Origin> {
        let generation = self.server.generation();
        match &self.desk().origin {
            Some((own, origin)) if *own == generation => return Arc::clone(origin),
            _ => {}
        }
        self.renew_origin()
    }

    #[cold]
    fn renew_origin(&self) -> Arc<Origin> {
        let generation = self.server.generation();
        let catalog = self.server.catalog();
        let mut desk = self.desk();
        let origin = Arc::new(Origin {
            server: Arc::clone(&self.server),
            peer: Arc::clone(&self.peer),
            catalog,
            context: desk.context.clone(),
            principal: desk.principal.clone(),
            head: None,
        });
        // Whoever changes the catalog counts up first and takes origins away then, so that none of an older
        // generation is left here.
        let is_current = self.server.generation() == generation && !self.peer.is_closed();
        let old = desk.origin.take();
        desk.origin = is_current.then(|| (generation, Arc::clone(&origin)));
        drop(desk);
        drop(old);
        origin
    }

    /// Lets go of what messages work on, because it changes.
    pub(crate) fn take_origin(&self) -> Option<Arc<Origin>> {
        Some(self.desk().origin.take()?.1)
    }

    fn take_line(&self, bytes: &[u8], catalog: &Catalog) -> (usize, Line) {
        let limits = &catalog.options.limits;
        // A line for which there is no room is read on in constant memory, like one that is too long.
        let room = limits.memory_bytes.saturating_sub(self.server.memory.used());
        self.frame(|lines| lines.take(bytes, limits.message_bytes, room, limits.id_bytes))
    }

    /// Works on the framer and accounts for what it holds.
    fn frame<T>(&self, work: impl FnOnce(&mut Lines) -> T) -> T {
        let mut lines = self.lines();
        let before = lines.held();
        let result = work(&mut lines);
        self.server.memory.take_anyway(lines.held());
        self.server.memory.give_back(before);
        result
    }

    /// Handles what a piece of input completed; says whether that was a message.
    fn handle_line(&self, line: Line, input: &[u8], incoming: &Incoming) -> Result<bool, Error> {
        let was_message = match line {
            Line::Incomplete => false,
            Line::InInput { length } => incoming.message(input.get(..length).unwrap_or_default()),
            Line::Assembled(bytes) => {
                let was_message = incoming.message(&bytes);
                self.lines().reuse(bytes);
                was_message
            }
            Line::TooLong { rescued, lacks_room } => {
                incoming.too_long(&rescued, lacks_room);
                true
            }
        };
        incoming.outcome().map(|()| was_message)
    }

    fn begin_receiving(&self) -> Result<Receiving<'_>, Error> {
        if self.is_receiving.swap(true, Ordering::Acquire) {
            return Err(Error::Busy);
        }
        Ok(Receiving(self))
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline(always)]
    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The byte end of a session has one user at a time: a stream has one position.
struct Receiving<'a>(&'a SessionState);

impl Drop for Receiving<'_> {
    fn drop(&mut self) {
        self.0.is_receiving.store(false, Ordering::Release);
    }
}

impl Drop for SessionState {
    fn drop(&mut self) {
        let held = self.lines().held();
        self.server.memory.give_back(held);
    }
}

impl fmt::Debug for SessionState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionState").field("peer", &self.peer).finish_non_exhaustive()
    }
}
