//! Which members the listed objects have, of what shape, and from which revision on.
//!
//! A member that a revision does not know is left out. A member that no revision knows is the
//! host's own business and is passed on.

use crate::json::{elements, find_member, members, push_checked, push_key, separate};
use crate::revision::{Feature, Revision};

/// One member of an object of the protocol.
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
    needs: Option<Feature>,
}

/// What a member's value must be, and how it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Text,
    Number,
    Bool,
    Object,
    Array,
    Annotations,
    PromptArguments,
    InputSchema,
    OutputSchema,
    ResourceContents,
}

const fn always(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, needs: None }
}

const fn since(name: &'static str, shape: Shape, feature: Feature) -> Field {
    Field { name, shape, needs: Some(feature) }
}

const META: Field = since("_meta", Shape::Object, Feature::ItemMeta);
const TITLE: Field = since("title", Shape::Text, Feature::Title);
const ICONS: Field = since("icons", Shape::Array, Feature::Icons);
const NAME: Field = always("name", Shape::Text);
const DESCRIPTION: Field = always("description", Shape::Text);
const MIME_TYPE: Field = always("mimeType", Shape::Text);
const ANNOTATIONS_FIELD: Field = always("annotations", Shape::Annotations);
const TYPE: Field = always("type", Shape::Text);

pub(crate) static TOOL: &[Field] = &[
    NAME,
    TITLE,
    DESCRIPTION,
    always("inputSchema", Shape::InputSchema),
    since("outputSchema", Shape::OutputSchema, Feature::StructuredObject),
    since("annotations", Shape::Object, Feature::ToolAnnotations),
    since("execution", Shape::Object, Feature::ToolExecution),
    ICONS,
    META,
];

pub(crate) static RESOURCE: &[Field] = &[
    always("uri", Shape::Text),
    NAME,
    TITLE,
    DESCRIPTION,
    MIME_TYPE,
    ANNOTATIONS_FIELD,
    always("size", Shape::Number),
    ICONS,
    META,
];

pub(crate) static TEMPLATE: &[Field] = &[
    always("uriTemplate", Shape::Text),
    NAME,
    TITLE,
    DESCRIPTION,
    MIME_TYPE,
    ANNOTATIONS_FIELD,
    ICONS,
    META,
];

pub(crate) static PROMPT: &[Field] =
    &[NAME, TITLE, DESCRIPTION, always("arguments", Shape::PromptArguments), ICONS, META];

pub(crate) static PROMPT_ARGUMENT: &[Field] =
    &[NAME, TITLE, DESCRIPTION, always("required", Shape::Bool)];

pub(crate) static ANNOTATIONS: &[Field] = &[
    always("audience", Shape::Array),
    always("priority", Shape::Number),
    since("lastModified", Shape::Text, Feature::LastModified),
];

pub(crate) static IMPLEMENTATION: &[Field] = &[
    NAME,
    TITLE,
    always("version", Shape::Text),
    since("description", Shape::Text, Feature::Icons),
    since("websiteUrl", Shape::Text, Feature::Icons),
    ICONS,
];

pub(crate) static TEXT_CONTENT: &[Field] =
    &[TYPE, always("text", Shape::Text), ANNOTATIONS_FIELD, META];

pub(crate) static MEDIA_CONTENT: &[Field] =
    &[TYPE, always("data", Shape::Text), MIME_TYPE, ANNOTATIONS_FIELD, META];

pub(crate) static RESOURCE_CONTENT: &[Field] =
    &[TYPE, always("resource", Shape::ResourceContents), ANNOTATIONS_FIELD, META];

pub(crate) static RESOURCE_CONTENTS: &[Field] = &[
    always("uri", Shape::Text),
    MIME_TYPE,
    always("text", Shape::Text),
    always("blob", Shape::Text),
    META,
];

impl Field {
    fn is_known_to(&self, revision: Revision) -> bool {
        self.needs.is_none_or(|feature| revision.has(feature))
    }
}

/// The first member of `json` that is not of its shape, in words.
pub(crate) fn check_shapes(json: &str, fields: &[Field]) -> Result<(), String> {
    for (name, value) in members(json) {
        let Some(field) = fields.iter().find(|field| field.name == name.decode()) else {
            continue;
        };
        check_shape(field, value)?;
    }
    Ok(())
}

/// Appends the object `json` with the members that `revision` knows.
pub(crate) fn push_object(out: &mut Vec<u8>, json: &str, fields: &[Field], revision: Revision) {
    out.push(b'{');
    for (name, value) in members(json) {
        let name = name.decode();
        let field = fields.iter().find(|field| field.name == name);
        if field.is_some_and(|field| !is_written(field, value, revision)) {
            continue;
        }
        push_key(out, &name);
        push_value(out, value, field.map(|field| field.shape), revision);
    }
    out.push(b'}');
}

fn is_written(field: &Field, value: &str, revision: Revision) -> bool {
    let fits = field.shape != Shape::OutputSchema
        || revision.has(Feature::StructuredAny)
        || has_object_type(value);
    fits && field.is_known_to(revision)
}

fn push_value(out: &mut Vec<u8>, value: &str, shape: Option<Shape>, revision: Revision) {
    match shape {
        Some(Shape::Annotations) => push_object(out, value, ANNOTATIONS, revision),
        Some(Shape::ResourceContents) => push_object(out, value, RESOURCE_CONTENTS, revision),
        Some(Shape::PromptArguments) => {
            out.push(b'[');
            for argument in elements(value) {
                separate(out);
                push_object(out, argument, PROMPT_ARGUMENT, revision);
            }
            out.push(b']');
        }
        _ => push_checked(out, value),
    }
}

fn check_shape(field: &Field, value: &str) -> Result<(), String> {
    let wrong = |what: &str| Err(format!("{} must be {what}", field.name));
    let first = value.as_bytes().first();
    match field.shape {
        Shape::Text if first != Some(&b'"') => wrong("a string"),
        Shape::Number if !matches!(first, Some(b'-' | b'0'..=b'9')) => wrong("a number"),
        Shape::Bool if !matches!(value, "true" | "false") => wrong("a boolean"),
        Shape::Array if first != Some(&b'[') => wrong("an array"),
        Shape::Object | Shape::OutputSchema if first != Some(&b'{') => wrong("an object"),
        Shape::InputSchema if !has_object_type(value) => {
            wrong("a JSON Schema with \"type\": \"object\"")
        }
        Shape::Annotations | Shape::ResourceContents if first != Some(&b'{') => wrong("an object"),
        Shape::Annotations => check_shapes(value, ANNOTATIONS),
        Shape::ResourceContents => check_shapes(value, RESOURCE_CONTENTS),
        Shape::PromptArguments if first != Some(&b'[') => wrong("an array"),
        Shape::PromptArguments => elements(value).try_for_each(|argument| {
            if find_member(argument, "name").is_none() {
                return Err("every prompt argument needs a name".to_owned());
            }
            check_shapes(argument, PROMPT_ARGUMENT)
        }),
        _ => Ok(()),
    }
}

/// Whether a schema says that its instances are objects, as older revisions demand.
fn has_object_type(schema: &str) -> bool {
    find_member(schema, "type") == Some("\"object\"")
}
