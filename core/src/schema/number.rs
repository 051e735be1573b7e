//! JSON numbers as exact decimals, on their text: no precision is lost, and none is converted.

use std::cmp::Ordering;

/// What a number's text says: its significant digits, without zeros at either end, times a power of
/// ten. Zero has no digits.
///
/// An exponent beyond ±10^17 counts as that.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number<'a> {
    negative: bool,
    /// The significant digits before the decimal point of the text, and those behind it.
    whole: &'a [u8],
    fraction: &'a [u8],
    exponent: i64,
}

const MAX_EXPONENT: i64 = 100_000_000_000_000_000;

/// How many digits a divisor may have: as many as fit beside a further one in 128 bits.
pub(super) const MAX_DIVISOR_DIGITS: usize = 37;

/// What `multipleOf` divides by, as an integer times a power of ten.
#[derive(Clone, Copy, Debug)]
pub(super) struct Divisor {
    digits: u128,
    exponent: i64,
    /// The divisor itself, if it is an integer that fits.
    small: Option<i64>,
}

impl<'a> Number<'a> {
    /// The number that `text` says; `text` comes from the reader, so its grammar is known.
    pub(super) fn parse(text: &'a str) -> Number<'a> {
        let (negative, text) = match text.as_bytes() {
            [b'-', rest @ ..] => (true, rest),
            rest => (false, rest),
        };
        let (mantissa, exponent) = match text.iter().position(|byte| matches!(byte, b'e' | b'E')) {
            Some(at) => {
                let (mantissa, exponent) = text.split_at(at);
                (mantissa, parse_exponent(exponent.get(1..).unwrap_or_default()))
            }
            None => (text, 0),
        };
        let (whole, fraction) = match mantissa.iter().position(|byte| *byte == b'.') {
            Some(at) => {
                let (whole, fraction) = mantissa.split_at(at);
                (whole, fraction.get(1..).unwrap_or_default())
            }
            None => (mantissa, [].as_slice()),
        };
        let whole = without_leading_zeros(whole);
        let fraction = without_trailing_zeros(fraction);
        if fraction.is_empty() {
            let digits = without_trailing_zeros(whole);
            let exponent = exponent + (whole.len() - digits.len()) as i64;
            return Number { negative, whole: digits, fraction, exponent };
        }
        let exponent = exponent - fraction.len() as i64;
        let fraction = if whole.is_empty() { without_leading_zeros(fraction) } else { fraction };
        Number { negative, whole, fraction, exponent }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.whole.is_empty() && self.fraction.is_empty()
    }

    pub(super) fn is_negative(&self) -> bool {
        self.negative && !self.is_zero()
    }

    /// Whether the value is an integer, however it is written.
    pub(super) fn is_integer(&self) -> bool {
        self.is_zero() || self.exponent >= 0
    }

    /// The value, if it is an integer that fits.
    pub(super) fn to_u64(self) -> Option<u64> {
        if self.is_zero() {
            return Some(0);
        }
        if self.negative || !self.is_integer() || self.magnitude() > 20 {
            return None;
        }
        let digits = self.digits().try_fold(0_u64, |sum, digit| {
            sum.checked_mul(10)?.checked_add(u64::from(digit - b'0'))
        })?;
        digits.checked_mul(10_u64.checked_pow(u32::try_from(self.exponent).ok()?)?)
    }

    /// The value, if it is an integer that fits.
    pub(super) fn to_i64(self) -> Option<i64> {
        let size = Number { negative: false, ..self }.to_u64()?;
        let size = i64::try_from(size).ok()?;
        Some(if self.negative { -size } else { size })
    }

    pub(super) fn compare(&self, other: &Number<'_>) -> Ordering {
        match (self.sign(), other.sign()) {
            (1, 1) => self.compare_size(other),
            (-1, -1) => other.compare_size(self),
            (left, right) => left.cmp(&right),
        }
    }

    pub(super) fn equals(&self, other: &Number<'_>) -> bool {
        self.compare(other) == Ordering::Equal
    }

    /// Equal numbers have equal ones, however they are written.
    pub(super) fn digest(&self) -> u64 {
        let start = (self.exponent as u64) ^ u64::from(self.is_negative()) << 63;
        let start = if self.is_zero() { 0 } else { start };
        self.digits().fold(start, |sum, digit| crate::json::mix(sum, u64::from(digit)))
    }

    pub(super) fn is_multiple_of(&self, divisor: &Divisor) -> bool {
        if self.is_zero() {
            return true;
        }
        // The digits do not end in zero, so a divisor with more tens in it cannot divide them.
        let Some(tens) = self.exponent.checked_sub(divisor.exponent).filter(|tens| *tens >= 0)
        else {
            return false;
        };
        let mut rest = self
            .digits()
            .fold(0, |rest, digit| (rest * 10 + u128::from(digit - b'0')) % divisor.digits);
        // A divisor below 2^128 has no more than 127 twos and fives that tens could cancel.
        for _ in 0..tens.min(128) {
            if rest == 0 {
                break;
            }
            rest = rest * 10 % divisor.digits;
        }
        rest == 0
    }

    fn digits(&self) -> impl Iterator<Item = u8> {
        self.whole.iter().chain(self.fraction).copied()
    }

    fn sign(&self) -> i8 {
        match (self.is_zero(), self.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }

    /// How many places the first digit stands before the decimal point.
    fn magnitude(&self) -> i64 {
        self.exponent + (self.whole.len() + self.fraction.len()) as i64
    }

    fn compare_size(&self, other: &Number<'_>) -> Ordering {
        self.magnitude().cmp(&other.magnitude()).then_with(|| self.digits().cmp(other.digits()))
    }
}

impl Divisor {
    /// `None` if the number is not positive or has more digits than can be divided by exactly.
    pub(super) fn new(number: &Number<'_>) -> Option<Divisor> {
        if number.sign() <= 0 || number.digits().count() > MAX_DIVISOR_DIGITS {
            return None;
        }
        let digits = number.digits().fold(0, |sum, digit| sum * 10 + u128::from(digit - b'0'));
        let small = number.to_u64().and_then(|value| i64::try_from(value).ok());
        Some(Divisor { digits, exponent: number.exponent, small })
    }

    /// The divisor, if it is an integer that fits.
    pub(super) fn small(&self) -> Option<i64> {
        self.small
    }
}

fn parse_exponent(text: &[u8]) -> i64 {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let size = digits.iter().fold(0_i64, |sum, digit| {
        (sum * 10 + i64::from(digit.wrapping_sub(b'0') & 15)).min(MAX_EXPONENT)
    });
    if negative { -size } else { size }
}

fn without_leading_zeros(digits: &[u8]) -> &[u8] {
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    digits.get(zeros..).unwrap_or_default()
}

fn without_trailing_zeros(digits: &[u8]) -> &[u8] {
    let zeros = digits.iter().rev().take_while(|digit| **digit == b'0').count();
    digits.get(..digits.len() - zeros).unwrap_or_default()
}
