//! The methods that handlers answer: from a request to a running call.

use std::sync::Arc;

use super::Incoming;
use super::request::{Handled, Request, id_in_use, invalid};
use crate::ask::{Binding, History};
use crate::call::{Arguments, Bound, Call, OVERHEAD, Pool};
use crate::failure::Failure;
use crate::fault;
use crate::json::{Str, find_member, members, push_key, push_quoted, quoted};
use crate::jsonrpc::{Envelope, Id, ParamKey, Span, ToolCheck};
use crate::kind::ErrorKind;
use crate::memory::Charge;
use crate::model::content::push_contents;
use crate::origin::Terms;
use crate::outgoing::echo;
use crate::peer::NotOpened;
use crate::registry::{Detail, Entry, Found, Kind, Reference, completion_key};
use crate::revision::{Method, Revision};
use crate::schema::{Verdict, Violation};

/// A call that is about to start.
pub(super) struct Target<'a> {
    pub(super) id: Option<Id<'a>>,
    pub(super) method_name: &'a str,
    pub(super) method: Option<Method>,
    pub(super) name: &'a str,
    /// Arguments that the engine put together; `None` for those in `params`.
    pub(super) arguments: Option<String>,
    pub(super) found: Found<'a>,
    pub(super) envelope: &'a Envelope<'a>,
    pub(super) revision: Revision,
    pub(super) terms: Terms,
    pub(super) received_us: u64,
}

impl Incoming {
    #[inline(always)]
    pub(super) fn call_tool(&self, request: &Request<'_>) -> Result<Handled, Failure> {
        let ToolCheck { found, verdict, .. } = request.envelope.tool;
        let found = match found {
            Some(found) => found,
            None => self.find_tool(request)?,
        };
        // Only an object has been judged.
        if verdict.is_none() {
            check_arguments_object(request)?;
        }
        self.check_param_headers(request, found.entry)?;
        let mut target = request.target(found, &found.entry.key);
        if verdict != Some(Verdict::Valid) {
            target.arguments = self.check_arguments(request, found.entry, verdict)?;
        }
        self.start(target)
    }

