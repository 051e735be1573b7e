//! The memory account: everything is on it, everything comes back, and the cap holds.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use mcplite_core::{Call, Error, Item, Kind, Server, Session};
use support::host::{Host, request};
use support::{drain, exchange, initialize};

fn cap(server: &Server, bytes: usize) {
    server.configure(|options| options.limits.memory_bytes = bytes).unwrap();
}

#[test]
fn what_is_held_is_counted_and_comes_back() {
    let server = Server::new("memory", "1.0").unwrap();
    assert_eq!(server.memory_used(), 0);
    let mut last = 0;
    let mut grew = |what: &str| {
        assert!(server.memory_used() > last, "{what}");
        last = server.memory_used();
    };
    server.register(Item::tool("pull")).unwrap();
    grew("a tool");
    server.register(Item::resource("a:b", "b").contents([0; 5000])).unwrap();
    grew("contents");
    let session = Session::new(&server).unwrap();
    grew("a session");
    session.receive_all(b"half a line").unwrap();
    grew("half a line");
    initialize(&session, "2025-11-25");
    session.handle_message(request(1, "pull").as_bytes()).unwrap();
    grew("a call");
    session.notify("notifications/acme", "").unwrap();
    grew("output");
    session.end().unwrap();
    let call = server.next_call().unwrap();
    drop(session);
    drop(call);
    server.unregister(Kind::Tool, "pull").unwrap();
    server.unregister(Kind::Resource, "a:b").unwrap();
    assert_eq!(server.memory_used(), 0);
}

#[test]
fn calls_give_back_what_they_took_however_they_end() {
    let host = Host::new();
    host.tool("silent", |_: &Call| Ok(()));
    let used = host.server.memory_used();
    for id in 0..10 {
        host.hold(id).reply_text("answered").unwrap();
        assert_eq!(host.sent().len(), 1);
        host.hold(100 + id).fail("failed".into()).unwrap();
        assert_eq!(host.sent().len(), 1);
        let cancelled = host.hold(200 + id);
        host.cancel(200 + id);
        drop(cancelled);
        assert_eq!(host.ask(300 + id, "silent").len(), 1);
        assert!(host.ask(400 + id, "unknown").concat().contains("Unknown tool"));
        assert_eq!(host.server.memory_used(), used);
    }
}

#[test]
fn beyond_the_cap_nothing_is_registered_and_nobody_connects() {
    let server = Server::new("memory", "1.0").unwrap();
    let full = Err(Error::Limit("memory_bytes"));
    cap(&server, 4096);
    server.register(Item::tool("small")).unwrap();
    let used = server.memory_used();
    let large = || Item::resource("a:b", "b").contents([0; 4096]);
    assert_eq!(server.register(large()), full);
    assert_eq!(server.replace(Item::tool("small").description(&"x".repeat(4096))), full);
    assert_eq!(server.memory_used(), used);
    let sessions: Vec<_> = (0..10).map_while(|_| Session::new(&server).ok()).collect();
    assert!((1..10).contains(&sessions.len()));
    assert_eq!(Session::new(&server).unwrap_err(), Error::Limit("memory_bytes"));
    drop(sessions);
    assert_eq!(server.memory_used(), used);
    cap(&server, 1 << 20);
    server.register(large()).unwrap();
}

