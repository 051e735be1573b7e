//! Request ids: strings or integers, kept as the text they came in.

use crate::json::{Plain, Str, is_integer};
use crate::registry::name_hash;

/// A request id as its JSON text, so that it goes back exactly as it came.
///
/// `1` and `"1"` are different texts and so never equal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Id<'a>(&'a str);

impl<'a> Id<'a> {
    /// The id whose JSON text is `json`, unless that is neither a string nor an integer.
    pub(crate) fn from_json(json: &'a str) -> Option<Id<'a>> {
        (json.starts_with('"') || is_integer(json)).then_some(Id(json))
    }

    /// The id whose JSON text is known to be one.
    #[inline]
    pub(crate) fn from_known(json: &'a str) -> Id<'a> {
        Id(json)
    }

    #[inline]
    pub(crate) fn as_json(self) -> &'a str {
        self.0
    }

    /// A number that is the same for ids that match.
    #[inline]
    pub(crate) fn digest(self) -> u64 {
        match self.0.as_bytes() {
            [b'"', ..] => self.digest_of_string(),
            // A number of few digits is its own digest.
            digits if digits.len() <= 8 => Plain::new(digits).head(),
            _ => name_hash(self.0),
        }
    }

    #[inline(never)]
    fn digest_of_string(self) -> u64 {
        match Str::from_json(self.0).filter(|text| text.plain().is_none()) {
            Some(escaped) => name_hash(&format!("\"{}\"", escaped.decode())),
            None => name_hash(self.0),
        }
    }

    /// Whether both name the same request: equal text, or strings that differ only in escapes.
    pub(crate) fn matches(self, other: Id<'_>) -> bool {
        if self.0 == other.0 {
            return true;
        }
        match (Str::from_json(self.0), Str::from_json(other.0)) {
            (Some(one), Some(two)) if one.plain().is_none() || two.plain().is_none() => {
                one.decode() == two.decode()
            }
            _ => false,
        }
    }
}
