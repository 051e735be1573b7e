//! Sets of names that are found by their bytes: the properties of a schema, the strings of an `enum`.

use super::arena::{Span, TextSpan};
use crate::json::is_same;

/// How many places are looked at for one name.
const MAX_PROBES: usize = 256;

/// Names in the order in which they were added, and a hash table over them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Names {
    pub(super) entries: Span,
    slots: Span,
}

impl Names {
    pub(super) const EMPTY: Names = Names { entries: Span::EMPTY, slots: Span::EMPTY };
}

/// One name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// Its first eight bytes, which tell most names apart without a look at the rest.
    head: u64,
    pub(super) text: TextSpan,
    /// What the name stands for.
    pub(super) value: u32,
    /// The name in quotes with a colon behind it; empty if JSON has to escape it.
    written: TextSpan,
}

/// The sets of names of one schema, in common buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct NameStore {
    entries: Vec<Entry>,
    /// Hash tables of entry numbers, counted from one; zero is an empty slot.
    slots: Vec<u32>,
    text: String,
}

/// A name that is looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key<'k> {
    text: &'k [u8],
    head: u64,
}

impl<'k> Key<'k> {
    #[inline]
    pub(super) fn new(text: &'k [u8]) -> Key<'k> {
        Key { text, head: head(text) }
    }

    #[inline]
    pub(super) fn hash(&self) -> u32 {
        hash_with_head(self.text, self.head)
    }
}

impl NameStore {
    /// A set of `names` with what each stands for. `None` if one of them stands twice, or if too many
    /// fall into the same place, which happens only to names that were made for it.
    pub(super) fn add<'n>(&mut self, names: impl Iterator<Item = (&'n str, u32)>) -> Option<Names> {
        let first = self.entries.len();
        for (name, value) in names {
            let start = self.text.len();
            self.text.push('"');
            let text = self.add_text(name);
            self.text.push_str("\":");
            let is_plain = !name.bytes().any(|byte| byte < b' ' || byte == b'"' || byte == b'\\');
            let length = if is_plain { self.text.len() - start } else { 0 };
            let written = Span::new(start, length);
            self.entries.push(Entry { head: head(name.as_bytes()), text, value, written });
        }
        let count = self.entries.len() - first;
        let size = (count * 2).next_power_of_two().max(2);
        let slots = Span::new(self.slots.len(), size);
        self.slots.resize(self.slots.len() + size, 0);
        let names = Names { entries: Span::new(first, count), slots };
        for at in 0..count {
            self.insert(&names, at)?;
        }
        Some(names)
    }

    /// Keeps a text that messages and comparisons will need.
    pub(super) fn add_text(&mut self, text: &str) -> TextSpan {
        let span = TextSpan::new(self.text.len(), text.len());
        self.text.push_str(text);
        span
    }

    #[inline]
    pub(super) fn text(&self, span: TextSpan) -> &str {
        self.text.get(span.range()).unwrap_or("")
    }

    /// The entries of a set in their order.
    #[inline]
    pub(super) fn entries(&self, names: &Names) -> &[Entry] {
        self.entries.get(names.entries.range()).unwrap_or_default()
    }

    pub(super) fn all_entries_mut(&mut self) -> &mut [Entry] {
        &mut self.entries
    }

    /// An entry's name in quotes with a colon behind it; empty if JSON has to escape it.
    #[inline]
    pub(super) fn written(&self, entry: &Entry) -> &[u8] {
        self.text.as_bytes().get(entry.written.range()).unwrap_or_default()
    }

    /// The place of `key` in the set.
    #[inline]
    pub(super) fn find(&self, names: &Names, key: &Key<'_>, hash: u32) -> Option<(usize, &Entry)> {
        let slots = self.slots.get(names.slots.range())?;
        let first = names.entries.range().start;
        let mask = slots.len().wrapping_sub(1);
        let first_slot = first_slot(hash);
        // A table is never more than half full, so that an empty slot ends most searches soon.
        for slot in first_slot..first_slot + MAX_PROBES {
            let at = (*slots.get(slot & mask)? as usize).checked_sub(1)?;
            let entry = self.entries.get(first + at)?;
            if entry.head == key.head && self.ends_alike(entry, key) {
                return Some((at, entry));
            }
        }
        None
    }

    /// Bytes on the heap.
    pub(super) fn memory(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>()
            + self.slots.capacity() * 4
            + self.text.capacity()
    }

    pub(super) fn shrink(&mut self) {
        self.entries.shrink_to_fit();
        self.slots.shrink_to_fit();
        self.text.shrink_to_fit();
    }

    /// Whether a name with the same head is the same to its end.
    #[inline]
    fn ends_alike(&self, entry: &Entry, key: &Key<'_>) -> bool {
        if entry.text.len() != key.text.len() {
            return false;
        }
        key.text.len() <= 8
            || self
                .text
                .as_bytes()
                .get(entry.text.range())
                .is_some_and(|name| is_same(name, key.text))
    }

    fn insert(&mut self, names: &Names, at: usize) -> Option<()> {
        let entry = self.entries(names).get(at)?;
        let key = Key { text: self.text(entry.text).as_bytes(), head: entry.head };
        let hash = key.hash();
        if self.find(names, &key, hash).is_some() {
            return None;
        }
        let slot = first_slot(hash);
        let slots = self.slots.get_mut(names.slots.range())?;
        let mask = slots.len().wrapping_sub(1);
        for slot in slot..slot + MAX_PROBES {
            let place = slots.get_mut(slot & mask)?;
            if *place == 0 {
                *place = at as u32 + 1;
                return Some(());
            }
        }
        None
    }
}

/// Where the search for a hash begins. The last characters of a name reach only its upper bits, and
/// where names are numbered those are all that differs.
#[inline]
fn first_slot(hash: u32) -> usize {
    (hash ^ hash >> 16) as usize
}

/// A hash of the bytes of a name.
pub(super) fn hash(bytes: &[u8]) -> u32 {
    hash_with_head(bytes, head(bytes))
}

/// One step of a hash: order matters, and every bit of both reaches the upper half.
#[inline]
pub(super) fn mix(sum: u64, more: u64) -> u64 {
    (sum.rotate_left(5) ^ more).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[inline]
fn hash_with_head(bytes: &[u8], head: u64) -> u32 {
    let sum = mix(head, bytes.len() as u64);
    let sum = if bytes.len() > 8 { hash_tail(sum, bytes) } else { sum };
    (sum >> 32) as u32
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

/// The first eight bytes as a word, zeros where there are fewer.
#[inline]
fn head(bytes: &[u8]) -> u64 {
    if let Some(word) = bytes.first_chunk::<8>() {
        return u64::from_le_bytes(*word);
    }
    // Two words that overlap make any length from four to seven in two reads.
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let shift = (bytes.len() - 4) * 8;
        return u64::from(u32::from_le_bytes(*first))
            | u64::from(u32::from_le_bytes(*last)) << shift;
    }
    bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}
