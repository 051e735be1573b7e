//! Where the members of an object stand, noted while it was read, so that it need not be searched for them.

use std::ops::Range;

use super::reader::Reader;
use super::string::{Str, is_same};

/// The first members of one object whose names are written without escapes.
///
/// Offsets count from a place of the text that the object is in, so that they hold for every copy of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Positions {
    members: [Position; MAX],
    /// What offsets count from.
    base: u32,
    count: u32,
    /// The object has no members but those.
    is_complete: bool,
    /// A string in the object may have an escape.
    may_escape: bool,
}

/// Where one member stands.
#[derive(Clone, Copy, Debug, Default)]
struct Position {
    /// The opening quote of its name.
    name: u32,
    /// Behind the colon, which stands right behind the name.
    value: u32,
    /// Behind the value, perhaps by some white space.
    end: u32,
}

/// What is known of one member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Member {
    /// Where the JSON text of its value stands, perhaps with white space around it.
    At(Range<usize>),
    Absent,
    /// The object has to be searched.
    Unknown,
}

/// How many members are noted: more than most tools have, and little to copy.
const MAX: usize = 8;

impl Positions {
    /// Forgets everything. What is noted from now on counts from `base`.
    #[inline]
    pub(crate) fn clear(&mut self, base: usize) {
        // Messages are far shorter than what 32 bits count, see `limits.rs`.
        self.base = base as u32;
        self.count = 0;
        self.is_complete = false;
        self.may_escape = true;
    }

    /// Notes a member: its name begins with the quote at `name` and ends with the colon before `value`.
    #[inline(always)]
    pub(crate) fn note(&mut self, name: usize, value: usize, end: usize) {
        if let Some(slot) = self.members.get_mut(self.count as usize) {
            let offset = |at: usize| (at as u32).wrapping_sub(self.base);
            *slot = Position { name: offset(name), value: offset(value), end: offset(end) };
            self.count += 1;
        }
    }

    /// The object has been read to its end, and had so many members.
    #[inline(always)]
    pub(crate) fn finish(&mut self, members: u64, reader: &Reader<'_>) {
        self.is_complete = u64::from(self.count) == members;
        self.may_escape = reader.has_met_escapes();
    }

    /// The member `name` of the object in `text`, which starts where offsets count from.
    #[inline(always)]
    pub(crate) fn find(&self, text: &str, name: &str) -> Member {
        let bytes = text.as_bytes();
        let known = self.members.get(..self.count as usize).unwrap_or_default();
        for position in known {
            let (start, value) = (position.name as usize + 1, position.value as usize);
            if value == start + name.len() + 2
                && bytes.get(start..value - 2).is_some_and(|own| is_same(own, name.as_bytes()))
            {
                return Member::At(value..position.end as usize);
            }
        }
        if self.is_complete { Member::Absent } else { Member::Unknown }
    }

    /// The string that stands there in `text`, if it is one.
    #[inline(always)]
    pub(crate) fn string<'a>(&self, text: &'a str, at: Range<usize>) -> Option<Str<'a>> {
        match text.as_bytes().get(at.clone())? {
            [b'"', .., b'"'] if !self.may_escape => {
                text.get(at.start + 1..at.end - 1).map(Str::of_plain)
            }
            _ => Str::from_json(value_at(text, at)?),
        }
    }
}

/// The value that stands there in `text`, without the white space around it, of which there hardly ever is any.
#[inline]
pub(crate) fn value_at(text: &str, at: Range<usize>) -> Option<&str> {
    let value = text.get(at)?;
    match value.as_bytes() {
        [first, .., last] if *first > b' ' && *last > b' ' => Some(value),
        _ => Some(value.trim_matches([' ', '\t', '\r', '\n'])),
    }
}
