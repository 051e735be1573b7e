//! Streams that a client opens by itself, and the end of a session.

use std::sync::Arc;

use crate::error::Error;
use crate::hooks::Event;
use crate::lane::Lane;

use super::exchange_state::{ExchangeState, Posted};
use super::flow::{Flow, Source};
use super::head::Field;
use super::response::Response;
use super::session::HttpSession;
use super::sessions::new_id;
use super::sse;

/// The stream for messages that belong to no request, or what a client has lost of any.
pub(super) fn get(exchange: &Arc<ExchangeState>, posted: &Posted) -> Result<(), Error> {
    let session = match find_session(posted) {
        Ok(session) => session,
        Err(response) => return settled(exchange, response),
    };
    let refuse = |status, text: &str| settled(exchange, Response::refusal(status, None, text));
    let (stream, missed) = match posted.head.field("last-event-id") {
        Field::Absent => {
            let Some(stream) = session.own_stream() else {
                return refuse(404, "the session has ended");
            };
            if !stream.follow(exchange.token()) {
                return refuse(409, "there is a stream for this session already");
            }
            (stream, Vec::new())
        }
        Field::Once(id) => {
            let place = sse::parse_id(id);
            let found = place.and_then(|(number, _)| session.stream(number)).zip(place);
            let Some((stream, (_, event))) = found else {
                return refuse(400, "the event of Last-Event-ID is not known");
            };
            let missed = stream.take_over(exchange.token(), &session.replay, event);
            let Some(missed) = missed else {
                return refuse(400, "the events after Last-Event-ID are not kept any more");
            };
            (stream, missed)
        }
        Field::Several => return refuse(400, "Last-Event-ID stands twice"),
    };
    let lane = Arc::clone(&stream.lane);
    let source = Source::Stream { session, stream, missed };
    start(exchange, posted, lane, source);
    Ok(())
}

/// Ends a session.
pub(super) fn delete(exchange: &Arc<ExchangeState>, posted: &Posted) -> Result<(), Error> {
    let response = match find_session(posted) {
        Ok(session) => {
            posted.mount.sessions.remove(&session.id);
            session.close();
            Response::empty(204)
        }
        Err(response) => response,
    };
    settled(exchange, response)
}

/// The stream of 2024-11-05, which is a session of its own.
pub(super) fn open_pair(exchange: &Arc<ExchangeState>, posted: &Posted) -> Result<(), Error> {
    let session = match new_session(posted) {
        Ok(session) => session,
        Err(response) => return settled(exchange, response),
    };
    let path = posted.options.sse_post_path.as_deref().unwrap_or_default();
    let endpoint = format!("{path}?sessionId={}", session.id);
    let lane = Arc::clone(&session.peer.lane);
    let source = Source::Pair { session, mount: Arc::clone(&posted.mount), endpoint };
    start(exchange, posted, lane, source);
    Ok(())
}

/// The session that a request names.
pub(super) fn find_session(posted: &Posted) -> Result<Arc<HttpSession>, Response> {
    match posted.head.field("mcp-session-id") {
        Field::Absent => Err(Response::refusal(400, None, "Mcp-Session-Id is missing")),
        Field::Once(id) => lookup(posted, id),
        Field::Several => Err(Response::refusal(400, None, "Mcp-Session-Id stands twice")),
    }
}

/// The session of that id, if it is this client's.
pub(super) fn lookup(posted: &Posted, id: &str) -> Result<Arc<HttpSession>, Response> {
    let session = posted.mount.sessions.find(id, posted.principal.as_deref());
    let session = session.filter(|session| !session.peer.is_closed());
    let session =
        session.ok_or_else(|| Response::refusal(404, None, "there is no such session"))?;
    posted.head.set_session(&session.id);
    Ok(session)
}

/// A session for a client that has none.
pub(super) fn new_session(posted: &Posted) -> Result<Arc<HttpSession>, Response> {
    let catalog = posted.mount.server.state().catalog();
    let hooks = &catalog.hooks;
    let Some(id) = new_id(hooks) else {
        return Err(Response::refusal(500, None, "the server cannot make sessions"));
    };
    let principal = posted.principal.clone();
    let session = HttpSession::new(&posted.mount, id, principal, hooks.now_ms());
    let added = session.ok().filter(|it| posted.mount.sessions.add(it, posted.options.sessions));
    let Some(session) = added else {
        return Err(Response::refusal(503, None, "there are too many sessions"));
    };
    session.watch(posted.options.session_idle_ms);
    posted.head.set_session(&session.id);
    hooks.tell(&Event::SessionOpened);
    Ok(session)
}

fn start(exchange: &Arc<ExchangeState>, posted: &Posted, lane: Arc<Lane>, source: Source) {
    let flow = Flow::new(lane, posted.mount.server.state(), source, &posted.options);
    exchange.start_flow(flow, &posted.mount);
}

fn settled(exchange: &ExchangeState, response: Response) -> Result<(), Error> {
    exchange.settle(response);
    Ok(())
}
