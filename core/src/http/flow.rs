//! A response that comes out of a lane: the answer as the body, or a stream of events.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::lane::{Lane, Weight};
use crate::peer::Peer;
use crate::revision::Feature;
use crate::server::ServerState;
use crate::wake::Wake;

use super::media;
use super::mount::Mount;
use super::options::HttpOptions;
use super::response::{Headers, Response};
use super::session::{HttpSession, OWN_STREAM, Stream};
use super::sse;

/// What takes messages out of a lane, and how they look.
#[derive(Debug)]
pub(super) struct Flow {
    pub(super) lane: Arc<Lane>,
    pub(super) server: Arc<ServerState>,
    source: Source,
    shape: Shape,
    is_done: bool,
    /// When something left last, if there is to be a sign of life some time after it.
    spoke_ms: Option<u64>,
    comment_is_due: bool,
    retry_ms: u64,
    replay_bytes: usize,
    message: Vec<u8>,
    /// Bytes that the host has taken last, and counts as its own when it takes more.
    lent: usize,
    /// Whether the request is a batch, of which nothing may need an answer.
    is_batch: bool,
    /// A stream that had to make room for this one, and is still to be ended.
    evicted: Option<(Arc<HttpSession>, Arc<Stream>)>,
}

/// Whose messages they are.
#[derive(Debug)]
pub(super) enum Source {
    /// A request that belongs to no session, and is a peer of its own.
    Alone(Arc<Peer>),
    /// A request of a session, whose id the response announces if it is new.
    Request { session: Arc<HttpSession>, announces: bool },
    /// A stream of a session, from its beginning or from where the client has lost it.
    Stream { session: Arc<HttpSession>, stream: Arc<Stream>, missed: Vec<(u64, Vec<u8>)> },
    /// The stream of 2024-11-05, which begins with where to post to and takes its session along.
    Pair { session: Arc<HttpSession>, mount: Arc<Mount>, endpoint: String },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Undecided,
    Json(u16),
    Events { has_begun: bool },
}

/// How much is taken at once.
const PIECE: usize = 64 * 1024;

impl Flow {
    pub(super) fn new(
        lane: Arc<Lane>,
        server: &Arc<ServerState>,
        source: Source,
        options: &HttpOptions,
    ) -> Flow {
        let is_request = matches!(source, Source::Alone(_) | Source::Request { .. });
        match &source {
            Source::Alone(_) => {}
            Source::Request { session, .. }
            | Source::Stream { session, .. }
            | Source::Pair { session, .. } => session.attach(),
        }
        let lent = match &source {
            Source::Stream { missed, .. } => missed.iter().map(|(_, message)| message.len()).sum(),
            _ => 0,
        };
        server.memory.take_anyway(lent);
        Flow {
            lane,
            server: Arc::clone(server),
            source,
            shape: if is_request { Shape::Undecided } else { Shape::Events { has_begun: false } },
            is_done: false,
            spoke_ms: None,
            comment_is_due: false,
            retry_ms: options.retry_ms,
            replay_bytes: options.replay_bytes,
            message: Vec::new(),
            lent,
            is_batch: false,
            evicted: None,
        }
    }

    pub(super) fn set_batch(&mut self) {
        self.is_batch = true;
    }

    /// What is to be done when no lock is held: ends a stream that had to make room.
    pub(super) fn take_evicted(&mut self) -> Option<(Arc<HttpSession>, Arc<Stream>)> {
        self.evicted.take()
    }

    pub(super) fn own_peer(&self) -> Option<Arc<Peer>> {
        match &self.source {
            Source::Alone(peer) => Some(Arc::clone(peer)),
            _ => None,
        }
    }

    pub(super) fn status(&mut self) -> Option<u16> {
        match self.shape() {
            Shape::Undecided => None,
            Shape::Json(status) => Some(status),
            Shape::Events { .. } => Some(200),
        }
    }

    /// Whether it is a stream before anything has come out of its lane.
    pub(super) fn begins_as_stream(&self) -> bool {
        matches!(self.shape, Shape::Events { .. })
    }

    pub(super) fn is_stream(&mut self) -> bool {
        matches!(self.shape(), Shape::Events { .. })
    }

