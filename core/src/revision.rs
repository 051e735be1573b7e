//! The revisions of the protocol: the one place that says what each of them has and how it names it.
//!
//! Nothing else in this crate compares revisions. A new revision is a new variant here, a new
//! feature or method a new row in one of the tables below.

use Revision::{V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};

/// A revision of the Model Context Protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names say all there is")]
pub enum Revision {
    V2024_11_05,
    V2025_03_26,
    V2025_06_18,
    V2025_11_25,
    V2026_07_28,
}

/// How a revision agrees on what is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// One `initialize` handshake for the whole connection.
    Legacy,
    /// Version, identity and capabilities in the `_meta` of every request.
    Modern,
}

/// A set of revisions, such as those that a host wants to serve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revisions(u8);

impl Revision {
    /// Every revision, oldest first.
    pub const ALL: [Revision; 5] =
        [V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28];

    /// The name used on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            V2024_11_05 => "2024-11-05",
            V2025_03_26 => "2025-03-26",
            V2025_06_18 => "2025-06-18",
            V2025_11_25 => "2025-11-25",
            V2026_07_28 => "2026-07-28",
        }
    }

    /// The revision of that name.
    pub fn parse(name: &str) -> Option<Revision> {
        Revision::ALL.into_iter().find(|revision| revision.name() == name)
    }

    /// The modern revision whose name is written like this in JSON, as usual.
    #[inline]
    pub(crate) fn modern_from_json(json: &str) -> Option<Revision> {
        (json == "\"2026-07-28\"").then_some(V2026_07_28)
    }

    /// Whether the revision is opened by a handshake or speaks for itself in every request.
    pub const fn era(self) -> Era {
        match self {
            V2024_11_05 | V2025_03_26 | V2025_06_18 | V2025_11_25 => Era::Legacy,
            V2026_07_28 => Era::Modern,
        }
    }

    /// Whether this is a revision without a handshake.
    pub const fn is_modern(self) -> bool {
        matches!(self.era(), Era::Modern)
    }

    pub(crate) fn has(self, feature: Feature) -> bool {
        let (first, last) = feature.span();
        first <= self && self <= last
    }

    pub(crate) fn has_method(self, method: Method) -> bool {
        let (_, first, last) = method.row();
        first <= self && self <= last
    }

    /// The code for a resource that does not exist.
    pub(crate) fn resource_not_found_code(self) -> i32 {
        if self.is_modern() { -32602 } else { -32002 }
    }

    /// Whether the specification lets a server send `code` in this revision.
    pub(crate) fn allows_code(self, code: i32) -> bool {
        match self.era() {
            Era::Legacy => true,
            Era::Modern => match code {
                -32002 | -32042 => false,
                -32022..=-32020 => true,
                -32099..=-32023 => false,
                _ => true,
            },
        }
    }
}

impl Revisions {
    /// All revisions that this library speaks.
    pub const ALL: Revisions = Revisions(0b1_1111);

    /// The set of the given revisions.
    pub fn of(revisions: &[Revision]) -> Revisions {
        Revisions(revisions.iter().fold(0, |bits, revision| bits | 1 << *revision as u8))
    }

    /// Whether `revision` is in the set.
    pub fn contains(self, revision: Revision) -> bool {
        self.0 & 1 << revision as u8 != 0
    }

    /// The members of the set, oldest first.
    pub fn iter(self) -> impl Iterator<Item = Revision> {
        Revision::ALL.into_iter().filter(move |revision| self.contains(*revision))
    }

    /// The members of one era, newest first, which is the order in which servers name them.
    pub fn of_era(self, era: Era) -> impl Iterator<Item = Revision> {
        let newest_first = Revision::ALL.into_iter().rev();
        newest_first.filter(move |revision| self.contains(*revision) && revision.era() == era)
    }
}

/// Something that not every revision has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Feature {
    /// Several messages in one JSON array.
    Batch,
    /// Error answers to unreadable messages leave out `id` instead of saying `null`.
    ErrorWithoutId,
    /// Invalid tool arguments are a tool result that the model can read.
    ArgumentErrorsInResult,
    /// `message` of a progress notification.
    ProgressMessage,
    /// Audio content.
    Audio,
    /// Resource link content.
    ResourceLink,
    /// The `completions` capability.
    CompletionsCapability,
    /// The `extensions` capability.
    ExtensionsCapability,
    /// `annotations` of a tool.
    ToolAnnotations,
    /// `title` of everything that has a name.
    Title,
    /// `_meta` of listed items, content blocks and resource contents.
    ItemMeta,
    /// `lastModified` of annotations.
    LastModified,
    /// `outputSchema` and `structuredContent`, which are objects.
    StructuredObject,
    /// `outputSchema` and `structuredContent` of any shape.
    StructuredAny,
    /// Asking the user to fill in a form.
    Elicitation,
    /// Sending the user to a page, and saying which of the two is meant.
    UrlElicitation,
    /// Elicitations by URL have an id, by which their end is told; and an error of their own.
    ElicitationId,
    /// Sampling with tools.
    SamplingTools,
    /// `icons`, and `description` and `websiteUrl` of an implementation.
    Icons,
    /// `execution` of a tool.
    ToolExecution,
    /// `resultType`, cache hints and the server's identity in every result.
    ResultEnvelope,
    /// Streams over HTTP begin with an event without a message, by which clients can come back.
    StreamPolling,
}

