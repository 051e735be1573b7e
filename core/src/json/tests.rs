use proptest::prelude::*;

use super::*;

fn accepts(text: &str) -> Result<(), Fault> {
    let mut reader = Reader::new(text, 64);
    reader.skip()?;
    reader.end()
}

#[test]
fn accepts_what_the_grammar_allows() {
    for text in [
        "0",
        "-0",
        "1.5e+10",
        "1e400",
        "\"\"",
        "\"\\ud83d\\ude00\"",
        "\"\\u0000\"",
        "{}",
        "[]",
        " [ 1 , {\"a\" : null} , true , false ] ",
        "{\"a\":{\"b\":[[],{}]}}",
        "\"\u{7f}\u{2028}\"",
    ] {
        assert_eq!(accepts(text), Ok(()), "{text}");
    }
}

#[test]
fn refuses_what_it_does_not() {
    use FaultKind::*;
    for (text, at, kind) in [
        ("", 0, UnexpectedEnd),
        ("{", 1, UnexpectedEnd),
        ("}", 0, UnexpectedByte),
        ("[1,]", 3, UnexpectedByte),
        ("{\"a\":1,}", 7, UnexpectedByte),
        ("{\"a\" 1}", 5, UnexpectedByte),
        ("{a:1}", 1, UnexpectedByte),
        ("[1 2]", 3, UnexpectedByte),
        ("1 2", 2, TrailingBytes),
        ("01", 1, BadNumber),
        ("-", 1, UnexpectedEnd),
        ("1.", 2, UnexpectedEnd),
        ("1.x", 2, BadNumber),
        ("1e", 2, UnexpectedEnd),
        ("+1", 0, UnexpectedByte),
        ("nul", 3, UnexpectedEnd),
        ("nulx", 3, UnexpectedByte),
        ("NaN", 0, UnexpectedByte),
        ("\"a", 2, UnexpectedEnd),
        ("\"a\nb\"", 2, BadString),
        ("\"\\x\"", 2, BadString),
        ("\"\\u12\"", 5, BadString),
        ("\"\\ud800\"", 7, BadString),
        ("\"\\udc00\"", 1, BadString),
        ("\"\\ud800\\u0041\"", 7, BadString),
        ("{]", 1, UnexpectedByte),
        ("[}", 1, UnexpectedByte),
        ("[{\"a\":1]", 7, UnexpectedByte),
    ] {
        assert_eq!(accepts(text), Err(Fault { at, kind }), "{text}");
    }
}

#[test]
fn nesting_stops_at_the_limit() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(accepts(&nested(64)).is_ok());
    assert_eq!(accepts(&nested(65)), Err(Fault { at: 64, kind: FaultKind::TooDeep }));
}

#[test]
fn finds_by_name_and_by_pointer() {
    let json = r#"{"a":{"b":[10,{"c~/":"x"}]},"\u0061b":7,"a":2}"#;
    assert_eq!(find(json, "a"), Some(r#"{"b":[10,{"c~/":"x"}]}"#));
    assert_eq!(find(json, "/a/b/1/c~0~1"), Some("\"x\""));
    assert_eq!(find(json, "/a/b/01"), None);
    assert_eq!(find(json, "/a/b/9"), None);
    assert_eq!(find(json, "ab"), Some("7"));
    assert_eq!(find(json, "z"), None);
    assert_eq!(find("[1]", "a"), None);
    assert_eq!(find(json, ""), Some(json));
}

#[test]
fn numbers_are_worth_what_they_say() {
    assert_eq!(parse_i64("9007199254740993"), Some(9_007_199_254_740_993));
    assert_eq!(parse_i64("5.0"), Some(5));
    assert_eq!(parse_i64("5e1"), Some(50));
    assert_eq!(parse_i64("5.5"), None);
    assert_eq!(parse_i64("99999999999999999999"), None);
    assert_eq!(parse_f64("1e400"), None);
    assert_eq!(parse_f64("inf"), None);
    assert_eq!(parse_f64("\"1\""), None);
}

#[test]
fn numbers_are_written_as_json() {
    for (value, text) in [
        (0.0, "0"),
        (-0.5, "-0.5"),
        (50.0, "50"),
        (1e300, "1e300"),
        (1e-9, "1e-9"),
        (f64::NAN, "null"),
        (f64::INFINITY, "null"),
        (0.1, "0.1"),
        (1e16, "10000000000000000"),
    ] {
        let mut out = Vec::new();
        push_f64(&mut out, value);
        assert_eq!(String::from_utf8(out).unwrap(), text);
    }
}

proptest! {
    #[test]
    fn agrees_with_serde_json_on_arbitrary_text(text in "[\\[\\]{}:,\"\\\\ntrueflas0-9eE+. \u{0}-\u{1f}é]{0,24}") {
        let theirs = serde_json::from_str::<serde_json::Value>(&text);
        // A number beyond f64 is grammatical; serde_json refuses it, and does not look at what follows.
        prop_assume!(!theirs.as_ref().is_err_and(|e| e.to_string().contains("out of range")));
        prop_assert_eq!(accepts(&text).is_ok(), theirs.is_ok(), "{}", text);
    }

    #[test]
    fn quoting_and_decoding_are_inverse(text in any::<String>()) {
        let json = quoted(&text);
        prop_assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text.clone());
        let mut reader = Reader::new(&json, 1);
        prop_assert_eq!(reader.string().unwrap().decode(), text);
    }

    #[test]
    fn decodes_escapes_like_serde_json(text in "(\\\\[nrtbf\"/\\\\]|\\\\u[0-9a-c][0-9a-f]{3}|\\\\ud8[0-9a-f]{2}\\\\udc[0-9a-f]{2}|[a-zé😀]){0,12}") {
        let json = format!("\"{text}\"");
        let theirs: String = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(Reader::new(&json, 1).string().unwrap().decode(), theirs);
    }

    #[test]
    fn numbers_survive_writing(value in any::<f64>().prop_filter("finite", |v| v.is_finite())) {
        let mut out = Vec::new();
        push_f64(&mut out, value);
        let text = String::from_utf8(out).unwrap();
        prop_assert!(accepts(&text).is_ok());
        prop_assert_eq!(text.parse::<f64>().unwrap(), value);
    }
}

proptest! {
    #[test]
    fn a_glance_finds_what_the_reader_finds(
        members in prop::collection::vec(("[a-c\\\\\"\u{e9}]{0,3}", "[ -~]{0,12}", any::<i16>()), 0..6),
        name in "[a-c\\\\\"\u{e9}]{0,3}",
        space in "[ \t\r\n]{0,2}",
    ) {
        let members: Vec<_> = members
            .iter()
            .map(|(key, text, number)| {
                let (key, text) = (quoted(key), quoted(text));
                format!("{key}{space}:{space}[{number},{{{text}:{text}}}]{space},{key}:{text},{key}:{number}")
            })
            .collect();
        let json = format!("{space}{{{space}{}{space}}}{space}", members.join(","));
        prop_assert_eq!(glance_member(&json, &name), find_member(&json, &name));
    }

    #[test]
    fn a_glance_at_anything_does_no_harm(text in "[\\[\\]{}:,\"\\\\ a-c0-9\u{e9}]{0,60}", name in "[a-c]{0,2}") {
        let found = glance_member(&text, &name);
        prop_assert!(found.is_none_or(|found| text.contains(found)));
    }
}
