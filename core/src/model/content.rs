//! Content blocks and resource contents, each in the nearest form that a revision knows.

use super::definition::text_member;
use super::fields::{
    Field, MEDIA_CONTENT, RESOURCE, RESOURCE_CONTENT, RESOURCE_CONTENTS, TEXT_CONTENT,
    check_shapes, push_object,
};
use crate::base64::BASE64;
use crate::error::Error;
use crate::json::{find_member, push_checked, push_quoted};
use crate::revision::{Feature, Revision};

/// A block of text.
pub(crate) fn push_text(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(b"{\"type\":\"text\",\"text\":");
    push_quoted(out, text);
    out.push(b'}');
}

/// An image or sound; other media become an embedded resource, and so does sound in a revision that
/// has none.
pub(crate) fn push_media(out: &mut Vec<u8>, mime_type: &str, data: &[u8], revision: Revision) {
    let kind = if mime_type.starts_with("image/") {
        "image"
    } else if mime_type.starts_with("audio/") && revision.has(Feature::Audio) {
        "audio"
    } else {
        return push_embedded(out, NAMELESS, Some(mime_type), data);
    };
    out.extend_from_slice(b"{\"type\":");
    push_quoted(out, kind);
    out.extend_from_slice(b",\"data\":");
    push_base64(out, data);
    out.extend_from_slice(b",\"mimeType\":");
    push_quoted(out, mime_type);
    out.push(b'}');
}

/// The URI of an embedded resource that only wraps bytes.
const NAMELESS: &str = "attachment:data";

/// A resource with its contents.
pub(crate) fn push_embedded(out: &mut Vec<u8>, uri: &str, mime_type: Option<&str>, data: &[u8]) {
    out.extend_from_slice(b"{\"type\":\"resource\",\"resource\":");
    push_contents(out, uri, mime_type, data);
    out.push(b'}');
}

/// A link to a resource; a line of text in revisions without links.
pub(crate) fn push_link(
    out: &mut Vec<u8>,
    uri: &str,
    name: &str,
    mime_type: Option<&str>,
    revision: Revision,
) {
    if !revision.has(Feature::ResourceLink) {
        return push_text(out, &link_as_text(name, uri));
    }
    out.extend_from_slice(b"{\"type\":\"resource_link\",\"uri\":");
    push_quoted(out, uri);
    out.extend_from_slice(b",\"name\":");
    push_quoted(out, name);
    push_mime_type(out, mime_type);
    out.push(b'}');
}

/// The contents of a resource: text if the type says so and the bytes are UTF-8, else binary.
pub(crate) fn push_contents(out: &mut Vec<u8>, uri: &str, mime_type: Option<&str>, data: &[u8]) {
    match std::str::from_utf8(data).ok().filter(|_| mime_type.is_none_or(is_textual)) {
        Some(text) => push_text_contents(out, uri, mime_type, text),
        None => {
            push_contents_head(out, uri, mime_type);
            out.extend_from_slice(b",\"blob\":");
            push_base64(out, data);
            out.push(b'}');
        }
    }
}

/// The contents of a resource that the host gave as text, whatever its type says.
pub(crate) fn push_text_contents(
    out: &mut Vec<u8>,
    uri: &str,
    mime_type: Option<&str>,
    text: &str,
) {
    push_contents_head(out, uri, mime_type);
    out.extend_from_slice(b",\"text\":");
    push_quoted(out, text);
    out.push(b'}');
}

fn push_contents_head(out: &mut Vec<u8>, uri: &str, mime_type: Option<&str>) {
    out.extend_from_slice(b"{\"uri\":");
    push_quoted(out, uri);
    push_mime_type(out, mime_type);
}

/// A block written by the host as the specification writes it. `json` has been read strictly.
pub(crate) fn push_block(out: &mut Vec<u8>, json: &str, revision: Revision) -> Result<(), Error> {
    let kind = text_member(json, "type");
    let (fields, needed): (_, &[&str]) = match kind.as_deref() {
        Some("text") => (TEXT_CONTENT, &["text"]),
        Some("image" | "audio") => (MEDIA_CONTENT, &["data", "mimeType"]),
        Some("resource") => (RESOURCE_CONTENT, &["resource"]),
        // A link is a resource with a `type`.
        Some("resource_link") => (RESOURCE, &["uri", "name"]),
        _ => {
            return Err(Error::Definition("a content block needs a known type".to_owned()));
        }
    };
    check_block(json, fields, needed)?;
    if let Some(contents) = find_member(json, "resource") {
        check_contents(contents)?;
    }
    match kind.as_deref() {
        Some("audio") if !revision.has(Feature::Audio) => push_audio_as_resource(out, json),
        Some("resource_link") if !revision.has(Feature::ResourceLink) => {
            let text = |name| text_member(json, name).unwrap_or_default();
            push_text(out, &link_as_text(&text("name"), &text("uri")));
        }
        _ => push_object(out, json, fields, revision),
    }
    Ok(())
}

