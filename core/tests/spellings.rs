//! One message, however it is written: order of members, white space, escapes.

#![expect(
    clippy::string_slice,
    reason = "a test that finds something else than it expects has failed"
)]

mod support;

use mcplite_core::{Call, Item};
use proptest::prelude::*;
use serde_json::Value;
use support::drain;
use support::interview::*;

fn space() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["", "", "", " ", "\t", " \n "])
}

/// A name as it may be written.
fn written(name: &str, escape: Option<usize>) -> String {
    let mut out = String::from("\"");
    for (index, byte) in name.chars().enumerate() {
        if Some(index) == escape {
            out.push_str(&format!("\\u{:04x}", byte as u32));
        } else {
            out.push(byte);
        }
    }
    out + "\""
}

fn value() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "1",
        "null",
        "true",
        r#""s""#,
        r#""\u0041""#,
        "-0.5e3",
        "[]",
        "{}",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|all| format!("[{}]", all.join(", "))),
            prop::collection::vec((prop::sample::select(vec!["a", "b", "n", "name"]), inner), 0..4)
                .prop_map(|all| format!(
                    "{{{}}}",
                    all.iter().map(|(k, v)| format!("\"{k}\" :{v}")).collect::<Vec<_>>().join(",")
                )),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6000))]

    #[test]
    fn the_answer_does_not_depend_on_order_or_spacing(
        a in value(), n in prop_oneof![Just("3".to_owned()), value()],
        tool in prop::sample::select(vec![r#""t""#, r#""u""#, r#""\u0074""#, r#""none""#, "5", "null"]),
        arguments in prop_oneof![3 => Just(None), 1 => value().prop_map(Some)],
        extra in prop::option::of(value()), twice: bool,
        order in Just((0..4).collect::<Vec<usize>>()).prop_shuffle(),
        outer in Just((0..4).collect::<Vec<usize>>()).prop_shuffle(),
        escape in prop::option::of(0..9usize), gap in space(), gap2 in space(), bom: bool,
    ) {
        let server = server();
        let schema = r#"{"type":"object","properties":{"n":{"type":"integer"},"a":{"type":["array","object","string"]}},"required":["n"],"additionalProperties":{"type":"array"}}"#;
        server.register(Item::tool("t").input_schema(schema).on_call(|call: &Call| {
            let all = format!("{} {:?} {:?}", call.arguments().replace([' ', '\t', '\n'], ""), call.arg_json("n"), call.arg_json("a"));
            Ok(call.reply_text(&all)?)
        })).unwrap();
        server.register(Item::tool("u").on_call(|call: &Call| Ok(call.reply_text(&format!("{:?}", call.arg_json("name")))?))).unwrap();
        let session = legacy(&server, "2025-11-25");
        let arguments = arguments.unwrap_or_else(|| format!(r#"{{"n":{n},"a":{a}}}"#));
        let say = |order: &[usize], outer: &[usize], escape: Option<usize>, gap: &str, gap2: &str, bom: bool| {
            let pair = |name: &str, value: &str| format!("{gap}{}{gap2}:{gap}{value}{gap2}", written(name, escape));
            let mut members = vec![pair("name", tool), pair("arguments", &arguments), pair("_meta", r#"{"progressToken":1}"#)];
            members.push(match (&extra, twice) {
                (Some(extra), true) => format!("{},{}", pair("x", extra), pair("x", extra)),
                (Some(extra), false) => pair("x", extra),
                (None, _) => pair("y", "1"),
            });
            let params: Vec<_> = order.iter().map(|index| members[*index].clone()).collect();
            let params = format!("{{{}}}", params.join(","));
            let envelope = [pair("jsonrpc", "\"2.0\""), pair("id", "1"), pair("method", "\"tools/call\""), pair("params", &params)];
            let envelope: Vec<_> = outer.iter().map(|index| envelope[*index].clone()).collect();
            let text = format!("{}{gap}{{{}}}{gap2}", if bom { "\u{feff}" } else { "" }, envelope.join(","));
            session.handle_message(text.as_bytes()).unwrap();
            drain(&session)
        };
        let usual = say(&[0, 1, 2, 3], &[0, 1, 2, 3], None, "", "", false);
        prop_assert_eq!(usual.len(), 1);
        prop_assert_eq!(&say(&order, &outer, escape, gap, gap2, bom), &usual);
    }

    #[test]
    fn what_is_cut_is_not_taken(n in value(), cut in 1..60usize, byte in 0..128u8) {
        let server = server();
        server.register(Item::tool("t").on_call(|call: &Call| Ok(call.reply_text("ok")?))).unwrap();
        let session = legacy(&server, "2025-11-25");
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"t","arguments":{{"n":{n}}}}}}}"#);
        let at = text.len() - cut.min(text.len() - 1);
        let valid = |text: &str| serde_json::from_str::<Value>(text).is_ok();
        for text in [text[..at].to_owned(), format!("{}{}{}", &text[..at], byte as char, &text[at..]), format!("{}{}", &text[..at], &text[at + 1..])] {
            session.handle_message(text.as_bytes()).unwrap();
            let sent = drain(&session).join("");
            let is_parse_error = sent.contains("-32700") || sent.is_empty();
            if !valid(&text) && !text.trim().is_empty() { prop_assert!(is_parse_error, "{} {}", text, sent); }
            if valid(&text) { prop_assert!(!sent.contains("-32700"), "{} {}", text, sent); }
        }
    }
}
