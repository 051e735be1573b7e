//! Telling clients of changes: legacy subscriptions and notifications, modern listen streams.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds something else than it expects has failed"
)]
#![expect(clippy::indexing_slicing, reason = "as above")]

mod support;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use mcplite_core::{Call, Error, Event, Item, Kind, Observer, Outcome, Server, Session};
use serde_json::{Value, json};
use support::{MODERN, drain, exchange, initialize};

fn server() -> Server {
    let server = Server::new("changes", "1").unwrap();
    let done = |call: &Call| Ok(call.reply_text("done")?);
    server.register(Item::tool("first").on_call(done)).unwrap();
    server.register(Item::prompt("first").on_call(done)).unwrap();
    server.register(Item::resource("test://a", "a").contents("a")).unwrap();
    server.register(Item::template("test://items/{id}", "item").on_call(done)).unwrap();
    server
}

fn legacy(server: &Server) -> Session {
    let session = Session::new(server).unwrap();
    initialize(&session, "2025-11-25");
    assert_eq!(notify(&session, "notifications/initialized", json!({})), [Value::Null; 0]);
    session
}

fn say(session: &Session, message: Value) -> Vec<Value> {
    let lines = exchange(session, &message.to_string());
    lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn notify(session: &Session, method: &str, params: Value) -> Vec<Value> {
    say(session, json!({"jsonrpc": "2.0", "method": method, "params": params}))
}

fn subscribe(session: &Session, method: &str, uri: &str) -> Value {
    let heard =
        say(session, json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"uri": uri}}));
    assert_eq!(heard.len(), 1);
    heard[0].clone()
}

fn listen(session: &Session, id: Value, filter: Value) -> Vec<Value> {
    let meta: Value = serde_json::from_str(&format!("{{{MODERN}}}")).unwrap();
    say(
        session,
        json!({"jsonrpc": "2.0", "id": id, "method": "subscriptions/listen",
            "params": {"notifications": filter, "_meta": meta["_meta"]}}),
    )
}

