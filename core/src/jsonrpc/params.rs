//! `params`, read in the same pass as the envelope: where each known member stands.

use super::names::Names;
use crate::json::{Fault, Reader, Str};

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
    pub(crate) shape: ParamsShape,
    /// A member name stands twice in `params`, or one that is read here stands twice in `_meta`.
    pub(crate) duplicate: bool,
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
    fn new(base: usize, start: usize, end: usize) -> Span {
        let offset = |at: usize| u32::try_from(at.saturating_sub(base)).unwrap_or(u32::MAX);
        Span { start: offset(start), end: offset(end) }
    }

    /// The whole of a text of that length.
    pub(crate) fn whole(length: usize) -> Span {
        Span::new(0, 0, length)
    }

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

    /// Reads `params` at the reader's position and gives its text.
    pub(crate) fn scan<'a>(&mut self, reader: &mut Reader<'a>) -> Result<&'a str, Fault> {
        let first = reader.peek();
        let base = reader.position();
        if first != Some(b'{') {
            let text = reader.skip()?;
            self.shape = if text == "null" { ParamsShape::Absent } else { ParamsShape::Other };
            return Ok(text);
        }
        self.shape = ParamsShape::Object;
        let mut unknown = Names::default();
        let mut key = reader.first_key()?;
        while let Some(name) = key {
            let known = ParamKey::parse(name);
            let start = value_start(reader);
            // The input schema of a tool will be checked here in the same pass, when `name` stood
            // before `arguments`; see ARCHITECTURE.md, "Validation".
            match known {
                Some(ParamKey::Meta) if reader.peek() == Some(b'{') => {
                    self.scan_meta(reader, base)?
                }
                _ => {
                    reader.skip()?;
                }
            }
            match known {
                Some(known) => {
                    self.duplicate |=
                        set(&mut self.members, known as usize, base, start, reader.position());
                }
                None => unknown.add(name),
            }
            key = reader.next_key()?;
        }
        self.duplicate |= unknown.has_duplicate();
        Ok(reader.slice(base, reader.position()))
    }

    fn scan_meta(&mut self, reader: &mut Reader<'_>, base: usize) -> Result<(), Fault> {
        let mut key = reader.first_key()?;
        while let Some(name) = key {
            let start = value_start(reader);
            reader.skip()?;
            if let Some(known) = MetaKey::parse(name) {
                self.duplicate |=
                    set(&mut self.meta, known as usize, base, start, reader.position());
            }
            key = reader.next_key()?;
        }
        Ok(())
    }
}

impl ParamKey {
    const COUNT: usize = ParamKey::ALL.len();

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

    fn parse(name: Str<'_>) -> Option<ParamKey> {
        let by_text = |text: &str| ParamKey::ALL.into_iter().find(|key| key.name() == text);
        name.plain().map_or_else(|| by_text(&name.decode()), by_text)
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
    const COUNT: usize = MetaKey::Baggage as usize + 1;

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

fn value_start(reader: &mut Reader<'_>) -> usize {
    reader.peek();
    reader.position()
}

/// Notes where a value stands; says whether one stood there before.
fn set(spans: &mut [Span], index: usize, base: usize, start: usize, end: usize) -> bool {
    let Some(slot) = spans.get_mut(index) else {
        return false;
    };
    let again = *slot != Span::default();
    *slot = Span::new(base, start, end);
    again
}
