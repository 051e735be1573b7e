use super::{Both, compiled};
use crate::pattern::Pattern;
use crate::pattern::error::PatternError;
use crate::pattern::matcher::MAX_SOURCE;
use crate::pattern::parser::MAX_DEPTH;
use crate::pattern::program::MAX_INSTRUCTIONS;
use crate::pattern::simulation::MAX_SIMULATED;
use crate::pattern::table::{MAX_CELLS, MAX_STEPS, Table};

const MEGABYTE: usize = 1_000_000;

/// What making the table of a pattern takes, and whether there is one in the end.
fn table_steps(source: &str) -> (usize, bool) {
    let program = Pattern::parse(source).unwrap();
    let mut steps = 0;
    let made = Table::within(&program, MAX_STEPS, &mut steps).is_some();
    (steps, made)
}

fn refusal(source: &str) -> PatternError {
    compiled(source).expect_err("too large")
}

#[test]
fn a_pattern_is_shared_between_threads() {
    fn is_shared<T: Send + Sync + 'static>() {}
    is_shared::<Pattern>();
    is_shared::<PatternError>();
}

#[test]
fn memory_grows_with_the_pattern_within_bounds() {
    let small = compiled("^a$").unwrap().memory();
    let large = compiled("^[a-z]{1,500}$").unwrap().memory();
    assert!(
        small > 500 && large > small + 500 * 2 * 2 && large < small + 8_192,
        "{small}, {large}"
    );
    let largest = compiled("^[a-z]{1,8000}$").unwrap().memory();
    assert!((MAX_CELLS..2 * MAX_CELLS + 8_192).contains(&largest), "{largest}");
}

#[test]
fn usual_patterns_become_tables_in_few_steps() {
    for (source, most) in [
        ("^[a-z0-9_-]{1,64}$", 2_000),
        (r"^\d{4}-\d{2}-\d{2}$", 500),
        (r"^[\w-\.]+@([\w-]+\.)+[\w-]{2,4}$", 2_000),
        ("^[^\\s]+$", 100),
        ("^.{0,4000}$", 200_000),
        ("(a+)+$", 100),
        ("^(([a-z])+.)+[A-Z]([a-z])+$", 1_000),
        ("(a|a)*b", 100),
        ("(a|a?)+b", 100),
        ("(.*)*(.*)*(.*)*x$", 500),
        ("a{64}", 20_000),
    ] {
        let (steps, made) = table_steps(source);
        assert!(made && steps <= most, "{source}: {steps} steps, made: {made}");
    }
}

#[test]
fn a_table_that_explodes_is_given_up_and_the_pattern_simulated() {
    for source in ["[ab]*a[ab]{20}c", "a.{200}b", r"\b[\w.]{300}\b-"] {
        let (steps, made) = table_steps(source);
        assert!(!made && steps <= MAX_STEPS + 2 * MAX_INSTRUCTIONS, "{source}: {steps}, {made}");
        assert!(compiled(source).is_ok(), "{source}");
    }
    let pattern = Both::new("[ab]*a[ab]{20}c");
    assert!(pattern.table.is_none());
    assert!(pattern.is_match(&format!("xx{}bc", "ab".repeat(30))));
    assert!(!pattern.is_match(&format!("xx{}c", "ab".repeat(30))));
}

#[test]
fn counts_are_bounded_by_what_they_become() {
    assert!(compiled(&format!("^a{{{}}}$", MAX_INSTRUCTIONS / 2)).is_ok());
    for source in [
        format!("^a{{{MAX_INSTRUCTIONS}}}$"),
        "(a{1000}){1000}".to_owned(),
        "((((a{100}){100}){100}){100}){100}".to_owned(),
        "a{99999999999999999999}".to_owned(),
        "a{0,4294967295}".to_owned(),
        "a{4294967295,}".to_owned(),
        "(?:a{4294967295}){4294967295}".to_owned(),
        format!("[ab]*a[ab]{{{MAX_SIMULATED}}}c"),
    ] {
        let error = refusal(&source);
        assert!(error.is_too_large(), "{source}: {error}");
    }
}

