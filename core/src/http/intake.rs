//! Taking a request in: whether it may, where it leads, and its body within bounds.

use std::sync::Arc;

use crate::hooks::secluded;
use crate::memory::Charge;

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
        let (authorizer, is_settled) = {
            let mut state = self.lock();
            if state.stage != Stage::Head || state.is_settled() {
                return;
            }
            state.stage = Stage::Body;
            match state.admit(&self.http) {
                Ok(token) => self.set_token(token),
                Err(response) => state.settle(response),
            }
            let authorizer = self.http.authorizer();
            // After that: whoever frees the endpoint closes it before it takes the authorizer away.
            if self.http.is_closed() {
                state.settle(Response::refusal(503, None, "the server takes no more requests"));
            }
            if authorizer.is_none() {
                state.check_media();
            }
            (authorizer, state.is_settled())
        };
        if let Some(authorizer) = authorizer.filter(|_| !is_settled) {
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
        let Ok(charge) = Charge::new(&server.memory, self.head.size()) else {
            return Err(Response::refusal(503, None, "there is no memory for requests now"));
        };
        self.charges.push(charge);
        let token = server.next_token();
        (self.mount, self.route) = (Some(mount), Some(route));
        Ok(token)
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

    pub(super) fn add_body(&mut self, bytes: &[u8]) {
        let Some(mount) = &self.mount else { return };
        if self.body.len().saturating_add(bytes.len()) > self.options.body_bytes {
            return self.settle(Response::refusal(413, None, "the body is too large"));
        }
        // In steps, so that a body that arrives by bytes does not need an account for each.
        let (held, length) = (self.body.capacity(), self.body.len() + bytes.len());
        if length > held {
            let room = length.max(held * 2).min(self.options.body_bytes).max(length);
            match Charge::new(&mount.server.state().memory, room - held) {
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
}
