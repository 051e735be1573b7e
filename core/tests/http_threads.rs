//! Exchanges under fire: answers, polls, disconnects and resumption from several threads at once.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds something else than it expects has failed"
)]
#![expect(clippy::disallowed_methods, reason = "the test is the host, which has threads")]

mod support;

use std::collections::BTreeSet;
use std::hint;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use mcplite_core::{Exchange, Kind};
use serde_json::json;
use support::web::{POST, count_wakes, finish, modern, open, post_modern, take, take_by_wake};
use support::web_world::World;

/// How often what is a matter of chance is tried.
const ROUNDS: usize = 1000;

/// Does two things at once, of which the first begins a little later in each round.
///
/// Whether they meet where it hurts is a matter of chance: a failure proves a defect, and a run that passes
/// proves little. The narrowest of the gaps that there were is hit once in some ten thousand rounds.
fn at_once<T: Send>(round: usize, one: impl FnOnce() -> T + Send, other: impl FnOnce()) -> T {
    let (is_there, go) = (AtomicBool::new(false), AtomicBool::new(false));
    let wait_for = |flag: &AtomicBool| {
        while !flag.load(Ordering::SeqCst) {
            thread::yield_now();
        }
    };
    thread::scope(|scope| {
        let one = scope.spawn(|| {
            is_there.store(true, Ordering::SeqCst);
            wait_for(&go);
            (0..round % 400).for_each(|_| hint::spin_loop());
            one()
        });
        wait_for(&is_there);
        go.store(true, Ordering::SeqCst);
        other();
        one.join().unwrap()
    })
}

/// A request of 2026-07-28 of which only the end is missing.
fn almost(world: &World, method: &str, name: &str) -> Exchange {
    let own = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method), ("Mcp-Name", name)];
    let headers: Vec<_> = POST.into_iter().chain(own).collect();
    let exchange = open(&world.http, "POST", "/mcp", &headers);
    let body = modern(json!(1), method, json!({"name": name}));
    exchange.body(body.to_string().as_bytes()).unwrap();
    exchange
}

#[test]
fn a_wake_that_drains_loses_nothing() {
    let world = World::new();
    for _ in 0..200 {
        let exchange = Arc::new(world.call(1, "hold"));
        let call = world.held();
        let taken = take_by_wake(&exchange);
        let answering = thread::spawn(move || {
            for progress in 0..20 {
                call.progress(f64::from(progress), None, None).unwrap();
            }
            call.reply_text("done").unwrap();
        });
        answering.join().unwrap();
        let rest = take(&exchange);
        assert!(rest.is_finished);
        let text = taken.lock().unwrap().clone() + &rest.body;
        assert_eq!(text.matches("data: {").count(), 21, "{text}");
    }
}

#[test]
fn a_client_that_vanishes_while_it_is_answered_harms_nobody() {
    let world = World::new();
    for round in 0..300 {
        let exchange = world.call(1, "hold");
        let call = world.held();
        thread::scope(|scope| {
            scope.spawn(move || {
                drop(call.progress(1.0, None, None));
                drop(call.reply_text("late or not"));
            });
            scope.spawn(|| world.server.tick());
            scope.spawn(move || {
                if round % 2 == 0 {
                    drop(take(&exchange));
                }
                drop(exchange);
            });
        });
    }
    let used = world.server.memory_used();
    drop(take(&post_modern(&world.http, json!(1), "tools/list", json!({}))));
    assert_eq!(world.server.memory_used(), used);
}

#[test]
fn whoever_comes_back_misses_nothing_and_gets_nothing_twice() {
    let world = World::new();
    let client = world.client("2025-11-25");
    for id in 1..40 {
        let mut exchange = client.call(id, "hold");
        let call = world.held();
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

#[test]
fn an_exchange_that_is_closed_while_it_starts_does_not_count() {
    let world = World::new();
    for round in 0..ROUNDS {
        let exchange = almost(&world, "tools/list", "");
        at_once(round, || exchange.close(), || drop(exchange.end()));
    }
    world.http.configure(|options| options.exchanges = 1).unwrap();
    assert_eq!(take(&post_modern(&world.http, json!(1), "tools/list", json!({}))).status, 200);
}

#[test]
fn a_wake_that_is_set_while_the_request_ends_is_told() {
    let world = World::new();
    for round in 0..ROUNDS {
        let exchange = almost(&world, "tools/call", "hold");
        let told = at_once(round, || count_wakes(&exchange), || exchange.end().unwrap());
        told.store(0, Ordering::SeqCst);
        world.held().reply_text("done").unwrap();
        assert_ne!(told.load(Ordering::SeqCst), 0, "round {round}");
    }
}

#[test]
fn whoever_follows_while_another_leaves_is_told() {
    let world = World::new();
    let client = world.client("2025-11-25");
    for round in 0..ROUNDS {
        let first = client.get(None);
        drop(take(&first));
        let mut next = None;
        let follow = || loop {
            let exchange = client.open("GET", None);
            let told = count_wakes(&exchange);
            finish(&exchange, "");
            if exchange.status() == Some(200) {
                next = Some((exchange, told));
                break;
            }
            thread::yield_now();
        };
        at_once(round, || drop(first), follow);
        let (next, told) = next.unwrap();
        drop(take(&next));
        told.store(0, Ordering::SeqCst);
        world.server.notify_list_changed(Kind::Tool).unwrap();
        assert_ne!(told.load(Ordering::SeqCst), 0, "round {round}");
        assert_eq!(take(&next).messages().len(), 1);
    }
}

#[test]
fn of_two_that_come_back_at_once_one_follows_and_is_told() {
    let world = World::new();
    let client = world.client("2025-11-25");
    for (round, id) in (0..ROUNDS).zip(1..) {
        let first = client.call(id, "hold");
        let call = world.held();
        call.progress(1.0, None, None).unwrap();
        let begun = take(&first);
        let [one, other] = [(); 2].map(|()| {
            let exchange = client.open("GET", begun.event_ids().last().copied());
            let told = count_wakes(&exchange);
            (exchange, told)
        });
        at_once(round, || one.0.end().unwrap(), || other.0.end().unwrap());
        drop((take(&one.0), take(&other.0)));
        assert_ne!(one.0.is_finished(), other.0.is_finished(), "round {round}");
        let (follower, told) = if one.0.is_finished() { other } else { one };
        told.store(0, Ordering::SeqCst);
        call.reply_text("done").unwrap();
        assert_ne!(told.load(Ordering::SeqCst), 0, "round {round}");
        assert!(take(&follower).is_finished);
    }
}
