//! An answer in the making, and the result object that becomes of it.

use super::build::Role;
use super::state::Bound;
use crate::error::Error;
use crate::json::{find_member, members, push_json, push_quoted, push_u64, separate};
use crate::limits::MAX_COMPLETION_VALUES;
use crate::model::result::{ResultEnd, accepts_structured, push_mirror};
use crate::options::Cache;
use crate::registry::name_hash;
use crate::revision::Method;

/// The parts of an answer that are there so far.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    /// Scratch space in which the whole answer is put together.
    pub(super) message: Vec<u8>,
    /// Content blocks, messages, resource contents or completion values, joined by commas.
    pub(super) blocks: Vec<u8>,
    pub(super) count: usize,
    /// `structuredContent`: one JSON value, or an object whose closing brace is missing.
    pub(super) structured: Vec<u8>,
    pub(super) structured_is_open: bool,
    /// Digests of its member names, while the closing brace is missing.
    keys: Vec<u64>,
    /// JSON text of the host's `_meta`.
    pub(super) meta: Vec<u8>,
    pub(super) description: Vec<u8>,
    pub(super) role: Role,
    pub(super) total: Option<u64>,
    pub(super) has_more: Option<bool>,
    /// Values were left out because there were too many.
    pub(super) is_cut: bool,
}

impl Draft {
    pub(super) fn clear(&mut self) {
        self.message.clear();
        self.blocks.clear();
        self.structured.clear();
        self.meta.clear();
        self.description.clear();
        self.count = 0;
        self.structured_is_open = false;
        self.role = Role::default();
        self.total = None;
        self.has_more = None;
        self.is_cut = false;
        self.keys.clear();
    }

    /// The sizes of all buffers, bit by bit: a number that is no less than the largest.
    #[inline]
    pub(super) fn capacity_bits(&self) -> usize {
        self.message.capacity()
            | self.blocks.capacity()
            | self.structured.capacity()
            | self.meta.capacity()
            | self.description.capacity()
    }

    /// Lets no buffer be larger than `keep`.
    pub(super) fn shrink(&mut self, keep: usize) {
        for buffer in [
            &mut self.message,
            &mut self.blocks,
            &mut self.structured,
            &mut self.meta,
            &mut self.description,
        ] {
            if buffer.capacity() > keep {
                buffer.shrink_to(keep);
            }
        }
    }

    /// Whether nothing has been added.
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0 && self.structured.is_empty() && self.meta.is_empty()
    }

    /// Appends one block, or nothing at all if it cannot be written.
    pub(super) fn add(
        &mut self,
        bound: &Bound,
        push: impl FnOnce(&mut Vec<u8>, &Bound) -> Result<(), Error>,
    ) -> Result<(), Error> {
        match bound.method {
            Some(Method::ToolsCall | Method::PromptsGet | Method::ResourcesRead) => {}
            Some(Method::Complete) if self.count >= MAX_COMPLETION_VALUES => {
                self.is_cut = true;
                return Ok(());
            }
            Some(Method::Complete) => {}
            _ => return Err(Error::Invalid("this call has no content; use reply_result")),
        }
        let before = self.blocks.len();
        bound.check_room(before)?;
        if before > 0 {
            self.blocks.push(b',');
        }
        let is_message = bound.method == Some(Method::PromptsGet);
        if is_message {
            let role: &[u8] = match self.role {
                Role::User => b"{\"role\":\"user\",\"content\":",
                Role::Assistant => b"{\"role\":\"assistant\",\"content\":",
            };
            self.blocks.extend_from_slice(role);
        }
        if let Err(error) = push(&mut self.blocks, bound) {
            self.blocks.truncate(before);
            return Err(error);
        }
        if is_message {
            self.blocks.push(b'}');
        }
        self.count += 1;
        Ok(())
    }

    /// Sets the whole of `structuredContent`, or leaves everything as it was and says why not.
    pub(super) fn set_structured(&mut self, json: &str, depth: u32) -> Result<(), Error> {
        // The scratch space is free until the answer is put together.
        self.message.clear();
        if let Err(fault) = push_json(&mut self.message, json, depth) {
            self.message.clear();
            return Err(Error::from_fault(fault));
        }
        std::mem::swap(&mut self.structured, &mut self.message);
        self.message.clear();
        self.structured_is_open = false;
        self.keys.clear();
        Ok(())
    }

    /// Adds a member to `structuredContent`, or leaves everything as it was and says why not.
    pub(super) fn put_member(
        &mut self,
        key: &str,
        push: impl FnOnce(&mut Vec<u8>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let so_far = || std::str::from_utf8(&self.structured).unwrap_or_default();
        if !matches!(self.structured.first(), None | Some(b'{')) {
            return Err(Error::Invalid("the structured content is not an object"));
        }
        if !self.structured_is_open {
            self.keys.clear();
            self.keys.extend(members(so_far()).map(|(name, _)| name_hash(&name.decode())));
        }
        let digest = name_hash(key);
        if self.keys.contains(&digest) && find_member(so_far(), key).is_some() {
            return Err(Error::Exists);
        }
        // The scratch space is free until the answer is put together.
        self.message.clear();
        if let Err(error) = push(&mut self.message) {
            self.message.clear();
            return Err(error);
        }
        if self.structured.is_empty() {
            self.structured.push(b'{');
        } else if !self.structured_is_open {
            self.structured.pop();
        }
        self.structured_is_open = true;
        if !self.structured.trim_ascii_end().ends_with(b"{") {
            self.structured.push(b',');
        }
        push_quoted(&mut self.structured, key);
        self.structured.push(b':');
        self.structured.append(&mut self.message);
        self.keys.push(digest);
        Ok(())
    }

    /// The whole of `structuredContent` as text; empty for none.
    pub(super) fn structured(&mut self) -> &str {
        std::str::from_utf8(self.close_structured()).unwrap_or_default()
    }

    /// The same without another look at whether it is text.
    fn close_structured(&mut self) -> &[u8] {
        if std::mem::take(&mut self.structured_is_open) {
            self.structured.push(b'}');
        }
        &self.structured
    }
}

