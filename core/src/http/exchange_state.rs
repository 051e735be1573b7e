//! How far an exchange has come, shared by its handle, its views and what tells of its output.

use std::any::Any;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::alarms::Alarmed;
use crate::error::Error;
use crate::hooks::Event;
use crate::memory::Charge;
use crate::peer::Peer;
use crate::wake::{Bell, Wake};

use super::arrival::Arrival;
use super::endpoint::{HttpState, Route};
use super::flow::Flow;
use super::gate;
use super::head::Head;
use super::mount::Mount;
use super::options::HttpOptions;
use super::response::{Headers, Response};

pub(super) struct ExchangeState {
    pub(super) http: Arc<HttpState>,
    /// By which its mount, streams and alarms know it; 0 until it has come in.
    token: AtomicU64,
    state: Mutex<State>,
    pub(super) bell: Bell,
    is_receiving: AtomicBool,
    /// Whether all headers are there. Only whoever receives asks, and says so.
    has_head: AtomicBool,
    opened_us: u64,
}

pub(super) struct State {
    pub(super) stage: Stage,
    pub(super) head: Arc<Head>,
    pub(super) options: Arc<HttpOptions>,
    pub(super) mount: Option<Arc<Mount>>,
    pub(super) route: Option<Route>,
    pub(super) body: Vec<u8>,
    pub(super) charges: Vec<Charge>,
    pub(super) context: Option<Arc<dyn Any + Send + Sync>>,
    pub(super) principal: Option<Arc<str>>,
    /// Parameters for the challenge of a refusal.
    pub(super) challenge: Option<String>,
    pub(super) response: Output,
    /// A flow that a whole response has replaced, still to be let go of.
    retired: Option<Box<Flow>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Head,
    Body,
    Handed,
    Closed,
}

/// What the client gets.
pub(super) enum Output {
    Nothing,
    Whole { response: Response, is_taken: bool },
    Flow(Box<Flow>),
}

/// A request that is complete.
pub(super) struct Posted {
    pub(super) head: Arc<Head>,
    pub(super) mount: Arc<Mount>,
    pub(super) options: Arc<HttpOptions>,
    pub(super) context: Option<Arc<dyn Any + Send + Sync>>,
    pub(super) principal: Option<Arc<str>>,
}

/// What an exchange costs besides its texts.
const OVERHEAD: usize = 1024;
/// What stays on the account when the body is handled: the exchange and its head.
pub(super) const KEPT_CHARGES: usize = 2;
/// Those, and a body that comes in one piece.
const USUAL_CHARGES: usize = KEPT_CHARGES + 1;

impl ExchangeState {
    pub(super) fn new(arrival: Arrival) -> Result<ExchangeState, Error> {
        let Arrival { http, options, head, flaw } = arrival;
        let server = http.server();
        let charge = Charge::new(&server.memory, OVERHEAD + head.path.len() + head.query.len())?;
        let mut charges = Vec::with_capacity(USUAL_CHARGES);
        charges.push(charge);
        let mut state = State {
            stage: Stage::Head,
            head: Arc::new(head),
            options,
            mount: None,
            route: None,
            body: Vec::new(),
            charges,
            context: None,
            principal: None,
            challenge: None,
            response: Output::Nothing,
            retired: None,
        };
        if let Some((status, text)) = flaw {
            state.settle(Response::refusal(status, None, text));
        }
        let is_observed = server.peek(|catalog| catalog.hooks.observer.is_some());
        let opened_us = if is_observed { server.catalog().hooks.now_us() } else { 0 };
        Ok(ExchangeState {
            http,
            token: AtomicU64::new(0),
            state: Mutex::new(state),
            bell: Bell::default(),
            is_receiving: AtomicBool::new(false),
            has_head: AtomicBool::new(false),
            opened_us,
        })
    }

    /// Settles a response that is whole, if anybody still waits for one.
    pub(super) fn settle(&self, response: Response) {
        self.look(|state| state.settle(response));
        self.ring_if_settled();
    }

