//! Looking things up in JSON text: by member name, by JSON Pointer, or one after the other.

use super::reader::{MAX_DEPTH, Reader};
use super::string::Str;

/// The value at `path` in `json`: a member name, or a JSON Pointer if it starts with `/`; the empty
/// path is the whole. The first of several equal member names counts.
pub fn find<'a>(json: &'a str, path: &str) -> Option<&'a str> {
    if path.is_empty() {
        return Some(json);
    }
    let Some(pointer) = path.strip_prefix('/') else {
        return find_member(json, path);
    };
    let mut value = json;
    for token in pointer.split('/') {
        value = step(value, token)?;
    }
    Some(value)
}

/// The value of member `name` of the object `json`.
pub fn find_member<'a>(json: &'a str, name: &str) -> Option<&'a str> {
    members(json).find(|(key, _)| is_named(*key, name)).map(|(_, value)| value)
}

/// The members of the object `json` in their order; nothing if it is not an object.
pub fn members(json: &str) -> impl Iterator<Item = (Str<'_>, &str)> {
    let mut reader = Reader::new(json, MAX_DEPTH);
    let mut first = true;
    std::iter::from_fn(move || {
        let key = if std::mem::take(&mut first) { reader.first_key() } else { reader.next_key() };
        let key = key.ok()??;
        Some((key, reader.skip().ok()?))
    })
    .fuse()
}

/// The elements of the array `json` in their order; nothing if it is not an array.
pub fn elements(json: &str) -> impl Iterator<Item = &str> {
    let mut reader = Reader::new(json, MAX_DEPTH);
    let mut first = true;
    std::iter::from_fn(move || {
        let more =
            if std::mem::take(&mut first) { reader.first_element() } else { reader.next_element() };
        if more.ok()? { reader.skip().ok() } else { None }
    })
    .fuse()
}

fn step<'a>(value: &'a str, token: &str) -> Option<&'a str> {
    let name = token.replace("~1", "/").replace("~0", "~");
    if !value.trim_start().starts_with('[') {
        return find_member(value, &name);
    }
    let canonical = token == "0" || !token.starts_with(['0', '+']);
    elements(value).nth(token.parse().ok().filter(|_| canonical)?)
}

fn is_named(key: Str<'_>, name: &str) -> bool {
    match key.plain() {
        Some(plain) => plain == name,
        None => key.decode() == name,
    }
}
