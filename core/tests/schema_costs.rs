//! What schemas, names, literals and patterns cost: as much as they read, and never the square of it.
//!
//! No assertion is on time. A test that does not end shows a bound that does not hold.

#![expect(clippy::unwrap_used, reason = "a schema that does not compile has failed")]

use mcplite_core::schema::{CompileOptions, Schema, SchemaError, Verdict, headers};

fn compile(schema: &str) -> Result<Schema, SchemaError> {
    Schema::compile(schema, &CompileOptions::default())
}

fn verdict(schema: &str, json: &str) -> Verdict {
    compile(schema).unwrap().check(json).unwrap()
}

#[test]
fn asking_what_was_evaluated_costs_what_it_reads() {
    // For each of the members the object is searched for the one that the others depend on.
    let schema = r#"{
        "dependentSchemas": {"last": {"patternProperties": {"^x": {"type": "integer"}}}},
        "properties": {"last": true},
        "unevaluatedProperties": false
    }"#;
    let object = |count: usize| {
        let members: Vec<String> = (0..count).map(|number| format!("\"x{number}\":1")).collect();
        format!("{{{},\"last\":1}}", members.join(","))
    };
    assert_eq!(verdict(schema, &object(100)), Verdict::Valid);
    assert_eq!(verdict(schema, &object(100_000)), Verdict::OutOfSteps);
    // For each alternative the element is read by its `contains`.
    let contains = r#"{"minContains":0,"contains":{"items":{"type":"string"}}}"#;
    let schema =
        format!(r#"{{"anyOf":[true,{}],"unevaluatedItems":true}}"#, [contains; 10_000].join(","));
    assert_eq!(verdict(&schema, r#"[["", 1]]"#), Verdict::Valid);
    let long = format!("[[{}1]]", "\"\",".repeat(100_000));
    assert_eq!(verdict(&schema, &long), Verdict::OutOfSteps);
}

#[test]
fn comparing_with_large_literals_costs_what_it_reads() {
    let members =
        |count: usize| (0..count).map(|number| format!("\"n{number}\":0")).collect::<Vec<_>>();
    let object = |members: &[String]| format!("{{{}}}", members.join(","));
    // Two orders of the same members are compared by searching for each of them.
    let forth = members(30_000);
    let back: Vec<String> = forth.iter().rev().cloned().collect();
    let schema = format!(r#"{{"enum":[{}],"const":{}}}"#, object(&forth), object(&back));
    let error = compile(&schema).unwrap_err();
    assert_eq!(error.path, "/const");
    assert_eq!(error.reason, "is too large to be compared with `enum`; keep one of the two");
    // A short value makes the whole of the literal be read.
    let long = "x".repeat(500_000);
    for (literal, value) in [
        (object(&members(40_000)), r#"{"z":0}"#),
        (format!("[\"{long}\"]"), r#"["a"]"#),
        (format!("[{}]", "9".repeat(500_000)), "[0]"),
    ] {
        let schema = format!(r#"{{"items":{{"not":{{"enum":[{literal}]}}}}}}"#);
        assert_eq!(verdict(&schema, &format!("[{value}]")), Verdict::Valid);
        let many = format!("[{}]", vec![value; 20_000].join(","));
        assert_eq!(verdict(&schema, &many), Verdict::OutOfSteps);
    }
}

#[test]
fn comparing_with_a_long_bound_costs_steps() {
    let schema = format!(r#"{{"items":{{"maximum":{}}}}}"#, "9".repeat(1_000_000));
    assert_eq!(verdict(&schema, "[1, 2]"), Verdict::Valid);
    let many = format!("[{}]", ["1"; 100_000].join(","));
    assert_eq!(verdict(&schema, &many), Verdict::OutOfSteps);
}

#[test]
fn matching_costs_what_it_takes() {
    // Too large for a table: all of the instructions are at work at each character.
    let schema = r#"{"pattern": "[ab]*a[ab]{1900}x"}"#;
    assert_eq!(verdict(schema, &format!("\"{}\"", "a".repeat(1000))), Verdict::Invalid);
    assert_eq!(verdict(schema, &format!("\"{}\"", "a".repeat(1_000_000))), Verdict::OutOfSteps);
    // Small, but a thousand of them for each name.
    let patterns: Vec<String> =
        (0..1000).map(|number| format!(r#""^(a|b)*{number}$":true"#)).collect();
    let schema = format!(r#"{{"patternProperties":{{{}}}}}"#, patterns.join(","));
    let long = format!(r#"{{"{}":1}}"#, "ab".repeat(500_000));
    assert_eq!(verdict(&schema, r#"{"ab": 1}"#), Verdict::Valid);
    assert_eq!(verdict(&schema, &long), Verdict::OutOfSteps);
    let members: Vec<String> = (0..100_000).map(|number| format!("\"a{number}\":1")).collect();
    assert_eq!(verdict(&schema, &format!("{{{}}}", members.join(","))), Verdict::OutOfSteps);
}

#[test]
fn unique_arrays_in_unique_arrays_cost_what_they_read() {
    let schema = r##"{"uniqueItems": true, "items": {"$ref": "#"}}"##;
    let numbers: Vec<String> = (0..200_000).map(|number| format!("{number}.5")).collect();
    let nested = |levels: usize| {
        format!("{}{}{}", "[".repeat(levels), numbers.join(","), "]".repeat(levels))
    };
    assert_eq!(verdict(schema, &nested(2)), Verdict::Valid);
    assert_eq!(verdict(schema, &nested(60)), Verdict::OutOfSteps);
}

#[test]
fn rules_with_many_names_cost_steps_for_each_object() {
    let names =
        |count: usize| (0..count).map(|number| format!("\"n{number}\"")).collect::<Vec<_>>();
    let properties: Vec<String> = names(40_000).iter().map(|name| format!("{name}:true")).collect();
    let properties =
        format!(r#"{{"properties":{{{}}},"additionalProperties":false}}"#, properties.join(","));
    let dependents = format!(r#"{{"dependentRequired":{{"a":[{}]}}}}"#, names(20_000).join(","));
    let empty = format!("[{}]", ["{}"; 200_000].join(","));
    for schema in [&properties, &dependents] {
        let schema = format!(r#"{{"items":{schema}}}"#);
        assert_eq!(verdict(&schema, "[{}, {}]"), Verdict::Valid);
        assert_eq!(verdict(&schema, &empty), Verdict::OutOfSteps);
    }
    // Clipped, all of these names are the same, so that they are one violation and never enough.
    let start = "x".repeat(80);
    let members: Vec<String> = (0..20_000).map(|number| format!("\"{start}{number}\":1")).collect();
    let schema = compile(&properties).unwrap();
    let violations = schema.validate(&format!("{{{}}}", members.join(","))).unwrap_err();
    let keywords: Vec<&str> = violations.iter().map(|violation| violation.keyword).collect();
    assert_eq!(keywords, ["additionalProperties", "steps"]);
}

#[test]
fn many_dynamic_anchors_are_found_without_squaring() {
    let resources = |anchor: &dyn Fn(usize) -> String| {
        let resources: Vec<String> = (0..10_000)
            .map(|number| {
                let anchor = anchor(number);
                format!(
                    r##""{number}":{{"$id":"r{number}","$dynamicAnchor":"{anchor}","items":{{"$dynamicRef":"#{anchor}"}}}}"##
                )
            })
            .collect();
        format!(
            r#"{{"$id":"http://example.com/","items":{{"$ref":"r7"}},"$defs":{{{}}}}}"#,
            resources.join(",")
        )
    };
    let json = format!("[[{}[]]]", "[],".repeat(100_000));
    for schema in [resources(&|number| format!("a{number}")), resources(&|_| "a".to_owned())] {
        assert_eq!(verdict(&schema, &json), Verdict::Valid);
    }
}

#[test]
fn a_long_name_is_not_repeated_with_every_violation() {
    let schema = compile(r#"{"additionalProperties": {"items": {"type": "integer"}}}"#).unwrap();
    let name = "k".repeat(1_000_000);
    let strings = format!(r#"{{"{name}":[{}]}}"#, ["\"1\""; 2000].join(","));
    let coerced = schema.coerce(&strings).unwrap();
    assert_eq!(coerced, format!(r#"{{"{name}":[{}]}}"#, ["1"; 2000].join(",")));
    let twice = format!(r#"{{"{name}":[{{"a":1,"a":1}}, "1"]}}"#);
    let tree = compile(r##"{"additionalProperties": {"$ref": "#"}, "items": {"$ref": "#"}}"##);
    let violations = schema.validate(&strings).unwrap_err();
    let twice = tree.unwrap().validate(&twice).unwrap_err();
    for violation in violations.iter().chain(&twice) {
        assert!(violation.instance_path.len() < 100, "{:.200}", violation.instance_path);
        assert!(violation.instance_path.contains("kkk…/"));
    }
}

#[test]
fn a_long_name_above_many_properties_is_not_repeated_for_each() {
    let schema = |inner: &dyn Fn(usize) -> String| {
        let properties: Vec<String> = (0..10_000).map(inner).collect();
        let name = "k".repeat(400_000);
        format!(r#"{{"properties":{{"{name}":{{"properties":{{{}}}}}}}}}"#, properties.join(","))
    };
    assert_eq!(headers(&schema(&|number| format!(r#""{number}":{{}}"#))), Ok(Vec::new()));
    let annotated =
        |number| format!(r#""{number}":{{"type":"string","x-mcp-header":"H{number}"}}"#);
    let error = headers(&schema(&annotated)).unwrap_err();
    assert_eq!(error.reason, "the names that lead to the header parameters are too long");
}

#[test]
fn a_long_uri_is_not_repeated_for_each_embedded_schema() {
    let schema = |length: usize, count: usize| {
        let embedded: Vec<String> =
            (0..count).map(|number| format!(r#""{number}":{{"$id":"{number}"}}"#)).collect();
        let base = format!("http://example.com/{}/", "x".repeat(length));
        format!(r#"{{"$id":"{base}","$defs":{{{}}}}}"#, embedded.join(","))
    };
    assert!(compile(&schema(1000, 1000)).is_ok());
    for (length, count) in [(400_000, 1), (4000, 10_000)] {
        let error = compile(&schema(length, count)).unwrap_err();
        assert!(error.reason.ends_with("… is too long"), "{error}");
    }
}

#[test]
fn the_time_for_all_patterns_together_is_bounded() {
    let all = |pattern: &dyn Fn(usize) -> String, count: usize| {
        let schemas: Vec<String> =
            (0..count).map(|number| format!(r#"{{"pattern":"{}"}}"#, pattern(number))).collect();
        format!(r#"{{"allOf":[{}]}}"#, schemas.join(","))
    };
    // Each of them is given up as a table after a million steps.
    let explosive = all(&|number| format!("(a|b)*a(a|b){{60}}{number}"), 1000);
    assert_eq!(verdict(&explosive, "\"a\""), Verdict::Invalid);
    // Each of them names classes of many ranges.
    let named = all(&|number| format!("\\\\p{{L}}\\\\p{{Ll}}\\\\p{{Lu}}{number}"), 200);
    assert_eq!(verdict(&named, "\"a\""), Verdict::Invalid);
    // Those that are left to the host count too.
    let mut options = CompileOptions::default();
    options.host_enforces = true;
    let left_out = all(&|number| format!("(?={number})"), 2000);
    let error = Schema::compile(&left_out, &options).unwrap_err();
    assert_eq!(error.reason, "the schema has more than 1000 regular expressions");
}

#[test]
fn names_made_to_have_the_same_hash_are_refused() {
    // Eight bytes are hashed by one multiplication, which can be undone.
    let inverse = (0..6).fold(HASH_FACTOR, |inverse: u64, _| {
        inverse.wrapping_mul(2_u64.wrapping_sub(HASH_FACTOR.wrapping_mul(inverse)))
    });
    let is_plain = |byte: &u8| byte.is_ascii_graphic() && !b"\"\\".contains(byte);
    let colliding = (0_u64..1 << 32).filter_map(|low| {
        let low = low.wrapping_mul(0x9E37_79B1) & 0xFFFF_FFFF;
        let name = (low.wrapping_mul(inverse) ^ 8).rotate_right(5).to_le_bytes();
        let name = String::from_utf8(name.to_vec()).ok()?;
        name.bytes().all(|byte| is_plain(&byte)).then_some(name)
    });
    let colliding: Vec<String> = colliding.take(1000).map(|name| format!("\"{name}\"")).collect();
    let properties: Vec<String> = colliding.iter().map(|name| format!("{name}:true")).collect();
    for schema in [
        format!(r#"{{"properties":{{{}}}}}"#, properties.join(",")),
        format!(r#"{{"enum":[{}]}}"#, colliding.join(",")),
    ] {
        let error = compile(&schema).unwrap_err();
        assert_eq!(error.reason, "has names that are made to have the same hash");
    }
}

/// What `schema::names` multiplies by.
const HASH_FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

#[test]
fn numbered_names_do_not_collide() {
    for width in 0..12 {
        let names: Vec<String> =
            (0..20_000).map(|number| format!("\"name{number:0width$}\"")).collect();
        let schema = format!(r#"{{"enum":[{}]}}"#, names.join(","));
        assert_eq!(verdict(&schema, names.last().unwrap()), Verdict::Valid);
    }
}

#[test]
fn a_large_schema_must_not_be_nested_deeply_throughout() {
    let nested = |levels: usize, count: usize| {
        let open = "{\"not\":".repeat(levels);
        format!("{open}{{\"x\":[{}1]}}{}", "[],".repeat(count), "}".repeat(levels))
    };
    for (levels, count) in [(120, 1000), (10, 250_000)] {
        assert!(compile(&nested(levels, count)).is_ok());
        assert_eq!(headers(&nested(levels, count)), Ok(Vec::new()));
    }
    let deep = nested(120, 250_000);
    assert_eq!(compile(&deep).unwrap_err().reason, "is nested too deeply for its size");
    assert_eq!(headers(&deep).unwrap_err().reason, "is nested too deeply for its size");
}
