//! A peer: what is known of the client, its requests that wait for an answer, and what it watches.
//!
//! A pipe has one peer and one lane. Over HTTP a legacy session is one peer with many lanes, and a
//! modern request is a peer of its own; that is why the two are apart.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::ask::{Waiting, WaitingList};
use crate::call::CallState;
use crate::error::Error;
use crate::json::quoted;
use crate::jsonrpc::{Id, MetaCache, NoId, write_notification};
use crate::lane::{Lane, Weight};
use crate::listen::{Ending, Listen};
use crate::memory::Charge;
use crate::model::logging::LogLevel;
use crate::revision::{Feature, Revision};
use crate::subscriptions::Subscriber;

/// One client, as far as this server can tell them apart.
#[derive(Debug)]
pub(crate) struct Peer {
    /// Tells peers apart.
    pub(crate) number: u64,
    handshake: OnceLock<Handshake>,
    state: Mutex<State>,
    /// Messages in a row that could not be read.
    unreadable: AtomicU32,
    /// Whether it has shown that it speaks a modern revision.
    seen_modern: AtomicBool,
    open: Mutex<Vec<OpenCall>>,
    /// How many are open, for requests that want to know only that there is none.
    open_count: AtomicUsize,
    listens: Mutex<Vec<Listen>>,
    /// Whether there ever was one, so that most requests need not look.
    has_listens: AtomicBool,
    /// Calls that wait until the client has answered questions of ours.
    pub(crate) waiting: WaitingList,
    pub(crate) meta_cache: MetaCache,
    /// Calls whose answer has not been written yet; outlives their place in `open` by a moment.
    pending: AtomicUsize,
    ended: AtomicBool,
    /// The server lets open calls finish and starts no more.
    draining: AtomicBool,
    closed: AtomicBool,
    /// Whether there is a way to tell it of changes; not if it is gone after one request.
    pub(crate) is_reachable: bool,
    /// Where messages go that answer no request.
    pub(crate) lane: Arc<Lane>,
}

#[derive(Debug)]
struct State {
    /// Who is told of changes since the handshake.
    subscriber: Option<Arc<Subscriber>>,
    log_level: LogLevel,
    /// The pages that the client was sent to last.
    elicitations: VecDeque<String>,
}

/// How many pages that a client was sent to are remembered.
const MAX_ELICITATIONS: usize = 256;

/// What `initialize` settled.
#[derive(Debug)]
pub(crate) struct Handshake {
    pub(crate) revision: Revision,
    /// JSON text of `clientInfo`.
    pub(crate) client: String,
    /// JSON text of `capabilities`.
    pub(crate) capabilities: String,
    pub(crate) _charge: Charge,
}

/// Why a call could not be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotOpened {
    TooMany,
    Duplicate,
    Closed,
}

#[derive(Debug)]
struct OpenCall {
    token: u64,
    /// Of the id, which is compared only where this agrees.
    digest: u64,
    call: Arc<CallState>,
}

impl Peer {
    pub(crate) fn new(number: u64, lane: Arc<Lane>) -> Peer {
        let state =
            State { subscriber: None, log_level: LogLevel::Info, elicitations: VecDeque::new() };
        Peer {
            number,
            handshake: OnceLock::new(),
            state: Mutex::new(state),
            unreadable: AtomicU32::new(0),
            seen_modern: AtomicBool::new(false),
            open: Mutex::default(),
            open_count: AtomicUsize::new(0),
            listens: Mutex::default(),
            has_listens: AtomicBool::new(false),
            waiting: WaitingList::default(),
            meta_cache: MetaCache::default(),
            pending: AtomicUsize::new(0),
            ended: AtomicBool::new(false),
            draining: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            is_reachable: true,
            lane,
        }
    }

    /// A client before 2026-07-28 that is known for one request only.
    pub(crate) fn passing(number: u64, lane: Arc<Lane>) -> Peer {
        Peer { is_reachable: false, ..Peer::new(number, lane) }
    }

    /// Settles the handshake. The first one holds: a second is refused by giving it back.
    pub(crate) fn shake_hands(
        &self,
        handshake: Handshake,
        subscriber: &Arc<Subscriber>,
    ) -> Result<(), Handshake> {
        // Under the lock, so that whoever sees the handshake finds its subscriber.
        let mut state = self.state();
        self.handshake.set(handshake)?;
        state.subscriber = Some(Arc::clone(subscriber));
        Ok(())
    }

    #[inline]
    pub(crate) fn handshake(&self) -> Option<&Handshake> {
        self.handshake.get()
    }

    /// Who is told of changes since the handshake.
    pub(crate) fn subscriber(&self) -> Option<Arc<Subscriber>> {
        self.state().subscriber.clone()
    }

