//! JSON Pointers: writing them, and finding the one that leads to a byte.

use super::message::shown;
use crate::json::{Reader, Str};

/// Appends one step of a pointer.
pub(super) fn push_token(pointer: &mut String, token: &str) {
    pointer.push('/');
    for character in token.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

/// The same pointer with its names clipped as messages clip them.
pub(super) fn clipped_names(pointer: &str) -> String {
    let tokens: Vec<String> = pointer.split('/').map(shown).collect();
    tokens.join("/")
}

/// The pointer to the innermost value of `json` that starts at `offset` or holds it. The name of a
/// member belongs to the object.
pub(super) fn pointer_at(json: &str, offset: usize) -> String {
    let mut pointer = String::new();
    let mut reader = Reader::new(json, crate::json::MAX_DEPTH);
    while descend(&mut reader, offset, &mut pointer).unwrap_or(false) {}
    pointer
}

/// From the start of a container into the member or element that holds `offset`, if one does.
fn descend(
    reader: &mut Reader<'_>,
    offset: usize,
    pointer: &mut String,
) -> Result<bool, crate::json::Fault> {
    if reader.mark().offset() >= offset {
        return Ok(false);
    }
    match reader.peek() {
        Some(b'{') => {
            let mut key = reader.first_key()?;
            while let Some(name) = key {
                if holds(reader, offset)? {
                    push_token(pointer, &name.decode());
                    return Ok(true);
                }
                key = reader.next_key()?;
            }
        }
        Some(b'[') => {
            let mut index = 0_usize;
            let mut more = reader.first_element()?;
            while more {
                if holds(reader, offset)? {
                    push_token(pointer, &index.to_string());
                    return Ok(true);
                }
                index += 1;
                more = reader.next_element()?;
            }
        }
        _ => {}
    }
    Ok(false)
}

/// Whether the value that follows holds `offset`; if so the reader stays before it.
fn holds(reader: &mut Reader<'_>, offset: usize) -> Result<bool, crate::json::Fault> {
    let start = reader.mark();
    reader.skip()?;
    let inside = (start.offset()..reader.position()).contains(&offset);
    if inside {
        reader.return_to(start);
    }
    Ok(inside)
}

/// The name that stands at `offset` of `json`, just behind its quote.
pub(super) fn name_at(json: &str, offset: usize) -> String {
    let quoted = json.get(offset.saturating_sub(1)..).unwrap_or("");
    let name = Reader::new(quoted, 1).string();
    name.map(Str::decode).unwrap_or_default().into_owned()
}
