//! The envelope of one message: scanned once, borrowed, then classified.

use super::id::Id;
use super::meta_cache::MetaCache;
use super::names::Names;
use super::params::{Params, ToolCheck};
use crate::json::{Fault, Reader, Str};
use crate::registry::Catalog;
use crate::revision::Method;

/// The members of one message as they stand in its text.
#[derive(Default)]
pub(crate) struct Envelope<'a> {
    version: Version,
    id: Option<&'a str>,
    /// Whether it is known to be one, without another look.
    id_is_integer: bool,
    /// Whether it is a call of a tool, with nothing but what every call has.
    is_usual_call: bool,
    method: MethodName<'a>,
    outcome: Option<Outcome<'a>>,
    duplicate: bool,
    has_two_ids: bool,
    is_object: bool,
    /// The text of `params`; empty when absent.
    pub(crate) params_text: &'a str,
    pub(crate) params: Params,
    /// For `tools/call`: what is known of the tool and its arguments.
    pub(crate) tool: ToolCheck<'a>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Version {
    #[default]
    Absent,
    Two,
    Other,
}

#[derive(Clone, Copy, Debug, Default)]
enum MethodName<'a> {
    #[default]
    Absent,
    /// `tools/call`, written as usual.
    ToolsCall,
    Text(Str<'a>),
    Other,
}

/// What messages have in common, without white space and escapes; whatever else is said with these bytes is not
/// the name of a member.
const VERSION_AND_ID: &str = "\"jsonrpc\":\"2.0\",\"id\":";
const TOOL_CALL: &str = "\"method\":\"tools/call\",\"params\":";

