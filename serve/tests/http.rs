//! Clients over HTTP: answers, streams, and none in another's way.
#![cfg(all(unix, feature = "http"))]

use std::io::Read;
use std::net::{Shutdown, TcpListener};
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use mcplite_core::{Call, Item};
use mcplite_serve::{ServeError, Settings};
use serde_json::json;

mod support;

use support::http::{Client, Endpoint, legacy, modern};
use support::meeting::{Folder, Meeting};

#[test]
fn one_connection_takes_one_request_after_the_other() {
    let endpoint = Endpoint::start(|_| {});
    let mut client = endpoint.connect();
    for number in 0..100 {
        let text = format!("number {number}");
        let response = client.call("echo", &json!({"text": text}));
        assert_eq!((response.status, response.text()), (200, text));
        assert_eq!(response.header("content-type"), Some("application/json"));
        assert!(response.header("date").is_some());
    }
    endpoint.stop();
    assert!(client.has_ended());
}

#[test]
fn connections_that_all_ask_at_once_are_all_answered() {
    let endpoint = Endpoint::start(|_| {});
    let mut clients: Vec<_> = (0..200).map(|_| endpoint.connect()).collect();
    for round in 0..5 {
        let text = |number| format!("{number} of round {round}");
        for (number, client) in clients.iter_mut().enumerate() {
            let arguments = json!({"name": "echo", "arguments": {"text": text(number)}});
            client.write(modern(1, "tools/call", arguments));
        }
        for (number, client) in clients.iter_mut().enumerate() {
            assert_eq!(client.receive().text(), text(number));
        }
    }
    endpoint.stop();
}

#[test]
fn requests_that_are_written_ahead_are_answered_in_their_order() {
    let endpoint = Endpoint::start(|_| {});
    let mut client = endpoint.connect();
    let call =
        |id, text| modern(id, "tools/call", json!({"name": "echo", "arguments": {"text": text}}));
    let requests = [call(1, "one"), modern(2, "tools/list", json!({})), call(3, "three")];
    client.write(requests.concat());
    assert_eq!(client.receive().text(), "one");
    assert!(client.receive().json()["result"]["tools"].is_array());
    assert_eq!(client.receive().text(), "three");
    endpoint.stop();
}

#[test]
fn bytes_may_come_one_by_one_and_in_chunks() {
    let endpoint = Endpoint::start(|_| {});
    let mut client = endpoint.connect();
    let request = modern(1, "tools/call", json!({"name": "echo", "arguments": {"text": "slow"}}));
    for byte in request.as_bytes() {
        client.write([*byte]);
    }
    assert_eq!(client.receive().text(), "slow");

    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let (head, _) = head.rsplit_once("\r\n").unwrap();
    client.write(format!("{head}\r\nTransfer-Encoding: chunked\r\n\r\n"));
    for piece in body.as_bytes().chunks(7) {
        let piece = std::str::from_utf8(piece).unwrap();
        client.write(format!("{:x}\r\n{piece}\r\n", piece.len()));
    }
    client.write("0\r\n\r\n");
    assert_eq!(client.receive().text(), "slow");
    endpoint.stop();
}

#[test]
fn clients_of_both_eras_are_served() {
    let endpoint = Endpoint::start(|_| {});
    let mut client = endpoint.connect();
    let params = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    client.write(legacy(None, &initialize));
    let response = client.receive();
    let session = response.header("mcp-session-id").unwrap().to_owned();
    assert_eq!(response.json()["result"]["protocolVersion"], "2025-11-25");
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    client.write(legacy(Some(&session), &initialized));
    let response = client.receive();
    assert_eq!((response.status, response.body.len()), (202, 0));
    let params = json!({"name": "echo", "arguments": {"text": "old"}});
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params});
    client.write(legacy(Some(&session), &call));
    assert_eq!(client.receive().text(), "old");
    assert_eq!(client.call("echo", &json!({"text": "new"})).text(), "new");
    endpoint.stop();
}

#[test]
fn progress_comes_as_events_before_the_answer() {
    let endpoint = Endpoint::start(|_| {});
    let meeting = Meeting::new();
    let mut client = endpoint.connect();
    let params = json!({"name": "report", "arguments": meeting.arguments()});
    client.write(modern(7, "tools/call", params));
    let tool = meeting.wait();
    // The answer is not there yet.
    let head = client.receive_head();
    assert_eq!(head.header("content-type"), Some("text/event-stream"));
    let event = client.receive_event().unwrap();
    assert_eq!(event["method"], "notifications/progress");
    assert_eq!(event["params"]["progressToken"], 7);
    drop(tool);
    let event = client.receive_event().unwrap();
    assert_eq!(event["result"]["content"][0]["text"], "released");
    assert_eq!(client.receive_event(), None);
    // The connection goes on.
    assert_eq!(client.call("echo", &json!({"text": "on"})).text(), "on");
    endpoint.stop();
}

#[test]
fn a_stream_without_news_gives_signs_of_life() {
    let endpoint = Endpoint::start(|options| options.keepalive_ms = 30);
    let mut client = endpoint.connect();
    let params = json!({"notifications": {"toolsListChanged": true}});
    client.write(modern(1, "subscriptions/listen", params));
    assert_eq!(client.receive_head().status, 200);
    assert!(client.receive_event().is_some());
    for _ in 0..3 {
        assert!(client.receive_chunk().unwrap().starts_with(b":"));
    }
    endpoint.server.register(Item::tool("new").on_call(|_: &Call| Ok(()))).unwrap();
    let event = client.receive_event().unwrap();
    assert_eq!(event["method"], "notifications/tools/list_changed");
    endpoint.stop();
}