impl Feature {
    /// The first and the last revision that has it.
    const fn span(self) -> (Revision, Revision) {
        match self {
            Feature::Batch => (V2025_03_26, V2025_03_26),
            Feature::ProgressMessage => (V2025_03_26, V2026_07_28),
            Feature::Audio => (V2025_03_26, V2026_07_28),
            Feature::CompletionsCapability => (V2025_03_26, V2026_07_28),
            Feature::ToolAnnotations => (V2025_03_26, V2026_07_28),
            Feature::ResourceLink => (V2025_06_18, V2026_07_28),
            Feature::Title => (V2025_06_18, V2026_07_28),
            Feature::ItemMeta => (V2025_06_18, V2026_07_28),
            Feature::LastModified => (V2025_06_18, V2026_07_28),
            Feature::StructuredObject => (V2025_06_18, V2026_07_28),
            Feature::ErrorWithoutId => (V2025_11_25, V2026_07_28),
            Feature::ArgumentErrorsInResult => (V2025_11_25, V2026_07_28),
            Feature::Elicitation => (V2025_06_18, V2026_07_28),
            Feature::UrlElicitation => (V2025_11_25, V2026_07_28),
            Feature::ElicitationId => (V2025_11_25, V2025_11_25),
            Feature::SamplingTools => (V2025_11_25, V2026_07_28),
            Feature::Icons => (V2025_11_25, V2026_07_28),
            Feature::ToolExecution => (V2025_11_25, V2025_11_25),
            Feature::ExtensionsCapability => (V2026_07_28, V2026_07_28),
            Feature::StructuredAny => (V2026_07_28, V2026_07_28),
            Feature::ResultEnvelope => (V2026_07_28, V2026_07_28),
            Feature::StreamPolling => (V2025_11_25, V2025_11_25),
        }
    }
}

#[cfg(test)]
impl Feature {
    pub(crate) const ALL: [Feature; 22] = [
        Feature::Batch,
        Feature::ErrorWithoutId,
        Feature::ArgumentErrorsInResult,
        Feature::ProgressMessage,
        Feature::Audio,
        Feature::ResourceLink,
        Feature::CompletionsCapability,
        Feature::ExtensionsCapability,
        Feature::ToolAnnotations,
        Feature::Title,
        Feature::ItemMeta,
        Feature::LastModified,
        Feature::StructuredObject,
        Feature::StructuredAny,
        Feature::Elicitation,
        Feature::UrlElicitation,
        Feature::ElicitationId,
        Feature::SamplingTools,
        Feature::Icons,
        Feature::ToolExecution,
        Feature::ResultEnvelope,
        Feature::StreamPolling,
    ];

    /// The feature in words, for the protocol document.
    pub(crate) const fn describe(self) -> &'static str {
        match self {
            Feature::Batch => "batches of messages",
            Feature::ErrorWithoutId => {
                "error answers without `id` when it could not be read (else `null`)"
            }
            Feature::ArgumentErrorsInResult => "invalid tool arguments as a tool result",
            Feature::ProgressMessage => "`message` of progress",
            Feature::Audio => "audio content (else an embedded resource)",
            Feature::ResourceLink => "resource links (else text)",
            Feature::CompletionsCapability => "capability `completions`",
            Feature::ExtensionsCapability => "capability `extensions`",
            Feature::ToolAnnotations => "`annotations` of tools",
            Feature::Title => "`title`",
            Feature::ItemMeta => "`_meta` of items, content and resource contents",
            Feature::LastModified => "`lastModified` of annotations",
            Feature::StructuredObject => "`outputSchema` and `structuredContent`, objects only",
            Feature::StructuredAny => "`outputSchema` and `structuredContent` of any shape",
            Feature::Elicitation => "elicitation",
            Feature::UrlElicitation => "elicitation by URL",
            Feature::ElicitationId => {
                "`elicitationId`, `notifications/elicitation/complete` and error -32042"
            }
            Feature::SamplingTools => "tools in sampling",
            Feature::Icons => "`icons`; `description` and `websiteUrl` of a server",
            Feature::ToolExecution => "`execution` of tools",
            Feature::ResultEnvelope => "`resultType`, cache hints and server identity in results",
            Feature::StreamPolling => {
                "streams over HTTP that the server may close and clients come back to"
            }
        }
    }
}

