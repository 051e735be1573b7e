//! One request: era and lifecycle, then the method, then its parameters.

use std::borrow::Cow;

use super::Incoming;
use crate::failure::Failure;
use crate::fault;
use crate::hooks::{ErrorContext, Event, Outcome, Outgoing};
use crate::json::{Str, quoted};
use crate::jsonrpc::{Envelope, Id, MetaKey, ParamKey, ParamsShape, write_result_head};
use crate::kind::ErrorKind;
use crate::lane::Weight;
use crate::model::logging::LogLevel;
use crate::model::result::ResultEnd;
use crate::options::Cache;
use crate::origin::Terms;
use crate::outgoing::{self, clip, echo};
use crate::registry::{Kind, is_engine_method};
use crate::revision::{Era, Method, Revision};

/// A request whose era is known.
pub(super) struct Request<'a> {
    pub(super) id: Id<'a>,
    pub(super) method_name: &'a str,
    pub(super) method: Option<Method>,
    pub(super) envelope: &'a Envelope<'a>,
    pub(super) revision: Revision,
    pub(super) terms: Terms,
    pub(super) received_us: u64,
}

/// How much of a name or URI goes into the `data` of an error.
const MAX_NAME: usize = 2048;

/// How a request was dealt with.
pub(super) enum Handled {
    /// Here and now, with a result.
    Answered,
    /// By a call, which will end it.
    Taken,
}

impl Incoming {
    #[inline(never)]
    pub(super) fn request(&self, id: Id<'_>, method_name: &str, envelope: &Envelope<'_>) {
        let hooks = &self.catalog.hooks;
        let mut request = Request {
            id,
            method_name,
            method: match envelope.tool.catalog {
                Some(_) => Some(Method::ToolsCall),
                None => Method::parse(method_name),
            },
            envelope,
            revision: self.catalog.usual_revision(),
            terms: Terms::Own,
            received_us: if hooks.observer.is_some() { hooks.now_us() } else { 0 },
        };
        if hooks.observer.is_some() {
            hooks.tell(&Event::RequestReceived {
                method: method_name,
                id: id.as_json(),
                time_ms: hooks.now_ms(),
            });
        }
        fault::point(method_name, "on arrival");
        if let Err(failure) = self.settle_era(&mut request) {
            return self.answer_error(&request, failure, Some(Weight::Refusal(400)));
        }
        match self.route(&request) {
            Ok(Handled::Taken) => {}
            Ok(Handled::Answered) => self.complete(&request, Outcome::Ok),
            Err(failure) => self.answer_error(&request, failure, None),
        }
    }

    /// Decides in which revision the request is answered.
    fn settle_era(&self, request: &mut Request<'_>) -> Result<(), Failure> {
        let envelope = request.envelope;
        let version = envelope.params.meta(envelope.params_text, MetaKey::ProtocolVersion);
        if self.mirrors {
            return self.settle_mirrored(request, version);
        }
        // Over HTTP a modern request stands alone, and its headers have been looked at: in a batch, or beside
        // the stream of 2024-11-05, there is none.
        if let Some(version) = version.filter(|_| self.head.is_none() && self.serves(Era::Modern)) {
            return self.settle_modern(request, version);
        }
        if let Some(handshake) = self.peer.handshake() {
            request.revision = handshake.revision;
            request.terms = Terms::Handshake;
            return Ok(());
        }
        if !self.serves(Era::Legacy) {
            return Err(match request.method {
                Some(Method::Initialize) => self
                    .unsupported(Era::Modern, &request.required_text(ParamKey::ProtocolVersion)?),
                _ => missing_meta("protocolVersion"),
            });
        }
        match request.method {
            Some(Method::Initialize | Method::Ping) => Ok(()),
            // Only the modern era has it, so that is what the client speaks.
            Some(Method::Discover) if self.serves(Era::Modern) => {
                request.revision = self.served(Era::Modern).next().unwrap_or(request.revision);
                Err(missing_meta("protocolVersion"))
            }
            Some(Method::Discover) => Ok(()),
            _ => {
                let hint =
                    "send initialize first, or protocolVersion and clientCapabilities in _meta";
                Err(Failure::new(ErrorKind::NotInitialized, hint))
            }
        }
    }

