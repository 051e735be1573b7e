//! What a sealed state belongs to: one request of one principal.

use sha2::{Digest as _, Sha256};

use crate::json::{elements, members, push_checked, push_quoted, separate};

/// A short digest of a question.
pub(crate) type Digest = [u8; 16];

/// Method, name, arguments and principal of a request, as a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Binding(pub(crate) [u8; 32]);

impl Binding {
    /// The binding of a request. Arguments count by what they say, not by how they are written: a
    /// client may order or space them otherwise when it tries again.
    pub(crate) fn new(
        method: &str,
        name: &str,
        arguments: &str,
        principal: Option<&str>,
    ) -> Binding {
        let arguments = canonical(arguments);
        let (is_known, principal) = (principal.is_some(), principal.unwrap_or_default());
        let parts = [method.as_bytes(), name.as_bytes(), &arguments, &[u8::from(is_known)]];
        let mut hasher = Sha256::new();
        hasher.update(b"mcplite request state\0");
        for part in parts.into_iter().chain([principal.as_bytes()]) {
            hash_part(&mut hasher, part);
        }
        Binding(hasher.finalize().into())
    }
}

/// A digest of several texts in their order.
pub(crate) fn digest(parts: &[&[u8]]) -> Digest {
    let mut hasher = Sha256::new();
    parts.iter().for_each(|part| hash_part(&mut hasher, part));
    let whole: [u8; 32] = hasher.finalize().into();
    whole.first_chunk().copied().unwrap_or_default()
}

/// With its length, so that no two lists of parts look the same.
fn hash_part(hasher: &mut Sha256, part: &[u8]) {
    hasher.update((part.len() as u64).to_le_bytes());
    hasher.update(part);
}

/// The JSON value with its members sorted and without white space.
fn canonical(json: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len());
    push_canonical(&mut out, json.trim_matches([' ', '\t', '\r', '\n']));
    out
}

/// As deep as the arguments, whose depth is limited.
fn push_canonical(out: &mut Vec<u8>, json: &str) {
    match json.as_bytes().first() {
        Some(b'{') => {
            let mut sorted: Vec<_> = members(json).map(|(name, it)| (name.decode(), it)).collect();
            sorted.sort_by(|one, two| one.0.cmp(&two.0));
            out.push(b'{');
            for (name, value) in sorted {
                separate(out);
                push_quoted(out, &name);
                out.push(b':');
                push_canonical(out, value);
            }
            out.push(b'}');
        }
        Some(b'[') => {
            out.push(b'[');
            for element in elements(json) {
                separate(out);
                push_canonical(out, element);
            }
            out.push(b']');
        }
        Some(b'"') => {
            let text = crate::json::Str::from_json(json).map(|text| text.decode());
            push_quoted(out, &text.unwrap_or_default());
        }
        _ => push_checked(out, json),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bind(arguments: &str) -> Binding {
        Binding::new("tools/call", "add", arguments, Some("ada"))
    }

    #[test]
    fn arguments_count_by_what_they_say() {
        let one = bind(r#"{"a": [1, {"x":"\u0041", "y":null}], "b":"c"}"#);
        assert_eq!(one, bind(r#"{"b":"c","a":[1,{"y":null,"x":"A"}]}"#));
        for other in [
            r#"{"a":[1,{"x":"A","y":null}],"b":"d"}"#,
            r#"{"a":[{"x":"A","y":null},1],"b":"c"}"#,
            r#"{"a":[1,{"x":"A"}],"b":"c"}"#,
            "{}",
        ] {
            assert_ne!(one, bind(other), "{other}");
        }
    }

    #[test]
    fn every_part_counts() {
        let parts = [
            ("tools/call", "add", "{}", Some("ada")),
            ("prompts/get", "add", "{}", Some("ada")),
            ("tools/call", "ad", "{}", Some("ada")),
            ("tools/call", "add", "{}", Some("bob")),
            ("tools/call", "add", "{}", Some("")),
            ("tools/call", "add", "{}", None),
        ];
        let all = parts.map(|(method, name, arguments, principal)| {
            Binding::new(method, name, arguments, principal)
        });
        for (index, one) in all.iter().enumerate() {
            assert!(all.iter().skip(index + 1).all(|other| one != other), "{index}");
        }
    }
}
