//! Building an answer piece by piece.

use super::Call;
use super::answer::Phase;
use super::draft::Draft;
use super::state::{Bound, Progress};
use crate::error::Error;
use crate::json::{push_f64, push_json, push_quoted};
use crate::model::content::{
    push_block, push_contents, push_contents_json, push_embedded, push_link, push_media, push_text,
    push_text_contents,
};
use crate::model::definition::check_object;
use crate::registry::Detail;
use crate::revision::Method;

/// Who speaks in a prompt message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// The person.
    #[default]
    User,
    /// The model.
    Assistant,
}

impl Call {
    /// Adds text: a content block of a tool or prompt, the contents of a resource, or one value of a
    /// completion.
    pub fn add_text(&self, text: &str) -> Result<(), Error> {
        self.add(text.len(), |out, bound| self.push_text_block(out, bound, text))
    }

    /// Appends text as whatever the method calls it.
    pub(super) fn push_text_block(
        &self,
        out: &mut Vec<u8>,
        bound: &Bound,
        text: &str,
    ) -> Result<(), Error> {
        match bound.method {
            Some(Method::ResourcesRead) => {
                push_text_contents(out, self.name(), own_mime_type(bound), text);
            }
            Some(Method::Complete) => push_quoted(out, text),
            _ => push_text(out, text),
        }
        Ok(())
    }

    /// Adds an image or sound, or the bytes of a resource.
    pub fn add_media(&self, mime_type: &str, data: &[u8]) -> Result<(), Error> {
        self.add(data.len(), |out, bound| {
            match bound.method {
                Some(Method::ResourcesRead) => {
                    push_contents(out, self.name(), Some(mime_type), data);
                }
                Some(Method::Complete) => return Err(VALUES_ONLY),
                _ => push_media(out, mime_type, data, bound.revision),
            }
            Ok(())
        })
    }

    /// Adds the bytes of the resource that was asked for, with its registered type.
    pub fn add_contents(&self, data: &[u8]) -> Result<(), Error> {
        self.add(data.len(), |out, bound| match bound.method {
            Some(Method::ResourcesRead) => {
                push_contents(out, self.name(), own_mime_type(bound), data);
                Ok(())
            }
            _ => Err(Error::Invalid("only resources have contents")),
        })
    }

    /// Adds an embedded resource, or for `resources/read` the contents of a further URI.
    pub fn add_resource(
        &self,
        uri: &str,
        mime_type: Option<&str>,
        data: &[u8],
    ) -> Result<(), Error> {
        self.add(data.len(), |out, bound| {
            match bound.method {
                Some(Method::ResourcesRead) => push_contents(out, uri, mime_type, data),
                Some(Method::Complete) => return Err(VALUES_ONLY),
                _ => push_embedded(out, uri, mime_type, data),
            }
            Ok(())
        })
    }

    /// Adds a link to a resource.
    pub fn add_link(&self, uri: &str, name: &str, mime_type: Option<&str>) -> Result<(), Error> {
        self.add(uri.len(), |out, bound| match bound.method {
            Some(Method::ResourcesRead) => Err(Error::Invalid("a resource has no links")),
            Some(Method::Complete) => Err(VALUES_ONLY),
            _ => {
                push_link(out, uri, name, mime_type, bound.revision);
                Ok(())
            }
        })
    }

    /// Adds a block as the specification writes it: content of a tool or prompt, contents of a
    /// resource.
    pub fn add_json(&self, block: &str) -> Result<(), Error> {
        self.add(block.len(), |out, bound| {
            let block = check_object(block, bound.catalog.options.limits.depth)?;
            match bound.method {
                Some(Method::ResourcesRead) => push_contents_json(out, block, bound.revision),
                Some(Method::Complete) => Err(VALUES_ONLY),
                _ => push_block(out, block, bound.revision),
            }
        })
    }

    /// Sets one member of `structuredContent` to a text.
    pub fn put_str(&self, key: &str, text: &str) -> Result<(), Error> {
        self.put(key, text.len(), |out| {
            push_quoted(out, text);
            Ok(())
        })
    }

    /// Sets one member of `structuredContent` to a number.
    pub fn put_f64(&self, key: &str, value: f64) -> Result<(), Error> {
        if !value.is_finite() {
            return Err(Error::Invalid("JSON has no such number"));
        }
        self.put(key, 0, |out| {
            push_f64(out, value);
            Ok(())
        })
    }

