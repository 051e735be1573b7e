//! Several threads on calls that ask a legacy client: whoever is quicker, nothing is lost, nothing
//! comes twice, and nothing stays behind.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds something else than it expects has failed"
)]
#![expect(clippy::indexing_slicing, reason = "as above")]
#![expect(clippy::disallowed_methods, reason = "the test is the host, which has threads")]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::Duration;

use mcplite_core::{Call, Error, Failure, Item, Kind, Server, Session};
use serde_json::{Value, json};
use support::{ManualClock, drain};

/// How often threads meet.
const ROUNDS: u64 = 500;

fn server() -> (Server, ManualClock) {
    let server = Server::new("threads", "1").unwrap();
    let clock = ManualClock::default();
    server.set_clock(clock.clone());
    server.configure(|options| options.state_ttl_ms = Some(1000)).unwrap();
    (server, clock)
}

fn connect(server: &Server) -> Session {
    let session = Session::new(server).unwrap();
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {"roots": {}},
        "clientInfo": {"name": "c", "version": "1"}});
    say(&session, json!({"id": "hello", "method": "initialize", "params": params}));
    say(&session, json!({"method": "notifications/initialized"}));
    assert_eq!(drain(&session).len(), 1);
    session
}

fn say(session: &Session, mut message: Value) {
    message["jsonrpc"] = json!("2.0");
    session.handle_message(message.to_string().as_bytes()).unwrap();
}

fn call(session: &Session, id: u64, tool: &str) {
    say(session, json!({"id": id, "method": "tools/call", "params": {"name": tool}}));
}

fn cancel(session: &Session, id: u64) {
    say(session, json!({"method": "notifications/cancelled", "params": {"requestId": id}}));
}

fn answer(session: &Session, question: u64) {
    say(session, json!({"id": question, "result": {"roots": []}}));
}

fn refuse(session: &Session, question: u64) {
    say(session, json!({"id": question, "error": {"code": -1, "message": "no"}}));
}

/// Asks two questions, and replies when both are answered.
fn ask_twice(call: &Call) -> Result<(), Failure> {
    let answers = [call.ask("a", "roots/list", "")?, call.ask("b", "roots/list", "{}")?];
    if answers.contains(&None) {
        call.reply_asked()?
    } else {
        call.reply_text("done")?
    }
    Ok(())
}

/// What a client has got so far.
#[derive(Debug, Default)]
struct Got {
    /// How many answers each of its requests has.
    answers: BTreeMap<u64, usize>,
    /// Requests of the server's.
    questions: Vec<u64>,
    withdrawn: BTreeSet<u64>,
    changes: usize,
}

impl Got {
    /// Takes what is there; gives the new questions.
    fn take(&mut self, session: &Session) -> Vec<u64> {
        let known = self.questions.len();
        for line in drain(session) {
            let message: Value = serde_json::from_str(&line).unwrap();
            match (message["method"].as_str(), message["id"].as_u64()) {
                (Some(_), Some(id)) => self.questions.push(id),
                (None, Some(id)) => *self.answers.entry(id).or_default() += 1,
                (Some("notifications/cancelled"), _) => {
                    let id = message["params"]["requestId"].as_u64().unwrap();
                    assert!(self.withdrawn.insert(id), "withdrawn twice: {id}");
                }
                _ => self.changes += 1,
            }
        }
        self.questions[known..].to_vec()
    }
}

/// Runs all of them at once, as far as that is possible.
fn at_once(deeds: &[&(dyn Fn() + Sync)]) {
    let start = Barrier::new(deeds.len());
    thread::scope(|scope| {
        for deed in deeds {
            scope.spawn(|| {
                start.wait();
                deed();
            });
        }
    });
}

