//! Responses: what clients say to questions of ours.

use super::Incoming;
use crate::ask::{Heard, Waiting};
use crate::failure::Failure;
use crate::json::{Str, find_member};
use crate::jsonrpc::{Id, Outcome};
use crate::kind::ErrorKind;
use crate::memory::Charge;
use crate::outgoing::echo;

impl Incoming {
    /// Never answered, whatever is wrong with it.
    pub(super) fn response(&self, id: Option<Id<'_>>, outcome: Outcome<'_>) {
        let Some(id) = id.and_then(|id| id.as_json().parse().ok()) else { return };
        let response = match outcome {
            Outcome::Result(json) => Ok(json),
            // What cannot be an answer will be asked for again.
            Outcome::Muddle => Ok("null"),
            Outcome::Error(error) => {
                let message = find_member(error, "message").and_then(Str::from_json);
                Err(message.map_or("it gave an error".to_owned(), |text| echo(&text.decode())))
            }
        };
        let response =
            response.map(|json| (json, Charge::new(&self.server.memory, json.len()).ok()));
        self.hear(id, response);
    }

    /// A response that breaks a limit before it could be read: there is no answer.
    pub(super) fn unusable_response(&self, id: Id<'_>, text: String) {
        if let Ok(id) = id.as_json().parse() {
            self.hear(id, Err(text));
        }
    }

    fn hear(&self, id: u64, response: Result<(&str, Option<Charge>), String>) {
        let limit = self.catalog.options.limits.state_bytes;
        let principal = self.principal.as_deref();
        let (waiting, failure) = match self.peer.waiting.hear(id, principal, response, limit) {
            Heard::Unknown | Heard::More => return,
            Heard::All(waiting) => return self.go_on(*waiting),
            Heard::Refused(waiting, text) => (waiting, Failure::new(ErrorKind::Unanswered, text)),
            Heard::TooMuch(waiting) => {
                let text = "the answers so far are more than state_bytes";
                (waiting, Failure::new(ErrorKind::Limit, text))
            }
        };
        let call = waiting.call.clone();
        // Back on the list, so that the end of the call withdraws the questions that are still open.
        self.peer.waiting.add(*waiting, || {});
        if call.fail(failure).is_err() {
            // It ended while it was not on the list, and nobody has withdrawn anything.
            call.shared().withdraw_questions();
        }
    }

    /// Starts the next attempt.
    fn go_on(&self, waiting: Waiting) {
        let Waiting { call, history, charges, left_ms, kept, .. } = waiting;
        let state = call.shared();
        state.remember(history, charges);
        kept.into_iter().for_each(|kept| state.inherit(kept));
        match (left_ms, state.bound()) {
            (Some(left), _) => {
                let now = self.catalog.hooks.now_ms();
                self.server.set_deadline(&call, now.saturating_add(left));
            }
            (None, Some(bound)) => self.server.timers.remove(bound.token, state),
            (None, None) => {}
        }
        self.server.dispatch(call);
    }
}
