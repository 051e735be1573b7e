//! The head of an HTTP request: method, target and headers.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::known::Known;
use super::octets::{CONTROL, HIGH, is_token_byte, lower_token_byte, value_kinds};
use super::options::HttpOptions;
use crate::base64::BASE64;

/// What a request says before its body. Handlers can look at it, so that it lives as long as their call.
#[derive(Default)]
pub(crate) struct Head {
    pub(crate) method: Cow<'static, str>,
    pub(crate) path: String,
    /// What follows the question mark.
    pub(crate) query: String,
    /// Where the headers stand in `text`.
    fields: Vec<Placed>,
    /// The first of each name that is known, as its place in `fields` and one more.
    known: [u16; Known::COUNT],
    /// Which of those stand several times, a bit for each.
    several: u16,
    /// Names, in lower case, and values of all headers, one behind the other, while headers are added. UTF-8,
    /// but not known to be.
    bytes: Vec<u8>,
    /// The same when all are there.
    text: String,
    /// The session that the request belongs to, known when it was found or made.
    session: OnceLock<Arc<str>>,
}

/// Where a name and its value stand, one behind the other.
#[derive(Clone, Copy, Debug)]
struct Placed {
    start: usize,
    name_end: usize,
    value_end: usize,
}

/// A header that may stand once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field<'h> {
    Absent,
    Once(&'h str),
    Several,
}

/// Why a head cannot be used: a status, and what to say.
pub(crate) type Flaw = (u16, &'static str);

/// Targets are paths of a program's own choosing, and session ids: none needs more.
const MAX_TARGET: usize = 8 * 1024;
/// Room for the headers of most requests, so that taking them in allocates once.
const USUAL_FIELDS: usize = 16;
const USUAL_TEXT: usize = 512;

impl Head {
    pub(crate) fn new(method: &str, target: &str) -> Result<Head, Flaw> {
        if method.is_empty() || method.len() > 32 || !method.bytes().all(is_token_byte) {
            return Err((400, "the method is not one"));
        }
        if target.len() > MAX_TARGET {
            return Err((414, "the target is too long"));
        }
        if !target.starts_with('/') || !target.bytes().all(|byte| matches!(byte, b'!'..=b'~')) {
            return Err((400, "the target is not a path"));
        }
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        Ok(Head {
            method: usual_method(method).map_or_else(|| method.to_owned().into(), Cow::Borrowed),
            path: path.to_owned(),
            query: query.to_owned(),
            fields: Vec::with_capacity(USUAL_FIELDS),
            known: [0; Known::COUNT],
            several: 0,
            bytes: Vec::with_capacity(USUAL_TEXT),
            text: String::new(),
            session: OnceLock::new(),
        })
    }

    /// Adds a header. Bytes outside ASCII are kept as the characters of their numbers, so that nothing is
    /// lost and nothing is guessed.
    pub(crate) fn add(
        &mut self,
        name: &[u8],
        value: &[u8],
        options: &HttpOptions,
    ) -> Result<(), Flaw> {
        if !self.text.is_empty() {
            self.bytes = std::mem::take(&mut self.text).into_bytes();
        }
        let text = &mut self.bytes;
        let length = text.len().saturating_add(name.len() + value.len());
        if self.fields.len() >= options.header_count || length > options.header_bytes {
            return Err((431, "the headers are too large"));
        }
        let start = text.len();
        let known = push_name(text, name);
        let name_end = text.len();
        let kinds = value_kinds(value);
        if known.is_err() || kinds & CONTROL != 0 {
            text.truncate(start);
            return Err((400, "a header contains invalid characters"));
        }
        let value = value.trim_ascii();
        if kinds & HIGH == 0 {
            text.extend_from_slice(value);
        } else {
            let characters: String = value.iter().map(|byte| char::from(*byte)).collect();
            text.extend_from_slice(characters.as_bytes());
        }
        self.fields.push(Placed { start, name_end, value_end: text.len() });
        if let Ok(Some(known)) = known {
            self.note(known);
        }
        Ok(())
    }

    /// The last header is a known one.
    fn note(&mut self, known: Known) {
        let Some(first) = self.known.get_mut(known as usize) else { return };
        match *first {
            0 => *first = u16::try_from(self.fields.len()).unwrap_or_default(),
            _ => self.several |= 1 << known as usize,
        }
    }

    /// All headers are there, so that what they say can be judged at once rather than whenever one is read.
    pub(super) fn seal(&mut self) {
        if self.fields.is_empty() {
            return;
        }
        match String::from_utf8(std::mem::take(&mut self.bytes)) {
            Ok(text) => self.text = text,
            Err(error) => self.bytes = error.into_bytes(),
        }
    }

    /// All headers: names in lower case, and values.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.fields
            .iter()
            .map(|placed| (self.piece(placed.start..placed.name_end), self.value(placed)))
    }

    fn value(&self, placed: &Placed) -> &str {
        self.piece(placed.name_end..placed.value_end)
    }

    fn piece(&self, range: Range<usize>) -> &str {
        let piece = match self.text.is_empty() {
            true => self.bytes.get(range).and_then(|bytes| std::str::from_utf8(bytes).ok()),
            false => self.text.get(range),
        };
        piece.unwrap_or_default()
    }

    /// A header that is known, if there is just one.
    pub(crate) fn field(&self, known: Known) -> Field<'_> {
        let first = self.known.get(known as usize).copied().unwrap_or_default();
        let Some(place) = usize::from(first).checked_sub(1) else { return Field::Absent };
        match self.fields.get(place) {
            Some(placed) if self.several & (1 << known as usize) == 0 => {
                Field::Once(self.value(placed))
            }
            _ => Field::Several,
        }
    }

    /// The header of that name, in whatever case, if there is just one.
    pub(crate) fn field_named(&self, name: &str) -> Field<'_> {
        let mut found = self.values(name);
        match (found.next(), found.next()) {
            (None, _) => Field::Absent,
            (Some(value), None) => Field::Once(value),
            (Some(_), Some(_)) => Field::Several,
        }
    }

    /// The first header of that name.
    pub(crate) fn first(&self, name: &str) -> Option<&str> {
        self.values(name).next()
    }

    /// All headers of that name.
    pub(crate) fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        let fields = self.fields().filter(|(own, _)| own.eq_ignore_ascii_case(name));
        fields.map(|(_, value)| value)
    }

    /// A member of the query, as it stands.
    pub(crate) fn query_value(&self, name: &str) -> Option<&str> {
        let mut pairs = self.query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find(|(own, _)| *own == name).map(|(_, value)| value)
    }

    /// Bytes of its texts.
    pub(super) fn size(&self) -> usize {
        self.bytes.len() + self.text.len()
    }

    pub(super) fn set_session(&self, id: &Arc<str>) {
        // A request belongs to one.
        drop(self.session.set(Arc::clone(id)));
    }

    pub(crate) fn session(&self) -> Option<&str> {
        self.session.get().map(|id| &**id)
    }
}

