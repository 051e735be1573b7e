//! Messages that a client posts: read once, then handed to the peer that they belong to.

use std::sync::Arc;

use crate::batch::Sink;
use crate::dispatch::Incoming;
use crate::error::Error;
use crate::failure::Failure;
use crate::json::{MAX_DEPTH, Reader};
use crate::jsonrpc::{Class, Envelope, Id, MetaKey, Rescue};
use crate::kind::ErrorKind;
use crate::lane::Lane;
use crate::memory::Charge;
use crate::origin::Origin;
use crate::peer::{Handshake, Peer};
use crate::registry::Catalog;
use crate::revision::{Era, Feature, Method, Revision};
use crate::subscriptions::{Lists, Subscriber};

use super::exchange_state::{ExchangeState, Posted};
use super::flow::{Flow, Source};
use super::get::{check_version, find_session, lookup, new_session};
use super::head::{Field, Flaw};
use super::known::Known;
use super::response::Response;
use super::session::HttpSession;

const NO_MEMORY: Flaw = (503, "there is no memory for requests now");

/// What a POST needs to be handled.
struct Desk<'a> {
    exchange: &'a Arc<ExchangeState>,
    posted: &'a Posted,
    catalog: Arc<Catalog>,
}

/// A message posted to an endpoint.
pub(super) fn post(
    exchange: &Arc<ExchangeState>,
    posted: &Posted,
    body: &[u8],
) -> Result<(), Error> {
    let catalog = posted.mount.server.state().catalog();
    let desk = Desk { exchange, posted, catalog };
    desk.take(body)
}

/// A message posted beside the stream of 2024-11-05, on which everything is answered.
pub(super) fn post_to_pair(
    exchange: &Arc<ExchangeState>,
    posted: &Posted,
    body: &[u8],
) -> Result<(), Error> {
    let catalog = posted.mount.server.state().catalog();
    let id = posted.head.query_value("sessionId").unwrap_or_default();
    let session = match lookup(posted, id, true) {
        Ok(session) => session,
        Err((status, text)) => return settled(exchange, Response::refusal(status, None, text)),
    };
    let lane = &session.peer.lane;
    if lane.seems_full(catalog.options.limits.output_bytes) {
        let text = "the stream has to be read before there can be more";
        return settled(exchange, Response::refusal(503, None, text));
    }
    // Before the message is handled: whatever a handler does, the client need not wait for it.
    exchange.settle(Response::empty(202));
    let desk = Desk { exchange, posted, catalog };
    let incoming = desk.incoming(&session.peer, Arc::clone(lane), false);
    incoming.message(body);
    incoming.server.note_cancelled(session.peer.close_if_overrun());
    incoming.outcome()
}

