//! Probes of a review: orders of dropping, orders of members, and the end of sessions under fire.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds something else than it expects has failed"
)]
#![expect(clippy::indexing_slicing, clippy::string_slice, reason = "as above")]
#![expect(clippy::disallowed_methods, reason = "the test is the host, which has threads")]

mod support;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use mcplite_core::{Call, Dispatch, Failure, Item, Server, Session};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::{CountingEntropy, ManualClock, drain};

const FORM: &str = r#"{"message":"Who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}"#;

fn caps() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {}})
}

fn ask_form(call: &Call) -> Result<(), Failure> {
    match call.ask("who", "elicitation/create", FORM)? {
        Some(answer) => call.reply_text(answer)?,
        None => call.reply_asked()?,
    }
    Ok(())
}

fn server() -> Server {
    let server = Server::new("probes", "1").unwrap();
    server.set_clock(ManualClock::default());
    server.set_entropy(CountingEntropy::default());
    server
}

fn legacy(server: &Server, revision: &str) -> Session {
    let session = Session::new(server).unwrap();
    let init = json!({"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":revision,"capabilities":caps(),"clientInfo":{"name":"c","version":"1"}}});
    session.handle_message(init.to_string().as_bytes()).unwrap();
    session.handle_message(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).unwrap();
    drain(&session);
    session
}

fn modern(id: u32, method: &str, mut params: Value) -> String {
    params["_meta"] = json!({"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":caps()});
    json!({"jsonrpc":"2.0","id":id,"method":method,"params":params}).to_string()
}

fn call(id: u32, tool: &str) -> String {
    json!({"jsonrpc":"2.0","id":id,"method":"tools/call","params":{"name":tool,"arguments":{}}})
        .to_string()
}

#[test]
fn everything_goes_in_every_order() {
    // What is dropped, in which order: server, session, held call; and what happened before.
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    for dispatch in [Dispatch::Inline, Dispatch::Queued] {
        for (order, before) in
            orders.iter().flat_map(|order| (0..10).map(move |before| (order, before)))
        {
            let token = Arc::new(());
            let server = server();
            server.configure(|options| options.dispatch = dispatch).unwrap();
            let held = Arc::new(Mutex::new(Vec::new()));
            let (own, keep) = (Arc::clone(&token), Arc::clone(&held));
            server
                .register(Item::tool("ask").on_call(move |call: &Call| {
                    let _own = &own;
                    ask_form(call)
                }))
                .unwrap();
            let own = Arc::clone(&token);
            server
                .register(Item::tool("keep").on_call(move |call: &Call| {
                    let _own = &own;
                    keep.lock().unwrap().push(call.clone());
                    Ok(())
                }))
                .unwrap();
            server.register(Item::tool("pull").attach(Arc::clone(&token) as _)).unwrap();
            server.register(Item::resource("x://a", "a").contents("a")).unwrap();
            let session = legacy(&server, "2025-11-25");
            session.set_context(Some(Arc::clone(&token) as _));
            let feed = |text: &str| {
                session.handle_message(text.as_bytes()).unwrap();
                server.run(0).unwrap();
            };
            feed(&call(1, "ask"));
            feed(&call(2, "keep"));
            feed(&call(3, "pull"));
            feed(&modern(
                4,
                "subscriptions/listen",
                json!({"notifications":{"toolsListChanged":true,"resourceSubscriptions":["x://a"]}}),
            ));
            feed(&modern(5, "tools/call", json!({"name":"ask","arguments":{}})));
            feed(
                r#"{"jsonrpc":"2.0","id":6,"method":"resources/subscribe","params":{"uri":"x://a"}}"#,
            );
            server.notify_resource_updated("x://a");
            let pulled = server.next_call();
            match before {
                0 => {}
                1 => session.end().unwrap(),
                2 => server.shutdown(),
                3 => session.close(),
                4 => server.close(),
                5 => {
                    held.lock().unwrap()[0].ask("k", "elicitation/create", FORM).unwrap();
                    drop(held.lock().unwrap()[0].reply_asked());
                }
                6 => feed(r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"n"}}"#),
                7 => feed(r#"{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}"#),
                8 => feed(
                    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
                ),
                _ => {
                    let again = held.lock().unwrap()[0].clone();
                    held.lock().unwrap()[0].on_cancel(move || drop(again));
                }
            }
            let weak = Arc::clone(&held);
            drop(held);
            let mut things: [Option<Box<dyn std::any::Any>>; 3] =
                [Some(Box::new(server)), Some(Box::new(session)), Some(Box::new(pulled))];
            for index in order {
                things[*index] = None;
                if *index == 2 {
                    let taken = std::mem::take(&mut *weak.lock().unwrap());
                    drop(taken);
                }
            }
            drop(weak);
            assert_eq!(Arc::strong_count(&token), 1, "{dispatch:?} {order:?} {before}");
        }
    }
}

