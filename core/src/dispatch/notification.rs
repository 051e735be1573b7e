//! Notifications: never answered, whatever is wrong with them.

use super::Incoming;
use super::calls::Target;
use crate::call::SharedState;
use crate::json::Str;
use crate::jsonrpc::{Envelope, Id, MetaKey, ParamKey, ParamsShape};
use crate::listen::Ending;
use crate::origin::Terms;
use crate::registry::{Kind, is_engine_method};
use crate::revision::{Era, Revision};

impl Incoming {
    pub(super) fn notification(&self, method: &str, envelope: &Envelope<'_>) {
        let params = &envelope.params;
        if params.shape == ParamsShape::Other || params.duplicate {
            return;
        }
        if method == "notifications/cancelled" {
            return self.cancelled(envelope);
        }
        if method == "notifications/initialized" {
            self.peer.activate();
        }
        let own = self.catalog.find(Kind::Method, method);
        let fallback = || {
            let is_engines = method == "notifications/initialized" || is_engine_method(method);
            self.catalog.find(Kind::Method, "*").filter(|_| !is_engines)
        };
        let Some(found) = own.or_else(fallback) else { return };
        let (revision, terms) = self.notification_era(envelope);
        let target = Target {
            id: None,
            method_name: method,
            method: None,
            name: "",
            arguments: None,
            found,
            envelope,
            revision,
            terms,
            received_us: 0,
        };
        // A notification has nobody to tell that there was no room for it.
        drop(self.start(target));
    }

    /// A notification belongs to the era that it names, else to the one that the client has shown.
    fn notification_era(&self, envelope: &Envelope<'_>) -> (Revision, Terms) {
        let names_modern =
            envelope.params.meta(envelope.params_text, MetaKey::ProtocolVersion).is_some();
        let handshake = self.peer.handshake().filter(|_| !names_modern);
        let modern = self.served(Era::Modern).next();
        let is_modern = names_modern || (handshake.is_none() && self.peer.has_seen_modern());
        let revision = match (handshake, modern.filter(|_| is_modern)) {
            (Some(handshake), _) => handshake.revision,
            (None, Some(modern)) => modern,
            (None, None) => self.catalog.usual_revision(),
        };
        (revision, if handshake.is_some() { Terms::Handshake } else { Terms::Own })
    }

    fn cancelled(&self, envelope: &Envelope<'_>) {
        let (params, text) = (&envelope.params, envelope.params_text);
        let id = params.member(text, ParamKey::RequestId).and_then(Id::from_json);
        let Some(id) = id else { return };
        let Some(mut call) = self.peer.find_open(id) else {
            if let Some(listen) = self.peer.take_listen(id) {
                listen.end(Ending::Cancelled);
            }
            return;
        };
        let reason = params.member(text, ParamKey::Reason).and_then(Str::from_json);
        let reason = reason.map(Str::decode);
        while !call.cancel(reason.as_deref()) {
            // It is being answered, unless it has asked and its next attempt has taken its place.
            match self.peer.find_open(id) {
                Some(next) if !SharedState::ptr_eq(&next, &call) => call = next,
                _ => return,
            }
        }
        self.server.note_cancelled(1);
    }
}
