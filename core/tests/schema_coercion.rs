//! Strings that become what the schema wants, and those that stay what they are.

#![expect(clippy::unwrap_used, reason = "a schema that does not compile has failed")]

use mcplite_core::schema::{CompileOptions, Schema};

fn coerce(schema: &str, json: &str) -> Option<String> {
    Schema::compile(schema, &CompileOptions::default()).unwrap().coerce(json)
}

#[test]
fn a_string_becomes_the_json_that_stands_in_it() {
    for (wanted, json, expected) in [
        ("\"integer\"", r#""5""#, "5"),
        ("\"integer\"", r#"" 5.0 ""#, "5.0"),
        ("\"number\"", r#""-1.5e3""#, "-1.5e3"),
        ("\"boolean\"", r#""true""#, "true"),
        ("\"null\"", r#""null""#, "null"),
        ("\"array\"", r#""[1, 2]""#, "[1,2]"),
        ("\"object\"", r#""{\"a\": \"\\u00e9\"}""#, r#"{"a":"\u00e9"}"#),
        (r#"["integer","null"]"#, r#""null""#, "null"),
    ] {
        let schema = format!(r#"{{"type":{wanted}}}"#);
        assert_eq!(coerce(&schema, json).as_deref(), Some(expected), "{json} as {wanted}");
    }
}

#[test]
fn nothing_else_is_touched() {
    for (schema, json) in [
        // Valid already.
        (r#"{"type":"string"}"#, r#""5""#),
        (r#"{"type":["string","integer"]}"#, r#""5""#),
        // Strings are allowed here, but not this one.
        (r#"{"type":"string","maxLength":0}"#, r#""5""#),
        (r#"{"anyOf":[{"type":"string","pattern":"x"},{"type":"integer"}]}"#, r#""5""#),
        // Not the type that is wanted.
        (r#"{"type":"integer"}"#, r#""5.5""#),
        (r#"{"type":"integer"}"#, r#""five""#),
        (r#"{"type":"integer"}"#, r#""5 6""#),
        (r#"{"type":"integer"}"#, r#""""#),
        (r#"{"type":"boolean"}"#, r#""True""#),
        (r#"{"type":"integer"}"#, "true"),
        (r#"{"type":"string"}"#, "5"),
        // Of the type, but it would not match either.
        (r#"{"type":"integer","minimum":9}"#, r#""5""#),
        (r#"{"properties":{"a":{"type":"integer"}},"required":["b"]}"#, r#"{"a":"5"}"#),
        ("false", r#""5""#),
    ] {
        assert_eq!(coerce(schema, json), None, "{json} by {schema}");
    }
}

#[test]
fn strings_deep_inside_and_inside_strings_are_found() {
    let schema = r##"{
        "type": "object",
        "properties": {
            "id": {"type": "string"},
            "count": {"type": "integer"},
            "list": {"type": "array", "items": {"$ref": "#/$defs/item"}},
            "maybe": {"anyOf": [{"$ref": "#/$defs/item"}, {"type": "null"}]}
        },
        "$defs": {"item": {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}}
    }"##;
    let json = r#"{ "id": "7", "count": "7", "list": "[{\"n\": \"1\"}, \"{\\\"n\\\": 2}\"]", "maybe": "{\"n\":\"3\"}" }"#;
    let expected = r#"{ "id": "7", "count": 7, "list": [{"n":1},{"n":2}], "maybe": {"n":3} }"#;
    assert_eq!(coerce(schema, json).as_deref(), Some(expected));
}

#[test]
fn wrapping_without_end_ends() {
    let wrapped = (0..12).fold("5".to_owned(), |json, _| mcplite_core::json::quoted(&json));
    // Each layer of quotes is a string, and only what is in the last is an integer.
    assert_eq!(coerce(r#"{"type":"integer"}"#, &wrapped), None);
    let nested =
        (0..12).fold("5".to_owned(), |json, _| mcplite_core::json::quoted(&format!("[{json}]")));
    let schema = r##"{"type":["array","integer"],"items":{"$ref":"#"}}"##;
    assert_eq!(coerce(schema, &nested), None);
}
