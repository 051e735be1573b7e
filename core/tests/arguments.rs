//! Arguments that a handler asks for: the same however they are written, and whoever has read them before.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds something else than it expects has failed"
)]

mod support;

use std::sync::{Arc, Mutex};

use mcplite_core::{Call, Failure, Item, Server, Session};
use proptest::prelude::*;
use serde_json::Value;
use support::{exchange, initialize};

/// More properties than are remembered, and names that are long, need an escape, or look like JSON.
const NAMES: [&str; 14] = [
    "a",
    "bb",
    "ccc",
    "text",
    "count",
    "a name that is longer than two words",
    "thirteen_long",
    "quote\"d",
    "a\":1,\"bb",
    "\u{e9}t\u{e9}",
    "ten",
    "eleven",
    "twelve",
    "absent",
];

const VALUES: [&str; 12] = [
    "null",
    "true",
    "3",
    "-2.50",
    "\"\"",
    "\"plain\"",
    "\"with \\\"quotes\\\" and \\u00e9\"",
    "\"\u{e9}\"",
    "{\"a\":1,\"text\":\"inner\",\"bb\":{\"a\":2}}",
    "[{\"a\":\"in a list\"}]",
    "\"a sentence that is longer than what is looked at at once\"",
    "1e2",
];

/// What a handler found at each name.
type Seen = Arc<Mutex<Vec<(String, Option<String>, Option<String>)>>>;

fn look(call: &Call, seen: &Seen) -> Result<(), Failure> {
    let all: Value = serde_json::from_str(call.arguments()).unwrap();
    for name in NAMES {
        let json = call.arg_json(name);
        let text = call.arg_str(name);
        // Whatever is known beforehand, it is what stands in the arguments.
        let expected = all.get(name);
        assert_eq!(
            json.map(|json| serde_json::from_str(json).unwrap()).as_ref(),
            expected,
            "{name}"
        );
        assert_eq!(json.map(str::trim), json, "{name}");
        assert_eq!(text.as_deref(), expected.and_then(Value::as_str), "{name}");
        assert_eq!(call.arg_bool(name), expected.and_then(Value::as_bool), "{name}");
        assert_eq!(call.arg_f64(name), expected.and_then(Value::as_f64), "{name}");
        let owned = text.map(|text| text.into_owned());
        seen.lock().unwrap().push((name.to_owned(), json.map(str::to_owned), owned));
    }
    assert_eq!(call.arg_json(""), Some(call.arguments()));
    assert_eq!(call.arg_json("/a").is_some(), all.get("a").is_some());
    Ok(call.reply_text("seen")?)
}

/// Schemas that read arguments in their several ways, and none that refuses any.
const SCHEMAS: [&str; 6] = [
    r#"{"type":"object"}"#,
    r#"{"type":"object","properties":{"a":{},"bb":{},"ccc":{},"text":{},"count":{}}}"#,
    r#"{"type":"object","properties":{"a":{},"bb":{},"ccc":{},"text":{},"count":{},"thirteen_long":{},
        "a name that is longer than two words":{},"quote\"d":{},"ten":{},"eleven":{},"twelve":{}}}"#,
    r#"{"type":"object","allOf":[{"properties":{"a":{}}},{"properties":{"text":{}}}]}"#,
    r#"{"type":"object","anyOf":[{"type":"object","properties":{"bb":{"const":"no such value"}},"required":["bb"]},
        {"type":"object"}]}"#,
    r#"{"type":"object","patternProperties":{"^t":{}},"properties":{"a":{}}}"#,
];

fn server(seen: &Seen) -> Server {
    let server = Server::new("arguments", "1").unwrap();
    let item = |name: String| {
        let seen = Arc::clone(seen);
        Item::tool(&name).on_call(move |call: &Call| look(call, &seen))
    };
    for (number, schema) in SCHEMAS.into_iter().enumerate() {
        server.register(item(format!("t{number}")).input_schema(schema)).unwrap();
    }
    server.register(item("unchecked".to_owned())).unwrap();
    server
}

