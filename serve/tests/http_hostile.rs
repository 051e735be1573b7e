//! Requests over HTTP that mean no good, or come too slowly.
#![cfg(all(unix, feature = "http"))]

use std::io::Write;
use std::net::Shutdown;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

mod support;

use support::http::{Endpoint, HEAD, modern, status};
use support::meeting::Meeting;

/// A call that the server must not see, wherever it stands.
fn smuggled(meeting: &Meeting) -> String {
    modern(9, "tools/call", json!({"name": "hold", "arguments": meeting.arguments()}))
}

#[test]
fn a_request_with_two_readings_is_the_last_of_its_connection() {
    let endpoint = Endpoint::start(|_| {});
    let meeting = Meeting::new();
    let hidden = smuggled(&meeting);
    let length = hidden.len();
    let te = "Transfer-Encoding: chunked\r\n";
    let cases = [
        (400, format!("Content-Length: 5\r\n{te}\r\n0\r\n\r\n")),
        (400, format!("{te}Content-Length: {length}\r\n\r\n0\r\n\r\n")),
        (400, "Content-Length: 2\r\nContent-Length: 200\r\n\r\n{}".to_owned()),
        (400, "Content-Length: 2, 200\r\n\r\n{}".to_owned()),
        (400, "Content-Length: -1\r\n\r\n{}".to_owned()),
        (400, "Content-Length: +2\r\n\r\n{}".to_owned()),
        (400, "Content-Length: 0x2\r\n\r\n{}".to_owned()),
        (400, "Content-Length: 99999999999999999999\r\n\r\n{}".to_owned()),
        (400, "Content-Length : 2\r\n\r\n{}".to_owned()),
        (400, "Transfer-Encoding: xchunked\r\n\r\n{}".to_owned()),
        (400, "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n".to_owned()),
        (501, "Transfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n".to_owned()),
        (501, format!("Transfer-Encoding: x\r\n{te}\r\n0\r\n\r\n")),
        (400, format!("{te}\r\nFFFFFFFFFFFFFFFFF\r\n{{}}\r\n")),
        (400, format!("{te}\r\n-1\r\n{{}}\r\n0\r\n\r\n")),
        (400, format!("{te}\r\n2\r\n{{}}x\r\n0\r\n\r\n")),
    ];
    for (expected, rest) in cases {
        let mut client = endpoint.connect();
        client.write(format!("{HEAD}{rest}{hidden}"));
        let said = client.receive_all();
        assert_eq!(status(&said), expected, "{rest}: {said}");
        assert_eq!(said.matches("HTTP/1.1").count(), 1, "{rest}: {said}");
    }
    // Nor does it matter what else is wrong.
    let mut client = endpoint.connect();
    client.write("POST /mcp HTTP/1.1\r\nHost: localhost\r\n");
    client.write(format!("{te}\r\nFFFFFFFFFFFFFFFFF\r\n{{}}\r\n{hidden}"));
    assert_eq!(status(&client.receive_all()), 400);
    // None of what followed was taken for a request.
    assert_eq!(endpoint.connect().ask("tools/list", json!({})).status, 200);
    assert!(meeting.is_unvisited());
    endpoint.stop();
}

