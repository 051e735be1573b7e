//! The envelope of one message: scanned once, borrowed, then classified.

use super::id::Id;
use super::names::Names;
use super::params::Params;
use crate::json::{Fault, Reader, Str};

/// The members of one message as they stand in its text.
#[derive(Default)]
pub(crate) struct Envelope<'a> {
    version: Option<&'a str>,
    id: Option<&'a str>,
    method: Option<&'a str>,
    outcome: Option<Outcome<'a>>,
    duplicate: bool,
    has_two_ids: bool,
    is_object: bool,
    /// The text of `params`; empty when absent.
    pub(crate) params_text: &'a str,
    pub(crate) params: Params,
}

/// What a response says: the JSON text of `result` or `error`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Outcome<'a> {
    Result(&'a str),
    Error(&'a str),
    /// Both, or one of them twice.
    Muddle,
}

/// The members that make a message.
enum Member {
    Version,
    Id,
    Method,
    Params,
    Result,
    Error,
}

/// What a message is.
pub(crate) enum Class<'a> {
    Request {
        id: Id<'a>,
        method: Str<'a>,
    },
    Notification {
        method: Str<'a>,
    },
    /// A response; the id is usable if there is one.
    Response {
        id: Option<Id<'a>>,
        outcome: Outcome<'a>,
    },
    /// A request that cannot be answered by its id.
    IdTooLong,
    /// Not a message; answered with `id` where there is a usable one.
    Invalid {
        id: Option<Id<'a>>,
        reason: &'static str,
    },
}

impl<'a> Envelope<'a> {
    /// Reads a whole message strictly. Fills `self`, which is large, in place.
    pub(crate) fn scan(&mut self, text: &'a str, max_depth: u32) -> Result<(), Fault> {
        let mut reader = Reader::new(text, max_depth);
        if reader.peek() != Some(b'{') {
            reader.skip()?;
            return reader.end();
        }
        self.is_object = true;
        let mut unknown = Names::default();
        let mut key = reader.first_key()?;
        while let Some(name) = key {
            match Member::parse(name) {
                Some(Member::Version) => {
                    self.duplicate |= self.version.replace(reader.skip()?).is_some();
                }
                Some(Member::Id) => self.has_two_ids |= self.id.replace(reader.skip()?).is_some(),
                Some(Member::Method) => {
                    self.duplicate |= self.method.replace(reader.skip()?).is_some();
                }
                Some(Member::Params) if self.params_text.is_empty() => {
                    self.params_text = self.params.scan(&mut reader)?;
                }
                Some(Member::Params) => {
                    self.duplicate = true;
                    reader.skip()?;
                }
                Some(Member::Result) => self.note_outcome(Outcome::Result(reader.skip()?)),
                Some(Member::Error) => self.note_outcome(Outcome::Error(reader.skip()?)),
                None => {
                    unknown.add(name);
                    reader.skip()?;
                }
            }
            key = reader.next_key()?;
        }
        self.duplicate |= unknown.has_duplicate();
        reader.end()
    }

    fn note_outcome(&mut self, outcome: Outcome<'a>) {
        self.outcome = Some(if self.outcome.is_none() { outcome } else { Outcome::Muddle });
    }

    /// Says what the message is. An id longer than `id_bytes` is not usable.
    pub(crate) fn classify(&self, id_bytes: usize) -> Class<'a> {
        // Of two ids, either may be the one that the client waits for.
        let id = self.id.filter(|id| id.len() <= id_bytes && !self.has_two_ids);
        let usable = id.and_then(Id::from_json);
        let invalid = |reason| Class::Invalid { id: usable, reason };
        if !self.is_object {
            return invalid("a message is a JSON object");
        }
        let Some(method) = self.method else {
            // Whatever else is wrong with a response, answering it would start a quarrel without
            // end between two peers.
            return match self.outcome {
                Some(outcome) => Class::Response { id: usable, outcome },
                None => invalid("method is missing"),
            };
        };
        if self.duplicate || self.has_two_ids {
            return invalid("a member stands twice");
        }
        if self.version != Some("\"2.0\"") {
            return invalid("jsonrpc must be \"2.0\"");
        }
        if self.outcome.is_some() {
            return invalid("a request has neither result nor error");
        }
        let Some(method) = Str::from_json(method) else {
            return invalid("method must be a string");
        };
        match (self.id, usable) {
            (None, _) => Class::Notification { method },
            (Some(_), Some(id)) => Class::Request { id, method },
            (Some(id), None) if id.len() > id_bytes => Class::IdTooLong,
            (Some(_), None) => invalid("id must be a string or an integer"),
        }
    }
}

impl Member {
    #[inline]
    fn parse(name: Str<'_>) -> Option<Member> {
        let by_text = |text: &str| match text {
            "jsonrpc" => Some(Member::Version),
            "id" => Some(Member::Id),
            "method" => Some(Member::Method),
            "params" => Some(Member::Params),
            "result" => Some(Member::Result),
            "error" => Some(Member::Error),
            _ => None,
        };
        name.plain().map_or_else(|| by_text(&name.decode()), by_text)
    }
}
