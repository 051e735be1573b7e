//! Properties of characters, as `\p{...}` names them.

use super::charset::{CharSet, LAST};
use super::error::PatternError;

/// The characters with a property of Unicode.
pub(super) fn property(name: &str, offset: usize) -> Result<CharSet, PatternError> {
    let has: fn(char) -> bool = match name {
        "Any" => return Ok(CharSet::default().negated()),
        "ASCII" => return Ok(CharSet::union(vec![(0, 0x7F)])),
        "Alphabetic" | "Alpha" => char::is_alphabetic,
        "Lowercase" | "Lower" => char::is_lowercase,
        "Uppercase" | "Upper" => char::is_uppercase,
        "White_Space" | "space" => char::is_whitespace,
        _ => {
            let reason = "properties other than Alphabetic, Lowercase, Uppercase, White_Space, \
                          ASCII and Any are not supported: write ranges";
            return Err(PatternError::unsupported(offset, reason));
        }
    };
    Ok(scan(has))
}

/// The characters of which something is true.
fn scan(has: impl Fn(char) -> bool) -> CharSet {
    let codes = (0..=LAST).filter(|&code| char::from_u32(code).is_some_and(&has));
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for code in codes {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == code => *last = code,
            _ => ranges.push((code, code)),
        }
    }
    CharSet::union(ranges)
}
