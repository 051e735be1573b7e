//! The search for the bytes at which a string may not simply go on: its closing quote, a backslash, a
//! control character.
//!
//! Eight bytes at a time by plain arithmetic: what the compiler makes of a loop over bytes varies too
//! much between versions and levels of optimization to build a speed promise on.

const ONES: u64 = 0x0101_0101_0101_0101;
pub(super) const HIGHS: u64 = 0x8080_8080_8080_8080;

/// How many bytes are looked at together in a long string.
const BLOCK: usize = 128;

/// Offset of the first quote, backslash or control character at or after `pos`, or the length.
///
/// Most strings end within the first two words, which is why those stand here and the rest apart.
#[inline(always)]
pub(super) fn find_special(bytes: &[u8], pos: usize) -> usize {
    let Some([first, second]) = words_at(bytes, pos) else {
        return find_special_in_tail(bytes, pos);
    };
    let hit = special_in(first);
    if hit != 0 {
        return pos + place_of(hit);
    }
    let hit = special_in(second);
    if hit != 0 {
        return pos + 8 + place_of(hit);
    }
    find_special_far(bytes, pos + 16)
}

/// The rest of a string that is longer than two words: word by word at first, then as many at once as
/// pays off.
#[inline(never)]
fn find_special_far(bytes: &[u8], mut pos: usize) -> usize {
    for _ in 0..12 {
        let Some([word]) = words_at(bytes, pos) else { break };
        let hit = special_in(word);
        if hit != 0 {
            return pos + place_of(hit);
        }
        pos += 8;
    }
    while let Some(block) = block_at(bytes, pos)
        && !may_have_special(block)
    {
        pos += BLOCK;
    }
    while let Some([a, b, c, d]) = words_at(bytes, pos)
        && special_in(a) | special_in(b) | special_in(c) | special_in(d) == 0
    {
        pos += 32;
    }
    while let Some([word]) = words_at(bytes, pos) {
        let hit = special_in(word);
        if hit != 0 {
            return pos + place_of(hit);
        }
        pos += 8;
    }
    find_special_in_tail(bytes, pos)
}

/// Offset of the first quote at or after `pos`, or the length.
#[inline(never)]
pub(super) fn find_quote(bytes: &[u8], mut pos: usize) -> usize {
    while let Some([word]) = words_at(bytes, pos) {
        let hit = equal_in(word, b'"') & HIGHS;
        if hit != 0 {
            return pos + place_of(hit);
        }
        pos += 8;
        while let Some(block) = block_at(bytes, pos)
            && !may_have_quote(block)
        {
            pos += BLOCK;
        }
    }
    let tail = bytes.get(pos..).unwrap_or_default();
    pos + tail.iter().position(|byte| *byte == b'"').unwrap_or(tail.len())
}

/// The last few bytes of a text.
#[inline(never)]
fn find_special_in_tail(bytes: &[u8], mut pos: usize) -> usize {
    if let Some([word]) = words_at(bytes, pos) {
        let hit = special_in(word);
        if hit != 0 {
            return pos + place_of(hit);
        }
        pos += 8;
    }
    let left = bytes.len().wrapping_sub(pos);
    if let Some(word) = bytes.last_chunk::<8>()
        && (1..8).contains(&left)
    {
        // What is behind the end becomes zeros, which are control characters and so end the search.
        let word = u64::from_le_bytes(*word) >> (64 - left * 8);
        return pos + place_of(special_in(word));
    }
    while let Some(&byte) = bytes.get(pos) {
        if byte == b'"' || byte == b'\\' || byte < 0x20 {
            break;
        }
        pos += 1;
    }
    pos
}

/// Whether a text that the reader has accepted has a line break or a tab in it: no other control
/// character can stand between its tokens, and none in its strings.
pub(super) fn has_control(bytes: &[u8]) -> bool {
    let (words, tail) = bytes.as_chunks::<8>();
    let (blocks, rest) = words.as_chunks::<4>();
    let control_in = |word: &[u8; 8]| {
        let word = u64::from_le_bytes(*word);
        word.wrapping_sub(ONES * 0x20) & !word & HIGHS
    };
    blocks.iter().any(|words| words.iter().fold(0, |hits, word| hits | control_in(word)) != 0)
        || rest.iter().any(|word| control_in(word) != 0)
        || tail.iter().any(|byte| *byte < 0x20)
}