/// Appends a name in lower case, and says which it is, if it is known; the error is for what is no name.
fn push_name(text: &mut Vec<u8>, name: &[u8]) -> Result<Option<Known>, ()> {
    if let Some(known) = Known::of(name) {
        text.extend_from_slice(name);
        return Ok(Some(known));
    }
    let start = text.len();
    let mut is_token = !name.is_empty();
    text.extend(name.iter().map(|byte| {
        let lower = lower_token_byte(*byte);
        is_token &= lower != 0;
        lower
    }));
    let lower = text.get(start..).unwrap_or_default();
    if is_token { Ok(Known::of(lower)) } else { Err(()) }
}

/// A method that most requests have, as a text of our own.
fn usual_method(method: &str) -> Option<&'static str> {
    ["POST", "GET", "DELETE", "OPTIONS"].into_iter().find(|usual| *usual == method)
}

/// Names only: what headers say may be a secret, and so may the query.
impl fmt::Debug for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.fields().map(|(name, _)| name);
        f.debug_struct("Head")
            .field("method", &self.method)
            .field("path", &self.path)
            .field("headers", &names.collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

/// What a mirrored header says: as it stands, or Base64 of UTF-8 between the markers for that.
pub(crate) fn decode_mirrored(value: &str) -> Option<Cow<'_, str>> {
    let encoded = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?="));
    match encoded {
        None => Some(Cow::Borrowed(value)),
        Some(encoded) => {
            let bytes = BASE64.decode(encoded.as_bytes())?;
            String::from_utf8(bytes).ok().map(Cow::Owned)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_in_any_case_and_values_lose_outer_spaces() {
        let mut head = Head::new("POST", "/mcp?a=1&sessionId=x").unwrap();
        let options = HttpOptions::default();
        head.add(b"MCP-Method", b" \ttools/list ", &options).unwrap();
        head.add(b"accept", b"a", &options).unwrap();
        head.add(b"Accept", b"b", &options).unwrap();
        assert_eq!(head.field(Known::Method), Field::Once("tools/list"));
        assert_eq!(head.field(Known::Accept), Field::Several);
        assert_eq!(head.field(Known::Host), Field::Absent);
        assert_eq!(head.query_value("sessionId"), Some("x"));
        assert!(!format!("{head:?}").contains("tools/list"));
    }

    #[test]
    fn what_cannot_be_a_head_is_refused() {
        for (method, target) in
            [("", "/"), ("PO ST", "/"), ("POST", ""), ("POST", "http://x/mcp"), ("GET", "/a b")]
        {
            assert_eq!(Head::new(method, target).unwrap_err().0, 400, "{method} {target}");
        }
        assert_eq!(Head::new("GET", &"/".repeat(9000)).unwrap_err().0, 414);
        let mut head = Head::new("GET", "/").unwrap();
        let options = HttpOptions::default();
        for (name, value) in
            [(&b"a b"[..], &b"x"[..]), (b"", b"x"), (b"a", b"x\0"), (b"a", b"x\r\ny: z")]
        {
            assert_eq!(head.add(name, value, &options).unwrap_err().0, 400);
        }
        assert_eq!(head.add(b"a", &[b'x'; 40_000], &options).unwrap_err().0, 431);
    }

    #[test]
    fn mirrored_values_are_decoded_between_their_markers_only() {
        let decode = |value| decode_mirrored(value).map(Cow::into_owned);
        assert_eq!(decode("=?base64?SGVsbG8=?=").as_deref(), Some("Hello"));
        assert_eq!(decode("=?base64??=").as_deref(), Some(""));
        for literal in ["Hello", "=?base64?SGVsbG8=", "SGVsbG8=?=", "=?BASE64?SGVsbG8=?="] {
            assert_eq!(decode(literal).as_deref(), Some(literal));
        }
        for bad in ["=?base64?SGVsbG8?=", "=?base64?SGVs!!!bG8=?=", "=?base64?/w==?="] {
            assert_eq!(decode(bad), None, "{bad}");
        }
    }
}
