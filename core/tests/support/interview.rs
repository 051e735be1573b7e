//! A server whose tools ask, and clients of it.

use mcplite_core::{Call, Failure, Item, Server, Session};
use serde_json::{Value, json};

use super::{CountingEntropy, ManualClock, drain};

pub(crate) const FORM: &str = r#"{"message":"Who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}"#;

pub(crate) const SAMPLE: &str =
    r#"{"messages":[{"role":"user","content":{"type":"text","text":"Hi"}}],"maxTokens":50}"#;

pub(crate) const ERAS: [&str; 2] = ["2025-11-25", "2026-07-28"];

/// A server with tools that ask, and one client of it.
pub(crate) struct Case {
    pub(crate) server: Server,
    pub(crate) session: Session,
    pub(crate) clock: ManualClock,
    pub(crate) modern: bool,
    pub(crate) capabilities: Value,
    pub(crate) next_id: u32,
}

impl Case {
    pub(crate) fn new(revision: &str, capabilities: Value) -> Case {
        let server = Server::new("asking", "1").unwrap();
        let clock = ManualClock::default();
        server.set_clock(clock.clone());
        server.set_entropy(CountingEntropy::default());
        let session = Session::new(&server).unwrap();
        session.set_principal(Some("ada"));
        let modern = revision == "2026-07-28";
        let mut case = Case { server, session, clock, modern, capabilities, next_id: 1 };
        if !modern {
            let params = json!({"protocolVersion": revision, "capabilities": case.capabilities,
                "clientInfo": {"name": "c", "version": "1"}});
            case.send("initialize", params);
            case.say(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        }
        case
    }

    pub(crate) fn tool(
        &self,
        name: &str,
        does: impl Fn(&Call) -> Result<(), Failure> + Send + Sync + 'static,
    ) {
        self.server.register(Item::tool(name).on_call(does)).unwrap();
        drain(&self.session);
    }

    /// Sends any message and gives what comes of it.
    pub(crate) fn say(&self, message: Value) -> Vec<Value> {
        self.session.handle_message(message.to_string().as_bytes()).unwrap();
        self.heard()
    }

    pub(crate) fn heard(&self) -> Vec<Value> {
        drain(&self.session).iter().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub(crate) fn send(&mut self, method: &str, mut params: Value) -> Vec<Value> {
        if self.modern {
            params["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": self.capabilities});
        }
        self.next_id += 1;
        self.say(json!({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}))
    }

    pub(crate) fn call(&mut self, tool: &str) -> Vec<Value> {
        self.send("tools/call", json!({"name": tool, "arguments": {}}))
    }

    /// The questions that are open after these messages: (key or id, request).
    pub(crate) fn questions(&self, heard: &[Value]) -> Vec<(Value, Value)> {
        if !self.modern {
            return heard.iter().map(|request| (request["id"].clone(), request.clone())).collect();
        }
        assert_eq!(heard.len(), 1);
        assert_eq!(heard[0]["result"]["resultType"], "input_required");
        let requests = heard[0]["result"]["inputRequests"].as_object().unwrap();
        requests.iter().map(|(key, it)| (json!(key), it.clone())).collect()
    }

    /// Answers every open question of `tool`, by method, and gives what comes of it.
    pub(crate) fn answer(
        &mut self,
        tool: &str,
        heard: &[Value],
        answer: impl Fn(&Value) -> Value,
    ) -> Vec<Value> {
        let questions = self.questions(heard);
        if !self.modern {
            let mut last = Vec::new();
            for (id, request) in questions {
                last = self.say(json!({"jsonrpc": "2.0", "id": id, "result": answer(&request)}));
            }
            return last;
        }
        let answers: serde_json::Map<_, _> = questions
            .iter()
            .map(|(key, request)| (key.as_str().unwrap().to_owned(), answer(request)))
            .collect();
        let state = heard[0]["result"]["requestState"].clone();
        let params = json!({"name": tool, "arguments": {}, "inputResponses": answers, "requestState": state});
        self.send("tools/call", params)
    }
}

pub(crate) fn everything() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {}})
}

pub(crate) fn text_of(heard: &[Value]) -> &str {
    heard.last().unwrap()["result"]["content"][0]["text"].as_str().unwrap()
}

pub(crate) fn good(request: &Value) -> Value {
    match request["method"].as_str().unwrap() {
        "elicitation/create" => json!({"action": "accept", "content": {"name": "Ada"}}),
        "sampling/createMessage" => json!({"role": "assistant", "model": "m",
            "content": {"type": "text", "text": "yes"}}),
        _ => json!({"roots": [{"uri": "file:///home"}]}),
    }
}

/// A server that can ask.
pub(crate) fn server() -> Server {
    let server = Server::new("findings", "1").unwrap();
    server.set_clock(ManualClock::default());
    server.set_entropy(CountingEntropy::default());
    server
}

pub(crate) fn say(session: &Session, message: &Value) -> Vec<Value> {
    session.handle_message(message.to_string().as_bytes()).unwrap();
    heard(session)
}

pub(crate) fn heard(session: &Session) -> Vec<Value> {
    drain(session).iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub(crate) fn legacy(server: &Server, revision: &str) -> Session {
    let session = Session::new(server).unwrap();
    say(
        &session,
        &json!({"jsonrpc":"2.0","id":"init","method":"initialize","params":{
        "protocolVersion":revision,"capabilities":everything(),
        "clientInfo":{"name":"c","version":"1"}}}),
    );
    say(&session, &json!({"jsonrpc":"2.0","method":"notifications/initialized"}));
    session
}

pub(crate) fn modern(id: u32, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({"io.modelcontextprotocol/protocolVersion":"2026-07-28",
        "io.modelcontextprotocol/clientCapabilities":everything()});
    json!({"jsonrpc":"2.0","id":id,"method":method,"params":params})
}

pub(crate) fn call(id: u32, tool: &str) -> Value {
    json!({"jsonrpc":"2.0","id":id,"method":"tools/call","params":{"name":tool,"arguments":{}}})
}

pub(crate) fn ask_form(call: &Call) -> Result<(), Failure> {
    match call.ask("who", "elicitation/create", FORM)? {
        Some(answer) => call.reply_text(answer)?,
        None => call.reply_asked()?,
    }
    Ok(())
}
