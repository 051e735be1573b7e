//! A session of a client before 2026-07-28: one peer whose messages travel in many exchanges.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::alarms::Alarmed;
use crate::error::Error;
use crate::hooks::Event;
use crate::lane::Lane;
use crate::memory::Charge;
use crate::peer::Peer;
use crate::server::ServerState;
use crate::wake::Wake;

use super::mount::Mount;
use super::replay::Replay;

/// One client's session.
pub(crate) struct HttpSession {
    pub(super) id: Arc<str>,
    pub(super) token: u64,
    pub(super) peer: Arc<Peer>,
    pub(super) server: Arc<ServerState>,
    /// Whether it is one of 2024-11-05, whose messages all travel on one stream.
    pub(super) is_pair: bool,
    /// Whose it is: nobody else may use it.
    principal: Option<Arc<str>>,
    mount: Weak<Mount>,
    state: Mutex<State>,
    pub(super) replay: Mutex<Replay>,
    /// Exchanges under way.
    attached: AtomicUsize,
    used_ms: AtomicU64,
    farewell: AtomicBool,
    _charge: Charge,
}

struct State {
    streams: VecDeque<Arc<Stream>>,
    last_stream: u64,
}

/// Messages in their order, which a client may follow over several connections.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) number: u64,
    pub(super) lane: Arc<Lane>,
    /// The number of the last event.
    pub(super) last_event: AtomicU64,
    /// The exchange that takes its messages; 0 for none.
    owner: AtomicU64,
    /// Whether its last message was taken.
    pub(super) is_done: AtomicBool,
    /// Held while a message is taken or the follower changes, so that none is taken by the wrong one.
    turn: Mutex<()>,
}

/// What a session costs besides its texts.
const OVERHEAD: usize = 2048;
/// How many streams are kept for clients that may come back.
const MAX_STREAMS: usize = 64;
/// The number of the stream for messages that belong to no request.
pub(super) const OWN_STREAM: u64 = 0;

impl HttpSession {
    pub(super) fn new(
        mount: &Arc<Mount>,
        id: Arc<str>,
        principal: Option<Arc<str>>,
        is_pair: bool,
        now_ms: u64,
    ) -> Result<Arc<HttpSession>, Error> {
        let server = Arc::clone(mount.server.state());
        let charge = Charge::new(&server.memory, OVERHEAD)?;
        let lane = Arc::new(Lane::new(Arc::clone(&server.memory)));
        let own = Arc::new(Stream::new(OWN_STREAM, Arc::clone(&lane)));
        let session = HttpSession {
            id,
            token: server.next_token(),
            peer: Arc::new(Peer::new(server.next_peer(), lane)),
            is_pair,
            principal,
            mount: Arc::downgrade(mount),
            state: Mutex::new(State { streams: VecDeque::from([own]), last_stream: OWN_STREAM }),
            replay: Mutex::new(Replay::new(Arc::clone(&server.memory))),
            attached: AtomicUsize::new(0),
            used_ms: AtomicU64::new(now_ms),
            farewell: AtomicBool::new(false),
            _charge: charge,
            server,
        };
        Ok(Arc::new(session))
    }

    /// Whether the session is this principal's.
    pub(super) fn is_of(&self, principal: Option<&str>) -> bool {
        self.principal.as_deref() == principal
    }

    /// An exchange begins.
    pub(super) fn attach(&self) {
        self.attached.fetch_add(1, Ordering::SeqCst);
    }

    /// An exchange has ended.
    pub(super) fn detach(&self) {
        self.used_ms.store(self.server.catalog().hooks.now_ms(), Ordering::Relaxed);
        self.attached.fetch_sub(1, Ordering::SeqCst);
    }

    /// The stream for messages that belong to no request.
    pub(super) fn own_stream(&self) -> Option<Arc<Stream>> {
        self.stream(OWN_STREAM)
    }

    pub(super) fn stream(&self, number: u64) -> Option<Arc<Stream>> {
        self.state().streams.iter().find(|stream| stream.number == number).cloned()
    }

    /// A stream for the messages of one request, followed by the exchange of that token. The oldest of those
    /// that nobody follows may have to make room: it must be given to [`HttpSession::forget`] when no lock
    /// is held.
    pub(super) fn add_stream(
        &self,
        lane: &Arc<Lane>,
        token: u64,
    ) -> (Arc<Stream>, Option<Arc<Stream>>) {
        let mut state = self.state();
        state.last_stream += 1;
        let stream = Arc::new(Stream::new(state.last_stream, Arc::clone(lane)));
        stream.follow(token);
        state.streams.push_back(Arc::clone(&stream));
        let gone = if state.streams.len() > MAX_STREAMS { state.take_idle() } else { None };
        (stream, gone)
    }

