//! The documents that references can lead to: the schema itself, the schemas embedded in it, and the
//! metaschemas. Nothing is ever fetched.

use std::borrow::Cow;

use super::super::dialect::{Dialect, has_reference, subschemas};
use super::super::error::SchemaError;
use super::super::limits::MAX_NESTED_BYTES;
use super::super::metaschema;
use super::super::pointer::pointer_at;
use super::super::uri::{percent_decoded, resolve, split_fragment};
use super::index::{Location, LocationIndex, NameIndex};
use crate::json::{Str, elements, find_member, members};

/// Bytes of the URI of one schema. A relative reference makes a copy of the URI around it.
const MAX_URI: usize = 4096;

/// Bytes of the URIs of all embedded schemas together.
const MAX_URIS: usize = 4 << 20;

/// A schema in the text of a document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'t> {
    pub(super) document: u32,
    pub(super) text: &'t str,
    pub(super) resource: u32,
}

/// A schema with a URI of its own, and the anchors in it.
pub(super) struct Resource<'t> {
    uri: String,
    pub(super) dialect: Dialect,
    root: Place<'t>,
    /// The numbers of anchors by name.
    anchor_names: NameIndex<'t>,
    /// Where each stands, and whether it is dynamic.
    anchors: Vec<(Place<'t>, bool)>,
    pub(super) dynamic_anchors: Vec<(String, Place<'t>)>,
}

/// Where a reference leads.
pub(super) struct Target<'t> {
    pub(super) place: Place<'t>,
    /// The name, if it is that of a `$dynamicAnchor`.
    pub(super) dynamic_anchor: Option<String>,
}

/// The values inside a container, by name or by number.
enum Children<'t> {
    Members(NameIndex<'t>, Vec<&'t str>),
    Elements(Vec<&'t str>),
}

impl<'t> Children<'t> {
    fn of(container: &'t str) -> Children<'t> {
        if container.starts_with('[') {
            return Children::Elements(elements(container).collect());
        }
        let mut names = NameIndex::default();
        let mut values = Vec::new();
        for (name, value) in members(container) {
            names.insert(name.decode(), values.len());
            values.push(value);
        }
        Children::Members(names, values)
    }
}

/// Every document that is known so far.
pub(super) struct Documents<'t> {
    texts: Vec<&'t str>,
    pub(super) resources: Vec<Resource<'t>>,
    by_uri: NameIndex<'t>,
    /// Where schemas stand, and which resource each belongs to.
    places: Vec<Place<'t>>,
    places_at: LocationIndex,
    /// Containers that a JSON Pointer has led through, so that many pointers into a large one do not
    /// read it again and again.
    children: Vec<Children<'t>>,
    children_at: LocationIndex,
    max_schemas: usize,
    /// Bytes of the URIs so far.
    uri_bytes: usize,
    /// Bytes of the schemas so far, each with those inside it.
    nested_bytes: usize,
}

