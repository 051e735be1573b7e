//! `params`, read in the same pass as the envelope: where each known member stands.

use super::meta_cache::MetaCache;
use super::names::Names;
use crate::json::{Fault, Positions, Reader, Str};
use crate::registry::{Catalog, Found, Kind};
use crate::schema::Verdict;

/// A stretch of the `params` text; empty when the member is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    start: u32,
    end: u32,
}

/// What `params` is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ParamsShape {
    /// Absent, or `null`, which some clients write for "none".
    #[default]
    Absent,
    Object,
    Other,
}

/// Where the members of `params` and of its `_meta` stand.
///
/// Offsets instead of references, so that they hold for the copy that a call keeps of the text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Params {
    members: [Span; ParamKey::COUNT],
    meta: [Span; MetaKey::COUNT],
    /// Where the members of `arguments` stand, if the schema of a tool has read and accepted them.
    pub(crate) arguments: Positions,
    pub(crate) shape: ParamsShape,
    /// A member name stands twice in `params`, or one that is read here stands twice in `_meta`.
    pub(crate) duplicate: bool,
}

/// The tool that a message calls, and what its schema says to the arguments.
#[derive(Clone, Copy, Default)]
pub(crate) struct ToolCheck<'a> {
    /// Where tools are looked up; `None` if the message is not known to call one.
    pub(crate) catalog: Option<&'a Catalog>,
    pub(crate) found: Option<Found<'a>>,
    /// Of the arguments, if they have been checked.
    pub(crate) verdict: Option<Verdict>,
}

/// The members of `params` that some method of the protocol has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParamKey {
    Name,
    Arguments,
    Meta,
    Uri,
    Cursor,
    Ref,
    Argument,
    Context,
    Level,
    ProtocolVersion,
    Capabilities,
    ClientInfo,
    RequestId,
    Reason,
    InputResponses,
    RequestState,
    Notifications,
}

/// The members of a request's `_meta` that the engine reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MetaKey {
    ProtocolVersion,
    ClientInfo,
    ClientCapabilities,
    LogLevel,
    ProgressToken,
    Traceparent,
    Tracestate,
    Baggage,
}

impl Span {
    #[inline]
    fn new(base: usize, start: usize, end: usize) -> Span {
        // Messages are far shorter than what 32 bits count, see `limits.rs`.
        Span { start: start.saturating_sub(base) as u32, end: end.saturating_sub(base) as u32 }
    }

    /// The whole of a text of that length.
    pub(crate) fn whole(length: usize) -> Span {
        Span::new(0, 0, length)
    }

    #[inline]
    pub(crate) fn of(self, text: &str) -> Option<&str> {
        if self.end == 0 {
            return None;
        }
        text.get(self.start as usize..self.end as usize)
    }
}

