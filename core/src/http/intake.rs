//! Taking a request in: whether it may, where it leads, and its body within bounds.

use std::sync::Arc;

use crate::error::Error;
use crate::hooks::secluded;
use crate::memory::Charge;
use crate::server::ServerState;

use super::authorize;
use super::endpoint::{HttpState, Route};
use super::exchange_state::{ExchangeState, Stage, State};
use super::gate;
use super::head::Field;
use super::known::Known;
use super::media;
use super::request::HttpRequest;
use super::response::Response;

impl ExchangeState {
    /// All headers are there: lets the request in, or settles a refusal.
    pub(super) fn finish_head(self: &Arc<ExchangeState>) {
        if !self.note_head() {
            return;
        }
        let authorizer = self.http.authorizer();
        let is_asked = {
            let mut state = self.lock();
            let token = state.come_in(&self.http, authorizer.is_some());
            token.into_iter().for_each(|token| self.set_token(token));
            !state.is_settled()
        };
        if let Some(authorizer) = authorizer.filter(|_| is_asked) {
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
            state.check_media();
        }
        self.ring_if_settled();
    }
}

impl State {
    /// All headers are there: lets the request in, or settles a refusal. Gives the token by which it is known.
    /// Whether there is an authorizer, who is asked before anything is said of the body, must be known before.
    pub(super) fn come_in(&mut self, http: &HttpState, has_authorizer: bool) -> Option<u64> {
        if self.stage != Stage::Head || self.is_settled() {
            return None;
        }
        self.stage = Stage::Body;
        let admitted = self.admit(http);
        let token = admitted.map_err(|response| self.settle(response)).ok();
        // Now: whoever frees the endpoint closes it before it takes the authorizer away.
        if http.is_closed() {
            self.settle(Response::refusal(503, None, "the server takes no more requests"));
        }
        if !has_authorizer {
            self.check_media();
        }
        token
    }

    /// Whether the request may come in, and where it leads; gives the token by which it is known there.
    fn admit(&mut self, http: &HttpState) -> Result<u64, Response> {
        gate::check(&self.head, &self.options)?;
        let (mount, route) = http.route(&self.head, &self.options)?;
        let server = mount.server.state();
        if server.is_closed() || server.is_draining() || http.server().is_draining() {
            return Err(Response::refusal(503, None, "the server takes no more requests"));
        }
        if mount.exchange_count() >= self.options.exchanges {
            return Err(Response::refusal(503, None, "there are too many requests under way"));
        }
        if self.charge_head(server).is_err() {
            return Err(Response::refusal(503, None, "there is no memory for requests now"));
        }
        let token = server.next_token();
        (self.mount, self.route) = (Some(mount), Some(route));
        Ok(token)
    }

    fn charge_head(&mut self, server: &ServerState) -> Result<(), Error> {
        let size = self.head.size();
        if !self.charge.grow(&server.memory, size)? {
            self.head_charge = Some(Charge::new(&server.memory, size)?);
        }
        Ok(())
    }

    /// Refuses a request whose body cannot be read, or whose answer not be taken.
    fn check_media(&mut self) {
        if !self.is_settled()
            && let Err(response) = self.judge_media()
        {
            self.settle(response);
        }
    }

    fn judge_media(&self) -> Result<(), Response> {
        let refuse = |status, text| Err(Response::refusal(status, None, text));
        match self.route {
            Some(Route::Get | Route::PairGet) if !media::accepts(&self.head, media::EVENTS) => {
                return refuse(406, "the client must accept text/event-stream");
            }
            Some(Route::Post) if !media::accepts_answers(&self.head) => {
                let text = "the client must accept application/json and text/event-stream";
                return refuse(406, text);
            }
            _ => {}
        }
        if matches!(self.route, Some(Route::Post | Route::PairPost)) {
            if !media::is_json(&self.head) || media::is_encoded(&self.head) {
                return refuse(415, "the body must be application/json in UTF-8, not compressed");
            }
            match self.head.field(Known::ContentLength) {
                Field::Absent => {}
                Field::Once(length) if !length.bytes().all(|it| it.is_ascii_digit()) => {
                    return refuse(400, "Content-Length is not a length");
                }
                // One that is not even a number is too large for one.
                Field::Once(length) => match length.parse::<usize>() {
                    Ok(length) if length <= self.options.body_bytes => {}
                    _ => return refuse(413, "the body is too large"),
                },
                Field::Several => return refuse(400, "Content-Length stands twice"),
            }
        }
        Ok(())
    }

    pub(super) fn refuse_body(&mut self) {
        self.settle(Response::refusal(413, None, "the body is too large"));
    }

    pub(super) fn add_body(&mut self, bytes: &[u8]) {
        let Some(mount) = &self.mount else { return };
        if self.body.len().saturating_add(bytes.len()) > self.options.body_bytes {
            return self.refuse_body();
        }
        // In steps, so that a body that arrives by bytes does not need an account for each.
        let (held, length) = (self.body.capacity(), self.body.len() + bytes.len());
        if length > held {
            let room = length.max(held * 2).min(self.options.body_bytes).max(length);
            match Charge::new(&mount.server.state().memory, room - held) {
                Ok(charge) => self.body_charges.push(charge),
                Err(_) => return self.settle(Response::no_memory_for_body()),
            }
            self.body.reserve_exact(room - self.body.len());
        }
        self.body.extend_from_slice(bytes);
    }
}
