//! The words of messages. They are for a language model that has to correct its call.

use super::arena::Side;
use crate::json::quoted;

/// How many names or values a message lists.
const MAX_LISTED: usize = 12;

/// How many characters of one name or value a message shows.
const MAX_SHOWN: usize = 60;

/// At most `max` characters of a text.
pub(super) fn clipped(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or("")),
        None => text.to_owned(),
    }
}

/// A name or value of the client's in quotes.
pub(super) fn named(name: &str) -> String {
    quoted(&clipped(name, MAX_SHOWN))
}

/// A value as it stands in the text.
pub(super) fn shown(json: &str) -> String {
    clipped(json, MAX_SHOWN)
}

/// Values one after the other, the first few of them.
pub(super) fn listed(values: impl ExactSizeIterator<Item = String>) -> String {
    let count = values.len();
    let mut list = String::new();
    for (number, value) in values.take(MAX_LISTED).enumerate() {
        if number > 0 {
            list.push_str(", ");
        }
        list.push_str(&shown(&value));
    }
    if count > MAX_LISTED {
        list.push_str(&format!(" and {} more", count - MAX_LISTED));
    }
    list
}

/// What a bound demands of a number.
pub(super) fn bound(side: Side, limit: &str, value: &str) -> String {
    let demand = match side {
        Side::AtLeast => "at least",
        Side::Above => "greater than",
        Side::AtMost => "at most",
        Side::Below => "less than",
    };
    format!("must be {demand} {}, but is {}", shown(limit), shown(value))
}

/// The keyword of a bound.
pub(super) fn bound_keyword(side: Side) -> &'static str {
    match side {
        Side::AtLeast => "minimum",
        Side::Above => "exclusiveMinimum",
        Side::AtMost => "maximum",
        Side::Below => "exclusiveMaximum",
    }
}

/// A number of things.
pub(super) fn counted(count: u64, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}
