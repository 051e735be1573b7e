//! Notifications: never answered, whatever is wrong with them.

use std::sync::Arc;

use super::Incoming;
use super::calls::Target;
use crate::json::Str;
use crate::jsonrpc::{Envelope, Id, ParamKey, ParamsShape};
use crate::registry::Kind;

impl Incoming<'_> {
    pub(super) fn notification(&self, method: &str, envelope: &Envelope<'_>) {
        let params = &envelope.params;
        if params.shape == ParamsShape::Other || params.duplicate {
            return;
        }
        if method == "notifications/cancelled" {
            return self.cancelled(envelope);
        }
        let own = self.catalog.get(Kind::Method, method);
        let Some(entry) = own.or_else(|| self.catalog.get(Kind::Method, "*")) else {
            return;
        };
        let handshake = self.peer.handshake();
        let revision = handshake.as_ref().map(|handshake| handshake.revision);
        let target = Target {
            id: None,
            method_name: method,
            method: None,
            name: "",
            arguments: None,
            entry: Arc::clone(entry),
            envelope,
            revision: revision.unwrap_or_else(|| self.catalog.usual_revision()),
            handshake,
            received_us: 0,
        };
        // A notification has nobody to tell that there was no room for it.
        drop(self.start(target));
    }

    fn cancelled(&self, envelope: &Envelope<'_>) {
        let (params, text) = (&envelope.params, envelope.params_text);
        let id = params.member(text, ParamKey::RequestId).and_then(Id::from_json);
        let Some(call) = id.and_then(|id| self.peer.find_open(id)) else {
            return;
        };
        let reason = params.member(text, ParamKey::Reason).and_then(Str::from_json);
        call.cancel(reason.map(Str::decode).as_deref());
        self.server.forget_cancelled();
    }
}
