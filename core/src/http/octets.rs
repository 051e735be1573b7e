//! What the bytes of headers may be. Tables, because each byte of each header is looked up.

/// `tchar` of RFC 9110.
pub(super) fn is_token_byte(byte: u8) -> bool {
    lower_token_byte(byte) != 0
}

/// A byte of a name in lower case, or 0 for what is none.
pub(super) fn lower_token_byte(byte: u8) -> u8 {
    LOWER_TOKEN_BYTES.get(usize::from(byte)).copied().unwrap_or_default()
}

/// What there is to say of a byte in a value: [`CONTROL`], [`HIGH`] or 0.
pub(super) fn value_byte_kind(byte: u8) -> u8 {
    VALUE_BYTE_KINDS.get(usize::from(byte)).copied().unwrap_or_default()
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

#[expect(clippy::indexing_slicing, reason = "a table has a place for each byte")]
static VALUE_BYTE_KINDS: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < table.len() {
        table[byte] = match byte {
            0x09 => 0,
            0x00..0x20 | 0x7f => CONTROL,
            0x80.. => HIGH,
            _ => 0,
        };
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_say_what_the_rfc_says() {
        for byte in 0..=u8::MAX {
            let is_token = byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
            assert_eq!(is_token_byte(byte), is_token, "{byte}");
            assert!(!is_token || lower_token_byte(byte) == byte.to_ascii_lowercase(), "{byte}");
            let is_control = (byte < b' ' && byte != b'\t') || byte == 0x7f;
            assert_eq!(value_byte_kind(byte) & CONTROL != 0, is_control, "{byte}");
            assert_eq!(value_byte_kind(byte) & HIGH != 0, !byte.is_ascii(), "{byte}");
        }
    }
}
