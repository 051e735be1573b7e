//! An exchange: one HTTP request, taken by pieces, and its response.

use std::any::Any;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::alarms::Alarmed;
use crate::error::Error;
use crate::hooks::{Event, secluded};
use crate::memory::Charge;
use crate::nesting::Nesting;
use crate::peer::Peer;
use crate::wake::{Bell, Wake};

use super::authorize;
use super::endpoint::{HttpState, Route};
use super::flow::Flow;
use super::gate;
use super::head::{Field, Head};
use super::media;
use super::mount::Mount;
use super::options::HttpOptions;
use super::response::{Headers, Response};
use super::{get, post};

/// One request and its perhaps endless response.
///
/// Hand in the headers, then the body, then the end; the response may be ready before that, if the request
/// is refused. Dropping it before it is finished means that the client is gone: what it asked for by
/// 2026-07-28 is cancelled, older requests go on.
#[derive(Debug)]
pub struct Exchange {
    request: HttpRequest,
}

/// What a request says, for those who decide about it.
#[derive(Clone, Debug)]
pub struct HttpRequest {
    state: Arc<ExchangeState>,
}

pub(super) struct ExchangeState {
    http: Arc<HttpState>,
    pub(super) token: u64,
    state: Mutex<State>,
    bell: Bell,
    is_receiving: AtomicBool,
    opened_us: u64,
}

struct State {
    stage: Stage,
    head: Arc<Head>,
    options: Arc<HttpOptions>,
    mount: Option<Arc<Mount>>,
    route: Option<Route>,
    body: Vec<u8>,
    charges: Vec<Charge>,
    context: Option<Arc<dyn Any + Send + Sync>>,
    principal: Option<Arc<str>>,
    /// Parameters for the challenge of a refusal.
    challenge: Option<String>,
    response: Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Head,
    Body,
    Handed,
    Closed,
}

/// What the client gets.
enum Output {
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

impl Exchange {
    pub(super) fn new(
        http: &Arc<HttpState>,
        method: &str,
        target: &str,
    ) -> Result<Exchange, Error> {
        let (server, options) = (http.server(), http.options());
        let hooks = &server.catalog().hooks;
        let charge = Charge::new(&server.memory, OVERHEAD + target.len())?;
        let mut state = State {
            stage: Stage::Head,
            head: Arc::default(),
            options,
            mount: None,
            route: None,
            body: Vec::new(),
            charges: vec![charge],
            context: None,
            principal: None,
            challenge: None,
            response: Output::Nothing,
        };
        match Head::new(method, target) {
            Ok(head) => state.head = Arc::new(head),
            Err((status, text)) => state.settle(Response::refusal(status, None, text)),
        }
        let state = ExchangeState {
            http: Arc::clone(http),
            token: server.next_token(),
            state: Mutex::new(state),
            bell: Bell::default(),
            is_receiving: AtomicBool::new(false),
            opened_us: if hooks.observer.is_some() { hooks.now_us() } else { 0 },
        };
        Ok(Exchange { request: HttpRequest { state: Arc::new(state) } })
    }

    /// Takes one header. What is wrong with it is said in the response.
    pub fn header(&self, name: &[u8], value: &[u8]) -> Result<(), Error> {
        let _turn = self.state().begin_receiving()?;
        let mut state = self.state().lock();
        if state.is_settled() {
            return Ok(());
        }
        if state.stage != Stage::Head {
            return Err(Error::State("the headers are over"));
        }
        let options = Arc::clone(&state.options);
        // Nobody else has it while headers are added.
        let added = Arc::get_mut(&mut state.head).map(|head| head.add(name, value, &options));
        if let Some(Err((status, text))) = added {
            state.settle(Response::refusal(status, None, text));
        }
        Ok(())
    }