/// Resource contents written by the host. `json` has been read strictly.
pub(crate) fn push_contents_json(
    out: &mut Vec<u8>,
    json: &str,
    revision: Revision,
) -> Result<(), Error> {
    check_block(json, RESOURCE_CONTENTS, &["uri"])?;
    check_contents(json)?;
    push_object(out, json, RESOURCE_CONTENTS, revision);
    Ok(())
}

fn check_block(json: &str, fields: &[Field], needed: &[&str]) -> Result<(), Error> {
    check_shapes(json, fields).map_err(Error::Definition)?;
    match needed.iter().find(|name| find_member(json, name).is_none()) {
        Some(missing) => Err(Error::Definition(format!("a content block lacks {missing}"))),
        None => Ok(()),
    }
}

/// Contents of a resource are text or binary.
fn check_contents(json: &str) -> Result<(), Error> {
    let has = |name| find_member(json, name).is_some();
    match has("uri") && (has("text") || has("blob")) {
        true => Ok(()),
        false => Err(Error::Definition("resource contents have a uri and text or blob".to_owned())),
    }
}

fn push_audio_as_resource(out: &mut Vec<u8>, json: &str) {
    out.extend_from_slice(b"{\"type\":\"resource\",\"resource\":{\"uri\":");
    push_quoted(out, NAMELESS);
    for (member, from) in [("mimeType", "mimeType"), ("blob", "data")] {
        if let Some(value) = find_member(json, from) {
            out.push(b',');
            push_quoted(out, member);
            out.push(b':');
            push_checked(out, value);
        }
    }
    out.extend_from_slice(b"}}");
}

fn link_as_text(name: &str, uri: &str) -> String {
    if name.is_empty() { uri.to_owned() } else { format!("{name}: {uri}") }
}

fn push_mime_type(out: &mut Vec<u8>, mime_type: Option<&str>) {
    if let Some(mime_type) = mime_type {
        out.extend_from_slice(b",\"mimeType\":");
        push_quoted(out, mime_type);
    }
}

fn push_base64(out: &mut Vec<u8>, data: &[u8]) {
    out.push(b'"');
    BASE64.encode_into(data, out);
    out.push(b'"');
}

fn is_textual(mime_type: &str) -> bool {
    let essence = mime_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let subtype = essence.split_once('/').map_or("", |(_, subtype)| subtype);
    essence.starts_with("text/")
        || subtype.ends_with("+json")
        || subtype.ends_with("+xml")
        || subtype.ends_with("+yaml")
        || matches!(
            subtype,
            "json"
                | "xml"
                | "yaml"
                | "x-yaml"
                | "toml"
                | "javascript"
                | "ecmascript"
                | "sql"
                | "graphql"
                | "x-sh"
                | "jsonl"
                | "x-ndjson"
                | "x-www-form-urlencoded"
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(json: &str, revision: Revision) -> String {
        let mut out = Vec::new();
        push_block(&mut out, json, revision).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn older_revisions_get_the_nearest_form() {
        let audio = r#"{"type":"audio","data":"AA==","mimeType":"audio/wav","_meta":{}}"#;
        assert_eq!(block(audio, Revision::V2026_07_28), audio);
        assert_eq!(
            block(audio, Revision::V2025_03_26),
            r#"{"type":"audio","data":"AA==","mimeType":"audio/wav"}"#
        );
        assert_eq!(
            block(audio, Revision::V2024_11_05),
            r#"{"type":"resource","resource":{"uri":"attachment:data","mimeType":"audio/wav","blob":"AA=="}}"#
        );
        let link = r#"{"type":"resource_link","uri":"a:b","name":"B"}"#;
        assert_eq!(block(link, Revision::V2025_06_18), link);
        assert_eq!(block(link, Revision::V2025_03_26), r#"{"type":"text","text":"B: a:b"}"#);
    }

    #[test]
    fn wrong_blocks_are_refused() {
        for json in [
            "{}",
            r#"{"type":"video"}"#,
            r#"{"type":"text"}"#,
            r#"{"type":"text","text":1}"#,
            r#"{"type":"image","data":"AA=="}"#,
            r#"{"type":"resource","resource":{"uri":1}}"#,
        ] {
            assert!(push_block(&mut Vec::new(), json, Revision::V2026_07_28).is_err(), "{json}");
        }
    }

    #[test]
    fn bytes_are_text_when_they_can_be() {
        let contents = |mime, data: &[u8]| {
            let mut out = Vec::new();
            push_contents(&mut out, "a:b", mime, data);
            String::from_utf8(out).unwrap()
        };
        assert!(contents(Some("application/ld+json; charset=utf-8"), b"{}").contains("\"text\""));
        assert!(contents(Some("text/plain"), b"\xff").contains("\"blob\":\"/w==\""));
        assert!(contents(Some("image/png"), b"ok").contains("\"blob\":\"b2s=\""));
        assert!(contents(None, b"ok").contains("\"text\":\"ok\""));
    }
}