/// What a response says: the JSON text of `result` or `error`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Outcome<'a> {
    Result(&'a str),
    Error(&'a str),
    /// Both, or one of them twice.
    Muddle,
}

/// The members that make a message.
#[derive(Clone, Copy)]
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
    /// A message of which the parameters are all that is still needed.
    pub(crate) fn of_params(params_text: &'a str, params: Params) -> Envelope<'a> {
        Envelope { params_text, params, ..Envelope::default() }
    }

    /// Reads a whole message strictly, and checks the arguments of a tool of `catalog` on the way.
    /// Fills `self`, which is large, in place.
    pub(crate) fn scan(
        &mut self,
        text: &'a str,
        max_depth: u32,
        catalog: &'a Catalog,
        cache: &MetaCache,
    ) -> Result<(), Fault> {
        let mut reader = Reader::new(text, max_depth);
        if reader.peek() != Some(b'{') {
            reader.skip()?;
            return reader.end();
        }
        self.is_object = true;
        let mut unknown: Option<Names<'a>> = None;
        let mut more = reader.first_member()?;
        // The two orders in which nearly everybody writes a call: what is always the same is taken at once.
        if more && reader.take(VERSION_AND_ID) {
            self.usual_id(&mut reader)?;
            more = reader.next_member()?;
        }
        if more && reader.take(TOOL_CALL) {
            self.method = MethodName::ToolsCall;
            self.tool.catalog = Some(catalog);
            self.params_text = self.params.scan(&mut reader, &mut self.tool, cache)?;
            more = reader.next_member()?;
            if more && self.id.is_none() && reader.take(VERSION_AND_ID) {
                self.usual_id(&mut reader)?;
                more = reader.next_member()?;
            }
            self.is_usual_call = !more && self.id_is_integer;
        }
        while more {
            match Member::read(&mut reader)? {
                Ok(member) => self.member(member, &mut reader, catalog, cache)?,
                Err(name) => {
                    unknown.get_or_insert_default().add(name);
                    reader.skip()?;
                }
            }
            more = reader.next_member()?;
        }
        self.duplicate |= unknown.is_some_and(Names::has_duplicate);
        reader.end()
    }

    /// The value of `id`, behind the one version that there is.
    #[inline]
    fn usual_id(&mut self, reader: &mut Reader<'a>) -> Result<(), Fault> {
        self.version = Version::Two;
        self.id = match reader.digits() {
            Some(digits) => {
                self.id_is_integer = true;
                Some(digits)
            }
            None => Some(reader.skip()?),
        };
        Ok(())
    }

    #[inline(never)]
    fn member(
        &mut self,
        member: Member,
        reader: &mut Reader<'a>,
        catalog: &'a Catalog,
        cache: &MetaCache,
    ) -> Result<(), Fault> {
        match member {
            Member::Version => {
                let is_two = reader.take("\"2.0\"") || reader.skip()? == "\"2.0\"";
                self.duplicate |= self.version != Version::Absent;
                self.version = if is_two { Version::Two } else { Version::Other };
            }
            Member::Id => {
                self.has_two_ids |= self.id.replace(reader.skip()?).is_some();
                self.id_is_integer = false;
            }
            Member::Method => {
                self.duplicate |= !matches!(self.method, MethodName::Absent);
                self.method = match reader.peek() {
                    Some(b'"') => MethodName::Text(reader.string()?),
                    _ => {
                        reader.skip()?;
                        MethodName::Other
                    }
                };
            }
            Member::Params if self.params_text.is_empty() => {
                if let MethodName::Text(method) = self.method
                    && method.plain() == Some(Method::ToolsCall.name())
                {
                    self.tool.catalog = Some(catalog);
                }
                self.params_text = self.params.scan(reader, &mut self.tool, cache)?;
            }
            Member::Params => {
                self.duplicate = true;
                reader.skip()?;
            }
            Member::Result => self.note_outcome(Outcome::Result(reader.skip()?)),
            Member::Error => self.note_outcome(Outcome::Error(reader.skip()?)),
        }
        Ok(())
    }

    fn note_outcome(&mut self, outcome: Outcome<'a>) {
        self.outcome = Some(if self.outcome.is_none() { outcome } else { Outcome::Muddle });
    }

    /// The id, if the message is a call of a tool as nearly everybody writes it, so that there is nothing left to
    /// find out about it.
    #[inline]
    pub(crate) fn usual_call(&self, id_bytes: usize) -> Option<Id<'a>> {
        let id = self.id.filter(|id| self.is_usual_call && id.len() <= id_bytes)?;
        Some(Id::from_known(id))
    }

    /// Says what the message is. An id longer than `id_bytes` is not usable.
    pub(crate) fn classify(&self, id_bytes: usize) -> Class<'a> {
        // Of two ids, either may be the one that the client waits for.
        let id = self.id.filter(|id| id.len() <= id_bytes && !self.has_two_ids);
        let usable = match self.id_is_integer {
            true => id.map(Id::from_known),
            false => id.and_then(Id::from_json),
        };
        let invalid = |reason| Class::Invalid { id: usable, reason };
        if !self.is_object {
            return invalid("a message is a JSON object");
        }
        if matches!(self.method, MethodName::Absent) {
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
        if self.version != Version::Two {
            return invalid("jsonrpc must be \"2.0\"");
        }
        if self.outcome.is_some() {
            return invalid("a request has neither result nor error");
        }
        let method = match self.method {
            MethodName::ToolsCall => Str::of_plain(Method::ToolsCall.name()),
            MethodName::Text(method) => method,
            MethodName::Absent | MethodName::Other => return invalid("method must be a string"),
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
    /// Reads the name of the next member. One that is not of the envelope is given back.
    #[inline]
    fn read<'a>(reader: &mut Reader<'a>) -> Result<Result<Member, Str<'a>>, Fault> {
        // As nearly everybody writes them; whatever else is said with these bytes is not a name.
        match reader.second_byte() {
            Some(b'j') if reader.take("\"jsonrpc\":") => return Ok(Ok(Member::Version)),
            Some(b'i') if reader.take("\"id\":") => return Ok(Ok(Member::Id)),
            Some(b'm') if reader.take("\"method\":") => return Ok(Ok(Member::Method)),
            Some(b'p') if reader.take("\"params\":") => return Ok(Ok(Member::Params)),
            _ => {}
        }
        let name = reader.key()?;
        let by_text = |text: &str| match text {
            "jsonrpc" => Ok(Member::Version),
            "id" => Ok(Member::Id),
            "method" => Ok(Member::Method),
            "params" => Ok(Member::Params),
            "result" => Ok(Member::Result),
            "error" => Ok(Member::Error),
            _ => Err(name),
        };
        Ok(name.plain().map_or_else(|| by_text(&name.decode()), by_text))
    }
}
