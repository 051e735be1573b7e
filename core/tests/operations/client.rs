//! One client, as the model knows it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mcplite_core::{Error, Server, Session};
use serde_json::Value;

/// How a message is handed in.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    Whole,
    InPiecesOf(usize),
}

pub(crate) fn cancellation(id: &str) -> Vec<u8> {
    let start = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"#;
    format!("{start}{id}}}}}").into_bytes()
}

/// One client, as the model knows it.
pub(crate) struct Client {
    pub(crate) session: Arc<Session>,
    pub(crate) revision: Option<&'static str>,
    /// Requests that were taken, with how many answers each has had.
    pub(crate) asked: BTreeMap<u64, usize>,
    /// Requests that were cancelled, with how many answers each had had by then.
    pub(crate) cancelled: BTreeMap<u64, usize>,
    /// Requests that may end by a cancellation, or whose answers wait for others.
    pub(crate) uncertain: BTreeSet<u64>,
    /// Whether a wake has come since output was last found empty.
    told: Arc<AtomicBool>,
    pub(crate) in_a_line: bool,
    pub(crate) ended: bool,
}

impl Client {
    pub(crate) fn new(server: &Server) -> Client {
        let session = Arc::new(Session::new(server).unwrap());
        session.set_context(Some(Arc::new(Arc::downgrade(&session))));
        let told = Arc::new(AtomicBool::new(false));
        let tell = Arc::clone(&told);
        session.set_wake(Some(Arc::new(move || tell.store(true, Ordering::Relaxed))));
        let (asked, cancelled, uncertain) = Default::default();
        let (revision, in_a_line, ended) = Default::default();
        Client { session, revision, asked, cancelled, uncertain, told, in_a_line, ended }
    }

    /// Hands a message in; says whether it was taken.
    pub(crate) fn feed(&mut self, message: &[u8], way: Way) -> bool {
        if self.ended {
            return false;
        }
        let (bytes, size) = match way {
            Way::Whole => (message.to_vec(), usize::MAX),
            Way::InPiecesOf(size) => {
                let end_of_line: &[u8] = if self.in_a_line { b"\n" } else { b"" };
                self.in_a_line = false;
                ([end_of_line, message, b"\n"].concat(), size)
            }
        };
        for piece in bytes.chunks(size) {
            let mut rest = piece;
            while !rest.is_empty() {
                let taken = match way {
                    Way::Whole => self.session.handle_message(rest).map(|()| rest.len()),
                    Way::InPiecesOf(_) => self.session.receive(rest),
                };
                match taken {
                    Ok(used) => {
                        assert!(used > 0, "a loop over the input comes to its end");
                        rest = &rest[used..];
                    }
                    Err(Error::Limit("output_bytes")) => assert!(self.drain() > 0),
                    Err(Error::Closed) => return false,
                    Err(error) => panic!("{error}"),
                }
            }
        }
        true
    }

    /// Hands in the start of a line that never ends well.
    pub(crate) fn begin_line(&mut self, start: &[u8]) {
        if !self.ended && self.session.receive(start) == Ok(start.len()) {
            self.in_a_line = true;
        }
    }

    pub(crate) fn ask(&mut self, id: u64, message: &str, way: Way) {
        if self.feed(message.as_bytes(), way) {
            self.asked.entry(id).or_default();
        }
    }

    pub(crate) fn cancel(&mut self, id: u64) {
        self.drain();
        if self.feed(&cancellation(&id.to_string()), Way::Whole) {
            self.drain();
            self.cancelled.entry(id).or_insert(self.asked[&id]);
        }
    }

    /// Takes everything; says how many messages there were.
    pub(crate) fn drain(&mut self) -> usize {
        let mut out = Vec::new();
        let count = self.session.drain_into(&mut out);
        let told = self.told.swap(false, Ordering::Relaxed);
        assert!(told || count == 0, "output came without a wake");
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text.lines().count(), count);
        text.lines().for_each(|line| self.note(line));
        count
    }

    pub(crate) fn poll(&mut self) {
        let mut out = Vec::new();
        if self.session.poll_into(&mut out) {
            assert!(self.told.load(Ordering::Relaxed), "output came without a wake");
            self.note(std::str::from_utf8(&out).unwrap());
        } else {
            self.told.store(false, Ordering::Relaxed);
        }
    }

    fn note(&mut self, line: &str) {
        assert!(!self.session.is_closed(), "output of a closed session: {line}");
        let messages = match serde_json::from_str(line).unwrap() {
            Value::Array(messages) => messages,
            message => vec![message],
        };
        for message in messages {
            assert_eq!(message["jsonrpc"], "2.0", "{message}");
            let is_answer = message.get("result").is_some() || message.get("error").is_some();
            assert_ne!(is_answer, message["method"].is_string(), "{message}");
            if let Some(id) = message["id"].as_u64() {
                *self.asked.entry(id).or_default() += 1;
            }
        }
    }

    /// Every call has been let go, so that every request has its answer.
    pub(crate) fn check(&mut self) {
        self.drain();
        let probe = self.session.handle_message(&cancellation("0"));
        let is_closed = probe == Err(Error::Closed);
        assert_eq!(self.session.is_closed(), is_closed);
        assert_eq!(self.session.is_finished(), is_closed || self.ended);
        assert_eq!(self.session.open_calls(), 0);
        assert_eq!(self.drain(), 0);
        if is_closed {
            assert_eq!(self.session.notify("x", ""), Err(Error::Closed));
        }
        for (id, count) in &self.asked {
            let may_lack = self.cancelled.contains_key(id) || self.uncertain.contains(id);
            assert!(*count == 1 || (*count == 0 && (is_closed || may_lack)), "{id}: {count}");
        }
        for (id, count) in self.cancelled.iter().filter(|(id, _)| !self.uncertain.contains(id)) {
            assert_eq!(self.asked[id], *count, "an answer to {id} after it was cancelled");
        }
    }
}
