//! A stream of bytes: what is said to it does not depend on the pieces in which it comes.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use mcplite_core::{Call, Item, Server, Session};
use proptest::prelude::*;
use support::drain;
use support::host::request;

const PING: &str = r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#;

/// Everything that can come down a pipe, each with its newline but the last.
fn stream() -> Vec<u8> {
    let long = format!(r#"{{"id":4,"jsonrpc":"2.0","method":"{}"}}"#, "x".repeat(3000));
    let deep =
        format!(r#"{{"id":5,"jsonrpc":"2.0","method":{}}}"#, "[".repeat(99) + &"]".repeat(99));
    let batch = format!("[{PING},{},7]", request(2, "echo"));
    let echo = request(1, "echo");
    let lines: [&[u8]; 14] = [
        PING.as_bytes(),
        br#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
        b"\r",
        echo.as_bytes(),
        b"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"pi\xff\"}",
        b"not json\r",
        b"",
        batch.as_bytes(),
        long.as_bytes(),
        deep.as_bytes(),
        b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"no/such\"}",
        br#"{"jsonrpc":"2.0","id":9,"result":{}}"#,
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"} ",
        br#"{"jsonrpc":"2.0","id":8,"method":"ping"}"#,
    ];
    lines.join(&b'\n')
}

/// What a server says to the stream in pieces that end at these places.
fn answers(mut ends: Vec<usize>) -> Vec<String> {
    let server = Server::new("pieces", "1.0").unwrap();
    server.configure(|options| options.limits.message_bytes = 1024).unwrap();
    let echo = |call: &Call| Ok(call.reply_text(call.arguments())?);
    server.register(Item::tool("echo").on_call(echo)).unwrap();
    let session = Session::new(&server).unwrap();
    let stream = stream();
    ends.sort_unstable();
    ends.push(stream.len());
    let mut start = 0;
    for end in ends {
        session.receive_all(stream.get(start..end).unwrap()).unwrap();
        start = end;
    }
    session.end().unwrap();
    drain(&session)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_pieces_in_which_a_stream_comes_do_not_matter(
        ends in proptest::collection::vec(0..stream().len(), 0..20),
    ) {
        let whole = answers(Vec::new());
        prop_assert_eq!(whole.len(), 10);
        prop_assert_eq!(answers(ends), whole);
    }
}
