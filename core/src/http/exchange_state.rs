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
use crate::server::ServerState;
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
    /// What the exchange and its head are held by.
    pub(super) charge: Charge,
    pub(super) head_charge: Option<Charge>,
    /// That of the body, until it is handled.
    pub(super) body_charges: Vec<Charge>,
    pub(super) context: Option<Arc<dyn Any + Send + Sync>>,
    pub(super) principal: Option<Arc<str>>,
    /// Parameters for the challenge of a refusal.
    pub(super) challenge: Option<String>,
    pub(super) response: Output,
    /// A flow that a whole response has replaced, still to be let go of.
    retired: Option<Box<Flow>>,
    /// Whether its mount knows of it.
    is_listed: bool,
    /// Whether an alarm was set for it.
    is_alarmed: bool,
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

impl ExchangeState {
    /// `is_whole` says that no headers will follow.
    pub(super) fn new(arrival: Arrival, is_whole: bool) -> Result<ExchangeState, Error> {
        let Arrival { http, options, head, flaw } = arrival;
        let server = http.server();
        let charge = Charge::new(&server.memory, OVERHEAD + head.path.len() + head.query.len())?;
        let mut state = State {
            stage: Stage::Head,
            head: Arc::new(head),
            options,
            mount: None,
            route: None,
            body: Vec::new(),
            charge,
            head_charge: None,
            body_charges: Vec::new(),
            context: None,
            principal: None,
            challenge: None,
            response: Output::Nothing,
            retired: None,
            is_listed: false,
            is_alarmed: false,
        };
        if let Some((status, text)) = flaw {
            state.settle(Response::refusal(status, None, text));
        }
        // Nobody else sees it yet, so that no lock is needed; but whoever authorizes is to see the exchange.
        let has_head = is_whole && !http.has_authorizer();
        let token = if has_head { state.come_in(&http, false) } else { None };
        let is_observed = server.peek(|catalog| catalog.hooks.observer.is_some());
        let opened_us = if is_observed { server.catalog().hooks.now_us() } else { 0 };
        Ok(ExchangeState {
            http,
            token: AtomicU64::new(token.unwrap_or_default()),
            state: Mutex::new(state),
            bell: Bell::default(),
            is_receiving: AtomicBool::new(false),
            has_head: AtomicBool::new(has_head),
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
        let is_stream = flow.begins_as_stream();
        {
            let mut state = self.lock();
            if state.stage == Stage::Closed {
                drop(state);
                let mut flow = flow;
                return flow.leave(self.token());
            }
            // Under the lock, so that whoever closes the exchange finds it there.
            mount.add_exchange(self.token(), self);
            state.is_listed = true;
            state.response = Output::Flow(Box::new(flow));
        }
        // A server that ends did not see this exchange if it looked before.
        if mount.is_ending()
            && let Some(peer) = self.own_peer()
        {
            mount.end_if_over(&peer);
        }
        self.connect_bell();
        if is_stream {
            self.keep_alive();
        }
    }

    pub(super) fn close(&self) {
        self.bell.set(None);
        // Lets go of the flow afterwards.
        let closed = self.look(|state| {
            if state.stage == Stage::Closed {
                return None;
            }
            let status = state.status();
            state.settle(Response::empty(503));
            state.stage = Stage::Closed;
            let is_known = (state.is_listed, state.is_alarmed);
            Some((state.mount.take(), state.context.take(), status, is_known))
        });
        let Some((mount, context, status, (is_listed, is_alarmed))) = closed else { return };
        drop(context);
        let server = mount.as_ref().map_or_else(|| self.http.server(), |it| it.server.state());
        if let Some(mount) = mount.as_ref().filter(|_| is_listed) {
            mount.remove_exchange(self.token());
        }
        if is_alarmed {
            server.alarms.remove(self.token());
        }
        if server.peek(|catalog| catalog.hooks.observer.is_some()) {
            let hooks = &server.catalog().hooks;
            let head = Arc::clone(&self.lock().head);
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
        let due = match &self.lock().response {
            Output::Nothing => None,
            Output::Whole { .. } => Some(None),
            Output::Flow(flow) => {
                let own: Weak<ExchangeState> = Arc::downgrade(self);
                let ring: Wake =
                    Arc::new(move || own.upgrade().into_iter().for_each(|own| own.bell.ring()));
                match flow.connect(self.token(), ring) {
                    // So that it notices.
                    false => Some(None),
                    true => flow.has_news().then(|| Some(Arc::clone(&flow.lane))),
                }
            }
        };
        match due {
            Some(Some(lane)) if lane.is_over() || lane.is_closed() => lane.nudge(),
            Some(Some(lane)) => lane.ring(),
            Some(None) => self.bell.ring(),
            None => {}
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
        let is_first = {
            let mut state = self.lock();
            let is_first = match &mut state.response {
                Output::Flow(flow) => flow.note_speech(now_ms),
                _ => false,
            };
            state.is_alarmed |= is_first;
            is_first
        };
        if is_first {
            let own: Weak<ExchangeState> = Arc::downgrade(self);
            server.set_alarm(self.token(), now_ms.saturating_add(keepalive_ms), own);
        }
    }

    /// All headers are there; says whether that is new.
    pub(super) fn note_head(&self) -> bool {
        let is_new = !self.has_head();
        self.has_head.store(true, Ordering::Relaxed);
        is_new
    }

    pub(super) fn has_head(&self) -> bool {
        self.has_head.load(Ordering::Relaxed)
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
        match &mut self.response {
            Output::Nothing => Headers::new(),
            Output::Whole { response, .. } => response.headers.clone(),
            Output::Flow(flow) => {
                let mut headers = flow.headers();
                headers.extend(gate::cors_headers(&self.head, &self.options));
                headers
            }
        }
    }

    /// Puts the next bytes of the body into `buffer`, which is empty. Says whether they come from a flow, and gives
    /// the server if what waited for room may go on there: its queue is to be rung without the lock.
    pub(super) fn take_onto(
        &mut self,
        buffer: &mut Vec<u8>,
        token: u64,
    ) -> (bool, Option<Arc<ServerState>>) {
        match &mut self.response {
            Output::Nothing => (false, None),
            Output::Whole { response, is_taken } => {
                std::mem::swap(buffer, &mut response.body);
                *is_taken = true;
                (false, None)
            }
            Output::Flow(flow) => {
                flow.poll_onto(buffer, token);
                let resumes = flow.server.queue().resume();
                (true, resumes.then(|| Arc::clone(&flow.server)))
            }
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