#[test]
fn what_is_no_head_is_refused_and_the_connection_closed() {
    let endpoint = Endpoint::start(|_| {});
    for (expected, head) in [
        (400, "GET /mcp\r\n\r\n"),
        (400, "GET  /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        (400, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nMcp-Name: a\0b\r\n\r\n"),
        (400, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nMcp-Method: tools/\r\n list\r\n\r\n"),
        (400, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nno colon\r\n\r\n"),
        (400, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nMcp Name: a\r\n\r\n"),
        (400, "POST /mcp HTTP/1.1\r\nHost: localhost\r\n: a\r\n\r\n"),
        (400, "POST /mcp HTTP/3.0\r\nHost: localhost\r\n\r\n"),
        (400, "\0\0\0\0\r\n\r\n"),
        (400, "\x16\x03\x01\x02\x00\x01\x00\x01\u{3}\r\n\r\n"),
        // For one who wants the other HTTP there is nothing to say.
        (0, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    ] {
        let mut client = endpoint.connect();
        client.write(head);
        let said = client.receive_all();
        assert_eq!(status(&said), expected, "{head}: {said}");
    }
    endpoint.stop();
}

#[test]
fn other_targets_methods_and_hosts_are_the_engine_s_to_refuse() {
    let endpoint = Endpoint::start(|_| {});
    let mut client = endpoint.connect();
    for (expected, line, host) in [
        (404, "GET /other", "localhost"),
        (400, "POST http://localhost/mcp", "localhost"),
        (400, "OPTIONS *", "localhost"),
        (405, "PUT /mcp", "localhost"),
        (405, "TRACE /mcp", "localhost"),
        (405, "post /mcp", "localhost"),
        (403, "POST /mcp", "evil.example"),
        (403, "POST /mcp", "localhost:1@evil.example"),
    ] {
        client.write(format!("{line} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 2\r\n\r\n{{}}"));
        let response = client.receive();
        assert_eq!(response.status, expected, "{line} {host}");
    }
    client.write("POST /mcp HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}");
    assert_eq!(client.receive().status, 400);
    client.write("POST /mcp HTTP/1.1\r\nHost: a\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}");
    assert_eq!(client.receive().status, 400);
    // All of it was read, so that the connection is as good as new.
    assert_eq!(client.ask("tools/list", json!({})).status, 200);
    client.write("CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_eq!(client.receive().status, 400);
    endpoint.stop();
}

#[test]
fn heads_have_limits() {
    let endpoint = Endpoint::start(|_| {});
    let long = format!("X-Long: {}\r\n", "x".repeat(64 * 1024));
    let many = "X-Many: 1\r\n".repeat(10_000);
    for headers in [long, many, "X-Many: 1\r\n".repeat(101)] {
        let mut client = endpoint.connect();
        client.write(format!("{HEAD}{headers}Content-Length: 2\r\n\r\n{{}}"));
        assert_eq!(status(&client.receive_all()), 431);
    }
    endpoint.stop();

    let endpoint = Endpoint::start(|options| options.header_count = 8);
    let mut client = endpoint.connect();
    client.write(format!("{HEAD}{}Content-Length: 2\r\n\r\n{{}}", "X-Many: 1\r\n".repeat(8)));
    assert_eq!(status(&client.receive_all()), 431);
    endpoint.stop();
}

#[test]
fn a_body_that_is_too_large_is_refused_while_it_is_sent() {
    let endpoint = Endpoint::start(|options| options.body_bytes = 1000);
    for framing in ["Content-Length: 9000000\r\n", "Transfer-Encoding: chunked\r\n"] {
        let mut client = endpoint.connect();
        client.write(format!("{HEAD}{framing}\r\n"));
        if framing.starts_with('T') {
            client.write("895440\r\n");
        }
        // A client that writes all before it reads hears of it all the same.
        client.write(vec![b' '; 9_000_000]);
        client.stream.get_ref().shutdown(Shutdown::Write).unwrap();
        let said = client.receive_all();
        assert_eq!(status(&said), 413, "{said}");
        assert!(said.contains("connection: close"), "{said}");
    }
    endpoint.stop();
}

#[test]
fn a_client_that_waits_for_leave_to_send_is_told_no_or_go_on() {
    let endpoint = Endpoint::start(|options| options.body_bytes = 1000);
    let mut client = endpoint.connect();
    client.write(format!("{HEAD}Expect: 100-continue\r\nContent-Length: 9000\r\n\r\n"));
    let response = client.receive();
    assert_eq!(response.status, 413);
    assert_eq!(response.header("connection"), Some("close"));
    assert!(client.has_ended());

    let mut client = endpoint.connect();
    let request = modern(1, "tools/list", json!({}));
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    client.write(format!("{head}\r\nExpect: 100-continue\r\n\r\n"));
    assert_eq!(client.receive_head().status, 100);
    client.write(body);
    assert_eq!(client.receive().status, 200);
    endpoint.stop();
}

#[test]
fn whoever_takes_too_long_is_hung_up_on() {
    let endpoint = Endpoint::start(|options| {
        (options.header_timeout_ms, options.idle_timeout_ms) = (300, 600);
        options.body_timeout_ms = 300;
    });
    let started = Instant::now();
    let is_late = |ms| started.elapsed() >= Duration::from_millis(ms);
    let mut silent = endpoint.connect();
    let mut half = endpoint.connect();
    half.write("POST /mcp HTTP/1.1\r\nHost: loc");
    let mut idle = endpoint.connect();
    assert_eq!(idle.ask("tools/list", json!({})).status, 200);
    assert_eq!(silent.receive_all(), "");
    assert_eq!(half.receive_all(), "");
    assert!(is_late(300));
    assert_eq!(idle.receive_all(), "");
    assert!(is_late(600));

    // Each byte of a body in time is not enough.
    let mut slow = endpoint.connect();
    let mut bytes = slow.stream.get_ref().try_clone().unwrap();
    slow.write(format!("{HEAD}Content-Length: 1000\r\n\r\n"));
    let dripping = std::thread::spawn(move || {
        while bytes.write_all(b" ").is_ok() {
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    let said = slow.receive_all();
    assert_eq!(status(&said), 408, "{said}");
    drop(slow);
    dripping.join().unwrap();
    endpoint.stop();
}

#[test]
fn a_call_that_takes_long_is_nobody_s_fault() {
    let endpoint = Endpoint::start(|options| {
        (options.header_timeout_ms, options.idle_timeout_ms) = (50, 50);
        (options.body_timeout_ms, options.write_timeout_ms) = (50, 50);
    });
    let meeting = Meeting::new();
    let (mut plain, mut stream) = (endpoint.connect(), endpoint.connect());
    plain.write(smuggled(&meeting));
    let tool = meeting.wait();
    stream.write(modern(
        1,
        "subscriptions/listen",
        json!({"notifications": {"toolsListChanged": true}}),
    ));
    assert_eq!(stream.receive_head().status, 200);
    // Far longer than anybody may take.
    std::thread::sleep(Duration::from_millis(300));
    drop(tool);
    assert_eq!(plain.receive().text(), "released");
    assert!(stream.receive_event().is_some());
    endpoint.stop();
}

#[test]
fn a_reset_in_the_middle_of_a_request_stops_nobody() {
    let endpoint = Endpoint::start(|_| {});
    for _ in 0..20 {
        let mut client = endpoint.connect();
        client.write(format!("{HEAD}Content-Length: 1000\r\n\r\n{{"));
        // What is unread when a socket is closed makes it a reset.
        client.write(modern(1, "tools/list", Value::default()));
        drop(client);
    }
    assert_eq!(endpoint.connect().ask("tools/list", json!({})).status, 200);
    endpoint.stop();
}