    /// The client is ready for messages that answer no request.
    pub(crate) fn activate(&self) {
        if let Some(subscriber) = self.subscriber() {
            subscriber.activate();
        }
    }

    pub(crate) fn set_log_level(&self, level: LogLevel) {
        self.state().log_level = level;
    }

    pub(crate) fn log_level(&self) -> LogLevel {
        self.state().log_level
    }

    /// A message could be read, in a revision without handshake or not.
    pub(crate) fn note_readable(&self) {
        self.unreadable.store(0, Ordering::Relaxed);
    }

    pub(crate) fn note_modern(&self) {
        if !self.has_seen_modern() {
            self.seen_modern.store(true, Ordering::Release);
        }
    }

    pub(crate) fn has_seen_modern(&self) -> bool {
        self.seen_modern.load(Ordering::Acquire)
    }

    /// The client is sent to the page of that id, whose end can be told later.
    pub(crate) fn note_elicitation(&self, id: String) {
        let mut state = self.state();
        if state.elicitations.len() >= MAX_ELICITATIONS {
            state.elicitations.pop_front();
        }
        state.elicitations.push_back(id);
    }

    /// Tells the client that the user is done with the page of that id, if it was sent there.
    pub(crate) fn complete_elicitation(&self, id: &str, limit: usize) -> Result<(), Error> {
        if !self.take_elicitation(id) {
            return Err(Error::NotFound);
        }
        let params = format!("{{\"elicitationId\":{}}}", quoted(id));
        let pushed = self.lane.push(Weight::Notification, limit, |out| {
            write_notification(out, "notifications/elicitation/complete", &params);
        });
        if pushed.is_err() {
            // It can be told when there is room.
            self.note_elicitation(id.to_owned());
        }
        self.lane.ring();
        pushed
    }

    /// Says whether the client was sent there, and forgets it.
    fn take_elicitation(&self, id: &str) -> bool {
        let mut state = self.state();
        let position = state.elicitations.iter().position(|known| known == id);
        position.is_some_and(|position| state.elicitations.remove(position).is_some())
    }

    /// A message could not be read; says whether it is answered.
    pub(crate) fn note_unreadable(&self, answers: u32) -> bool {
        let before = self.unreadable.fetch_add(1, Ordering::Relaxed);
        // Of four billion, the first few are answered once more.
        before < answers
    }

    /// How to write the id of an answer to a message whose own could not be read.
    pub(crate) fn missing_id(&self) -> NoId {
        let absent = match self.handshake.get() {
            Some(handshake) => handshake.revision.has(Feature::ErrorWithoutId),
            None => self.has_seen_modern(),
        };
        if absent { NoId::Absent } else { NoId::Null }
    }

    /// Whether an open call or listen stream has this id.
    pub(crate) fn is_open(&self, id: Id<'_>) -> bool {
        // Most clients wait for one answer before they ask again.
        let is_call = self.open_count.load(Ordering::Acquire) > 0 && {
            let digest = id.digest();
            self.open().iter().any(|open| open.has_id(id, digest))
        };
        is_call
            || self.has_listens.load(Ordering::Acquire) && {
                let digest = id.digest();
                self.listens().iter().any(|listen| listen.has_id(id, digest))
            }
    }

    /// Opens a listen stream, unless its id is in use or too many are open. `acknowledge` must not run
    /// the host's code: until it is done, nobody can end the stream.
    pub(crate) fn add_listen(
        &self,
        listen: Listen,
        limit: usize,
        acknowledge: impl FnOnce(),
    ) -> Result<(), NotOpened> {
        let mut listens = self.listens();
        // Whoever takes the streams away sets one of these first, so that none is added behind its back.
        if self.is_closed() || self.is_draining() || self.has_ended() {
            return Err(NotOpened::Closed);
        }
        if listens.len() >= limit {
            return Err(NotOpened::TooMany);
        }
        let id = Id::from_json(listen.subscriber.tag());
        if id.is_some_and(|id| listens.iter().any(|open| open.has_id(id, listen.digest))) {
            return Err(NotOpened::Duplicate);
        }
        acknowledge();
        listens.push(listen);
        self.has_listens.store(true, Ordering::Release);
        Ok(())
    }

    /// Takes away the listen stream of that id.
    pub(crate) fn take_listen(&self, id: Id<'_>) -> Option<Listen> {
        let digest = id.digest();
        let mut listens = self.listens();
        let position = listens.iter().position(|listen| listen.has_id(id, digest))?;
        Some(listens.remove(position))
    }

    /// Takes away all listen streams, in the order of their opening.
    fn take_listens(&self) -> Vec<Listen> {
        std::mem::take(&mut *self.listens())
    }

    pub(crate) fn open_count(&self) -> usize {
        self.open().len()
    }

