//! Schemas and values made to cost much: each is refused, or judged within its bounds.
//!
//! No assertion is on time. A test that does not end shows a bound that does not hold.

#![expect(clippy::unwrap_used, reason = "a schema that does not compile has failed")]
#![expect(clippy::disallowed_types, reason = "the stack of a thread of its own can be small")]

use mcplite_core::schema::{CompileOptions, Schema, SchemaError, Verdict, headers};

fn compile(schema: &str) -> Result<Schema, SchemaError> {
    Schema::compile(schema, &CompileOptions::default())
}

fn verdict(schema: &str, json: &str) -> Verdict {
    compile(schema).unwrap().check(json).unwrap()
}

/// `$defs` d0 to d`count`, each made of the name of the next, and the last as given.
fn chain(count: usize, link: impl Fn(&str) -> String, last: &str) -> String {
    let links: Vec<String> = (0..count)
        .map(|at| {
            format!(r##""d{at}":{}"##, link(&format!(r##"{{"$ref":"#/$defs/d{}"}}"##, at + 1)))
        })
        .collect();
    format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{},"d{count}":{last}}}}}"##, links.join(","))
}

#[test]
fn a_certain_loop_of_references_is_refused() {
    for schema in [
        r##"{"$ref": "#"}"##,
        r##"{"allOf": [{"$ref": "#"}]}"##,
        r##"{"anyOf": [{"$ref": "#"}, true]}"##,
        r##"{"oneOf": [{"$ref": "#"}, true]}"##,
        r##"{"not": {"$ref": "#"}}"##,
        r##"{"if": {"$ref": "#"}}"##,
        r##"{"$dynamicAnchor": "a", "$dynamicRef": "#a"}"##,
        r##"{"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}"##,
        r##"{"properties": {"a": {"$ref": "#/properties/a"}}}"##,
        r##"{"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#"}"##,
    ] {
        let error = compile(schema).unwrap_err();
        assert!(error.reason.contains("without end"), "{schema}: {error}");
    }
}

