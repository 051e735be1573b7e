//! Two threads at the same moment: asking, shutting down, listening.

#![expect(clippy::disallowed_methods, reason = "the test is the host, which has threads")]

mod support;

use std::sync::{Arc, Barrier};

use mcplite_core::{Call, Item, Session};
use serde_json::{Value, json};
use support::interview::*;

#[test]
fn a_refusal_that_meets_a_cancellation_leaks_nothing() {
    for round in 0..400 {
        let server = server();
        let token = Arc::new(());
        let own = Arc::clone(&token);
        let handler = move |call: &Call| {
            let _own = &own;
            ask_form(call)
        };
        server.register(Item::tool("ask").on_call(handler)).unwrap();
        let session = legacy(&server, "2025-11-25");
        let asked = say(&session, &call(1, "ask"));
        let id = asked[0]["id"].clone();
        let refusal =
            json!({"jsonrpc":"2.0","id":id,"error":{"code":-1,"message":"no"}}).to_string();
        let cancel =
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
        let barrier = Barrier::new(2);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                barrier.wait();
                drop(session.handle_message(refusal.as_bytes()));
            });
            scope.spawn(|| {
                barrier.wait();
                for _ in 0..round % 40 {
                    std::hint::spin_loop();
                }
                drop(session.handle_message(cancel.as_bytes()));
            });
        });
        drop(session);
        drop(server);
        assert_eq!(Arc::strong_count(&token), 1, "round {round}");
    }
}

#[test]
fn a_session_that_opens_during_the_shutdown_is_shut_down_or_refused() {
    for round in 0..1500 {
        let server = server();
        let barrier = Barrier::new(2);
        let session = std::thread::scope(|scope| {
            scope.spawn(|| {
                barrier.wait();
                for _ in 0..round % 60 {
                    std::hint::spin_loop();
                }
                server.shutdown();
            });
            let opened = scope.spawn(|| {
                barrier.wait();
                Session::new(&server).ok()
            });
            opened.join().unwrap()
        });
        if let Some(session) = session {
            assert!(session.is_finished(), "round {round}: nobody told the session");
        }
    }
}

#[test]
fn no_goodbye_comes_before_the_acknowledgement() {
    for round in 0..1500 {
        let server = server();
        server.register(Item::tool("t").on_call(|_: &Call| Ok(()))).unwrap();
        let session = Session::new(&server).unwrap();
        let listen =
            modern(1, "subscriptions/listen", json!({"notifications":{"toolsListChanged":true}}))
                .to_string();
        let barrier = Barrier::new(2);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                barrier.wait();
                for _ in 0..round % 2000 {
                    std::hint::spin_loop();
                }
                server.shutdown();
            });
            scope.spawn(|| {
                barrier.wait();
                session.handle_message(listen.as_bytes()).unwrap();
            });
        });
        let heard = heard(&session);
        let is_ack =
            |message: &Value| message["method"] == "notifications/subscriptions/acknowledged";
        if heard.iter().any(is_ack) {
            assert!(is_ack(&heard[0]), "round {round}: {heard:?}");
        }
    }
}
