//! An item that is registered: checked, and ready to be listed and called.

use std::fmt;
use std::sync::Arc;

use super::item::{Attachment, Item, Kind, Policy};
use crate::error::Error;
use crate::handler::Handler;
use crate::json::{MAX_DEPTH, Str, elements, find_member};
use crate::limits::Limits;
use crate::memory::{Charge, Memory};
use crate::model::definition::text_member;
use crate::model::fields::{self, Field, check_shapes};
use crate::schema::{CompileOptions, HeaderParam, Schema, SchemaError, headers};
use crate::uri_template::UriTemplate;

/// A registered item.
pub(crate) struct Entry {
    pub(crate) key: Arc<str>,
    pub(crate) definition: Box<str>,
    pub(crate) policy: Policy,
    pub(crate) handler: Option<Arc<dyn Handler>>,
    pub(crate) attachment: Option<Attachment>,
    pub(crate) detail: Detail,
    _charge: Charge,
}

/// What only one kind of item has.
#[derive(Debug)]
pub(crate) enum Detail {
    Tool(ToolSchemas),
    Resource { mime_type: Option<Box<str>>, contents: Option<Box<[u8]>> },
    Template { mime_type: Option<Box<str>>, template: Box<UriTemplate> },
    Prompt { required: Vec<String> },
    Completion,
    Method,
    Around,
}

/// The schemas of a tool, compiled.
#[derive(Debug)]
pub(crate) struct ToolSchemas {
    pub(crate) input: Option<Box<Schema>>,
    pub(crate) output: Option<Box<Schema>>,
    /// The parameters that clients repeat in HTTP headers.
    pub(crate) headers: Box<[HeaderParam]>,
}

/// What an entry costs besides its texts.
const OVERHEAD: usize = 512;

impl Entry {
    /// Checks an item and makes it an entry, or says why it cannot be used.
    pub(crate) fn new(item: Item, limits: &Limits, memory: &Arc<Memory>) -> Result<Entry, Error> {
        check_key(&item, limits)?;
        let mut definition = item.definition;
        if item.kind == Kind::Tool && definition.raw("inputSchema").is_none() {
            definition.set_json("inputSchema", "{\"type\":\"object\"}");
        }
        let definition = definition.finish(limits.definition_bytes)?.into_boxed_str();
        check_shapes(&definition, fields_of(item.kind)).map_err(Error::Definition)?;
        if let Some(member) = item.kind.key_member()
            && text_member(&definition, member).as_deref() != Some(&item.key)
        {
            return Err(Error::Definition(format!("{member} must be that of the item")));
        }
        let detail = match item.kind {
            Kind::Tool => Detail::Tool(ToolSchemas::compile(&definition, &item.policy, limits)?),
            Kind::Resource => Detail::Resource {
                mime_type: mime_type(&definition),
                contents: item.contents.map(Vec::into_boxed_slice),
            },
            Kind::Template => {
                let template = UriTemplate::parse(&item.key)
                    .map_err(|error| Error::Definition(error.to_string()))?;
                let mime_type = mime_type(&definition);
                Detail::Template { mime_type, template: Box::new(template) }
            }
            Kind::Prompt => Detail::Prompt { required: required_arguments(&definition) },
            Kind::Completion => Detail::Completion,
            Kind::Method => Detail::Method,
            Kind::Around => Detail::Around,
        };
        let size = OVERHEAD + item.key.len() + definition.len() + detail.size();
        let charge = Charge::new(memory, size)?;
        Ok(Entry {
            key: item.key.into(),
            definition,
            policy: item.policy,
            handler: item.handler,
            attachment: item.attachment,
            detail,
            _charge: charge,
        })
    }

    /// What the arguments of a tool must match.
    #[inline]
    pub(crate) fn input_schema(&self) -> Option<&Schema> {
        match &self.detail {
            Detail::Tool(schemas) => schemas.input.as_deref(),
            _ => None,
        }
    }

    /// Whether it stands around the engine.
    pub(crate) fn is_around(&self) -> bool {
        matches!(self.detail, Detail::Around)
    }

    /// The parameters of a tool that clients repeat in HTTP headers.
    pub(crate) fn header_params(&self) -> &[HeaderParam] {
        match &self.detail {
            Detail::Tool(schemas) => &schemas.headers,
            _ => &[],
        }
    }

    /// What the structured content of a tool must match.
    pub(crate) fn output_schema(&self) -> Option<&Schema> {
        match &self.detail {
            Detail::Tool(schemas) => schemas.output.as_deref(),
            _ => None,
        }
    }

    /// The bytes of a resource that never changes.
    pub(crate) fn contents(&self) -> Option<&[u8]> {
        match &self.detail {
            Detail::Resource { contents, .. } => contents.as_deref(),
            _ => None,
        }
    }

    /// What lists show of it, if they do.
    pub(crate) fn listed(&self) -> Option<&str> {
        if self.policy.hidden { None } else { Some(&self.definition) }
    }
}

