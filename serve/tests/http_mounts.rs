//! Several servers at one endpoint, several loops, and what is counted and ended for all of them.
#![cfg(all(unix, feature = "http"))]
#![expect(
    clippy::unwrap_used,
    reason = "a test that finds something else than it expects has failed"
)]

use std::io::Read;
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use mcplite_core::{Call, Dispatch, Http, Item, Server};
use mcplite_serve::{ServeError, Settings};
use serde_json::json;

mod support;

use support::http::{Client, Endpoint, legacy, modern};
use support::meeting::Meeting;
use support::tools;

/// A server whose tool `count` counts its calls.
fn counting(count: &Arc<AtomicUsize>) -> Server {
    let (server, count) = (tools::server().unwrap(), Arc::clone(count));
    let counts = move |call: &Call| {
        count.fetch_add(1, Ordering::SeqCst);
        Ok(call.reply_text("counted")?)
    };
    server.register(Item::tool("count").on_call(counts)).unwrap();
    server
}

fn call_other() -> String {
    let call = modern(1, "tools/call", json!({"name": "count", "arguments": {}}));
    call.replacen("/mcp", "/other", 1)
}

/// One more loop for an endpoint, and where it listens.
fn serve(http: &Http) -> (JoinHandle<Result<(), ServeError>>, String) {
    let (sender, receiver) = mpsc::channel::<String>();
    let own = http.clone();
    let thread = thread::spawn(move || {
        let mut listening = |address: &str| sender.send(address.to_owned()).unwrap();
        mcplite_serve::http(&own, "127.0.0.1:0", &Settings::default(), &mut listening)
    });
    (thread, receiver.recv().unwrap().strip_prefix("http://").unwrap().to_owned())
}

#[test]
fn handlers_run_where_their_own_server_wants_it() {
    for is_first_queued in [true, false] {
        let (first, second) = (counting(&Arc::default()), counting(&Arc::default()));
        let queue = if is_first_queued { &first } else { &second };
        queue.configure(|options| options.dispatch = Dispatch::Queued).unwrap();
        let http = Http::new(&first, "/mcp").unwrap();
        http.mount("/other", &second).unwrap();
        let (thread, address) = serve(&http);
        let (path, queued_path) =
            if is_first_queued { ("/other", "/mcp") } else { ("/mcp", "/other") };
        let mut waiting = Client::new(TcpStream::connect(&address).unwrap());
        waiting.write(call_other().replacen("/other", queued_path, 1));
        let mut client = Client::new(TcpStream::connect(&address).unwrap());
        client.write(call_other().replacen("/other", path, 1));
        assert_eq!(client.receive().text(), "counted", "a worker runs it");
        while queue.waiting() == 0 {
            thread::yield_now();
        }
        assert_eq!(queue.run(0), Ok(1), "only the host runs it");
        assert_eq!(waiting.receive().text(), "counted");
        first.shutdown();
        thread.join().unwrap().unwrap();
    }
}

#[test]
fn a_shutdown_says_goodbye_to_listeners_at_every_path() {
    let endpoint = Endpoint::start(|_| {});
    let second = counting(&Arc::default());
    endpoint.http.mount("/other", &second).unwrap();
    let mut listener = endpoint.connect();
    let params = json!({"notifications": {"toolsListChanged": true}});
    let listen = modern(5, "subscriptions/listen", params);
    listener.write(listen.replacen("/mcp", "/other", 1));
    assert_eq!(listener.receive_head().status, 200);
    assert!(listener.receive_event().is_some());
    endpoint.server.shutdown();
    assert_eq!(listener.receive_event().unwrap()["id"], 5);
    endpoint.wait().unwrap();
}

#[test]
fn closing_the_endpoint_ends_the_loop() {
    let endpoint = Endpoint::start(|_| {});
    endpoint.http.close();
    assert!(matches!(endpoint.wait(), Err(ServeError::Closed)));
}