/// Calls every tool with the arguments, and with the two in either order; all handlers see the same.
fn all_see_the_same(arguments: &str) {
    let seen = Seen::default();
    let server = server(&seen);
    let session = Session::new(&server).unwrap();
    initialize(&session, "2025-11-25");
    let names = (0..SCHEMAS.len()).map(|number| format!("t{number}"));
    let mut first = None;
    for name in names.chain(["unchecked".to_owned()]) {
        for params in [
            format!(r#"{{"name":"{name}","arguments":{arguments}}}"#),
            format!(r#"{{"arguments":{arguments},"name":"{name}"}}"#),
            format!(r#"{{ "_meta":{{"a\tb":1}}, "name":"{name}", "arguments": {arguments} }}"#),
        ] {
            let call =
                format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
            let answers = exchange(&session, &call);
            assert!(
                answers.iter().all(|it| it.contains(r#""text":"seen""#)),
                "{call}: {answers:?}"
            );
            let seen = std::mem::take(&mut *seen.lock().unwrap());
            assert_eq!(seen.len(), NAMES.len());
            assert_eq!(first.get_or_insert_with(|| seen.clone()), &seen, "{call}");
        }
    }
}

#[test]
fn arguments_are_found_however_they_are_written() {
    for arguments in [
        "{}",
        "{ }",
        r#"{"text":"a sentence of usual length for a tool","count":3}"#,
        r#"{"text":null,"count":0}"#,
        r#"{"t\u0065xt":"an escape in the name","count":3}"#,
        r#"{"text":"an escape\nin the value","count":3}"#,
        r#"{"count":3,"text":"an \"escape\" behind it"}"#,
        r#"{"a":{"text":"inner","count":7},"text":"outer","count":3}"#,
        r#"{"a":{"text":"inner","count":7}}"#,
        r#"{"unknown":{"text":"inner"},"a":[{"text":"inner"}],"text":"outer"}"#,
        r#"{ "text" : "spaced" , "count" : 3 , "a" : [ 1 , 2 ] }"#,
        "{\n\t\"text\":\n\"broken\"\n,\n\"count\"\n:3\n}",
        r#"{"a":1,"bb":2,"ccc":3,"text":"4","count":5,"thirteen_long":6,"ten":7,"eleven":8,"twelve":9,
            "a name that is longer than two words":10,"quote\"d":11}"#,
        r#"{"one":1,"two":2,"three":3,"four":4,"five":5,"six":6,"seven":7,"eight":8,"text":"the ninth"}"#,
        r#"{"one":1,"two":2,"three":3,"four":4,"five":5,"six":6,"seven":7,"eight":8}"#,
        r#"{"a":1,"bb":2}"#,
        r#"{"a\":1,\"bb":3,"a":1}"#,
        "{\"\u{e9}t\u{e9}\":\"\u{e9}\",\"text\":\"\u{1f980}\"}",
        r#"{"te":1,"tex":2,"texts":3}"#,
    ] {
        all_see_the_same(arguments);
    }
}

#[test]
fn coerced_arguments_are_read_from_what_takes_their_place() {
    let server = Server::new("arguments", "1").unwrap();
    let schema =
        r#"{"type":"object","properties":{"n":{"type":"integer"},"text":{"type":"string"}}}"#;
    let answer = |call: &Call| {
        let (n, text) = (call.arg_i64("n"), call.arg_str("text").map(|text| text.into_owned()));
        Ok(call.reply_text(&format!("{n:?} {text:?} {:?}", call.arg_json("n")))?)
    };
    server.register(Item::tool("t").input_schema(schema).coerce(true).on_call(answer)).unwrap();
    let session = Session::new(&server).unwrap();
    initialize(&session, "2025-11-25");
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"n":"17","text":"x"}}}"#;
    let answers = exchange(&session, call);
    assert!(answers.concat().contains(r#"Some(17) Some(\"x\") Some(\"17\")"#), "{answers:?}");
}

#[test]
fn a_method_of_the_host_reads_all_of_params() {
    let server = Server::new("arguments", "1").unwrap();
    let schema = r#"{"type":"object","properties":{"text":{"type":"string"}}}"#;
    let nobody = |call: &Call| Ok(call.reply_text("the tool itself")?);
    server.register(Item::tool("t").input_schema(schema).on_call(nobody)).unwrap();
    let answer = |call: &Call| {
        let found = (call.arg_json("text"), call.arg_json("name"), call.arg_json("arguments"));
        Ok(call.reply_text(&format!("{found:?}"))?)
    };
    server.register(Item::method("tools/call").on_call(answer)).unwrap();
    let session = Session::new(&server).unwrap();
    initialize(&session, "2025-11-25");
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"text":"x"}}}"#;
    let answers = exchange(&session, call).concat();
    let expected = format!("{:?}", (None::<&str>, Some("\"t\""), Some("{\"text\":\"x\"}")));
    let answer: Value = serde_json::from_str(&answers).unwrap();
    assert_eq!(answer.pointer("/result/content/0/text").unwrap(), &expected, "{answers}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn arguments_are_found_wherever_they_stand(
        order in Just((0..NAMES.len() - 1).collect::<Vec<usize>>()).prop_shuffle(),
        count in 0..NAMES.len(),
        values in prop::collection::vec(0..VALUES.len(), NAMES.len()),
        spaces in prop::collection::vec(prop::sample::select(vec!["", "", "", " ", "\n\t"]), NAMES.len()),
        escaped in prop::collection::vec(prop::bool::weighted(0.1), NAMES.len()),
    ) {
        let members = order.iter().take(count).map(|place| {
            let at = |list: &[&'static str]| list.get(*place).copied().unwrap();
            let (name, space) = (at(&NAMES), spaces.get(*place).copied().unwrap());
            let value = VALUES.get(*values.get(*place).unwrap()).unwrap();
            let written = serde_json::to_string(name).unwrap();
            let written = match escaped.get(*place) {
                Some(true) => written.replace('e', "\\u0065"),
                _ => written,
            };
            format!("{space}{written}{space}:{space}{value}{space}")
        });
        all_see_the_same(&format!("{{{}}}", members.collect::<Vec<_>>().join(",")));
    }
}