#[test]
fn different_sets_are_bounded() {
    let letters = |count: u32| (0..count).filter_map(|i| char::from_u32(0x4E00 + 2 * i));
    assert!(compiled(&letters(500).collect::<String>()).is_ok());
    assert!(refusal(&letters(600).collect::<String>()).is_too_large());
    let negated: String = letters(600).map(|letter| format!("[^{letter}]")).collect();
    assert!(refusal(&negated).is_too_large());
    let symbols = (0x2200..0x2300).filter_map(char::from_u32);
    let properties: String = symbols.map(|symbol| format!("[\\p{{L}}{symbol}]")).collect();
    assert!(refusal(&properties).is_too_large());
    assert!(compiled(&"\\p{L}".repeat(1_000)).is_ok());
    let class = |count| format!("[{}]", "\\p{L}".repeat(count));
    assert!(compiled(&class(50)).is_ok());
    assert!(refusal(&class(1_000)).is_too_large());
    assert!(refusal(&class(10).repeat(100)).is_too_large());
    let one_class: String = letters(4_000).collect();
    assert!(compiled(&format!("^[{one_class}]$")).is_ok());
}

#[test]
fn characters_that_are_told_apart_are_bounded() {
    // Each character is in a different selection of the classes: the bits of its number.
    let numbered = |count: u32| -> String {
        let class = |bit: u32| -> String {
            let members = (1..=count).filter(|number| number >> bit & 1 == 1);
            members.filter_map(|number| char::from_u32(0x100 + number)).collect()
        };
        (0..11).map(|bit| format!("[{}]", class(bit))).collect()
    };
    assert!(compiled(&numbered(1_023)).is_ok());
    assert!(refusal(&numbered(1_024)).to_string().contains("tells too many characters apart"));
}

#[test]
fn sources_and_nesting_are_bounded() {
    let nested = |depth: usize| "(".repeat(depth) + "a" + &")*".repeat(depth);
    assert!(Both::new(&nested(MAX_DEPTH)).is_match("b"));
    let error = refusal(&nested(MAX_DEPTH + 1));
    assert!(error.is_too_large() && error.offset() == MAX_DEPTH, "{error}");
    assert!(compiled(&"a|".repeat(900)).is_ok());
    assert!(compiled(&"a".repeat(MAX_SIMULATED / 2)).is_ok());
    for source in [nested(100_000), "a".repeat(MEGABYTE), "(".repeat(MAX_SOURCE + 1)] {
        assert!(refusal(&source).is_too_large());
    }
    // Refused for what is wrong with them, and before that costs anything.
    for source in ["(".repeat(MAX_SOURCE), "(?:".repeat(5_000), "[".repeat(MAX_SOURCE)] {
        assert!(compiled(&source).is_err());
    }
}

#[test]
fn long_texts_take_one_pass() {
    for (source, length, expected) in [
        ("(a+)+$", MEGABYTE, (true, false)),
        ("^(a+)+$", MEGABYTE / 10, (true, false)),
        ("(a|a)*b", MEGABYTE / 10, (false, false)),
        ("(a|aa)+$", MEGABYTE / 10, (true, false)),
        ("^(([a-z])+.)+[A-Z]([a-z])+$", MEGABYTE / 10, (false, false)),
    ] {
        let matching = "a".repeat(length);
        let failing = matching.clone() + "!";
        let pattern = Both::new(source);
        assert!(pattern.table.is_some() && pattern.simulation.is_some());
        assert_eq!((pattern.is_match(&matching), pattern.is_match(&failing)), expected, "{source}");
    }
    let wide = "漢".repeat(MEGABYTE / 3);
    assert!(Both::new("^[^a]*$").is_match(&wide));
    assert!(!Both::new("^漢*é$").is_match(&wide));
}

#[test]
#[expect(clippy::disallowed_types, reason = "a thread with a small stack needs to be started")]
fn a_small_stack_is_enough() {
    let small = std::thread::Builder::new().stack_size(256 * 1024);
    let worker = small.spawn(|| {
        sources_and_nesting_are_bounded();
        counts_are_bounded_by_what_they_become();
        a_table_that_explodes_is_given_up_and_the_pattern_simulated();
    });
    worker.unwrap().join().unwrap();
}
