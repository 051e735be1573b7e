//! Exchanges under fire: answers, polls, disconnects and resumption from several threads at once.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds something else than it expects has failed"
)]
#![expect(clippy::disallowed_methods, reason = "the test is the host, which has threads")]

mod support;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use mcplite_core::{Call, Http, Item, Server};
use serde_json::json;
use support::web::{Client, post_modern, take};
use support::{CountingEntropy, ManualClock};

type Held = Arc<Mutex<Vec<Call>>>;

fn world() -> (Server, Http, Held) {
    let server = Server::new("threads", "1").unwrap();
    server.set_clock(ManualClock::default());
    server.set_entropy(CountingEntropy::default());
    let held: Held = Arc::default();
    let keep = Arc::clone(&held);
    let hold = move |call: &Call| {
        keep.lock().unwrap().push(call.clone());
        Ok(())
    };
    server.register(Item::tool("hold").on_call(hold)).unwrap();
    let http = Http::new(&server, "/mcp").unwrap();
    (server, http, held)
}

#[test]
fn a_wake_that_drains_loses_nothing() {
    let (_server, http, held) = world();
    for _ in 0..200 {
        let params = json!({"name": "hold", "_meta": {"progressToken": 1}});
        let exchange = Arc::new(post_modern(&http, json!(1), "tools/call", params));
        let call = held.lock().unwrap().pop().unwrap();
        let taken = Arc::new(Mutex::new(Vec::new()));
        let (own, sink) = (Arc::downgrade(&exchange), Arc::clone(&taken));
        exchange.set_wake(Some(Arc::new(move || {
            let Some(exchange) = own.upgrade() else { return };
            let mut piece = Vec::new();
            while exchange.poll_into(&mut piece) {
                sink.lock().unwrap().extend_from_slice(&piece);
            }
        })));
        let answering = thread::spawn(move || {
            for progress in 0..20 {
                call.progress(f64::from(progress), None, None).unwrap();
            }
            call.reply_text("done").unwrap();
        });
        answering.join().unwrap();
        let rest = take(&exchange);
        assert!(rest.is_finished);
        let text = String::from_utf8(taken.lock().unwrap().clone()).unwrap() + &rest.body;
        assert_eq!(text.matches("data: {").count(), 21, "{text}");
    }
}

#[test]
fn a_client_that_vanishes_while_it_is_answered_harms_nobody() {
    let (server, http, held) = world();
    for round in 0..300 {
        let exchange = post_modern(&http, json!(1), "tools/call", json!({"name": "hold"}));
        let call = held.lock().unwrap().pop().unwrap();
        thread::scope(|scope| {
            scope.spawn(move || {
                drop(call.progress(1.0, None, None));
                drop(call.reply_text("late or not"));
            });
            scope.spawn(|| server.tick());
            scope.spawn(move || {
                if round % 2 == 0 {
                    drop(take(&exchange));
                }
                drop(exchange);
            });
        });
    }
    let used = server.memory_used();
    drop(take(&post_modern(&http, json!(1), "tools/list", json!({}))));
    assert_eq!(server.memory_used(), used);
}

#[test]
fn whoever_comes_back_misses_nothing_and_gets_nothing_twice() {
    let (_server, http, held) = world();
    let client = Client::new(&http, "2025-11-25", json!({}));
    for id in 1..40 {
        let params = json!({"name": "hold", "_meta": {"progressToken": id}});
        let mut exchange = client.request(id, "tools/call", params);
        let call = held.lock().unwrap().pop().unwrap();
        // So that it is a stream, and can be followed.
        call.progress(0.0, None, None).unwrap();
        let mut ids: Vec<String> = Vec::new();
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                for progress in 1..200 {
                    call.progress(f64::from(progress), None, None).unwrap();
                }
                call.reply_text("done").unwrap();
                is_over.store(true, Ordering::SeqCst);
            });
            loop {
                let was_over = is_over.load(Ordering::SeqCst);
                let reply = take(&exchange);
                ids.extend(reply.event_ids().into_iter().map(str::to_owned));
                if reply.is_finished && was_over {
                    break;
                }
                // The connection is lost, and nobody has noticed yet.
                if let Some(last) = ids.last() {
                    let next = client.get(Some(last));
                    drop(std::mem::replace(&mut exchange, next));
                }
            }
        });
        let unique: BTreeSet<_> = ids.iter().collect();
        assert_eq!(unique.len(), ids.len(), "nothing twice");
        assert_eq!(ids.len(), 1 + 200 + 1, "priming, progress, answer");
    }
}
