//! Properties of characters, as `\p{...}` names them.

use super::charset::CharSet;
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
    match name {
        "Any" => Ok(CharSet::default().negated()),
        "ASCII" => Ok(CharSet::union(vec![(0, 0x7F)])),
        "Assigned" => Ok(in_categories(categories("Cn").unwrap_or(0)).negated()),
        "White_Space" | "space" => Ok(CharSet::union(WHITE_SPACE.to_vec())),
        _ => {
            let reason = "this property is not supported: write ranges, a general category such \
                          as \\p{L} or \\p{Lu}, White_Space, Assigned, ASCII or Any";
            Err(PatternError::unsupported(offset, reason))
        }
    }
}

const WHITE_SPACE: [(u32, u32); 10] = [
    (0x09, 0x0D),
    (0x20, 0x20),
    (0x85, 0x85),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
];

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
