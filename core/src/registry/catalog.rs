//! The snapshot that a message works on: options, hooks, items, and the lists made of them.
//!
//! Messages take a reference and are not disturbed by changes. A change copies the snapshot only if
//! somebody holds the old one.

use std::sync::{Arc, OnceLock};

use super::entry::Entry;
use super::item::Kind;
use super::listing::Listing;
use super::set::Set;
use crate::hooks::Hooks;
use crate::model::implementation;
use crate::model::result::ResultEnd;
use crate::options::Options;
use crate::revision::Revision;

/// Everything about a server that a change replaces. Every message reads it, so that no neighbour in memory may
/// be something that a message writes: threads of other sessions would wait for each other.
#[derive(Clone, Debug)]
#[repr(align(128))]
pub(crate) struct Catalog {
    pub(crate) options: Arc<Options>,
    pub(crate) hooks: Hooks,
    sets: [Set; Kind::COUNT],
    /// Kinds that have had an item. They stay announced: a client that saw the capability may list.
    offered: [bool; Kind::COUNT],
    listings: [[OnceLock<Arc<Listing>>; Kind::COUNT]; Revision::ALL.len()],
    identities: [OnceLock<Arc<str>>; Revision::ALL.len()],
    signature: String,
    usual_end: OnceLock<Vec<u8>>,
}

/// Where an item stands in the catalog in which it was found. A call keeps this instead of a reference of
/// its own, of which there is one count for all threads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    kind: Kind,
    position: usize,
}

/// An item and its place.
#[derive(Clone, Copy)]
pub(crate) struct Found<'c> {
    pub(crate) entry: &'c Entry,
    pub(crate) place: Place,
}

impl Catalog {
    pub(crate) fn new(options: Options) -> Catalog {
        Catalog {
            signature: implementation::sign(&options),
            options: Arc::new(options),
            hooks: Hooks::default(),
            sets: Default::default(),
            offered: Default::default(),
            listings: Default::default(),
            identities: Default::default(),
            usual_end: OnceLock::new(),
        }
    }

    /// Puts new options in the place of `old`, unless somebody else has changed them meanwhile.
    pub(crate) fn swap_options(&mut self, old: &Arc<Options>, new: &Arc<Options>) -> bool {
        if !Arc::ptr_eq(&self.options, old) {
            return false;
        }
        self.signature = implementation::sign(new);
        self.options = Arc::clone(new);
        self.identities = Default::default();
        self.usual_end = OnceLock::new();
        true
    }

    /// Adds an entry; `replace` says whether one of that key may or may not exist. Gives back the old
    /// one or the refused one: the host's code in it must not be dropped under a lock.
    pub(crate) fn put(
        &mut self,
        kind: Kind,
        entry: Arc<Entry>,
        replace: bool,
    ) -> Result<Option<Arc<Entry>>, Arc<Entry>> {
        let set = self.set_mut(kind);
        if !replace && set.get(&entry.key).is_some() {
            return Err(entry);
        }
        let old = set.put(entry);
        if let Some(offered) = self.offered.get_mut(kind as usize) {
            *offered = true;
        }
        self.forget_listings(kind);
        Ok(old)
    }

    /// Forgets every item and hook; gives them back, to be dropped when no lock is held.
    pub(crate) fn clear(&mut self) -> Catalog {
        let empty = Catalog {
            options: Arc::clone(&self.options),
            signature: self.signature.clone(),
            hooks: Hooks::default(),
            sets: Default::default(),
            offered: self.offered,
            listings: Default::default(),
            identities: Default::default(),
            usual_end: OnceLock::new(),
        };
        std::mem::replace(self, empty)
    }

    /// Puts `new` in the place of `old`, unless somebody else has changed that meanwhile.
    pub(crate) fn swap_entry(&mut self, kind: Kind, old: &Arc<Entry>, new: &Arc<Entry>) -> bool {
        if !self.get(kind, &old.key).is_some_and(|entry| Arc::ptr_eq(entry, old)) {
            return false;
        }
        // The caller holds the old one, so that it is not dropped here.
        drop(self.set_mut(kind).put(Arc::clone(new)));
        self.forget_listings(kind);
        true
    }

