//! Reading a call.

use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

use super::Call;
use crate::http::Head;
use crate::json::{Member, Str, find, glance_member, glance_str, parse_f64, parse_i64, value_at};
use crate::jsonrpc::{MetaKey, ParamKey};
use crate::revision::Revision;

impl Call {
    /// The method.
    pub fn method(&self) -> &str {
        self.state.method()
    }

    /// The JSON text of the request's id; `None` for a notification.
    pub fn id(&self) -> Option<&str> {
        let id = self.state.request().id.as_str();
        if id.is_empty() { None } else { Some(id) }
    }

    /// The tool, the prompt, the URI, or for completions the prompt or template; also where the host
    /// answers a method of the protocol itself. Empty for methods of the host's own.
    pub fn name(&self) -> &str {
        self.state.name()
    }

    /// The arguments as JSON text. Tools and prompts: `arguments`. Templates: the variables.
    /// Completions: `argument`, `value`, and the other `arguments` so far. Else: `params`.
    pub fn arguments(&self) -> &str {
        self.state.arguments()
    }

    /// The JSON text of one argument. `path` is a member name, or a JSON Pointer if it starts with
    /// `/`; the empty path is all arguments.
    pub fn arg_json(&self, path: &str) -> Option<&str> {
        if !is_name(path) {
            return find(self.arguments(), path);
        }
        match self.state.noted_argument(path) {
            Member::At(place) => value_at(&self.state.request().text, place),
            Member::Absent => None,
            // They were read strictly when the call came in.
            Member::Unknown => glance_member(self.arguments(), path),
        }
    }

    /// An argument that is a string.
    pub fn arg_str(&self, path: &str) -> Option<Cow<'_, str>> {
        if !is_name(path) {
            return Some(Str::from_json(self.arg_json(path)?)?.decode());
        }
        let text = match self.state.noted_argument(path) {
            Member::At(place) => {
                let request = self.state.request();
                request.params.arguments.string(&request.text, place)
            }
            Member::Absent => None,
            Member::Unknown => glance_str(self.arguments(), path),
        };
        text.map(Str::decode)
    }

    /// An argument that is an integer within `i64`; `5.0` is one.
    pub fn arg_i64(&self, path: &str) -> Option<i64> {
        parse_i64(self.arg_json(path)?)
    }

    /// An argument that is a number within `f64`.
    pub fn arg_f64(&self, path: &str) -> Option<f64> {
        parse_f64(self.arg_json(path)?)
    }

    /// An argument that is `true` or `false`.
    pub fn arg_bool(&self, path: &str) -> Option<bool> {
        match self.arg_json(path)? {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// The JSON text of `_meta`.
    pub fn meta(&self) -> Option<&str> {
        let request = self.state.request();
        request.params.member(&request.text, ParamKey::Meta)
    }

    /// The revision in which the answer is written.
    pub fn revision(&self) -> Revision {
        // A handle always has a bound state; the newest revision stands in for what cannot be.
        self.state.bound().map_or(Revision::V2026_07_28, |bound| bound.revision)
    }

    /// What the client says it is: JSON text of the spec's `Implementation`.
    pub fn client_info(&self) -> Option<&str> {
        let own = self.own_meta(MetaKey::ClientInfo).filter(|_| self.revision().is_modern());
        own.or_else(|| {
            let bound = self.state.bound()?;
            Some(bound.handshake(bound.terms)?.client.as_str())
        })
    }

    /// What the client says it can do: JSON text of the spec's `ClientCapabilities`.
    pub fn client_capabilities(&self) -> &str {
        self.state.client_capabilities()
    }

    /// The W3C `traceparent` that came with the request.
    pub fn traceparent(&self) -> Option<Cow<'_, str>> {
        self.meta_text(MetaKey::Traceparent)
    }

    /// The W3C `tracestate` that came with the request.
    pub fn tracestate(&self) -> Option<Cow<'_, str>> {
        self.meta_text(MetaKey::Tracestate)
    }

    /// The W3C `baggage` that came with the request.
    pub fn baggage(&self) -> Option<Cow<'_, str>> {
        self.meta_text(MetaKey::Baggage)
    }

    /// Who asks, as the host told the session.
    pub fn principal(&self) -> Option<&str> {
        self.state.bound()?.principal.as_deref()
    }

    /// The first header of that name, in whatever case, of the HTTP request that the call came with.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.state.bound()?.head.as_ref()?.first(name)
    }

    /// All headers of the HTTP request that the call came with: names in lower case, and values.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        let head = self.state.bound().and_then(|bound| bound.head.as_deref());
        head.into_iter().flat_map(Head::fields)
    }

    /// The id of the HTTP session that the call belongs to, if there is one (before 2026-07-28). It is a
    /// secret of the client's.
    pub fn session_id(&self) -> Option<&str> {
        self.state.bound()?.head.as_ref()?.session()
    }

    /// What the host attached to the session.
    pub fn context(&self) -> Option<&Arc<dyn Any + Send + Sync>> {
        self.state.bound()?.context.as_ref()
    }

    /// What the host attached to the item.
    pub fn attachment(&self) -> Option<&Arc<dyn Any + Send + Sync>> {
        self.state.bound()?.entry()?.attachment.as_ref()
    }

    /// Whether nobody waits for the answer any more. Cheap enough to ask in a loop.
    pub fn is_cancelled(&self) -> bool {
        self.state.is_cancelled()
    }

    /// Why the client cancelled, if it said.
    pub fn cancel_reason(&self) -> Option<Arc<str>> {
        self.state.progress().cancel_reason.clone()
    }

    fn own_meta(&self, key: MetaKey) -> Option<&str> {
        let request = self.state.request();
        request.params.meta(&request.text, key)
    }

    fn meta_text(&self, key: MetaKey) -> Option<Cow<'_, str>> {
        Some(Str::from_json(self.own_meta(key)?)?.decode())
    }
}

/// Whether a path is the name of a member, and neither a JSON Pointer nor empty.
#[inline]
fn is_name(path: &str) -> bool {
    path.as_bytes().first().is_some_and(|first| *first != b'/')
}