    /// Sets one member of `structuredContent` to a JSON value.
    pub fn put_json(&self, key: &str, json: &str) -> Result<(), Error> {
        let depth = self.max_depth();
        self.put(key, json.len(), |out| push_json(out, json, depth).map_err(Error::from_fault))
    }

    /// Sets the whole `structuredContent`. Before 2026-07-28 only an object is sent.
    pub fn set_structured(&self, json: &str) -> Result<(), Error> {
        let depth = self.max_depth();
        self.change(|draft, bound| {
            check_method(bound, Method::ToolsCall, "only tools have structured content")?;
            bound.check_room(json.len())?;
            draft.set_structured(json, depth)
        })
    }

    /// Sets the `_meta` of the result: a JSON object.
    pub fn set_meta(&self, json: &str) -> Result<(), Error> {
        let depth = self.max_depth();
        self.change(|draft, bound| {
            bound.check_room(json.len())?;
            let json = check_object(json, depth)?;
            draft.meta.clear();
            draft.meta.extend_from_slice(json.as_bytes());
            Ok(())
        })
    }

    /// Sets who speaks in the prompt messages that are added from now on.
    pub fn set_role(&self, role: Role) -> Result<(), Error> {
        self.change(|draft, bound| {
            check_method(bound, Method::PromptsGet, "only prompts have roles")?;
            draft.role = role;
            Ok(())
        })
    }

    /// Sets the description of a prompt result.
    pub fn set_description(&self, text: &str) -> Result<(), Error> {
        self.change(|draft, bound| {
            check_method(bound, Method::PromptsGet, "only prompts have a description")?;
            bound.check_room(text.len())?;
            draft.description.clear();
            push_quoted(&mut draft.description, text);
            Ok(())
        })
    }

    /// Says how many values a completion has in all.
    pub fn set_total(&self, total: u64) -> Result<(), Error> {
        self.change(|draft, bound| {
            check_method(bound, Method::Complete, "only completions have a total")?;
            draft.total = Some(total);
            Ok(())
        })
    }

    /// Says whether a completion has more values than were added. Said by itself when values beyond
    /// [`MAX_COMPLETION_VALUES`](crate::MAX_COMPLETION_VALUES) were left
    /// out.
    pub fn set_has_more(&self, has_more: bool) -> Result<(), Error> {
        self.change(|draft, bound| {
            check_method(bound, Method::Complete, "only completions have more values")?;
            draft.has_more = Some(has_more);
            Ok(())
        })
    }

    /// Whether the call can still be answered; the error says why not.
    pub fn check_open(&self) -> Result<(), Error> {
        check_open(&self.state.progress())
    }

    /// Appends one block, made of so many bytes at least, or nothing at all if it cannot be written.
    fn add(
        &self,
        bytes: usize,
        push: impl FnOnce(&mut Vec<u8>, &Bound) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.change(|draft, bound| {
            bound.check_room(bytes)?;
            draft.add(bound, push)
        })
    }

    fn put(
        &self,
        key: &str,
        bytes: usize,
        push: impl FnOnce(&mut Vec<u8>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.change(|draft, bound| {
            check_method(bound, Method::ToolsCall, "only tools have structured content")?;
            bound.check_room(draft.structured.len())?;
            bound.check_room(bytes)?;
            draft.put_member(key, push)
        })
    }

    fn change(
        &self,
        change: impl FnOnce(&mut Draft, &Bound) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let Some(bound) = self.state.bound() else {
            return Err(Error::Closed);
        };
        let mut progress = self.state.progress();
        check_open(&progress)?;
        change(&mut progress.draft, bound)
    }

    pub(super) fn max_depth(&self) -> u32 {
        self.state.bound().map_or(0, |bound| bound.catalog.options.limits.depth)
    }
}

const VALUES_ONLY: Error = Error::Invalid("a completion has text values only");

/// The type with which the resource that is being read was registered.
fn own_mime_type(bound: &Bound) -> Option<&str> {
    match bound.entry().map(|entry| &entry.detail) {
        Some(Detail::Resource { mime_type, .. } | Detail::Template { mime_type, .. }) => {
            mime_type.as_deref()
        }
        _ => None,
    }
}

pub(super) fn check_open(progress: &Progress) -> Result<(), Error> {
    match progress.phase {
        Phase::Open => Ok(()),
        Phase::Answered => Err(Error::Answered),
        Phase::Cancelled => Err(Error::Cancelled),
    }
}

fn check_method(bound: &Bound, method: Method, otherwise: &'static str) -> Result<(), Error> {
    if bound.method == Some(method) { Ok(()) } else { Err(Error::Invalid(otherwise)) }
}
