//! Results: what every one of them ends with, and results written by the host.

use super::content::{push_block, push_contents_json};
use crate::error::Error;
use crate::json::{
    elements, find_member, members, push_checked, push_key, push_quoted, push_u64, separate,
};
use crate::options::{Cache, CacheScope};
use crate::registry::Catalog;
use crate::revision::{Feature, Method, Revision};

/// What the end of a result depends on.
pub(crate) struct ResultEnd<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) revision: Revision,
    /// Hints for a result that clients may keep; one that the host gave itself is not here.
    pub(crate) ttl_ms: Option<u64>,
    pub(crate) cache_scope: Option<CacheScope>,
    /// The host's own `_meta`: a JSON object, or empty.
    pub(crate) meta: &'a str,
    /// What `resultType` says.
    pub(crate) kind: &'a str,
    /// Whether the result says all there is to say about the server, or only its name and version.
    pub(crate) introduces: bool,
}

const COMPLETE: &str = "\"complete\"";
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

impl ResultEnd<'_> {
    /// The end of a result without a `_meta` of the host's.
    pub(crate) fn plain(catalog: &Catalog, revision: Revision) -> ResultEnd<'_> {
        ResultEnd {
            catalog,
            revision,
            ttl_ms: None,
            cache_scope: None,
            meta: "",
            kind: COMPLETE,
            introduces: false,
        }
    }

    /// The same with hints, if the result is one that clients may keep.
    pub(crate) fn with_cache(mut self, cache: Option<Cache>) -> Self {
        self.ttl_ms = cache.map(|cache| cache.ttl_ms);
        self.cache_scope = cache.map(|cache| cache.scope);
        self
    }

    /// Appends the last members and closes the result object.
    #[inline]
    pub(crate) fn push(&self, out: &mut Vec<u8>) {
        let is_plain = self.meta.is_empty() && self.ttl_ms.is_none() && self.cache_scope.is_none();
        let has_envelope = self.revision.has(Feature::ResultEnvelope);
        if is_plain && !has_envelope {
            return out.push(b'}');
        }
        if is_plain && self.kind == COMPLETE && !self.introduces {
            separate(out);
            return out.extend_from_slice(self.catalog.usual_end());
        }
        self.push_members(out);
    }

    /// The same for a result without anything special, of which a member has been written.
    #[inline]
    pub(crate) fn push_usual(catalog: &Catalog, revision: Revision, out: &mut Vec<u8>) {
        if revision.has(Feature::ResultEnvelope) {
            out.push(b',');
            out.extend_from_slice(catalog.usual_end());
        } else {
            out.push(b'}');
        }
    }

    /// What a modern result without anything special ends with.
    pub(crate) fn usual(catalog: &Catalog) -> Vec<u8> {
        let mut out = Vec::new();
        ResultEnd::plain(catalog, Revision::V2026_07_28).push_members(&mut out);
        out
    }

    #[inline(never)]
    fn push_members(&self, out: &mut Vec<u8>) {
        if self.revision.has(Feature::ResultEnvelope) {
            if let Some(ttl_ms) = self.ttl_ms {
                push_key(out, "ttlMs");
                push_u64(out, ttl_ms);
            }
            if let Some(scope) = self.cache_scope {
                push_key(out, "cacheScope");
                push_quoted(out, scope.name());
            }
            separate(out);
            out.extend_from_slice(b"\"resultType\":");
            push_checked(out, self.kind);
        }
        self.push_meta(out);
        out.push(b'}');
    }

    fn push_meta(&self, out: &mut Vec<u8>) {
        let identify = self.revision.has(Feature::ResultEnvelope)
            && self.catalog.options.identify
            && (self.meta.is_empty() || find_member(self.meta, SERVER_INFO).is_none());
        if !identify && self.meta.is_empty() {
            return;
        }
        separate(out);
        out.extend_from_slice(b"\"_meta\":{");
        for (name, value) in members(self.meta) {
            push_key(out, &name.decode());
            push_checked(out, value);
        }
        if identify {
            push_key(out, SERVER_INFO);
            if self.introduces {
                push_checked(out, &self.catalog.identity(self.revision));
            } else {
                push_checked(out, self.catalog.signature());
            }
        }
        out.push(b'}');
    }

    /// Appends a whole result that the host wrote as the specification writes it, in the nearest
    /// form that the revision knows. `json` has been read strictly. Members of the envelope that the
    /// host wrote go before the engine's own.
    pub(crate) fn push_host_result(
        &self,
        out: &mut Vec<u8>,
        json: &str,
        method: Option<Method>,
    ) -> Result<(), Error> {
        let has_envelope = self.revision.has(Feature::ResultEnvelope);
        let own_kind = find_member(json, "resultType").filter(|kind| kind.starts_with('"'));
        let own_meta = find_member(json, "_meta").filter(|meta| meta.starts_with('{'));
        out.push(b'{');
        for (name, value) in members(json) {
            let name = name.decode();
            match &*name {
                "_meta" => continue,
                "resultType" if has_envelope || method.is_some() => continue,
                "ttlMs" | "cacheScope" if !has_envelope && method.is_some() => continue,
                "structuredContent"
                    if method == Some(Method::ToolsCall)
                        && !accepts_structured(value.as_bytes(), self.revision) =>
                {
                    continue;
                }
                _ => {}
            }
            push_key(out, &name);
            match (method, &*name) {
                (Some(Method::ToolsCall), "content") => {
                    push_array(out, value, |out, block| push_block(out, block, self.revision))?;
                }
                (Some(Method::PromptsGet), "messages") => {
                    push_array(out, value, |out, message| self.push_message(out, message))?;
                }
                (Some(Method::ResourcesRead), "contents") => {
                    push_array(out, value, |out, json| {
                        push_contents_json(out, json, self.revision)
                    })?
                }
                _ => push_checked(out, value),
            }
        }
        check_members(json, method)?;
        if method == Some(Method::ToolsCall) && find_member(json, "content").is_none() {
            separate(out);
            push_mirror(out, find_member(json, "structuredContent").unwrap_or_default());
        }
        // An interim result cannot be kept, and a hint that the host gave itself stands already.
        let is_complete = own_kind.is_none_or(|kind| kind == self.kind);
        let lacks = |name| is_complete && find_member(json, name).is_none();
        let end = ResultEnd {
            ttl_ms: self.ttl_ms.filter(|_| lacks("ttlMs")),
            cache_scope: self.cache_scope.filter(|_| lacks("cacheScope")),
            meta: own_meta.unwrap_or(self.meta),
            kind: own_kind.unwrap_or(self.kind),
            ..*self
        };
        end.push(out);
        Ok(())
    }

    fn push_message(&self, out: &mut Vec<u8>, json: &str) -> Result<(), Error> {
        let (Some(role), Some(content)) = (find_member(json, "role"), find_member(json, "content"))
        else {
            return Err(Error::Definition("a message has a role and content".to_owned()));
        };
        if !matches!(role, "\"user\"" | "\"assistant\"") {
            return Err(Error::Definition("a role is user or assistant".to_owned()));
        }
        out.extend_from_slice(b"{\"role\":");
        push_checked(out, role);
        out.extend_from_slice(b",\"content\":");
        push_block(out, content, self.revision)?;
        out.push(b'}');
        Ok(())
    }
}