    /// Takes a piece of the body. When the response is settled already, nothing more is kept.
    pub fn body(&self, bytes: &[u8]) -> Result<(), Error> {
        let _nesting = Nesting::enter()?;
        let _turn = self.state().begin_receiving()?;
        self.state().finish_head();
        let mut state = self.state().lock();
        if state.is_settled() {
            return Ok(());
        }
        if state.stage != Stage::Body {
            return Err(Error::State("the request is over"));
        }
        state.add_body(bytes, self.state().http.server());
        drop(state);
        self.state().ring_if_settled();
        Ok(())
    }

    /// The request is complete. Handlers run in here, unless dispatch is queued or somebody attends.
    pub fn end(&self) -> Result<(), Error> {
        let _nesting = Nesting::enter()?;
        let _turn = self.state().begin_receiving()?;
        self.state().finish_head();
        let (posted, body, route) = {
            let mut state = self.state().lock();
            if state.is_settled() {
                return Ok(());
            }
            if state.stage != Stage::Body {
                return Err(Error::State("the request is over"));
            }
            state.stage = Stage::Handed;
            let body = std::mem::take(&mut state.body);
            let (Some(mount), Some(route)) = (state.mount.clone(), state.route.take()) else {
                return Err(Error::Closed);
            };
            let posted = Posted {
                head: Arc::clone(&state.head),
                mount,
                options: Arc::clone(&state.options),
                context: state.context.clone(),
                principal: state.principal.clone(),
            };
            (posted, body, route)
        };
        let exchange = self.state();
        let outcome = match route {
            Route::Post => post::post(exchange, &posted, &body),
            Route::PairPost => post::post_to_pair(exchange, &posted, &body),
            Route::Get => get::get(exchange, &posted),
            Route::PairGet => get::open_pair(exchange, &posted),
            Route::Delete => get::delete(exchange, &posted),
        };
        // The body has been copied where it is needed.
        exchange.lock().charges.truncate(1);
        outcome
    }

    /// The status of the response; `None` until it is settled.
    pub fn status(&self) -> Option<u16> {
        self.state().lock().status()
    }

    /// The headers of the response, once it is settled.
    pub fn response_headers(&self) -> Vec<(&'static str, String)> {
        self.state().lock().headers()
    }

    /// Whether the response is a stream of events, as opposed to a body that is there as a whole.
    pub fn is_stream(&self) -> bool {
        match &mut self.state().lock().response {
            Output::Flow(flow) => flow.is_stream(),
            _ => false,
        }
    }

    /// Replaces the contents of `buffer` with the next bytes of the body; says whether there were any.
    pub fn poll_into(&self, buffer: &mut Vec<u8>) -> bool {
        buffer.clear();
        let server = {
            let mut state = self.state().lock();
            match &mut state.response {
                Output::Nothing => None,
                Output::Whole { response, is_taken } => {
                    std::mem::swap(buffer, &mut response.body);
                    *is_taken = true;
                    None
                }
                Output::Flow(flow) => {
                    flow.poll_onto(buffer, self.state().token);
                    Some(Arc::clone(&flow.server))
                }
            }
        };
        if let Some(server) = server {
            self.state().keep_alive();
            server.resume();
        }
        !buffer.is_empty()
    }

    /// Whether all of the response was taken and nothing will come.
    pub fn is_finished(&self) -> bool {
        let token = self.state().token;
        match &mut self.state().lock().response {
            Output::Nothing => false,
            Output::Whole { response, is_taken } => *is_taken || response.body.is_empty(),
            Output::Flow(flow) => flow.is_finished(token),
        }
    }

    /// Sets who is told that the head, bytes of the body, or the end have appeared.
    pub fn set_wake(&self, wake: Option<Wake>) {
        self.state().bell.set(wake);
        self.state().connect_bell();
        self.state().ring_if_settled();
    }

    /// Attaches something of the host's that handlers see as `Call::context`.
    pub fn set_context(&self, context: Option<Arc<dyn Any + Send + Sync>>) {
        self.request.set_context(context);
    }

    /// Says who the client is. An [`Authorizer`](super::Authorizer) may say otherwise.
    pub fn set_principal(&self, principal: Option<&str>) {
        self.request.set_principal(principal);
    }

