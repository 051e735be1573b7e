//! The maps of the compiler. Every type of a map is kilobytes of code, so that there are two: what is found
//! by a name or by a place is a number, mostly of an element in a list.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// Numbers by name.
#[derive(Default)]
pub(in super::super) struct NameIndex<'t>(BTreeMap<Cow<'t, str>, u32>);

impl<'t> NameIndex<'t> {
    /// Gives `name` a number; what it had before is replaced and returned.
    #[inline(never)]
    pub(in super::super) fn insert(&mut self, name: Cow<'t, str>, number: usize) -> Option<usize> {
        self.0.insert(name, number as u32).map(|before| before as usize)
    }

    #[inline(never)]
    pub(in super::super) fn get(&self, name: &str) -> Option<usize> {
        self.0.get(name).map(|number| *number as usize)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// Document and byte offset.
pub(in super::super) type Location = (u32, usize);

/// Numbers by location.
#[derive(Default)]
pub(in super::super) struct LocationIndex(BTreeMap<Location, u32>);

impl LocationIndex {
    /// Gives `location` a number; what it had before is replaced and returned.
    #[inline(never)]
    pub(in super::super) fn insert(&mut self, location: Location, number: usize) -> Option<usize> {
        self.0.insert(location, number as u32).map(|before| before as usize)
    }

    #[inline(never)]
    pub(in super::super) fn get(&self, location: Location) -> Option<usize> {
        self.0.get(&location).map(|number| *number as usize)
    }

    /// The numbers in one document, by offset.
    pub(super) fn of_document(&self, document: u32) -> impl Iterator<Item = usize> {
        let all = (document, 0)..=(document, usize::MAX);
        self.0.range(all).map(|(_, number)| *number as usize)
    }
}

/// The first name that stands twice.
pub(super) fn twice<'n>(mut names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let mut seen = NameIndex::default();
    names.find(|name| seen.insert(Cow::Borrowed(name), 0).is_some())
}
