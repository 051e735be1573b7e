//! Names that are told apart at first sight: by a few bytes, before it is known where a name ends.

use crate::json::Written;

/// How many names there are at most, so that each has a bit in one word.
pub(super) const MAX_NAMES: usize = 64;

/// How many hashes are tried to find one that keeps all names apart.
const TRIES: u64 = 64;

/// A hash of the bytes that all names of a set have: where the place of the name is noted that may
/// stand there. Whoever asks has to compare.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sight {
    mask: u64,
    factor: u64,
    shift: u32,
    /// Where the notes begin.
    start: u32,
}

impl Sight {
    /// What sees no names.
    pub(super) const BLIND: Sight = Sight { mask: 0, factor: 0, shift: 63, start: u32::MAX };

    /// Appends notes on these names, of which there are no more than [`MAX_NAMES`].
    pub(super) fn of(names: &[Written], notes: &mut Vec<u8>) -> Sight {
        let known = || names.iter().zip(0_u8..).filter(|(name, _)| name.is_recognized());
        let Some(shortest) = known().map(|(name, _)| name.len()).min() else { return Sight::BLIND };
        let start = notes.len();
        let size = (names.len() * 4).next_power_of_two();
        let sight = Sight {
            mask: u64::MAX >> (64 - shortest.min(8) * 8),
            factor: 0,
            shift: 64 - size.ilog2(),
            start: u32::try_from(start).unwrap_or(u32::MAX),
        };
        // Where two names meet, the first is noted and the other is found by a longer way.
        let spread = |factor: u64, notes: &mut [u8]| {
            let sight = Sight { factor, ..sight };
            let mut taken = [0_u64; MAX_NAMES * 4 / 64];
            let mut count = 0;
            for (name, place) in known() {
                let slot = sight.slot(name.first_word());
                let (word, bit) = (taken.get_mut(slot / 64), 1 << (slot % 64));
                if let (Some(word), Some(note)) = (word, notes.get_mut(slot))
                    && *word & bit == 0
                {
                    *word |= bit;
                    *note = place;
                    count += 1;
                }
            }
            count
        };
        notes.resize(start + size, 0);
        let notes = notes.get_mut(start..).unwrap_or_default();
        let factors = (0..TRIES).map(|number| (number * 2 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let best = factors.max_by_key(|factor| spread(*factor, notes)).unwrap_or(1);
        notes.fill(0);
        spread(best, notes);
        Sight { factor: best, ..sight }
    }

    /// The place of the name that may stand where a text goes on with `word`.
    #[inline(always)]
    pub(super) fn place(&self, word: u64, notes: &[u8]) -> usize {
        let note = notes.get(self.start as usize + self.slot(word));
        note.copied().map_or(MAX_NAMES, usize::from)
    }

    #[inline(always)]
    fn slot(&self, word: u64) -> usize {
        ((word & self.mask).wrapping_mul(self.factor) >> self.shift) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(names: &[&str]) -> usize {
        let written: Vec<Written> = names.iter().map(|name| Written::new(name)).collect();
        let mut notes = vec![7; 3];
        let sight = Sight::of(&written, &mut notes);
        let is_found = |(place, name): (usize, &Written)| {
            name.is_recognized() && sight.place(name.first_word(), &notes) == place
        };
        written.iter().enumerate().filter(|name| is_found(*name)).count()
    }

    #[test]
    fn names_are_kept_apart_where_a_few_bytes_do() {
        assert_eq!(found(&[]), 0);
        assert_eq!(found(&[""]), 1);
        assert_eq!(found(&["id", "name", "path", "pattern", "limit", "offset", "order"]), 7);
        // Too long, and in need of escapes.
        assert_eq!(found(&["a name that is too long", "a\"b", "c"]), 1);
        // The first seven bytes are all that is looked at.
        assert_eq!(found(&["number_1", "number_2"]), 1);
        let many: Vec<String> = (0..MAX_NAMES).map(|number| format!("{number:03}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(found(&many) > MAX_NAMES / 2, "{}", found(&many));
    }
}