    /// A modern request over HTTP, whose headers say the same as its body.
    fn settle_mirrored(
        &self,
        request: &mut Request<'_>,
        version: Option<&str>,
    ) -> Result<(), Failure> {
        request.revision = self.served(Era::Modern).next().unwrap_or(request.revision);
        self.peer.note_modern();
        self.check_version_header(version)?;
        let version = version.ok_or_else(|| missing_meta("protocolVersion"))?;
        self.settle_modern(request, version)?;
        self.check_method_header(request)
    }

    fn settle_modern(&self, request: &mut Request<'_>, version: &str) -> Result<(), Failure> {
        let envelope = request.envelope;
        let text = envelope.params_text;
        let params = &envelope.params;
        let is_object = |key| params.meta(text, key).map(|value| value.starts_with('{'));
        if let Some(revision) = Revision::modern_from_json(version)
            && self.is_served(revision)
            && !params.duplicate
            && is_object(MetaKey::ClientCapabilities) == Some(true)
            && is_object(MetaKey::ClientInfo) != Some(false)
            && params.meta(text, MetaKey::LogLevel).is_none()
        {
            request.revision = revision;
            self.peer.note_modern();
            return Ok(());
        }
        // Errors from here on are told by the rules of the modern era.
        request.revision = self.served(Era::Modern).next().unwrap_or(request.revision);
        self.peer.note_modern();
        let Some(version) = Str::from_json(version) else {
            return Err(invalid("io.modelcontextprotocol/protocolVersion must be a string"));
        };
        let version = version.decode();
        let served = |revision: &Revision| revision.is_modern() && self.is_served(*revision);
        let Some(revision) = Revision::parse(&version).filter(served) else {
            return Err(self.unsupported(Era::Modern, &version));
        };
        request.revision = revision;
        if envelope.params.duplicate {
            return Err(invalid("a member stands twice"));
        }
        match envelope.params.meta(text, MetaKey::ClientCapabilities) {
            Some(capabilities) if capabilities.starts_with('{') => {}
            Some(_) => {
                return Err(invalid(
                    "io.modelcontextprotocol/clientCapabilities must be an object",
                ));
            }
            None => return Err(missing_meta("clientCapabilities")),
        }
        if let Some(client) = envelope.params.meta(text, MetaKey::ClientInfo)
            && !client.starts_with('{')
        {
            return Err(invalid("io.modelcontextprotocol/clientInfo must be an object"));
        }
        if let Some(level) = envelope.params.meta(text, MetaKey::LogLevel)
            && LogLevel::from_json(level).is_none()
        {
            return Err(invalid("io.modelcontextprotocol/logLevel is not a log level"));
        }
        Ok(())
    }

    /// Finds who answers: the host for methods of its own, else the engine.
    fn route(&self, request: &Request<'_>) -> Result<Handled, Failure> {
        let own = self.catalog.find(Kind::Method, request.method_name);
        let known = request
            .method
            .filter(|method| request.revision.has_method(*method) && self.is_offered(*method));
        let has_fallback = known.is_none() && !is_engine_method(request.method_name);
        let fallback = || match has_fallback {
            true => self.catalog.find(Kind::Method, "*"),
            false => None,
        };
        let entry = own.or_else(fallback);
        if entry.is_none() && known.is_none() {
            return Err(Failure::new(ErrorKind::UnknownMethod, echo(request.method_name)));
        }
        self.check_name_header(request)?;
        if self.peer.is_open(request.id) {
            return Err(id_in_use());
        }
        check_params(request)?;
        if let Some(found) = entry {
            return self.call_method(request, found);
        }
        match known {
            Some(Method::ToolsCall) => self.call_tool(request),
            Some(Method::ResourcesRead) => self.read_resource(request),
            Some(Method::PromptsGet) => self.get_prompt(request),
            Some(Method::Complete) => self.complete_argument(request),
            // What follows is read by what this settles, so that it cannot wait for anybody.
            Some(Method::Initialize) => self.initialize(request),
            Some(method) => match self.catalog.around() {
                Some(found) => self.call_method(request, found),
                None => self.answer_itself(request, method),
            },
            None => Err(Failure::new(ErrorKind::UnknownMethod, echo(request.method_name))),
        }
    }

