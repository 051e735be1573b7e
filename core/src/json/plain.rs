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

    /// A hash of the bytes.
    #[inline]
    pub(crate) fn hash(&self) -> u32 {
        let sum = mix(self.head, self.text.len() as u64);
        let sum = if self.text.len() > 8 { hash_tail(sum, self.text) } else { sum };
        (sum >> 32) as u32
    }
}

/// One step of a hash: order matters, and every bit of both reaches the upper half.
#[inline]
pub(crate) fn mix(sum: u64, more: u64) -> u64 {
    (sum.rotate_left(5) ^ more).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The words behind the first; the last one may overlap the one before.
#[inline]
fn hash_tail(mut sum: u64, bytes: &[u8]) -> u64 {
    let mut rest = bytes.get(8..).unwrap_or_default();
    while let Some((word, more)) = rest.split_first_chunk::<8>() {
        sum = mix(sum, u64::from_le_bytes(*word));
        rest = more;
    }
    if !rest.is_empty() {
        let last = bytes.last_chunk::<8>().map_or(0, |word| u64::from_le_bytes(*word));
        sum = mix(sum, last);
    }
    sum
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

/// The length of a name that is never recognized.
const UNRECOGNIZED: usize = 31;

/// Which bytes of a word count: the one at `8 + n` has the first `n`. So the masks of both words of a
/// written name are eight places apart, and no length up to [`UNRECOGNIZED`] needs a check.
#[expect(clippy::indexing_slicing, reason = "checked when it is compiled")]
const MASKS: [u64; UNRECOGNIZED + 9] = {
    let mut masks = [u64::MAX; UNRECOGNIZED + 9];
    let mut place = 0;
    while place < 16 {
        masks[place] = if place <= 8 { 0 } else { u64::MAX >> ((16 - place) * 8) };
        place += 1;
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
            return Written { text: [[u8::MAX; 8]; 2], length: UNRECOGNIZED as u32 };
        }
        let mut text = [[0; 8]; AHEAD / 8];
        text.as_flattened_mut().iter_mut().zip(&written).for_each(|(to, from)| *to = *from);
        Written { text, length: written.len() as u32 }
    }

    /// Whether this stands where the text goes on with `ahead`.
    #[inline(always)]
    pub(crate) fn is_at(&self, ahead: &Ahead) -> bool {
        let ([low, high], [text, more_text]) = (*ahead, self.text.map(u64::from_le_bytes));
        let length = self.len() & UNRECOGNIZED;
        let mask_at = |place: usize| MASKS.get(place).copied().unwrap_or(u64::MAX);
        let (mask, more_mask) = (mask_at(length + 8), mask_at(length));
        (low ^ text) & mask | (high ^ more_text) & more_mask == 0
    }

    pub(crate) fn is_recognized(&self) -> bool {
        self.len() < UNRECOGNIZED
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
    /// What comes next; `None` at the end of the text, and in one that is very short.
    #[inline(always)]
    pub(crate) fn ahead(&self) -> Option<Ahead> {
        let Some(ahead) = self.bytes().get(self.pos..)?.first_chunk::<AHEAD>() else {
            return self.ahead_near_end();
        };
        let [low, high] = *ahead.as_chunks().0 else { return None };
        Some([u64::from_le_bytes(low), u64::from_le_bytes(high)])
    }

    /// The same where fewer bytes are left: zeros stand for what is missing, which no name has.
    #[inline(never)]
    fn ahead_near_end(&self) -> Option<Ahead> {
        let passed = (self.pos + AHEAD).checked_sub(self.bytes().len())? as u32;
        let last = u128::from_le_bytes(*self.bytes().last_chunk::<AHEAD>()?);
        let ahead = last.checked_shr(passed * 8)?;
        Some([ahead as u64, (ahead >> 64) as u64])
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
    #[inline]
    pub(crate) fn last_plain(&self, length: usize) -> Str<'a> {
        let end = self.pos.saturating_sub(1);
        Str::new(self.slice(end.saturating_sub(length), end), false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ahead(text: &str) -> Ahead {
        Reader::new(text, 1).ahead().unwrap()
    }

    #[test]
    fn written_names_of_every_length_are_told_from_others() {
        for length in 0..=20 {
            let name = "n".repeat(length);
            let written = Written::new(&name);
            let follows = format!("\"{name}\":1234567890123456");
            let is_short = length + 3 <= AHEAD;
            assert_eq!(written.is_recognized(), is_short, "{length}");
            assert_eq!(written.is_at(&ahead(&follows)), is_short, "{length}");
            let longer = format!("\"{name}n\":1234567890123456");
            assert!(!written.is_at(&ahead(&longer)), "{length}");
            if length > 0 {
                let other = follows.replacen('n', "m", 1);
                assert!(!written.is_at(&ahead(&other)), "{length}");
            }
        }
        assert!(!Written::new("a\"b").is_at(&ahead("\"a\\\"b\":1234567890123456")));
    }

    #[test]
    fn names_near_the_end_of_a_text_are_told_from_others() {
        let text = "{\"first\":1,\"last\":2}";
        let start = text.find("\"last").unwrap();
        let mut reader = Reader::new(text, 1);
        for pos in 0..=text.len() {
            reader.pos = pos;
            let is_there = |name| reader.ahead().is_some_and(|it| Written::new(name).is_at(&it));
            assert_eq!(reader.ahead().is_some(), pos < text.len(), "{pos}");
            assert_eq!(is_there("last"), pos == start, "{pos}");
            assert!(!is_there("las") && !is_there("last2") && !is_there("st"), "{pos}");
        }
        // What ends in the middle of a name is not completed by zeros.
        let mut cut = Reader::new("{\"first\": 1,\"last", 1);
        cut.pos = 12;
        assert!(!Written::new("last").is_at(&cut.ahead().unwrap()));
        assert!(Reader::new("{\"a\":1}", 1).ahead().is_none());
    }
}
