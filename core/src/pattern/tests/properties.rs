//! Properties are those of Unicode. `UPDATE=1` rewrites the table of general categories.

#![expect(clippy::disallowed_methods, reason = "the test reads and writes a table")]

use regex_syntax::hir::{Class, HirKind};

use crate::pattern::charset::{CharSet, LAST};
use crate::pattern::property::{CATEGORIES, RUNS, property};

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/pattern/general_category.bin");
const SURROGATES: (u32, u32) = (0xD800, 0xDFFF);

/// The ranges of a property in the tables of another library, which has no surrogates.
fn judged(name: &str) -> Vec<(u32, u32)> {
    let hir = regex_syntax::parse(&format!(r"\p{{{name}}}")).unwrap();
    match hir.into_kind() {
        HirKind::Class(Class::Unicode(class)) => {
            let ranges = class.ranges().iter();
            ranges.map(|range| (range.start().into(), range.end().into())).collect()
        }
        HirKind::Literal(one) => {
            let text = std::str::from_utf8(&one.0).unwrap();
            text.chars().map(|character| (character.into(), character.into())).collect()
        }
        other => panic!("{name} is {other:?}"),
    }
}

/// The table as it should be.
fn encoded() -> Vec<u8> {
    let mut runs = vec![(SURROGATES, 0)];
    for (number, (short, _)) in CATEGORIES.into_iter().enumerate() {
        if short == "Cs" {
            runs[0].1 = number as u8;
        } else {
            runs.extend(judged(short).into_iter().map(|range| (range, number as u8)));
        }
    }
    runs.sort_unstable();
    let mut bytes = Vec::new();
    let mut next = 0;
    for ((first, last), category) in runs {
        assert_eq!(first, next, "every code point has one category");
        next = last + 1;
        let length = last - first;
        bytes.push(category << 3 | length.min(7) as u8);
        let mut rest = length.checked_sub(7);
        while let Some(low) = rest {
            rest = Some(low >> 7).filter(|high| *high > 0);
            let more = if rest.is_some() { 0x80 } else { 0 };
            bytes.push((low & 0x7F) as u8 | more);
        }
    }
    assert_eq!(next, LAST + 1);
    bytes
}

#[test]
fn the_table_of_general_categories_is_up_to_date() {
    let table = encoded();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(TABLE, table).unwrap();
    } else {
        assert!(RUNS == table, "run `make update-unicode`");
    }
}

#[test]
fn categories_and_their_groups_are_those_of_unicode() {
    let names = CATEGORIES.iter().flat_map(|(short, long)| [*short, *long]);
    let groups = ["L", "Letter", "LC", "M", "Mark", "N", "P", "punct", "S", "Z", "Separator"];
    let others = ["digit", "cntrl", "Combining_Mark", "Number", "Symbol", "Punctuation"];
    for name in names.chain(groups).chain(others) {
        if ["Cs", "Surrogate"].contains(&name) {
            assert_eq!(property(name, 0).unwrap().ranges(), [SURROGATES]);
            continue;
        }
        let expected = CharSet::union(judged(name));
        for spelling in [name.to_owned(), format!("gc={name}"), format!("General_Category={name}")]
        {
            assert!(property(&spelling, 0).unwrap() == expected, "{spelling}");
        }
    }
    let mut other = judged("C");
    other.push(SURROGATES);
    assert!(property("Other", 0).unwrap() == CharSet::union(other));
    let mut assigned = CharSet::union(judged("Cn")).negated().ranges().to_vec();
    assigned.push(SURROGATES);
    assert!(property("Assigned", 0).unwrap() == CharSet::union(assigned));
}

#[test]
fn names_that_are_not_those_of_unicode_are_refused() {
    for name in
        ["", "l", "lu", "IsL", "Latin", "Script=Latin", "gc=", "gc=Any", "LX", " L", "Emoji"]
    {
        assert!(property(name, 3).is_err_and(|error| error.is_unsupported()), "{name}");
    }
}

#[test]
fn white_space_is_that_of_the_standard_library() {
    let set = property("White_Space", 0).unwrap();
    let has = |code: u32| set.ranges().iter().any(|(first, last)| (*first..=*last).contains(&code));
    for code in 0..=char::MAX as u32 {
        assert_eq!(char::from_u32(code).is_some_and(char::is_whitespace), has(code), "{code:x}");
    }
}
