//! How exchanges, streams and sessions begin and end, in moments that are easily forgotten.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds something else than it expects has failed"
)]
#![expect(clippy::disallowed_methods, reason = "the test is the host, which has threads")]

mod support;

use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::Duration;

use mcplite_core::{
    Authorizer, Call, Entropy, Error, Event, Exchange, Http, HttpRequest, Kind, Observer, Server,
    Verdict,
};
use serde_json::json;
use support::web::{
    Client, GET, POST, Reply, count_wakes, finish, initialize, modern, open, post, send, take,
    take_by_wake,
};
use support::web_world::World;

/// A call of `hold` whose response is a stream, of which nothing is taken yet.
fn begin(world: &World, client: &Client<'_>, id: i64) -> (Exchange, Call) {
    let exchange = client.call(id, "hold");
    let held = world.held();
    held.progress(1.0, None, None).unwrap();
    (exchange, held)
}

/// The same, of which everything is taken.
fn begun(world: &World, client: &Client<'_>, id: i64) -> (Exchange, Call) {
    let (exchange, held) = begin(world, client, id);
    drop(take(&exchange));
    (exchange, held)
}

/// Posts text that need not be JSON.
fn post_text(client: &Client<'_>, text: &str) -> Reply {
    let own = [("Mcp-Session-Id", &*client.id), ("MCP-Protocol-Version", "2025-03-26")];
    let headers: Vec<_> = POST.into_iter().chain(own).collect();
    take(&send(client.http, "POST", "/mcp", &headers, text))
}

/// Serves the transport of 2024-11-05.
fn configure_pair(http: &Http, post_path: &str) -> Result<(), Error> {
    http.configure(|options| {
        options.sse_path = Some("/sse".to_owned());
        options.sse_post_path = Some(post_path.to_owned());
    })
}

/// Opens the stream of 2024-11-05, and says where to post to.
fn open_pair(http: &Http) -> (Exchange, String) {
    let stream = send(http, "GET", "/sse", &GET, "");
    let body = take(&stream).body;
    let target = body.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
    (stream, target.to_owned())
}

/// Looks at one exchange whenever the host is told of another.
fn look_by_wake(told: &Exchange, seen: &Arc<Mutex<Weak<Exchange>>>) {
    let seen = Arc::clone(seen);
    told.set_wake(Some(Arc::new(move || {
        let seen = seen.lock().unwrap().upgrade();
        let _status = seen.and_then(|seen| seen.status());
    })));
}

/// Runs what would wait for ever if a wake ran under a lock.
fn does_not_block(scenario: impl FnOnce() + Send + 'static) {
    let (done, ended) = mpsc::channel();
    let running = thread::spawn(move || {
        scenario();
        drop(done);
    });
    let ended: Result<(), _> = ended.recv_timeout(Duration::from_secs(60));
    assert_ne!(ended, Err(RecvTimeoutError::Timeout), "a wake waits for what its caller holds");
    running.join().unwrap();
}

#[test]
fn streams_that_are_followed_make_no_room() {
    let world = World::new();
    let client = world.client("2025-11-25");
    let mut streams = Vec::new();
    for id in 1..=70 {
        let (exchange, held) = begin(&world, &client, id);
        let begun = take(&exchange);
        assert_eq!((begun.messages().len(), begun.is_finished), (1, false), "{id}: {begun:?}");
        streams.push((exchange, held));
    }
    for (exchange, held) in &streams {
        held.reply_text("done").unwrap();
        let reply = take(exchange);
        assert_eq!((reply.messages().len(), reply.is_finished), (1, true));
    }
}

#[test]
fn a_stream_that_begins_rings_nobody_under_its_lock() {
    does_not_block(|| {
        let world = World::new();
        let client = world.client("2025-11-25");
        let _others: Vec<_> = (1..=63).map(|id| begun(&world, &client, id)).collect();
        let exchange = Arc::new(client.call(64, "hold"));
        look_by_wake(&exchange, &Arc::new(Mutex::new(Arc::downgrade(&exchange))));
        let held = world.held();
        held.progress(1.0, None, None).unwrap();
        assert_eq!(take(&exchange).messages().len(), 1);
    });
}

#[test]
fn a_stream_that_makes_room_rings_nobody_under_the_lock_of_another() {
    does_not_block(|| {
        let world = World::new();
        let client = world.client("2025-11-25");
        let (first, _held) = begin(&world, &client, 1);
        let taken = take(&first);
        let newest = Arc::default();
        look_by_wake(&first, &newest);
        let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": {"requestId": 1}});
        drop(take(&client.post(&cancel)));
        let back = client.get(taken.event_ids().last().copied());
        assert_eq!(take(&back).status, 400, "nobody follows it any more");
        let _others: Vec<_> = (2..=63).map(|id| begun(&world, &client, id)).collect();
        let (exchange, _held) = begin(&world, &client, 64);
        let exchange = Arc::new(exchange);
        *newest.lock().unwrap() = Arc::downgrade(&exchange);
        assert_eq!(take(&exchange).messages().len(), 1);
    });
}

