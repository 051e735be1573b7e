//! The characters that a pattern tells apart.

use std::collections::BinaryHeap;

use super::charset::CharSet;

/// Classes of characters in one pattern.
const MAX_CLASSES: usize = 1_024;

/// What [`Classes::of_byte`] says of a byte that is not a whole character: beyond any class.
pub(super) const NOT_ASCII: u16 = u16::MAX;

/// The code points of Unicode in classes.
#[derive(Clone, Debug)]
pub(super) struct Classes {
    /// Where each run of one class begins, in ascending order from 0.
    runs: Vec<(u32, u16)>,
    bytes: [u16; 256],
    count: usize,
}

impl Classes {
    fn new(runs: Vec<(u32, u16)>, count: usize) -> Classes {
        let mut classes = Classes { runs, bytes: [NOT_ASCII; 256], count };
        for code in 0..128_u8 {
            let class = classes.look_up(u32::from(code));
            if let Some(slot) = classes.bytes.get_mut(usize::from(code)) {
                *slot = class;
            }
        }
        classes
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The class of a byte that is a character; [`NOT_ASCII`] for another.
    #[inline]
    pub(super) fn of_byte(&self, byte: u8) -> u16 {
        self.bytes.get(usize::from(byte)).copied().unwrap_or(NOT_ASCII)
    }

    /// The class of a character.
    pub(super) fn of(&self, character: char) -> u16 {
        match u8::try_from(character) {
            Ok(byte) if byte.is_ascii() => self.of_byte(byte),
            _ => self.look_up(character as u32),
        }
    }

    /// Approximate bytes on the heap.
    pub(super) fn memory(&self) -> usize {
        self.runs.capacity() * size_of::<(u32, u16)>()
    }

    fn look_up(&self, code: u32) -> u16 {
        let after = self.runs.partition_point(|&(start, _)| start <= code);
        self.runs.get(after.saturating_sub(1)).map_or(0, |&(_, class)| class)
    }
}

/// Classes such that every set of a pattern is a union of some.
#[derive(Debug)]
pub(super) struct Alphabet {
    pub(super) classes: Classes,
    /// A row of bits for each class: which sets it is in.
    members: Vec<u64>,
    /// Words in a row.
    words: usize,
}

impl Alphabet {
    /// The coarsest alphabet for `sets`, or `None` if it has more than [`MAX_CLASSES`].
    pub(super) fn of(sets: &[CharSet]) -> Option<Alphabet> {
        let starts = boundaries(sets);
        let (class_of, count) = refine(&starts, sets)?;
        let words = sets.len().div_ceil(64);
        let mut members = vec![0; words * count];
        for (number, set) in sets.iter().enumerate() {
            for piece in covered(&starts, set) {
                let class = class_of.get(piece).map_or(0, |&class| usize::from(class));
                if let Some(word) = members.get_mut(class * words + number / 64) {
                    *word |= 1 << (number % 64);
                }
            }
        }
        let mut runs: Vec<(u32, u16)> = starts.into_iter().zip(class_of).collect();
        runs.dedup_by_key(|&mut (_, class)| class);
        runs.shrink_to_fit();
        Some(Alphabet { classes: Classes::new(runs, count), members, words })
    }

    /// Whether the set with this number has the characters of `class`.
    #[inline]
    pub(super) fn has(&self, set: u16, class: u16) -> bool {
        let set = usize::from(set);
        let word = self.members.get(usize::from(class) * self.words + set / 64);
        word.is_some_and(|word| word >> (set % 64) & 1 == 1)
    }

    /// Approximate bytes on the heap.
    pub(super) fn memory(&self) -> usize {
        self.classes.memory() + self.members.capacity() * size_of::<u64>()
    }
}

/// Where pieces begin that no set divides, in ascending order from 0.
fn boundaries(sets: &[CharSet]) -> Vec<u32> {
    let mut starts = vec![0];
    for &(first, last) in sets.iter().flat_map(CharSet::ranges) {
        starts.extend([first, last + 1]);
    }
    let mut starts = BinaryHeap::from(starts).into_sorted_vec();
    starts.dedup();
    starts
}

/// The pieces that a set consists of.
fn covered(starts: &[u32], set: &CharSet) -> impl Iterator<Item = usize> {
    set.ranges().iter().flat_map(|&(first, last)| {
        let begin = starts.partition_point(|&start| start < first);
        let end = starts.partition_point(|&start| start <= last);
        begin..end
    })
}

/// Gives pieces the same class exactly if they are in the same sets, and counts the classes.
///
/// Starts with one class, and lets each set split the classes that it has only a part of.
fn refine(starts: &[u32], sets: &[CharSet]) -> Option<(Vec<u16>, usize)> {
    let mut class_of = vec![0_u16; starts.len()];
    let mut sizes = vec![starts.len()];
    for set in sets {
        let mut taken = vec![0_usize; sizes.len()];
        for piece in covered(starts, set) {
            let class = class_of.get(piece).map_or(0, |&class| usize::from(class));
            if let Some(count) = taken.get_mut(class) {
                *count += 1;
            }
        }
        let mut split = vec![None; sizes.len()];
        for ((class, &count), fresh) in taken.iter().enumerate().zip(&mut split) {
            let number = sizes.len() as u16;
            let Some(size) = sizes.get_mut(class) else { continue };
            if count == 0 || count == *size {
                continue;
            }
            *size -= count;
            *fresh = Some(number);
            sizes.push(count);
        }
        if sizes.len() > MAX_CLASSES {
            return None;
        }
        for piece in covered(starts, set) {
            let Some(class) = class_of.get_mut(piece) else { continue };
            if let Some(&Some(fresh)) = split.get(usize::from(*class)) {
                *class = fresh;
            }
        }
    }
    Some((class_of, sizes.len()))
}
