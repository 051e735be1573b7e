//! Where the members of an object stand, noted while it was read, so that it need not be searched for them.

use super::reader::Reader;
use super::string::{Str, is_same};

/// The first members of one object whose names are written without escapes.
///
/// Offsets count from the start of the object, so that they hold for every copy of its text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Positions {
    members: [Position; MAX],
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Member<'a> {
    /// The JSON text of its value.
    Value(&'a str),
    Absent,
    /// The object has to be searched.
    Unknown,
}

/// How many members are noted: more than most tools have, and little to copy.
const MAX: usize = 8;

impl Positions {
    /// Notes a member of the object that starts at `base`: its name begins with the quote at `name` and
    /// ends with the colon before `value`.
    #[inline(always)]
    pub(crate) fn note(&mut self, base: usize, name: usize, value: usize, end: usize) {
        if let Some(slot) = self.members.get_mut(self.count as usize) {
            // Messages are far shorter than what 32 bits count, see `limits.rs`.
            let offset = |at: usize| at.wrapping_sub(base) as u32;
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

    /// Knows nothing any more.
    pub(crate) fn clear(&mut self) {
        self.count = 0;
        self.is_complete = false;
        self.may_escape = true;
    }

    /// The member `name` of the object `json`.
    #[inline]
    pub(crate) fn find<'a>(&self, json: &'a str, name: &str) -> Member<'a> {
        let bytes = json.as_bytes();
        let known = self.members.get(..self.count as usize).unwrap_or_default();
        for Position { name: quote, value, end } in known {
            let (start, value) = (*quote as usize + 1, *value as usize);
            let is_it = value.wrapping_sub(start) == name.len() + 2
                && bytes.get(start..value - 2).is_some_and(|own| is_same(own, name.as_bytes()));
            if is_it {
                let value = json.get(value..*end as usize).map(trimmed);
                return value.map_or(Member::Unknown, Member::Value);
            }
        }
        if self.is_complete { Member::Absent } else { Member::Unknown }
    }

    /// The string that a value of this object is, if it is one.
    #[inline]
    pub(crate) fn string<'a>(&self, value: &'a str) -> Option<Str<'a>> {
        if self.may_escape {
            return Str::from_json(value);
        }
        Some(Str::of_plain(value.strip_prefix('"')?.strip_suffix('"')?))
    }
}

/// Without the white space around it, of which there hardly ever is any.
#[inline]
fn trimmed(value: &str) -> &str {
    match value.as_bytes() {
        [first, .., last] if *first > b' ' && *last > b' ' => value,
        _ => value.trim_matches([' ', '\t', '\r', '\n']),
    }
}
