use std::cmp::Ordering;

use proptest::prelude::*;

use super::equality::{Steps, equal};
use super::names::NameStore;
use super::number::{Divisor, Number};
use super::uri::{percent_decoded, resolve};
use super::*;
use crate::json::{Fault, FaultKind, Plain, Positions, Reader, Short};

fn compile(schema: &str) -> Schema {
    Schema::compile(schema, &CompileOptions::default()).unwrap()
}

#[test]
fn references_resolve_as_the_rfc_says() {
    let base = "http://a/b/c/d;p?q";
    for (reference, expected) in [
        ("g:h", "g:h"),
        ("g", "http://a/b/c/g"),
        ("./g", "http://a/b/c/g"),
        ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"),
        ("//g", "http://g"),
        ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"),
        ("", "http://a/b/c/d;p?q"),
        (".", "http://a/b/c/"),
        ("..", "http://a/b/"),
        ("../g", "http://a/b/g"),
        ("../../g", "http://a/g"),
        ("../../../g", "http://a/g"),
        ("/./g", "http://a/g"),
        ("g;x=1/../y", "http://a/b/c/y"),
    ] {
        assert_eq!(resolve(base, reference), expected, "{reference}");
    }
    assert_eq!(resolve("", "item.json"), "item.json");
    assert_eq!(resolve("folder/x.json", "item.json"), "folder/item.json");
    assert_eq!(resolve("http://a", "g"), "http://a/g");
    assert_eq!(resolve("urn:uuid:1", ""), "urn:uuid:1");
    assert_eq!(percent_decoded("a%25b%c3%a9").as_deref(), Some("a%bé"));
    assert_eq!(percent_decoded("%f"), None);
    assert_eq!(percent_decoded("%ff"), None);
}