    /// The client is gone, or has everything: what dropping the exchange does.
    pub fn close(&self) {
        self.state().close();
    }

    /// What the request says.
    pub fn request(&self) -> &HttpRequest {
        &self.request
    }

    fn state(&self) -> &Arc<ExchangeState> {
        &self.request.state
    }
}

impl HttpRequest {
    /// The method.
    pub fn method(&self) -> String {
        self.state.lock().head.method.clone()
    }

    /// The path, without the query.
    pub fn path(&self) -> String {
        self.state.lock().head.path.clone()
    }

    /// The first header of that name, in whatever case.
    pub fn header(&self, name: &str) -> Option<String> {
        self.state.lock().head.first(name).map(str::to_owned)
    }

    /// Says who the client is: what it is asked can be answered, and its session used, by nobody else.
    pub fn set_principal(&self, principal: Option<&str>) {
        self.state.lock().principal = principal.map(Arc::from);
    }

    /// Attaches something of the host's that handlers see as `Call::context`.
    pub fn set_context(&self, context: Option<Arc<dyn Any + Send + Sync>>) {
        let old = std::mem::replace(&mut self.state.lock().context, context);
        drop(old);
    }

    /// Adds parameters to the challenge that a refused client gets, such as `scope="files:read"`.
    pub fn set_challenge(&self, parameters: &str) -> Result<(), Error> {
        if !parameters.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return Err(Error::Invalid("a header has only printable ASCII"));
        }
        self.state.lock().challenge = Some(parameters.to_owned());
        Ok(())
    }
}

impl ExchangeState {
    /// Settles a response that is whole, if anybody still waits for one.
    pub(super) fn settle(&self, response: Response) {
        {
            let mut state = self.lock();
            if state.stage == Stage::Closed {
                return;
            }
            state.settle(response);
        }
        self.ring_if_settled();
    }

    /// The response is what comes out of a lane.
    pub(super) fn start_flow(self: &Arc<ExchangeState>, flow: Flow, mount: &Mount) {
        let lane = Arc::clone(&flow.lane);
        {
            let mut state = self.lock();
            if state.stage == Stage::Closed {
                drop(state);
                let mut flow = flow;
                return flow.leave(self.token);
            }
            state.response = Output::Flow(Box::new(flow));
        }
        mount.add_exchange(self.token, self);
        self.connect_bell();
        self.keep_alive();
        // There may have been output before anybody was told of it.
        if !lane.is_empty() || lane.is_closed() {
            lane.nudge();
        }
    }

    fn close(&self) {
        self.bell.set(None);
        let (response, mount, context, status, head) = {
            let mut state = self.lock();
            if state.stage == Stage::Closed {
                return;
            }
            let status = state.status();
            state.stage = Stage::Closed;
            let gone = Output::Whole { response: Response::empty(503), is_taken: true };
            let response = std::mem::replace(&mut state.response, gone);
            (response, state.mount.take(), state.context.take(), status, Arc::clone(&state.head))
        };
        drop(context);
        let server = match &mount {
            Some(mount) => Arc::clone(mount.server.state()),
            None => Arc::clone(self.http.server()),
        };
        mount.iter().for_each(|mount| mount.remove_exchange(self.token));
        if let Output::Flow(mut flow) = response {
            server.alarms.remove(self.token);
            flow.leave(self.token);
        }
        let hooks = &server.catalog().hooks;
        if hooks.observer.is_some() {
            hooks.tell(&Event::ExchangeEnded {
                method: &head.method,
                path: &head.path,
                status: status.unwrap_or_default(),
                duration_us: hooks.now_us().saturating_sub(self.opened_us),
            });
        }
    }

    /// The peer of a request that belongs to no session.
    pub(super) fn own_peer(&self) -> Option<Arc<Peer>> {
        match &self.lock().response {
            Output::Flow(flow) => flow.own_peer(),
            _ => None,
        }
    }

