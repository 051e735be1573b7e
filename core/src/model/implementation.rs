//! The spec's `Implementation`: who a server says it is.

use super::definition::Definition;
use super::fields::{IMPLEMENTATION, push_object};
use crate::json::quoted;
use crate::options::Options;
use crate::revision::Revision;

/// Name and version only.
pub(crate) fn sign(options: &Options) -> String {
    format!("{{\"name\":{},\"version\":{}}}", quoted(&options.name), quoted(&options.version))
}

/// The server's own `Implementation` object with the members that `revision` knows.
pub(crate) fn describe(options: &Options, revision: Revision) -> String {
    let mut definition = Definition::new();
    definition.set_text("name", &options.name);
    let texts = [
        ("title", &options.title),
        ("version", &Some(options.version.clone())),
        ("description", &options.description),
        ("websiteUrl", &options.website_url),
    ];
    for (name, text) in texts {
        if let Some(text) = text {
            definition.set_text(name, text);
        }
    }
    if let Some(icons) = &options.icons {
        definition.set_json("icons", icons);
    }
    // The options were checked when they were set, so that there is nothing left to refuse.
    let json = definition.finish(usize::MAX).unwrap_or_default();
    let mut out = Vec::new();
    push_object(&mut out, &json, IMPLEMENTATION, revision);
    String::from_utf8(out).unwrap_or_default()
}
