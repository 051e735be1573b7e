//! JSON numbers kept as text, and what they are worth when somebody asks.

/// Whether a JSON number is written as an integer: digits with an optional minus sign.
pub fn is_integer(json: &str) -> bool {
    let digits = json.strip_prefix('-').unwrap_or(json);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The value of a JSON number as `i64`, if it is one exactly.
///
/// `5.0` and `5e0` are integers to JSON Schema, and so they are here.
pub fn parse_i64(json: &str) -> Option<i64> {
    if is_integer(json) {
        return json.parse().ok();
    }
    let value = parse_f64(json)?;
    // Beyond 2^53 a double is not an exact integer any more, so a fraction could hide in it.
    let exact = value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0;
    exact.then_some(value as i64)
}

/// The value of a JSON number as `f64`, if it is finite (`1e400` is a number, but not one of those).
pub fn parse_f64(json: &str) -> Option<f64> {
    let starts_like_a_number = matches!(json.as_bytes().first(), Some(b'-' | b'0'..=b'9'));
    if !starts_like_a_number {
        return None;
    }
    json.parse().ok().filter(|value: &f64| value.is_finite())
}

/// From `pos`, where a number starts: the offset behind it, or the offset of the first byte that is
/// wrong.
pub(super) fn scan_number(bytes: &[u8], mut pos: usize) -> Result<usize, usize> {
    if bytes.get(pos) == Some(&b'-') {
        pos += 1;
    }
    pos = match bytes.get(pos) {
        Some(b'0') => match bytes.get(pos + 1) {
            Some(b'0'..=b'9') => return Err(pos + 1),
            _ => pos + 1,
        },
        _ => scan_digits(bytes, pos)?,
    };
    if bytes.get(pos) == Some(&b'.') {
        pos = scan_digits(bytes, pos + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(pos) {
        pos += 1;
        if let Some(b'+' | b'-') = bytes.get(pos) {
            pos += 1;
        }
        pos = scan_digits(bytes, pos)?;
    }
    Ok(pos)
}

/// The offset behind one or more digits, or that of the byte that should have been one.
#[inline]
fn scan_digits(bytes: &[u8], start: usize) -> Result<usize, usize> {
    let mut pos = start;
    while let Some(b'0'..=b'9') = bytes.get(pos) {
        pos += 1;
    }
    if pos == start { Err(start) } else { Ok(pos) }
}
