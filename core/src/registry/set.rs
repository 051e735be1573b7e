//! An ordered set of entries, found by name in constant time.

#[expect(clippy::disallowed_types, reason = "hashes without a random key, see NameHasher")]
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use super::entry::Entry;

/// Entries in the order of their registration.
#[expect(clippy::disallowed_types, reason = "hashes without a random key")]
#[derive(Clone, Debug, Default)]
pub(crate) struct Set {
    order: Vec<Arc<Entry>>,
    index: HashMap<Arc<str>, usize, BuildHasherDefault<NameHasher>>,
}

impl Set {
    pub(crate) fn get(&self, key: &str) -> Option<&Arc<Entry>> {
        self.order.get(self.position(key)?)
    }

    /// Where the entry of that key stands.
    #[inline]
    pub(crate) fn position(&self, key: &str) -> Option<usize> {
        if self.order.is_empty() { None } else { self.index.get(key).copied() }
    }

    pub(crate) fn at(&self, position: usize) -> Option<&Arc<Entry>> {
        self.order.get(position)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Entry>> {
        self.order.iter()
    }

    /// Puts an entry at the end, or in the place of the one that has its key, which is given back.
    pub(crate) fn put(&mut self, entry: Arc<Entry>) -> Option<Arc<Entry>> {
        let position = self.index.get(&*entry.key).copied();
        match position.and_then(|position| self.order.get_mut(position)) {
            Some(slot) => Some(std::mem::replace(slot, entry)),
            None => {
                self.index.insert(Arc::clone(&entry.key), self.order.len());
                self.order.push(entry);
                None
            }
        }
    }

    pub(crate) fn remove(&mut self, key: &str) -> Option<Arc<Entry>> {
        let gone = self.index.remove(key)?;
        let entry = self.order.remove(gone);
        for position in self.index.values_mut() {
            if *position > gone {
                *position -= 1;
            }
        }
        Some(entry)
    }
}

/// A digest of a name that is the same in every process.
pub(crate) fn name_hash(name: &str) -> u64 {
    let mut hasher = NameHasher::default();
    hasher.write(name.as_bytes());
    hasher.finish()
}

/// A multiplicative hash, eight bytes at a time. Only the host chooses the names that are stored, so nobody can fill a
/// bucket on purpose, and a random key, which this crate could not make, is not needed.
#[derive(Debug)]
pub(crate) struct NameHasher(u64);

impl NameHasher {
    #[inline]
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Default for NameHasher {
    fn default() -> NameHasher {
        NameHasher(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for NameHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, tail) = bytes.as_chunks::<8>();
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
        // The length tells apart what differs only in zeros at the end.
        let last = tail.iter().fold(bytes.len() as u64, |sum, byte| sum << 8 | u64::from(*byte));
        self.mix(last);
    }

    /// What ends every text; the length in the last word does that here.
    fn write_u8(&mut self, _end: u8) {}

    fn finish(&self) -> u64 {
        // The table looks at both ends of the word, and a product is poor at its low one.
        self.0 ^ self.0 >> 32
    }
}
