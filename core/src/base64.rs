//! Base64 of RFC 4648. Reading is strict: each sequence of bytes has one text only.

/// One of the variants.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Base64 {
    digits: &'static [u8; 64],
    is_padded: bool,
}

/// The usual one, for binary content and headers.
pub(crate) const BASE64: Base64 = Base64 {
    digits: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    is_padded: true,
};

/// The one for texts that clients carry.
pub(crate) const BASE64URL_NOPAD: Base64 = Base64 {
    digits: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
    is_padded: false,
};

const NO_DIGIT: u8 = u8::MAX;

impl Base64 {
    /// Appends the text of `bytes` to `out`.
    pub(crate) fn encode_into(self, bytes: &[u8], out: &mut Vec<u8>) {
        out.reserve(bytes.len().div_ceil(3) * 4);
        let (groups, rest) = bytes.as_chunks::<3>();
        for group in groups {
            out.extend_from_slice(&self.digits_of(*group));
        }
        let digits = match *rest {
            [one] => self.digits_of([one, 0, 0]),
            [one, two] => self.digits_of([one, two, 0]),
            _ => return,
        };
        out.extend(digits.iter().take(rest.len() + 1));
        if self.is_padded {
            out.extend(b"==".iter().skip(rest.len() - 1));
        }
    }

    pub(crate) fn encode(self, bytes: &[u8]) -> String {
        let mut out = Vec::new();
        self.encode_into(bytes, &mut out);
        String::from_utf8(out).unwrap_or_default()
    }

    /// The bytes that `text` stands for; `None` if it is not exactly what encoding gives.
    pub(crate) fn decode(self, text: &[u8]) -> Option<Vec<u8>> {
        let digits = match self.is_padded {
            true if !text.len().is_multiple_of(4) => return None,
            true => text.strip_suffix(b"==").or_else(|| text.strip_suffix(b"=")).unwrap_or(text),
            false => text,
        };
        if self.is_padded && digits.len().next_multiple_of(4) != text.len() {
            return None;
        }
        let mut values = [NO_DIGIT; 256];
        for (value, digit) in (0..).zip(self.digits) {
            if let Some(slot) = values.get_mut(usize::from(*digit)) {
                *slot = value;
            }
        }
        let mut out = Vec::with_capacity(digits.len() / 4 * 3 + 2);
        for group in digits.chunks(4) {
            let mut bits = 0;
            for digit in group {
                let value = values.get(usize::from(*digit)).filter(|value| **value != NO_DIGIT)?;
                bits = bits << 6 | u32::from(*value);
            }
            // What a last group has too few of is left out, and the bits beyond must not say anything.
            let missing = 4 - group.len();
            if missing == 3 || bits & ((1 << (2 * missing)) - 1) != 0 {
                return None;
            }
            let [_, bytes @ ..] = (bits << (6 * missing)).to_be_bytes();
            out.extend(bytes.iter().take(3 - missing));
        }
        Some(out)
    }

    fn digits_of(self, [one, two, three]: [u8; 3]) -> [u8; 4] {
        let bits = u32::from_be_bytes([0, one, two, three]);
        [18, 12, 6, 0].map(|shift| {
            self.digits.get((bits >> shift & 63) as usize).copied().unwrap_or_default()
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PAIRS: [(Base64, data_encoding::Encoding); 2] =
        [(BASE64, data_encoding::BASE64), (BASE64URL_NOPAD, data_encoding::BASE64URL_NOPAD)];

    proptest! {
        #[test]
        fn agrees_with_another_opinion_on_bytes(bytes in prop::collection::vec(any::<u8>(), 0..50)) {
            for (ours, theirs) in PAIRS {
                let text = ours.encode(&bytes);
                prop_assert_eq!(&text, &theirs.encode(&bytes));
                prop_assert_eq!(ours.decode(text.as_bytes()), Some(bytes.clone()));
            }
        }

        #[test]
        fn agrees_with_another_opinion_on_texts(text in "[A-C+/_=-]{0,9}|[AQgw]{0,3}={0,3}|.{0,4}") {
            for (ours, theirs) in PAIRS {
                prop_assert_eq!(ours.decode(text.as_bytes()), theirs.decode(text.as_bytes()).ok());
            }
        }
    }
}