    /// The tool that the request names in a way that takes a second look.
    #[cold]
    fn find_tool(&self, request: &Request<'_>) -> Result<Found<'_>, Failure> {
        let name = request.required_text(ParamKey::Name)?;
        check_arguments_object(request)?;
        let found = self.catalog.find(Kind::Tool, &name);
        found.ok_or_else(|| Failure::new(ErrorKind::UnknownTool, echo(&name)))
    }

    /// Validates the arguments of a tool, unless that has happened while they were read. Gives those that
    /// take their place, if they had to be coerced.
    #[inline(never)]
    fn check_arguments(
        &self,
        request: &Request<'_>,
        entry: &Entry,
        verdict: Option<Verdict>,
    ) -> Result<Option<String>, Failure> {
        let Some(schema) = entry.input_schema() else { return Ok(None) };
        let arguments = request.param(ParamKey::Arguments).unwrap_or("{}");
        let verdict = match verdict {
            Some(verdict) => verdict,
            // They were read strictly already, so that there is no fault left to find.
            None => schema.check(arguments).unwrap_or(Verdict::Invalid),
        };
        if verdict == Verdict::Valid {
            return Ok(None);
        }
        if verdict == Verdict::Invalid
            && entry.policy.coerce.unwrap_or(self.catalog.options.coerce)
            && let Some(coerced) = schema.coerce(arguments)
        {
            return Ok(Some(coerced));
        }
        let violations = schema.explain(arguments, verdict);
        let text: Vec<_> = violations.iter().map(Violation::to_string).collect();
        Err(Failure::new(ErrorKind::InvalidArguments, text.join("; ")))
    }

    pub(super) fn get_prompt(&self, request: &Request<'_>) -> Result<Handled, Failure> {
        let name = request.required_text(ParamKey::Name)?;
        check_arguments_object(request)?;
        let Some(found) = self.catalog.find(Kind::Prompt, &name) else {
            return Err(Failure::new(ErrorKind::UnknownPrompt, echo(&name)));
        };
        let arguments = request.param(ParamKey::Arguments).unwrap_or("{}");
        for (argument, value) in members(arguments) {
            if !value.starts_with('"') {
                let argument = echo(&argument.decode());
                return Err(invalid(format!("argument {argument} must be a string")));
            }
        }
        if let Detail::Prompt { required } = &found.entry.detail {
            for argument in required {
                if find_member(arguments, argument).is_none() {
                    return Err(invalid(format!("argument {argument} is missing")));
                }
            }
        }
        self.start(request.target(found, &name))
    }

    pub(super) fn read_resource(&self, request: &Request<'_>) -> Result<Handled, Failure> {
        let uri = request.required_text(ParamKey::Uri)?;
        if let Some(found) = self.catalog.find(Kind::Resource, &uri) {
            let answers = match (found.entry.contents(), self.catalog.around()) {
                (None, _) => found,
                (Some(_), Some(around)) => around,
                (Some(contents), None) => return Ok(self.show(request, found.entry, contents)),
            };
            return self.start(request.target(answers, &uri).with_arguments("{}".to_owned()));
        }
        for found in self.catalog.places(Kind::Template) {
            let Detail::Template { template, .. } = &found.entry.detail else {
                continue;
            };
            if let Some(variables) = template.matches(&uri) {
                let target = request.target(found, &uri);
                return self.start(target.with_arguments(variables_as_json(&variables)));
            }
        }
        Err(Failure::new(ErrorKind::ResourceNotFound, echo(&uri)))
    }

    /// A resource whose contents never change.
    pub(super) fn read_contents(&self, request: &Request<'_>) -> Result<Handled, Failure> {
        let uri = request.required_text(ParamKey::Uri)?;
        let entry = self.catalog.get(Kind::Resource, &uri);
        match entry.and_then(|entry| Some((entry, entry.contents()?))) {
            Some((entry, contents)) => Ok(self.show(request, entry, contents)),
            None => Err(Failure::new(ErrorKind::ResourceNotFound, echo(&uri))),
        }
    }

    fn show(&self, request: &Request<'_>, entry: &Entry, contents: &[u8]) -> Handled {
        let mime_type = match &entry.detail {
            Detail::Resource { mime_type, .. } => mime_type.as_deref(),
            _ => None,
        };
        let cache = entry.policy.cache.unwrap_or(self.catalog.options.cache);
        self.answer(request, Some(cache), |out| {
            out.extend_from_slice(b"\"contents\":[");
            push_contents(out, &entry.key, mime_type, contents);
            out.push(b']');
        })
    }

    pub(super) fn complete_argument(&self, request: &Request<'_>) -> Result<Handled, Failure> {
        let reference = request.param(ParamKey::Ref).unwrap_or_default();
        let argument = request.param(ParamKey::Argument).unwrap_or_default();
        let text = |json, name| {
            let text = find_member(json, name).and_then(Str::from_json).map(Str::decode);
            text.ok_or_else(|| invalid(format!("ref and argument need {name}, a string")))
        };
        let kind = text(reference, "type")?;
        let (kind, member) = match &*kind {
            "ref/prompt" => (Kind::Prompt, "name"),
            "ref/resource" => (Kind::Template, "uri"),
            other => return Err(invalid(format!("unknown ref type {}", echo(other)))),
        };
        let name = text(reference, member)?;
        let (argument, value) = (text(argument, "name")?, text(argument, "value")?);
        let exists = self.catalog.get(kind, &name).is_some()
            || (kind == Kind::Template && self.catalog.get(Kind::Resource, &name).is_some());
        if !exists {
            return Err(invalid(format!("nothing to complete at {}", echo(&name))));
        }
        let of = match kind {
            Kind::Prompt => Reference::Prompt(&name),
            _ => Reference::Template(&name),
        };
        let found = self.catalog.find(Kind::Completion, &completion_key(of, &argument));
        let Some(found) = found.or_else(|| self.catalog.around()) else {
            return Ok(self.suggest_nothing(request));
        };
        let others = request.param(ParamKey::Context).and_then(|it| find_member(it, "arguments"));
        let others = others.filter(|others| others.starts_with('{')).unwrap_or("{}");
        let arguments = format!(
            "{{\"argument\":{},\"value\":{},\"arguments\":{others}}}",
            quoted(&argument),
            quoted(&value)
        );
        self.start(request.target(found, &name).with_arguments(arguments))
    }

    /// The answer where nobody has registered a completion.
    pub(super) fn suggest_nothing(&self, request: &Request<'_>) -> Handled {
        self.answer(request, None, |out| {
            out.extend_from_slice(b"\"completion\":{\"values\":[],\"hasMore\":false}");
        })
    }

    /// A method of the host's own, or one of the protocol that the host answers itself.
    pub(super) fn call_method(
        &self,
        request: &Request<'_>,
        found: Found<'_>,
    ) -> Result<Handled, Failure> {
        let subject = request.subject();
        let mut target = request.target(found, &subject);
        target.method = request.method.filter(|method| request.revision.has_method(*method));
        self.start(target)
    }

    /// Opens the call and hands it to whoever answers it.
    pub(super) fn start(&self, target: Target<'_>) -> Result<Handled, Failure> {
        let text = target.envelope.params_text;
        let history = self.history(&target)?;
        let Found { entry, place } = target.found;
        let deadline_ms = entry.policy.deadline_ms.or(self.catalog.options.deadline_ms);
        let bytes = OVERHEAD + text.len() + target.arguments.as_ref().map_or(0, String::len);
        let mut token = 0;
        let bound = |fresh, charged| {
            token = fresh;
            Bound {
                token,
                origin: Arc::clone(&self.origin),
                sink: self.sink.clone(),
                place,
                method: target.method,
                revision: target.revision,
                terms: target.terms,
                received_us: target.received_us,
                charged,
            }
        };
        let state = Pool::take(&self.server, self.peer.number, bytes, bound, |request| {
            if target.method.is_none() {
                request.method.push_str(target.method_name);
            }
            request.id.push_str(target.id.map_or("", Id::as_json));
            request.id_digest = target.id.map_or(0, Id::digest);
            if !matches!(entry.detail, Detail::Tool(_)) {
                request.name.push_str(target.name);
            }
            request.text.push_str(text);
            request.params.clone_from(&target.envelope.params);
            let within = match entry.detail {
                Detail::Method | Detail::Around => Span::whole(text.len()),
                _ => request.params.span(ParamKey::Arguments),
            };
            request.arguments = target.arguments.map_or(Arguments::Within(within), Arguments::Own);
        });
        let Ok(state) = state else {
            return Err(Failure::new(ErrorKind::Limit, "out of memory for requests"));
        };
        if let Some(history) = history {
            let (history, charge) = *history;
            state.remember(history, vec![charge]);
        }
        let limit = self.catalog.options.limits.open_calls;
        if let Err(reason) = self.peer.open_call(token, &state, limit) {
            Pool::put_back(state);
            return Err(not_opened(reason, limit));
        }
        self.settled.set(true);
        let call = Call::first(state);
        fault::point(target.method_name, "with an open call");
        if let (Some(_), Some(deadline)) = (target.id, deadline_ms) {
            let now = self.catalog.hooks.now_ms();
            self.server.set_deadline(&call, now.saturating_add(deadline));
        }
        self.server.dispatch(call);
        Ok(Handled::Taken)
    }
}

#[cold]
fn not_opened(reason: NotOpened, limit: usize) -> Failure {
    match reason {
        NotOpened::Duplicate => id_in_use(),
        NotOpened::Closed => Failure::new(ErrorKind::Internal, "the server takes no more requests"),
        NotOpened::TooMany => Failure::new(ErrorKind::Limit, format!("{limit} requests are open")),
    }
}

impl Incoming {
    /// What the attempts before this one left, if the client brings it along, and what it costs.
    #[inline(always)]
    fn history(&self, target: &Target<'_>) -> Result<Option<Box<(History, Charge)>>, Failure> {
        let is_asker = matches!(
            target.method,
            Some(Method::ToolsCall | Method::PromptsGet | Method::ResourcesRead)
        );
        if !is_asker || !target.revision.is_modern() {
            return Ok(None);
        }
        let params = &target.envelope.params;
        let has_none = |key| params.span(key) == Span::default();
        if has_none(ParamKey::InputResponses) && has_none(ParamKey::RequestState) {
            return Ok(None);
        }
        let Some(history) = self.brought_history(target)? else { return Ok(None) };
        match Charge::new(&self.server.memory, history.len()) {
            Ok(charge) => Ok(Some(Box::new((history, charge)))),
            Err(_) => Err(Failure::new(ErrorKind::Limit, "out of memory for answers")),
        }
    }

