//! Opening a connection, and keeping it alive.

use std::sync::Arc;

use super::Incoming;
use super::request::{Handled, Request, invalid};
use crate::batch::Sink;
use crate::failure::Failure;
use crate::json::{push_checked, push_quoted, separate};
use crate::jsonrpc::ParamKey;
use crate::kind::ErrorKind;
use crate::memory::Charge;
use crate::model::logging::LogLevel;
use crate::origin::Terms;
use crate::peer::Handshake;
use crate::revision::{Era, Revision};
use crate::subscriptions::Subscriber;

impl Incoming {
    /// `initialize`: the version asked for if it is a legacy one that is served, else the newest.
    pub(super) fn initialize(&self, request: &Request<'_>) -> Result<Handled, Failure> {
        let requested = request.required_text(ParamKey::ProtocolVersion)?;
        if let Sink::Batch(_) = self.sink {
            let reason = "initialize must not be part of a batch";
            return Err(Failure::new(ErrorKind::InvalidRequest, reason));
        }
        let object = |key: ParamKey| match request.param(key) {
            Some(value) if value.starts_with('{') => Ok(value.to_owned()),
            Some(_) => Err(invalid(format!("{} must be an object", key.name()))),
            None => Err(invalid(format!("{} is missing", key.name()))),
        };
        let capabilities = object(ParamKey::Capabilities)?;
        let client = object(ParamKey::ClientInfo)?;
        let Ok(charge) = Charge::new(&self.server.memory, capabilities.len() + client.len()) else {
            return Err(Failure::new(ErrorKind::Limit, "out of memory for clients"));
        };
        let asked = Revision::parse(&requested);
        let asked = asked.filter(|asked| !asked.is_modern() && self.is_served(*asked));
        let newest = self.served(Era::Legacy).next().unwrap_or(request.revision);
        let revision = asked.unwrap_or(newest);
        let handshake = Handshake { revision, client, capabilities, _charge: charge };
        let watchable = self.catalog.watchable();
        let subscriber = Arc::new(Subscriber::legacy(&self.peer.lane, watchable));
        if self.peer.shake_hands(handshake, &subscriber).is_err() {
            return Err(Failure::new(ErrorKind::InvalidRequest, "already initialized"));
        }
        self.server.hub.add(&subscriber);
        let request = Request { revision, terms: Terms::Own, ..*request };
        Ok(self.answer(&request, None, |out| {
            out.extend_from_slice(b"\"protocolVersion\":");
            push_quoted(out, revision.name());
            out.extend_from_slice(b",\"capabilities\":");
            self.catalog.push_capabilities(out, revision, self.peer.is_reachable);
            out.extend_from_slice(b",\"serverInfo\":");
            push_checked(out, &self.catalog.identity(revision));
            self.push_instructions(out);
        }))
    }

    /// `server/discover`: what `initialize` would say, without making anything of it.
    pub(super) fn discover(&self, request: &Request<'_>) -> Result<Handled, Failure> {
        let cache = Some(self.catalog.options.cache);
        Ok(self.answer(request, cache, |out| {
            out.extend_from_slice(b"\"supportedVersions\":[");
            for revision in self.served(Era::Modern) {
                separate(out);
                push_quoted(out, revision.name());
            }
            out.extend_from_slice(b"],\"capabilities\":");
            self.catalog.push_capabilities(out, request.revision, true);
            self.push_instructions(out);
        }))
    }

    pub(super) fn ping(&self, request: &Request<'_>) -> Result<Handled, Failure> {
        Ok(self.answer(request, None, |_| {}))
    }

    pub(super) fn set_level(&self, request: &Request<'_>) -> Result<Handled, Failure> {
        let level = request.param(ParamKey::Level).and_then(LogLevel::from_json);
        let Some(level) = level else {
            return Err(invalid("level is not a log level"));
        };
        self.peer.set_log_level(level);
        Ok(self.answer(request, None, |_| {}))
    }

    fn push_instructions(&self, out: &mut Vec<u8>) {
        if let Some(instructions) = &self.catalog.options.instructions {
            out.extend_from_slice(b",\"instructions\":");
            push_quoted(out, instructions);
        }
    }
}
