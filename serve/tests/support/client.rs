//! A client that writes lines and reads lines.

use std::io::{BufRead, BufReader, Read, Write};

use serde_json::{Value, json};

/// One end of a connection.
pub(crate) struct Client<R: Read, W: Write> {
    pub(crate) reader: BufReader<R>,
    pub(crate) writer: Option<W>,
}

impl<R: Read, W: Write> Client<R, W> {
    pub(crate) fn new(reader: R, writer: W) -> Client<R, W> {
        Client { reader: BufReader::new(reader), writer: Some(writer) }
    }

    /// Shakes hands.
    pub(crate) fn initialize(&mut self) {
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        });
        self.send(
            &json!({"jsonrpc": "2.0", "id": "init", "method": "initialize", "params": params}),
        );
        assert_eq!(self.receive()["result"]["serverInfo"]["name"], "workbench");
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.writer.as_mut().unwrap().write_all(bytes).unwrap();
    }

    pub(crate) fn ping(&mut self, id: i64) {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
    }

    pub(crate) fn call(&mut self, id: i64, tool: &str, arguments: &Value) {
        self.send(&call(id, tool, arguments));
    }

    /// The next message.
    pub(crate) fn receive(&mut self) -> Value {
        self.try_receive().expect("the server has hung up")
    }

    /// The next message; `None` after the last.
    pub(crate) fn try_receive(&mut self) -> Option<Value> {
        let mut line = String::new();
        let length = self.reader.read_line(&mut line).unwrap();
        (length > 0).then(|| serde_json::from_str(&line).unwrap())
    }

    /// Expects the answer to a ping.
    pub(crate) fn expect_pong(&mut self, id: i64) {
        assert_eq!(self.receive(), json!({"jsonrpc": "2.0", "id": id, "result": {}}));
    }

    /// Expects the answer to a call: one text.
    pub(crate) fn expect_text(&mut self, id: i64, text: &str) {
        let answer = self.receive();
        assert_eq!(answer["id"], id, "{answer}");
        assert_eq!(answer["result"]["content"][0]["text"], text, "{answer}");
    }

    /// Sends a ping and waits for the answer; `None` if the server has hung up.
    pub(crate) fn try_send_ping(&mut self) -> Option<()> {
        let ping = br#"{"jsonrpc":"2.0","id":0,"method":"ping"}"#;
        let writer = self.writer.as_mut()?;
        writer.write_all(ping).and_then(|()| writer.write_all(b"\n")).ok()?;
        let mut line = String::new();
        self.reader.read_line(&mut line).ok().filter(|length| *length > 0).map(drop)
    }

    /// Says no more; the server sees the end of its input.
    pub(crate) fn hang_up(&mut self) {
        self.writer = None;
    }
}

pub(crate) fn call(id: i64, tool: &str, arguments: &Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}
