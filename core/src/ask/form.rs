//! The schema of a form: a flat object of plain fields, as every client can show it.

use crate::json::{Str, find_member, members};
use crate::schema::{CompileOptions, Schema, SchemaError};

/// Compiles the schema of a form.
pub(super) fn compile(schema: &str) -> Result<Schema, SchemaError> {
    Schema::compile(schema, &CompileOptions::default())
}

/// What the host got wrong in the schema of a form.
pub(super) fn check(schema: &str) -> Result<(), String> {
    if find_member(schema, "type") != Some("\"object\"") {
        return Err("needs \"type\": \"object\"".to_owned());
    }
    let fields = find_member(schema, "properties").unwrap_or("{}");
    for (name, field) in members(fields) {
        if !is_plain(field) {
            let name = name.decode();
            return Err(format!(
                "/properties/{name}: a field is a string, number, integer, boolean, or an array of listed \
                 strings"
            ));
        }
    }
    let compiled = compile(schema);
    compiled.map(drop).map_err(|error| format!("{}: {}", error.path, error.reason))
}

fn is_plain(field: &str) -> bool {
    let kind = find_member(field, "type").and_then(Str::from_json);
    match kind.map(Str::decode).as_deref() {
        Some("string" | "number" | "integer" | "boolean") => true,
        Some("array") => {
            let items = find_member(field, "items").unwrap_or_default();
            find_member(items, "enum").is_some() || find_member(items, "anyOf").is_some()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_has_plain_fields() {
        let form = |field: &str| {
            check(&format!(r#"{{"type":"object","properties":{{"a":{field}}}}}"#)).is_ok()
        };
        for field in [
            r#"{"type":"string","format":"email"}"#,
            r#"{"type":"number","minimum":0}"#,
            r#"{"type":"string","oneOf":[{"const":"r","title":"Red"}]}"#,
            r#"{"type":"array","items":{"type":"string","enum":["a"]}}"#,
            r#"{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}"#,
        ] {
            assert!(form(field), "{field}");
        }
        for field in [
            r#"{"type":"object","properties":{}}"#,
            r#"{"type":"array","items":{"type":"string"}}"#,
            r#"{"type":["string","null"]}"#,
            r#"{"enum":["a"]}"#,
            r#"{"type":"string","minLength":-1}"#,
            "true",
        ] {
            assert!(!form(field), "{field}");
        }
        assert!(check("{}").is_err());
    }
}
