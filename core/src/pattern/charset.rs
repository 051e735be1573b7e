//! Sets of code points, as a pattern names them.

use std::collections::BinaryHeap;

/// The last code point of Unicode.
pub(super) const LAST: u32 = 0x10_FFFF;

/// A set of code points: ranges in ascending order that neither touch nor overlap.
///
/// Surrogates may be in it, because patterns may name them; no text has one.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CharSet {
    ranges: Vec<(u32, u32)>,
}

/// Decimal digits, as ECMA-262 means `\d`.
const DIGIT: &[(u32, u32)] = &[(0x30, 0x39)];
/// Word characters, as ECMA-262 means `\w` without the `i` flag.
const WORD: &[(u32, u32)] = &[(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)];
/// `WhiteSpace` and `LineTerminator` of ECMA-262.
const SPACE: &[(u32, u32)] = &[
    (0x09, 0x0D),
    (0x20, 0x20),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
];
/// `LineTerminator` of ECMA-262.
const LINE_END: &[(u32, u32)] = &[(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)];

impl CharSet {
    /// The set of one code point.
    pub(super) fn one(code: u32) -> CharSet {
        CharSet { ranges: vec![(code, code)] }
    }

    /// What `\d` matches.
    pub(super) fn digit() -> CharSet {
        CharSet { ranges: DIGIT.to_vec() }
    }

    /// What `\w` matches.
    pub(super) fn word() -> CharSet {
        CharSet { ranges: WORD.to_vec() }
    }

    /// What `\s` matches.
    pub(super) fn space() -> CharSet {
        CharSet { ranges: SPACE.to_vec() }
    }

    /// What `.` matches.
    pub(super) fn dot() -> CharSet {
        CharSet { ranges: LINE_END.to_vec() }.negated()
    }

    /// The union of `ranges`, which may come in any order and overlap.
    #[inline(never)]
    pub(super) fn union(ranges: Vec<(u32, u32)>) -> CharSet {
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
        // Sorted by a heap, because the sort of slices would be a quarter of the code of patterns.
        for (first, last) in BinaryHeap::from(ranges).into_sorted_vec() {
            match merged.last_mut() {
                Some(open) if first <= open.1.saturating_add(1) => open.1 = open.1.max(last),
                _ => merged.push((first, last)),
            }
        }
        CharSet { ranges: merged }
    }

    /// Every code point that is not in this set.
    pub(super) fn negated(&self) -> CharSet {
        let mut ranges = Vec::with_capacity(self.ranges.len() + 1);
        let mut next = 0;
        for &(first, last) in &self.ranges {
            if next < first {
                ranges.push((next, first - 1));
            }
            next = last + 1;
        }
        if next <= LAST {
            ranges.push((next, LAST));
        }
        CharSet { ranges }
    }

    /// The ranges, in ascending order.
    pub(super) fn ranges(&self) -> &[(u32, u32)] {
        &self.ranges
    }
}
