//! Subscribing to changes, in either era.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Incoming;
use super::request::{Handled, Request, id_in_use, invalid};
use crate::failure::Failure;
use crate::json::{Str, elements, find_member, push_key, push_quoted, separate};
use crate::jsonrpc::ParamKey;
use crate::kind::ErrorKind;
use crate::lane::Weight;
use crate::listen::Listen;
use crate::memory::Charge;
use crate::outgoing::echo;
use crate::peer::NotOpened;
use crate::subscriptions::{List, Lists, Subscriber, push_tag};

/// What a subscription costs besides its texts.
const OVERHEAD: usize = 256;

impl Incoming {
    /// `resources/subscribe`.
    pub(super) fn subscribe(&self, request: &Request<'_>) -> Result<Handled, Failure> {
        let uri = request.required_text(ParamKey::Uri)?;
        if !self.catalog.knows_resource(&uri) {
            return Err(Failure::new(ErrorKind::ResourceNotFound, echo(&uri)));
        }
        let charge = self.charge(uri.len())?;
        let limit = self.catalog.options.limits.subscriptions;
        let subscriber = self.peer.subscriber();
        match subscriber.map(|subscriber| subscriber.subscribe(&uri, charge, limit)) {
            Some(Ok(())) => Ok(self.answer(request, None, |_| {})),
            Some(Err(count)) => Err(too_many(count, "resources are subscribed")),
            None => Err(Failure::new(ErrorKind::NotInitialized, "send initialize first")),
        }
    }

    /// `resources/unsubscribe`. One that was not subscribed is not an error: the wish is fulfilled.
    pub(super) fn unsubscribe(&self, request: &Request<'_>) -> Result<Handled, Failure> {
        let uri = request.required_text(ParamKey::Uri)?;
        if let Some(subscriber) = self.peer.subscriber() {
            subscriber.unsubscribe(&uri);
        }
        Ok(self.answer(request, None, |_| {}))
    }

    /// `subscriptions/listen`: acknowledged with what the server agrees to tell, then left open.
    pub(super) fn listen(&self, request: &Request<'_>) -> Result<Handled, Failure> {
        let limits = &self.catalog.options.limits;
        let filter = match request.param(ParamKey::Notifications) {
            Some(filter) if filter.starts_with('{') => filter,
            Some(_) => return Err(invalid("notifications must be an object")),
            None => return Err(invalid("notifications is missing")),
        };
        let lists = self.watched_lists(filter)?;
        let asked = find_member(filter, "resourceSubscriptions");
        let uris = self.watched_uris(asked)?;
        let length = uris.iter().map(|uri| uri.len() + OVERHEAD).sum::<usize>();
        let charge = self.charge(length + request.id.as_json().len())?;
        let mut acknowledgement = Vec::new();
        write_acknowledgement(&mut acknowledgement, request, lists, asked.map(|_| &uris));
        let id = request.id.as_json();
        let subscriber =
            Arc::new(Subscriber::listen(id, self.outlet().lane(), lists, uris, charge));
        let listen = Listen {
            server: Arc::clone(&self.server),
            subscriber: Arc::clone(&subscriber),
            digest: request.id.digest(),
            revision: request.revision,
            received_us: request.received_us,
        };
        // Before the acknowledgement, so that whatever changes after it is told.
        self.server.hub.add(&subscriber);
        let lane = self.outlet().lane();
        let write = |out: &mut Vec<u8>| out.append(&mut acknowledgement);
        // A lane that is closed has nobody left to tell.
        let acknowledge = || drop(lane.push(Weight::Owed, limits.output_bytes, write));
        match self.peer.add_listen(listen, limits.listen_streams, acknowledge) {
            Ok(()) => {}
            Err(NotOpened::Duplicate) => return Err(id_in_use()),
            Err(NotOpened::TooMany) => {
                return Err(too_many(limits.listen_streams, "listen streams are open"));
            }
            Err(NotOpened::Closed) => {
                return Err(Failure::new(ErrorKind::Internal, "the server takes no more requests"));
            }
        }
        self.settled.set(true);
        lane.ring();
        // Nothing may be told before the acknowledgement.
        subscriber.activate();
        self.outlet().skip(limits.output_bytes);
        Ok(Handled::Taken)
    }

    fn watched_lists(&self, filter: &str) -> Result<Lists, Failure> {
        let served = self.catalog.watchable();
        let mut lists = Lists::default();
        for list in List::ALL {
            match find_member(filter, list.flag()) {
                None | Some("false") => {}
                Some("true") if served.contains(list) => lists.add(list),
                Some("true") => {}
                Some(_) => return Err(invalid(format!("{} must be a boolean", list.flag()))),
            }
        }
        Ok(lists)
    }

    /// The resources asked for that there may be.
    fn watched_uris(&self, asked: Option<&str>) -> Result<BTreeSet<Arc<str>>, Failure> {
        let mut uris = BTreeSet::new();
        let Some(asked) = asked else { return Ok(uris) };
        if !asked.starts_with('[') {
            return Err(invalid("resourceSubscriptions must be an array"));
        }
        let limit = self.catalog.options.limits.subscriptions;
        for (count, uri) in elements(asked).enumerate() {
            if count >= limit {
                return Err(too_many(limit, "resources can be watched by one stream"));
            }
            let Some(uri) = Str::from_json(uri) else {
                return Err(invalid("resourceSubscriptions must be strings"));
            };
            let uri = uri.decode();
            if self.catalog.knows_resource(&uri) {
                uris.insert(Arc::from(&*uri));
            }
        }
        Ok(uris)
    }

    fn charge(&self, bytes: usize) -> Result<Charge, Failure> {
        Charge::new(&self.server.memory, OVERHEAD + bytes)
            .map_err(|_| Failure::new(ErrorKind::Limit, "out of memory for subscriptions"))
    }
}

fn write_acknowledgement(
    out: &mut Vec<u8>,
    request: &Request<'_>,
    lists: Lists,
    uris: Option<&BTreeSet<Arc<str>>>,
) {
    out.extend_from_slice(
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{",
    );
    push_tag(out, request.id.as_json());
    out.extend_from_slice(b",\"notifications\":{");
    for list in List::ALL.into_iter().filter(|list| lists.contains(*list)) {
        push_key(out, list.flag());
        out.extend_from_slice(b"true");
    }
    if let Some(uris) = uris.filter(|uris| !uris.is_empty()) {
        push_key(out, "resourceSubscriptions");
        out.push(b'[');
        for uri in uris {
            separate(out);
            push_quoted(out, uri);
        }
        out.push(b']');
    }
    out.extend_from_slice(b"}}}");
}

fn too_many(count: usize, what: &str) -> Failure {
    Failure::new(ErrorKind::Limit, format!("{count} {what}"))
}
