//! The metaschemas of both dialects: what they demand, without what they merely say.
//!
//! A schema may refer to them by their URIs; they are compiled only then.

/// The document at `uri`, if it is part of a metaschema.
pub(super) fn document(uri: &str) -> Option<&'static str> {
    if uri == "http://json-schema.org/draft-07/schema" {
        return Some(DRAFT_7);
    }
    Some(match uri.strip_prefix("https://json-schema.org/draft/2020-12/")? {
        "schema" => SCHEMA,
        "meta/core" => CORE,
        "meta/applicator" => APPLICATOR,
        "meta/unevaluated" => UNEVALUATED,
        "meta/validation" => VALIDATION,
        "meta/meta-data" => META_DATA,
        "meta/format-annotation" => FORMAT,
        "meta/content" => CONTENT,
        _ => return None,
    })
}

const SCHEMA: &str = r##"{
"$id": "https://json-schema.org/draft/2020-12/schema",
"$dynamicAnchor": "meta",
"type": ["object", "boolean"],
"allOf": [
    {"$ref": "meta/core"}, {"$ref": "meta/applicator"}, {"$ref": "meta/unevaluated"},
    {"$ref": "meta/validation"}, {"$ref": "meta/meta-data"}, {"$ref": "meta/format-annotation"},
    {"$ref": "meta/content"}
],
"properties": {
    "definitions": {"type": "object", "additionalProperties": {"$dynamicRef": "#meta"}},
    "dependencies": {"type": "object", "additionalProperties": {
        "anyOf": [{"$dynamicRef": "#meta"}, {"$ref": "meta/validation#/$defs/stringArray"}]
    }},
    "$recursiveAnchor": {"$ref": "meta/core#/$defs/anchorString"},
    "$recursiveRef": {"$ref": "meta/core#/$defs/uriReferenceString"}
}}"##;

const CORE: &str = r##"{
"$id": "https://json-schema.org/draft/2020-12/meta/core",
"$dynamicAnchor": "meta",
"type": ["object", "boolean"],
"properties": {
    "$id": {"$ref": "#/$defs/uriReferenceString", "pattern": "^[^#]*#?$"},
    "$schema": {"$ref": "#/$defs/uriString"},
    "$ref": {"$ref": "#/$defs/uriReferenceString"},
    "$anchor": {"$ref": "#/$defs/anchorString"},
    "$dynamicRef": {"$ref": "#/$defs/uriReferenceString"},
    "$dynamicAnchor": {"$ref": "#/$defs/anchorString"},
    "$vocabulary": {
        "type": "object",
        "propertyNames": {"$ref": "#/$defs/uriString"},
        "additionalProperties": {"type": "boolean"}
    },
    "$comment": {"type": "string"},
    "$defs": {"type": "object", "additionalProperties": {"$dynamicRef": "#meta"}}
},
"$defs": {
    "anchorString": {"type": "string", "pattern": "^[A-Za-z_][-A-Za-z0-9._]*$"},
    "uriString": {"type": "string"},
    "uriReferenceString": {"type": "string"}
}}"##;

const APPLICATOR: &str = r##"{
"$id": "https://json-schema.org/draft/2020-12/meta/applicator",
"$dynamicAnchor": "meta",
"type": ["object", "boolean"],
"properties": {
    "prefixItems": {"$ref": "#/$defs/schemaArray"},
    "items": {"$dynamicRef": "#meta"},
    "contains": {"$dynamicRef": "#meta"},
    "additionalProperties": {"$dynamicRef": "#meta"},
    "properties": {"$ref": "#/$defs/schemaMap"},
    "patternProperties": {"$ref": "#/$defs/schemaMap"},
    "dependentSchemas": {"$ref": "#/$defs/schemaMap"},
    "propertyNames": {"$dynamicRef": "#meta"},
    "if": {"$dynamicRef": "#meta"},
    "then": {"$dynamicRef": "#meta"},
    "else": {"$dynamicRef": "#meta"},
    "allOf": {"$ref": "#/$defs/schemaArray"},
    "anyOf": {"$ref": "#/$defs/schemaArray"},
    "oneOf": {"$ref": "#/$defs/schemaArray"},
    "not": {"$dynamicRef": "#meta"}
},
"$defs": {
    "schemaArray": {"type": "array", "minItems": 1, "items": {"$dynamicRef": "#meta"}},
    "schemaMap": {"type": "object", "additionalProperties": {"$dynamicRef": "#meta"}}
}}"##;

const UNEVALUATED: &str = r##"{
"$id": "https://json-schema.org/draft/2020-12/meta/unevaluated",
"$dynamicAnchor": "meta",
"type": ["object", "boolean"],
"properties": {
    "unevaluatedItems": {"$dynamicRef": "#meta"},
    "unevaluatedProperties": {"$dynamicRef": "#meta"}
}}"##;