/// Appends `"content":[…]` with the structured content as text, for clients that know no other.
pub(crate) fn push_mirror(out: &mut Vec<u8>, structured: &str) {
    out.extend_from_slice(b"\"content\":[{\"type\":\"text\",\"text\":");
    push_quoted(out, structured);
    out.extend_from_slice(b"}]");
}

/// Whether `structuredContent` of this value can be sent.
pub(crate) fn accepts_structured(json: &[u8], revision: Revision) -> bool {
    let is_object = json.starts_with(b"{");
    revision.has(Feature::StructuredAny) || (is_object && revision.has(Feature::StructuredObject))
}

fn push_array(
    out: &mut Vec<u8>,
    json: &str,
    mut push: impl FnMut(&mut Vec<u8>, &str) -> Result<(), Error>,
) -> Result<(), Error> {
    if !json.starts_with('[') {
        return Err(Error::Definition("content, contents and messages are arrays".to_owned()));
    }
    out.push(b'[');
    for element in elements(json) {
        separate(out);
        push(out, element)?;
    }
    out.push(b']');
    Ok(())
}

fn check_members(json: &str, method: Option<Method>) -> Result<(), Error> {
    let has = |name| find_member(json, name).is_some();
    let is_error = find_member(json, "isError");
    let fault = match method {
        Some(Method::ToolsCall) if !matches!(is_error, None | Some("true" | "false")) => {
            "isError is true or false"
        }
        Some(Method::ToolsCall) if !has("content") && !has("structuredContent") => {
            "a tool result has content"
        }
        Some(Method::PromptsGet) if !has("messages") => "a prompt result has messages",
        Some(Method::ResourcesRead) if !has("contents") => "a resource result has contents",
        Some(Method::Complete) if !has("completion") => "a completion result has completion",
        _ => return Ok(()),
    };
    Err(Error::Definition(fault.to_owned()))
}
