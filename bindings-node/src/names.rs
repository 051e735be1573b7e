//! Names of the engine's nouns.

use mcplite_core::{ErrorKind, Kind, Reference};

use crate::error::{Result, misuse};

/// The kind of that name, of those that have lists.
pub(crate) fn listed_kind(name: &str) -> Result<Kind> {
    match name {
        "tool" => Ok(Kind::Tool),
        "resource" => Ok(Kind::Resource),
        "template" => Ok(Kind::Template),
        "prompt" => Ok(Kind::Prompt),
        _ => Err(misuse("a kind is tool, resource, template or prompt")),
    }
}

pub(crate) fn reference<'a>(of: &str, name: &'a str) -> Result<Reference<'a>> {
    match of {
        "prompt" => Ok(Reference::Prompt(name)),
        "template" => Ok(Reference::Template(name)),
        _ => Err(misuse("completions are of a prompt or a template")),
    }
}

const ERROR_KINDS: [(&str, ErrorKind); 21] = [
    ("parse", ErrorKind::Parse),
    ("invalid-request", ErrorKind::InvalidRequest),
    ("unknown-method", ErrorKind::UnknownMethod),
    ("invalid-params", ErrorKind::InvalidParams),
    ("internal", ErrorKind::Internal),
    ("not-initialized", ErrorKind::NotInitialized),
    ("unknown-tool", ErrorKind::UnknownTool),
    ("invalid-arguments", ErrorKind::InvalidArguments),
    ("tool-failed", ErrorKind::ToolFailed),
    ("invalid-output", ErrorKind::InvalidOutput),
    ("resource-not-found", ErrorKind::ResourceNotFound),
    ("unknown-prompt", ErrorKind::UnknownPrompt),
    ("not-authorised", ErrorKind::NotAuthorised),
    ("missing-capability", ErrorKind::MissingCapability),
    ("unsupported-revision", ErrorKind::UnsupportedRevision),
    ("header-mismatch", ErrorKind::HeaderMismatch),
    ("timeout", ErrorKind::Timeout),
    ("limit", ErrorKind::Limit),
    ("url-elicitation-required", ErrorKind::UrlElicitationRequired),
    ("unanswered", ErrorKind::Unanswered),
    ("bad-state", ErrorKind::BadState),
];

/// The kind of error of that name.
pub(crate) fn error_kind(name: &str) -> Option<ErrorKind> {
    ERROR_KINDS.iter().find(|(own, _)| *own == name).map(|(_, kind)| *kind)
}

/// The name of a kind of error.
pub(crate) fn error_name(kind: ErrorKind) -> &'static str {
    ERROR_KINDS.iter().find(|(_, own)| *own == kind).map_or("internal", |(name, _)| name)
}