#[test]
fn answers_meet_whatever_ends_the_call() {
    let (server, clock) = server();
    let runs = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&runs);
    let handler = move |call: &Call| {
        count.fetch_add(1, Ordering::Relaxed);
        ask_twice(call)
    };
    server.register(Item::tool("ask").on_call(handler)).unwrap();
    let used = server.memory_used();
    for round in 0..ROUNDS {
        let (session, mut got) = (connect(&server), Got::default());
        call(&session, 1, "ask");
        let questions = got.take(&session);
        assert_eq!(questions.len(), 2);
        let expire = || {
            clock.set_ms((round + 1) * 2000);
            server.tick();
        };
        // The end of input refuses what comes after it, which is as well.
        let end = || session.end().unwrap();
        let late = |question: u64| {
            let message = json!({"jsonrpc": "2.0", "id": question, "result": {"roots": []}});
            drop(session.handle_message(message.to_string().as_bytes()));
        };
        let (first, second) = (|| late(questions[0]), || late(questions[1]));
        let (is_cancelled, is_ended) = (round % 5 == 0, round % 5 == 3);
        match round % 5 {
            0 => at_once(&[&first, &second, &|| cancel(&session, 1)]),
            1 => at_once(&[&first, &second, &expire]),
            2 => at_once(&[&first, &|| refuse(&session, questions[1]), &expire]),
            3 => at_once(&[&first, &second, &end]),
            _ => at_once(&[&first, &second, &first, &second]),
        }
        assert_eq!(got.take(&session), [0; 0]);
        let answers = got.answers.get(&1).copied().unwrap_or_default();
        assert!(answers == 1 || (is_cancelled && answers == 0), "{round}: {answers}");
        assert_eq!(session.open_calls(), 0);
        assert_eq!(session.is_finished(), is_ended);
        assert!((1..3).contains(&runs.swap(0, Ordering::Relaxed)));
        drop(session);
        assert_eq!(server.memory_used(), used, "{round}");
        assert_eq!(server.timeout_ms(), None);
    }
}

#[test]
fn a_refusal_meets_a_cancellation() {
    let (server, _) = server();
    server.register(Item::tool("ask").on_call(ask_twice)).unwrap();
    let used = server.memory_used();
    for _ in 0..ROUNDS {
        let (session, mut got) = (connect(&server), Got::default());
        call(&session, 1, "ask");
        let questions = got.take(&session);
        at_once(&[&|| refuse(&session, questions[0]), &|| cancel(&session, 1)]);
        got.take(&session);
        assert!(got.withdrawn.contains(&questions[1]), "{got:?}");
        assert_eq!(session.open_calls(), 0);
        drop(session);
        assert_eq!(server.memory_used(), used);
    }
}

/// A server whose calls are kept, and one such call.
fn keeping() -> (Server, ManualClock, Arc<Mutex<Vec<Call>>>) {
    let (server, clock) = server();
    let held: Arc<Mutex<Vec<Call>>> = Arc::default();
    let keep = Arc::clone(&held);
    let handler = move |call: &Call| {
        keep.lock().unwrap().push(call.clone());
        Ok(())
    };
    server.register(Item::tool("hold").on_call(handler)).unwrap();
    (server, clock, held)
}

#[test]
fn a_call_that_asks_while_it_is_cancelled_is_cancelled() {
    let (server, _, held) = keeping();
    let used = server.memory_used();
    for round in 0..ROUNDS * 4 {
        let (session, mut got) = (connect(&server), Got::default());
        call(&session, 1, "hold");
        let held = held.lock().unwrap().pop().unwrap();
        held.ask("a", "roots/list", "").unwrap();
        let ask = || {
            // The moment to be met is short, and somewhere in the cancellation.
            (0..round % 40 * 40).for_each(|_| std::hint::spin_loop());
            assert!(matches!(held.reply_asked(), Ok(()) | Err(Error::Cancelled)));
        };
        at_once(&[&ask, &|| cancel(&session, 1)]);
        let questions = got.take(&session);
        assert_eq!(got.answers, BTreeMap::new());
        assert_eq!(questions, got.withdrawn.iter().copied().collect::<Vec<_>>());
        assert_eq!(session.open_calls(), 0);
        drop((held, session));
        assert_eq!(server.memory_used(), used);
    }
}

#[test]
fn a_call_that_asks_while_the_client_ends_is_answered() {
    let (server, _, held) = keeping();
    let used = server.memory_used();
    for _ in 0..ROUNDS {
        let (session, mut got) = (connect(&server), Got::default());
        call(&session, 1, "hold");
        let held = held.lock().unwrap().pop().unwrap();
        held.ask("a", "roots/list", "").unwrap();
        at_once(&[&|| held.reply_asked().unwrap(), &|| session.end().unwrap()]);
        got.take(&session);
        assert_eq!(got.answers, BTreeMap::from([(1, 1)]));
        assert!(session.is_finished());
        drop((held, session));
        assert_eq!(server.memory_used(), used);
    }
}

