//! Random sequences of what hosts and clients can do, checked against a small model: every request
//! that was taken is answered once, and everything comes back.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that finds something else than it expects has failed"
)]

mod client;
mod operation;
#[path = "../support/mod.rs"]
mod support;

use std::sync::{Arc, Mutex, Weak};

use client::{Client, Way, cancellation};
use mcplite_core::{Call, Dispatch, Error, Failure, Item, Kind, Server, Session};
use operation::Operation::{self, *};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use support::{MODERN, ManualClock};

const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// Tools that are always there, then some that come and go.
const FIXED: [&str; 9] =
    ["echo", "large", "fail", "silent", "hold", "hold-briefly", "pull", "progress", "cancel-self"];
const FLEETING: [&str; 3] = ["t0", "t1", "t2"];
const OTHERS: [(&str, &str); 6] = [
    ("ping", "{}"),
    ("tools/list", "{}"),
    ("tools/list", r#"{"cursor":"no"}"#),
    ("acme/own", "{}"),
    ("no/such", "[]"),
    ("resources/read", r#"{"uri":"a:b"}"#),
];

type Held = Arc<Mutex<Vec<Call>>>;

fn tool(name: &str, held: &Held) -> Item {
    let item = Item::tool(name);
    let (name, held) = (name.to_owned(), Arc::clone(held));
    match name.as_str() {
        "pull" => item,
        "hold-briefly" => item.deadline_ms(100).on_call(move |call: &Call| behave(call, &held)),
        _ => item.on_call(move |call: &Call| behave(call, &held)),
    }
}

fn behave(call: &Call, held: &Held) -> Result<(), Failure> {
    match call.name() {
        "large" => call.reply_text(&"x".repeat(1500))?,
        "fail" => return Err("it broke".into()),
        "silent" => {}
        "hold" | "hold-briefly" => held.lock().unwrap().push(call.clone()),
        "progress" => {
            (1..4).try_for_each(|step| call.progress(f64::from(step), None, None))?;
            call.reply()?;
        }
        "cancel-self" => {
            let session = call.context().unwrap().downcast_ref::<Weak<Session>>().unwrap();
            if let Some(session) = session.upgrade() {
                // Refused when output is full; then there will be an answer.
                drop(session.handle_message(&cancellation(call.id().unwrap())));
            }
            call.reply()?;
        }
        _ => call.reply_text("done")?,
    }
    Ok(())
}

fn request(id: &str, what: &Index, modern: bool) -> String {
    let meta = if modern { MODERN } else { r#""_meta":{"progressToken":"p"}"# };
    let tools = [&FIXED[..], &FLEETING[..]].concat();
    let what = what.index(tools.len() + OTHERS.len());
    let (method, params) = match tools.get(what) {
        Some(tool) => ("tools/call", format!(r#"{{"name":"{tool}",{meta}}}"#)),
        None => {
            let (method, params) = OTHERS[what - tools.len()];
            (method, params.replace("{}", &format!("{{{meta}}}")))
        }
    };
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

/// A server with its clients and the calls that the host holds.
struct World {
    server: Server,
    clock: ManualClock,
    now_ms: u64,
    held: Held,
    clients: Vec<Client>,
    fleeting: Vec<&'static str>,
    next_id: u64,
    memory: usize,
}

impl World {
    fn new(output_bytes: usize) -> World {
        let server = Server::new("model", "1.0").unwrap();
        let (held, clock) = (Held::default(), ManualClock::default());
        server.set_clock(clock.clone());
        server
            .configure(|options| {
                options.limits.output_bytes = output_bytes;
                options.limits.message_bytes = 2048;
                options.limits.open_calls = 8;
            })
            .unwrap();
        FIXED.iter().for_each(|name| server.register(tool(name, &held)).unwrap());
        let own = Item::method("acme/own").on_call(|call: &Call| Ok(call.reply_result("{}")?));
        server.register(own).unwrap();
        let memory = server.memory_used();
        let clients = vec![Client::new(&server)];
        let fleeting = Vec::new();
        World { server, clock, now_ms: 0, held, clients, fleeting, next_id: 1, memory }
    }

    fn apply(&mut self, who: &Index, operation: &Operation) {
        self.next_id += 1;
        let id = self.next_id;
        let who = who.index(self.clients.len().max(1));
        match operation {
            Connect => self.clients.push(Client::new(&self.server)),
            Answer(call) => self.with_call(call, |call| call.reply_text("answered")),
            Fail(call) => self.with_call(call, |call| call.fail("failed".into())),
            Progress(call) => self.with_call(call, |call| call.progress(1.0, None, Some("."))),
            Clone(call) => {
                let copy = pick(&self.held.lock().unwrap(), call).cloned();
                self.held.lock().unwrap().extend(copy);
            }
            Release(call) => {
                let count = self.held.lock().unwrap().len();
                if count > 0 {
                    let call = self.held.lock().unwrap().swap_remove(call.index(count));
                    drop(call);
                }
            }
            Tick(ms) => {
                self.now_ms += ms;
                self.clock.set_ms(self.now_ms);
                self.server.tick();
                assert_ne!(self.server.timeout_ms(), Some(0));
            }
            Register(name) => {
                let name = *name.get(&FLEETING);
                let known = self.fleeting.contains(&name);
                let done = self.server.register(tool(name, &self.held));
                assert_eq!(done, if known { Err(Error::Exists) } else { Ok(()) });
                self.fleeting.extend((!known).then_some(name));
            }
            Replace(name) => {
                let name = *name.get(&FLEETING);
                self.server.replace(tool(name, &self.held)).unwrap();
                self.fleeting.retain(|known| *known != name);
                self.fleeting.push(name);
            }
            Unregister(name) => {
                let name = name.get(&FLEETING);
                let known = self.fleeting.contains(name);
                let gone = self.server.unregister(Kind::Tool, name);
                assert_eq!(gone, if known { Ok(()) } else { Err(Error::NotFound) });
                self.fleeting.retain(|known| known != name);
            }
            Queue(queued) => {
                let dispatch = if *queued { Dispatch::Queued } else { Dispatch::Inline };
                self.server.configure(|options| options.dispatch = dispatch).unwrap();
            }
            Run(max) => drop(self.server.run(*max).unwrap()),
            NextCall => self.held.lock().unwrap().extend(self.server.next_call()),
            Drop if !self.clients.is_empty() => drop(self.clients.swap_remove(who)),
            _ => {
                if let Some(client) = self.clients.get_mut(who) {
                    act(client, operation, id);
                }
            }
        }
    }

    /// Does something with a call that is held. It may be too late for it, but nothing else.
    fn with_call(&self, call: &Index, act: impl Fn(&Call) -> Result<(), Error>) {
        let call = pick(&self.held.lock().unwrap(), call).cloned();
        let result = call.map_or(Ok(()), |call| act(&call));
        let too_late = [Error::Answered, Error::Cancelled, Error::Limit("output_bytes")];
        let too_small = Error::Invalid("progress must increase");
        let expected = |error: &Error| too_late.contains(error) || *error == too_small;
        assert!(result.as_ref().err().is_none_or(expected), "{result:?}");
    }

    /// Lets go of everything, and checks what is left.
    fn finish(mut self, close: bool) {
        if close {
            self.server.close();
            assert!(self.clients.iter().all(|client| client.session.is_closed()));
            assert!(Session::new(&self.server).is_err());
        }
        loop {
            let ran = self.server.run(0).unwrap();
            let taken = self.server.next_call();
            let held = std::mem::take(&mut *self.held.lock().unwrap());
            // Handlers of a client whose output is full wait until it is taken.
            let heard: usize = self.clients.iter_mut().map(Client::drain).sum();
            if ran == 0 && taken.is_none() && held.is_empty() && heard == 0 {
                break;
            }
        }
        self.clients.iter_mut().for_each(Client::check);
        drop(self.clients);
        if close {
            assert_eq!(self.server.memory_used(), 0, "a closed server has let go of everything");
        } else {
            self.fleeting.iter().for_each(|n| self.server.unregister(Kind::Tool, n).unwrap());
            assert_eq!(self.server.memory_used(), self.memory);
        }
        assert_eq!(self.server.timeout_ms(), None);
    }
}

/// What a client does, or the host with its session.
fn act(client: &mut Client, operation: &Operation, id: u64) {
    let number = id.to_string();
    match operation {
        Initialize(revision) => {
            let revision = revision.get(&REVISIONS);
            let message = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"initialize","params":{{"protocolVersion":"{revision}","capabilities":{{}},"clientInfo":{{"name":"c","version":"1"}}}}}}"#
            );
            client.ask(id, &message, Way::Whole);
            client.revision.get_or_insert(revision);
        }
        Ask { what, modern, way } => {
            let message = request(&number, what, *modern);
            if message.contains("cancel-self") {
                client.uncertain.insert(id);
            }
            client.ask(id, &message, *way);
        }
        AskMutated { what, at, byte } => {
            let mut message = request("\"m\"", what, false).into_bytes();
            let at = at.index(message.len());
            message[at] = *byte;
            client.feed(&message, Way::Whole);
        }
        AskTogether(members) => {
            let first = id * 1000;
            let asked: Vec<_> = (first..).zip(members).collect();
            let texts = asked.iter().map(|(id, what)| request(&id.to_string(), what, false));
            let message = format!("[{}]", texts.collect::<Vec<_>>().join(","));
            let served = client.revision == Some("2025-03-26") && message.len() <= 2048;
            if client.feed(message.as_bytes(), Way::Whole) && served {
                for (id, _) in asked {
                    client.uncertain.insert(id);
                    client.asked.entry(id).or_default();
                }
            }
        }
        AskTooDeep => {
            let deep = "[".repeat(99) + &"]".repeat(99);
            let message = format!(r#"{{"jsonrpc":"2.0","method":"x","params":{deep},"id":{id}}}"#);
            client.ask(id, &message, Way::Whole);
        }
        AskTooLong(way) => {
            let long = "x".repeat(3000);
            let message = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{long}"}}"#);
            client.ask(id, &message, *way);
        }
        Garbage(bytes, way) => drop(client.feed(bytes, *way)),
        HalfALine => client.begin_line(br#"{"jsonrpc":"2.0","id":"half","met"#),
        Cancel(which) => {
            let asked: Vec<_> = client.asked.keys().copied().collect();
            if !asked.is_empty() {
                client.cancel(*which.get(&asked));
            }
        }
        // Refused when output is full, or the session closed.
        Notify => drop(client.session.notify("notifications/acme", r#"{"a":1}"#)),
        Poll => client.poll(),
        Drain => drop(client.drain()),
        End => {
            client.session.end().unwrap();
            client.ended = true;
        }
        Close => client.session.close(),
        _ => {}
    }
}

fn pick<'a>(calls: &'a [Call], index: &Index) -> Option<&'a Call> {
    if calls.is_empty() { None } else { Some(index.get(calls)) }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_every_request_is_answered_once_and_everything_comes_back(
        output_bytes in prop_oneof![Just(1 << 20), Just(4096_usize)],
        revision in any::<Index>(),
        operations in vec(operation::any_operation(), 1..80),
        close in any::<bool>(),
    ) {
        let mut world = World::new(output_bytes);
        world.apply(&revision, &Initialize(revision));
        for (who, operation) in &operations {
            world.apply(who, operation);
        }
        world.finish(close);
    }
}