    pub(crate) fn remove(&mut self, kind: Kind, key: &str) -> Option<Arc<Entry>> {
        let gone = self.set_mut(kind).remove(key)?;
        self.forget_listings(kind);
        Some(gone)
    }

    pub(crate) fn get(&self, kind: Kind, key: &str) -> Option<&Arc<Entry>> {
        self.set(kind).get(key)
    }

    pub(crate) fn iter(&self, kind: Kind) -> impl Iterator<Item = &Arc<Entry>> {
        self.set(kind).iter()
    }

    /// Where the item of that name stands.
    #[inline]
    pub(crate) fn find(&self, kind: Kind, key: &str) -> Option<Found<'_>> {
        self.find_raw(kind, key.as_bytes())
    }

    /// The same for a name as bytes.
    #[inline(always)]
    pub(crate) fn find_raw(&self, kind: Kind, key: &[u8]) -> Option<Found<'_>> {
        self.at(kind, self.set(kind).position(key)?)
    }

    /// All items of a kind, with where they stand.
    pub(crate) fn places(&self, kind: Kind) -> impl Iterator<Item = Found<'_>> {
        (0..).map_while(move |position| self.at(kind, position))
    }

    /// What stands around the engine, if anything does.
    #[inline]
    pub(crate) fn around(&self) -> Option<Found<'_>> {
        self.at(Kind::Around, 0)
    }

    /// The item at a place of this catalog.
    #[inline]
    pub(crate) fn entry(&self, place: Place) -> Option<&Entry> {
        self.set(place.kind).at(place.position).map(Arc::as_ref)
    }

    #[inline]
    fn at(&self, kind: Kind, position: usize) -> Option<Found<'_>> {
        let entry = self.set(kind).at(position)?;
        Some(Found { entry, place: Place { kind, position } })
    }

    /// Whether anything of the kind has ever been registered.
    pub(crate) fn has_offered(&self, kind: Kind) -> bool {
        self.offered.get(kind as usize).copied().unwrap_or_default()
    }

    /// The list of a kind as `revision` writes it, made once.
    pub(crate) fn listing(&self, kind: Kind, revision: Revision) -> Arc<Listing> {
        let make = || Arc::new(Listing::new(kind, self.set(kind), revision));
        let slot = self.listings.get(revision as usize).and_then(|row| row.get(kind as usize));
        slot.map_or_else(make, |slot| Arc::clone(slot.get_or_init(make)))
    }

    /// The server's `Implementation` object as `revision` writes it, made once.
    pub(crate) fn identity(&self, revision: Revision) -> Arc<str> {
        let make = || implementation::describe(&self.options, revision).into();
        let slot = self.identities.get(revision as usize);
        slot.map_or_else(make, |slot| Arc::clone(slot.get_or_init(make)))
    }

    /// The shortest `Implementation` object, which goes into every modern result.
    pub(crate) fn signature(&self) -> &str {
        &self.signature
    }

    /// What a modern result without anything special ends with, made once.
    #[inline]
    pub(crate) fn usual_end(&self) -> &[u8] {
        self.usual_end.get_or_init(|| ResultEnd::usual(self))
    }

    fn forget_listings(&mut self, kind: Kind) {
        for row in &mut self.listings {
            if let Some(slot) = row.get_mut(kind as usize) {
                *slot = OnceLock::new();
            }
        }
    }

    #[expect(clippy::indexing_slicing, reason = "the array has one set for each kind")]
    fn set(&self, kind: Kind) -> &Set {
        &self.sets[kind as usize]
    }

    #[expect(clippy::indexing_slicing, reason = "the array has one set for each kind")]
    fn set_mut(&mut self, kind: Kind) -> &mut Set {
        &mut self.sets[kind as usize]
    }
}
