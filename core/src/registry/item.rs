//! An item on its way into the registry.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use super::entry::Entry;
use crate::error::Error;
use crate::handler::Handler;
use crate::json::MAX_DEPTH;
use crate::model::definition::Definition;
use crate::options::Cache;

/// What can be registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A tool, known by its name.
    Tool,
    /// A resource, known by its URI.
    Resource,
    /// A resource template, known by its URI template.
    Template,
    /// A prompt, known by its name.
    Prompt,
    /// Completion of one argument of a prompt or one variable of a template.
    Completion,
    /// A request or notification of the host's own; `*` is the fallback for the rest.
    Method,
    /// What stands around everything that the engine answers itself. There is one, known as `*`.
    Around,
}

/// What an item can leave to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ItemPolicy {
    /// How long a call may take.
    Deadline,
    /// Cache hints.
    Cache,
    /// Whether arguments are coerced.
    Coerce,
}

/// Whose argument a completion completes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference<'a> {
    /// A prompt of that name.
    Prompt(&'a str),
    /// A template of that URI template.
    Template(&'a str),
}

/// A tool, resource, template, prompt, completion, method or what stands around the engine, with what
/// answers it.
///
/// Without [`Item::on_call`] (or [`Item::contents`]) its calls wait for `Server::next_call`.
#[derive(Clone)]
pub struct Item {
    pub(super) kind: Kind,
    pub(super) key: String,
    pub(super) definition: Definition,
    pub(super) policy: Policy,
    pub(super) handler: Option<Arc<dyn Handler>>,
    pub(super) contents: Option<Vec<u8>>,
    pub(super) attachment: Option<Attachment>,
}

/// Something of the host's.
pub(crate) type Attachment = Arc<dyn Any + Send + Sync>;

/// What the engine does with an item; nothing of it goes on the wire.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Policy {
    pub(crate) deadline_ms: Option<u64>,
    pub(crate) cache: Option<Cache>,
    pub(crate) hidden: bool,
    pub(crate) any_name: bool,
    pub(crate) host_enforces: bool,
    pub(crate) unvalidated: bool,
    pub(crate) coerce: Option<bool>,
}

impl Kind {
    pub(crate) const COUNT: usize = 7;

    /// The member of its definition by which an item is known.
    pub(super) fn key_member(self) -> Option<&'static str> {
        match self {
            Kind::Tool | Kind::Prompt => Some("name"),
            Kind::Resource => Some("uri"),
            Kind::Template => Some("uriTemplate"),
            Kind::Completion | Kind::Method | Kind::Around => None,
        }
    }
}

impl Item {
    /// A tool. Its input schema is that of an object without properties until one is set.
    pub fn tool(name: &str) -> Item {
        let mut item = Item::new(Kind::Tool, name);
        item.definition.set_text("name", name);
        item
    }

    /// A resource with a fixed URI.
    pub fn resource(uri: &str, name: &str) -> Item {
        let mut item = Item::new(Kind::Resource, uri);
        item.definition.set_text("uri", uri);
        item.definition.set_text("name", name);
        item
    }

    /// Resources whose URIs follow a template of RFC 6570, levels 1 to 3.
    pub fn template(uri_template: &str, name: &str) -> Item {
        let mut item = Item::new(Kind::Template, uri_template);
        item.definition.set_text("uriTemplate", uri_template);
        item.definition.set_text("name", name);
        item
    }

    /// A prompt.
    pub fn prompt(name: &str) -> Item {
        let mut item = Item::new(Kind::Prompt, name);
        item.definition.set_text("name", name);
        item
    }

    /// Suggestions for one argument of a prompt or one variable of a template.
    pub fn completion(of: Reference<'_>, argument: &str) -> Item {
        Item::new(Kind::Completion, &completion_key(of, argument))
    }

    /// A request or notification of the host's own. `*` takes all that nobody else does.
    pub fn method(name: &str) -> Item {
        Item::new(Kind::Method, name)
    }

    /// What stands around everything that the engine answers itself: lists, `ping`, `server/discover`,
    /// `logging/setLevel`, subscriptions, resources with contents, and completions that nobody has.
    ///
    /// Such requests become calls, with `params` as their arguments, and
    /// [`Call::engine_answer`](crate::Call::engine_answer) gives what would have been answered. Excepted
    /// are `initialize`, which must have happened before the next message is read, and requests that are
    /// refused before anybody is found who answers them.
    pub fn around() -> Item {
        Item::new(Kind::Around, "*")
    }

    /// A tool, resource, template or prompt from the spec's own JSON object.
    pub fn from_json(kind: Kind, json: &str) -> Result<Item, Error> {
        let definition = Definition::from_json(json, MAX_DEPTH)?;
        let Some(member) = kind.key_member() else {
            return Err(Error::Invalid("this kind has no definition"));
        };
        let Some(key) = definition.text(member) else {
            return Err(Error::Definition(format!("{member} must be a string")));
        };
        Ok(Item { definition, ..Item::new(kind, &key) })
    }

    /// What was registered, on its way to be registered again.
    pub(crate) fn from_entry(kind: Kind, entry: &Entry) -> Result<Item, Error> {
        let definition = match kind.key_member() {
            Some(_) => Definition::from_json(&entry.definition, MAX_DEPTH)?,
            None => Definition::new(),
        };
        Ok(Item {
            definition,
            policy: entry.policy,
            handler: entry.handler.clone(),
            contents: entry.contents().map(<[u8]>::to_vec),
            attachment: entry.attachment.clone(),
            ..Item::new(kind, &entry.key)
        })
    }

