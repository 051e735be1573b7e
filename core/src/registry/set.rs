//! An ordered set of entries, found by name in constant time.

use std::sync::Arc;

use super::entry::Entry;
use crate::json::{Plain, is_same, mix};

/// Entries in the order of their registration.
///
/// Only the host chooses the names that are stored, so nobody can fill a stretch of the table on purpose, and a random
/// key for the hash, which this crate could not make, is not needed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Set {
    order: Vec<Arc<Entry>>,
    /// A hash table of which at least half is empty, and whose size is a power of two, or 0.
    slots: Vec<Slot>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    hash: u32,
    /// Where the entry stands, counted from one; 0 for an empty slot.
    place: u32,
}

impl Set {
    pub(crate) fn get(&self, key: &str) -> Option<&Arc<Entry>> {
        self.order.get(self.position(key.as_bytes())?)
    }

    /// Where the entry of that key stands.
    #[inline]
    pub(crate) fn position(&self, key: &[u8]) -> Option<usize> {
        if self.order.is_empty() { None } else { self.probe(key) }
    }

    #[inline(always)]
    fn probe(&self, key: &[u8]) -> Option<usize> {
        let hash = Plain::new(key).hash();
        let mask = self.slots.len().wrapping_sub(1);
        let first = first_slot(hash, self.slots.len());
        for slot in first..first + self.slots.len() {
            let slot = self.slots.get(slot & mask)?;
            let place = (slot.place as usize).checked_sub(1)?;
            if slot.hash == hash && is_same(self.order.get(place)?.key.as_bytes(), key) {
                return Some(place);
            }
        }
        None
    }

    pub(crate) fn at(&self, position: usize) -> Option<&Arc<Entry>> {
        self.order.get(position)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Entry>> {
        self.order.iter()
    }

    /// Puts an entry at the end, or in the place of the one that has its key, which is given back.
    pub(crate) fn put(&mut self, entry: Arc<Entry>) -> Option<Arc<Entry>> {
        let position = self.position(entry.key.as_bytes());
        match position.and_then(|position| self.order.get_mut(position)) {
            Some(slot) => Some(std::mem::replace(slot, entry)),
            None => {
                let hash = Plain::new(entry.key.as_bytes()).hash();
                self.order.push(entry);
                if self.order.len() * 2 > self.slots.len() {
                    let size = (self.order.len() * 2).next_power_of_two();
                    self.rebuild(size, Some);
                }
                note(&mut self.slots, hash, self.order.len() as u32);
                None
            }
        }
    }

    pub(crate) fn remove(&mut self, key: &str) -> Option<Arc<Entry>> {
        let gone = self.position(key.as_bytes())?;
        let entry = self.order.remove(gone);
        let gone = gone as u32 + 1;
        self.rebuild(self.slots.len(), |place| match place {
            place if place > gone => Some(place - 1),
            place => Some(place).filter(|place| *place != gone),
        });
        Some(entry)
    }

    /// Makes the table anew, with places that `moved` says.
    fn rebuild(&mut self, size: usize, moved: impl Fn(u32) -> Option<u32>) {
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); size]);
        for slot in old.iter().filter(|slot| slot.place != 0) {
            if let Some(place) = moved(slot.place) {
                note(&mut self.slots, slot.hash, place);
            }
        }
    }
}

/// Puts a place into a table that has an empty slot.
fn note(slots: &mut [Slot], hash: u32, place: u32) {
    let mask = slots.len().wrapping_sub(1);
    let first = first_slot(hash, slots.len());
    let mut probes = (first..first + slots.len()).map(|slot| slot & mask);
    let empty = probes.find(|slot| slots.get(*slot).is_some_and(|slot| slot.place == 0));
    if let Some(slot) = empty.and_then(|slot| slots.get_mut(slot)) {
        *slot = Slot { hash, place };
    }
}

/// Where the search for a hash begins: by its upper bits, because the last characters of a name reach no others.
#[inline]
fn first_slot(hash: u32, slots: usize) -> usize {
    ((u64::from(hash) * slots as u64) >> 32) as usize
}

/// A digest of a name that is the same in every process: a multiplicative hash, eight bytes at a time.
pub(crate) fn name_hash(name: &str) -> u64 {
    let (words, tail) = name.as_bytes().as_chunks::<8>();
    let start: u64 = 0xcbf2_9ce4_8422_2325;
    let sum = words.iter().fold(start, |sum, word| mix(sum, u64::from_le_bytes(*word)));
    // The length tells apart what differs only in zeros at the end.
    let last = tail.iter().fold(name.len() as u64, |last, byte| last << 8 | u64::from(*byte));
    let sum = mix(sum, last);
    sum ^ sum >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_do_not_change() {
        // Clients hold cursors that were made of them.
        assert_eq!(name_hash(""), 0x8add_3c59_5402_e374);
        assert_eq!(name_hash("a name of 20 letters"), 0x2575_0d40_bff0_d19d);
    }
}