#[test]
fn batches_that_cannot_be_read_are_answered() {
    let response = r#"[{"jsonrpc":"2.0","id":1,"result":{}"#;
    let world = World::new();
    let client = world.client("2025-03-26");
    for round in 0..200 {
        for batch in [response, "[{]"] {
            let reply = post_text(&client, batch);
            let found = (reply.status, reply.code(), reply.is_finished);
            assert_eq!(found, (400, json!(-32700), true), "{round}: {reply:?}");
        }
    }
    assert_eq!(post_text(&client, r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#).status, 200);
    world.http.configure(|options| options.stateless = true).unwrap();
    assert_eq!(take(&send(&world.http, "POST", "/mcp", &POST, response)).status, 400);
}

#[test]
fn a_batch_without_requests_is_accepted_and_over() {
    let notes = json!([{"jsonrpc": "2.0", "method": "notifications/x"}]);
    let world = World::new();
    let client = world.client("2025-03-26");
    let exchange = client.post(&notes);
    assert_eq!((take(&exchange).status, exchange.is_finished()), (202, true));
    world.clock.set_ms(10_000_000);
    world.server.tick();
    assert_eq!(world.http.sessions(), 0, "it does not keep its session");
    world.http.configure(|options| options.stateless = true).unwrap();
    let reply = take(&post(&world.http, &[], &notes));
    assert_eq!((reply.status, reply.is_finished), (202, true));
}

#[test]
fn a_wake_that_polls_gets_one_response() {
    let world = World::new();
    let exchange = Arc::new(open(&world.http, "POST", "/mcp", &POST));
    let taken = take_by_wake(&exchange);
    finish(&exchange, "{");
    let all = taken.lock().unwrap().clone() + &take(&exchange).body;
    assert_eq!(all.matches("jsonrpc").count(), 1, "{all}");
}

#[test]
fn whoever_follows_keeps_its_wake_when_the_one_before_goes() {
    let world = World::new();
    let client = world.client("2025-11-25");
    let (first, held) = begin(&world, &client, 1);
    let before = count_wakes(&first);
    let begun = take(&first);
    let second = client.get(begun.event_ids().last().copied());
    drop(take(&second));
    let told = count_wakes(&second);
    assert!(first.is_finished());
    // What a host does before it frees what its wake needs.
    first.set_wake(None);
    drop(first);
    before.store(0, Ordering::SeqCst);
    told.store(0, Ordering::SeqCst);
    held.reply_text("done").unwrap();
    assert_eq!([before.load(Ordering::SeqCst), told.load(Ordering::SeqCst)], [0, 1]);
    assert!(take(&second).is_finished);
}

#[test]
fn what_came_before_a_shutdown_begins_no_stream_after_it() {
    let world = World::new();
    let own = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "subscriptions/listen")];
    let headers: Vec<_> = POST.into_iter().chain(own).collect();
    let exchange = open(&world.http, "POST", "/mcp", &headers);
    exchange.body(b"").unwrap();
    assert_eq!(exchange.status(), None);
    world.server.shutdown();
    let params = json!({"notifications": {"toolsListChanged": true}});
    finish(&exchange, &modern(json!(1), "subscriptions/listen", params).to_string());
    assert!(take(&exchange).is_finished);
}

#[test]
fn what_came_before_the_end_opens_no_session_after_it() {
    let world = World::new();
    let exchange = open(&world.http, "POST", "/mcp", &POST);
    exchange.body(b"").unwrap();
    world.http.close();
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "c", "version": "1"}});
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    finish(&exchange, &hello.to_string());
    assert_eq!((take(&exchange).status, world.http.sessions()), (503, 0));
}

/// What was told of sessions and exchanges.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<&'static str>>>);

impl Observer for Log {
    fn event(&self, event: &Event<'_>) {
        let name = match event {
            Event::SessionOpened => "opened",
            Event::SessionClosed => "closed",
            Event::ExchangeEnded { .. } => "ended",
            _ => return,
        };
        self.0.lock().unwrap().push(name);
    }
}

#[test]
fn only_sessions_that_were_opened_are_told_to_be_closed() {
    let world = World::new();
    let log = Log::default();
    world.server.set_observer(log.clone());
    world.http.configure(|options| options.sessions = 0).unwrap();
    assert_eq!(take(&initialize(&world.http, "2025-11-25", json!({}))).status, 503);
    assert_eq!(*log.0.lock().unwrap(), ["ended"]);
}

/// Closes an exchange while it is asked about it.
struct Closing(Weak<Exchange>);

impl Authorizer for Closing {
    fn authorize(&self, _request: &HttpRequest) -> Verdict {
        self.0.upgrade().iter().for_each(|exchange| exchange.close());
        Verdict::Unauthorized
    }
}

#[test]
fn an_exchange_that_is_closed_while_it_is_authorized_ends_once() {
    let world = World::new();
    let log = Log::default();
    world.server.set_observer(log.clone());
    let exchange = Arc::new(open(&world.http, "POST", "/mcp", &POST));
    world.http.set_authorizer(Some(Arc::new(Closing(Arc::downgrade(&exchange)))));
    exchange.body(b"").unwrap();
    drop(exchange);
    assert_eq!(*log.0.lock().unwrap(), ["ended"]);
}

