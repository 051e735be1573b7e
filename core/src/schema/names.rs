//! Sets of names that are found by their bytes: the properties of a schema, the strings of an `enum`.

use super::arena::{Span, TextSpan};
use super::sight::{MAX_NAMES, Sight};
use crate::json::{Ahead, Plain, Written, is_same};

/// How many names are looked at one by one, which takes less than to hash.
const FEW: usize = 6;

/// How many places are looked at for one name.
const MAX_PROBES: usize = 256;

/// Names in the order in which they were added, and a hash table over them if they are more than a few.
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
    pub(super) written: Written,
}

/// The sets of names of one schema, in common buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct NameStore {
    entries: Vec<Entry>,
    /// Hash tables of entry numbers, counted from one; zero is an empty slot.
    slots: Vec<u32>,
    text: String,
    /// The notes of sights.
    notes: Vec<u8>,
}

/// One set of names, ready to be searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct NameSet<'p> {
    entries: &'p [Entry],
    slots: &'p [u32],
    text: &'p [u8],
}

impl<'p> NameSet<'p> {
    /// The place of `key` in the set.
    #[inline(always)]
    pub(super) fn find(&self, key: &Plain<'_>) -> Option<(usize, &'p Entry)> {
        if self.entries.len() <= FEW {
            return self.entries.iter().enumerate().find(|(_, entry)| self.is_named(entry, key));
        }
        self.find_by_hash(key)
    }

    #[inline(always)]
    fn find_by_hash(&self, key: &Plain<'_>) -> Option<(usize, &'p Entry)> {
        let first = first_slot(key.hash());
        let mask = self.slots.len().wrapping_sub(1);
        // A table is never more than half full, so that an empty slot ends most searches soon.
        for slot in first..first + MAX_PROBES {
            let at = (*self.slots.get(slot & mask)? as usize).checked_sub(1)?;
            let entry = self.entries.get(at)?;
            if self.is_named(entry, key) {
                return Some((at, entry));
            }
        }
        None
    }

    #[inline(always)]
    fn is_named(&self, entry: &Entry, key: &Plain<'_>) -> bool {
        entry.head == key.head()
            && entry.text.len() == key.len()
            && (key.len() <= 8
                || self.text.get(entry.text.range()).is_some_and(|name| is_same(name, key.text())))
    }
}

impl NameStore {
    /// A set of `names` with what each stands for. `None` if one of them stands twice, or if too many
    /// fall into the same place, which happens only to names that were made for it.
    pub(super) fn add<'n>(&mut self, names: impl Iterator<Item = (&'n str, u32)>) -> Option<Names> {
        let first = self.entries.len();
        for (name, value) in names {
            let text = self.add_text(name);
            let head = Plain::new(name.as_bytes()).head();
            self.entries.push(Entry { head, text, value, written: Written::new(name) });
        }
        let count = self.entries.len() - first;
        let size = if count <= FEW { 0 } else { (count * 2).next_power_of_two() };
        let slots = Span::new(self.slots.len(), size);
        self.slots.resize(self.slots.len() + size, 0);
        let names = Names { entries: Span::new(first, count), slots };
        if count <= FEW {
            return self.are_apart(&names).then_some(names);
        }
        for at in 0..count {
            self.insert(&names, at)?;
        }
        Some(names)
    }

    /// How the first names of a set are told apart at sight.
    pub(super) fn add_sight(&mut self, names: &Names) -> Sight {
        let entries = self.entries(names).iter().take(MAX_NAMES);
        let written: Vec<Written> = entries.map(|entry| entry.written).collect();
        Sight::of(&written, &mut self.notes)
    }

    /// The place of the name that may stand ahead.
    #[inline(always)]
    pub(super) fn place_at_sight(&self, sight: &Sight, ahead: &Ahead) -> usize {
        let [word, _] = *ahead;
        sight.place(word, &self.notes)
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

    /// A set as it is searched.
    #[inline]
    pub(super) fn set(&self, names: &Names) -> NameSet<'_> {
        NameSet {
            entries: self.entries(names),
            slots: self.slots.get(names.slots.range()).unwrap_or_default(),
            text: self.text.as_bytes(),
        }
    }

    /// Bytes on the heap.
    pub(super) fn memory(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>()
            + self.slots.capacity() * 4
            + self.text.capacity()
            + self.notes.capacity()
    }

    pub(super) fn shrink(&mut self) {
        self.entries.shrink_to_fit();
        self.slots.shrink_to_fit();
        self.text.shrink_to_fit();
        self.notes.shrink_to_fit();
    }

    /// Whether no name stands twice in a set of a few.
    fn are_apart(&self, names: &Names) -> bool {
        let set = self.set(names);
        self.entries(names).iter().enumerate().all(|(at, entry)| {
            let key = Plain::new(self.text(entry.text).as_bytes());
            set.find(&key).is_some_and(|(found, _)| found == at)
        })
    }

    fn insert(&mut self, names: &Names, at: usize) -> Option<()> {
        let entry = self.entries(names).get(at)?;
        let key = Plain::new(self.text(entry.text).as_bytes());
        if self.set(names).find_by_hash(&key).is_some() {
            return None;
        }
        let slot = first_slot(key.hash());
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