    pub(super) fn headers(&mut self) -> Headers {
        let mut headers = match self.shape() {
            Shape::Undecided => return Headers::new(),
            Shape::Json(_) => vec![("Content-Type", media::JSON.into())],
            Shape::Events { .. } => vec![
                ("Content-Type", media::EVENTS.into()),
                ("Cache-Control", "no-cache, no-transform".into()),
                ("X-Accel-Buffering", "no".into()),
            ],
        };
        if let Source::Request { session, announces: true, .. } = &self.source
            && session.peer.handshake().is_some()
        {
            headers.push(("Mcp-Session-Id", session.id.to_string().into()));
        }
        headers
    }

    /// The response to a request that ended before anything was said of it.
    pub(super) fn silent_response(&mut self) -> Option<Response> {
        if self.shape() != Shape::Undecided {
            return None;
        }
        if self.lane.is_closed() {
            return Some(Response::refusal(503, None, "the request was given up"));
        }
        (self.is_batch && self.is_over()).then(|| Response::empty(202))
    }

    /// Appends what there is; `token` is that of the exchange. It counts as held until more is taken.
    pub(super) fn poll_onto(&mut self, out: &mut Vec<u8>, token: u64) {
        let before = self.lent;
        self.take_onto(out, token);
        self.lent = out.len();
        self.server.memory.take_anyway(self.lent);
        self.server.memory.give_back(before);
    }

    fn take_onto(&mut self, out: &mut Vec<u8>, token: u64) {
        if self.is_finished(token) {
            self.is_done = true;
            return;
        }
        match self.shape() {
            Shape::Undecided => {}
            Shape::Json(_) => {
                self.is_done = true;
                self.lane.poll_onto(out);
            }
            Shape::Events { has_begun } => {
                if !has_begun {
                    self.shape = Shape::Events { has_begun: true };
                    self.begin(out, token);
                }
                self.poll_events(out, token);
                if out.is_empty() && std::mem::take(&mut self.comment_is_due) {
                    sse::push_comment(out);
                }
            }
        }
    }

    /// Whether everything was taken and nothing will come.
    pub(super) fn is_finished(&mut self, token: u64) -> bool {
        if self.is_done || !self.follows(token) {
            return true;
        }
        let Shape::Events { has_begun: true } = self.shape() else { return false };
        self.lane.is_closed() || (self.is_over() && self.lane.seems_empty())
    }

    /// Lets the lane tell whoever is to be told, unless it has been left to somebody else.
    pub(super) fn connect(&self, token: u64, ring: Wake) -> bool {
        match &self.source {
            Source::Stream { stream, .. } => stream.connect(token, ring),
            _ => {
                self.lane.connect(Some(ring));
                true
            }
        }
    }

    /// Whether there is something to be told of.
    pub(super) fn has_news(&self) -> bool {
        !self.lane.is_empty() || self.lane.is_over() || self.lane.is_closed()
    }

    /// Whether the lane has not been left to somebody else.
    pub(super) fn follows(&self, token: u64) -> bool {
        match &self.source {
            Source::Stream { stream, .. } => stream.is_followed_by(token),
            _ => true,
        }
    }

    /// Something has left, or the stream has begun; says whether that is the first time.
    pub(super) fn note_speech(&mut self, now_ms: u64) -> bool {
        self.spoke_ms.replace(now_ms).is_none()
    }

    /// Time has passed. After a silence of `keepalive_ms` a comment is due, and this is when the next one
    /// could be.
    pub(super) fn note_time(&mut self, now_ms: u64, keepalive_ms: u64) -> u64 {
        let due_ms = self.spoke_ms.unwrap_or(now_ms).saturating_add(keepalive_ms);
        if due_ms > now_ms {
            return due_ms;
        }
        self.comment_is_due = true;
        now_ms.saturating_add(keepalive_ms)
    }

    /// The client is gone, or has everything.
    pub(super) fn leave(&mut self, token: u64) {
        match &self.source {
            Source::Alone(peer) if peer.is_reachable => self.server.note_cancelled(peer.close()),
            // A lost connection is not a cancellation before 2026-07-28, with a session or without.
            Source::Alone(_) => self.lane.close(),
            Source::Request { session, .. } => {
                // Nobody can ask for what never began to be a stream. The call itself goes on.
                self.lane.close();
                session.detach();
            }
            Source::Stream { session, stream, .. } => {
                stream.disconnect(token);
                session.detach();
            }
            Source::Pair { session, mount, .. } => {
                session.detach();
                mount.sessions.remove(&session.id);
                session.close();
            }
        }
    }