fn heard(session: &Session) -> Vec<Value> {
    drain(session).iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn methods(session: &Session) -> Vec<String> {
    heard(session).iter().map(|it| it["method"].as_str().unwrap().to_owned()).collect()
}

const TOOLS: &str = "notifications/tools/list_changed";
const PROMPTS: &str = "notifications/prompts/list_changed";
const RESOURCES: &str = "notifications/resources/list_changed";
const UPDATED: &str = "notifications/resources/updated";

#[test]
fn a_burst_of_changes_is_told_once_in_both_eras() {
    let server = server();
    let (old, new) = (legacy(&server), Session::new(&server).unwrap());
    let acknowledged = listen(&new, json!("s"), json!({"toolsListChanged": true}));
    assert_eq!(acknowledged.len(), 1);
    for index in 0..100 {
        server.register(Item::tool(&format!("tool{index}"))).unwrap();
    }
    server.unregister(Kind::Tool, "first").unwrap();
    server.register(Item::prompt("second")).unwrap();
    server.unregister(Kind::Template, "test://items/{id}").unwrap();
    assert_eq!(methods(&old), [TOOLS, PROMPTS, RESOURCES]);
    let told = heard(&new);
    assert_eq!(told.len(), 1, "the filter is honoured");
    assert_eq!(told[0]["method"], TOOLS);
    assert_eq!(told[0]["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "s");
    server.register(Item::tool("late")).unwrap();
    assert_eq!(methods(&old), [TOOLS]);
    assert_eq!(methods(&new), [TOOLS]);
    assert_eq!(methods(&old), [""; 0]);
}

#[test]
fn what_does_not_change_a_list_is_not_told() {
    let server = server();
    let session = legacy(&server);
    server.register(Item::tool("secret").hidden()).unwrap();
    server.replace(Item::tool("secret").hidden().description("new")).unwrap();
    server.unregister(Kind::Tool, "secret").unwrap();
    server.register(Item::method("acme/x")).unwrap();
    server.replace(Item::tool("first")).unwrap();
    assert!(server.register(Item::tool("first")).is_err());
    assert_eq!(methods(&session), [""; 0]);
    server.replace(Item::tool("first").hidden()).unwrap();
    assert_eq!(methods(&session), [TOOLS]);
    server.notify_list_changed(Kind::Prompt).unwrap();
    assert_eq!(methods(&session), [PROMPTS]);
    assert!(matches!(server.notify_list_changed(Kind::Method), Err(Error::Invalid(_))));
}

#[test]
fn one_update_reaches_both_eras_and_only_who_asked() {
    let server = server();
    let (old, new, other) = (legacy(&server), Session::new(&server).unwrap(), legacy(&server));
    assert_eq!(subscribe(&old, "resources/subscribe", "test://a")["result"], json!({}));
    assert_eq!(subscribe(&old, "resources/subscribe", "test://items/7")["result"], json!({}));
    let uris = json!({"resourceSubscriptions": ["test://a", "test://nowhere", "test://a"]});
    let acknowledged = listen(&new, json!(7), uris);
    let agreed = &acknowledged[0]["params"]["notifications"];
    assert_eq!(agreed, &json!({"resourceSubscriptions": ["test://a"]}));
    for _ in 0..5 {
        server.notify_resource_updated("test://a");
        server.notify_resource_updated("test://items/8");
    }
    let told = heard(&old);
    assert_eq!(told, [json!({"jsonrpc": "2.0", "method": UPDATED, "params": {"uri": "test://a"}})]);
    let tag = json!({"io.modelcontextprotocol/subscriptionId": 7});
    assert_eq!(
        heard(&new),
        [json!({"jsonrpc": "2.0", "method": UPDATED, "params": {"_meta": tag, "uri": "test://a"}})]
    );
    assert_eq!(methods(&other), [""; 0]);
    server.notify_resource_updated("test://a");
    assert_eq!(subscribe(&old, "resources/unsubscribe", "test://a")["result"], json!({}));
    server.notify_resource_updated("test://a");
    assert_eq!(methods(&old), [""; 0]);
    let unknown = subscribe(&old, "resources/subscribe", "test://nowhere");
    assert_eq!(unknown["error"]["code"], -32002);
}

#[test]
fn nothing_is_told_before_the_handshake_is_over() {
    let server = server();
    let session = Session::new(&server).unwrap();
    server.register(Item::tool("before")).unwrap();
    initialize(&session, "2025-06-18");
    server.register(Item::tool("between")).unwrap();
    assert_eq!(methods(&session), [""; 0]);
    let told = notify(&session, "notifications/initialized", json!({}));
    assert_eq!(told.len(), 1, "it may have listed already");
    assert_eq!(notify(&session, "notifications/initialized", json!({})).len(), 0);
}

#[test]
fn what_was_not_announced_is_not_told() {
    let server = Server::new("bare", "1").unwrap();
    let session = legacy(&server);
    server.register(Item::tool("first")).unwrap();
    assert_eq!(methods(&session), [""; 0]);
    let modern = Session::new(&server).unwrap();
    let all = json!({"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": false});
    let acknowledged = listen(&modern, json!(1), all);
    assert_eq!(acknowledged[0]["params"]["notifications"], json!({"toolsListChanged": true}));
}

#[test]
fn streams_are_apart_and_end_when_cancelled() {
    let server = server();
    let session = Session::new(&server).unwrap();
    listen(&session, json!(1), json!({"toolsListChanged": true}));
    listen(&session, json!("1"), json!({"promptsListChanged": true, "toolsListChanged": true}));
    let again = listen(&session, json!(1), json!({}));
    assert_eq!(again[0]["error"]["code"], -32600);
    server.notify_list_changed(Kind::Tool).unwrap();
    let tags: Vec<_> = heard(&session)
        .iter()
        .map(|it| it["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"].clone())
        .collect();
    assert_eq!(tags, [json!(1), json!("1")]);
    // Cancelled with something due: not a word more.
    server.notify_list_changed(Kind::Tool).unwrap();
    notify_raw(&session, json!({"requestId": 1}));
    let told = heard(&session);
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "1");
    let reopened = listen(&session, json!(1), json!({"toolsListChanged": true}));
    assert_eq!(reopened[0]["method"], "notifications/subscriptions/acknowledged");
}

/// Cancels without taking output.
fn notify_raw(session: &Session, params: Value) {
    let message = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
    session.handle_message(message.to_string().as_bytes()).unwrap();
}

#[test]
fn filters_are_checked() {
    let server = server();
    let session = Session::new(&server).unwrap();
    for filter in [
        json!("all"),
        json!([]),
        json!({"toolsListChanged": "yes"}),
        json!({"resourceSubscriptions": "test://a"}),
        json!({"resourceSubscriptions": [1]}),
    ] {
        assert_eq!(listen(&session, json!(1), filter)[0]["error"]["code"], -32602);
    }
    assert_eq!(listen(&session, json!(1), json!({})).len(), 1, "an empty filter is a filter");
}

#[test]
fn there_are_limits() {
    let server = server();
    server
        .configure(|options| {
            options.limits.subscriptions = 2;
            options.limits.listen_streams = 2;
        })
        .unwrap();
    let (old, new) = (legacy(&server), Session::new(&server).unwrap());
    for uri in ["test://a", "test://items/1", "test://a"] {
        assert!(subscribe(&old, "resources/subscribe", uri)["result"].is_object());
    }
    let refused = subscribe(&old, "resources/subscribe", "test://items/2");
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    let three = json!({"resourceSubscriptions": ["test://a", "test://items/1", "test://items/2"]});
    assert_eq!(listen(&new, json!(1), three)[0]["error"]["code"], -32600);
    for id in 1..=2 {
        assert!(listen(&new, json!(id), json!({}))[0]["method"].is_string());
    }
    assert_eq!(listen(&new, json!(3), json!({}))[0]["error"]["code"], -32600);
    let before = server.memory_used();
    drop((old, new));
    assert!(server.memory_used() < before);
}

#[test]
fn a_client_that_reads_nothing_costs_a_bounded_amount() {
    let server = server();
    let session = legacy(&server);
    subscribe(&session, "resources/subscribe", "test://a");
    let before = server.memory_used();
    for _ in 0..10_000 {
        server.notify_list_changed(Kind::Tool).unwrap();
        server.notify_resource_updated("test://a");
    }
    assert_eq!(server.memory_used(), before);
    assert_eq!(methods(&session), [TOOLS, UPDATED]);
}

#[test]
fn a_host_that_takes_output_at_once_can_publish_once() {
    let server = server();
    let session = Arc::new(legacy(&server));
    let told = Arc::new(AtomicUsize::new(0));
    let (own, count) = (Arc::downgrade(&session), Arc::clone(&told));
    session.set_wake(Some(Arc::new(move || {
        let mut out = Vec::new();
        count.fetch_add(own.upgrade().map_or(0, |own| own.drain_into(&mut out)), Ordering::Relaxed);
    })));
    let register = |name: &str| server.register(Item::tool(name)).unwrap();
    ["a", "b", "c"].into_iter().for_each(register);
    assert_eq!(told.swap(0, Ordering::Relaxed), 3);
    server.publish_once(|| {
        ["d", "e"].into_iter().for_each(register);
        server.publish_once(|| register("f"));
        server.notify_resource_updated("test://a");
        assert_eq!(told.load(Ordering::Relaxed), 0);
    });
    assert_eq!(told.load(Ordering::Relaxed), 1);
}

#[test]
fn shutting_down_says_goodbye_and_lets_calls_finish() {
    let server = server();
    let held: Arc<Mutex<Vec<Call>>> = Arc::default();
    let keep = Arc::clone(&held);
    let hold = move |call: &Call| {
        keep.lock().unwrap().push(call.clone());
        Ok(())
    };
    server.register(Item::tool("hold").on_call(hold)).unwrap();
    let session = Session::new(&server).unwrap();
    listen(&session, json!("x"), json!({"toolsListChanged": true}));
    let call = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"hold",{MODERN}}}}}"#
    );
    assert_eq!(exchange(&session, &call), [""; 0]);
    server.notify_list_changed(Kind::Tool).unwrap();
    server.shutdown();
    let told = heard(&session);
    assert_eq!(told[0]["method"], TOOLS, "what was due is told first");
    assert_eq!(told[1]["id"], "x");
    assert_eq!(told[1]["result"]["resultType"], "complete");
    assert_eq!(told[1]["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "x");
    assert_eq!(told[2]["method"], "notifications/cancelled");
    assert_eq!(told[2]["params"]["requestId"], "x");
    assert_eq!(told.len(), 3);
    assert!(!session.is_finished());
    let refused: Value =
        serde_json::from_str(&exchange(&session, &call.replace("\"id\":1", "\"id\":2"))[0])
            .unwrap();
    assert_eq!(refused["error"]["code"], -32603);
    assert!(listen(&session, json!(3), json!({}))[0]["error"].is_object());
    assert!(matches!(Session::new(&server), Err(Error::Closed)));
    let call = held.lock().unwrap().pop().unwrap();
    call.reply_text("at last").unwrap();
    drop(call);
    assert!(heard(&session)[0]["result"]["content"][0]["text"] == "at last");
    assert!(session.is_finished());
}

#[test]
fn streams_end_in_the_order_of_their_opening() {
    let server = server();
    let session = Session::new(&server).unwrap();
    for id in 1..=4 {
        listen(&session, json!(id), json!({}));
    }
    notify_raw(&session, json!({"requestId": 1}));
    server.shutdown();
    let ended: Vec<_> = heard(&session).iter().filter_map(|it| it["id"].as_u64()).collect();
    assert_eq!(ended, [2, 3, 4]);
}

#[test]
fn the_end_of_input_ends_the_streams_without_a_word() {
    let server = server();
    let session = Session::new(&server).unwrap();
    listen(&session, json!(1), json!({"toolsListChanged": true}));
    session.end().unwrap();
    server.notify_list_changed(Kind::Tool).unwrap();
    assert_eq!(methods(&session), [""; 0]);
    assert!(session.is_finished());
}

#[test]
fn changed_roots_are_the_hosts_business() {
    let server = server();
    let seen = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&seen);
    let note = move |_: &Call| {
        count.fetch_add(1, Ordering::Relaxed);
        Ok(())
    };
    server.register(Item::method("notifications/roots/list_changed").on_call(note)).unwrap();
    let session = legacy(&server);
    assert_eq!(notify(&session, "notifications/roots/list_changed", json!({})).len(), 0);
    assert_eq!(seen.load(Ordering::Relaxed), 1);
}