impl<'t> Documents<'t> {
    pub(super) fn new(max_schemas: usize) -> Documents<'t> {
        Documents {
            texts: Vec::new(),
            resources: Vec::new(),
            by_uri: NameIndex::default(),
            places: Vec::new(),
            places_at: LocationIndex::default(),
            children: Vec::new(),
            children_at: LocationIndex::default(),
            max_schemas,
            uri_bytes: 0,
            nested_bytes: 0,
        }
    }

    /// Takes in a document and finds the resources and anchors in it.
    pub(super) fn add(&mut self, text: &'t str, uri: &str) -> Result<Place<'t>, SchemaError> {
        let document = self.texts.len() as u32;
        self.texts.push(text);
        let text = text.trim_matches([' ', '\n', '\r', '\t']);
        let outer = Place { document, text, resource: self.resources.len() as u32 };
        let dialect = self.dialect_of(outer)?.unwrap_or(Dialect::Draft202012);
        let mut root = Resource {
            uri: uri.to_owned(),
            dialect,
            root: outer,
            anchor_names: NameIndex::default(),
            anchors: Vec::new(),
            dynamic_anchors: Vec::new(),
        };
        if let Some((id, _)) = self.id_of(outer, dialect)? {
            root.uri = resolve(uri, &id);
        }
        self.add_resource(root, outer)?;
        let mut waiting = vec![outer];
        while let Some(place) = waiting.pop() {
            self.nested_bytes += place.text.len();
            if self.nested_bytes > MAX_NESTED_BYTES {
                let reason = "is nested too deeply for its size".to_owned();
                return Err(self.refuse(place, place.text, reason));
            }
            let place = self.index(place)?;
            let dialect = self.dialect(place);
            let inner = subschemas(place.text, dialect);
            waiting.extend(inner.into_iter().rev().map(|(_, text)| Place { text, ..place }));
            if self.places.len() > self.max_schemas {
                return Err(self.refuse(
                    place,
                    place.text,
                    "has too many schemas in it".to_owned(),
                ));
            }
        }
        Ok(outer)
    }

    /// Notes one schema, with its resource if it begins one and its anchors.
    fn index(&mut self, mut place: Place<'t>) -> Result<Place<'t>, SchemaError> {
        let location = self.location(place);
        if !place.text.starts_with('{') {
            return Ok(place);
        }
        let is_root = self.resources.get(place.resource as usize).is_some_and(|resource| {
            resource.root.document == place.document
                && resource.root.text.as_ptr() == place.text.as_ptr()
        });
        let outer_dialect = self.dialect(place);
        let id = self.id_of(place, outer_dialect)?;
        if !is_root {
            if let Some((id, _)) = id.as_ref().filter(|(id, _)| !id.is_empty()) {
                place = self.embed(place, id, outer_dialect)?;
            } else if self.dialect_of(place)?.is_some_and(|dialect| dialect != outer_dialect) {
                let reason =
                    "a `$schema` that differs from the one around it needs an `$id` beside it";
                return Err(self.refuse(place, place.text, reason.to_owned()));
            }
        }
        self.places_at.insert(location, self.places.len());
        self.places.push(place);
        if let Some((_, fragment)) = id.filter(|(_, fragment)| !fragment.is_empty()) {
            self.add_anchor(place, fragment, false)?;
        }
        if self.dialect(place) == Dialect::Draft202012 {
            for (keyword, dynamic) in [("$anchor", false), ("$dynamicAnchor", true)] {
                if let Some(value) = find_member(place.text, keyword) {
                    let name = self.anchor_name(place, value)?;
                    self.add_anchor(place, name, dynamic)?;
                }
            }
        }
        Ok(place)
    }

    fn embed(
        &mut self,
        place: Place<'t>,
        id: &str,
        outer: Dialect,
    ) -> Result<Place<'t>, SchemaError> {
        let dialect = self.dialect_of(place)?.unwrap_or(outer);
        let base = self.resource(place).map(|resource| resource.uri.clone()).unwrap_or_default();
        let root = Place { resource: self.resources.len() as u32, ..place };
        let resource = Resource {
            uri: resolve(&base, id),
            dialect,
            root,
            anchor_names: NameIndex::default(),
            anchors: Vec::new(),
            dynamic_anchors: Vec::new(),
        };
        self.add_resource(resource, root)?;
        Ok(root)
    }

    fn add_resource(
        &mut self,
        resource: Resource<'t>,
        place: Place<'t>,
    ) -> Result<(), SchemaError> {
        if self.by_uri.get(&resource.uri).is_some() {
            let reason = format!("two schemas have the `$id` {}", clipped(&resource.uri));
            return Err(self.refuse(place, place.text, reason));
        }
        self.uri_bytes += resource.uri.len();
        if resource.uri.len() > MAX_URI || self.uri_bytes > MAX_URIS {
            let reason = format!("the `$id` {} is too long", clipped(&resource.uri));
            return Err(self.refuse(place, place.text, reason));
        }
        self.by_uri.insert(Cow::Owned(resource.uri.clone()), self.resources.len());
        self.resources.push(resource);
        Ok(())
    }

    fn add_anchor(
        &mut self,
        place: Place<'t>,
        name: String,
        dynamic: bool,
    ) -> Result<(), SchemaError> {
        let known = self.resources.get_mut(place.resource as usize).is_some_and(|resource| {
            if dynamic {
                resource.dynamic_anchors.push((name.clone(), place));
            }
            let before = resource.anchor_names.insert(name.clone().into(), resource.anchors.len());
            resource.anchors.push((place, dynamic));
            let before = before.and_then(|before| resource.anchors.get(before));
            before.is_some_and(|(before, _)| before.text.as_ptr() != place.text.as_ptr())
        });
        if known {
            let reason = format!("two schemas have the anchor {}", clipped(&name));
            return Err(self.refuse(place, place.text, reason));
        }
        Ok(())
    }

    /// The dialect that the `$schema` of a schema names, if it has one.
    fn dialect_of(&self, place: Place<'t>) -> Result<Option<Dialect>, SchemaError> {
        let Some(value) = find_member(place.text, "$schema") else { return Ok(None) };
        let named = Str::from_json(value).and_then(|uri| Dialect::named(&uri.decode()));
        match named {
            Some(dialect) => Ok(Some(dialect)),
            None => {
                let reason = format!(
                    "the dialect {} is not known; use https://json-schema.org/draft/2020-12/schema \
                     or http://json-schema.org/draft-07/schema#",
                    clipped(value)
                );
                Err(self.refuse(place, value, reason))
            }
        }
    }

    /// The `$id` of a schema in two: URI reference and fragment.
    fn id_of(
        &self,
        place: Place<'t>,
        dialect: Dialect,
    ) -> Result<Option<(String, String)>, SchemaError> {
        // In draft-07 nothing beside `$ref` counts.
        if dialect == Dialect::Draft7 && has_reference(place.text) {
            return Ok(None);
        }
        let Some(value) = find_member(place.text, "$id") else { return Ok(None) };
        let Some(id) = Str::from_json(value) else {
            return Err(self.refuse(
                place,
                value,
                "must be a string, the URI of the schema".to_owned(),
            ));
        };
        let id = id.decode();
        let (uri, fragment) = split_fragment(&id);
        if dialect == Dialect::Draft202012 && !fragment.is_empty() {
            let reason = "must not have a fragment; use `$anchor` for a name inside a schema";
            return Err(self.refuse(place, value, reason.to_owned()));
        }
        Ok(Some((uri.to_owned(), fragment.to_owned())))
    }

    fn anchor_name(&self, place: Place<'t>, value: &'t str) -> Result<String, SchemaError> {
        let name = Str::from_json(value).map(Str::decode).unwrap_or_default();
        let starts = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        let goes_on = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if !starts || !name.bytes().all(goes_on) {
            let reason = "must be a name: a letter or `_`, then letters, digits, `-`, `_` or `.`";
            return Err(self.refuse(place, value, reason.to_owned()));
        }
        Ok(name.into_owned())
    }

    /// Where `reference` leads from a schema; an error says why it leads nowhere.
    pub(super) fn target(
        &mut self,
        from: Place<'t>,
        reference: &str,
    ) -> Result<Result<Target<'t>, String>, SchemaError> {
        let base = self.resource(from).map_or("", |resource| &resource.uri);
        let (uri, fragment) = split_fragment(reference);
        let uri = resolve(base, uri);
        let resource = match self.by_uri.get(&uri) {
            Some(resource) => resource as u32,
            None => {
                let Some(text) = metaschema::document(&uri) else {
                    return Ok(Err(format!(
                        "refers to {}, which is not in this schema; nothing is fetched, so put it \
                         under `$defs` with that `$id`",
                        clipped(&uri)
                    )));
                };
                self.add(text, &uri)?.resource
            }
        };
        Ok(self
            .fragment(resource, fragment)
            .ok_or_else(|| format!("refers to {}, which does not exist", clipped(reference))))
    }

    fn fragment(&mut self, resource: u32, fragment: &str) -> Option<Target<'t>> {
        let fragment = percent_decoded(fragment)?;
        let found = self.resources.get(resource as usize)?;
        if !fragment.is_empty() && !fragment.starts_with('/') {
            let (place, dynamic) = *found.anchors.get(found.anchor_names.get(&fragment)?)?;
            return Some(Target { place, dynamic_anchor: dynamic.then_some(fragment) });
        }
        let mut place = found.root;
        for token in fragment.split('/').skip(1) {
            let token = token.replace("~1", "/").replace("~0", "~");
            let text = self.child(place, &token)?;
            place = self.settled(Place { text, ..place });
        }
        Some(Target { place, dynamic_anchor: None })
    }

    fn child(&mut self, place: Place<'t>, token: &str) -> Option<&'t str> {
        let location = self.location(place);
        let number = match self.children_at.get(location) {
            Some(number) => number,
            None => {
                self.children_at.insert(location, self.children.len());
                self.children.push(Children::of(place.text));
                self.children.len() - 1
            }
        };
        match self.children.get(number)? {
            Children::Members(names, members) => members.get(names.get(token)?).copied(),
            Children::Elements(elements) => {
                let canonical = token == "0" || !token.starts_with(['0', '+']);
                elements.get(token.parse::<usize>().ok().filter(|_| canonical)?).copied()
            }
        }
    }

    /// The place with the resource that it belongs to, which is its own if it begins one.
    pub(super) fn settled(&self, place: Place<'t>) -> Place<'t> {
        let known = self.places_at.get(self.location(place));
        known.and_then(|number| self.places.get(number)).copied().unwrap_or(place)
    }

    /// The schemas of a document in the order of its text.
    pub(super) fn schemas_of(&self, document: u32) -> Vec<Place<'t>> {
        let numbers = self.places_at.of_document(document);
        numbers.filter_map(|number| self.places.get(number)).copied().collect()
    }

    pub(super) fn location(&self, place: Place<'t>) -> Location {
        (place.document, self.offset(place.document, place.text))
    }

    pub(super) fn dialect(&self, place: Place<'t>) -> Dialect {
        self.resource(place).map_or(Dialect::Draft202012, |resource| resource.dialect)
    }

    /// An error at `text`, which stands in the document of `place`.
    #[cold]
    #[inline(never)]
    pub(super) fn refuse(&self, place: Place<'t>, text: &str, reason: String) -> SchemaError {
        let document = self.texts.get(place.document as usize).copied().unwrap_or("");
        SchemaError { path: pointer_at(document, self.offset(place.document, text)), reason }
    }

    fn offset(&self, document: u32, text: &str) -> usize {
        let start = self.texts.get(document as usize).map_or(0, |text| text.as_ptr() as usize);
        (text.as_ptr() as usize).saturating_sub(start)
    }

    fn resource(&self, place: Place<'t>) -> Option<&Resource<'t>> {
        self.resources.get(place.resource as usize)
    }
}

/// What somebody wrote, in a message about it.
pub(super) fn clipped(text: &str) -> String {
    super::super::message::clipped(text, 100)
}