    /// All headers are there: lets the request in, or settles a refusal.
    fn finish_head(self: &Arc<ExchangeState>) {
        let authorizer = {
            let mut state = self.lock();
            if state.stage != Stage::Head || state.is_settled() {
                return;
            }
            state.stage = Stage::Body;
            if let Err(response) = state.admit(&self.http) {
                state.settle(response);
            }
            if state.is_settled() { None } else { self.http.authorizer() }
        };
        if let Some(authorizer) = authorizer {
            let request = HttpRequest { state: Arc::clone(self) };
            // One that breaks down lets nobody in.
            let verdict = secluded(|| authorizer.authorize(&request));
            let mut state = self.lock();
            let response = match verdict {
                Some(verdict) => {
                    authorize::challenge(verdict, state.challenge.as_deref(), &state.options)
                }
                None => Some(Response::refusal(500, None, "authorization failed")),
            };
            response.into_iter().for_each(|response| state.settle(response));
        }
        {
            let mut state = self.lock();
            if !state.is_settled()
                && let Err(response) = state.check_media()
            {
                state.settle(response);
            }
        }
        self.ring_if_settled();
    }

    /// Lets the lane of the response tell whoever is to be told.
    fn connect_bell(self: &Arc<ExchangeState>) {
        let own: Weak<ExchangeState> = Arc::downgrade(self);
        let ring: Option<Wake> = self.bell.is_set().then(|| {
            let ring = move || own.upgrade().into_iter().for_each(|own| own.bell.ring());
            Arc::new(ring) as Wake
        });
        let lane = match &self.lock().response {
            Output::Flow(flow) => Some(Arc::clone(&flow.lane)),
            _ => None,
        };
        if let Some(lane) = lane {
            lane.set_wake(ring);
            if lane.is_over() || lane.is_closed() {
                lane.nudge();
            }
        }
    }

    fn ring_if_settled(&self) {
        if matches!(self.lock().response, Output::Whole { .. }) {
            self.bell.ring();
        }
    }

    /// Sets the time of the next sign of life, if the response is a stream that has none yet.
    fn keep_alive(self: &Arc<ExchangeState>) {
        let server = {
            let mut state = self.lock();
            let keepalive_ms = state.options.keepalive_ms;
            let Output::Flow(flow) = &mut state.response else { return };
            if keepalive_ms == 0 || !flow.needs_alarm() {
                return;
            }
            flow.server.clone()
        };
        let own: Weak<ExchangeState> = Arc::downgrade(self);
        let keepalive_ms = self.lock().options.keepalive_ms;
        let at_ms = server.catalog().hooks.now_ms().saturating_add(keepalive_ms);
        server.set_alarm(self.token, at_ms, own);
    }

    fn begin_receiving(&self) -> Result<Receiving<'_>, Error> {
        if self.is_receiving.swap(true, Ordering::Acquire) {
            return Err(Error::Busy);
        }
        Ok(Receiving(self))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Alarmed for ExchangeState {
    fn ring(self: Arc<ExchangeState>, now_ms: u64) -> Option<u64> {
        let (lane, keepalive_ms) = {
            let mut state = self.lock();
            let keepalive_ms = state.options.keepalive_ms;
            let Output::Flow(flow) = &mut state.response else { return None };
            if flow.is_finished(self.token) {
                return None;
            }
            let lane = flow.note_silence().then(|| Arc::clone(&flow.lane));
            (lane, keepalive_ms)
        };
        lane.iter().for_each(|lane| lane.nudge());
        Some(now_ms.saturating_add(keepalive_ms))
    }
}

impl State {
    fn is_settled(&self) -> bool {
        matches!(self.response, Output::Whole { .. })
    }

    fn settle(&mut self, mut response: Response) {
        response.headers.extend(gate::cors_headers(&self.head, &self.options));
        self.stage = Stage::Handed;
        self.body = Vec::new();
        self.response = Output::Whole { response, is_taken: false };
    }