#[test]
fn a_burst_of_changes_does_not_close_a_session_that_is_polled() {
    let server = server();
    server.configure(|options| options.limits.output_bytes = 4096).unwrap();
    let held = Arc::new(Mutex::new(Vec::new()));
    let own = Arc::clone(&held);
    let keep = move |call: &Call| {
        own.lock().unwrap().push(call.clone());
        Ok(())
    };
    server.register(Item::tool("keep").on_call(keep)).unwrap();
    let session = legacy(&server);
    let call =
        json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "keep"}});
    assert_eq!(say(&session, call), [Value::Null; 0]);
    for number in 0..500 {
        subscribe(&session, "resources/subscribe", &format!("test://items/{number}"));
    }
    for number in 0..500 {
        server.notify_resource_updated(&format!("test://items/{number}"));
    }
    let mut message = Vec::new();
    assert!(session.poll_into(&mut message));
    held.lock().unwrap().pop().unwrap().reply_text("done").unwrap();
    assert!(!session.is_closed(), "the host takes output, and the client did nothing wrong");
}

#[test]
fn the_observer_sees_the_end_of_every_stream() {
    struct Notes(Arc<Mutex<Vec<Outcome>>>);
    impl Observer for Notes {
        fn event(&self, event: &Event<'_>) {
            if let Event::RequestCompleted { outcome, .. } = event {
                self.0.lock().unwrap().push(*outcome);
            }
        }
    }
    let server = server();
    let notes = Arc::new(Mutex::new(Vec::new()));
    server.set_observer(Notes(Arc::clone(&notes)));
    let ends: [fn(&Server, &Session); 4] = [
        |_, session| session.end().unwrap(),
        |_, session| session.close(),
        |_, session| notify_raw(session, json!({"requestId": 1})),
        |server, _| server.shutdown(),
    ];
    for end in ends {
        let session = Session::new(&server).unwrap();
        listen(&session, json!(1), json!({}));
        end(&server, &session);
    }
    let expected = [Outcome::Cancelled, Outcome::Cancelled, Outcome::Cancelled, Outcome::Ok];
    assert_eq!(*notes.lock().unwrap(), expected);
}
