use proptest::prelude::*;

use super::*;
use crate::json::{Str, quoted};
use crate::options::Options;
use crate::registry::Catalog;

fn catalog() -> Catalog {
    Catalog::new(Options::new("test", "1"))
}

/// What a message is, in words.
fn class(text: &str) -> String {
    let catalog = catalog();
    let mut envelope = Envelope::default();
    if let Err(fault) = envelope.scan(text, 64, &catalog, &MetaCache::default()) {
        return format!("fault {:?}", fault.kind);
    }
    match envelope.classify(64) {
        Class::Request { id, method } => format!("request {} {}", id.as_json(), method.decode()),
        Class::Notification { method } => format!("notification {}", method.decode()),
        Class::Response { .. } => "response".to_owned(),
        Class::IdTooLong => "id too long".to_owned(),
        Class::Invalid { id, reason } => format!("{:?} {reason}", id.map(Id::as_json)),
    }
}

#[test]
fn messages_are_classified() {
    for (text, expected) in [
        (r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#, "request 1 a"),
        (r#"{"jsonrpc":"2.0","id":"1","m\u0065thod":"\u0061"}"#, "request \"1\" a"),
        (r#"{"method":"a","jsonrpc":"2.0"}"#, "notification a"),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "response"),
        (r#"{"id":[],"error":1,"error":2}"#, "response"),
        (r#"{"jsonrpc":"2.0","id":1}"#, "Some(\"1\") method is missing"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"a","id":1}"#, "None a member stands twice"),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"a","x":1,"x":1}"#,
            "Some(\"1\") a member stands twice",
        ),
        (r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#, "None id must be a string or an integer"),
        (r#"{"jsonrpc":"2.0","id":1.0,"method":"a"}"#, "None id must be a string or an integer"),
        ("[]", "None a message is a JSON object"),
        ("7", "None a message is a JSON object"),
    ] {
        assert_eq!(class(text), expected, "{text}");
    }
    let long = format!(r#"{{"jsonrpc":"2.0","id":"{}","method":"a"}}"#, "i".repeat(80));
    assert_eq!(class(&long), "id too long");
}

#[test]
fn params_know_where_their_members_stand() {
    let text = r#"{"params": {"x":1, "name" : "n", "_meta":{"progressToken": 7, "a":[]},
        "arguments":{"name":"inner"}}, "jsonrpc":"2.0","method":"m"}"#;
    let catalog = catalog();
    let mut envelope = Envelope::default();
    envelope.scan(text, 64, &catalog, &MetaCache::default()).unwrap();
    let (params, text) = (&envelope.params, envelope.params_text);
    assert_eq!(params.member(text, ParamKey::Name), Some("\"n\""));
    assert_eq!(params.member(text, ParamKey::Arguments), Some(r#"{"name":"inner"}"#));
    assert_eq!(params.member(text, ParamKey::Uri), None);
    assert_eq!(params.meta(text, MetaKey::ProgressToken), Some("7"));
    assert_eq!(params.meta(text, MetaKey::LogLevel), None);
    assert!(!params.duplicate);
}

#[test]
fn an_id_is_rescued_from_what_cannot_be_read() {
    let deep = "[".repeat(200) + &"]".repeat(200);
    for (text, id, complete) in [
        (format!(r#"{{"id": 7 , "method":"a","params":{deep}}}"#), Some("7"), true),
        (format!(r#"{{"method":"a","params":{deep}, "id" :"x\"y"}}"#), Some(r#""x\"y""#), true),
        (format!(r#"{{"params":{{"id":1,"p":{deep}}},"method":"a"}}"#), None, true),
        (format!(r#"{{"p":"\"id\":5,","q":{deep}}}"#), None, true),
        (r#"{"id":7,"method":"a","params":[[["#.to_owned(), Some("7"), false),
        ("[[[".to_owned(), None, false),
        (format!(r#"{{"id":"{}"}}"#, "i".repeat(100)), None, true),
    ] {
        let rescued = Rescue::whole(text.as_bytes(), 64);
        assert_eq!(rescued.id().map(Id::as_json), id, "{text}");
        assert_eq!(rescued.complete, complete, "{text}");
    }
    let response = Rescue::whole(br#"{"id":1,"result":{"method":1"#, 64);
    assert!(response.looks_like_response && !response.has_method && response.has_id);
}

fn json_id() -> impl Strategy<Value = String> {
    prop_oneof![
        "-?(0|[1-9][0-9]{0,20})",
        any::<String>().prop_filter("short", |text| text.len() < 20).prop_map(|text| quoted(&text)),
        "\"(\\\\u00[0-7][0-9a-f]|[a-z]){0,6}\"",
    ]
}

proptest! {
    #[test]
    fn every_legal_id_goes_back_as_it_came(id in json_id()) {
        let text = format!(r#"{{"jsonrpc":"2.0","method":"a","id":{id}}}"#);
        let catalog = catalog();
        let mut envelope = Envelope::default();
        envelope.scan(&text, 64, &catalog, &MetaCache::default()).unwrap();
        match envelope.classify(1024) {
            Class::Request { id: read, .. } => prop_assert_eq!(read.as_json(), &id),
            _ => prop_assert!(false, "{} is not a request", text),
        }
        let rescued = Rescue::whole(text.as_bytes(), 1024);
        prop_assert_eq!(rescued.id().map(Id::as_json), Some(&*id));
    }

    #[test]
    fn ids_match_if_they_are_the_same_value_of_the_same_kind(one in json_id(), two in json_id()) {
        let value = |id: &str| match Str::from_json(id) {
            Some(text) => (true, text.decode().into_owned()),
            None => (false, id.to_owned()),
        };
        let (a, b) = (Id::from_json(&one).unwrap(), Id::from_json(&two).unwrap());
        prop_assert_eq!(a.matches(b), value(&one) == value(&two));
        prop_assert!(a.matches(a));
    }

    #[test]
    fn a_name_that_stands_twice_is_noticed_in_any_crowd(names in prop::collection::vec("[a-c]{1,3}", 0..30)) {
        let members: Vec<_> = names.iter().map(|name| format!("{}:1", quoted(name))).collect();
        let text = format!(r#"{{"jsonrpc":"2.0","method":"m","params":{{{}}}}}"#, members.join(","));
        let catalog = catalog();
        let mut envelope = Envelope::default();
        envelope.scan(&text, 64, &catalog, &MetaCache::default()).unwrap();
        let mut sorted = names.clone();
        sorted.sort();
        sorted.dedup();
        prop_assert_eq!(envelope.params.duplicate, sorted.len() < names.len());
    }

    #[test]
    fn rescuing_in_pieces_is_rescuing_at_once(text in "[\\[\\]{}:,\"\\\\ idmethodresult0-9]{0,60}", at in 0..60usize) {
        let whole = Rescue::whole(text.as_bytes(), 16);
        let (one, two) = text.as_bytes().split_at(at.min(text.len()));
        let mut pieces = Rescue::new(16);
        pieces.feed(one);
        pieces.feed(two);
        prop_assert_eq!(format!("{:?}", pieces.finish()), format!("{whole:?}"));
    }
}

#[test]
fn a_known_meta_says_the_same_as_one_that_is_read() {
    let (catalog, cache) = (catalog(), MetaCache::default());
    let meta = r#"{ "io.modelcontextprotocol/protocolVersion" : "2026-07-28", "x": {"y": []}, "baggage":"b"}"#;
    let other = meta.replace("\"b\"", "\"c\"");
    for (meta, before) in
        [(meta, ""), (meta, r#""name":"n","#), (&other, ""), (meta, ""), ("{}", "")]
    {
        let text = format!(r#"{{"method":"m","params":{{{before}"_meta":{meta},"uri":"u"}}}}"#);
        let (mut known, mut fresh) = (Envelope::default(), Envelope::default());
        known.scan(&text, 64, &catalog, &cache).unwrap();
        fresh.scan(&text, 64, &catalog, &MetaCache::default()).unwrap();
        for key in [MetaKey::ProtocolVersion, MetaKey::Baggage, MetaKey::LogLevel] {
            let (known, fresh) = (
                known.params.meta(known.params_text, key),
                fresh.params.meta(fresh.params_text, key),
            );
            assert_eq!(known, fresh);
        }
        assert_eq!(known.params.member(known.params_text, ParamKey::Meta), Some(meta));
        assert_eq!(known.params.member(known.params_text, ParamKey::Uri), Some("\"u\""));
    }
    // What only begins like it is read.
    let text = format!(r#"{{"method":"m","params":{{"_meta":{}}}}}"#, meta.replace('}', ",}"));
    assert!(Envelope::default().scan(&text, 64, &catalog, &cache).is_err());
}