impl Detail {
    /// Bytes held besides the definition.
    fn size(&self) -> usize {
        match self {
            Detail::Tool(schemas) => {
                let held = [&schemas.input, &schemas.output].into_iter().flatten();
                let headers = schemas.headers.iter().map(|it| it.name.len() + it.pointer.len());
                held.map(|schema| schema.memory()).sum::<usize>() + headers.sum::<usize>()
            }
            Detail::Resource { contents, .. } => contents.as_deref().map_or(0, <[u8]>::len),
            _ => 0,
        }
    }
}

impl ToolSchemas {
    fn compile(definition: &str, policy: &Policy, limits: &Limits) -> Result<ToolSchemas, Error> {
        let text = find_member(definition, "inputSchema").unwrap_or_default();
        if policy.unvalidated {
            // What they say about headers holds all the same, if it can be read.
            let headers = headers(text).unwrap_or_default();
            return Ok(ToolSchemas { input: None, output: None, headers: headers.into() });
        }
        let host_enforces = policy.host_enforces;
        let mut options = CompileOptions { host_enforces, ..CompileOptions::default() };
        options.limits.bytes = limits.definition_bytes;
        options.limits.steps = limits.schema_steps;
        // Arguments and results are read at the depth that holds when they come, which may be another.
        options.limits.value_depth = MAX_DEPTH;
        let unusable = |member: &str, error: SchemaError| {
            Error::Definition(format!("{member}{}: {}", error.path, error.reason))
        };
        let compile = |member: &str| {
            let schema =
                find_member(definition, member).map(|text| Schema::compile(text, &options));
            let schema = schema.transpose().map_err(|error| unusable(member, error))?;
            Ok(schema.map(Box::new))
        };
        let input = compile("inputSchema")?;
        let headers = headers(text).map_err(|error| unusable("inputSchema", error))?;
        Ok(ToolSchemas { input, output: compile("outputSchema")?, headers: headers.into() })
    }
}

fn mime_type(definition: &str) -> Option<Box<str>> {
    text_member(definition, "mimeType").map(String::into_boxed_str)
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("key", &self.key).field("detail", &self.detail).finish()
    }
}

/// The members that the protocol defines for a kind of item.
pub(crate) fn fields_of(kind: Kind) -> &'static [Field] {
    match kind {
        Kind::Tool => fields::TOOL,
        Kind::Resource => fields::RESOURCE,
        Kind::Template => fields::TEMPLATE,
        Kind::Prompt => fields::PROMPT,
        Kind::Completion | Kind::Method | Kind::Around => &[],
    }
}

fn check_key(item: &Item, limits: &Limits) -> Result<(), Error> {
    let key = item.key.as_str();
    if key.is_empty() {
        return Err(Error::Name("it is empty"));
    }
    if item.kind != Kind::Completion && key.chars().any(char::is_control) {
        return Err(Error::Name("it contains a control character"));
    }
    match item.kind {
        Kind::Tool | Kind::Prompt => {
            if key.len() > limits.name_bytes {
                return Err(Error::Name("it is longer than the limit name_bytes"));
            }
            let plain =
                |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
            if item.kind == Kind::Tool && !item.policy.any_name && !key.bytes().all(plain) {
                return Err(Error::Name(
                    "only A-Z a-z 0-9 _ - . are recommended; use any_name to keep it",
                ));
            }
        }
        Kind::Resource => {
            if !has_scheme(key) || key.contains(' ') {
                return Err(Error::Name("a resource needs an absolute URI"));
            }
            if item.contents.is_some() && item.handler.is_some() {
                return Err(Error::Invalid("a resource has either contents or a handler"));
            }
        }
        Kind::Method if is_engine_method(key) => {
            return Err(Error::Name("the engine answers this method itself"));
        }
        Kind::Template | Kind::Completion | Kind::Method | Kind::Around => {}
    }
    if item.contents.is_some() && item.kind != Kind::Resource {
        return Err(Error::Invalid("only a resource has contents"));
    }
    let named = matches!(item.kind, Kind::Resource | Kind::Template);
    if named && item.definition.text("name").is_none_or(|name| name.is_empty()) {
        return Err(Error::Definition("name must be a string that is not empty".to_owned()));
    }
    Ok(())
}

/// The methods on which the rest of the engine rests: not for the host, nor for its fallback.
pub(crate) fn is_engine_method(method: &str) -> bool {
    matches!(
        method,
        "initialize"
            | "ping"
            | "server/discover"
            | "logging/setLevel"
            | "notifications/cancelled"
            | "subscriptions/listen"
    )
}

/// Whether a URI is absolute.
pub(crate) fn has_scheme(uri: &str) -> bool {
    let Some((scheme, rest)) = uri.split_once(':') else {
        return false;
    };
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    let starts_well = scheme.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
    starts_well && scheme.bytes().all(plain) && !rest.is_empty()
}

fn required_arguments(definition: &str) -> Vec<String> {
    let arguments = find_member(definition, "arguments").unwrap_or("[]");
    let required = elements(arguments)
        .filter(|argument| find_member(argument, "required") == Some("true"))
        .filter_map(|argument| Str::from_json(find_member(argument, "name")?));
    required.map(|name| name.decode().into_owned()).collect()
}