    #[cold]
    fn brought_history(&self, target: &Target<'_>) -> Result<Option<History>, Failure> {
        let envelope = target.envelope;
        let param = |key| envelope.params.member(envelope.params_text, key);
        let options = &self.catalog.options;
        let (responses, state) = (param(ParamKey::InputResponses), param(ParamKey::RequestState));
        let responses = responses.unwrap_or_default();
        let Some(state) = state.and_then(Str::from_json) else {
            return offered(responses, options.limits.state_bytes);
        };
        let bad = |text: &str| Failure::new(ErrorKind::BadState, text);
        if state.raw().len() > options.limits.state_bytes {
            return Err(bad("it is longer than state_bytes"));
        }
        let hooks = &self.catalog.hooks;
        let opened = self.server.seal.open(hooks, &state.decode());
        let not_ours = || bad("this server did not make it for this request");
        let read = opened.and_then(|bytes| History::decode(&bytes));
        let Some((mut history, own, issued_ms)) = read else { return Err(not_ours()) };
        let arguments = target.arguments.as_deref().or_else(|| param(ParamKey::Arguments));
        let binding = Binding::new(
            &options.name,
            target.method_name,
            target.name,
            arguments.unwrap_or("{}"),
            self.principal.as_deref(),
        );
        if own != binding {
            return Err(not_ours());
        }
        let now_ms = hooks.unix_ms();
        // Clocks of two processes may differ a little, so that it seems to come from the future.
        let is_plausible = issued_ms <= now_ms.saturating_add(MAX_SKEW_MS);
        let age_ms = now_ms.saturating_sub(issued_ms);
        if !is_plausible || options.state_ttl_ms.is_some_and(|ttl| age_ms >= ttl) {
            return Err(bad("it has expired"));
        }
        for (key, json) in members(responses) {
            history.hear(&key.decode(), json);
        }
        Ok(Some(history))
    }
}

/// Answers without the state that their questions came with: a client may know beforehand what it will be
/// asked. They count if they fit, like any others, since it could say the same when asked.
fn offered(responses: &str, limit: usize) -> Result<Option<History>, Failure> {
    let pairs = members(responses).map(|(key, json)| (key.decode().into_owned(), json.to_owned()));
    let history = History { offered: pairs.collect(), ..History::default() };
    if history.len() > limit {
        return Err(Failure::new(ErrorKind::Limit, "the answers are more than state_bytes"));
    }
    Ok(Some(history).filter(|history| !history.offered.is_empty()))
}

/// By how much the clocks of processes that share keys may differ.
const MAX_SKEW_MS: u64 = 60_000;

impl Request<'_> {
    fn target<'t>(&'t self, found: Found<'t>, name: &'t str) -> Target<'t> {
        Target {
            id: Some(self.id),
            method_name: self.method_name,
            method: self.method,
            name,
            arguments: None,
            found,
            envelope: self.envelope,
            revision: self.revision,
            terms: self.terms,
            received_us: self.received_us,
        }
    }
}

impl Target<'_> {
    fn with_arguments(mut self, arguments: String) -> Self {
        self.arguments = Some(arguments);
        self
    }
}

fn check_arguments_object(request: &Request<'_>) -> Result<(), Failure> {
    match request.param(ParamKey::Arguments) {
        Some(arguments) if !arguments.starts_with('{') => {
            Err(invalid("arguments must be an object"))
        }
        _ => Ok(()),
    }
}

fn variables_as_json(variables: &[(&str, String)]) -> String {
    let mut out = vec![b'{'];
    for (name, value) in variables {
        push_key(&mut out, name);
        push_quoted(&mut out, value);
    }
    out.push(b'}');
    String::from_utf8(out).unwrap_or_default()
}