/// Whether there may be a special byte; if not, that is certain. Between characters of ASCII a
/// subtraction tells, and the others are left to who looks closer.
#[inline(always)]
fn may_have_special(block: &[u8; BLOCK]) -> bool {
    let (mut quotes, mut backslashes) = (0, 0);
    for word in block.as_chunks().0 {
        let word = u64::from_le_bytes(*word);
        quotes |= (word ^ (ONES * 0x02)).wrapping_sub(ONES * 0x21);
        backslashes |= (word ^ (ONES * b'\\' as u64)).wrapping_sub(ONES);
    }
    (quotes | backslashes) & HIGHS != 0
}

/// Whether there may be a quote; if not, that is certain.
#[inline(always)]
fn may_have_quote(block: &[u8; BLOCK]) -> bool {
    let difference = |word: &[u8; 8]| u64::from_le_bytes(*word) ^ (ONES * b'"' as u64);
    let words = block.as_chunks().0.iter();
    words.fold(0, |hits, word| hits | difference(word).wrapping_sub(ONES)) & HIGHS != 0
}

/// The place of the first special byte of a word, and what stands before it.
#[inline(always)]
pub(super) fn first_special(word: u64) -> Option<(usize, u64)> {
    let hit = special_in(word);
    if hit == 0 {
        return None;
    }
    let before = (hit & hit.wrapping_neg()) >> 7;
    Some((place_of(hit), word & before.wrapping_sub(1)))
}

/// High bit of each byte that is special; exact for the lowest one, which is all that is used.
///
/// Flipping the second bit sends the quote to 0x20 and leaves control characters below it, so that one
/// comparison finds both.
#[inline(always)]
fn special_in(word: u64) -> u64 {
    let flipped = word ^ (ONES * 0x02);
    let quote_or_control = flipped.wrapping_sub(ONES * 0x21) & !flipped;
    (quote_or_control | equal_in(word, b'\\')) & HIGHS
}

/// High bit of each byte that equals `byte`; exact for the lowest one. The other bits mean nothing.
#[inline(always)]
fn equal_in(word: u64, byte: u8) -> u64 {
    let differing = word ^ (ONES * byte as u64);
    differing.wrapping_sub(ONES) & !differing
}

/// The place in its word of the lowest byte whose high bit is set.
#[inline(always)]
fn place_of(hit: u64) -> usize {
    (hit.trailing_zeros() / 8) as usize
}

#[inline(always)]
fn block_at(bytes: &[u8], pos: usize) -> Option<&[u8; BLOCK]> {
    bytes.get(pos..)?.first_chunk()
}

#[inline(always)]
fn words_at<const N: usize>(bytes: &[u8], pos: usize) -> Option<[u64; N]> {
    let (words, _) = bytes.get(pos..)?.as_chunks::<8>();
    words.first_chunk::<N>().map(|words| words.map(u64::from_le_bytes))
}

#[cfg(test)]
mod tests {
    use super::{find_quote, find_special, has_control};

    #[test]
    fn every_byte_is_told_apart_at_every_place() {
        for length in [1, 7, 8, 15, 16, 17, 31, 64, 79, 80, 81, 160, 300] {
            for (place, other) in (0..length).flat_map(|place| [(place, b'a'), (place, 0xE2)]) {
                for byte in 0..=u8::MAX {
                    let mut text = vec![other; length];
                    text[place] = byte;
                    let is_special = byte < 0x20 || byte == b'"' || byte == b'\\';
                    let expected = if is_special { place } else { length };
                    assert_eq!(find_special(&text, 0), expected, "{byte} at {place} of {length}");
                    let quote = if byte == b'"' { place } else { length };
                    assert_eq!(find_quote(&text, 0), quote, "{byte} at {place} of {length}");
                    assert_eq!(has_control(&text), byte < 0x20, "{byte} at {place} of {length}");
                }
            }
        }
    }
}
