//! A client: what it has seen, and what must hold whatever the model says.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mcplite_core::{Server, Session};
use serde_json::{Value, json};

use crate::question::{Abilities, Revision, Topic};
use crate::support::drain;
use crate::words::SUBSCRIPTION;

/// One end of a session.
pub(crate) struct Client {
    pub(crate) session: Session,
    /// That of the handshake, if there was one.
    pub(crate) revision: Option<Revision>,
    abilities: Abilities,
    /// Requests of the server's that have come, and what they are about.
    pub(crate) questions: Vec<(u64, Topic)>,
    /// How many answers may still come to requests of that id, by its JSON text.
    unanswered: BTreeMap<String, usize>,
    acknowledged: BTreeSet<String>,
    /// Whether a wake has come since output was last found empty.
    told: Arc<AtomicBool>,
}

impl Client {
    pub(crate) fn new(server: &Server, revision: Option<Revision>, abilities: Abilities) -> Client {
        let session = Session::new(server).unwrap();
        let told = Arc::new(AtomicBool::new(false));
        if let Some(revision) = revision {
            let params = json!({"protocolVersion": revision.name(), "capabilities": abilities.declared(),
                "clientInfo": {"name": "c", "version": "1"}});
            let hello =
                json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
            session.handle_message(hello.to_string().as_bytes()).unwrap();
            assert_eq!(drain(&session).len(), 1);
        }
        let tell = Arc::clone(&told);
        session.set_wake(Some(Arc::new(move || tell.store(true, Ordering::Relaxed))));
        let (questions, unanswered, acknowledged) = Default::default();
        Client { session, revision, abilities, questions, unanswered, acknowledged, told }
    }

    pub(crate) fn send(&self, message: &Value) {
        self.session.handle_message(message.to_string().as_bytes()).unwrap();
    }

    pub(crate) fn notify(&self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    pub(crate) fn request(&mut self, id: &Value, method: &str, mut params: Value, modern: bool) {
        if modern {
            params["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": Revision::Modern.name(),
                "io.modelcontextprotocol/clientCapabilities": self.abilities.declared()});
        }
        *self.unanswered.entry(id.to_string()).or_default() += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    }

    /// The request of that id, which was open, is cancelled: there must be no answer.
    pub(crate) fn expect_no_answer(&mut self, id: &Value) {
        *self.unanswered.get_mut(&id.to_string()).unwrap() -= 1;
    }

    /// How many requests have no answer yet.
    pub(crate) fn unanswered(&self) -> usize {
        self.unanswered.values().sum()
    }

    /// Takes one message, or all.
    pub(crate) fn take(&mut self, all: bool) -> Vec<Value> {
        let mut out = Vec::new();
        let lines: Vec<String> = match all {
            true => drain(&self.session),
            false if self.session.poll_into(&mut out) => vec![String::from_utf8(out).unwrap()],
            false => Vec::new(),
        };
        let was_told = self.told.load(Ordering::Relaxed);
        assert!(was_told || lines.is_empty(), "output came without a wake");
        self.told.store(was_told && !all && !lines.is_empty(), Ordering::Relaxed);
        let messages = lines.iter().map(|line| serde_json::from_str(line).unwrap());
        messages.inspect(|message| self.note(message)).collect()
    }

    fn note(&mut self, message: &Value) {
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        let tag = &message["params"]["_meta"][SUBSCRIPTION];
        if !tag.is_null() {
            let is_first = message["method"] == "notifications/subscriptions/acknowledged";
            let is_new = self.acknowledged.insert(tag.to_string());
            assert!(is_first || !is_new, "a stream begins with its acknowledgement: {message}");
        }
        let Some(id) = message.get("id") else { return };
        if message.get("method").is_some() {
            assert!(self.revision.is_some(), "a modern client got a request: {message}");
            let is_new = self.questions.last().is_none_or(|(last, _)| id.as_u64() > Some(*last));
            assert!(is_new, "an id of the server's came twice: {message}");
            self.questions.push((id.as_u64().unwrap(), topic_of(message)));
            return;
        }
        let unanswered = self.unanswered.get_mut(&id.to_string());
        let unanswered = unanswered.filter(|count| **count > 0);
        *unanswered.unwrap_or_else(|| panic!("nobody waits for this: {message}")) -= 1;
    }
}

fn topic_of(request: &Value) -> Topic {
    match request["method"].as_str() {
        Some("sampling/createMessage") => Topic::Sampling,
        Some("roots/list") => Topic::Roots,
        _ if request["params"]["mode"] == "url" => Topic::Url,
        _ => Topic::Form,
    }
}
