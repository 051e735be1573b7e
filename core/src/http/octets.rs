//! What the bytes of headers may be, for each byte of each header.

/// `tchar` of RFC 9110.
pub(super) fn is_token_byte(byte: u8) -> bool {
    lower_token_byte(byte) != 0
}

/// A byte of a name in lower case, or 0 for what is none.
pub(super) fn lower_token_byte(byte: u8) -> u8 {
    LOWER_TOKEN_BYTES.get(usize::from(byte)).copied().unwrap_or_default()
}

/// What there is to say of the bytes of a value: [`CONTROL`], [`HIGH`], both or 0.
pub(super) fn value_kinds(value: &[u8]) -> u8 {
    let Some(last) = value.last_chunk::<8>() else { return kinds_by_bytes(value) };
    let (words, _) = value.as_chunks::<8>();
    // The last eight bytes may overlap those before.
    let words = words.iter().chain([last]).map(|word| u64::from_ne_bytes(*word));
    let odd = words.fold(0, |odd, word| odd | odd_bytes(word));
    if odd == 0 { 0 } else { kinds_by_bytes(value) }
}

/// Marks bytes that are no printable ASCII, eight at a time.
fn odd_bytes(word: u64) -> u64 {
    const HIGHS: u64 = u64::MAX / 0xff * 0x80;
    const ONES: u64 = u64::MAX / 0xff;
    // In each byte, the high bit says that the rest is at least a space, and that it is 0x7f.
    let has_space = (word | HIGHS) - ONES * 0x20;
    let is_delete = (word & !HIGHS) + ONES;
    (word | !has_space | is_delete) & HIGHS
}

fn kinds_by_bytes(value: &[u8]) -> u8 {
    value.iter().fold(0, |kinds, byte| kinds | value_byte_kind(*byte))
}

fn value_byte_kind(byte: u8) -> u8 {
    match byte {
        b'\t' | b' '..=b'~' => 0,
        0x80.. => HIGH,
        _ => CONTROL,
    }
}

/// A control character, which no value may have.
pub(super) const CONTROL: u8 = 1;
/// Outside ASCII.
pub(super) const HIGH: u8 = 2;

#[expect(clippy::indexing_slicing, reason = "a table has a place for each byte")]
static LOWER_TOKEN_BYTES: [u8; 256] = {
    let mut table = [0; 256];
    let mut tokens: &[u8] =
        b"!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    while let [byte, rest @ ..] = tokens {
        table[*byte as usize] = byte.to_ascii_lowercase();
        tokens = rest;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_what_the_rfc_says() {
        for byte in 0..=u8::MAX {
            let is_token = byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
            assert_eq!(is_token_byte(byte), is_token, "{byte}");
            assert!(!is_token || lower_token_byte(byte) == byte.to_ascii_lowercase(), "{byte}");
            let is_control = (byte < b' ' && byte != b'\t') || byte == 0x7f;
            assert_eq!(value_byte_kind(byte) & CONTROL != 0, is_control, "{byte}");
            assert_eq!(value_byte_kind(byte) & HIGH != 0, !byte.is_ascii(), "{byte}");
            // Wherever it stands in a value, short or long.
            for length in 1..20 {
                for place in 0..length {
                    let mut value = vec![b'~'; length];
                    value[place] = byte;
                    assert_eq!(value_kinds(&value), value_byte_kind(byte), "{value:?}");
                }
            }
        }
    }
}
