//! Names of the engine's nouns.

use mcplite_core::{Kind, Reference};

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