    /// Looks at the state, and does afterwards what must not be done under its lock.
    pub(super) fn look<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        let (seen, retired, evicted) = {
            let mut state = self.lock();
            let seen = look(&mut state);
            let evicted = match &mut state.response {
                Output::Flow(flow) => flow.take_evicted(),
                _ => None,
            };
            (seen, state.retired.take(), evicted)
        };
        retired.into_iter().for_each(|mut flow| flow.leave(self.token()));
        evicted.iter().for_each(|(session, stream)| session.forget(stream));
        seen
    }

    /// The response is what comes out of a lane.
    pub(super) fn start_flow(self: &Arc<ExchangeState>, flow: Flow, mount: &Mount) {
        let lane = Arc::clone(&flow.lane);
        let (own_peer, is_stream) = (flow.own_peer(), flow.begins_as_stream());
        {
            let mut state = self.lock();
            if state.stage == Stage::Closed {
                drop(state);
                let mut flow = flow;
                return flow.leave(self.token());
            }
            // Under the lock, so that whoever closes the exchange finds it there.
            mount.add_exchange(self.token(), self);
            state.response = Output::Flow(Box::new(flow));
        }
        // A server that ends did not see this exchange if it looked before.
        if let Some(peer) = own_peer {
            mount.end_if_over(&peer);
        }
        self.connect_bell();
        if is_stream {
            self.keep_alive();
        }
        // There may have been output before anybody was told of it.
        if !lane.is_empty() || lane.is_closed() {
            lane.nudge();
        }
    }

    pub(super) fn close(&self) {
        self.bell.set(None);
        let (mount, context, status, head) = {
            let mut state = self.lock();
            if state.stage == Stage::Closed {
                return;
            }
            let status = state.status();
            state.settle(Response::empty(503));
            state.stage = Stage::Closed;
            (state.mount.take(), state.context.take(), status, Arc::clone(&state.head))
        };
        // Lets go of the flow.
        self.look(|_| {});
        drop(context);
        let server = mount.as_ref().map_or_else(|| self.http.server(), |it| it.server.state());
        if let Some(mount) = &mount {
            mount.remove_exchange(self.token());
            server.alarms.remove(self.token());
        }
        if server.peek(|catalog| catalog.hooks.observer.is_some()) {
            let hooks = &server.catalog().hooks;
            hooks.tell(&Event::ExchangeEnded {
                method: &head.method,
                path: &head.path,
                status: status.unwrap_or_default(),
                duration_us: hooks.now_us().saturating_sub(self.opened_us),
            });
        }
    }

    pub(super) fn token(&self) -> u64 {
        self.token.load(Ordering::Relaxed)
    }

    pub(super) fn set_token(&self, token: u64) {
        self.token.store(token, Ordering::Relaxed);
    }

    /// The peer of a request that belongs to no session.
    pub(super) fn own_peer(&self) -> Option<Arc<Peer>> {
        match &self.lock().response {
            Output::Flow(flow) => flow.own_peer(),
            _ => None,
        }
    }

    /// Lets the lane of the response tell whoever is to be told.
    pub(super) fn connect_bell(self: &Arc<ExchangeState>) {
        if !self.bell.is_set() {
            return;
        }
        let own: Weak<ExchangeState> = Arc::downgrade(self);
        let ring: Wake =
            Arc::new(move || own.upgrade().into_iter().for_each(|own| own.bell.ring()));
        let (lane, stream) = match &self.lock().response {
            Output::Flow(flow) => (Arc::clone(&flow.lane), flow.stream()),
            _ => return,
        };
        let follows = match stream {
            Some(stream) => stream.connect(self.token(), ring),
            None => {
                lane.connect(Some(ring));
                true
            }
        };
        if !follows {
            // So that it notices.
            self.bell.ring();
        } else if lane.is_over() || lane.is_closed() {
            lane.nudge();
        } else if !lane.is_empty() {
            lane.ring();
        }
    }

    pub(super) fn ring_if_settled(&self) {
        // Whoever sets a wake looks afterwards whether there is something to tell.
        if self.bell.is_set() && matches!(self.lock().response, Output::Whole { .. }) {
            self.bell.ring();
        }
    }

    /// Something has left, or a stream has begun: the next sign of life is some time from now.
    pub(super) fn keep_alive(self: &Arc<ExchangeState>) {
        let (server, keepalive_ms) = {
            let mut state = self.lock();
            let keepalive_ms = state.options.keepalive_ms;
            let Output::Flow(flow) = &mut state.response else { return };
            if keepalive_ms == 0 || !flow.is_stream() || flow.is_finished(self.token()) {
                return;
            }
            (Arc::clone(&flow.server), keepalive_ms)
        };
        // Without the lock: the clock is the host's.
        let now_ms = server.catalog().hooks.now_ms();
        let is_first = match &mut self.lock().response {
            Output::Flow(flow) => flow.note_speech(now_ms),
            _ => false,
        };
        if is_first {
            let own: Weak<ExchangeState> = Arc::downgrade(self);
            server.set_alarm(self.token(), now_ms.saturating_add(keepalive_ms), own);
        }
    }

    /// All headers are there; says whether that is new.
    pub(super) fn note_head(&self) -> bool {
        let is_new = !self.has_head.load(Ordering::Relaxed);
        self.has_head.store(true, Ordering::Relaxed);
        is_new
    }

    pub(super) fn begin_receiving(&self) -> Result<Receiving<'_>, Error> {
        if self.is_receiving.swap(true, Ordering::Acquire) {
            return Err(Error::Busy);
        }
        Ok(Receiving(self))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Alarmed for ExchangeState {
    fn ring(self: Arc<ExchangeState>, now_ms: u64) -> Option<u64> {
        let (lane, next_ms) = {
            let mut state = self.lock();
            let keepalive_ms = state.options.keepalive_ms;
            let Output::Flow(flow) = &mut state.response else { return None };
            if flow.is_finished(self.token()) {
                return None;
            }
            (Arc::clone(&flow.lane), flow.note_time(now_ms, keepalive_ms))
        };
        lane.nudge();
        Some(next_ms)
    }
}