    /// What it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Who answers its calls.
    #[must_use]
    pub fn on_call(mut self, handler: impl Handler + 'static) -> Item {
        self.handler = Some(Arc::new(handler));
        self
    }

    /// Attaches something of the host's, which calls of this item give back as
    /// [`Call::attachment`](crate::Call::attachment): for items whose calls the host takes itself.
    #[must_use]
    pub fn attach(mut self, attachment: Arc<dyn Any + Send + Sync>) -> Item {
        self.attachment = Some(attachment);
        self
    }

    /// The bytes of a resource, for one that never changes. Text if its type says so and it is
    /// UTF-8, binary else.
    #[must_use]
    pub fn contents(mut self, bytes: impl Into<Vec<u8>>) -> Item {
        self.contents = Some(bytes.into());
        self
    }

    /// The name for people.
    #[must_use]
    pub fn title(self, title: &str) -> Item {
        self.text("title", title)
    }

    /// What it is or does.
    #[must_use]
    pub fn description(self, description: &str) -> Item {
        self.text("description", description)
    }

    /// The media type of a resource or template.
    #[must_use]
    pub fn mime_type(self, mime_type: &str) -> Item {
        self.text("mimeType", mime_type)
    }

    /// The JSON Schema of a tool's arguments.
    #[must_use]
    pub fn input_schema(self, json: &str) -> Item {
        self.member("inputSchema", json)
    }

    /// The JSON Schema of a tool's structured content.
    #[must_use]
    pub fn output_schema(self, json: &str) -> Item {
        self.member("outputSchema", json)
    }

    /// The arguments of a prompt: a JSON array of the spec's `PromptArgument`.
    #[must_use]
    pub fn arguments(self, json: &str) -> Item {
        self.member("arguments", json)
    }

    /// Any member of the spec's object: `annotations`, `icons`, `_meta`, `size`, … as JSON.
    /// A mistake in it is reported by the registration.
    #[must_use]
    pub fn member(mut self, name: &str, json: &str) -> Item {
        self.definition.set_json(name, json);
        self
    }

    /// How long a call may take; goes before the server's own deadline. Needs a clock.
    #[must_use]
    pub fn deadline_ms(mut self, deadline: u64) -> Item {
        self.policy.deadline_ms = Some(deadline);
        self
    }

    /// Cache hints of this resource or template; they go before the server's.
    #[must_use]
    pub fn cache(mut self, cache: Cache) -> Item {
        self.policy.cache = Some(cache);
        self
    }

    /// Leaves the item out of lists. It works all the same.
    #[must_use]
    pub fn hidden(self) -> Item {
        self.listed(false)
    }

    /// Whether lists have the item.
    #[must_use]
    pub fn listed(mut self, listed: bool) -> Item {
        self.policy.hidden = !listed;
        self
    }

    /// Leaves deadline, cache hints and coercion to the server's own settings.
    #[must_use]
    pub fn without_policy(mut self, policy: ItemPolicy) -> Item {
        match policy {
            ItemPolicy::Deadline => self.policy.deadline_ms = None,
            ItemPolicy::Cache => self.policy.cache = None,
            ItemPolicy::Coerce => self.policy.coerce = None,
        }
        self
    }

    /// The cache hints of its own, if it has any.
    pub fn own_cache(&self) -> Option<Cache> {
        self.policy.cache
    }

    /// Accepts a tool name outside `A-Z a-z 0-9 _ - .`, as a gateway must.
    #[must_use]
    pub fn any_name(mut self) -> Item {
        self.policy.any_name = true;
        self
    }

    /// Says that the host enforces a tool's schema itself, so that a `pattern` which cannot be used here,
    /// such as one with look-around, is left to it instead of being refused. Everything else of the
    /// schema is still validated here.
    #[must_use]
    pub fn host_enforces(mut self) -> Item {
        self.policy.host_enforces = true;
        self
    }

    /// Lists a tool's schemas as they are and validates nothing against them: for a gateway, whose tools
    /// have schemas of any dialect and are validated where they run.
    #[must_use]
    pub fn unvalidated(mut self) -> Item {
        self.policy.unvalidated = true;
        self
    }

    /// Whether arguments that do not fit are tried again with strings turned into the JSON that stands
    /// in them (`"5"` into `5`); goes before the server's own setting.
    #[must_use]
    pub fn coerce(mut self, coerce: bool) -> Item {
        self.policy.coerce = Some(coerce);
        self
    }

    fn new(kind: Kind, key: &str) -> Item {
        Item {
            kind,
            key: key.to_owned(),
            definition: Definition::new(),
            policy: Policy::default(),
            handler: None,
            contents: None,
            attachment: None,
        }
    }

    fn text(mut self, name: &str, text: &str) -> Item {
        self.definition.set_text(name, text);
        self
    }
}

impl fmt::Debug for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Item").field("kind", &self.kind).field("key", &self.key).finish()
    }
}

/// The key under which a completion is found.
pub(crate) fn completion_key(of: Reference<'_>, argument: &str) -> String {
    match of {
        Reference::Prompt(name) => format!("prompt\0{name}\0{argument}"),
        Reference::Template(template) => format!("template\0{template}\0{argument}"),
    }
}
