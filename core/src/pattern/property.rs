//! Properties of characters, as `\p{...}` names them.

use std::sync::OnceLock;

use super::charset::{CharSet, LAST};
use super::error::PatternError;

/// The general category of every code point, as runs in ascending order.
///
/// Each begins with a byte: the number of its category in the upper five bits, and its length less
/// one in the lower three. Seven there means that the rest of the length follows, seven bits a byte
/// from the lowest, with the top bit set in all but the last. `make update-unicode` writes the file.
pub(super) const RUNS: &[u8] = include_bytes!("general_category.bin");

/// The general categories of Unicode, by short and long name, in the order of their numbers.
pub(super) const CATEGORIES: [(&str, &str); 30] = [
    ("Lu", "Uppercase_Letter"),
    ("Ll", "Lowercase_Letter"),
    ("Lt", "Titlecase_Letter"),
    ("Lm", "Modifier_Letter"),
    ("Lo", "Other_Letter"),
    ("Mn", "Nonspacing_Mark"),
    ("Mc", "Spacing_Mark"),
    ("Me", "Enclosing_Mark"),
    ("Nd", "Decimal_Number"),
    ("Nl", "Letter_Number"),
    ("No", "Other_Number"),
    ("Pc", "Connector_Punctuation"),
    ("Pd", "Dash_Punctuation"),
    ("Ps", "Open_Punctuation"),
    ("Pe", "Close_Punctuation"),
    ("Pi", "Initial_Punctuation"),
    ("Pf", "Final_Punctuation"),
    ("Po", "Other_Punctuation"),
    ("Sm", "Math_Symbol"),
    ("Sc", "Currency_Symbol"),
    ("Sk", "Modifier_Symbol"),
    ("So", "Other_Symbol"),
    ("Zs", "Space_Separator"),
    ("Zl", "Line_Separator"),
    ("Zp", "Paragraph_Separator"),
    ("Cc", "Control"),
    ("Cf", "Format"),
    ("Cs", "Surrogate"),
    ("Co", "Private_Use"),
    ("Cn", "Unassigned"),
];

/// The characters with a property of Unicode.
pub(super) fn property(name: &str, offset: usize) -> Result<CharSet, PatternError> {
    let category = name.strip_prefix("General_Category=").or_else(|| name.strip_prefix("gc="));
    if let Some(mask) = categories(category.unwrap_or(name)) {
        return Ok(in_categories(mask));
    }
    let scanned = match name {
        "Any" => return Ok(CharSet::default().negated()),
        "ASCII" => return Ok(CharSet::union(vec![(0, 0x7F)])),
        "Assigned" => return Ok(in_categories(categories("Cn").unwrap_or(0)).negated()),
        "Alphabetic" | "Alpha" => &ALPHABETIC,
        "Lowercase" | "Lower" => &LOWERCASE,
        "Uppercase" | "Upper" => &UPPERCASE,
        "White_Space" | "space" => &WHITE_SPACE,
        _ => {
            let reason = "this property is not supported: write ranges, a general category such \
                          as \\p{L}, Alphabetic, Lowercase, Uppercase, White_Space, Assigned, ASCII \
                          or Any";
            return Err(PatternError::unsupported(offset, reason));
        }
    };
    Ok(scanned.set.get_or_init(|| scan(scanned.has)).clone())
}

/// A property that every character is asked for. That takes milliseconds, so that it happens once,
/// however many patterns name it.
struct Scanned {
    has: fn(char) -> bool,
    set: OnceLock<CharSet>,
}

static ALPHABETIC: Scanned = Scanned { has: char::is_alphabetic, set: OnceLock::new() };
static LOWERCASE: Scanned = Scanned { has: char::is_lowercase, set: OnceLock::new() };
static UPPERCASE: Scanned = Scanned { has: char::is_uppercase, set: OnceLock::new() };
static WHITE_SPACE: Scanned = Scanned { has: char::is_whitespace, set: OnceLock::new() };

/// The categories that a name stands for, a bit for each.
fn categories(name: &str) -> Option<u32> {
    // Groups have the first letter of their members.
    let short = match name {
        "Letter" => "L",
        "Cased_Letter" => "LC",
        "Mark" | "Combining_Mark" => "M",
        "Number" => "N",
        "Punctuation" | "punct" => "P",
        "Symbol" => "S",
        "Separator" => "Z",
        "Other" => "C",
        "digit" => "Nd",
        "cntrl" => "Cc",
        other => other,
    };
    let mut mask = 0;
    for (number, (category, long)) in CATEGORIES.iter().enumerate() {
        let in_group = short.len() == 1 && category.starts_with(short);
        let cased = short == "LC" && number < 3;
        if in_group || cased || *category == short || *long == short {
            mask |= 1 << number;
        }
    }
    (mask != 0).then_some(mask)
}

/// The code points in the categories of a mask.
fn in_categories(mask: u32) -> CharSet {
    let mut ranges = Vec::new();
    let mut first = 0;
    let mut bytes = RUNS.iter();
    while let Some(&head) = bytes.next() {
        let mut length = u32::from(head & 7) + 1;
        if head & 7 == 7 {
            let mut shift = 0;
            for &byte in bytes.by_ref() {
                length += u32::from(byte & 0x7F) << shift;
                shift += 7;
                if byte < 0x80 {
                    break;
                }
            }
        }
        if mask >> (head >> 3) & 1 == 1 {
            ranges.push((first, first + length - 1));
        }
        first += length;
    }
    CharSet::union(ranges)
}

/// The characters of which something is true.
fn scan(has: impl Fn(char) -> bool) -> CharSet {
    let codes = (0..=LAST).filter(|&code| char::from_u32(code).is_some_and(&has));
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for code in codes {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == code => *last = code,
            _ => ranges.push((code, code)),
        }
    }
    CharSet::union(ranges)
}
