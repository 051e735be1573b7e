//! The server that the cases assume, and playing one case against it.

use mcplite_core::{Call, ErrorKind, Failure, Item, Server, Session};
use serde_json::{Value, json};

use crate::case::Case;
use crate::message::{Message, clip, read_frame};

/// How bytes are handed in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Feed {
    /// Message by message.
    Messages,
    /// As a stream, line by line.
    Lines,
    /// As a stream, in pieces of that many bytes.
    Pieces(usize),
}

/// What the engine said.
pub(crate) struct Played {
    pub(crate) setup: Vec<Message>,
    /// Everything since the input, but for the answer to the probe.
    pub(crate) new: Vec<Message>,
    pub(crate) probe: Vec<Message>,
}

const PROBE_ID: &str = "probe-x";
const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

impl Feed {
    /// Only a stream has framing to play with.
    pub(crate) fn takes(self, case: &Case) -> bool {
        self != Feed::Messages || !case.is_stream
    }

    fn send(self, session: &Session, bytes: &[u8]) -> Result<Vec<Message>, String> {
        let taken = match self {
            Feed::Messages => session.handle_message(bytes),
            Feed::Lines => session.receive_all(&[bytes, b"\n"].concat()),
            Feed::Pieces(size) => {
                let line = [bytes, b"\n"].concat();
                line.chunks(size).try_for_each(|piece| session.receive_all(piece))
            }
        };
        taken.map_err(|error| format!("the session is gone: {error}"))?;
        let (mut frame, mut messages) = (Vec::new(), Vec::new());
        while session.poll_into(&mut frame) {
            messages.extend(read_frame(&frame)?);
        }
        Ok(messages)
    }
}

/// Plays a case on a server of its own.
pub(crate) fn play(case: &Case, feed: Feed) -> Result<Played, String> {
    let server = server();
    let session = Session::new(&server).unwrap();
    let mut setup = Vec::new();
    for message in &case.setup {
        setup.extend(feed.send(&session, message.as_bytes())?);
    }
    check_setup(case, &setup)?;
    let mut new = feed.send(&session, &case.input)?;
    let after = feed.send(&session, probe(case).to_string().as_bytes())?;
    let (probe, rest) = after.into_iter().partition(|message| message.id() == PROBE_ID);
    new.extend::<Vec<_>>(rest);
    Ok(Played { setup, new, probe })
}

/// A case whose setup was refused would prove nothing.
fn check_setup(case: &Case, said: &[Message]) -> Result<(), String> {
    let mut listening = 0;
    for message in &case.setup {
        let message: Value = serde_json::from_str(message).unwrap();
        if message["method"] == "subscriptions/listen" {
            listening += 1;
        } else if let Some(id) = message.get("id") {
            let answer = said.iter().find(|said| said.is_reply() && said.id() == id);
            let answer = answer.ok_or_else(|| format!("setup: {id} is not answered"))?;
            if answer.value.get("result").is_none() {
                return Err(format!("setup: {}", clip(&answer.value.to_string())));
            }
        }
    }
    let acknowledged = said.iter().filter(|said| said.value["method"] == ACKNOWLEDGED).count();
    if acknowledged != listening {
        return Err(format!("setup: {acknowledged} of {listening} subscriptions acknowledged"));
    }
    Ok(())
}

fn probe(case: &Case) -> Value {
    if !case.is_modern {
        return json!({"jsonrpc": "2.0", "id": PROBE_ID, "method": "ping"});
    }
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "probe", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"_meta": meta});
    json!({"jsonrpc": "2.0", "id": PROBE_ID, "method": "server/discover", "params": params})
}

fn server() -> Server {
    let server = Server::new("adversarial", "1.0").unwrap();
    let schema = |properties: &str, required: &str| {
        format!(r#"{{"type":"object","properties":{properties},"required":{required}}}"#)
    };
    let items = [
        Item::tool("echo")
            .input_schema(&schema(r#"{"text":{"type":"string"}}"#, r#"["text"]"#))
            .on_call(echo),
        Item::tool("add")
            .input_schema(&schema(
                r#"{"a":{"type":"number"},"b":{"type":"number"}}"#,
                r#"["a","b"]"#,
            ))
            .on_call(add),
        Item::tool("fail").on_call(|_: &Call| Err("it always fails".into())),
        Item::resource("test://static", "static").mime_type("text/plain").contents("static text"),
        Item::prompt("greet").arguments(r#"[{"name":"name","required":true}]"#).on_call(greet),
    ];
    items.into_iter().for_each(|item| server.register(item).unwrap());
    server
}

fn echo(call: &Call) -> Result<(), Failure> {
    let text = call.arg_str("text").ok_or_else(|| unfit("text"))?;
    Ok(call.reply_text(&text)?)
}

fn add(call: &Call) -> Result<(), Failure> {
    let a = call.arg_f64("a").ok_or_else(|| unfit("a"))?;
    let b = call.arg_f64("b").ok_or_else(|| unfit("b"))?;
    Ok(call.reply_text(&(a + b).to_string())?)
}

fn greet(call: &Call) -> Result<(), Failure> {
    let name = call.arg_str("name").ok_or_else(|| unfit("name"))?;
    Ok(call.reply_text(&format!("Hello, {name}!"))?)
}

fn unfit(argument: &str) -> Failure {
    let reason = format!("{argument} is missing or of the wrong type");
    Failure::new(ErrorKind::InvalidArguments, reason)
}