#[test]
fn the_reader_ends_behind_the_value_whatever_the_verdict_is() {
    let text = r#"{"x": {"a": [1, "two", {"b": null}]}, "y": 3}"#;
    for (schema, expected) in [
        ("true", Verdict::Valid),
        ("false", Verdict::Invalid),
        (r#"{"properties":{"a":{"items":{"type":"string"}}}}"#, Verdict::Invalid),
        (
            r#"{"properties":{"a":{"contains":{"type":"string"}}},"not":{"type":"array"}}"#,
            Verdict::Valid,
        ),
        (r#"{"anyOf":[{"required":["q"]},{"required":["a"]}]}"#, Verdict::Valid),
        (r#"{"if":{"required":["q"]},"else":{"maxProperties":0}}"#, Verdict::Invalid),
    ] {
        let schema = compile(schema);
        let mut reader = Reader::new(text, 64);
        reader.first_key().unwrap();
        assert_eq!(schema.read(&mut reader, &mut Positions::default()), Ok(expected));
        assert_eq!(reader.next_key().unwrap().unwrap().raw(), "y");
    }
}

#[test]
fn faults_come_out_where_they_stand() {
    let text = r#"[{"a":"no","b":tru}]"#;
    let fault = Err(Fault { at: 18, kind: FaultKind::UnexpectedByte });
    for schema in ["true", "false", r#"{"properties":{"a":{"type":"integer"}}}"#, r#"{"not":{}}"#] {
        let mut reader = Reader::new(text, 64);
        reader.first_element().unwrap();
        assert_eq!(compile(schema).read(&mut reader, &mut Positions::default()), fault, "{schema}");
    }
}

#[test]
fn names_are_found_among_their_like() {
    let mut store = NameStore::default();
    let names: Vec<String> = (0..300).map(|length| "n".repeat(length)).collect();
    let set = store.add(names.iter().map(String::as_str).zip(0..)).unwrap();
    for (place, name) in names.iter().enumerate() {
        let found = store.set(&set).find(&Plain::new(name.as_bytes()));
        assert_eq!(found.map(|(at, entry)| (at, entry.value as usize)), Some((place, place)));
        let other = format!("{name}x");
        assert!(store.set(&set).find(&Plain::new(other.as_bytes())).is_none());
    }
    assert!(store.add([("a", 0), ("b", 1), ("a", 2)].into_iter()).is_none());
    let empty = store.add(std::iter::empty()).unwrap();
    assert!(store.set(&empty).find(&Plain::new(b"")).is_none());
}

#[test]
fn names_that_json_must_escape_are_recognized_in_any_spelling() {
    let schema = compile(
        r#"{"properties":{"a\"\\\n\u0001é":{"type":"integer"}},"additionalProperties":false}"#,
    );
    for name in [r#"a\"\\\n\u0001é"#, r#"\u0061\u0022\u005c\u000a\u0001\u00e9"#] {
        assert!(schema.is_valid(&format!(r#"{{"{name}":1}}"#)));
        assert!(!schema.is_valid(&format!(r#"{{"{name}":""}}"#)));
    }
    assert!(!schema.is_valid(r#"{"a":1}"#));
}

#[test]
fn memory_is_counted() {
    let small = compile(r#"{"type":"object"}"#).memory();
    let large = compile(
        r#"{"properties":{"a":{"minimum":1},"b":{"pattern":"^x"},"c":{"enum":["x","y"]}}}"#,
    );
    assert!(small > 0 && small < 400, "{small}");
    assert!(large.memory() > small + 300 && large.memory() < 8000, "{}", large.memory());
}

#[test]
fn a_schema_can_be_used_by_any_thread() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<Schema>();
}

#[test]
fn the_documentation_names_the_limits() {
    let documentation = include_str!("../../../docs/schemas.md");
    let limits = SchemaLimits::default();
    let grouped = |number: u64| match number {
        0..1000 => number.to_string(),
        1000..1_000_000 => format!("{},{:03}", number / 1000, number % 1000),
        _ => format!("{},{:03},{:03}", number / 1_000_000, number / 1000 % 1000, number % 1000),
    };
    for (name, value) in [
        ("bytes", format!("{} MiB", limits.bytes >> 20)),
        ("depth", grouped(u64::from(limits.depth))),
        ("nodes", grouped(limits.nodes as u64)),
        ("steps", grouped(limits.steps)),
        ("nesting", grouped(u64::from(limits.nesting))),
        ("value_depth", grouped(u64::from(limits.value_depth))),
        ("violations", grouped(limits.violations as u64)),
    ] {
        let row = format!("| `{name}` | {value} |");
        assert!(documentation.contains(&row), "docs/schemas.md lacks {row}");
    }
}

fn decimal() -> impl Strategy<Value = String> {
    "-?(0|[1-9][0-9]{0,6})(\\.[0-9]{1,6})?([eE][+-]?[0-9]{1,2})?"
}

/// The number times 10^12, which makes an integer of any number here.
fn scaled(text: &str) -> i128 {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent: i32 = exponent.parse().unwrap();
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: i128 = format!("{whole}{fraction}").parse().unwrap();
    let power = exponent - i32::try_from(fraction.len()).unwrap() + 12;
    digits * 10_i128.pow(u32::try_from(power).unwrap())
}

proptest! {
    #[test]
    fn numbers_compare_like_integers(
        left in "-?(0|[1-9][0-9]{0,6})(\\.[0-9]{1,5})?([eE][+-]?[0-6])?",
        right in "-?(0|[1-9][0-9]{0,6})(\\.[0-9]{1,5})?([eE][+-]?[0-6])?",
    ) {
        let expected = scaled(&left).cmp(&scaled(&right));
        let (one, other) = (Number::parse(&left), Number::parse(&right));
        prop_assert_eq!(one.compare(&other), expected);
        prop_assert_eq!(one.equals(&other), expected == Ordering::Equal);
        prop_assert_eq!(one.is_integer(), scaled(&left) % 10_i128.pow(12) == 0);
        if expected == Ordering::Equal {
            prop_assert_eq!(one.digest(), other.digest());
        }
        if let (Some(one), Some(other)) = (Short::parse(&left), Short::parse(&right)) {
            prop_assert_eq!(one.compare(other), expected);
            prop_assert_eq!(one.is_integer(), Number::parse(&left).is_integer());
        }
        if let Some(divisor) = Divisor::new(&other) {
            prop_assert_eq!(one.is_multiple_of(&divisor), scaled(&left) % scaled(&right) == 0);
        } else {
            prop_assert!(scaled(&right) <= 0);
        }
    }

    #[test]
    fn numbers_are_total(text in decimal(), other in decimal()) {
        let (one, other) = (Number::parse(&text), Number::parse(&other));
        prop_assert_eq!(one.compare(&other), other.compare(&one).reverse());
        prop_assert_eq!(one.to_i64().is_some_and(|value| value >= 0), one.to_u64().is_some_and(|value| value <= i64::MAX as u64));
    }

    #[test]
    fn any_text_as_schema_and_as_value_is_answered(schema in "\\PC{0,40}", json in "\\PC{0,40}") {
        if let Ok(schema) = Schema::compile(&schema, &CompileOptions::default()) {
            let _ = schema.check(&json);
            let _ = schema.coerce(&json);
        }
        let _ = headers(&schema);
    }

    #[test]
    fn equality_ignores_the_order_of_members(members in proptest::collection::btree_map("[a-c]{1,2}", 0..3, 0..5)) {
        let object = |order: &[(&String, &i32)]| {
            let members: Vec<String> = order.iter().map(|(name, value)| format!("\"{name}\":{value}.0")).collect();
            format!("{{{}}}", members.join(" , "))
        };
        let mut order: Vec<_> = members.iter().collect();
        let forward = object(&order);
        order.reverse();
        let backward = object(&order);
        let (mut left, mut right) = (Reader::new(&forward, 9), Reader::new(&backward, 9));
        prop_assert_eq!(equal(&mut left, &mut right, &mut Steps::new(1000)), Ok(true));
        prop_assert!(left.end().is_ok() && right.end().is_ok());
    }
}