    fn shape(&mut self) -> Shape {
        if self.shape == Shape::Undecided {
            let may_hang_up = self.can_be_resumed() && self.lane.wants_hang_up();
            self.shape = match self.lane.front() {
                _ if may_hang_up => Shape::Events { has_begun: false },
                Some(Weight::Answer) => Shape::Json(200),
                Some(Weight::Refusal(status)) => Shape::Json(status),
                Some(_) => Shape::Events { has_begun: false },
                None if self.is_over() && !self.is_batch => Shape::Events { has_begun: false },
                None => Shape::Undecided,
            };
        }
        self.shape
    }

    /// Whether nothing will be added to the lane.
    fn is_over(&self) -> bool {
        match &self.source {
            Source::Stream { session, stream, .. } if stream.number == OWN_STREAM => {
                session.peer.is_draining() || session.peer.is_closed()
            }
            Source::Pair { session, .. } => session.peer.is_finished() || session.peer.is_closed(),
            _ => self.lane.is_over(),
        }
    }

    fn can_be_resumed(&self) -> bool {
        self.replay_bytes > 0
            && matches!(self.source, Source::Request { .. } | Source::Stream { .. })
    }

    /// What comes before the first message. A request of a session becomes one of its streams.
    fn begin(&mut self, out: &mut Vec<u8>, token: u64) {
        match &mut self.source {
            Source::Alone(_) => {}
            // Nobody need come back for nothing.
            Source::Request { .. } if self.lane.is_over() && self.lane.seems_empty() => {}
            Source::Request { session, .. } if self.replay_bytes > 0 => {
                let (stream, gone) = session.add_stream(&self.lane, token);
                self.evicted = gone.map(|gone| (Arc::clone(session), gone));
                let handshake = session.peer.handshake();
                if handshake.is_some_and(|it| it.revision.has(Feature::StreamPolling)) {
                    sse::push_priming(out, (stream.number, 0), self.retry_ms);
                }
                let session = Arc::clone(session);
                self.source = Source::Stream { session, stream, missed: Vec::new() };
            }
            Source::Request { .. } => {}
            Source::Stream { stream, missed, .. } => {
                for (event, message) in missed.drain(..) {
                    sse::push_message(out, Some((stream.number, event)), &message);
                }
                if stream.is_done.load(Ordering::SeqCst) {
                    self.is_done = true;
                }
                if out.is_empty() {
                    // So that proxies pass on that there is a stream.
                    sse::push_comment(out);
                }
            }
            Source::Pair { endpoint, .. } => sse::push_event(out, "endpoint", endpoint.as_bytes()),
        }
    }

    fn poll_events(&mut self, out: &mut Vec<u8>, token: u64) {
        while !self.is_done && out.len() < PIECE {
            let _turn = match &self.source {
                Source::Stream { stream, .. } => Some(stream.turn()),
                _ => None,
            };
            if let Source::Stream { stream, .. } = &self.source {
                if !stream.is_followed_by(token) {
                    return;
                }
                if self.lane.wants_hang_up() {
                    self.lane.clear_hang_up();
                    stream.leave(token);
                    self.lane.connect(None);
                    self.is_done = true;
                    return;
                }
            }
            self.message.clear();
            let Some(weight) = self.lane.poll_onto(&mut self.message) else { return };
            let is_last = weight.is_last() && self.lane.is_of_request();
            let id = match &self.source {
                Source::Stream { session, stream, .. } if self.replay_bytes > 0 => {
                    let event = stream.last_event.fetch_add(1, Ordering::SeqCst) + 1;
                    session.replay().keep(stream.number, event, &self.message, self.replay_bytes);
                    stream.is_done.fetch_or(is_last, Ordering::SeqCst);
                    Some((stream.number, event))
                }
                _ => None,
            };
            sse::push_message(out, id, &self.message);
            self.is_done |= is_last;
        }
    }
}

impl Drop for Flow {
    fn drop(&mut self) {
        self.server.memory.give_back(self.lent);
    }
}
