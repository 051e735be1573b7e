//! The list methods: a page of ready-made bytes.

use super::Incoming;
use super::request::{Handled, Request, invalid};
use crate::failure::Failure;
use crate::json::push_quoted;
use crate::jsonrpc::ParamKey;
use crate::model::cursor::Cursor;
use crate::registry::Kind;

impl Incoming {
    pub(super) fn list(&self, request: &Request<'_>, kind: Kind) -> Result<Handled, Failure> {
        let member = match kind {
            Kind::Tool => "tools",
            Kind::Resource => "resources",
            Kind::Template => "resourceTemplates",
            _ => "prompts",
        };
        let cursor = match request.param(ParamKey::Cursor) {
            None => None,
            Some(_) => {
                let text = request.required_text(ParamKey::Cursor)?;
                let cursor = Cursor::decode(member, &text);
                Some(cursor.ok_or_else(|| invalid("cursor is not one of this list"))?)
            }
        };
        let options = &self.catalog.options;
        let listing = self.catalog.listing(kind, request.revision);
        let page = listing.page(member, cursor, options.page_size);
        Ok(self.answer(request, Some(options.cache), |out| {
            push_quoted(out, member);
            out.extend_from_slice(b":[");
            out.extend_from_slice(page.bytes);
            out.push(b']');
            if let Some(next) = &page.next {
                out.extend_from_slice(b",\"nextCursor\":");
                push_quoted(out, next);
            }
        }))
    }
}