    /// Whether the request may come in, and where it leads.
    fn admit(&mut self, http: &HttpState) -> Result<(), Response> {
        gate::check(&self.head, &self.options)?;
        let (mount, route) = http.route(&self.head, &self.options)?;
        let server = mount.server.state();
        if server.is_closed() || server.is_draining() {
            return Err(Response::refusal(503, None, "the server takes no more requests"));
        }
        if server.memory.is_full() {
            return Err(Response::refusal(503, None, "there is no memory for requests now"));
        }
        (self.mount, self.route) = (Some(mount), Some(route));
        Ok(())
    }

    /// Whether the body can be read and the answer be taken.
    fn check_media(&self) -> Result<(), Response> {
        let refuse = |status, text| Err(Response::refusal(status, None, text));
        match self.route {
            Some(Route::Get | Route::PairGet) if !media::accepts(&self.head, media::EVENTS) => {
                return refuse(406, "the client must accept text/event-stream");
            }
            Some(Route::Post) => {
                let accepts = |media_type| media::accepts(&self.head, media_type);
                if !accepts(media::JSON) || !accepts(media::EVENTS) {
                    let text = "the client must accept application/json and text/event-stream";
                    return refuse(406, text);
                }
            }
            _ => {}
        }
        if matches!(self.route, Some(Route::Post | Route::PairPost)) {
            if !media::is_json(&self.head) || media::is_encoded(&self.head) {
                return refuse(415, "the body must be application/json in UTF-8, not compressed");
            }
            match self.head.field("content-length") {
                Field::Absent => {}
                Field::Once(length) => match length.parse::<usize>() {
                    Ok(length) if length <= self.options.body_bytes => {}
                    Ok(_) => return refuse(413, "the body is too large"),
                    Err(_) => return refuse(400, "Content-Length is not a length"),
                },
                Field::Several => return refuse(400, "Content-Length stands twice"),
            }
        }
        Ok(())
    }

    fn add_body(&mut self, bytes: &[u8], server: &crate::server::ServerState) {
        if self.body.len().saturating_add(bytes.len()) > self.options.body_bytes {
            return self.settle(Response::refusal(413, None, "the body is too large"));
        }
        // In steps, so that a body that arrives by bytes does not need an account for each.
        let (held, length) = (self.body.capacity(), self.body.len() + bytes.len());
        if length > held {
            let room = length.max(held * 2).min(self.options.body_bytes).max(length);
            match Charge::new(&server.memory, room - held) {
                Ok(charge) => self.charges.push(charge),
                Err(_) => {
                    let text = "there is no memory for the body now";
                    return self.settle(Response::refusal(503, None, text));
                }
            }
            self.body.reserve_exact(room - self.body.len());
        }
        self.body.extend_from_slice(bytes);
    }

    fn status(&mut self) -> Option<u16> {
        self.decide();
        match &mut self.response {
            Output::Nothing => None,
            Output::Whole { response, .. } => Some(response.status),
            Output::Flow(flow) => flow.status(),
        }
    }

    fn headers(&mut self) -> Headers {
        self.decide();
        let cors = gate::cors_headers(&self.head, &self.options);
        match &mut self.response {
            Output::Nothing => Headers::new(),
            Output::Whole { response, .. } => response.headers.clone(),
            Output::Flow(flow) => flow.headers().into_iter().chain(cors).collect(),
        }
    }

    /// A flow that turned out to say nothing at all is a response without a body.
    fn decide(&mut self) {
        if let Output::Flow(flow) = &mut self.response
            && let Some(response) = flow.silent_response()
        {
            self.settle(response);
        }
    }
}

/// The request end of an exchange has one user at a time.
struct Receiving<'a>(&'a ExchangeState);

impl Drop for Receiving<'_> {
    fn drop(&mut self) {
        self.0.is_receiving.store(false, Ordering::Release);
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.close();
    }
}

impl fmt::Debug for ExchangeState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExchangeState").field("token", &self.token).finish_non_exhaustive()
    }
}
