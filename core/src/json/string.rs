//! JSON strings: finding their end, and decoding their escapes.

use std::borrow::Cow;

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
    pub fn decode(self) -> Cow<'a, str> {
        if self.escaped { Cow::Owned(unescape(self.raw)) } else { Cow::Borrowed(self.raw) }
    }
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

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Offset of the first quote, backslash or control character at or after `pos`, or the length.
///
/// Eight bytes at a time by plain arithmetic: what the compiler makes of a byte loop varies too much
/// between versions to build a speed promise on. Most strings end within the first two words, which
/// is why those stand here and the rest apart.
#[inline]
pub(super) fn find_special(bytes: &[u8], pos: usize) -> usize {
    let Some(word) = word_at(bytes, pos) else { return find_special_in_tail(bytes, pos) };
    let hit = special_in(word);
    if hit != 0 {
        return pos + (hit.trailing_zeros() / 8) as usize;
    }
    let Some(word) = word_at(bytes, pos + 8) else { return find_special_in_tail(bytes, pos + 8) };
    let hit = special_in(word);
    if hit != 0 {
        return pos + 8 + (hit.trailing_zeros() / 8) as usize;
    }
    find_special_far(bytes, pos + 16)
}

/// Long strings: four words a step with one test, then word by word.
#[inline(never)]
fn find_special_far(bytes: &[u8], mut pos: usize) -> usize {
    while let Some(block) = bytes.get(pos..).and_then(|rest| rest.first_chunk::<32>()) {
        let mut hits = 0;
        for word in block.as_chunks::<8>().0 {
            hits |= special_in(u64::from_le_bytes(*word));
        }
        if hits != 0 {
            break;
        }
        pos += 32;
    }
    while let Some(word) = word_at(bytes, pos) {
        let hit = special_in(word);
        if hit != 0 {
            return pos + (hit.trailing_zeros() / 8) as usize;
        }
        pos += 8;
    }
    find_special_in_tail(bytes, pos)
}

/// The last few bytes of a text.
#[inline(never)]
fn find_special_in_tail(bytes: &[u8], mut pos: usize) -> usize {
    let left = bytes.len().wrapping_sub(pos);
    if let Some(word) = bytes.last_chunk::<8>()
        && (1..8).contains(&left)
    {
        // What is behind the end becomes zeros, which are control characters and so end the search.
        let word = u64::from_le_bytes(*word) >> (64 - left * 8);
        return pos + (special_in(word).trailing_zeros() / 8) as usize;
    }
    while let Some(&byte) = bytes.get(pos) {
        if byte == b'"' || byte == b'\\' || byte < 0x20 {
            break;
        }
        pos += 1;
    }
    pos
}

#[inline]
fn word_at(bytes: &[u8], pos: usize) -> Option<u64> {
    bytes.get(pos..)?.first_chunk::<8>().map(|chunk| u64::from_le_bytes(*chunk))
}

/// High bit of each byte that is special; exact for the lowest one, which is all that is used.
///
/// Flipping the second bit sends the quote to 0x20 and leaves control characters below it, so that one
/// comparison finds both.
#[inline]
fn special_in(word: u64) -> u64 {
    let flipped = word ^ (ONES * 0x02);
    let quote_or_control = flipped.wrapping_sub(ONES * 0x21) & !flipped;
    let backslash = word ^ (ONES * b'\\' as u64);
    let backslash = backslash.wrapping_sub(ONES) & !backslash;
    (quote_or_control | backslash) & HIGHS
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
    let mut rest = raw;
    while let Some((plain, escape)) = rest.split_once('\\') {
        out.push_str(plain);
        let mut chars = escape.chars();
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some('u') => {
                let (decoded, length) = unescape_unicode(chars.as_str());
                out.extend(decoded);
                rest = chars.as_str().get(length..).unwrap_or("");
                continue;
            }
            Some(other) => out.push(other),
            None => {}
        }
        rest = chars.as_str();
    }
    out.push_str(rest);
    out
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