    /// What the engine answers without a handler.
    pub(super) fn answer_itself(
        &self,
        request: &Request<'_>,
        method: Method,
    ) -> Result<Handled, Failure> {
        match method {
            Method::Ping => self.ping(request),
            Method::Discover => self.discover(request),
            Method::SetLevel => self.set_level(request),
            Method::ToolsList => self.list(request, Kind::Tool),
            Method::ResourcesList => self.list(request, Kind::Resource),
            Method::TemplatesList => self.list(request, Kind::Template),
            Method::PromptsList => self.list(request, Kind::Prompt),
            Method::ResourcesSubscribe => self.subscribe(request),
            Method::ResourcesUnsubscribe => self.unsubscribe(request),
            Method::Listen => self.listen(request),
            Method::ResourcesRead => self.read_contents(request),
            Method::Complete => Ok(self.suggest_nothing(request)),
            Method::Initialize | Method::ToolsCall | Method::PromptsGet => {
                Err(Failure::new(ErrorKind::UnknownMethod, echo(request.method_name)))
            }
        }
    }

    /// Whether the server has what the method is about.
    fn is_offered(&self, method: Method) -> bool {
        match method {
            Method::Initialize | Method::Ping | Method::Discover | Method::Listen => true,
            Method::SetLevel => self.catalog.options.logging,
            Method::ToolsList | Method::ToolsCall => self.catalog.serves(Kind::Tool),
            Method::ResourcesList | Method::TemplatesList | Method::ResourcesRead => {
                self.catalog.serves(Kind::Resource)
            }
            Method::ResourcesSubscribe | Method::ResourcesUnsubscribe => {
                self.catalog.serves(Kind::Resource) && self.peer.is_reachable
            }
            Method::PromptsList | Method::PromptsGet => self.catalog.serves(Kind::Prompt),
            Method::Complete => self.catalog.serves(Kind::Completion),
        }
    }

    /// Answers with a result whose members `write` appends behind the opening brace.
    pub(super) fn answer(
        &self,
        request: &Request<'_>,
        cache: Option<Cache>,
        write: impl FnOnce(&mut Vec<u8>),
    ) -> Handled {
        let end = ResultEnd {
            introduces: request.method == Some(Method::Discover),
            ..ResultEnd::plain(&self.catalog, request.revision)
        };
        let end = end.with_cache(cache);
        self.outlet().answer(self.catalog.options.limits.output_bytes, |out| {
            write_result_head(out, request.id);
            out.push(b'{');
            write(out);
            end.push(out);
            fault::point(request.method_name, "in the answer");
            out.push(b'}');
        });
        self.settled.set(true);
        Handled::Answered
    }

    /// Answers with an error; `weight` is for those that have one whatever their kind.
    fn answer_error(&self, request: &Request<'_>, failure: Failure, weight: Option<Weight>) {
        let name = clip(&request.subject(), MAX_NAME);
        let context = ErrorContext {
            method: request.method_name,
            name: &name,
            id: Some(request.id.as_json()),
            revision: Some(request.revision),
        };
        let error = Outgoing::compose(&self.catalog, failure, &context);
        let end = ResultEnd::plain(&self.catalog, request.revision);
        let mut outcome = Outcome::Ok;
        let weight = weight.unwrap_or_else(|| outgoing::weight(&error, request.revision, false));
        self.outlet().send(weight, self.catalog.options.limits.output_bytes, |out| {
            outcome = outgoing::write(out, Ok(request.id), &error, request.method, &end);
        });
        self.settled.set(true);
        self.complete(request, outcome);
    }

