//! Numbers that are written shortly, so that plain arithmetic is exact.

use std::cmp::Ordering;

/// A number that is written with few digits and no exponent, which most are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Short {
    /// All digits as one integer.
    digits: i64,
    /// How many of them stand behind the decimal point.
    scale: u8,
}

/// How many bytes a short number may have, so that any two can be compared in 128 bits.
const MAX_SHORT_DIGITS: usize = 18;

impl Short {
    /// The number that `text` says, if that is short.
    pub(crate) fn parse(text: &str) -> Option<Short> {
        match Short::scan(text.as_bytes())? {
            (short, length) if length == text.len() => Some(short),
            _ => None,
        }
    }

    /// The number at the start of `bytes`, and how long it is. `None` if it is not short, or not a
    /// number.
    #[inline]
    pub(super) fn scan(bytes: &[u8]) -> Option<(Short, usize)> {
        let is_negative = bytes.first() == Some(&b'-');
        let start = usize::from(is_negative);
        let (whole, point) = digits_at(bytes, start, 0);
        let starts_with_zero = bytes.get(start) == Some(&b'0');
        if point == start || starts_with_zero && point > start + 1 {
            return None;
        }
        let (digits, end, scale) = if bytes.get(point) == Some(&b'.') {
            let (digits, end) = digits_at(bytes, point + 1, whole);
            if end == point + 1 {
                return None;
            }
            (digits, end, end - point - 1)
        } else {
            (whole, point, 0)
        };
        // Where the digits overflowed there are too many of them.
        if end > MAX_SHORT_DIGITS || matches!(bytes.get(end), Some(b'e' | b'E')) {
            return None;
        }
        let digits = if is_negative { digits.wrapping_neg() } else { digits };
        Some((Short { digits, scale: scale as u8 }, end))
    }

    /// The value, if it is written as an integer.
    #[inline]
    pub(crate) fn integer(self) -> Option<i64> {
        if self.scale == 0 { Some(self.digits) } else { None }
    }

    #[inline]
    pub(crate) fn is_integer(self) -> bool {
        self.scale == 0 || self.digits % tens(self.scale) == 0
    }

    #[inline]
    pub(crate) fn compare(self, other: Short) -> Ordering {
        if self.scale == other.scale {
            return self.digits.cmp(&other.digits);
        }
        let left = i128::from(self.digits) * i128::from(tens(other.scale));
        let right = i128::from(other.digits) * i128::from(tens(self.scale));
        left.cmp(&right)
    }
}

/// Powers of ten, as far as short numbers go.
const TENS: [i64; MAX_SHORT_DIGITS + 1] = [
    1,
    10,
    100,
    1_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
    1_000_000_000,
    10_000_000_000,
    100_000_000_000,
    1_000_000_000_000,
    10_000_000_000_000,
    100_000_000_000_000,
    1_000_000_000_000_000,
    10_000_000_000_000_000,
    100_000_000_000_000_000,
    1_000_000_000_000_000_000,
];

#[inline]
fn tens(power: u8) -> i64 {
    TENS.get(usize::from(power)).copied().unwrap_or(1)
}

/// Reads digits from `pos` on behind those in `digits`: the value, and where they end. What
/// overflows wraps around.
#[inline]
fn digits_at(bytes: &[u8], mut pos: usize, mut digits: i64) -> (i64, usize) {
    while let Some(digit @ 0..=9) = bytes.get(pos).map(|byte| byte.wrapping_sub(b'0')) {
        digits = digits.wrapping_mul(10).wrapping_add(i64::from(digit));
        pos += 1;
    }
    (digits, pos)
}
