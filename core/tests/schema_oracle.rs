//! Random schemas and random values, judged by us and by the `jsonschema` crate.
//!
//! Both draw from a small world of names, strings and numbers, so that rules meet values often. What the
//! two are known to disagree on is not generated:
//! numbers beyond 2^53 and exponents, which the crate compares as doubles; `format`, which is an
//! annotation here; schemas that apply themselves to the same value, which we refuse.

#![expect(clippy::unwrap_used, reason = "a schema that does not compile has failed")]

use jsonschema::Draft;
use mcplite_core::schema::{CompileOptions, Schema};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::strategy::Union;
use serde_json::{Map, Value, json};

const NAMES: [&str; 5] = ["a", "b", "ab", "é", "c/d~"];

fn name() -> impl Strategy<Value = String> {
    select(NAMES.as_slice()).prop_map(str::to_owned)
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..6).prop_map(Value::from),
        select([0.5, 1.0, 1.5, 2.0, -1.5, 0.1].as_slice()).prop_map(Value::from),
        select(["", "a", "ab", "b", "\u{e9}", "aab", "\u{1f600}", "\"q\""].as_slice())
            .prop_map(Value::from),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((name(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn type_name() -> impl Strategy<Value = Value> {
    let names = ["null", "boolean", "integer", "number", "string", "array", "object"];
    prop_oneof![
        select(names.to_vec()).prop_map(Value::from),
        subsequence(names.to_vec(), 1..4).prop_map(Value::from),
    ]
}

type Keyword = (String, Value);

fn keyword(
    name: &'static str,
    value: impl Strategy<Value = Value> + 'static,
) -> BoxedStrategy<Keyword> {
    value.prop_map(move |value| (name.to_owned(), value)).boxed()
}

fn small() -> impl Strategy<Value = Value> {
    (0_u64..4).prop_map(Value::from)
}

fn names() -> impl Strategy<Value = Value> {
    subsequence(NAMES.to_vec(), 0..3).prop_map(Value::from)
}

fn pattern() -> impl Strategy<Value = String> {
    select(["^a", "b$", "^.$", "a+b", "[ab]", "\u{e9}"].as_slice()).prop_map(str::to_owned)
}

fn assertion() -> BoxedStrategy<Keyword> {
    let number = || select([-1.5, 0.0, 1.0, 1.5, 3.0].as_slice()).prop_map(Value::from);
    let divisor = select([0.5, 1.0, 2.0, 0.1, 3.0].as_slice()).prop_map(Value::from);
    Union::new([
        keyword("type", type_name()),
        keyword("type", type_name()),
        keyword("type", type_name()),
        keyword("const", value()),
        keyword("enum", vec(value(), 1..4).prop_map(Value::from)),
        keyword("minimum", number()),
        keyword("maximum", number()),
        keyword("exclusiveMinimum", number()),
        keyword("exclusiveMaximum", number()),
        keyword("multipleOf", divisor),
        keyword("minLength", small()),
        keyword("maxLength", small()),
        keyword("pattern", pattern().prop_map(Value::from)),
        keyword("minItems", small()),
        keyword("maxItems", small()),
        keyword("uniqueItems", any::<bool>().prop_map(Value::from)),
        keyword("minProperties", small()),
        keyword("maxProperties", small()),
        keyword("required", names()),
    ])
    .boxed()
}

fn named_schemas(inner: &BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    vec((name(), inner.clone()), 1..4)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
        .boxed()
}

fn applicator(inner: &BoxedStrategy<Value>) -> Vec<BoxedStrategy<Keyword>> {
    let list = || vec(inner.clone(), 1..4).prop_map(Value::from);
    let patterns = vec((pattern(), inner.clone()), 1..3);
    vec![
        keyword("properties", named_schemas(inner)),
        keyword("properties", named_schemas(inner)),
        keyword(
            "patternProperties",
            patterns.prop_map(|members| Value::Object(members.into_iter().collect())),
        ),
        keyword("additionalProperties", inner.clone()),
        keyword("propertyNames", inner.clone()),
        keyword("items", inner.clone()),
        keyword("contains", inner.clone()),
        keyword("allOf", list()),
        keyword("anyOf", list()),
        keyword("oneOf", list()),
        keyword("not", inner.clone()),
        keyword("if", inner.clone()),
        keyword("then", inner.clone()),
        keyword("else", inner.clone()),
    ]
}

/// Keywords of one dialect only.
fn special(draft: Draft, inner: &BoxedStrategy<Value>) -> Vec<BoxedStrategy<Keyword>> {
    let list = || vec(inner.clone(), 1..4).prop_map(Value::from);
    let lists_by_name = vec((name(), names()), 1..3)
        .prop_map(|members| Value::Object(members.into_iter().collect()));
    if draft == Draft::Draft7 {
        let dependency = prop_oneof![inner.clone(), names()];
        let dependencies = vec((name(), dependency), 1..3)
            .prop_map(|members| Value::Object(members.into_iter().collect()));
        return vec![
            keyword("items", list()),
            keyword("additionalItems", inner.clone()),
            keyword("dependencies", dependencies),
        ];
    }
    vec![
        keyword("prefixItems", list()),
        keyword("minContains", small()),
        keyword("maxContains", small()),
        keyword("dependentRequired", lists_by_name),
        keyword("dependentSchemas", named_schemas(inner)),
        keyword("unevaluatedProperties", inner.clone()),
        keyword("unevaluatedProperties", Just(Value::Bool(false))),
        keyword("unevaluatedItems", inner.clone()),
        keyword("unevaluatedItems", Just(Value::Bool(false))),
    ]
}

/// A schema; `targets` are what its references may lead to.
fn schema(draft: Draft, targets: &'static [&'static str]) -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        1 => any::<bool>().prop_map(Value::from),
        6 => vec(assertion(), 1..3).prop_map(object),
    ];
    leaf.prop_recursive(3, 24, 4, move |inner| {
        let inner = inner.boxed();
        let mut keywords = applicator(&inner);
        keywords.extend(special(draft, &inner));
        if !targets.is_empty() {
            keywords.push(keyword("$ref", select(targets).prop_map(Value::from)));
            // The whole schema again, but for a value inside.
            let again = name().prop_map(|name| json!({name: {"$ref": "#"}}));
            keywords.push(keyword("properties", again));
        }
        let keyword = prop_oneof![1 => assertion(), 3 => Union::new(keywords)];
        vec(keyword, 1..5).prop_map(object)
    })
    .boxed()
}

