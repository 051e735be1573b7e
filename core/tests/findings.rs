//! What an independent review found; each test states what should hold.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds something else than it expects has failed"
)]
#![expect(clippy::indexing_slicing, reason = "as above")]
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the test is the host, which has threads"
)]

mod support;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier, Mutex};

use mcplite_core::{Call, Clock, ErrorKind, Failure, Item, Reference, Server, Session};
use serde_json::{Value, json};
use support::{CountingEntropy, ManualClock, drain};

const FORM: &str = r#"{"message":"Who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}"#;

fn everything() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {}})
}

fn server() -> Server {
    let server = Server::new("findings", "1").unwrap();
    server.set_clock(ManualClock::default());
    server.set_entropy(CountingEntropy::default());
    server
}

fn say(session: &Session, message: &Value) -> Vec<Value> {
    session.handle_message(message.to_string().as_bytes()).unwrap();
    heard(session)
}

fn heard(session: &Session) -> Vec<Value> {
    drain(session).iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn legacy(server: &Server, revision: &str) -> Session {
    let session = Session::new(server).unwrap();
    say(
        &session,
        &json!({"jsonrpc":"2.0","id":"init","method":"initialize","params":{
        "protocolVersion":revision,"capabilities":everything(),
        "clientInfo":{"name":"c","version":"1"}}}),
    );
    say(&session, &json!({"jsonrpc":"2.0","method":"notifications/initialized"}));
    session
}

fn modern(id: u32, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({"io.modelcontextprotocol/protocolVersion":"2026-07-28",
        "io.modelcontextprotocol/clientCapabilities":everything()});
    json!({"jsonrpc":"2.0","id":id,"method":method,"params":params})
}

fn call(id: u32, tool: &str) -> Value {
    json!({"jsonrpc":"2.0","id":id,"method":"tools/call","params":{"name":tool,"arguments":{}}})
}

fn ask_form(call: &Call) -> Result<(), Failure> {
    match call.ask("who", "elicitation/create", FORM)? {
        Some(answer) => call.reply_text(answer)?,
        None => call.reply_asked()?,
    }
    Ok(())
}

#[test]
fn a_refusal_that_meets_a_cancellation_leaks_nothing() {
    for round in 0..3000 {
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
    for round in 0..20_000 {
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
fn only_tools_prompts_and_resources_require_input() {
    let server = server();
    let fail = |_: &Call| {
        let data = r#"{"elicitations":[{"mode":"url","elicitationId":"e","url":"https://x.test/","message":"m"}]}"#;
        Err(Failure::new(ErrorKind::UrlElicitationRequired, "log in").with_data(data))
    };
    server
        .register(Item::prompt("p").arguments(r#"[{"name":"a"}]"#).on_call(|_: &Call| Ok(())))
        .unwrap();
    server.register(Item::completion(Reference::Prompt("p"), "a").on_call(fail)).unwrap();
    server.register(Item::method("acme/do").on_call(fail)).unwrap();
    let session = Session::new(&server).unwrap();
    let complete = modern(
        1,
        "completion/complete",
        json!({"ref":{"type":"ref/prompt","name":"p"},
        "argument":{"name":"a","value":""}}),
    );
    for message in [complete, modern(2, "acme/do", json!({}))] {
        let answer = say(&session, &message);
        assert_ne!(answer[0]["result"]["resultType"], "input_required", "{answer:?}");
    }
}

#[test]
fn a_url_that_is_required_is_not_a_form() {
    let server = server();
    let fail = |_: &Call| {
        let data = format!(r#"{{"elicitations":[{FORM}]}}"#);
        Err(Failure::new(ErrorKind::UrlElicitationRequired, "log in").with_data(data))
    };
    server.register(Item::tool("t").on_call(fail)).unwrap();
    let session = Session::new(&server).unwrap();
    let mut message = modern(1, "tools/call", json!({"name":"t"}));
    message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
        json!({"elicitation":{"url":{}}});
    let answer = say(&session, &message);
    assert_ne!(answer[0]["result"]["resultType"], "input_required", "{answer:?}");
}

#[test]
fn an_answer_that_says_a_member_twice_is_no_answer() {
    for answer in [
        r#"{"action":"accept","content":{"name":"Ada"},"content":{"name":42}}"#,
        r#"{"action":"decline","action":"accept","content":{"name":42}}"#,
    ] {
        let server = server();
        server.register(Item::tool("ask").on_call(ask_form)).unwrap();
        let session = legacy(&server, "2025-11-25");
        let asked = say(&session, &call(1, "ask"));
        let response = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{answer}}}"#, asked[0]["id"]);
        session.handle_message(response.as_bytes()).unwrap();
        let heard = heard(&session);
        assert_eq!(heard[0]["method"], "elicitation/create", "{heard:?}");
    }
}

#[test]
fn an_answer_counts_only_from_whoever_was_asked() {
    let server = server();
    server.register(Item::tool("ask").on_call(ask_form)).unwrap();
    let session = legacy(&server, "2025-11-25");
    session.set_principal(Some("ada"));
    let asked = say(&session, &call(1, "ask"));
    session.set_principal(Some("bob"));
    let answer = json!({"jsonrpc":"2.0","id":asked[0]["id"],"result":{"action":"accept","content":{"name":"bob"}}});
    assert_eq!(say(&session, &answer), [Value::Null; 0]);
    session.set_principal(Some("ada"));
    assert_eq!(say(&session, &answer).len(), 1);
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

#[test]
fn the_verdict_does_not_depend_on_the_order_of_members() {
    let server = server();
    server.register(Item::tool("any").on_call(|call: &Call| Ok(call.reply_text("ok")?))).unwrap();
    server.configure(|options| options.limits.depth = 200).unwrap();
    let session = legacy(&server, "2025-11-25");
    let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    let params = [
        format!(r#""name":"any","arguments":{{"a":{deep}}}"#),
        format!(r#""arguments":{{"a":{deep}}},"name":"any""#),
    ];
    let answers = params.map(|params| {
        let text =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{{params}}}}}"#);
        session.handle_message(text.as_bytes()).unwrap();
        heard(&session)
    });
    assert_eq!(answers[0], answers[1]);
}

#[test]
fn questions_that_nobody_takes_close_the_session_not_only_its_lane() {
    let server = server();
    server.configure(|options| options.limits.output_bytes = 1024).unwrap();
    let held = Arc::new(Mutex::new(Vec::new()));
    let own = Arc::clone(&held);
    let keep = move |call: &Call| {
        own.lock().unwrap().push(call.clone());
        Ok(())
    };
    server.register(Item::tool("keep").on_call(keep)).unwrap();
    let session = legacy(&server, "2025-11-25");
    for id in 0..30 {
        say(&session, &call(id, "keep"));
    }
    let calls = std::mem::take(&mut *held.lock().unwrap());
    for call in &calls {
        if ask_form(call).is_err() {
            break;
        }
    }
    drop(calls);
    let lost = heard(&session).len() < 30;
    assert_eq!(lost, session.is_closed(), "output is lost, so the session is closed");
}

#[test]
fn no_goodbye_comes_before_the_acknowledgement() {
    for round in 0..20_000 {
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

#[test]
fn a_host_that_gives_a_wrong_elicitation_id_is_told() {
    let server = server();
    let seen = Arc::new(Mutex::new(None));
    let own = Arc::clone(&seen);
    server
        .register(Item::tool("t").on_call(move |call: &Call| {
            let params =
                r#"{"mode":"url","url":"https://x.test/","message":"m","elicitationId":7}"#;
            let asked = call.ask("k", "elicitation/create", params);
            *own.lock().unwrap() = Some(asked.is_err());
            Ok(())
        }))
        .unwrap();
    let session = legacy(&server, "2025-11-25");
    session.handle_message(call(1, "t").to_string().as_bytes()).unwrap();
    let sent = drain(&session);
    assert!(sent[0].matches("elicitationId").count() <= 1, "{sent:?}");
}

#[test]
fn depth_of_arguments_does_not_multiply_the_cost_of_a_state() {
    let server = server();
    server.register(Item::tool("ask").on_call(ask_form)).unwrap();
    let session = Session::new(&server).unwrap();
    const MODERN: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}"#;
    let time = |depth: usize| {
        let inner = "1,".repeat(1_500_000) + "1";
        let deep = format!("{}{inner}{}", "[".repeat(depth), "]".repeat(depth));
        let message = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"ask","arguments":{{"a":{deep}}},{}}}}}"#,
            MODERN
        );
        let start = std::time::Instant::now();
        session.handle_message(message.as_bytes()).unwrap();
        let sent = drain(&session);
        assert_eq!(sent.len(), 1);
        start.elapsed().as_secs_f64()
    };
    time(1);
    let (flat, deep) = (time(1), time(58));
    assert!(deep < flat * 5.0, "flat {flat} s, deep {deep} s");
}

#[test]
fn a_burst_of_changes_does_not_close_a_session_that_is_polled() {
    let server = server();
    server.configure(|options| options.limits.output_bytes = 4096).unwrap();
    server.register(Item::template("x://{a}", "x").on_call(|_: &Call| Ok(()))).unwrap();
    let held = Arc::new(Mutex::new(Vec::new()));
    let own = Arc::clone(&held);
    server
        .register(Item::tool("keep").on_call(move |call: &Call| {
            own.lock().unwrap().push(call.clone());
            Ok(())
        }))
        .unwrap();
    let session = legacy(&server, "2025-11-25");
    say(&session, &call(7, "keep"));
    for n in 0..500 {
        say(
            &session,
            &json!({"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":format!("x://{n}")}}),
        );
    }
    for n in 0..500 {
        server.notify_resource_updated(&format!("x://{n}"));
    }
    let mut message = Vec::new();
    assert!(session.poll_into(&mut message));
    held.lock().unwrap().pop().unwrap().reply_text("done").unwrap();
    assert!(!session.is_closed(), "the host takes output, and the client did nothing wrong");
}
