//! Strings without escapes, which most are.

use super::reader::Reader;
use super::special::{find_special, first_special};
use super::string::Str;

/// A text, and its first eight bytes as a word, which tells most texts apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain<'a> {
    text: &'a [u8],
    /// Zeros where there are fewer bytes.
    head: u64,
}

impl<'a> Plain<'a> {
    #[inline]
    pub(crate) fn new(text: &'a [u8]) -> Plain<'a> {
        if let Some(word) = text.first_chunk::<8>() {
            return Plain { text, head: u64::from_le_bytes(*word) };
        }
        // Two words that overlap make any length from four to seven in two reads.
        if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
            let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
            let shift = (text.len() - 4) * 8;
            return Plain { text, head: u64::from(first) | u64::from(last) << shift };
        }
        let head = text.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        Plain { text, head }
    }

    #[inline(always)]
    pub(crate) fn text(&self) -> &'a [u8] {
        self.text
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    #[inline(always)]
    pub(crate) fn head(&self) -> u64 {
        self.head
    }
}

/// How many bytes are compared at once.
const AHEAD: usize = 16;

/// What a text goes on with.
pub(crate) type Ahead = [u64; AHEAD / 8];

/// A name, its quotes and the colon, in a form that is compared at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Written {
    /// Bytes, because words would be padded.
    text: [[u8; 8]; AHEAD / 8],
    length: u32,
}

/// For each length that a written name can have, the bytes that count. A power of two of them lets a
/// length be looked up without a check; a name that is never recognized has the last, which is all.
#[expect(clippy::indexing_slicing, reason = "checked when it is compiled")]
const MASKS: [Ahead; 32] = {
    let mut masks = [[u64::MAX; 2]; 32];
    let mut length = 1;
    while length < AHEAD {
        let mask = (1_u128 << (length * 8)) - 1;
        masks[length] = [mask as u64, (mask >> 64) as u64];
        length += 1;
    }
    masks
};

impl Written {
    /// How `name` is written where a member begins. One that is long, or that JSON has to escape, is
    /// never recognized by this.
    pub(crate) fn new(name: &str) -> Written {
        let written = [b"\"", name.as_bytes(), b"\":"].concat();
        let is_plain = find_special(name.as_bytes(), 0) == name.len();
        if !is_plain || written.len() > AHEAD {
            // No text has such bytes.
            return Written { text: [[u8::MAX; 8]; 2], length: 0 };
        }
        let mut text = [[0; 8]; AHEAD / 8];
        text.as_flattened_mut().iter_mut().zip(&written).for_each(|(to, from)| *to = *from);
        Written { text, length: written.len() as u32 }
    }

    /// Whether this stands where the text goes on with `ahead`.
    #[inline(always)]
    pub(crate) fn is_at(&self, ahead: &Ahead) -> bool {
        let ([low, high], [text, more_text]) = (*ahead, self.text.map(u64::from_le_bytes));
        let masks = MASKS.get(self.len() % MASKS.len());
        let [mask, more_mask] = masks.copied().unwrap_or([u64::MAX; 2]);
        (low ^ text) & mask | (high ^ more_text) & more_mask == 0
    }

    pub(crate) fn is_recognized(&self) -> bool {
        self.length > 0
    }

    pub(crate) fn first_word(&self) -> u64 {
        let [word, _] = self.text;
        u64::from_le_bytes(word)
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.length as usize
    }
}

impl<'a> Reader<'a> {
    /// What comes next; `None` near the end of the text.
    #[inline(always)]
    pub(crate) fn ahead(&self) -> Option<Ahead> {
        let ahead = self.bytes().get(self.pos..)?.first_chunk::<AHEAD>()?;
        let [low, high] = *ahead.as_chunks().0 else { return None };
        Some([u64::from_le_bytes(low), u64::from_le_bytes(high)])
    }

    /// Passes over what was seen ahead.
    #[inline(always)]
    pub(crate) fn pass(&mut self, name: &Written) {
        self.pos += name.len();
    }

    /// Reads the name of a member that has no escapes and its colon. `None` if it has some, or white
    /// space before the colon, or is wrong: then nothing was read.
    #[inline(always)]
    pub(crate) fn plain_key(&mut self) -> Option<Plain<'a>> {
        let bytes = self.bytes();
        if self.byte() != Some(b'"') {
            return None;
        }
        let start = self.pos + 1;
        let name = match bytes.get(start..)?.first_chunk::<8>() {
            Some(word) => match first_special(u64::from_le_bytes(*word)) {
                Some((length, head)) => Plain { text: bytes.get(start..start + length)?, head },
                None => Plain::new(bytes.get(start..find_special(bytes, start + 8))?),
            },
            None => Plain::new(bytes.get(start..find_special(bytes, start))?),
        };
        let end = start + name.len();
        let [b'"', b':'] = *bytes.get(end..)?.first_chunk::<2>()? else { return None };
        self.pos = end + 2;
        Some(name)
    }

    /// Reads a string whose opening quote comes next and that has no escapes: what stands between the
    /// quotes. `None` if it has some, or is wrong: then nothing was read.
    #[inline(always)]
    pub(crate) fn plain_string(&mut self) -> Option<&'a [u8]> {
        let bytes = self.bytes();
        let start = self.pos + 1;
        let end = find_special(bytes, start);
        if bytes.get(end) != Some(&b'"') {
            return None;
        }
        self.pos = end + 1;
        bytes.get(start..end)
    }

    /// The string of `length` bytes that was read last.
    pub(crate) fn last_plain(&self, length: usize) -> Str<'a> {
        let end = self.pos.saturating_sub(1);
        Str::new(self.slice(end.saturating_sub(length), end), false)
    }
}
