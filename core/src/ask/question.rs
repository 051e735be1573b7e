//! A question to the client: which there are, what they need, and what answers them.

use crate::error::Error;
use crate::json::{
    Str, compact, elements, find_member, is_integer, members, push_checked, push_key, push_quoted,
    quoted,
};
use crate::jsonrpc::Names;
use crate::model::definition::{check_object, text_member};
use crate::registry::has_scheme;
use crate::revision::{Feature, Revision};

use super::binding::{Digest, digest};
use super::form;

/// What a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    /// Data that the user fills in.
    Form,
    /// A page that the user is sent to.
    Url,
    /// A message from the client's model.
    Sampling,
    /// The same, with tools that the model may want used.
    SamplingWithTools,
    /// The folders that the user works in.
    Roots,
}

/// A set of topics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Topics(u8);

/// A question that has been checked.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) key: String,
    pub(crate) topic: Topic,
    /// Compact JSON object; empty for none.
    params: String,
    /// By which the next attempt knows that it asks the same.
    pub(crate) digest: Digest,
}

impl Topic {
    pub(crate) const ALL: [Topic; 5] =
        [Topic::Form, Topic::Url, Topic::Sampling, Topic::SamplingWithTools, Topic::Roots];

    /// What a request of this method and with these parameters would be about.
    pub(crate) fn of(method: &str, params: &str) -> Option<Topic> {
        match method {
            "elicitation/create" if find_member(params, "mode") == Some("\"url\"") => {
                Some(Topic::Url)
            }
            "elicitation/create" => Some(Topic::Form),
            "sampling/createMessage" => {
                let has = |name| find_member(params, name).is_some();
                let with_tools = has("tools") || has("toolChoice");
                Some(if with_tools { Topic::SamplingWithTools } else { Topic::Sampling })
            }
            "roots/list" => Some(Topic::Roots),
            _ => None,
        }
    }

    pub(crate) const fn method(self) -> &'static str {
        match self {
            Topic::Form | Topic::Url => "elicitation/create",
            Topic::Sampling | Topic::SamplingWithTools => "sampling/createMessage",
            Topic::Roots => "roots/list",
        }
    }

    /// The client capability that it needs, and the part of it.
    const fn capability(self) -> (&'static str, Option<&'static str>) {
        match self {
            Topic::Form => ("elicitation", Some("form")),
            Topic::Url => ("elicitation", Some("url")),
            Topic::Sampling => ("sampling", None),
            Topic::SamplingWithTools => ("sampling", Some("tools")),
            Topic::Roots => ("roots", None),
        }
    }

    /// Whether a client with these capabilities can be asked in this revision.
    pub(crate) fn is_open_to(self, capabilities: &str, revision: Revision) -> bool {
        let feature = match self {
            Topic::Form => Some(Feature::Elicitation),
            Topic::Url => Some(Feature::UrlElicitation),
            Topic::SamplingWithTools => Some(Feature::SamplingTools),
            Topic::Sampling | Topic::Roots => None,
        };
        let (name, part) = self.capability();
        let Some(declared) = find_member(capabilities, name).filter(|own| own.starts_with('{'))
        else {
            return false;
        };
        let is_declared = match part {
            None => true,
            // Clients that know no other mode say only that they know elicitation.
            Some("form") => {
                find_member(declared, "form").is_some() || find_member(declared, "url").is_none()
            }
            Some(part) => find_member(declared, part).is_some(),
        };
        is_declared && feature.is_none_or(|feature| revision.has(feature))
    }
}

impl Topics {
    pub(crate) fn add(&mut self, topic: Topic) {
        self.0 |= 1 << topic as u8;
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// What is missing, in words and as the `ClientCapabilities` that would be needed.
    pub(crate) fn describe(self) -> (String, String) {
        let mut names = Vec::new();
        let mut capabilities: Vec<(&str, Vec<u8>)> = Vec::new();
        for topic in Topic::ALL.into_iter().filter(|topic| self.0 & 1 << *topic as u8 != 0) {
            let (name, part) = topic.capability();
            names.push(part.map_or(name.to_owned(), |part| format!("{name}.{part}")));
            if !capabilities.iter().any(|(own, _)| *own == name) {
                capabilities.push((name, vec![b'{']));
            }
            let own = capabilities.iter_mut().find(|(own, _)| *own == name);
            if let (Some((_, own)), Some(part)) = (own, part) {
                push_key(own, part);
                own.extend_from_slice(b"{}");
            }
        }
        let mut json = vec![b'{'];
        for (name, parts) in capabilities {
            push_key(&mut json, name);
            json.extend_from_slice(&parts);
            json.push(b'}');
        }
        json.push(b'}');
        let data =
            format!("{{\"requiredCapabilities\":{}}}", String::from_utf8(json).unwrap_or_default());
        (names.join(", "), data)
    }
}

impl Question {
    /// Checks a question of the host's.
    pub(crate) fn new(
        key: &str,
        method: &str,
        params: &str,
        depth: u32,
    ) -> Result<Question, Error> {
        let params = if params.is_empty() { "" } else { check_object(params, depth)? };
        let Some(topic) = Topic::of(method, params) else {
            return Err(Error::Invalid(
                "a client is asked elicitation/create, sampling/createMessage or roots/list",
            ));
        };
        check(topic, params).map_err(Error::Definition)?;
        let params = compact(params);
        let digest = digest(&[method.as_bytes(), params.as_bytes()]);
        Ok(Question { key: key.to_owned(), topic, params, digest })
    }

