//! A list as ready-made bytes: one memcpy answers a page.

use std::sync::Arc;

use super::entry::fields_of;
use super::item::Kind;
use super::set::Set;
use crate::model::cursor::Cursor;
use crate::model::fields::push_object;
use crate::revision::Revision;

/// The items of one list as one revision writes them, joined by commas.
#[derive(Debug)]
pub(crate) struct Listing {
    bytes: Vec<u8>,
    /// The key of each item and where its bytes end.
    items: Vec<(Arc<str>, usize)>,
}

/// A stretch of a list.
#[derive(Debug)]
pub(crate) struct Page<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) next: Option<String>,
}

impl Listing {
    pub(crate) fn new(kind: Kind, set: &Set, revision: Revision) -> Listing {
        let mut listing = Listing { bytes: Vec::new(), items: Vec::new() };
        for entry in set.iter().filter(|entry| !entry.policy.hidden) {
            if !listing.bytes.is_empty() {
                listing.bytes.push(b',');
            }
            push_object(&mut listing.bytes, &entry.definition, fields_of(kind), revision);
            listing.items.push((Arc::clone(&entry.key), listing.bytes.len()));
        }
        listing
    }

    /// The page that starts behind `cursor`, or at the start. `size` 0 is everything.
    pub(crate) fn page(&self, list: &str, cursor: Option<Cursor>, size: usize) -> Page<'_> {
        let first = cursor.map_or(0, |cursor| self.position_behind(list, cursor));
        let end = if size == 0 {
            self.items.len()
        } else {
            self.items.len().min(first.saturating_add(size))
        };
        let from = match first.checked_sub(1) {
            Some(before) => self.end_of(before) + 1,
            None => 0,
        };
        let to = end.checked_sub(1).map_or(0, |last| self.end_of(last));
        let last = end.checked_sub(1).and_then(|last| self.items.get(last));
        let next = last.filter(|_| end < self.items.len()).map(|(key, _)| {
            Cursor::behind(list, u32::try_from(end).unwrap_or(u32::MAX), key).encode(list)
        });
        Page { bytes: self.bytes.get(from..to).unwrap_or_default(), next }
    }

    fn end_of(&self, item: usize) -> usize {
        self.items.get(item).map_or(self.bytes.len(), |(_, end)| *end)
    }

    /// The list may have changed since the cursor was made: go by the item, then by its place.
    fn position_behind(&self, list: &str, cursor: Cursor) -> usize {
        let place = cursor.position as usize;
        let at_place = place.checked_sub(1).and_then(|before| self.items.get(before));
        if at_place.is_some_and(|(key, _)| cursor.is_behind(list, key)) {
            return place;
        }
        let moved = self.items.iter().position(|(key, _)| cursor.is_behind(list, key));
        moved.map_or(place.min(self.items.len()), |position| position + 1)
    }
}