#[test]
fn memory_comes_back() {
    let server = server();
    server.register(Item::tool("ask").on_call(ask_form)).unwrap();
    server.register(Item::template("x://{a}", "a").on_call(|_: &Call| Ok(()))).unwrap();
    let empty = server.memory_used();
    for _ in 0..3 {
        let session = legacy(&server, "2025-11-25");
        for id in 0..200 {
            session.handle_message(call(id, "ask").as_bytes()).unwrap();
        }
        for id in 1..50 {
            let big = "x".repeat(30_000);
            let text = json!({"jsonrpc":"2.0","id":id,"result":{"action":"accept","content":{"name":big}}}).to_string();
            session.handle_message(text.as_bytes()).unwrap();
            drain(&session);
        }
        for id in 1000..1064 {
            let uris: Vec<_> = (0..100).map(|n| format!("x://{id}-{n}")).collect();
            session
                .handle_message(
                    modern(
                        id,
                        "subscriptions/listen",
                        json!({"notifications":{"resourceSubscriptions":uris}}),
                    )
                    .as_bytes(),
                )
                .unwrap();
            drain(&session);
        }
        for n in 0..100 {
            server.notify_resource_updated(&format!("x://1003-{n}"));
        }
        assert!(server.memory_used() > empty + 100_000);
        drop(session);
        assert_eq!(server.memory_used(), empty);
    }
}

/// A host that only looks after a wake.
#[derive(Default)]
struct Waker(Mutex<bool>, Condvar);

#[test]
fn a_host_that_looks_only_after_a_wake_sees_the_end() {
    for round in 0..1500_u64 {
        let server = server();
        server.register(Item::tool("ask").on_call(ask_form)).unwrap();
        let session = Arc::new(legacy(&server, "2025-11-25"));
        session
            .handle_message(
                modern(
                    90,
                    "subscriptions/listen",
                    json!({"notifications":{"toolsListChanged":true}}),
                )
                .as_bytes(),
            )
            .unwrap();
        drain(&session);
        let waker = Arc::new(Waker::default());
        let own = Arc::clone(&waker);
        session.set_wake(Some(Arc::new(move || {
            *own.0.lock().unwrap() = true;
            own.1.notify_all();
        })));
        let lines = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                loop {
                    let mut woken = waker.0.lock().unwrap();
                    while !*woken {
                        let (guard, timeout) =
                            waker.1.wait_timeout(woken, Duration::from_secs(5)).unwrap();
                        woken = guard;
                        assert!(
                            !timeout.timed_out(),
                            "round {round}: nobody told, finished is {}",
                            session.is_finished()
                        );
                    }
                    *woken = false;
                    drop(woken);
                    let mut message = Vec::new();
                    if round % 2 == 0 {
                        while session.poll_into(&mut message) {
                            lines.fetch_add(1, Ordering::Relaxed);
                        }
                    } else {
                        lines.fetch_add(session.drain_into(&mut message), Ordering::Relaxed);
                    }
                    if session.is_finished() {
                        break;
                    }
                }
            });
            scope.spawn(|| {
                for id in 1..5 {
                    drop(session.handle_message(call(id, "ask").as_bytes()));
                }
            });
            scope.spawn(|| {
                for id in 1..5 {
                    let kind = (round + id) % 3;
                    let text = match kind {
                        0 => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"action":"decline"}}}}"#),
                        1 => format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":1,"message":"n"}}}}"#),
                        _ => format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#),
                    };
                    drop(session.handle_message(text.as_bytes()));
                }
            });
            scope.spawn(|| {
                for n in 0..3 {
                    let name = format!("t{n}");
                    server.register(Item::tool(&name).on_call(|_: &Call| Ok(()))).unwrap();
                }
                if round % 3 == 0 {
                    server.shutdown();
                }
                drop(session.end());
            });
        });
        // A message that was on its way in may have come to something after that.
        drain(&session);
        assert!(session.is_finished(), "round {round}: {} open", session.open_calls());
    }
}

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
