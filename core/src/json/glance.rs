//! Finding a member of an object that the reader has accepted before, without checking it again.
//!
//! Total on any text: what is not JSON gives nothing or something, never a panic.

use super::special::{find_quote, find_special};
use super::string::Str;

/// The value of member `name` of the object `json`; the first of several.
pub(crate) fn glance_member<'a>(json: &'a str, name: &str) -> Option<&'a str> {
    let start = value_start(json, name)?;
    json.get(start..value_end(json.as_bytes(), start)?)
}

/// The same, if it is a string.
pub(crate) fn glance_str<'a>(json: &'a str, name: &str) -> Option<Str<'a>> {
    let start = value_start(json, name)?;
    if json.as_bytes().get(start) != Some(&b'"') {
        return None;
    }
    let (end, escaped) = string_end(json.as_bytes(), start + 1)?;
    Some(Str::new(json.get(start + 1..end)?, escaped))
}

/// Where the value of member `name` starts.
fn value_start(json: &str, name: &str) -> Option<usize> {
    let bytes = json.as_bytes();
    let mut pos = behind_space(bytes, 0);
    if bytes.get(pos) != Some(&b'{') {
        return None;
    }
    loop {
        pos = behind_space(bytes, pos + 1);
        if bytes.get(pos) != Some(&b'"') {
            return None;
        }
        let key = pos + 1;
        let (end, escaped) = string_end(bytes, key)?;
        let colon = behind_space(bytes, end + 1);
        let start = behind_space(bytes, colon + 1);
        let is_it = match bytes.get(key..end) {
            Some(raw) if !escaped => raw == name.as_bytes(),
            Some(_) => Str::new(json.get(key..end)?, true).decode() == name,
            None => false,
        };
        if is_it {
            return Some(start);
        }
        pos = behind_space(bytes, value_end(bytes, start)?);
        if bytes.get(pos) != Some(&b',') {
            return None;
        }
    }
}

#[inline]
fn behind_space(bytes: &[u8], mut pos: usize) -> usize {
    while let Some(b' ' | b'\t' | b'\r' | b'\n') = bytes.get(pos) {
        pos += 1;
    }
    pos
}

/// From behind the opening quote: where the closing one is, and whether there was an escape.
#[inline]
fn string_end(bytes: &[u8], mut pos: usize) -> Option<(usize, bool)> {
    let mut escaped = false;
    loop {
        pos = find_special(bytes, pos);
        match bytes.get(pos)? {
            b'"' => return Some((pos, escaped)),
            b'\\' => {
                escaped = true;
                pos += 2;
            }
            _ => pos += 1,
        }
    }
}

/// From behind the opening quote: where the closing one is. A quote with an odd number of backslashes
/// before it is not the one.
fn closing_quote(bytes: &[u8], start: usize) -> Option<usize> {
    let mut pos = start;
    loop {
        let quote = find_quote(bytes, pos);
        let before = bytes.get(start..quote)?.iter().rev();
        if before.take_while(|byte| **byte == b'\\').count() % 2 == 0 {
            return bytes.get(quote).map(|_| quote);
        }
        pos = quote + 1;
    }
}

/// Where the value that starts at `pos` ends.
fn value_end(bytes: &[u8], pos: usize) -> Option<usize> {
    match bytes.get(pos)? {
        b'"' => closing_quote(bytes, pos + 1).map(|quote| quote + 1),
        b'{' | b'[' => container_end(bytes, pos),
        _ => {
            let rest = bytes.get(pos..)?;
            let ends =
                |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n');
            Some(pos + rest.iter().position(ends).unwrap_or(rest.len()))
        }
    }
}

fn container_end(bytes: &[u8], mut pos: usize) -> Option<usize> {
    let mut depth = 0_usize;
    loop {
        match bytes.get(pos)? {
            b'"' => pos = closing_quote(bytes, pos + 1)?,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(pos + 1);
                }
            }
            _ => {}
        }
        pos += 1;
    }
}