impl Params {
    pub(crate) fn member<'t>(&self, text: &'t str, key: ParamKey) -> Option<&'t str> {
        self.span(key).of(text)
    }

    pub(crate) fn span(&self, key: ParamKey) -> Span {
        self.members.get(key as usize).copied().unwrap_or_default()
    }

    pub(crate) fn meta<'t>(&self, text: &'t str, key: MetaKey) -> Option<&'t str> {
        self.meta.get(key as usize).copied().unwrap_or_default().of(text)
    }

    /// Reads `params` at the reader's position and gives its text. The arguments of a tool are checked
    /// in the same pass where its name stands before them, as it usually does.
    pub(crate) fn scan<'a>(
        &mut self,
        reader: &mut Reader<'a>,
        tool: &mut ToolCheck<'a>,
        cache: &MetaCache,
    ) -> Result<&'a str, Fault> {
        let first = reader.peek();
        let base = reader.position();
        if first != Some(b'{') {
            let text = reader.skip()?;
            self.shape = if text == "null" { ParamsShape::Absent } else { ParamsShape::Other };
            return Ok(text);
        }
        self.shape = ParamsShape::Object;
        let mut unknown: Option<Names<'a>> = None;
        let mut more = reader.first_member()?;
        // As nearly everybody writes a call.
        if more && reader.take(ParamKey::NAME) {
            self.value(ParamKey::Name, base, reader, tool, cache)?;
            more = reader.next_member()?;
        }
        if more && reader.take(ParamKey::ARGUMENTS) {
            self.value(ParamKey::Arguments, base, reader, tool, cache)?;
            more = reader.next_member()?;
        }
        while more {
            match ParamKey::read(reader)? {
                Ok(known) => self.any_value(known, base, reader, tool, cache)?,
                Err(name) => {
                    unknown.get_or_insert_default().add(name);
                    reader.skip()?;
                }
            }
            more = reader.next_member()?;
        }
        self.duplicate |= unknown.is_some_and(Names::has_duplicate);
        Ok(reader.slice(base, reader.position()))
    }

    #[inline(never)]
    fn any_value<'a>(
        &mut self,
        key: ParamKey,
        base: usize,
        reader: &mut Reader<'a>,
        tool: &mut ToolCheck<'a>,
        cache: &MetaCache,
    ) -> Result<(), Fault> {
        self.value(key, base, reader, tool, cache)
    }

    /// Reads the value of a member and notes where it stands. Where the member is known, little is left of it.
    #[inline(always)]
    fn value<'a>(
        &mut self,
        key: ParamKey,
        base: usize,
        reader: &mut Reader<'a>,
        tool: &mut ToolCheck<'a>,
        cache: &MetaCache,
    ) -> Result<(), Fault> {
        let first = reader.peek();
        let start = reader.position();
        match (key, first) {
            (ParamKey::Meta, Some(b'{')) => self.scan_meta(reader, start - base, cache)?,
            (ParamKey::Name, Some(b'"')) => match reader.plain_string() {
                Some(name) => tool.find(name),
                None => drop(reader.skip()?),
            },
            (ParamKey::Arguments, Some(b'{')) => {
                self.arguments.clear(base);
                tool.check(reader, &mut self.arguments)?;
            }
            _ => drop(reader.skip()?),
        }
        let end = reader.position();
        self.duplicate |= set(&mut self.members, key as usize, base, start, end);
        Ok(())
    }

    /// Reads `_meta`, which starts `offset` bytes behind the start of `params`.
    fn scan_meta(
        &mut self,
        reader: &mut Reader<'_>,
        offset: usize,
        cache: &MetaCache,
    ) -> Result<(), Fault> {
        let members = match cache.take(reader) {
            Some(members) => members,
            None => self.read_meta(reader, cache)?,
        };
        let offset = u32::try_from(offset).unwrap_or(u32::MAX);
        for (slot, member) in self.meta.iter_mut().zip(members) {
            if member != Span::default() {
                let Span { start, end } = member;
                *slot = Span { start: start + offset, end: end + offset };
            }
        }
        Ok(())
    }

    #[inline(never)]
    fn read_meta(
        &mut self,
        reader: &mut Reader<'_>,
        cache: &MetaCache,
    ) -> Result<[Span; MetaKey::COUNT], Fault> {
        let base = reader.position();
        let mut members = [Span::default(); MetaKey::COUNT];
        let mut duplicate = false;
        let mut more = reader.first_member()?;
        while more {
            let known = MetaKey::read(reader)?;
            reader.peek();
            let start = reader.position();
            reader.skip()?;
            if let Some(known) = known {
                duplicate |= set(&mut members, known as usize, base, start, reader.position());
            }
            more = reader.next_member()?;
        }
        self.duplicate |= duplicate;
        // A token for progress is another one each time.
        let has_token = members.get(MetaKey::ProgressToken as usize) != Some(&Span::default());
        if !duplicate && !has_token {
            cache.put(reader.slice(base, reader.position()), &members);
        }
        Ok(members)
    }
}

impl<'a> ToolCheck<'a> {
    #[inline(always)]
    fn find(&mut self, name: &[u8]) {
        if let Some(catalog) = self.catalog {
            self.found = catalog.find_raw(Kind::Tool, name);
        }
    }

    #[inline(always)]
    fn check(&mut self, reader: &mut Reader<'a>, positions: &mut Positions) -> Result<(), Fault> {
        match self.found.and_then(|found| found.entry.input_schema()) {
            Some(schema) => self.verdict = Some(schema.read(reader, positions)?),
            None => drop(reader.skip()?),
        }
        Ok(())
    }
}

impl ParamKey {
    const COUNT: usize = ParamKey::ALL.len();

    /// The names of two members as they are usually written.
    const NAME: &'static str = "\"name\":";
    const ARGUMENTS: &'static str = "\"arguments\":";