impl Desk<'_> {
    fn take(&self, body: &[u8]) -> Result<(), Error> {
        let limits = &self.catalog.options.limits;
        let body = body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(body);
        if body.len() > limits.message_bytes {
            let rescued = Rescue::whole(body, limits.id_bytes);
            return self.alone(false, |incoming| incoming.too_long(&rescued, false));
        }
        let text = match std::str::from_utf8(body) {
            Ok(text) => text,
            Err(error) => {
                let at = error.valid_up_to();
                return self.alone(false, |incoming| incoming.unreadable(body, "not UTF-8", at));
            }
        };
        if text.trim_ascii_start().starts_with('[') {
            return self.batch(text);
        }
        let mut envelope = Envelope::default();
        let cache = &self.posted.mount.meta_cache;
        if let Err(fault) = envelope.scan(text, limits.depth, &self.catalog, cache) {
            return self.alone(false, |incoming| incoming.faulty(text, fault));
        }
        let class = envelope.classify(limits.id_bytes);
        let version = envelope.params.meta(envelope.params_text, MetaKey::ProtocolVersion);
        if self.is_modern(version.is_some()) {
            self.modern(text, &envelope, class)
        } else {
            self.legacy(text, &envelope, class)
        }
    }

    /// Whether the request is one of 2026-07-28: it says so, or names a version that was never another.
    fn is_modern(&self, says_so: bool) -> bool {
        let serves = |era| self.catalog.options.revisions.of_era(era).next().is_some();
        let names_it = match self.posted.head.field(Known::ProtocolVersion) {
            Field::Absent => false,
            Field::Once(name) => Revision::parse(name).is_none_or(Revision::is_modern),
            Field::Several => true,
        };
        serves(Era::Modern) && (says_so || names_it || !serves(Era::Legacy))
    }

    fn modern(&self, text: &str, envelope: &Envelope<'_>, class: Class<'_>) -> Result<(), Error> {
        match class {
            Class::Notification { .. } => {
                if let Err(flaw) = self.check_version(Era::Modern) {
                    return self.refuse(flaw, None);
                }
                let lane = self.lane(false);
                // Nobody hears what its handler says.
                lane.close();
                let peer = Arc::new(Peer::new(self.number(), Arc::clone(&lane)));
                peer.note_modern();
                self.accept(&peer, lane, text, envelope, class)
            }
            Class::Response { .. } => {
                self.refuse((400, "a client of this revision sends no responses"), None)
            }
            class => self.alone(true, |incoming| incoming.scanned(text, envelope, class)),
        }
    }

    fn legacy(&self, text: &str, envelope: &Envelope<'_>, class: Class<'_>) -> Result<(), Error> {
        let id = match &class {
            Class::Request { id, .. } => Some(*id),
            _ => None,
        };
        if let Err(flaw) = self.check_version(Era::Legacy) {
            return self.refuse(flaw, id);
        }
        if self.posted.options.stateless {
            return self.stateless(text, envelope, class);
        }
        let is_first = matches!(self.posted.head.field(Known::SessionId), Field::Absent)
            && matches!(&class, Class::Request { method, .. }
                if method.decode() == Method::Initialize.name());
        let found = if is_first { new_session(self.posted) } else { find_session(self.posted) };
        let session = match found {
            Ok(session) => session,
            Err(flaw) => return self.refuse(flaw, id),
        };
        match class {
            Class::Request { .. } => {
                let lane = self.lane(self.posted.options.replay_bytes > 0);
                let incoming = self.incoming(&session.peer, Arc::clone(&lane), false);
                self.start(lane, request_of(&session, is_first), false);
                incoming.scanned(text, envelope, class);
                if is_first && session.peer.handshake().is_none() {
                    self.posted.mount.sessions.remove(&session.id);
                    session.close();
                }
                incoming.outcome()
            }
            Class::Notification { .. } | Class::Response { .. } => {
                let lane = Arc::clone(&session.peer.lane);
                session.attach();
                let accepted = self.accept(&session.peer, lane, text, envelope, class);
                session.detach();
                accepted
            }
            class => self.alone(false, |incoming| incoming.scanned(text, envelope, class)),
        }
    }

    /// Each request for itself, by the version that its header names.
    fn stateless(
        &self,
        text: &str,
        envelope: &Envelope<'_>,
        class: Class<'_>,
    ) -> Result<(), Error> {
        let lane = self.lane(false);
        let peer = Arc::new(Peer::passing(self.number(), Arc::clone(&lane)));
        let is_first = matches!(&class, Class::Request { method, .. }
            if method.decode() == Method::Initialize.name());
        if !is_first && !self.assume_handshake(&peer) {
            return self.refuse(NO_MEMORY, None);
        }
        match class {
            Class::Notification { .. } | Class::Response { .. } => {
                lane.close();
                self.accept(&peer, lane, text, envelope, class)
            }
            class => {
                let incoming = self.incoming(&peer, Arc::clone(&lane), false);
                self.start(lane, Source::Alone(Arc::clone(&peer)), false);
                incoming.scanned(text, envelope, class);
                incoming.outcome()
            }
        }
    }

    fn batch(&self, text: &str) -> Result<(), Error> {
        // As for a single message; the session need not know of it.
        let mut reader = Reader::new(text, MAX_DEPTH);
        if let Err(fault) = reader.skip().and_then(|_| reader.end()) {
            return self.alone(false, |incoming| incoming.faulty(text, fault));
        }
        if self.is_modern(false) {
            return self.alone(true, |incoming| {
                let text = "batches belong to 2025-03-26 only";
                incoming.refuse_with(None, Failure::new(ErrorKind::InvalidRequest, text));
            });
        }
        if let Err(flaw) = self.check_version(Era::Legacy) {
            return self.refuse(flaw, None);
        }
        let lane = self.lane(self.posted.options.replay_bytes > 0);
        let (peer, source) = if self.posted.options.stateless {
            let peer = Arc::new(Peer::passing(self.number(), Arc::clone(&lane)));
            if !self.assume_handshake(&peer) {
                return self.refuse(NO_MEMORY, None);
            }
            (Arc::clone(&peer), Source::Alone(peer))
        } else {
            match find_session(self.posted) {
                Ok(session) => (Arc::clone(&session.peer), request_of(&session, false)),
                Err(flaw) => return self.refuse(flaw, None),
            }
        };
        let incoming = self.incoming(&peer, Arc::clone(&lane), false);
        self.start(lane, source, true);
        incoming.message(text.as_bytes());
        incoming.outcome()
    }

    /// Hands in a message that is not answered; the client is told first that it was taken.
    fn accept(
        &self,
        peer: &Arc<Peer>,
        lane: Arc<Lane>,
        text: &str,
        envelope: &Envelope<'_>,
        class: Class<'_>,
    ) -> Result<(), Error> {
        self.exchange.settle(Response::empty(202));
        let incoming = self.incoming(peer, lane, false);
        incoming.scanned(text, envelope, class);
        incoming.outcome()
    }

    /// Hands in a message of a peer that exists for it only.
    fn alone(&self, mirrors: bool, handle: impl FnOnce(&Incoming)) -> Result<(), Error> {
        let lane = self.lane(false);
        let peer = Arc::new(Peer::new(self.number(), Arc::clone(&lane)));
        if mirrors || self.is_modern(false) || self.leaves_out_ids() {
            peer.note_modern();
        }
        let incoming = self.incoming(&peer, Arc::clone(&lane), mirrors);
        self.start(lane, Source::Alone(Arc::clone(&peer)), false);
        handle(&incoming);
        if !mirrors && !incoming.settled.get() {
            // It looked like a response, which is not answered with an error of its own.
            self.exchange.settle(Response::refusal(400, None, "the message cannot be read"));
        }
        incoming.outcome()
    }

    fn start(&self, lane: Arc<Lane>, source: Source, is_batch: bool) {
        let server = self.posted.mount.server.state();
        let mut flow = Flow::new(lane, server, source, &self.posted.options);
        if is_batch {
            flow.set_batch();
        }
        self.exchange.start_flow(flow, &self.posted.mount);
    }

    fn refuse(&self, (status, text): Flaw, id: Option<Id<'_>>) -> Result<(), Error> {
        settled(self.exchange, Response::refusal(status, id, text))
    }

    fn check_version(&self, era: Era) -> Result<(), Flaw> {
        check_version(self.posted, self.catalog.options.revisions, era)
    }

    /// Whether the session that the request names leaves out ids that it could not read.
    fn leaves_out_ids(&self) -> bool {
        find_session(self.posted).is_ok_and(|session| {
            let handshake = session.peer.handshake();
            handshake.is_some_and(|it| it.revision.has(Feature::ErrorWithoutId))
        })
    }

    /// Treats the client as if it had initialized with the version that its header names; says whether
    /// there was memory for that.
    fn assume_handshake(&self, peer: &Arc<Peer>) -> bool {
        let named = match self.posted.head.field(Known::ProtocolVersion) {
            Field::Once(name) => Revision::parse(name),
            _ => None,
        };
        // The first revision of this transport, which had no such header yet.
        let revision = named.unwrap_or(Revision::V2025_03_26);
        let Ok(charge) = Charge::new(&self.posted.mount.server.state().memory, 0) else {
            return false;
        };
        let (client, capabilities) = ("{}".to_owned(), "{}".to_owned());
        let handshake = Handshake { revision, client, capabilities, _charge: charge };
        let subscriber = Arc::new(Subscriber::legacy(&peer.lane, Lists::default()));
        peer.shake_hands(handshake, &subscriber).is_ok()
    }

    fn lane(&self, can_hang_up: bool) -> Arc<Lane> {
        let memory = Arc::clone(&self.posted.mount.server.state().memory);
        Arc::new(Lane::for_request(memory, can_hang_up))
    }

    fn incoming(&self, peer: &Arc<Peer>, lane: Arc<Lane>, mirrors: bool) -> Incoming {
        let origin = Origin {
            server: Arc::clone(self.posted.mount.server.state()),
            peer: Arc::clone(peer),
            catalog: Arc::clone(&self.catalog),
            context: self.posted.context.clone(),
            principal: self.posted.principal.clone(),
            head: Some(Arc::clone(&self.posted.head)),
        };
        Incoming::new(Arc::new(origin), Sink::Lane(lane), mirrors)
    }

    /// A number for a peer.
    fn number(&self) -> u64 {
        self.posted.mount.server.state().next_peer()
    }
}

fn request_of(session: &Arc<HttpSession>, announces: bool) -> Source {
    Source::Request { session: Arc::clone(session), announces }
}

fn settled(exchange: &ExchangeState, response: Response) -> Result<(), Error> {
    exchange.settle(response);
    Ok(())
}