#[test]
fn a_client_of_http_1_0_gets_its_answer_and_the_end() {
    let endpoint = Endpoint::start(|_| {});
    let mut client = endpoint.connect();
    let params = json!({"name": "report", "arguments": {"times": 2}});
    client.write(modern(1, "tools/call", params).replace("HTTP/1.1", "HTTP/1.0"));
    let said = client.receive_all();
    assert!(said.starts_with("HTTP/1.0 200 OK") && !said.contains("chunked"), "{said}");
    assert_eq!(said.matches("data: ").count(), 3, "{said}");
    endpoint.stop();
}

#[test]
fn a_busy_tool_learns_that_its_client_is_gone() {
    let endpoint = Endpoint::start(|_| {});
    let meeting = Meeting::new();
    let mut client = endpoint.connect();
    client.write(modern(
        1,
        "tools/call",
        json!({"name": "notice", "arguments": meeting.arguments()}),
    ));
    let mut tool = meeting.wait();
    // From here this looks the same as leaving altogether, and clients that wait do not do it.
    client.stream.get_ref().shutdown(Shutdown::Write).unwrap();
    let mut said = String::new();
    tool.read_to_string(&mut said).unwrap();
    assert_eq!(said, "cancelled");
    assert!(client.has_ended());
    assert_eq!(endpoint.connect().call("echo", &json!({"text": "on"})).text(), "on");
    endpoint.stop();
}

#[test]
fn a_tool_that_blocks_or_breaks_down_stops_nobody() {
    let settings = Settings { workers: 2, ..Settings::default() };
    let endpoint = Endpoint::start_at("127.0.0.1:0", settings, |_| {}).unwrap();
    let meeting = Meeting::new();
    let (mut blocked, mut other) = (endpoint.connect(), endpoint.connect());
    blocked.write(modern(
        1,
        "tools/call",
        json!({"name": "hold", "arguments": meeting.arguments()}),
    ));
    let tool = meeting.wait();
    for _ in 0..3 {
        let broken = other.call("break", &json!({})).json();
        assert_eq!(broken["result"]["isError"], true, "{broken}");
        assert_eq!(other.call("echo", &json!({"text": "on"})).text(), "on");
    }
    drop(tool);
    assert_eq!(blocked.receive().text(), "released");
    endpoint.stop();
}

#[test]
fn lists_are_answered_while_the_only_worker_is_busy() {
    let endpoint = Endpoint::start(|_| {});
    let meeting = Meeting::new();
    let (mut blocked, mut other) = (endpoint.connect(), endpoint.connect());
    blocked.write(modern(
        1,
        "tools/call",
        json!({"name": "hold", "arguments": meeting.arguments()}),
    ));
    let tool = meeting.wait();
    assert_eq!(other.ask("tools/list", json!({})).status, 200);
    drop(tool);
    assert_eq!(blocked.receive().text(), "released");
    endpoint.stop();
}

#[test]
fn handlers_run_on_the_calling_thread_where_there_are_no_workers() {
    let settings = Settings { workers: 0, ..Settings::default() };
    let endpoint = Endpoint::start_at("127.0.0.1:0", settings, |_| {}).unwrap();
    assert_eq!(endpoint.connect().call("echo", &json!({"text": "on"})).text(), "on");
    endpoint.stop();
}

#[test]
fn a_host_that_attends_runs_handlers_where_it_likes() {
    let settings = Settings { host_attends: true, ..Settings::default() };
    let endpoint = Endpoint::start_at("127.0.0.1:0", settings, |_| {}).unwrap();
    let (sender, told) = std::sync::mpsc::channel();
    let wake = move || sender.send(()).unwrap_or_default();
    let _attendant = endpoint.server.attend(Arc::new(wake));
    let mut client = endpoint.connect();
    client.write(modern(1, "tools/call", json!({"name": "echo", "arguments": {"text": "on"}})));
    while endpoint.server.waiting() == 0 {
        told.recv().unwrap();
    }
    assert_eq!(endpoint.server.run(0), Ok(1));
    assert_eq!(client.receive().text(), "on");
    endpoint.stop();
}

#[test]
fn a_unix_socket_serves_a_proxy() {
    let folder = Folder::new();
    let path = folder.file("s");
    let endpoint = Endpoint::start_at(&path, Settings::default(), |_| {}).unwrap();
    assert_eq!(endpoint.address, path);
    let mut client = Client::new(UnixStream::connect(&path).unwrap());
    assert_eq!(client.call("echo", &json!({"text": "on"})).text(), "on");
    endpoint.stop();
    assert!(client.has_ended());
    assert!(!std::fs::exists(&path).unwrap());
}

#[test]
fn it_listens_where_the_host_wants() {
    for (address, beginning) in [
        ("localhost:0", "http://127.0.0.1:"),
        ("0.0.0.0:0", "http://0.0.0.0:"),
        ("[::1]:0", "http://[::1]:"),
    ] {
        // Not every machine has both kinds of addresses.
        if address.starts_with('[') && TcpListener::bind(address).is_err() {
            continue;
        }
        let endpoint = Endpoint::start_at(address, Settings::default(), |_| {}).unwrap();
        assert!(endpoint.address.starts_with(beginning), "{}", endpoint.address);
        assert!(!endpoint.address.ends_with(":0"));
        assert_eq!(endpoint.connect().call("echo", &json!({"text": "on"})).text(), "on");
        let taken = endpoint.address.strip_prefix("http://").unwrap();
        let again = Endpoint::start_at(taken, Settings::default(), |_| {});
        assert!(matches!(again.err(), Some(ServeError::InUse)));
        endpoint.stop();
    }
    let nowhere = Endpoint::start_at("example.org:80", Settings::default(), |_| {});
    assert!(matches!(nowhere.err(), Some(ServeError::Address(_))));
}
