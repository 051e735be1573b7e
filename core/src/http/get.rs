//! Streams that a client opens by itself, and the end of a session.

use std::sync::Arc;

use crate::error::Error;
use crate::hooks::Event;
use crate::lane::Lane;
use crate::revision::{Era, Revision, Revisions};

use super::exchange_state::{ExchangeState, Posted};
use super::flow::{Flow, Source};
use super::head::{Field, Flaw};
use super::known::Known;
use super::response::Response;
use super::session::HttpSession;
use super::sessions::new_id;
use super::sse;

/// The stream for messages that belong to no request, or what a client has lost of any.
pub(super) fn get(exchange: &Arc<ExchangeState>, posted: &Posted) -> Result<(), Error> {
    let refuse = |status, text: &str| settled(exchange, Response::refusal(status, None, text));
    let session = match check_own_version(posted).and_then(|()| find_session(posted)) {
        Ok(session) => session,
        Err((status, text)) => return refuse(status, text),
    };
    let (stream, missed) = match posted.head.field(Known::LastEventId) {
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
            if missed.is_empty() && stream.lane.is_over() && stream.lane.seems_empty() {
                stream.disconnect(exchange.token());
                return refuse(400, "the request of this stream was cancelled");
            }
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
    let response = match check_own_version(posted).and_then(|()| find_session(posted)) {
        Ok(session) => {
            posted.mount.sessions.remove(&session.id);
            session.close();
            Response::empty(204)
        }
        Err((status, text)) => Response::refusal(status, None, text),
    };
    settled(exchange, response)
}

/// The stream of 2024-11-05, which is a session of its own.
pub(super) fn open_pair(exchange: &Arc<ExchangeState>, posted: &Posted) -> Result<(), Error> {
    let session = match make_session(posted, true) {
        Ok(session) => session,
        Err((status, text)) => return settled(exchange, Response::refusal(status, None, text)),
    };
    let path = posted.options.sse_post_path.as_deref().unwrap_or_default();
    let endpoint = format!("{path}?sessionId={}", session.id);
    let lane = Arc::clone(&session.peer.lane);
    let source = Source::Pair { session, mount: Arc::clone(&posted.mount), endpoint };
    start(exchange, posted, lane, source);
    Ok(())
}

/// The session that a request names.
pub(super) fn find_session(posted: &Posted) -> Result<Arc<HttpSession>, Flaw> {
    match posted.head.field(Known::SessionId) {
        Field::Absent => Err((400, "Mcp-Session-Id is missing: initialize first")),
        Field::Once(id) => lookup(posted, id, false),
        Field::Several => Err((400, "Mcp-Session-Id stands twice")),
    }
}

/// The session of that id, if it is this client's and of this transport.
pub(super) fn lookup(posted: &Posted, id: &str, is_pair: bool) -> Result<Arc<HttpSession>, Flaw> {
    let session = posted.mount.sessions.find(id, posted.principal.as_deref());
    let session = session.filter(|it| !it.peer.is_closed() && it.is_pair == is_pair);
    let session = session.ok_or((404, "there is no such session: initialize again"))?;
    posted.head.set_session(&session.id);
    Ok(session)
}

/// A version that a header names must be one that is served.
pub(super) fn check_version(posted: &Posted, served: Revisions, era: Era) -> Result<(), Flaw> {
    let is_served = |revision: Revision| revision.era() == era && served.contains(revision);
    match posted.head.field(Known::ProtocolVersion) {
        Field::Absent => Ok(()),
        Field::Once(name) if Revision::parse(name).is_some_and(is_served) => Ok(()),
        _ => Err((400, "MCP-Protocol-Version is not supported")),
    }
}

fn check_own_version(posted: &Posted) -> Result<(), Flaw> {
    let served = posted.mount.server.state().catalog().options.revisions;
    check_version(posted, served, Era::Legacy)
}

/// A session for a client that has none.
pub(super) fn new_session(posted: &Posted) -> Result<Arc<HttpSession>, Flaw> {
    make_session(posted, false)
}

fn make_session(posted: &Posted, is_pair: bool) -> Result<Arc<HttpSession>, Flaw> {
    const TOO_MANY: Flaw = (503, "there are too many sessions");
    let catalog = posted.mount.server.state().catalog();
    let hooks = &catalog.hooks;
    if posted.mount.sessions.len() >= posted.options.sessions {
        return Err(TOO_MANY);
    }
    let Some(id) = new_id(hooks) else {
        return Err((500, "the server cannot make sessions"));
    };
    let principal = posted.principal.clone();
    let session = HttpSession::new(&posted.mount, id, principal, is_pair, hooks.now_ms());
    let session = session.map_err(|_| TOO_MANY)?;
    hooks.tell(&Event::SessionOpened);
    if !posted.mount.sessions.add(&session, posted.options.sessions) {
        return Err(TOO_MANY);
    }
    // What ends now did not see this session if it looked before.
    if posted.mount.is_over() {
        posted.mount.sessions.remove(&session.id);
        session.close();
        return Err((503, "the server takes no more requests"));
    }
    posted.mount.end_if_over(&session.peer);
    session.watch(posted.options.session_idle_ms);
    posted.head.set_session(&session.id);
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