    fn complete(&self, request: &Request<'_>, outcome: Outcome) {
        let hooks = &self.catalog.hooks;
        if hooks.observer.is_some() {
            hooks.tell(&Event::RequestCompleted {
                method: request.method_name,
                id: request.id.as_json(),
                duration_us: hooks.now_us().saturating_sub(request.received_us),
                outcome,
            });
        }
    }

    /// The served revisions of an era, newest first.
    pub(super) fn served(&self, era: Era) -> impl Iterator<Item = Revision> {
        self.catalog.options.revisions.of_era(era)
    }

    fn serves(&self, era: Era) -> bool {
        self.served(era).next().is_some()
    }

    pub(super) fn is_served(&self, revision: Revision) -> bool {
        self.catalog.options.revisions.contains(revision)
    }

    /// The error for a version that is not served, with those that are.
    pub(super) fn unsupported(&self, era: Era, requested: &str) -> Failure {
        let supported: Vec<_> = self.served(era).map(|revision| quoted(revision.name())).collect();
        let supported = supported.join(",");
        let data =
            format!("{{\"supported\":[{supported}],\"requested\":{}}}", quoted(&echo(requested)));
        Failure::new(ErrorKind::UnsupportedRevision, "").with_data(data)
    }
}

impl Request<'_> {
    /// The JSON text of a member of `params`.
    #[inline]
    pub(super) fn param(&self, key: ParamKey) -> Option<&str> {
        self.envelope.params.member(self.envelope.params_text, key)
    }

    /// What the request is about: a tool, a prompt or a URI; empty where there is no such thing.
    pub(super) fn subject(&self) -> Cow<'_, str> {
        let key = match self.method {
            Some(Method::ToolsCall | Method::PromptsGet) => ParamKey::Name,
            Some(
                Method::ResourcesRead | Method::ResourcesSubscribe | Method::ResourcesUnsubscribe,
            ) => ParamKey::Uri,
            _ => return Cow::Borrowed(""),
        };
        self.text(key).unwrap_or_default()
    }

    /// A member of `params` that is a string.
    pub(super) fn text(&self, key: ParamKey) -> Option<Cow<'_, str>> {
        Some(Str::from_json(self.param(key)?)?.decode())
    }

    /// A member of `params` that must be a string.
    pub(super) fn required_text(&self, key: ParamKey) -> Result<Cow<'_, str>, Failure> {
        match self.param(key) {
            None => Err(invalid(format!("{} is missing", key.name()))),
            Some(_) => {
                self.text(key).ok_or_else(|| invalid(format!("{} must be a string", key.name())))
            }
        }
    }
}

/// What is wrong with the parameters.
pub(super) fn invalid(text: impl Into<String>) -> Failure {
    Failure::new(ErrorKind::InvalidParams, text)
}

/// The client waits for an answer to this id already.
pub(super) fn id_in_use() -> Failure {
    Failure::new(ErrorKind::InvalidRequest, "the id belongs to a request that is still open")
}

fn missing_meta(key: &str) -> Failure {
    invalid(format!("_meta lacks io.modelcontextprotocol/{key}"))
}

/// What holds for the parameters of every method.
fn check_params(request: &Request<'_>) -> Result<(), Failure> {
    let params = &request.envelope.params;
    if params.shape == ParamsShape::Other {
        return Err(invalid("params must be an object"));
    }
    if params.duplicate {
        return Err(invalid("a member stands twice"));
    }
    let is_object = |value: &str| value.starts_with('{');
    if request.param(ParamKey::Meta).is_some_and(|meta| !is_object(meta)) {
        return Err(invalid("_meta must be an object"));
    }
    if request.revision.is_modern() {
        if request.param(ParamKey::RequestState).is_some_and(|state| !state.starts_with('"')) {
            return Err(invalid("requestState must be a string"));
        }
        if request.param(ParamKey::InputResponses).is_some_and(|value| !is_object(value)) {
            return Err(invalid("inputResponses must be an object"));
        }
    }
    Ok(())
}
