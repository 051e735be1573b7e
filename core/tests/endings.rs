//! How sessions, servers and calls end: in every order, with nothing left over, and told to whoever waits.

#![expect(clippy::disallowed_methods, reason = "the test is the host, which has threads")]

mod support;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use mcplite_core::{Call, Dispatch, Item};
use serde_json::{Value, json};
use support::drain;
use support::interview::*;

fn modern_text(id: u32, method: &str, params: Value) -> String {
    modern(id, method, params).to_string()
}

fn call_text(id: u32, tool: &str) -> String {
    call(id, tool).to_string()
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
            feed(&call_text(1, "ask"));
            feed(&call_text(2, "keep"));
            feed(&call_text(3, "pull"));
            feed(&modern_text(
                4,
                "subscriptions/listen",
                json!({"notifications":{"toolsListChanged":true,"resourceSubscriptions":["x://a"]}}),
            ));
            feed(&modern_text(5, "tools/call", json!({"name":"ask","arguments":{}})));
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
            session.handle_message(call_text(id, "ask").as_bytes()).unwrap();
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
                    modern_text(
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
                modern_text(
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
                    drop(session.handle_message(call_text(id, "ask").as_bytes()));
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
