//! What clients carry between attempts, and what it is good for.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds something else than it expects has failed"
)]

mod support;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use mcplite_core::{Call, Clock, Event, Item, Sealer, Server, Session};
use serde_json::{Value, json};
use support::interview::*;

#[test]
fn a_sealed_state_is_good_for_its_request_only() {
    let mut case = Case::new("2026-07-28", everything());
    let ask = |call: &Call| match call.ask("where", "roots/list", "")? {
        Some(_) => Ok(call.reply_text("done")?),
        None => Ok(call.reply_asked()?),
    };
    case.tool("one", ask);
    case.tool("two", ask);
    let asked = case.send("tools/call", json!({"name": "one", "arguments": {"a": 1, "b": [true]}}));
    let state = asked[0]["result"]["requestState"].as_str().unwrap().to_owned();
    let retry = |name: &str, arguments: Value, state: &str| {
        json!({"name": name, "arguments": arguments, "requestState": state,
            "inputResponses": {"where": {"roots": []}}})
    };
    let own = json!({"b": [true], "a": 1});
    let refused = |heard: Vec<Value>| {
        assert_eq!(heard[0]["error"]["code"], -32602, "{heard:?}");
        heard[0]["error"]["message"].as_str().unwrap().to_owned()
    };
    refused(case.send("tools/call", retry("two", own.clone(), &state)));
    refused(case.send("tools/call", retry("one", json!({"a": 1, "b": [false]}), &state)));
    refused(case.send(
        "tools/call",
        retry("one", own.clone(), state.trim_start_matches(char::is_alphanumeric)),
    ));
    refused(case.send("tools/call", retry("one", own.clone(), "")));
    case.session.set_principal(Some("eve"));
    refused(case.send("tools/call", retry("one", own.clone(), &state)));
    case.session.set_principal(None);
    refused(case.send("tools/call", retry("one", own.clone(), &state)));
    case.session.set_principal(Some("ada"));
    case.clock.set_ms(600_000);
    let text = refused(case.send("tools/call", retry("one", own.clone(), &state)));
    assert!(text.contains("expired"), "{text}");
    case.clock.set_ms(599_999);
    // Members in another order are the same arguments.
    let done = case.send("tools/call", retry("one", own, &state));
    assert_eq!(text_of(&done), "done");
}

#[test]
fn keys_are_shared_and_changed_and_a_sealer_takes_their_place() {
    struct Reversed;
    impl Sealer for Reversed {
        fn seal(&self, plain: &[u8]) -> Option<Vec<u8>> {
            Some(plain.iter().rev().copied().collect())
        }
        fn open(&self, sealed: &[u8]) -> Option<Vec<u8>> {
            self.seal(sealed)
        }
    }
    let ask = |call: &Call| match call.ask("where", "roots/list", "")? {
        Some(_) => Ok(call.reply_text("done")?),
        None => Ok(call.reply_asked()?),
    };
    let server = |keys: &[[u8; 32]]| {
        let case = Case::new("2026-07-28", everything());
        case.server.set_seal_keys(keys);
        case.tool("t", ask);
        case
    };
    let (mut old, mut new, mut other) =
        (server(&[[1; 32]]), server(&[[2; 32], [1; 32]]), server(&[[3; 32]]));
    let asked = old.call("t");
    assert_eq!(text_of(&new.answer("t", &asked, good)), "done");
    assert_eq!(other.answer("t", &asked, good)[0]["error"]["code"], -32602);
    other.server.set_sealer(Reversed);
    let asked = other.call("t");
    assert_eq!(text_of(&other.answer("t", &asked, good)), "done");
    // The binding holds with the host's sealer too.
    other.session.set_principal(Some("eve"));
    assert_eq!(other.answer("t", &asked, good)[0]["error"]["code"], -32602);
}

#[test]
fn without_entropy_a_modern_client_is_told_that_it_does_not_work() {
    let server = Server::new("dry", "1").unwrap();
    let told = Arc::new(Mutex::new(Vec::new()));
    struct Notes(Arc<Mutex<Vec<String>>>);
    impl mcplite_core::Observer for Notes {
        fn event(&self, event: &Event<'_>) {
            if let Event::Diagnostic { text } = event {
                self.0.lock().unwrap().push((*text).to_owned());
            }
        }
    }
    server.set_observer(Notes(Arc::clone(&told)));
    let ask = |call: &Call| {
        call.ask("where", "roots/list", "")?;
        Ok(call.reply_asked()?)
    };
    server.register(Item::tool("t").on_call(ask)).unwrap();
    let session = Session::new(&server).unwrap();
    let mut case = Case { server, session, modern: true, ..Case::new("2026-07-28", everything()) };
    assert_eq!(case.call("t")[0]["error"]["code"], -32603);
    assert!(told.lock().unwrap()[0].contains("set_entropy"));
}

/// Each look at the clock gives the next of these times, then the last for ever.
struct Ticking(Vec<u64>, AtomicU64);

impl Clock for Ticking {
    fn now_ms(&self) -> u64 {
        0
    }
    fn unix_ms(&self) -> u64 {
        let index = self.1.fetch_add(1, Ordering::Relaxed) as usize;
        self.0.get(index).or(self.0.last()).copied().unwrap()
    }
}

#[test]
fn a_state_of_a_clock_that_is_ahead_is_read_at_one_moment() {
    let server = server();
    // Sealed at 1000 by a process that is ahead; opened between 999 and 1001.
    server.set_clock(Ticking(vec![1000, 999, 1001], AtomicU64::new(0)));
    server.register(Item::tool("ask").on_call(ask_form)).unwrap();
    let session = Session::new(&server).unwrap();
    let asked = say(&session, &modern(1, "tools/call", json!({"name":"ask","arguments":{}})));
    let state = asked[0]["result"]["requestState"].clone();
    let again = say(
        &session,
        &modern(
            2,
            "tools/call",
            json!({"name":"ask","arguments":{},
        "requestState":state,"inputResponses":{"who":{"action":"decline"}}}),
        ),
    );
    assert!(again[0]["result"]["content"].is_array(), "{again:?}");
}

#[test]
fn what_a_modern_client_answers_is_counted() {
    let server = server();
    let held = Arc::new(Mutex::new(Vec::new()));
    let own = Arc::clone(&held);
    server
        .register(Item::tool("ask").on_call(move |call: &Call| {
            match call.ask("who", "elicitation/create", FORM)? {
                Some(_) => own.lock().unwrap().push(call.clone()),
                None => call.reply_asked()?,
            }
            Ok(())
        }))
        .unwrap();
    let session = Session::new(&server).unwrap();
    let asked = say(&session, &modern(1, "tools/call", json!({"name":"ask","arguments":{}})));
    let before = server.memory_used();
    let big = "x".repeat(1 << 20);
    let message = modern(
        2,
        "tools/call",
        json!({"name":"ask","arguments":{},
        "requestState":asked[0]["result"]["requestState"],
        "inputResponses":{"who":{"action":"accept","content":{"name":big}}}}),
    );
    assert_eq!(say(&session, &message).len(), 0);
    let used = server.memory_used() - before;
    assert!(used >= 2 << 20, "{used} bytes are counted for two copies of a megabyte");
    held.lock().unwrap().clear();
}
