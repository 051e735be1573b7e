//! JSON strings: finding their end, and decoding their escapes.

use std::borrow::Cow;

use super::special::{HIGHS, find_special};

/// A string of a JSON text: what stands between the quotes, escapes untouched.
#[derive(Clone, Copy, Debug)]
pub struct Str<'a> {
    raw: &'a str,
    escaped: bool,
}

impl<'a> Str<'a> {
    pub(super) fn new(raw: &'a str, escaped: bool) -> Str<'a> {
        Str { raw, escaped }
    }

    /// A string that has no escape.
    pub(crate) fn of_plain(text: &'a str) -> Str<'a> {
        Str { raw: text, escaped: false }
    }

    /// The string whose JSON text is `json`, quotes included; `None` if that is no string.
    ///
    /// `json` comes from the reader, so its escapes are known to be sound.
    pub fn from_json(json: &'a str) -> Option<Str<'a>> {
        let raw = json.strip_prefix('"')?.strip_suffix('"')?;
        Some(Str { raw, escaped: raw.as_bytes().contains(&b'\\') })
    }

    /// The characters between the quotes as they stand in the text.
    pub fn raw(self) -> &'a str {
        self.raw
    }

    /// The text if it has no escape, so that comparing needs no decoding.
    #[inline]
    pub fn plain(self) -> Option<&'a str> {
        if self.escaped { None } else { Some(self.raw) }
    }

    /// The text that the string stands for.
    #[inline]
    pub fn decode(self) -> Cow<'a, str> {
        if self.escaped { Cow::Owned(unescape(self.raw)) } else { Cow::Borrowed(self.raw) }
    }
}

/// Whether bytes are ASCII, which is found out several times faster than whether they are UTF-8.
pub fn is_ascii(bytes: &[u8]) -> bool {
    let read = |word: &[u8; 8]| u64::from_le_bytes(*word);
    let (words, rest) = bytes.as_chunks::<8>();
    let (fours, words) = words.as_chunks::<4>();
    // Four words at a time, whatever the compiler makes of loops.
    let all = fours.iter().fold(0, |all, [a, b, c, d]| all | read(a) | read(b) | read(c) | read(d));
    let all = words.iter().fold(all, |all, word| all | read(word));
    let all = match (bytes.last_chunk(), bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        (Some(last), ..) => all | read(last),
        (None, Some(first), Some(last)) => {
            all | u64::from(u32::from_le_bytes(*first) | u32::from_le_bytes(*last))
        }
        _ => rest.iter().fold(all, |all, byte| all | u64::from(*byte)),
    };
    all & HIGHS == 0
}

/// From `pos`, just behind the opening quote: the offset of the closing quote and whether there was
/// an escape; or the offset of the first byte that is wrong.
#[inline]
pub(super) fn scan_string(bytes: &[u8], pos: usize) -> Result<(usize, bool), usize> {
    let end = find_special(bytes, pos);
    if bytes.get(end) == Some(&b'"') { Ok((end, false)) } else { scan_escaped(bytes, end) }
}

/// The same from the first byte that is neither plain nor the closing quote.
#[inline(never)]
fn scan_escaped(bytes: &[u8], mut pos: usize) -> Result<(usize, bool), usize> {
    loop {
        match bytes.get(pos) {
            Some(b'"') => return Ok((pos, true)),
            Some(b'\\') => pos = find_special(bytes, scan_escape(bytes, pos)?),
            _ => return Err(pos),
        }
    }
}

/// Whether two texts are the same, without a call for most short ones: words that overlap cover what
/// is no multiple of their size.
#[inline]
pub(crate) fn is_same(left: &[u8], right: &[u8]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    if left.len() > 16 {
        return left == right;
    }
    let ends = |text: &[u8]| Some((*text.first_chunk::<8>()?, *text.last_chunk::<8>()?));
    if let (Some(left), Some(right)) = (ends(left), ends(right)) {
        return left == right;
    }
    let ends = |text: &[u8]| Some((*text.first_chunk::<4>()?, *text.last_chunk::<4>()?));
    match (ends(left), ends(right)) {
        (Some(left), Some(right)) => left == right,
        _ => left == right,
    }
}

/// From a backslash: the offset behind the escape, or the offset of the fault.
fn scan_escape(bytes: &[u8], pos: usize) -> Result<usize, usize> {
    match bytes.get(pos + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(pos + 2),
        Some(b'u') => {
            let unit = hex4(bytes, pos + 2)?;
            match unit {
                0xD800..=0xDBFF => {
                    if bytes.get(pos + 6..pos + 8) != Some(b"\\u") {
                        return Err((pos + 6).min(bytes.len()));
                    }
                    match hex4(bytes, pos + 8)? {
                        0xDC00..=0xDFFF => Ok(pos + 12),
                        _ => Err(pos + 6),
                    }
                }
                0xDC00..=0xDFFF => Err(pos),
                _ => Ok(pos + 6),
            }
        }
        Some(_) => Err(pos + 1),
        None => Err(bytes.len()),
    }
}

fn hex4(bytes: &[u8], pos: usize) -> Result<u16, usize> {
    let mut unit = 0;
    for at in pos..pos + 4 {
        let digit = bytes.get(at).and_then(|byte| (*byte as char).to_digit(16));
        match digit {
            Some(digit) => unit = unit << 4 | digit as u16,
            None => return Err(at.min(bytes.len())),
        }
    }
    Ok(unit)
}

/// Decodes escapes. Total: what the reader would have refused is dropped, never a panic.
fn unescape(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let bytes = raw.as_bytes();
    let mut done = 0;
    loop {
        let special = find_special(bytes, done);
        out.push_str(raw.get(done..special).unwrap_or(""));
        let Some(b'\\') = bytes.get(special) else {
            let Some(&other) = bytes.get(special) else { return out };
            out.push(char::from(other));
            done = special + 1;
            continue;
        };
        done = special + 2;
        match bytes.get(special + 1) {
            Some(b'n') => out.push('\n'),
            Some(b't') => out.push('\t'),
            Some(b'r') => out.push('\r'),
            Some(b'b') => out.push('\u{8}'),
            Some(b'f') => out.push('\u{c}'),
            Some(b'u') => {
                let (decoded, length) = unescape_unicode(raw.get(done..).unwrap_or(""));
                out.extend(decoded);
                done += length;
            }
            Some(&other) if other.is_ascii() => out.push(char::from(other)),
            _ => done = special + 1,
        }
    }
}

/// What follows `\u`: the character and how many bytes it took.
fn unescape_unicode(text: &str) -> (Option<char>, usize) {
    let bytes = text.as_bytes();
    let Ok(high) = hex4(bytes, 0) else {
        return (None, 0);
    };
    if !(0xD800..0xDC00).contains(&high) {
        return (char::from_u32(u32::from(high)), 4);
    }
    let Ok(low) = hex4(bytes, 6) else {
        return (None, 4);
    };
    let code =
        0x10000 + ((u32::from(high) & 0x3FF) << 10) + (u32::from(low).wrapping_sub(0xDC00) & 0x3FF);
    (char::from_u32(code), 10)
}
