//! An exchange: one HTTP request, taken by pieces, and its response.

use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;
use std::task::Poll;

use crate::error::Error;
use crate::nesting::Nesting;
use crate::wake::Wake;

use super::arrival::Arrival;
use super::endpoint::Route;
use super::exchange_state::{ExchangeState, Output, Posted, Stage, State};
use super::request::HttpRequest;
use super::response::Response;
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

/// A response that is no stream.
#[derive(Debug)]
pub struct Whole {
    /// The status of HTTP.
    pub status: u16,
    /// Names and values of the headers.
    pub headers: Vec<(&'static str, Cow<'static, str>)>,
    /// All of the body.
    pub body: Vec<u8>,
}

impl Exchange {
    pub(super) fn new(arrival: Arrival, is_whole: bool) -> Result<Exchange, Error> {
        let state = ExchangeState::new(arrival, is_whole)?;
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

    /// The headers are over: judges them, as the first piece of the body or the end of the request do otherwise.
    /// Says whether there is to be a body, or the response is settled already.
    pub fn is_admitted(&self) -> Result<bool, Error> {
        if !self.state().has_head() {
            let _nesting = Nesting::enter()?;
            let _turn = self.state().begin_receiving()?;
            self.state().finish_head();
        }
        Ok(!self.state().lock().is_settled())
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
        state.add_body(bytes);
        drop(state);
        self.state().ring_if_settled();
        Ok(())
    }

    /// The request is complete. Handlers run in here, unless dispatch is queued or somebody attends.
    pub fn end(&self) -> Result<(), Error> {
        self.finish(&[])
    }

    /// Takes the last piece of the body, and the request is complete: [`Exchange::body`] and [`Exchange::end`]
    /// in one. A body that is one piece is not copied.
    pub fn finish(&self, last: &[u8]) -> Result<(), Error> {
        let _nesting = Nesting::enter()?;
        let _turn = self.state().begin_receiving()?;
        self.state().finish_head();
        let (posted, body, charges, route) = {
            let mut state = self.state().lock();
            if state.is_settled() {
                return Ok(());
            }
            if state.stage != Stage::Body {
                return Err(Error::State("the request is over"));
            }
            if !last.is_empty() && !state.body.is_empty() {
                state.add_body(last);
            } else if last.len() > state.options.body_bytes {
                state.refuse_body();
            }
            if state.is_settled() {
                drop(state);
                self.state().ring_if_settled();
                return Ok(());
            }
            state.stage = Stage::Handed;
            let body = std::mem::take(&mut state.body);
            let charges = std::mem::take(&mut state.body_charges);
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
            (posted, body, charges, route)
        };
        let exchange = self.state();
        let body = if body.is_empty() { last } else { &body };
        let unaccounted = if charges.is_empty() { body.len() } else { 0 };
        let Ok(_held) = posted.mount.server.state().memory.hold(unaccounted) else {
            exchange.settle(Response::no_memory_for_body());
            return Ok(());
        };
        match route {
            Route::Post => post::post(exchange, &posted, body),
            Route::PairPost => post::post_to_pair(exchange, &posted, body),
            Route::Get => get::get(exchange, &posted),
            Route::PairGet => get::open_pair(exchange, &posted),
            Route::Delete => get::delete(exchange, &posted),
        }
    }

    /// The status of the response; `None` until it is settled.
    pub fn status(&self) -> Option<u16> {
        self.state().look(State::status)
    }

    /// The headers of the response, once it is settled.
    pub fn response_headers(&self) -> Vec<(&'static str, Cow<'static, str>)> {
        self.state().look(State::headers)
    }

    /// Whether the response is a stream of events, as opposed to a body that is there as a whole.
    pub fn is_stream(&self) -> bool {
        self.state().look(State::is_stream)
    }

    /// Replaces the contents of `buffer` with the next bytes of the body; says whether there were any. Until
    /// more is taken, or the exchange is dropped, they count as held for the server: a host that passes them
    /// on slowly should keep the exchange.
    pub fn poll_into(&self, buffer: &mut Vec<u8>) -> bool {
        buffer.clear();
        let (is_flow, server) = self.state().look(|state| {
            state.decide();
            state.take_onto(buffer, self.state().token())
        });
        if is_flow && !buffer.is_empty() {
            self.state().keep_alive();
        }
        server.iter().for_each(|server| server.queue().ring());
        !buffer.is_empty()
    }

    /// The response with all of its body, if it is there and no stream of events: what
    /// [`Exchange::status`], [`Exchange::response_headers`] and [`Exchange::poll_into`] give one by one.
    pub fn take_whole(&self) -> Option<Whole> {
        match self.poll_whole() {
            Poll::Ready(whole) => whole,
            Poll::Pending => None,
        }
    }

    /// The same, for those who wait for it: pending until there is a status, and nothing where a stream has
    /// begun.
    pub fn poll_whole(&self) -> Poll<Option<Whole>> {
        let polled = self.state().look(|state| {
            let Some(status) = state.status() else { return Poll::Pending };
            if state.is_stream() {
                return Poll::Ready(None);
            }
            let headers = state.headers();
            let mut body = Vec::new();
            let (_, server) = state.take_onto(&mut body, self.state().token());
            Poll::Ready(Some((Whole { status, headers, body }, server)))
        });
        polled.map(|polled| {
            let (whole, server) = polled?;
            server.iter().for_each(|server| server.queue().ring());
            Some(whole)
        })
    }

    /// Whether all of the response was taken and nothing will come.
    pub fn is_finished(&self) -> bool {
        let token = self.state().token();
        self.state().look(|state| {
            state.decide();
            match &mut state.response {
                Output::Nothing => false,
                Output::Whole { response, is_taken } => *is_taken || response.body.is_empty(),
                Output::Flow(flow) => flow.is_finished(token),
            }
        })
    }

    /// Sets who is told that the head, bytes of the body, or the end have appeared.
    pub fn set_wake(&self, wake: Option<Wake>) {
        self.state().bell.set(wake);
        self.state().connect_bell();
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

impl Drop for Exchange {
    fn drop(&mut self) {
        self.close();
    }
}
