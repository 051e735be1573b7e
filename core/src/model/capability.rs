//! Server capabilities: derived from what is registered, or declared by the host.

use crate::json::{push_checked, push_key};
use crate::registry::{Catalog, Kind};
use crate::revision::{Feature, Revision};

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
            Kind::Method => true,
        }
    }

    /// Appends the `ServerCapabilities` object.
    pub(crate) fn push_capabilities(&self, out: &mut Vec<u8>, revision: Revision) {
        let completions = revision.has(Feature::CompletionsCapability);
        let flags = [
            ("logging", self.options.logging),
            ("completions", completions && self.serves(Kind::Completion)),
            ("prompts", self.serves(Kind::Prompt)),
            ("resources", self.serves(Kind::Resource)),
            ("tools", self.serves(Kind::Tool)),
        ];
        let flags = flags.into_iter().filter(|(_, on)| *on).map(|(name, _)| (name, "{}"));
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