    /// Nobody can come back to a stream any more.
    pub(super) fn forget(&self, stream: &Stream) {
        self.replay().forget(stream.number);
        stream.lane.close();
    }

    /// Ends the session: open calls are cancelled, streams end, and nobody can use it any more.
    pub(super) fn close(&self) {
        self.server.alarms.remove(self.token);
        if self.farewell.swap(true, Ordering::SeqCst) {
            return;
        }
        self.server.note_cancelled(self.peer.close());
        let streams = std::mem::take(&mut self.state().streams);
        streams.iter().for_each(|stream| stream.lane.close());
        self.server.catalog().hooks.tell(&Event::SessionClosed);
    }

    pub(super) fn replay(&self) -> MutexGuard<'_, Replay> {
        self.replay.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the time after which the session ends if nobody uses it.
    pub(super) fn watch(self: &Arc<HttpSession>, idle_ms: u64) {
        if idle_ms > 0 {
            let at_ms = self.used_ms.load(Ordering::Relaxed).saturating_add(idle_ms);
            let own: Weak<HttpSession> = Arc::downgrade(self);
            self.server.set_alarm(self.token, at_ms, own);
        }
    }

    fn is_in_use(&self) -> bool {
        self.attached.load(Ordering::SeqCst) > 0 || self.peer.open_count() > 0
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Alarmed for HttpSession {
    fn ring(self: Arc<HttpSession>, now_ms: u64) -> Option<u64> {
        let mount = self.mount.upgrade()?;
        let idle_ms = mount.options().session_idle_ms;
        if idle_ms == 0 {
            return None;
        }
        let used_ms = if self.is_in_use() { now_ms } else { self.used_ms.load(Ordering::Relaxed) };
        let at_ms = used_ms.saturating_add(idle_ms);
        if at_ms > now_ms {
            return Some(at_ms);
        }
        mount.sessions.remove(&self.id);
        self.close();
        None
    }
}

impl State {
    /// Takes away the oldest stream of a request that nobody follows, over or not.
    fn take_idle(&mut self) -> Option<Arc<Stream>> {
        let is_idle = |stream: &Arc<Stream>| stream.number != OWN_STREAM && !stream.is_followed();
        let position = self.streams.iter().position(is_idle)?;
        self.streams.remove(position)
    }
}

impl Stream {
    fn new(number: u64, lane: Arc<Lane>) -> Stream {
        Stream {
            number,
            lane,
            last_event: AtomicU64::new(0),
            owner: AtomicU64::new(0),
            is_done: AtomicBool::new(false),
            turn: Mutex::default(),
        }
    }

    pub(super) fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_followed(&self) -> bool {
        self.owner.load(Ordering::SeqCst) != 0
    }

    pub(super) fn is_followed_by(&self, token: u64) -> bool {
        self.owner.load(Ordering::SeqCst) == token
    }

    /// Follows the stream, unless somebody does.
    pub(super) fn follow(&self, token: u64) -> bool {
        self.owner.compare_exchange(0, token, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }

    /// Follows the stream in the place of whoever does, from behind `event`: gives what was sent since,
    /// or nothing if that is not there.
    pub(super) fn take_over(
        &self,
        token: u64,
        replay: &Mutex<Replay>,
        event: u64,
    ) -> Option<Vec<(u64, Vec<u8>)>> {
        let (missed, before) = {
            let _turn = self.turn();
            let last = self.last_event.load(Ordering::SeqCst);
            let replay = replay.lock().unwrap_or_else(PoisonError::into_inner);
            let missed = replay.since(self.number, event, last)?;
            (missed, self.owner.swap(token, Ordering::SeqCst))
        };
        if before != 0 {
            // So that it notices.
            self.lane.nudge();
        }
        self.lane.clear_hang_up();
        Some(missed)
    }

    /// Leaves the stream to whoever comes next; says whether it was still this one's.
    pub(super) fn leave(&self, token: u64) -> bool {
        self.owner.compare_exchange(token, 0, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }

    /// The same, and nobody is told any more; in one step, so that the next one keeps its wake.
    pub(super) fn disconnect(&self, token: u64) {
        let _turn = self.turn();
        if self.leave(token) {
            self.lane.connect(None);
        }
    }

    /// Lets the lane tell whoever follows the stream, if that is this one.
    pub(super) fn connect(&self, token: u64, wake: Wake) -> bool {
        let _turn = self.turn();
        let follows = self.is_followed_by(token);
        if follows {
            self.lane.connect(Some(wake));
        }
        follows
    }
}

impl Drop for HttpSession {
    fn drop(&mut self) {
        self.close();
    }
}

/// Not its id, which is a secret.
impl fmt::Debug for HttpSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpSession").field("token", &self.token).finish_non_exhaustive()
    }
}