#[test]
fn modern_requests_stand_alone_with_their_headers() {
    let world = World::new();
    let call = modern(json!(7), "tools/call", json!({"name": "echo"}));
    let client = world.client("2025-03-26");
    let reply = take(&client.post(&json!([call])));
    assert!(reply.json()[0]["result"].get("resultType").is_none(), "{reply:?}");
    configure_pair(&world.http, "/messages").unwrap();
    let (stream, target) = open_pair(&world.http);
    let posted = take(&send(&world.http, "POST", &target, &POST, &call.to_string()));
    assert_eq!(posted.status, 202);
    let messages = take(&stream).messages();
    assert_eq!((messages.len(), messages[0].get("result")), (1, None), "{messages:?}");
}

#[test]
fn the_transport_of_2024_belongs_to_the_first_server() {
    let world = World::new();
    let other = Server::new("other", "1").unwrap();
    world.http.mount("/sse", &other).unwrap();
    assert!(configure_pair(&world.http, "/mcp").is_err(), "a server is there");
    configure_pair(&world.http, "/messages").unwrap();
    assert!(world.http.mount("/messages", &other).is_err());
    let reply = take(&send(&world.http, "GET", "/sse", &GET, ""));
    assert_eq!(reply.status, 400, "it would be asked to post to another server: {reply:?}");
    world.http.unmount("/sse").unwrap();
    let (stream, target) = open_pair(&world.http);
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    assert_eq!(take(&send(&world.http, "POST", &target, &POST, &ping)).status, 202);
    assert_eq!(take(&stream).messages()[0]["id"], 1);
}

/// What a broken device gives.
struct Stuck;

impl Entropy for Stuck {
    fn fill(&self, out: &mut [u8]) -> bool {
        out.fill(7);
        true
    }
}

#[test]
fn an_id_that_is_in_use_is_not_given_away() {
    let world = World::new();
    world.server.set_entropy(Stuck);
    let client = world.client("2025-11-25");
    let reply = take(&initialize(&world.http, "2025-11-25", json!({})));
    assert_eq!((reply.status, reply.header("Mcp-Session-Id")), (503, None));
    assert_eq!(take(&client.call(1, "echo")).status, 200);
    assert_eq!(take(&client.delete()).status, 204);
    assert_eq!(take(&initialize(&world.http, "2025-11-25", json!({}))).status, 200);
}

#[test]
fn streams_that_are_over_cost_no_more_than_what_is_kept_of_them() {
    let world = World::new();
    let kept = 256 << 10;
    world.http.configure(|options| options.replay_bytes = kept).unwrap();
    let client = world.client("2025-11-25");
    let before = world.server.memory_used();
    let text = "x".repeat(100_000);
    for id in 1..=60 {
        let (exchange, held) = begun(&world, &client, id);
        held.reply_text(&text).unwrap();
        assert!(take(&exchange).is_finished);
    }
    let grown = world.server.memory_used() - before;
    assert!(grown <= kept, "{grown} bytes for 60 streams, of which {kept} are kept");
}

#[test]
fn a_lost_connection_is_no_cancellation_without_sessions_either() {
    let world = World::new();
    world.http.configure(|options| options.stateless = true).unwrap();
    let params = json!({"name": "hold"});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    drop(post(&world.http, &[("MCP-Protocol-Version", "2025-06-18")], &call));
    assert!(!world.held().is_cancelled());
}

/// Everything that a client does, in the orders that it may be done in.
fn live(world: &World) {
    let client = world.client("2025-11-25");
    for id in 1..=10 {
        let (exchange, held) = begin(world, &client, id);
        let begun = take(&exchange);
        let stays = (id % 2 == 1).then_some(exchange);
        held.reply_text("x").unwrap();
        assert!(take(&client.get(begun.event_ids().last().copied())).is_finished);
        drop(stays);
    }
    let own = client.get(None);
    drop(take(&own));
    world.server.notify_list_changed(Kind::Tool).unwrap();
    assert_eq!(take(&own).messages().len(), 1);
    let waiting = client.call(99, "hold");
    assert_eq!(take(&client.delete()).status, 204);
    assert!(take(&own).is_finished && take(&waiting).is_finished);
    drop(world.held());
    let response = r#"{"jsonrpc":"2.0","id":1,"result":1}"#;
    for body in ["{", "[", "[]", "null", "{}", "[{}]", response] {
        assert_eq!(take(&send(&world.http, "POST", "/mcp", &POST, body)).status, 400, "{body}");
    }
    let older = world.client("2025-03-26");
    let note = json!({"jsonrpc": "2.0", "method": "notifications/x"});
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    assert!([note, ping].iter().all(|it| take(&older.post(&json!([it]))).is_finished));
    assert_eq!(take(&older.delete()).status, 204);
}

#[test]
fn everything_that_a_client_took_is_given_back() {
    let world = World::new();
    live(&world);
    let before = world.server.memory_used();
    for _ in 0..5 {
        live(&world);
    }
    assert_eq!((world.server.memory_used(), world.http.sessions()), (before, 0));
}