#[test]
fn a_loop_that_depends_on_the_value_ends_at_a_bound() {
    for (schema, ends, loops) in [
        (r##"{"anyOf": [{"type": "string"}, {"$ref": "#"}]}"##, "\"\"", "1"),
        (r##"{"if": {"type": "string"}, "then": {"$ref": "#"}}"##, "1", "\"\""),
        (r##"{"if": {"type": "string"}, "else": {"$ref": "#"}}"##, "\"\"", "1"),
        (r##"{"dependentSchemas": {"a": {"$ref": "#"}}}"##, r#"{"b":1}"#, r#"{"a":1}"#),
    ] {
        assert_eq!(verdict(schema, ends), Verdict::Valid, "{schema}");
        assert_eq!(verdict(schema, loops), Verdict::OutOfSteps, "{schema}");
        let violations = compile(schema).unwrap().validate(loops).unwrap_err();
        assert_eq!(violations.last().unwrap().keyword, "steps", "{schema}");
    }
}

#[test]
fn a_dynamic_loop_ends_at_a_bound() {
    let schema = r##"{
        "$id": "http://example.com/outer", "$dynamicAnchor": "a",
        "allOf": [{"$ref": "inner"}],
        "$defs": {"inner": {"$id": "inner", "$dynamicAnchor": "a", "anyOf": [{"type": "null"}, {"$dynamicRef": "#a"}]}}
    }"##;
    assert_eq!(verdict(schema, "null"), Verdict::Valid);
    assert_eq!(verdict(schema, "1"), Verdict::OutOfSteps);
}

#[test]
fn alternatives_that_double_at_each_level_run_out_of_steps() {
    let link = |next: &str| format!(r##"{{"anyOf":[{next},{next}]}}"##);
    let schema = chain(60, link, r#"{"minimum": 5}"#);
    assert_eq!(verdict(&schema, "7"), Verdict::Valid);
    assert_eq!(verdict(&schema, "1"), Verdict::OutOfSteps);
    assert_eq!(verdict(&chain(10, link, r#"{"minimum": 5}"#), "1"), Verdict::Invalid);
    let link = |next: &str| format!(r##"{{"oneOf":[{next},{{"not":{next}}}]}}"##);
    assert_eq!(verdict(&chain(60, link, r#"{"minimum": 5}"#), "7"), Verdict::OutOfSteps);
}

#[test]
fn reading_a_long_value_again_and_again_costs_steps() {
    // Without a price on bytes, each of a million steps could read a megabyte.
    let link = |next: &str| format!(r##"{{"anyOf":[{next},{next}]}}"##);
    let schema = chain(16, link, r#"{"maxLength": 5}"#);
    let long = format!("\"{}\"", "x".repeat(1 << 20));
    assert_eq!(verdict(&schema, "\"too long\""), Verdict::Invalid);
    assert_eq!(verdict(&schema, &long), Verdict::OutOfSteps);
}

#[test]
fn unevaluated_in_alternatives_in_unevaluated_stays_bounded() {
    let link = |next: &str| {
        format!(
            r##"{{"anyOf":[{next},{{"not":{next}}}],"unevaluatedProperties":{{"type":"integer"}}}}"##
        )
    };
    let members: Vec<String> = (0..200).map(|number| format!("\"p{number}\":{number}")).collect();
    let json = format!("{{{}}}", members.join(","));
    let judged = verdict(&chain(30, link, r#"{"minProperties": 1}"#), &json);
    assert_ne!(judged, Verdict::Invalid);
}

#[test]
fn a_chain_of_references_may_be_long_but_not_endless() {
    let schema = chain(20_000, |next| next.to_owned(), r#"{"type": "integer"}"#);
    assert_eq!(verdict(&schema, "7"), Verdict::Valid);
    assert_eq!(verdict(&schema, "\"\""), Verdict::Invalid);
    // Each link says something of its own, so that none can be left out.
    let schema = chain(2000, |next| format!(r##"{{"minimum":1,"allOf":[{next}]}}"##), "true");
    assert_eq!(verdict(&schema, "7"), Verdict::OutOfSteps);
}

#[test]
fn schemas_and_values_that_are_too_deep_are_refused() {
    let nested = |levels: usize| "{\"not\":".repeat(levels) + "{}" + &"}".repeat(levels);
    assert!(compile(&nested(127)).is_ok());
    let error = compile(&nested(128)).unwrap_err();
    assert_eq!(error.reason, "is not usable JSON: nesting is too deep at byte 896");
    let mut options = CompileOptions::default();
    options.limits.depth = u32::MAX;
    assert!(Schema::compile(&nested(600), &options).is_err());
    let tree = compile(r##"{"items": {"$ref": "#"}}"##).unwrap();
    let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    assert_eq!(tree.check(&nested(64)), Ok(Verdict::Valid));
    assert!(tree.check(&nested(65)).is_err());
}

#[test]
fn a_recursive_schema_fits_a_small_stack() {
    let schema = r##"{
        "$ref": "#/$defs/tree",
        "$defs": {
            "tree": {
                "minProperties": 0,
                "anyOf": [{"$ref": "#/$defs/leaf"}, {"$ref": "#/$defs/branch"}],
                "not": {"type": "string"}
            },
            "leaf": {"type": "object", "properties": {"leaf": true}, "required": ["leaf"]},
            "branch": {
                "type": "object",
                "properties": {"next": {"$ref": "#/$defs/tree"}},
                "patternProperties": {"^n": {"$ref": "#/$defs/tree"}},
                "unevaluatedProperties": false
            }
        }
    }"##;
    let json = |levels: usize| "{\"next\":".repeat(levels) + "{\"leaf\":1}" + &"}".repeat(levels);
    // Debug builds have frames several times as large.
    let stack = if cfg!(debug_assertions) { 1 << 20 } else { 256 << 10 };
    let work = move || {
        let mut options = CompileOptions::default();
        options.limits.steps = 100_000;
        let schema = Schema::compile(schema, &options).unwrap();
        let shallow = schema.check(&json(3));
        let deep = schema.check(&json(63)).unwrap();
        let wrong = schema.validate(&json(63).replace("leaf", "loaf"));
        (shallow, deep, wrong)
    };
    let thread = std::thread::Builder::new().stack_size(stack).spawn(work).unwrap();
    let (shallow, deep, wrong) = thread.join().unwrap();
    assert_eq!(shallow, Ok(Verdict::Valid));
    assert_ne!(deep, Verdict::Invalid);
    assert!(!wrong.unwrap_err().is_empty());
}

#[test]
fn equality_of_deep_values_fits_a_small_stack() {
    let deep = "[".repeat(62) + &"]".repeat(62);
    let json = format!("[{deep},{deep}]");
    let stack = if cfg!(debug_assertions) { 1 << 20 } else { 256 << 10 };
    let work = move || verdict(r#"{"uniqueItems": true}"#, &json);
    let thread = std::thread::Builder::new().stack_size(stack).spawn(work).unwrap();
    assert_eq!(thread.join().unwrap(), Verdict::Invalid);
}

#[test]
fn patterns_that_make_others_backtrack_are_linear() {
    for pattern in [
        "^(a+)+$",
        "^(a|a)*$",
        "^(a|aa)+$",
        "(.*)(.*)(.*)(.*)(.*)x$",
        "^(([a-z])+.)+[A-Z]([a-z])+$",
    ] {
        let schema = format!(r#"{{"pattern": "{pattern}"}}"#);
        let json = format!("\"{}!\"", "a".repeat(20_000));
        assert_ne!(verdict(&schema, &json), Verdict::Valid, "{pattern}");
    }
}

#[test]
fn many_patterns_are_shared_or_refused() {
    let all = |patterns: &mut dyn Iterator<Item = String>| {
        let schemas: Vec<String> =
            patterns.map(|pattern| format!(r#"{{"pattern":"{pattern}"}}"#)).collect();
        format!(r#"{{"allOf":[{}]}}"#, schemas.join(","))
    };
    let same = all(&mut (0..20_000).map(|_| "^(a|b)*a(a|b){12}$".to_owned()));
    assert_eq!(verdict(&same, "\"x\""), Verdict::Invalid);
    let different = all(&mut (0..2000).map(|number| format!("^{number}")));
    let error = compile(&different).unwrap_err();
    assert_eq!(error.reason, "the schema has more than 1000 regular expressions");
}

#[test]
fn enormous_enums_are_looked_up_or_refused() {
    let strings = |count: usize| {
        let values: Vec<String> = (0..count).map(|number| format!("\"value-{number}\"")).collect();
        format!(r#"{{"enum": [{}]}}"#, values.join(","))
    };
    assert_eq!(verdict(&strings(40_000), "\"value-39999\""), Verdict::Valid);
    assert_eq!(verdict(&strings(40_000), "\"value-40000\""), Verdict::Invalid);
    let error = compile(&strings(60_000)).unwrap_err();
    assert_eq!(error.reason, "the schema has more than 50000 schemas and names in it");
    let numbers: Vec<String> = (0..40_000).map(|number| format!("{number}.5")).collect();
    let numbers = format!(r#"{{"enum": [{}]}}"#, numbers.join(","));
    assert_eq!(verdict(&numbers, "39999.50"), Verdict::Valid);
    // Containers are compared one by one, which costs steps.
    let arrays: Vec<String> = (0..20_000).map(|number| format!("[{number}]")).collect();
    let arrays = format!(r#"{{"items": {{"enum": [{}]}}}}"#, arrays.join(","));
    let json = format!("[{}]", vec!["[-1]"; 100].join(","));
    assert_eq!(verdict(&arrays, "[[19999]]"), Verdict::Valid);
    assert_eq!(verdict(&arrays, &json), Verdict::Invalid);
    let json = format!("[{}]", vec!["[19999]"; 100].join(","));
    assert_eq!(verdict(&arrays, &json), Verdict::OutOfSteps);
}

#[test]
fn ten_thousand_properties_work_in_any_order() {
    let count = 10_000;
    let properties: Vec<String> =
        (0..count).map(|number| format!(r#""property-{number}":{{"type":"integer"}}"#)).collect();
    let required: Vec<String> = (0..count).map(|number| format!("\"property-{number}\"")).collect();
    let schema = format!(
        r#"{{"properties":{{{}}},"required":[{}],"additionalProperties":false}}"#,
        properties.join(","),
        required.join(",")
    );
    let schema = compile(&schema).unwrap();
    let members: Vec<String> =
        (0..count).map(|number| format!("\"property-{number}\":1")).collect();
    let object = |members: &[String]| format!("{{{}}}", members.join(","));
    let reversed: Vec<String> = members.iter().rev().cloned().collect();
    let scattered: Vec<String> =
        (0..count).map(|at| members.get(at * 7919 % count).unwrap().clone()).collect();
    for order in [&members, &reversed, &scattered] {
        assert!(schema.is_valid(&object(order)));
        assert!(!schema.is_valid(&object(order.get(1..).unwrap())));
    }
    let mut twice = members.clone();
    twice.push("\"property-9999\":1".to_owned());
    let violations = schema.validate(&object(&twice)).unwrap_err();
    assert_eq!(
        violations.last().unwrap().message,
        r#"has the property "property-9999" twice; send it once"#
    );
}

#[test]
fn many_unknown_names_are_compared_without_squaring() {
    let schema = compile(r#"{"additionalProperties": {"type": "integer"}}"#).unwrap();
    let members: Vec<String> = (0..100_000).map(|number| format!("\"name-{number}\":1")).collect();
    assert!(schema.is_valid(&format!("{{{}}}", members.join(","))));
    let twice = format!("{{{},\"n\\u0061me-7\":1}}", members.join(","));
    assert_eq!(schema.check(&twice), Ok(Verdict::Invalid));
    let violations = schema.validate(&twice).unwrap_err();
    assert_eq!(
        violations.first().unwrap().to_string(),
        r#"/: has the property "name-7" twice; send it once"#
    );
}

#[test]
fn a_name_that_stands_twice_is_no_excuse_for_a_combinator() {
    let json = r#"{"a":1,"\u0061":2}"#;
    for schema in [
        r#"{"properties": {"a": {}}}"#,
        r#"{"not": {"properties": {"a": {"type": "string"}, "b": {}}}}"#,
        r#"{"anyOf": [{"required": ["a"]}, true]}"#,
        r#"{"if": {"minProperties": 1}}"#,
        r#"{"unevaluatedProperties": true, "allOf": [true]}"#,
        r#"{"propertyNames": {"maxLength": 9}}"#,
        r#"{"patternProperties": {"a": true}}"#,
    ] {
        let schema = compile(schema).unwrap();
        assert_eq!(schema.check(json), Ok(Verdict::Invalid), "{schema:?}");
        let violations = schema.validate(json).unwrap_err();
        assert_eq!(violations.last().unwrap().keyword, "duplicate");
    }
}

#[test]
fn numbers_of_any_size_are_compared_exactly() {
    let long = "9".repeat(100_000);
    for (schema, json, expected) in [
        (r#"{"minimum": 9007199254740993}"#.to_owned(), "9007199254740992".to_owned(), false),
        (r#"{"minimum": 9007199254740993}"#.to_owned(), "9007199254740993".to_owned(), true),
        (r#"{"maximum": 1e400}"#.to_owned(), "1e399".to_owned(), true),
        (r#"{"maximum": 1e400}"#.to_owned(), "1e401".to_owned(), false),
        (r#"{"maximum": 1e400}"#.to_owned(), "-1e99999999999999999999999".to_owned(), true),
        (r#"{"const": 0}"#.to_owned(), "-0.000e5".to_owned(), true),
        (r#"{"const": 1}"#.to_owned(), "100e-2".to_owned(), true),
        (r#"{"const": 0.1}"#.to_owned(), "0.1000000000000000055511151231257827".to_owned(), false),
        (r#"{"multipleOf": 0.123456789}"#.to_owned(), "1e308".to_owned(), false),
        (r#"{"multipleOf": 0.5}"#.to_owned(), "1e308".to_owned(), true),
        (r#"{"multipleOf": 1e-400}"#.to_owned(), "7e-399".to_owned(), true),
        (r#"{"multipleOf": 1e-400}"#.to_owned(), "7e-401".to_owned(), false),
        (r#"{"multipleOf": 3}"#.to_owned(), format!("{long}e999999999999"), true),
        (r#"{"multipleOf": 7}"#.to_owned(), format!("1{long}"), true),
        (r#"{"multipleOf": 11}"#.to_owned(), format!("1{long}"), false),
        (r#"{"type": "integer"}"#.to_owned(), "1.50e1".to_owned(), true),
        (r#"{"type": "integer"}"#.to_owned(), "1.5".to_owned(), false),
        (r#"{"type": "integer"}"#.to_owned(), "1e-99999999999999999999".to_owned(), false),
        (format!(r#"{{"minimum": {long}}}"#), format!("{long}.5"), true),
        (format!(r#"{{"maximum": {long}}}"#), format!("{long}.5"), false),
    ] {
        let judged = compile(&schema).unwrap().is_valid(&json);
        assert_eq!(judged, expected, "{:.60} by {:.60}", json, schema);
    }
    let error = compile(&format!(r#"{{"multipleOf": {long}}}"#)).unwrap_err();
    assert_eq!(error.reason, "must not have more than 37 digits");
}

#[test]
fn broken_escapes_are_faults_whatever_the_schema_says() {
    for schema in [
        "true",
        "false",
        r#"{"type": "integer"}"#,
        r#"{"not": {"minLength": 1}}"#,
        r#"{"anyOf": [true, false]}"#,
    ] {
        let schema = compile(schema).unwrap();
        for json in [
            "\"\\ud800\"",
            "\"\\udc00\"",
            "\"\\ud800\\u0041\"",
            "\"\\u12\"",
            "[1,]",
            "{\"a\":1",
            "1 2",
            "",
        ] {
            assert!(schema.check(json).is_err(), "{schema:?} {json}");
            let violations = schema.validate(json).unwrap_err();
            assert_eq!(violations.first().unwrap().keyword, "json");
            assert_eq!(schema.coerce(json), None);
        }
    }
}

#[test]
fn long_unique_arrays_are_sorted_by_digest() {
    let schema = compile(r#"{"uniqueItems": true}"#).unwrap();
    let numbers: Vec<String> = (0..100_000).map(|number| format!("{number}.0")).collect();
    assert!(schema.is_valid(&format!("[{}]", numbers.join(","))));
    assert!(!schema.is_valid(&format!("[{},5]", numbers.join(","))));
    assert!(!schema.is_valid(r#"[{"a":[1,2],"b":"x"},{"\u0062":"x","a":[1.0,2]}]"#));
    assert!(schema.is_valid(r#"[{"a":[1,2],"b":"x"},{"b":"x","a":[2,1]}]"#));
}

#[test]
fn a_schema_that_is_too_large_or_odd_is_refused_with_its_place() {
    for (schema, path, reason) in [
        (" ".repeat(2 << 20), "", "has 2097152 bytes, which is more than the limit of 1048576"),
        (format!("[{}1]", "[],".repeat(1000)), "", "must be a schema: an object, true or false"),
        (
            format!(r#"{{"allOf": [{}true]}}"#, "{},".repeat(60_000)),
            "/allOf/49999",
            "has too many schemas in it",
        ),
    ] {
        let error = compile(&schema).unwrap_err();
        assert_eq!((error.path.as_str(), error.reason.as_str()), (path, reason));
    }
    assert!(headers(&format!(r#"{{"allOf": [{}true]}}"#, "{},".repeat(60_000))).is_err());
}

#[test]
fn many_references_into_a_large_document_do_not_read_it_each_time() {
    let definitions: Vec<String> =
        (0..10_000).map(|number| format!(r#""d{number}":{{"minimum":{number}}}"#)).collect();
    let references: Vec<String> =
        (0..10_000).map(|number| format!(r##"{{"$ref":"#/$defs/d{number}"}}"##)).collect();
    let schema =
        format!(r#"{{"$defs":{{{}}},"allOf":[{}]}}"#, definitions.join(","), references.join(","));
    assert_eq!(verdict(&schema, "9999"), Verdict::Valid);
    assert_eq!(verdict(&schema, "9998"), Verdict::Invalid);
}
