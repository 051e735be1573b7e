//! Opaque cursors of paged lists.
//!
//! A cursor names the last item that was sent, by position and by a digest of its name, so that a
//! list that changed in between goes on behind that item. It is the same in every process that serves
//! the same items, and carries a check value: a cursor that this library did not make is refused.

use crate::base64::BASE64URL_NOPAD;
use crate::registry::name_hash;

/// Where the next page starts: behind the item at `position - 1`, whose name has this digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub(crate) position: u32,
    pub(crate) digest: u64,
}

impl Cursor {
    /// The cursor behind the `position`-th item of `list`, which is called `name`.
    pub(crate) fn behind(list: &str, position: u32, name: &str) -> Cursor {
        Cursor { position, digest: digest(list, name) }
    }

    /// Whether this cursor stands behind an item called `name`.
    pub(crate) fn is_behind(self, list: &str, name: &str) -> bool {
        self.digest == digest(list, name)
    }

    pub(crate) fn encode(self, list: &str) -> String {
        BASE64URL_NOPAD.encode(&self.to_bytes(list))
    }

    pub(crate) fn decode(list: &str, text: &str) -> Option<Cursor> {
        if text.len() != TEXT_LENGTH {
            return None;
        }
        let bytes = BASE64URL_NOPAD.decode(text.as_bytes())?;
        let position = u32::from_le_bytes(*bytes.first_chunk()?);
        let digest = u64::from_le_bytes(*bytes.get(4..)?.first_chunk()?);
        let cursor = Cursor { position, digest };
        (cursor.to_bytes(list) == *bytes).then_some(cursor)
    }

    fn to_bytes(self, list: &str) -> [u8; LENGTH] {
        let mut bytes = [0; LENGTH];
        let check = name_hash(&format!("{list} {} {}", self.position, self.digest));
        let parts = self.position.to_le_bytes().into_iter();
        let parts = parts.chain(self.digest.to_le_bytes()).chain(check.to_le_bytes());
        for (slot, byte) in bytes.iter_mut().zip(parts) {
            *slot = byte;
        }
        bytes
    }
}

/// Position, digest and check value.
const LENGTH: usize = 4 + 8 + 8;

/// Characters of a cursor.
const TEXT_LENGTH: usize = (LENGTH * 4).div_ceil(3);

fn digest(list: &str, name: &str) -> u64 {
    name_hash(&format!("{list}\0{name}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn foreign_cursors_are_refused() {
        for text in ["", "dGFtcGVyZWQ", "-1", "AAAAAAAAAAAAAAAAAAAAAAAAAAA", "eyJwYWdlIjotMX0="] {
            assert_eq!(Cursor::decode("tools", text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_was_made_is_read_back(position: u32, name in ".{0,40}") {
            let cursor = Cursor::behind("tools", position, &name);
            let text = cursor.encode("tools");
            prop_assert_eq!(Cursor::decode("tools", &text), Some(cursor));
            prop_assert_eq!(Cursor::decode("prompts", &text), None);
        }

        #[test]
        fn one_changed_character_is_noticed(position: u32, at in 0..27usize, to in "[A-Za-z0-9_-]") {
            let text = Cursor::behind("tools", position, "x").encode("tools");
            let mut changed = text.clone();
            changed.replace_range(at..=at, &to);
            prop_assert_eq!(Cursor::decode("tools", &changed).is_some(), changed == text);
        }

        #[test]
        fn arbitrary_text_never_passes(text in ".{0,60}") {
            prop_assert_eq!(Cursor::decode("tools", &text), None);
        }
    }
}
