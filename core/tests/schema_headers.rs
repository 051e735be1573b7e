//! The rules of `x-mcp-header`, as revision 2026-07-28 has them.

use mcplite_core::schema::{HeaderKind, headers};

#[test]
fn annotated_parameters_are_found_with_their_paths() {
    let schema = r#"{
        "type": "object",
        "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "x-mcp-header": {"type": "string"},
            "deep": {"type": "object", "properties": {"a/b": {"type": "integer", "x-mcp-header": "!#$%&'*+-.^_`|~9"}}},
            "dry": {"type": "boolean", "x-mcp-header": "Dry-Run", "default": {"x-mcp-header": "not one"}}
        }
    }"#;
    let found = headers(schema).unwrap();
    let found: Vec<_> = found
        .iter()
        .map(|param| (param.name.as_str(), param.pointer.as_str(), param.kind))
        .collect();
    assert_eq!(
        found,
        [
            ("Region", "/region", HeaderKind::String),
            ("!#$%&'*+-.^_`|~9", "/deep/a~1b", HeaderKind::Integer),
            ("Dry-Run", "/dry", HeaderKind::Boolean),
        ]
    );
    assert_eq!(headers("true"), Ok(Vec::new()));
    assert_eq!(headers(r#"{"properties":{"a":{"type":"number"}}}"#), Ok(Vec::new()));
}

#[test]
fn annotations_that_clients_would_refuse_are_refused() {
    let property = |annotated: &str| format!(r#"{{"properties":{{"p":{annotated}}}}}"#);
    let name =
        "`x-mcp-header` must be a string of letters, digits and !#$%&'*+-.^_`|~, at least one";
    let kind =
        r#"`x-mcp-header` needs the `type` of its property to be "string", "integer" or "boolean""#;
    let place =
        "`x-mcp-header` may stand only in a property that nothing but `properties` leads to";
    let annotated = r#"{"type":"string","x-mcp-header":"A"}"#;
    for (schema, path, reason) in [
        (property(r#"{"type":"string","x-mcp-header":""}"#), "/properties/p/x-mcp-header", name),
        (property(r#"{"type":"string","x-mcp-header":7}"#), "/properties/p/x-mcp-header", name),
        (property(r#"{"type":"string","x-mcp-header":"a b"}"#), "/properties/p/x-mcp-header", name),
        (
            property(r#"{"type":"string","x-mcp-header":"a\r\nb"}"#),
            "/properties/p/x-mcp-header",
            name,
        ),
        (property(r#"{"type":"string","x-mcp-header":"é"}"#), "/properties/p/x-mcp-header", name),
        (property(r#"{"type":"number","x-mcp-header":"A"}"#), "/properties/p/x-mcp-header", kind),
        (property(r#"{"type":"object","x-mcp-header":"A"}"#), "/properties/p/x-mcp-header", kind),
        (
            property(r#"{"type":["string","null"],"x-mcp-header":"A"}"#),
            "/properties/p/x-mcp-header",
            kind,
        ),
        (property(r#"{"x-mcp-header":"A"}"#), "/properties/p/x-mcp-header", kind),
        (annotated.to_owned(), "/x-mcp-header", place),
        (
            property(&format!(r#"{{"items":{annotated}}}"#)),
            "/properties/p/items/x-mcp-header",
            place,
        ),
        (
            property(&format!(r#"{{"items":{{"properties":{{"q":{annotated}}}}}}}"#)),
            "/properties/p/items/properties/q/x-mcp-header",
            place,
        ),
        (
            format!(r#"{{"anyOf":[{{"properties":{{"q":{annotated}}}}}]}}"#),
            "/anyOf/0/properties/q/x-mcp-header",
            place,
        ),
        (format!(r#"{{"then":{annotated}}}"#), "/then/x-mcp-header", place),
        (format!(r#"{{"$defs":{{"a":{annotated}}}}}"#), "/$defs/a/x-mcp-header", place),
        (format!(r#"{{"definitions":{{"a":{annotated}}}}}"#), "/definitions/a/x-mcp-header", place),
        (
            format!(r#"{{"dependencies":{{"a":{annotated}}}}}"#),
            "/dependencies/a/x-mcp-header",
            place,
        ),
        (
            format!(r#"{{"additionalProperties":{annotated}}}"#),
            "/additionalProperties/x-mcp-header",
            place,
        ),
    ] {
        let error = headers(&schema).unwrap_err();
        assert_eq!((error.path.as_str(), error.reason.as_str()), (path, reason), "{schema}");
    }
    let twice = r#"{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}"#;
    let error = headers(twice).unwrap_err();
    assert_eq!(error.path, "/properties/b/x-mcp-header");
    assert_eq!(error.reason, "`x-mcp-header` a is used twice; case does not matter");
    assert!(headers("{").is_err());
}
