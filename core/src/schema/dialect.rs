//! The two dialects, and where each of them keeps schemas inside a schema.

use crate::json::{elements, members};

/// Which rules a schema is read by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Draft7,
    Draft202012,
}

/// What the value of a keyword is made of.
enum Holds {
    Schema,
    Schemas,
    NamedSchemas,
    /// A schema or a list of them.
    SchemaOrSchemas,
    /// By name, a schema or a list of names.
    NamedSchemasOrNames,
}

impl Dialect {
    /// The dialect that a `$schema` means, if it is one of ours.
    pub(super) fn named(uri: &str) -> Option<Dialect> {
        let uri = uri.strip_suffix('#').unwrap_or(uri);
        let name = uri.strip_prefix("https://").or_else(|| uri.strip_prefix("http://"))?;
        match name {
            "json-schema.org/draft-07/schema" => Some(Dialect::Draft7),
            "json-schema.org/draft/2020-12/schema" => Some(Dialect::Draft202012),
            _ => None,
        }
    }

    fn holds(self, keyword: &str) -> Option<Holds> {
        Some(match keyword {
            "additionalProperties"
            | "propertyNames"
            | "contains"
            | "not"
            | "if"
            | "then"
            | "else" => Holds::Schema,
            "properties" | "patternProperties" | "definitions" => Holds::NamedSchemas,
            "allOf" | "anyOf" | "oneOf" => Holds::Schemas,
            _ if self == Dialect::Draft7 => match keyword {
                "items" => Holds::SchemaOrSchemas,
                "additionalItems" => Holds::Schema,
                "dependencies" => Holds::NamedSchemasOrNames,
                _ => return None,
            },
            "items" | "unevaluatedItems" | "unevaluatedProperties" | "contentSchema" => {
                Holds::Schema
            }
            "prefixItems" => Holds::Schemas,
            "$defs" | "dependentSchemas" => Holds::NamedSchemas,
            _ => return None,
        })
    }
}

/// The schemas that stand directly in `schema`, each with the keyword that it stands in.
///
/// In draft-07 nothing beside `$ref` counts, except that `definitions` are looked for there.
pub(super) fn subschemas(schema: &str, dialect: Dialect) -> Vec<(String, &str)> {
    let only_definitions = dialect == Dialect::Draft7 && has_reference(schema);
    let mut found = Vec::new();
    for (name, value) in members(schema) {
        let name = name.decode();
        if only_definitions && name != "definitions" {
            continue;
        }
        let Some(holds) = dialect.holds(&name) else { continue };
        let is_list = value.starts_with('[');
        let mut add = |schema| found.push((name.to_string(), schema));
        match holds {
            Holds::SchemaOrSchemas if is_list => elements(value).for_each(add),
            Holds::Schema | Holds::SchemaOrSchemas => add(value),
            Holds::Schemas => elements(value).for_each(add),
            Holds::NamedSchemas => members(value).for_each(|(_, schema)| add(schema)),
            Holds::NamedSchemasOrNames => {
                let schemas = members(value).filter(|(_, schema)| !schema.starts_with('['));
                schemas.for_each(|(_, schema)| add(schema));
            }
        }
    }
    found
}

/// Whether a schema has a `$ref` that can be one.
pub(super) fn has_reference(schema: &str) -> bool {
    crate::json::find_member(schema, "$ref").is_some_and(|value| value.starts_with('"'))
}