#[test]
fn a_call_that_asks_while_the_session_closes_is_gone() {
    let (server, _, held) = keeping();
    let used = server.memory_used();
    for _ in 0..ROUNDS {
        let session = connect(&server);
        call(&session, 1, "hold");
        let held = held.lock().unwrap().pop().unwrap();
        held.ask("a", "roots/list", "").unwrap();
        let ask = || assert!(matches!(held.reply_asked(), Ok(()) | Err(Error::Cancelled)));
        at_once(&[&ask, &|| session.close()]);
        assert_eq!(drain(&session), [""; 0]);
        assert!(session.is_finished());
        assert_eq!(session.open_calls(), 0);
        drop((held, session));
        assert_eq!(server.memory_used(), used);
        assert_eq!(server.timeout_ms(), None);
    }
}

#[test]
fn a_stream_that_is_cancelled_says_nothing_more() {
    let (server, _) = server();
    server.register(Item::tool("first")).unwrap();
    let session = Session::new(&server).unwrap();
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}});
    for id in 0..ROUNDS {
        let params = json!({"notifications": {"toolsListChanged": true}, "_meta": meta});
        say(&session, json!({"id": id, "method": "subscriptions/listen", "params": params}));
        let change = || server.notify_list_changed(Kind::Tool).unwrap();
        at_once(&[&change, &change, &|| cancel(&session, id)]);
        // The acknowledgement, and perhaps a change before the end.
        let mut got = Got::default();
        got.take(&session);
        assert!((1..4).contains(&got.changes), "{got:?}");
        change();
        assert_eq!(drain(&session), [""; 0]);
    }
}

/// Waits for a wake that must come.
fn woken(wakes: &Receiver<()>) {
    wakes.recv_timeout(Duration::from_secs(30)).unwrap();
}

#[test]
fn many_calls_ask_while_others_cancel_tick_register_and_notify() {
    const CALLS: u64 = 600;
    const LAST: u64 = CALLS + 1;
    let (server, _) = server();
    server.register(Item::tool("ask").on_call(ask_twice)).unwrap();
    server.register(Item::resource("test://a", "a").contents("a")).unwrap();
    let used = server.memory_used();
    let session = connect(&server);
    say(&session, json!({"id": 0, "method": "resources/subscribe", "params": {"uri": "test://a"}}));
    let mut got = Got::default();
    got.take(&session);
    let (tell, wakes) = channel();
    // Whoever waited may have seen the end already.
    session.set_wake(Some(Arc::new(move || tell.send(()).unwrap_or_default())));
    let (asked, questions) = channel::<u64>();
    let questions = Mutex::new(questions);
    let respond = || {
        loop {
            let next = questions.lock().unwrap().recv();
            let Ok(question) = next else { return };
            answer(&session, question);
        }
    };
    let change = |_| {
        server.replace(Item::tool("other")).unwrap();
        server.notify_resource_updated("test://a");
        server.unregister(Kind::Tool, "other").unwrap();
        server.tick();
    };
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(respond);
        }
        let others = [
            scope.spawn(|| (1..=CALLS).for_each(|id| call(&session, id, "ask"))),
            scope.spawn(|| (1..=CALLS).step_by(3).for_each(|id| cancel(&session, id))),
            scope.spawn(|| (0..200).for_each(change)),
        ];
        scope.spawn(|| {
            others.into_iter().for_each(|other| other.join().unwrap());
            say(&session, json!({"id": LAST, "method": "ping"}));
        });
        // After the last request every open call has something to say, so that there is a wake.
        while !got.answers.contains_key(&LAST) || session.open_calls() > 0 {
            woken(&wakes);
            got.take(&session).into_iter().for_each(|id| asked.send(id).unwrap());
        }
        drop(asked);
    });
    got.take(&session);
    let twice = got.answers.values().any(|count| *count > 1);
    assert!(!twice, "answered twice");
    let mut kept = (1..=CALLS).filter(|id| id % 3 != 1);
    assert!(kept.all(|id| got.answers.contains_key(&id)), "not cancelled, and not answered");
    let unique: BTreeSet<_> = got.questions.iter().collect();
    assert_eq!(unique.len(), got.questions.len());
    assert!(got.changes > 0);
    server.notify_resource_updated("test://a");
    assert_eq!(drain(&session).len(), 1, "what changes last is told");
    assert_eq!(session.open_calls(), 0);
    drop(session);
    assert_eq!(server.memory_used(), used);
}