#[test]
fn beyond_the_cap_calls_are_refused_and_the_rest_goes_on() {
    let host = Host::new();
    cap(&host.server, host.server.memory_used() + 3000);
    let first = host.hold(1);
    let refused = host.ask(2, "hold").into_iter().chain(host.ask(3, "hold")).next_back().unwrap();
    assert!(refused.contains(r#""error":{"code":-32600,"message":"Limit exceeded"#), "{refused}");
    assert_eq!(exchange(host.session(), r#"{"jsonrpc":"2.0","id":4,"method":"ping"}"#).len(), 1);
    host.held.lock().unwrap().clear();
    drop(first);
    drop(host.sent());
    drop(host.hold(5));
}

#[test]
fn of_a_line_beyond_the_limit_nothing_is_kept() {
    let server = Server::new("memory", "1.0").unwrap();
    server.configure(|options| options.limits.message_bytes = 1024).unwrap();
    let session = Session::new(&server).unwrap();
    let used = server.memory_used();
    for _ in 0..100 {
        session.receive_all(&[b'x'; 100]).unwrap();
        assert!(server.memory_used() <= used + 1024);
    }
    assert_eq!(server.memory_used(), used);
}

#[test]
fn lines_that_never_end_stay_within_the_cap() {
    let server = Server::new("memory", "1.0").unwrap();
    let cap_bytes = 64 * 1024;
    cap(&server, cap_bytes);
    let sessions: Vec<_> = (0..8).map(|_| Session::new(&server).unwrap()).collect();
    for session in &sessions {
        for _ in 0..100 {
            // It may be refused, or cost the session its life.
            drop(session.receive_all(&[b' '; 1024]));
        }
    }
    let slack = 1024 * sessions.len();
    assert!(server.memory_used() <= cap_bytes + slack, "{}", server.memory_used());
}

#[test]
fn unfinished_lines_that_fill_the_memory_do_not_lock_out_everybody_else() {
    let server = Server::new("memory", "1.0").unwrap();
    cap(&server, 64 * 1024);
    let other = Session::new(&server).unwrap();
    let greedy: Vec<_> = (0..4).map(|_| Session::new(&server).unwrap()).collect();
    for session in &greedy {
        for _ in 0..100 {
            // It may be refused, or cost the session its life.
            drop(session.receive(&[b' '; 1000]));
        }
    }
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    assert_eq!(other.handle_message(ping.as_bytes()), Ok(()));
    assert_eq!(drain(&other).len(), 1);
}

#[test]
fn a_batch_does_not_multiply_output_beyond_the_limits() {
    let server = Server::new("memory", "1.0").unwrap();
    server.register(Item::resource("a:b", "b").contents("x".repeat(10_000))).unwrap();
    let (cap_bytes, output_bytes) = (4 << 20, 1 << 20);
    cap(&server, cap_bytes);
    server.configure(|options| options.limits.output_bytes = output_bytes).unwrap();
    let session = Session::new(&server).unwrap();
    initialize(&session, "2025-03-26");
    let read = |id| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"resources/read","params":{{"uri":"a:b"}}}}"#
        )
    };
    let batch: Vec<_> = (0..1000).map(read).collect();
    // It may be refused, or cost the session its life.
    drop(session.handle_message(format!("[{}]", batch.join(",")).as_bytes()));
    assert!(server.memory_used() <= cap_bytes, "{}", server.memory_used());
}

#[test]
fn output_that_nobody_takes_stays_within_the_cap() {
    let server = Server::new("memory", "1.0").unwrap();
    let text = "x".repeat(1000);
    server.register(Item::resource("a:b", "b").contents(text)).unwrap();
    let cap_bytes = 64 * 1024;
    cap(&server, cap_bytes);
    let sessions: Vec<_> = (0..8).map(|_| Session::new(&server).unwrap()).collect();
    let read = r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b"}}"#;
    sessions.iter().for_each(|session| initialize(session, "2025-11-25"));
    for session in &sessions {
        for _ in 0..100 {
            // It may be refused, or cost the session its life.
            drop(session.handle_message(read.as_bytes()));
        }
    }
    let slack = 2000 * sessions.len();
    assert!(server.memory_used() <= cap_bytes + slack, "{}", server.memory_used());
    sessions.iter().for_each(|session| drop(drain(session)));
    drop(sessions);
    server.unregister(Kind::Resource, "a:b").unwrap();
    assert_eq!(server.memory_used(), 0);
}

#[test]
fn what_a_client_says_of_itself_is_counted() {
    let server = Server::new("memory", "1.0").unwrap();
    let session = Session::new(&server).unwrap();
    let before = server.memory_used();
    let text = "x".repeat(100_000);
    let message = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"2025-11-25","capabilities":{{"x":"{text}"}},"clientInfo":{{"name":"test","version":"1"}}}}}}"#
    );
    assert_eq!(exchange(&session, &message).len(), 1);
    assert!(server.memory_used() > before + text.len());
    let other = Session::new(&server).unwrap();
    cap(&server, server.memory_used() + 1000);
    assert!(exchange(&other, &message).concat().contains("Limit exceeded"));
    drop((session, other));
    assert_eq!(server.memory_used(), 0);
}
