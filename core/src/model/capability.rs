//! Server capabilities: derived from what is registered, or declared by the host.

use crate::json::{push_checked, push_key};
use crate::registry::{Catalog, Detail, Entry, Kind};
use crate::revision::{Feature, Method, Revision};
use crate::subscriptions::{List, Lists};

impl Catalog {
    /// Whether the methods of the kind's feature are served at all.
    pub(crate) fn serves(&self, kind: Kind) -> bool {
        let declared = &self.options.declared;
        match kind {
            Kind::Tool => declared.tools || self.has_offered(Kind::Tool),
            Kind::Prompt => declared.prompts || self.has_offered(Kind::Prompt),
            Kind::Completion => declared.completions || self.has_offered(Kind::Completion),
            Kind::Resource | Kind::Template => {
                let offered = self.has_offered(Kind::Resource) || self.has_offered(Kind::Template);
                declared.resources || offered
            }
            Kind::Method | Kind::Around => true,
        }
    }

    /// The lists whose changes are announced.
    pub(crate) fn watchable(&self) -> Lists {
        let mut lists = Lists::default();
        for list in List::ALL.into_iter().filter(|list| self.serves(list.kind())) {
            lists.add(list);
        }
        lists
    }

    /// Whether there may be a resource of that URI.
    pub(crate) fn knows_resource(&self, uri: &str) -> bool {
        let matches = |entry: &Entry| match &entry.detail {
            Detail::Template { template, .. } => template.matches(uri).is_some(),
            _ => false,
        };
        // A host that answers for itself knows best.
        self.options.declared.resources
            || self.get(Kind::Method, Method::ResourcesRead.name()).is_some()
            || self.get(Kind::Resource, uri).is_some()
            || self.iter(Kind::Template).any(|entry| matches(entry))
    }

    /// Appends the `ServerCapabilities` object, for a client that can be told of changes or not.
    pub(crate) fn push_capabilities(&self, out: &mut Vec<u8>, revision: Revision, tells: bool) {
        let list = if tells { r#"{"listChanged":true}"# } else { "{}" };
        let resources = if tells { r#"{"subscribe":true,"listChanged":true}"# } else { "{}" };
        let completions = revision.has(Feature::CompletionsCapability);
        let flags = [
            ("logging", self.options.logging, "{}"),
            ("completions", completions && self.serves(Kind::Completion), "{}"),
            ("prompts", self.serves(Kind::Prompt), list),
            ("resources", self.serves(Kind::Resource), resources),
            ("tools", self.serves(Kind::Tool), list),
        ];
        let flags = flags.into_iter().filter(|(_, on, _)| *on);
        let flags = flags.map(|(name, _, value)| (name, value));
        let declared = &self.options.declared;
        let experimental = declared.experimental.as_deref().map(|json| ("experimental", json));
        let extensions = declared.extensions.as_deref().map(|json| ("extensions", json));
        let extensions = extensions.filter(|_| revision.has(Feature::ExtensionsCapability));
        out.push(b'{');
        for (name, value) in flags.chain(experimental).chain(extensions) {
            push_key(out, name);
            push_checked(out, value);
        }
        out.push(b'}');
    }
}
