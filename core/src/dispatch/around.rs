//! What the engine answers itself, for whoever stands around it.

use std::sync::Arc;

use super::Incoming;
use super::request::{Handled, Request};
use crate::batch::Sink;
use crate::call::CallState;
use crate::error::Error;
use crate::failure::Failure;
use crate::json::find_member;
use crate::jsonrpc::Envelope;
use crate::kind::ErrorKind;
use crate::lane::Lane;
use crate::listen::Ending;
use crate::registry::Entry;
use crate::revision::Method;

/// Does what the request of a call asks the engine for; gives the result object.
pub(crate) fn engine_answer(call: &CallState) -> Result<String, Failure> {
    let (bound, own) = match (call.bound(), call.request()) {
        (Some(bound), own) if bound.entry().is_some_and(Entry::is_around) => (bound, own),
        _ => return Err(Error::Invalid("the engine does not answer this call").into()),
    };
    let (Some(method), Some(id)) = (bound.method, own.id()) else {
        return Err(Failure::new(ErrorKind::UnknownMethod, call.method()));
    };
    // The answer goes to a lane where nobody else looks; only a stream is opened where the client reads.
    let aside = Arc::new(Lane::new(Arc::clone(&bound.server.memory)));
    let sink = match method {
        Method::Listen => bound.sink.clone(),
        _ => Sink::Lane(Arc::clone(&aside)),
    };
    let incoming = Incoming::new(Arc::clone(&bound.origin), sink, false);
    let envelope = Envelope::of_params(&own.text, own.params.clone());
    let request = Request {
        id,
        method_name: call.method(),
        method: Some(method),
        envelope: &envelope,
        revision: bound.revision,
        terms: bound.terms,
        received_us: bound.received_us,
    };
    match incoming.answer_itself(&request, method)? {
        Handled::Answered => Ok(result_in(&aside)),
        Handled::Taken if call.hand_over() => Ok("{}".to_owned()),
        Handled::Taken => {
            // The client has cancelled it while it was being opened.
            let stream = bound.peer.take_listen(id);
            stream.iter().for_each(|stream| stream.end(Ending::Cancelled));
            Err(Error::Cancelled.into())
        }
    }
}

/// The result of the answer that waits there.
fn result_in(lane: &Lane) -> String {
    let mut message = Vec::new();
    lane.poll_into(&mut message);
    let message = std::str::from_utf8(&message).unwrap_or_default();
    find_member(message, "result").unwrap_or("{}").to_owned()
}