    pub(crate) fn len(&self) -> usize {
        self.key.len() + self.params.len()
    }

    /// The id by which the end of an elicitation by URL is told.
    pub(crate) fn elicitation_id(&self) -> Option<String> {
        text_member(&self.params, "elicitationId").filter(|_| self.topic == Topic::Url)
    }

    /// Makes up an id where the revision needs one and the host gave none.
    pub(crate) fn complete(&mut self, revision: Revision, token: u64) {
        let is_needed = self.topic == Topic::Url && revision.has(Feature::ElicitationId);
        if is_needed && self.elicitation_id().is_none() {
            let id = quoted(&format!("{token}-{}", self.key));
            self.params.pop();
            self.params.push_str(&format!(",\"elicitationId\":{id}}}"));
        }
    }

    /// Appends `"method":…` and, where there are any, `"params":…`.
    pub(crate) fn write(&self, out: &mut Vec<u8>, revision: Revision) {
        out.extend_from_slice(b"\"method\":");
        push_quoted(out, self.topic.method());
        if self.params.is_empty() {
            return;
        }
        out.extend_from_slice(b",\"params\":{");
        for (name, value) in members(&self.params) {
            let name = name.decode();
            let is_known = match (&*name, self.topic) {
                ("mode", Topic::Form) => revision.has(Feature::UrlElicitation),
                ("elicitationId", Topic::Url) => revision.has(Feature::ElicitationId),
                _ => true,
            };
            if is_known {
                push_key(out, &name);
                push_checked(out, value);
            }
        }
        out.push(b'}');
    }

    /// Whether `json` answers the question.
    pub(crate) fn accepts(&self, json: &str) -> bool {
        // Whoever reads it after us may take the other one.
        if has_duplicate(json) {
            return false;
        }
        let member = |name| find_member(json, name);
        let is_text = |name| member(name).is_some_and(|text| text.starts_with('"'));
        match self.topic {
            Topic::Form | Topic::Url => match member("action") {
                Some("\"decline\"" | "\"cancel\"") => true,
                Some("\"accept\"") => self.topic == Topic::Url || self.accepts_content(json),
                _ => false,
            },
            Topic::Sampling | Topic::SamplingWithTools => {
                let is_role = matches!(member("role"), Some("\"assistant\"" | "\"user\""));
                let is_block = |block: &str| {
                    let kind = find_member(block, "type");
                    kind.is_some_and(|kind| kind.starts_with('"')) && !has_duplicate(block)
                };
                let is_content =
                    member("content").is_some_and(|content| match content.starts_with('[') {
                        true => elements(content).all(is_block),
                        false => is_block(content),
                    });
                is_role && is_content && is_text("model")
            }
            Topic::Roots => member("roots").is_some_and(|roots| {
                let has_uri = |root| {
                    let uri = find_member(root, "uri").and_then(Str::from_json);
                    uri.is_some_and(|uri| uri.decode().starts_with("file://"))
                        && !has_duplicate(root)
                };
                roots.starts_with('[') && elements(roots).all(has_uri)
            }),
        }
    }

    fn accepts_content(&self, json: &str) -> bool {
        let content = find_member(json, "content").filter(|own| own.starts_with('{'));
        let schema = find_member(&self.params, "requestedSchema");
        // It could be compiled when the question was asked, so that it can be again.
        let schema = schema.and_then(|text| form::compile(text).ok());
        content.zip(schema).is_some_and(|(content, schema)| schema.is_valid(content))
    }
}

/// Whether a member of the object stands twice.
fn has_duplicate(json: &str) -> bool {
    let mut names = Names::default();
    members(json).for_each(|(name, _)| names.add(name));
    names.has_duplicate()
}

/// What the host got wrong.
fn check(topic: Topic, params: &str) -> Result<(), String> {
    let member = |name| find_member(params, name);
    let is_text = |name| member(name).is_some_and(|text| text.starts_with('"'));
    let needs = |what: &str| Err(format!("{} needs {what}", topic.method()));
    match topic {
        Topic::Form => {
            if !is_text("message") {
                return needs("message, a string");
            }
            if !matches!(member("mode"), None | Some("\"form\"")) {
                return needs("mode to be form or url");
            }
            let Some(schema) = member("requestedSchema").filter(|own| own.starts_with('{')) else {
                return needs("requestedSchema, an object");
            };
            form::check(schema).map_err(|reason| format!("requestedSchema{reason}"))
        }
        Topic::Url if !is_text("message") => needs("message, a string"),
        Topic::Url if !text_member(params, "url").is_some_and(|url| has_scheme(&url)) => {
            needs("url, a string with an absolute URL")
        }
        Topic::Url if member("elicitationId").is_some() && !is_text("elicitationId") => {
            needs("elicitationId, if there is one, to be a string")
        }
        Topic::Url => Ok(()),
        Topic::Sampling | Topic::SamplingWithTools => {
            if !member("messages").is_some_and(|messages| messages.starts_with('[')) {
                return needs("messages, an array");
            }
            if !member("maxTokens").is_some_and(is_integer) {
                return needs("maxTokens, an integer");
            }
            Ok(())
        }
        Topic::Roots => Ok(()),
    }
}