    const ALL: [ParamKey; 17] = [
        ParamKey::Name,
        ParamKey::Arguments,
        ParamKey::Meta,
        ParamKey::Uri,
        ParamKey::Cursor,
        ParamKey::Ref,
        ParamKey::Argument,
        ParamKey::Context,
        ParamKey::Level,
        ParamKey::ProtocolVersion,
        ParamKey::Capabilities,
        ParamKey::ClientInfo,
        ParamKey::RequestId,
        ParamKey::Reason,
        ParamKey::InputResponses,
        ParamKey::RequestState,
        ParamKey::Notifications,
    ];

    /// Reads the name of the next member. One that no method has is given back.
    #[inline]
    fn read<'a>(reader: &mut Reader<'a>) -> Result<Result<ParamKey, Str<'a>>, Fault> {
        match reader.second_byte() {
            Some(b'n') if reader.take(ParamKey::NAME) => return Ok(Ok(ParamKey::Name)),
            Some(b'a') if reader.take(ParamKey::ARGUMENTS) => return Ok(Ok(ParamKey::Arguments)),
            Some(b'_') if reader.take("\"_meta\":") => return Ok(Ok(ParamKey::Meta)),
            Some(b'u') if reader.take("\"uri\":") => return Ok(Ok(ParamKey::Uri)),
            _ => {}
        }
        let name = reader.key()?;
        let by_text = |text: &str| ParamKey::ALL.into_iter().find(|key| key.name() == text);
        let known = name.plain().map_or_else(|| by_text(&name.decode()), by_text);
        Ok(known.ok_or(name))
    }

    /// The name on the wire, for error messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            ParamKey::Name => "name",
            ParamKey::Arguments => "arguments",
            ParamKey::Meta => "_meta",
            ParamKey::Uri => "uri",
            ParamKey::Cursor => "cursor",
            ParamKey::Ref => "ref",
            ParamKey::Argument => "argument",
            ParamKey::Context => "context",
            ParamKey::Level => "level",
            ParamKey::ProtocolVersion => "protocolVersion",
            ParamKey::Capabilities => "capabilities",
            ParamKey::ClientInfo => "clientInfo",
            ParamKey::RequestId => "requestId",
            ParamKey::Reason => "reason",
            ParamKey::InputResponses => "inputResponses",
            ParamKey::RequestState => "requestState",
            ParamKey::Notifications => "notifications",
        }
    }
}

impl MetaKey {
    pub(super) const COUNT: usize = MetaKey::Baggage as usize + 1;

    /// Reads the name of the next member; `None` for one that the engine does not read.
    #[inline]
    fn read(reader: &mut Reader<'_>) -> Result<Option<MetaKey>, Fault> {
        if reader.take("\"io.modelcontextprotocol/") {
            let known = match reader.byte() {
                Some(b'p') if reader.take("protocolVersion\":") => Some(MetaKey::ProtocolVersion),
                Some(b'c') if reader.take("clientInfo\":") => Some(MetaKey::ClientInfo),
                Some(b'c') if reader.take("clientCapabilities\":") => {
                    Some(MetaKey::ClientCapabilities)
                }
                Some(b'l') if reader.take("logLevel\":") => Some(MetaKey::LogLevel),
                _ => {
                    reader.give_back("\"io.modelcontextprotocol/");
                    None
                }
            };
            if known.is_some() {
                return Ok(known);
            }
        } else if reader.take("\"progressToken\":") {
            return Ok(Some(MetaKey::ProgressToken));
        }
        Ok(MetaKey::parse(reader.key()?))
    }

    fn parse(name: Str<'_>) -> Option<MetaKey> {
        let by_text = |text: &str| match text.strip_prefix("io.modelcontextprotocol/") {
            Some("protocolVersion") => Some(MetaKey::ProtocolVersion),
            Some("clientInfo") => Some(MetaKey::ClientInfo),
            Some("clientCapabilities") => Some(MetaKey::ClientCapabilities),
            Some("logLevel") => Some(MetaKey::LogLevel),
            Some(_) => None,
            None => match text {
                "progressToken" => Some(MetaKey::ProgressToken),
                "traceparent" => Some(MetaKey::Traceparent),
                "tracestate" => Some(MetaKey::Tracestate),
                "baggage" => Some(MetaKey::Baggage),
                _ => None,
            },
        };
        name.plain().map_or_else(|| by_text(&name.decode()), by_text)
    }
}

/// Notes where a value stands; says whether one stood there before.
#[inline]
fn set(spans: &mut [Span], index: usize, base: usize, start: usize, end: usize) -> bool {
    let Some(slot) = spans.get_mut(index) else {
        return false;
    };
    let again = *slot != Span::default();
    *slot = Span::new(base, start, end);
    again
}