/// A request that this library answers itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Initialize,
    Ping,
    Discover,
    SetLevel,
    ToolsList,
    ToolsCall,
    ResourcesList,
    TemplatesList,
    ResourcesRead,
    ResourcesSubscribe,
    ResourcesUnsubscribe,
    PromptsList,
    PromptsGet,
    Complete,
    Listen,
}

impl Method {
    pub(crate) const ALL: [Method; 15] = [
        Method::ToolsCall,
        Method::Ping,
        Method::ToolsList,
        Method::ResourcesRead,
        Method::ResourcesList,
        Method::TemplatesList,
        Method::PromptsGet,
        Method::PromptsList,
        Method::Complete,
        Method::SetLevel,
        Method::ResourcesSubscribe,
        Method::ResourcesUnsubscribe,
        Method::Listen,
        Method::Discover,
        Method::Initialize,
    ];

    pub(crate) fn parse(name: &str) -> Option<Method> {
        Method::ALL.into_iter().find(|method| method.name() == name)
    }

    pub(crate) const fn name(self) -> &'static str {
        self.row().0
    }

    /// Whether clients may keep its results.
    pub(crate) const fn is_cacheable(self) -> bool {
        matches!(
            self,
            Method::Discover
                | Method::ToolsList
                | Method::ResourcesList
                | Method::TemplatesList
                | Method::ResourcesRead
                | Method::PromptsList
        )
    }

    /// The name, and the first and the last revision that has it.
    const fn row(self) -> (&'static str, Revision, Revision) {
        match self {
            Method::Initialize => ("initialize", V2024_11_05, V2025_11_25),
            Method::Ping => ("ping", V2024_11_05, V2025_11_25),
            Method::SetLevel => ("logging/setLevel", V2024_11_05, V2025_11_25),
            Method::Discover => ("server/discover", V2026_07_28, V2026_07_28),
            Method::ToolsList => ("tools/list", V2024_11_05, V2026_07_28),
            Method::ToolsCall => ("tools/call", V2024_11_05, V2026_07_28),
            Method::ResourcesList => ("resources/list", V2024_11_05, V2026_07_28),
            Method::TemplatesList => ("resources/templates/list", V2024_11_05, V2026_07_28),
            Method::ResourcesRead => ("resources/read", V2024_11_05, V2026_07_28),
            Method::ResourcesSubscribe => ("resources/subscribe", V2024_11_05, V2025_11_25),
            Method::ResourcesUnsubscribe => ("resources/unsubscribe", V2024_11_05, V2025_11_25),
            Method::Listen => ("subscriptions/listen", V2026_07_28, V2026_07_28),
            Method::PromptsList => ("prompts/list", V2024_11_05, V2026_07_28),
            Method::PromptsGet => ("prompts/get", V2024_11_05, V2026_07_28),
            Method::Complete => ("completion/complete", V2024_11_05, V2026_07_28),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parsed_exactly() {
        for revision in Revision::ALL {
            assert_eq!(Revision::parse(revision.name()), Some(revision));
        }
        for near in ["2025-6-18", " 2025-06-18", "2025-06-18T00:00:00Z", "", "DRAFT-2026-v1"] {
            assert_eq!(Revision::parse(near), None);
        }
    }

    #[test]
    fn revisions_are_named_newest_first() {
        let modern: Vec<_> = Revisions::ALL.of_era(Era::Modern).map(Revision::name).collect();
        assert_eq!(modern, ["2026-07-28"]);
        let legacy = Revisions::of(&[V2024_11_05, V2025_06_18]).of_era(Era::Legacy);
        assert_eq!(legacy.collect::<Vec<_>>(), [V2025_06_18, V2024_11_05]);
    }

    #[test]
    fn only_defined_codes_leave_in_the_modern_era() {
        for code in [-32002, -32042, -32023, -32099] {
            assert!(!V2026_07_28.allows_code(code));
            assert!(V2025_11_25.allows_code(code));
        }
        for code in [-32000, -32001, -32003, -32020, -32022, -32100, -32602, 7] {
            assert!(V2026_07_28.allows_code(code));
        }
    }
}