fn object(keywords: Vec<Keyword>) -> Value {
    Value::Object(keywords.into_iter().collect::<Map<String, Value>>())
}

/// A whole schema with two definitions, the second of which the first may refer to.
fn document(draft: Draft) -> impl Strategy<Value = Value> {
    let (uri, definitions) = match draft {
        Draft::Draft7 => ("http://json-schema.org/draft-07/schema#", "definitions"),
        _ => ("https://json-schema.org/draft/2020-12/schema", "$defs"),
    };
    let both: &'static [&'static str] = match draft {
        Draft::Draft7 => &["#/definitions/d0", "#/definitions/d1"],
        _ => &["#/$defs/d0", "#/$defs/d1"],
    };
    let last = both.get(1..).unwrap();
    (schema(draft, both), schema(draft, last), schema(draft, &[])).prop_map(
        move |(root, d0, d1)| {
            let mut root = match root {
                Value::Object(members) => members,
                boolean => Map::from_iter([("allOf".to_owned(), json!([boolean]))]),
            };
            root.insert("$schema".to_owned(), uri.into());
            root.insert(definitions.to_owned(), json!({"d0": d0, "d1": d1}));
            Value::Object(root)
        },
    )
}

fn agree(draft: Draft, schema: &Value, values: &[Value]) -> Result<(), TestCaseError> {
    let text = schema.to_string();
    let ours = match Schema::compile(&text, &CompileOptions::default()) {
        Ok(ours) => ours,
        Err(error) => return Err(TestCaseError::fail(format!("{error}\n{text}"))),
    };
    let theirs = jsonschema::options().with_draft(draft).build(schema).unwrap();
    for value in values {
        let json = value.to_string();
        let expected = theirs.is_valid(value);
        prop_assert_eq!(ours.is_valid(&json), expected, "{} by {}", json, text);
        match ours.validate(&json) {
            Ok(()) => prop_assert!(expected, "{} by {}", json, text),
            Err(violations) => {
                prop_assert!(!expected && !violations.is_empty(), "{} by {}", json, text)
            }
        }
        if let Some(coerced) = ours.coerce(&json) {
            prop_assert!(!expected && ours.is_valid(&coerced), "{} by {}", json, text);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 800, ..ProptestConfig::default() })]

    #[test]
    fn agrees_on_draft_2020_12(schema in document(Draft::Draft202012), values in vec(value(), 6)) {
        agree(Draft::Draft202012, &schema, &values)?;
    }

    #[test]
    fn agrees_on_draft_7(schema in document(Draft::Draft7), values in vec(value(), 6)) {
        agree(Draft::Draft7, &schema, &values)?;
    }
}