/// Cache hints of a result that clients may keep: the item's own, or the server's.
pub(super) fn cache_of(bound: &Bound) -> Option<Cache> {
    bound.method.filter(|method| method.is_cacheable())?;
    let own = bound.entry().and_then(|entry| entry.policy.cache);
    Some(own.unwrap_or(bound.catalog.options.cache))
}

/// Appends the result object made of what was added.
pub(super) fn push_draft(out: &mut Vec<u8>, draft: &mut Draft, bound: &Bound) {
    out.push(b'{');
    match bound.method {
        Some(Method::ToolsCall) => push_tool_result(out, draft, bound),
        Some(Method::PromptsGet) => {
            if !draft.description.is_empty() {
                out.extend_from_slice(b"\"description\":");
                out.extend_from_slice(&draft.description);
                out.push(b',');
            }
            push_blocks(out, "messages", &draft.blocks);
        }
        Some(Method::ResourcesRead) => push_blocks(out, "contents", &draft.blocks),
        Some(Method::Complete) => push_completion(out, draft),
        _ => {}
    }
    let end = ResultEnd {
        meta: std::str::from_utf8(&draft.meta).unwrap_or_default(),
        ..ResultEnd::plain(&bound.catalog, bound.revision)
    };
    end.with_cache(cache_of(bound)).push(out);
}

fn push_tool_result(out: &mut Vec<u8>, draft: &mut Draft, bound: &Bound) {
    let has_content = draft.count > 0;
    if has_content {
        push_blocks(out, "content", &draft.blocks);
    }
    if !has_content {
        match draft.structured() {
            "" => push_blocks(out, "content", b""),
            structured => push_mirror(out, structured),
        }
    }
    let structured = draft.close_structured();
    if !structured.is_empty() && accepts_structured(structured, bound.revision) {
        separate(out);
        out.extend_from_slice(b"\"structuredContent\":");
        out.extend_from_slice(structured);
    }
}

fn push_completion(out: &mut Vec<u8>, draft: &Draft) {
    out.extend_from_slice(b"\"completion\":{");
    push_blocks(out, "values", &draft.blocks);
    if let Some(total) = draft.total {
        out.extend_from_slice(b",\"total\":");
        push_u64(out, total);
    }
    let has_more = draft.has_more.map(|has_more| has_more || draft.is_cut);
    if let Some(has_more) = has_more.or(draft.is_cut.then_some(true)) {
        out.extend_from_slice(if has_more { b",\"hasMore\":true" } else { b",\"hasMore\":false" });
    }
    out.push(b'}');
}

fn push_blocks(out: &mut Vec<u8>, name: &str, blocks: &[u8]) {
    out.push(b'"');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":[");
    out.extend_from_slice(blocks);
    out.push(b']');
}
