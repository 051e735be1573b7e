//! `x-mcp-header`: parameters of a tool that clients repeat in HTTP headers.

use std::borrow::Cow;

use super::compile::{LocationIndex, NameIndex};
use super::dialect::{Dialect, subschemas};
use super::error::SchemaError;
use super::limits::{MAX_NESTED_BYTES, SchemaLimits};
use super::pointer::{pointer_at, push_token};
use crate::json::{Reader, Str, find_member, members};

const KEYWORD: &str = "x-mcp-header";

/// A parameter that clients repeat in the header `Mcp-Param-` followed by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeaderParam {
    /// The name, as the schema writes it; headers are compared without regard to case.
    pub name: String,
    /// JSON Pointer to the parameter in the arguments of a call.
    pub pointer: String,
    /// What the parameter is.
    pub kind: HeaderKind,
}

/// The types that a parameter in a header may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderKind {
    /// `string`
    String,
    /// `integer`
    Integer,
    /// `boolean`
    Boolean,
}

/// A schema that is yet to be looked at.
struct Waiting<'t> {
    schema: &'t str,
    place: Place,
}

/// Where a schema stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Root,
    /// Where only `properties` lead: the number of the last step there.
    Property(usize),
    Elsewhere,
}

/// The steps into `properties`: where each is made, and the name. Pointers are made of them only where
/// there is an annotation, because all of them together may be far longer than the schema.
type Steps<'t> = Vec<(Place, Str<'t>)>;

/// The header parameters of the input schema `text`, in its order; an error if an annotation breaks
/// the rules of revision 2026-07-28, by which clients leave out the whole tool.
pub fn headers(text: &str) -> Result<Vec<HeaderParam>, SchemaError> {
    let refuse = |at: &str, reason: String| {
        let offset = (at.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        SchemaError { path: pointer_at(text, offset), reason }
    };
    let limits = SchemaLimits::default();
    let mut reader = Reader::new(text, crate::json::MAX_DEPTH);
    let whole = reader.skip().and_then(|whole| reader.end().map(|()| whole)).map_err(|fault| {
        refuse(text, format!("is not usable JSON: {} at byte {}", fault.kind.describe(), fault.at))
    })?;
    let mut found: Vec<HeaderParam> = Vec::new();
    let mut names = NameIndex::default();
    let mut steps: Steps<'_> = Vec::new();
    let mut waiting = vec![Waiting { schema: whole, place: Place::Root }];
    let mut looked_at = 0;
    let mut nested_bytes = 0;
    let mut pointer_bytes = 0;
    while let Some(Waiting { schema, place }) = waiting.pop() {
        nested_bytes += schema.len();
        if nested_bytes > MAX_NESTED_BYTES {
            return Err(refuse(schema, "is nested too deeply for its size".to_owned()));
        }
        looked_at += 1;
        if looked_at > limits.nodes {
            return Err(refuse(schema, format!("there are more than {} schemas", limits.nodes)));
        }
        if let Some(value) = find_member(schema, KEYWORD) {
            let param =
                param(schema, value, place, &steps).map_err(|reason| refuse(value, reason))?;
            pointer_bytes += param.pointer.len();
            if pointer_bytes > limits.bytes {
                let reason = "the names that lead to the header parameters are too long".to_owned();
                return Err(refuse(value, reason));
            }
            if names.insert(Cow::Owned(param.name.to_ascii_lowercase()), 0).is_some() {
                let reason =
                    format!("`{KEYWORD}` {} is used twice; case does not matter", param.name);
                return Err(refuse(value, reason));
            }
            found.push(param);
        }
        waiting.extend(inner(schema, place, &mut steps).into_iter().rev());
    }
    Ok(found)
}

/// The schemas in a schema.
fn inner<'t>(schema: &'t str, place: Place, steps: &mut Steps<'t>) -> Vec<Waiting<'t>> {
    let mut inner = Vec::new();
    let mut known = LocationIndex::default();
    let properties = find_member(schema, "properties").unwrap_or("");
    for (name, schema) in members(properties) {
        let place = if place == Place::Elsewhere {
            Place::Elsewhere
        } else {
            steps.push((place, name));
            Place::Property(steps.len() - 1)
        };
        inner.push(Waiting { schema, place });
    }
    // An annotation is out of place wherever either dialect would find it.
    for dialect in [Dialect::Draft202012, Dialect::Draft7] {
        for (keyword, schema) in subschemas(schema, dialect) {
            let location = (0, schema.as_ptr() as usize);
            if keyword != "properties" && known.insert(location, 0).is_none() {
                inner.push(Waiting { schema, place: Place::Elsewhere });
            }
        }
    }
    inner
}

/// The pointer that the steps to a property make.
fn pointer(mut place: Place, steps: &Steps<'_>) -> String {
    let mut names = Vec::new();
    while let Place::Property(number) = place
        && let Some((before, name)) = steps.get(number)
    {
        names.push(*name);
        place = *before;
    }
    let mut pointer = String::new();
    for name in names.into_iter().rev() {
        push_token(&mut pointer, &name.decode());
    }
    pointer
}

fn param(
    schema: &str,
    value: &str,
    place: Place,
    steps: &Steps<'_>,
) -> Result<HeaderParam, String> {
    let Place::Property(_) = place else {
        return Err(format!(
            "`{KEYWORD}` may stand only in a property that nothing but `properties` leads to"
        ));
    };
    let name = Str::from_json(value).map(Str::decode).unwrap_or_default();
    if name.is_empty() || !name.bytes().all(is_token_byte) {
        return Err(format!(
            "`{KEYWORD}` must be a string of letters, digits and !#$%&'*+-.^_`|~, at least one"
        ));
    }
    let kind = match find_member(schema, "type") {
        Some("\"string\"") => HeaderKind::String,
        Some("\"integer\"") => HeaderKind::Integer,
        Some("\"boolean\"") => HeaderKind::Boolean,
        _ => {
            return Err(format!(
                "`{KEYWORD}` needs the `type` of its property to be \"string\", \"integer\" or \
                 \"boolean\""
            ));
        }
    };
    Ok(HeaderParam { name: name.into_owned(), pointer: pointer(place, steps), kind })
}

/// `tchar` of RFC 9110.
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}
