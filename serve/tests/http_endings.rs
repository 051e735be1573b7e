//! How connections over HTTP end, and how a client holds them up or is held up.
#![cfg(all(unix, feature = "http"))]

use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use mcplite_serve::{ServeError, Settings};
use serde_json::json;

mod support;

use support::http::{Client, Endpoint, modern};
use support::meeting::Meeting;
use support::program;

fn hold(meeting: &Meeting) -> String {
    modern(1, "tools/call", json!({"name": "hold", "arguments": meeting.arguments()}))
}

fn listen() -> String {
    modern(5, "subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}))
}

#[test]
fn a_shutdown_lets_calls_finish_and_says_goodbye_to_listeners() {
    let endpoint = Endpoint::start(|_| {});
    let meeting = Meeting::new();
    let mut idle = endpoint.connect();
    assert_eq!(idle.ask("tools/list", json!({})).status, 200);
    let mut fresh = endpoint.connect();
    let mut busy = endpoint.connect();
    busy.write(hold(&meeting));
    let tool = meeting.wait();
    let mut listener = endpoint.connect();
    listener.write(listen());
    assert_eq!(listener.receive_head().status, 200);
    assert_eq!(
        listener.receive_event().unwrap()["method"],
        "notifications/subscriptions/acknowledged"
    );

    endpoint.server.shutdown();
    assert!(idle.has_ended());
    assert!(fresh.has_ended());
    assert_eq!(listener.receive_event().unwrap()["id"], 5);
    assert_eq!(listener.receive_event(), None);
    assert!(listener.has_ended());
    drop(tool);
    let response = busy.receive();
    assert_eq!(response.text(), "released");
    assert_eq!(response.header("connection"), Some("close"));
    assert!(busy.has_ended());
    endpoint.wait().unwrap();
}

#[test]
fn what_is_not_over_with_the_grace_time_is_cut_off() {
    let settings = Settings { grace_ms: 100, ..Settings::default() };
    let endpoint = Endpoint::start_at("127.0.0.1:0", settings, |_| {}).unwrap();
    let meeting = Meeting::new();
    let mut busy = endpoint.connect();
    busy.write(hold(&meeting));
    let tool = meeting.wait();
    endpoint.server.shutdown();
    assert!(busy.has_ended());
    endpoint.wait().unwrap();
    drop(tool);
}

#[test]
fn closing_the_server_waits_for_nobody() {
    let endpoint = Endpoint::start(|_| {});
    let meeting = Meeting::new();
    let mut busy = endpoint.connect();
    busy.write(hold(&meeting));
    let tool = meeting.wait();
    endpoint.server.close();
    endpoint
        .wait()
        .map_or_else(|error| assert!(matches!(error, ServeError::Closed)), |()| panic!());
    // Whether it heard something before or not, this is the end.
    drop(busy.stream.read_to_end(&mut Vec::new()));
    drop(tool);
}

#[test]
fn a_server_that_is_shut_down_is_not_served() {
    let endpoint = Endpoint::start(|_| {});
    let (server, http) = (endpoint.server.clone(), endpoint.http.clone());
    server.shutdown();
    endpoint.wait().unwrap();
    let again = mcplite_serve::http(&http, "127.0.0.1:0", &Settings::default(), &mut |_| {});
    assert!(matches!(again, Err(ServeError::Closed)));
}

#[test]
fn whoever_is_too_many_is_turned_away_until_there_is_room() {
    let endpoint = Endpoint::start(|options| options.connections = 2);
    let (mut first, mut second) = (endpoint.connect(), endpoint.connect());
    for client in [&mut first, &mut second] {
        assert_eq!(client.ask("tools/list", json!({})).status, 200);
    }
    let mut third = endpoint.connect();
    assert_eq!(third.receive().status, 503);
    assert!(third.has_ended());
    assert_eq!(second.ask("tools/list", json!({})).status, 200);
    drop(first);
    // The server notices at its own pace.
    while !matches!(third.try_ask(), Some(200)) {
        third = endpoint.connect();
    }
    endpoint.stop();
}

#[test]
fn for_want_of_descriptors_clients_wait_until_others_leave() {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -n 16; exec \"$0\" http=127.0.0.1:0"]).arg(program::path());
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim_end().strip_prefix("listening at http://").unwrap();

    let connect = || Client::new(TcpStream::connect(address).unwrap());
    let mut first = connect();
    assert_eq!(first.ask("tools/list", json!({})).status, 200);
    let crowd: Vec<_> = (0..16).map(|_| connect()).collect();
    let mut last = connect();
    assert_eq!(first.ask("tools/list", json!({})).status, 200);
    drop(crowd);
    assert_eq!(last.call("shut_down", &json!({})).text(), "bye");
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_client_that_does_not_read_holds_up_its_own_calls_and_nothing_else() {
    let endpoint = Endpoint::start(|_| {});
    endpoint.server.configure(|options| options.limits.output_bytes = 64 * 1024).unwrap();
    let mut slow = endpoint.connect();
    let before = endpoint.server.memory_used();
    // Far more than sockets and buffers hold. What the client does not take is not told.
    let arguments = json!({"times": 20_000, "size": 10_000});
    slow.write(modern(1, "tools/call", json!({"name": "report", "arguments": arguments})));
    let mut other = endpoint.connect();
    for _ in 0..50 {
        assert_eq!(other.call("echo", &json!({"text": "on"})).text(), "on");
        assert!(endpoint.server.memory_used() - before < 1 << 20);
    }
    let mut told = 0;
    slow.receive_head();
    while let Some(event) = slow.receive_event() {
        told += 1;
        if event["id"] == 1 {
            assert_eq!(event["result"]["content"][0]["text"], "reported");
        }
    }
    assert!(told < 20_000);
    endpoint.stop();
}

#[test]
fn a_client_that_takes_nothing_for_too_long_is_hung_up_on() {
    let endpoint = Endpoint::start(|options| options.write_timeout_ms = 200);
    let mut client = endpoint.connect();
    // More than the socket holds on both sides.
    let params = json!({"name": "big", "arguments": {"size": 10_000_000}});
    client.write(modern(1, "tools/call", params));
    client.wait();
    std::thread::sleep(Duration::from_millis(500));
    let mut rest = Vec::new();
    let end = client.stream.read_to_end(&mut rest);
    assert!(rest.len() < 10_000_000);
    assert!(end.is_ok() || end.is_err_and(|error| error.kind() == ErrorKind::ConnectionReset));
    endpoint.stop();
}