#[test]
fn two_loops_serve_one_endpoint() {
    let endpoint = Endpoint::start(|_| {});
    let (thread, address) = serve(&endpoint.http);
    let mut clients = [endpoint.connect(), Client::new(TcpStream::connect(&address).unwrap())];
    for _ in 0..100 {
        for client in &mut clients {
            assert_eq!(client.call("echo", &json!({"text": "on"})).text(), "on");
        }
    }
    endpoint.stop();
    thread.join().unwrap().unwrap();
}

#[test]
fn calls_of_sessions_that_wait_do_not_run_after_the_end() {
    let settings = Settings { grace_ms: 100, ..Settings::default() };
    let endpoint = Endpoint::start_at("127.0.0.1:0", settings, |_| {}).unwrap();
    let count = Arc::new(AtomicUsize::new(0));
    let counts = Arc::clone(&count);
    let counting = move |call: &Call| {
        counts.fetch_add(1, Ordering::SeqCst);
        Ok(call.reply_text("counted")?)
    };
    endpoint.server.register(Item::tool("count").on_call(counting)).unwrap();
    let mut client = endpoint.connect();
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"}});
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    client.write(legacy(None, &hello));
    let id = client.receive().header("mcp-session-id").unwrap().to_owned();
    // The only worker is busy until the end.
    let meeting = Meeting::new();
    let call = |id: i64, name: &str| {
        let params = json!({"name": name, "arguments": meeting.arguments()});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
    };
    client.write(legacy(Some(&id), &call(2, "hold")));
    let tool = meeting.wait();
    let mut waiting = endpoint.connect();
    waiting.write(legacy(Some(&id), &call(3, "count")));
    while endpoint.server.waiting() == 0 {
        thread::yield_now();
    }
    endpoint.server.shutdown();
    endpoint.wait().unwrap();
    drop(tool);
    assert_eq!(count.load(Ordering::SeqCst), 0);
}

#[test]
fn an_answer_that_waits_for_its_client_is_counted() {
    let endpoint = Endpoint::start(|_| {});
    let before = endpoint.server.memory_used();
    let mut clients: Vec<_> = (0..4).map(|_| endpoint.connect()).collect();
    for client in &mut clients {
        let params = json!({"name": "big", "arguments": {"size": 15_000_000}});
        client.write(modern(1, "tools/call", params));
        client.wait();
    }
    let held = endpoint.server.memory_used() - before;
    // At most 10 MB each are in the sockets.
    assert!(held > 4 * 4_000_000, "{held} bytes are counted");
    drop(clients);
    endpoint.stop();
}

#[test]
fn a_slow_but_steady_reader_is_not_idle() {
    let endpoint = Endpoint::start(|options| {
        (options.idle_timeout_ms, options.write_timeout_ms) = (300, 30_000);
    });
    let mut client = endpoint.connect();
    let params = json!({"name": "big", "arguments": {"size": 15_000_000}});
    client.write(modern(1, "tools/call", params));
    let head = client.receive_head();
    let length: usize = head.header("content-length").unwrap().parse().unwrap();
    let (mut got, mut piece) = (0, vec![0; 200_000]);
    while got < length {
        match client.stream.read(&mut piece) {
            Ok(0) | Err(_) => break,
            Ok(count) => got += count,
        }
        // Time has to pass: that is what is tried.
        thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(got, length, "cut off in the middle of an answer that is being read");
    endpoint.stop();
}

#[test]
fn absurd_options_are_brought_to_what_can_be_kept() {
    for ms in [0, u64::MAX] {
        let settings = Settings { grace_ms: u64::MAX, ..Settings::default() };
        let endpoint = Endpoint::start_at("127.0.0.1:0", settings, |options| {
            (options.header_timeout_ms, options.idle_timeout_ms) = (ms, ms);
            (options.body_timeout_ms, options.write_timeout_ms) = (ms, ms);
            (options.keepalive_ms, options.session_idle_ms) = (ms, ms);
            (options.header_bytes, options.body_bytes) = (usize::MAX, usize::MAX);
            options.header_count = usize::MAX;
        });
        let endpoint = endpoint.unwrap();
        assert_eq!(endpoint.connect().ask("tools/list", json!({})).status, 200);
        endpoint.stop();
    }
}