const VALIDATION: &str = r##"{
"$id": "https://json-schema.org/draft/2020-12/meta/validation",
"$dynamicAnchor": "meta",
"type": ["object", "boolean"],
"properties": {
    "type": {"anyOf": [
        {"$ref": "#/$defs/simpleTypes"},
        {
            "type": "array", "items": {"$ref": "#/$defs/simpleTypes"},
            "minItems": 1, "uniqueItems": true
        }
    ]},
    "enum": {"type": "array"},
    "multipleOf": {"type": "number", "exclusiveMinimum": 0},
    "maximum": {"type": "number"},
    "exclusiveMaximum": {"type": "number"},
    "minimum": {"type": "number"},
    "exclusiveMinimum": {"type": "number"},
    "maxLength": {"$ref": "#/$defs/nonNegativeInteger"},
    "minLength": {"$ref": "#/$defs/nonNegativeInteger"},
    "pattern": {"type": "string"},
    "maxItems": {"$ref": "#/$defs/nonNegativeInteger"},
    "minItems": {"$ref": "#/$defs/nonNegativeInteger"},
    "uniqueItems": {"type": "boolean"},
    "maxContains": {"$ref": "#/$defs/nonNegativeInteger"},
    "minContains": {"$ref": "#/$defs/nonNegativeInteger"},
    "maxProperties": {"$ref": "#/$defs/nonNegativeInteger"},
    "minProperties": {"$ref": "#/$defs/nonNegativeInteger"},
    "required": {"$ref": "#/$defs/stringArray"},
    "dependentRequired": {"type": "object", "additionalProperties": {"$ref": "#/$defs/stringArray"}}
},
"$defs": {
    "nonNegativeInteger": {"type": "integer", "minimum": 0},
    "nonNegativeIntegerDefault0": {"$ref": "#/$defs/nonNegativeInteger"},
    "simpleTypes": {
        "enum": ["array", "boolean", "integer", "null", "number", "object", "string"]
    },
    "stringArray": {"type": "array", "items": {"type": "string"}, "uniqueItems": true}
}}"##;

const META_DATA: &str = r##"{
"$id": "https://json-schema.org/draft/2020-12/meta/meta-data",
"$dynamicAnchor": "meta",
"type": ["object", "boolean"],
"properties": {
    "title": {"type": "string"},
    "description": {"type": "string"},
    "deprecated": {"type": "boolean"},
    "readOnly": {"type": "boolean"},
    "writeOnly": {"type": "boolean"},
    "examples": {"type": "array"}
}}"##;

const FORMAT: &str = r##"{
"$id": "https://json-schema.org/draft/2020-12/meta/format-annotation",
"$dynamicAnchor": "meta",
"type": ["object", "boolean"],
"properties": {"format": {"type": "string"}}}"##;

const CONTENT: &str = r##"{
"$id": "https://json-schema.org/draft/2020-12/meta/content",
"$dynamicAnchor": "meta",
"type": ["object", "boolean"],
"properties": {
    "contentEncoding": {"type": "string"},
    "contentMediaType": {"type": "string"},
    "contentSchema": {"$dynamicRef": "#meta"}
}}"##;

const DRAFT_7: &str = r##"{
"$schema": "http://json-schema.org/draft-07/schema#",
"$id": "http://json-schema.org/draft-07/schema#",
"type": ["object", "boolean"],
"properties": {
    "$id": {"type": "string"},
    "$schema": {"type": "string"},
    "$ref": {"type": "string"},
    "$comment": {"type": "string"},
    "title": {"type": "string"},
    "description": {"type": "string"},
    "readOnly": {"type": "boolean"},
    "examples": {"type": "array"},
    "multipleOf": {"type": "number", "exclusiveMinimum": 0},
    "maximum": {"type": "number"},
    "exclusiveMaximum": {"type": "number"},
    "minimum": {"type": "number"},
    "exclusiveMinimum": {"type": "number"},
    "maxLength": {"$ref": "#/definitions/nonNegativeInteger"},
    "minLength": {"$ref": "#/definitions/nonNegativeInteger"},
    "pattern": {"type": "string"},
    "additionalItems": {"$ref": "#"},
    "items": {"anyOf": [{"$ref": "#"}, {"$ref": "#/definitions/schemaArray"}]},
    "maxItems": {"$ref": "#/definitions/nonNegativeInteger"},
    "minItems": {"$ref": "#/definitions/nonNegativeInteger"},
    "uniqueItems": {"type": "boolean"},
    "contains": {"$ref": "#"},
    "maxProperties": {"$ref": "#/definitions/nonNegativeInteger"},
    "minProperties": {"$ref": "#/definitions/nonNegativeInteger"},
    "required": {"$ref": "#/definitions/stringArray"},
    "additionalProperties": {"$ref": "#"},
    "definitions": {"$ref": "#/definitions/schemaMap"},
    "properties": {"$ref": "#/definitions/schemaMap"},
    "patternProperties": {"$ref": "#/definitions/schemaMap"},
    "dependencies": {"type": "object", "additionalProperties": {
        "anyOf": [{"$ref": "#"}, {"$ref": "#/definitions/stringArray"}]
    }},
    "propertyNames": {"$ref": "#"},
    "enum": {"type": "array"},
    "type": {"anyOf": [
        {"$ref": "#/definitions/simpleTypes"},
        {
            "type": "array", "items": {"$ref": "#/definitions/simpleTypes"},
            "minItems": 1, "uniqueItems": true
        }
    ]},
    "format": {"type": "string"},
    "contentMediaType": {"type": "string"},
    "contentEncoding": {"type": "string"},
    "if": {"$ref": "#"},
    "then": {"$ref": "#"},
    "else": {"$ref": "#"},
    "allOf": {"$ref": "#/definitions/schemaArray"},
    "anyOf": {"$ref": "#/definitions/schemaArray"},
    "oneOf": {"$ref": "#/definitions/schemaArray"},
    "not": {"$ref": "#"}
},
"definitions": {
    "schemaArray": {"type": "array", "minItems": 1, "items": {"$ref": "#"}},
    "schemaMap": {"type": "object", "additionalProperties": {"$ref": "#"}},
    "nonNegativeInteger": {"type": "integer", "minimum": 0},
    "nonNegativeIntegerDefault0": {"$ref": "#/definitions/nonNegativeInteger"},
    "simpleTypes": {
        "enum": ["array", "boolean", "integer", "null", "number", "object", "string"]
    },
    "stringArray": {"type": "array", "items": {"type": "string"}, "uniqueItems": true}
}}"##;