    /// Opens a call, unless its id is in use or too many are open.
    #[inline(always)]
    pub(crate) fn open_call(
        &self,
        token: u64,
        call: &Arc<CallState>,
        limit: usize,
    ) -> Result<(), NotOpened> {
        let mut open = self.open();
        // `close` sets this before it takes what is open, so that nothing opens behind its back.
        if self.is_closed() || self.is_draining() {
            return Err(NotOpened::Closed);
        }
        if open.len() >= limit {
            return Err(NotOpened::TooMany);
        }
        let request = call.request();
        let is_used = |id| open.iter().any(|open| open.has_id(id, request.id_digest));
        if !open.is_empty() && request.id().is_some_and(is_used) {
            return Err(NotOpened::Duplicate);
        }
        self.pending.fetch_add(1, Ordering::SeqCst);
        open.push(OpenCall { token, digest: request.id_digest, call: Arc::clone(call) });
        self.open_count.store(open.len(), Ordering::Release);
        Ok(())
    }

    /// Puts the next attempt of a request in the place of the last; says whether that was open.
    pub(crate) fn replace_call(&self, old: u64, new: u64, call: &Arc<CallState>) -> bool {
        let mut open = self.open();
        let slot = open.iter_mut().find(|open| open.token == old);
        let Some(slot) = slot else { return false };
        (slot.token, slot.call) = (new, Arc::clone(call));
        true
    }

    /// The call is about to be answered: its id is free, and it can no longer be cancelled.
    #[inline(always)]
    pub(crate) fn forget_call(&self, token: u64) {
        let mut open = self.open();
        if let Some(position) = open.iter().position(|open| open.token == token) {
            let gone = open.swap_remove(position);
            self.open_count.store(open.len(), Ordering::Release);
            drop(open);
            drop(gone);
        }
    }

    /// The answer of a call has been written, or there will be none.
    #[inline]
    pub(crate) fn settle_call(&self) {
        self.pending.fetch_sub(1, Ordering::SeqCst);
        if self.is_finished() {
            self.lane.ring();
        }
    }

    pub(crate) fn find_open(&self, id: Id<'_>) -> Option<Arc<CallState>> {
        let digest = id.digest();
        let open = self.open();
        let found = open.iter().find(|open| open.has_id(id, digest));
        found.map(|open| Arc::clone(&open.call))
    }

    /// The client says no more: it will not cancel its listen streams, and nobody answers for them.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::SeqCst);
        self.stop_telling();
        self.waiting.take_all().iter().for_each(Waiting::give_up);
        if self.is_finished() {
            self.lane.ring();
        }
    }

    /// Starts no more calls, and takes away all listen streams. [`Peer::settle_call`] must follow when
    /// they have been ended.
    pub(crate) fn drain(&self) -> Vec<Listen> {
        // The goodbyes count as a call, so that the peer is not finished before they are written.
        self.pending.fetch_add(1, Ordering::SeqCst);
        self.draining.store(true, Ordering::SeqCst);
        self.take_listens()
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.draining.load(Ordering::SeqCst)
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }

    /// Cancels open calls, discards output, and marks the peer as gone. Says how many were open.
    pub(crate) fn close(&self) -> usize {
        if self.closed.swap(true, Ordering::SeqCst) {
            return 0;
        }
        let open = {
            let mut open = self.open();
            self.open_count.store(0, Ordering::Release);
            std::mem::take(&mut *open)
        };
        let count = open.len();
        for OpenCall { call, .. } in open {
            call.cancel(Some("the session has ended"));
        }
        self.stop_telling();
        self.lane.close();
        count
    }

    /// Nobody is there to be told of changes.
    fn stop_telling(&self) {
        let subscriber = self.state().subscriber.take();
        subscriber.iter().for_each(|subscriber| subscriber.stop());
        self.take_listens().iter().for_each(|listen| listen.end(Ending::Cancelled));
    }

    /// A lane that gave up because nobody takes its output takes the peer with it. Says how many calls
    /// were open.
    pub(crate) fn close_if_overrun(&self) -> usize {
        let overrun = self.lane.is_closed() && !self.is_closed();
        if overrun { self.close() } else { 0 }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    /// No more input, every call answered, all output taken.
    ///
    /// Whoever makes one of these true asks about the others afterwards, in one order for all threads
    /// (`SeqCst`): so the last one sees it, and tells.
    #[inline]
    pub(crate) fn is_finished(&self) -> bool {
        let no_input = self.has_ended() || self.is_draining() || self.is_closed();
        no_input && self.pending.load(Ordering::SeqCst) == 0 && self.lane.is_empty()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn listens(&self) -> MutexGuard<'_, Vec<Listen>> {
        self.listens.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline(always)]
    fn open(&self) -> MutexGuard<'_, Vec<OpenCall>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenCall {
    fn has_id(&self, id: Id<'_>, digest: u64) -> bool {
        self.digest == digest && self.call.has_id(id)
    }
}