impl State {
    pub(super) fn is_settled(&self) -> bool {
        matches!(self.response, Output::Whole { .. })
    }

    /// Settles a response that is whole, unless nobody waits for one. What it replaces is let go of by
    /// [`ExchangeState::look`].
    pub(super) fn settle(&mut self, mut response: Response) {
        if self.stage == Stage::Closed {
            return;
        }
        response.headers.extend(gate::cors_headers(&self.head, &self.options));
        self.stage = Stage::Handed;
        self.body = Vec::new();
        let whole = Output::Whole { response, is_taken: false };
        if let Output::Flow(flow) = std::mem::replace(&mut self.response, whole) {
            self.retired = Some(flow);
        }
    }

    pub(super) fn status(&mut self) -> Option<u16> {
        self.decide();
        match &mut self.response {
            Output::Nothing => None,
            Output::Whole { response, .. } => Some(response.status),
            Output::Flow(flow) => flow.status(),
        }
    }

    pub(super) fn is_stream(&mut self) -> bool {
        match &mut self.response {
            Output::Flow(flow) => flow.is_stream(),
            _ => false,
        }
    }

    pub(super) fn headers(&mut self) -> Headers {
        self.decide();
        let cors = gate::cors_headers(&self.head, &self.options);
        match &mut self.response {
            Output::Nothing => Headers::new(),
            Output::Whole { response, .. } => response.headers.clone(),
            Output::Flow(flow) => flow.headers().into_iter().chain(cors).collect(),
        }
    }

    /// A flow that turned out to say nothing at all is a response without a body.
    pub(super) fn decide(&mut self) {
        if let Output::Flow(flow) = &mut self.response
            && let Some(response) = flow.silent_response()
        {
            self.settle(response);
        }
    }
}

/// The request end of an exchange has one user at a time.
pub(super) struct Receiving<'a>(&'a ExchangeState);

impl Drop for Receiving<'_> {
    fn drop(&mut self) {
        self.0.is_receiving.store(false, Ordering::Release);
    }
}

impl fmt::Debug for ExchangeState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExchangeState").field("token", &self.token()).finish_non_exhaustive()
    }
}
