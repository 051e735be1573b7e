//! What the headers of a modern HTTP request repeat of its body, so that proxies can route by it: whoever
//! acts on the body must make sure that nobody was told something else.

use std::borrow::Cow;

use super::Incoming;
use super::request::Request;
use crate::failure::Failure;
use crate::http::{Field, Head, Known, decode_mirrored};
use crate::json::{Str, find, parse_i64};
use crate::jsonrpc::ParamKey;
use crate::kind::ErrorKind;
use crate::registry::Entry;
use crate::revision::Method;

/// The largest integer that every client can tell from its neighbours.
const MAX_SAFE_INTEGER: u64 = 9_007_199_254_740_991;

impl Incoming {
    /// `MCP-Protocol-Version`, against the JSON text of the version in `_meta`.
    pub(super) fn check_version_header(&self, version: Option<&str>) -> Result<(), Failure> {
        let Some(head) = &self.head else { return Ok(()) };
        let header = required(head, Known::ProtocolVersion)?;
        match version.and_then(Str::from_json) {
            Some(version) if version.decode() != header => {
                Err(differs(Known::ProtocolVersion.title()))
            }
            _ => Ok(()),
        }
    }

    /// `Mcp-Method`, against the method.
    pub(super) fn check_method_header(&self, request: &Request<'_>) -> Result<(), Failure> {
        let Some(head) = &self.head else { return Ok(()) };
        match required(head, Known::Method)? == request.method_name {
            true => Ok(()),
            false => Err(differs(Known::Method.title())),
        }
    }

    /// `Mcp-Name`, against the name or URI that the request is about.
    pub(super) fn check_name_header(&self, request: &Request<'_>) -> Result<(), Failure> {
        let Some(head) = self.head.as_ref().filter(|_| self.mirrors) else { return Ok(()) };
        let key = match request.method {
            Some(Method::ToolsCall | Method::PromptsGet) => ParamKey::Name,
            Some(Method::ResourcesRead) => ParamKey::Uri,
            _ => return Ok(()),
        };
        // A body without it is told so later.
        let Some(body) = request.text(key) else { return Ok(()) };
        let header = decoded(required(head, Known::Name)?, Known::Name.title())?;
        if header == body { Ok(()) } else { Err(differs(Known::Name.title())) }
    }

    /// `Mcp-Param-…`, against the arguments that the tool wants repeated.
    #[inline(always)]
    pub(super) fn check_param_headers(
        &self,
        request: &Request<'_>,
        entry: &Entry,
    ) -> Result<(), Failure> {
        match &self.head {
            Some(head) if self.mirrors => compare_params(head, request, entry),
            _ => Ok(()),
        }
    }
}

fn compare_params(head: &Head, request: &Request<'_>, entry: &Entry) -> Result<(), Failure> {
    let arguments = request.param(ParamKey::Arguments).unwrap_or("{}");
    for param in entry.header_params() {
        let name = format!("Mcp-Param-{}", param.name);
        let body = find(arguments, &param.pointer).filter(|value| *value != "null");
        let header = single(head.field_named(&name), &name)?;
        match (header, body) {
            (None, None) => {}
            (None, Some(_)) => return Err(missing(&name)),
            (Some(_), None) => return Err(differs(&name)),
            (Some(header), Some(body)) => {
                if !is_same_value(&decoded(header, &name)?, body) {
                    return Err(differs(&name));
                }
            }
        }
    }
    Ok(())
}

/// Whether a header says what the JSON text of an argument says. Numbers are compared as such: `42.0` is 42.
fn is_same_value(header: &str, body: &str) -> bool {
    if let Some(text) = Str::from_json(body) {
        return text.decode() == header;
    }
    match parse_i64(body) {
        Some(own) => decimal(header) == Some(own) && own.unsigned_abs() <= MAX_SAFE_INTEGER,
        None => header == body,
    }
}

/// An integer as it is usually written; zeros may follow a point.
fn decimal(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let is_plain = digits == "0" || !digits.starts_with(['0', '+']);
    let is_whole = !fraction.is_empty() && fraction.bytes().all(|digit| digit == b'0');
    whole.parse().ok().filter(|_| is_plain && is_whole)
}

fn required(head: &Head, known: Known) -> Result<&str, Failure> {
    single(head.field(known), known.title())?.ok_or_else(|| missing(known.title()))
}

/// What a header says that may stand once.
fn single<'h>(field: Field<'h>, name: &str) -> Result<Option<&'h str>, Failure> {
    match field {
        Field::Absent => Ok(None),
        // A head has no control characters.
        Field::Once(value) if value.is_ascii() => Ok(Some(value)),
        Field::Once(_) => Err(mismatch(format!("{name} contains invalid characters"))),
        Field::Several => Err(mismatch(format!("{name} stands twice"))),
    }
}

fn decoded<'h>(value: &'h str, name: &str) -> Result<Cow<'h, str>, Failure> {
    decode_mirrored(value).ok_or_else(|| mismatch(format!("{name} is not valid Base64 of UTF-8")))
}

fn missing(name: &str) -> Failure {
    mismatch(format!("{name} is missing"))
}

fn differs(name: &str) -> Failure {
    mismatch(format!("{name} does not match the body"))
}

fn mismatch(text: String) -> Failure {
    Failure::new(ErrorKind::HeaderMismatch, text)
}
