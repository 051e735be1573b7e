//! What is said about schemas that cannot be used and about values that do not match, to the letter.

#![expect(clippy::unwrap_used, reason = "a schema that does not compile has failed")]

use mcplite_core::schema::{CompileOptions, Schema};

fn compile(schema: &str) -> Schema {
    Schema::compile(schema, &CompileOptions::default()).unwrap()
}

fn refusal(schema: &str) -> String {
    Schema::compile(schema, &CompileOptions::default()).unwrap_err().to_string()
}

fn messages(schema: &str, json: &str) -> Vec<String> {
    let violations = compile(schema).validate(json).unwrap_err();
    violations.iter().map(ToString::to_string).collect()
}

#[test]
fn a_schema_that_cannot_be_used_says_where_and_why() {
    for (schema, expected) in [
        ("[1,2", "schema at /: is not usable JSON: unexpected end of text at byte 4"),
        ("17", "schema at /: must be a schema: an object, true or false"),
        (
            r#"{"type":"strnig"}"#,
            "schema at /type: \"strnig\" is not a type; the types are string, number, integer, boolean, \
             object, array and null",
        ),
        (r#"{"type":[]}"#, "schema at /type: must name at least one type"),
        (
            r#"{"properties":{"a/b":1}}"#,
            "schema at /properties/a~1b: must be a schema: an object, true or false",
        ),
        (
            r#"{"properties":{"a":{"required":"a"}}}"#,
            "schema at /properties/a/required: must be an array of strings",
        ),
        (
            r#"{"required":["a","\u0061"]}"#,
            "schema at /required: must not have the same string twice",
        ),
        (r#"{"minLength":-1}"#, "schema at /minLength: must be an integer that is not negative"),
        (r#"{"maxItems":1.5}"#, "schema at /maxItems: must be an integer that is not negative"),
        (r#"{"minimum":"1"}"#, "schema at /minimum: must be a number"),
        (r#"{"multipleOf":0}"#, "schema at /multipleOf: must be greater than 0"),
        (r#"{"uniqueItems":1}"#, "schema at /uniqueItems: must be true or false"),
        (r#"{"enum":3}"#, "schema at /enum: must be an array"),
        (
            r#"{"enum":[{"a":1,"a":2}]}"#,
            "schema at /enum/0: has a member name twice; keep one of them",
        ),
        (r#"{"anyOf":[]}"#, "schema at /anyOf: must have at least one schema in it"),
        (
            r#"{"title":1,"title":2}"#,
            "schema at /: has the keyword `title` twice; keep one of them",
        ),
        (
            r#"{"properties":{"a":{},"a":{}}}"#,
            "schema at /properties: has the member `a` twice; keep one of them",
        ),
        (
            r#"{"items":[{}]}"#,
            "schema at /items: must be a schema; for a list of schemas use `prefixItems`",
        ),
        (
            r##"{"properties":{"x":{"$ref":"#/$defs/no"}}}"##,
            "schema at /properties/x/$ref: refers to #/$defs/no, which does not exist",
        ),
        (
            r#"{"$ref":"http://example.com/x.json"}"#,
            "schema at /$ref: refers to http://example.com/x.json, which is not in this schema; nothing is \
             fetched, so put it under `$defs` with that `$id`",
        ),
        (
            r#"{"$schema":"http://json-schema.org/draft-04/schema#"}"#,
            "schema at /$schema: the dialect \"http://json-schema.org/draft-04/schema#\" is not known; use \
             https://json-schema.org/draft/2020-12/schema or http://json-schema.org/draft-07/schema#",
        ),
        (
            r#"{"$defs":{"a":{"$id":"x","$schema":"urn:y"}}}"#,
            "schema at /$defs/a/$schema: the dialect \"urn:y\" is not known; use \
             https://json-schema.org/draft/2020-12/schema or http://json-schema.org/draft-07/schema#",
        ),
        (
            r#"{"$id":"x#y"}"#,
            "schema at /$id: must not have a fragment; use `$anchor` for a name inside a schema",
        ),
        (
            r#"{"$defs":{"a":{"$id":"x"},"b":{"$id":"x"}}}"#,
            "schema at /$defs/b: two schemas have the `$id` x",
        ),
        (
            r#"{"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}}"#,
            "schema at /$defs/b: two schemas have the anchor x",
        ),
    ] {
        assert_eq!(refusal(schema), expected);
    }
}

#[test]
fn a_pattern_that_cannot_be_used_says_so_unless_the_host_enforces_it() {
    let look_ahead = r#"{"properties":{"a":{"pattern":"^(?=x)","maxLength":2}}}"#;
    let error = refusal(look_ahead);
    assert!(error.starts_with("schema at /properties/a/pattern: the regular expression cannot be matched in linear time: "), "{error}");
    assert!(
        refusal(r#"{"pattern":"("}"#)
            .starts_with("schema at /pattern: the regular expression cannot be used: ")
    );
    let mut options = CompileOptions::default();
    options.host_enforces = true;
    let schema = Schema::compile(look_ahead, &options).unwrap();
    assert!(schema.is_valid(r#"{"a":"y"}"#));
    assert!(!schema.is_valid(r#"{"a":"xyz"}"#));
    assert!(Schema::compile(r#"{"pattern":"(?i)x"}"#, &options).is_ok());
    // Which names are additional depends on the pattern that is left out, so none is.
    let names = r#"{"patternProperties":{"^(?=x)":{"type":"integer"},"^y":{"type":"string"}},"additionalProperties":false}"#;
    let schema = Schema::compile(names, &options).unwrap();
    assert!(schema.is_valid(r#"{"x":1,"y":"","z":2}"#));
    assert!(!schema.is_valid(r#"{"y":1}"#));
}

#[test]
fn a_value_that_does_not_match_says_what_it_must_be() {
    for (schema, json, expected) in [
        (r#"{"type":"integer"}"#, "\"1\"", "/: must be an integer, but is a string"),
        (r#"{"type":"integer"}"#, "1.5", "/: must be an integer, but is 1.5"),
        (
            r#"{"type":["string","null","number"]}"#,
            "[]",
            "/: must be a string, a number or null, but is an array",
        ),
        ("false", "1", "/: is not allowed here"),
        (r#"{"enum":["red","green",1]}"#, "\"blue\"", r#"/: must be one of "red", "green", 1"#),
        (r#"{"const":{"a":1}}"#, "{}", r#"/: must be {"a":1}"#),
        (r#"{"minimum":1}"#, "0", "/: must be at least 1, but is 0"),
        (r#"{"exclusiveMaximum":1.5}"#, "1.5", "/: must be less than 1.5, but is 1.5"),
        (r#"{"multipleOf":0.5}"#, "0.7", "/: must be a multiple of 0.5, but is 0.7"),
        (
            r#"{"minLength":2}"#,
            "\"\\ud83d\\ude00\"",
            "/: must have at least 2 characters, but has 1",
        ),
        (r#"{"maxLength":1}"#, "\"ab\"", "/: must have at most 1 character, but has 2"),
        (r#"{"pattern":"^a$"}"#, "\"b\"", "/: must match the pattern ^a$"),
        (r#"{"minItems":1}"#, "[]", "/: must have at least 1 element, but has 0"),
        (r#"{"maxItems":1}"#, "[1,2]", "/: must have at most 1 element, but has 2"),
        (
            r#"{"uniqueItems":true}"#,
            "[1,1.0]",
            "/: must have no two equal elements, but has 1 twice",
        ),
        (
            r#"{"contains":{"type":"null"}}"#,
            "[1]",
            "/: must have at least 1 element that `contains` describes, but has 0",
        ),
        (
            r#"{"contains":true,"maxContains":1}"#,
            "[1,2]",
            "/: must have at most 1 element that `contains` describes, but has more",
        ),
        (r#"{"required":["name"]}"#, "{}", r#"/: is missing the required property "name""#),
        (
            r#"{"dependentRequired":{"a":["b"]}}"#,
            r#"{"a":1}"#,
            r#"/: is missing the property "b", which "a" needs"#,
        ),
        (r#"{"minProperties":1}"#, "{}", "/: must have at least 1 property, but has 0"),
        (
            r#"{"maxProperties":1}"#,
            r#"{"a":1,"b":2}"#,
            "/: must have at most 1 property, but has 2",
        ),
        (
            r#"{"properties":{"a":true,"b":true},"additionalProperties":false}"#,
            r#"{"x":1}"#,
            r#"/: has the unknown property "x"; allowed are "a", "b""#,
        ),
        (
            r#"{"additionalProperties":false}"#,
            r#"{"x":1}"#,
            r#"/: has the unknown property "x"; none is allowed"#,
        ),
        (r#"{"properties":{"x":false}}"#, r#"{"x":1}"#, r#"/: must not have the property "x""#),
        (
            r#"{"propertyNames":{"maxLength":1}}"#,
            r#"{"xy":1}"#,
            r#"/: has the property "xy", whose name must have at most 1 character, but has 2"#,
        ),
        (
            r#"{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false}"#,
            r#"{"b":1}"#,
            r#"/: has the unknown property "b""#,
        ),
        (
            r#"{"allOf":[{"prefixItems":[true]}],"unevaluatedItems":false}"#,
            "[1,2]",
            "/1: is one element too many",
        ),
        (r#"{"not":{"type":"string"}}"#, "\"\"", "/: must not be what `not` describes"),
        (
            r#"{"anyOf":[{"type":"integer"},{"type":"null"}]}"#,
            "\"1\"",
            "/: must be an integer or null, but is a string",
        ),
        (
            r#"{"anyOf":[{"minimum":5},{"multipleOf":2}]}"#,
            "1",
            "/: matches none of the alternatives in `anyOf`: must be at least 5, but is 1; or must be a multiple of 2, but is 1",
        ),
        (
            r#"{"oneOf":[{"minimum":0},true]}"#,
            "1",
            "/: must match exactly one of the alternatives in `oneOf`, but matches number 1 and number 2",
        ),
        (
            r#"{"anyOf":[{"type":"object","required":["a"]},{"type":"null"}],"minProperties":0}"#,
            "{}",
            r#"/: is missing the required property "a""#,
        ),
        (
            r#"{"items":{"properties":{"a/b":{"properties":{"~":{"type":"null"}}}}}}"#,
            r#"[1,{"a/b":{"~":1}}]"#,
            "/1/a~1b/~0: must be null, but is 1",
        ),
        (
            r#"{"properties":{"a":true}}"#,
            r#"{"a":1,"\u0061":2}"#,
            r#"/: has the property "a" twice; send it once"#,
        ),
        (
            r#"{"items":{"properties":{"a":true}}}"#,
            r#"[{},{"a":1,"a":2}]"#,
            r#"/1: has the property "a" twice; send it once"#,
        ),
        (
            r#"{"anyOf":[{"properties":{"a":true,"b":true}},{"minProperties":9}]}"#,
            r#"{"b":1,"a":1,"b":1}"#,
            r#"/: has the property "b" twice; send it once"#,
        ),
        ("true", "{", "/: is not valid JSON: unexpected end of text at byte 1"),
    ] {
        assert_eq!(messages(schema, json), [expected], "{json} by {schema}");
    }
}

#[test]
fn every_violation_is_listed_up_to_the_limit() {
    let schema = r#"{"properties":{"a":{"type":"string"},"b":{"minimum":2}},"required":["c"]}"#;
    assert_eq!(
        messages(schema, r#"{"a":null,"b":1}"#),
        [
            "/a: must be a string, but is null",
            "/b: must be at least 2, but is 1",
            r#"/: is missing the required property "c""#
        ]
    );
    let json = format!("[{}]", vec!["1"; 100].join(","));
    assert_eq!(messages(r#"{"items":{"type":"string"}}"#, &json).len(), 16);
    // What several parts find at the same place is said once.
    assert_eq!(messages(r#"{"allOf":[{"type":"null"},{"type":"null"}]}"#, "1").len(), 1);
}

#[test]
fn long_names_and_values_are_clipped() {
    let long = "x".repeat(1000);
    let [message] = messages(r#"{"additionalProperties":false}"#, &format!(r#"{{"{long}":1}}"#))
        .try_into()
        .unwrap();
    assert!(message.len() < 150, "{message}");
    let values: Vec<String> = (0..1000).map(|number| format!("\"{number}{long}\"")).collect();
    let schema = format!(r#"{{"enum":[{}]}}"#, values.join(","))
        .replace(&long, "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy");
    let [message] = messages(&schema, "1").try_into().unwrap();
    assert!(message.len() < 900 && message.ends_with(" and 988 more"), "{message}");
}

#[test]
fn a_schema_may_refer_to_the_metaschemas() {
    for uri in
        ["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"]
    {
        let schema = compile(&format!(r#"{{"$ref":"{uri}"}}"#));
        assert!(
            schema.is_valid(
                r#"{"properties":{"a":{"type":"string","minLength":1}},"required":["a"]}"#
            )
        );
        assert!(!schema.is_valid(r#"{"properties":{"a":{"type":"strnig"}}}"#), "{uri}");
        assert!(!schema.is_valid(r#"{"items":{"not":{"minLength":-1}}}"#), "{uri}");
        assert!(!schema.is_valid("1"));
    }
}

#[test]
fn a_schema_embedded_in_another_dialect_is_read_by_its_own() {
    let schema = compile(
        r#"{"prefixItems":[{"$ref":"urn:old"}],"$defs":{"old":{
            "$id":"urn:old","$schema":"http://json-schema.org/draft-07/schema#",
            "items":[{"type":"integer"}],"additionalItems":false,"prefixItems":[false]
        }}}"#,
    );
    assert!(schema.is_valid("[[1]]"));
    assert!(!schema.is_valid("[[1,2]]"));
    assert!(!schema.is_valid("[[\"\"]]"));
}
