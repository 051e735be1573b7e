//! What a sealed state belongs to: one request of one principal.

use sha2::{Digest as _, Sha256};

use crate::json::{Fault, MAX_DEPTH, Reader, push_quoted};
use crate::order::order;

/// A short digest of a question.
pub(crate) type Digest = [u8; 16];

/// Server, method, name, arguments and principal of a request, as a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Binding(pub(crate) [u8; 32]);

impl Binding {
    /// The binding of a request. Arguments count by what they say, not by how they are written: a
    /// client may order or space them otherwise when it tries again.
    pub(crate) fn new(
        server: &str,
        method: &str,
        name: &str,
        arguments: &str,
        principal: Option<&str>,
    ) -> Binding {
        let arguments = canonical(arguments);
        let (is_known, principal) = (principal.is_some(), principal.unwrap_or_default());
        let known = [u8::from(is_known)];
        let parts = [server.as_bytes(), method.as_bytes(), name.as_bytes(), &arguments, &known];
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

/// The JSON value with its members sorted and without white space; large objects by their digest.
fn canonical(json: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(json.len());
    let read = push_canonical(&mut out, &mut Reader::new(json, MAX_DEPTH));
    if read.is_err() {
        // It was read strictly before, so that this is not to be expected.
        json.as_bytes().clone_into(&mut out);
    }
    out
}

/// What an object may have between its braces before its digest stands for it. Each level around it
/// copies that, so that without a bound the depth of a value would multiply what it costs.
const MAX_BODY: usize = 64;

/// As deep as the arguments, whose depth is limited.
fn push_canonical(out: &mut Vec<u8>, reader: &mut Reader<'_>) -> Result<(), Fault> {
    match reader.peek() {
        Some(b'{') => push_canonical_object(out, reader)?,
        Some(b'[') => {
            out.push(b'[');
            let mut more = reader.first_element()?;
            while more {
                push_canonical(out, reader)?;
                out.push(b',');
                more = reader.next_element()?;
            }
            out.push(b']');
        }
        Some(b'"') => push_quoted(out, &reader.string()?.decode()),
        _ => out.extend_from_slice(reader.scalar()?.as_bytes()),
    }
    Ok(())
}

fn push_canonical_object(out: &mut Vec<u8>, reader: &mut Reader<'_>) -> Result<(), Fault> {
    let start = out.len();
    let mut members = Vec::new();
    let mut key = reader.first_key()?;
    while let Some(name) = key {
        let from = out.len() - start;
        let name = name.decode();
        push_quoted(out, &name);
        out.push(b':');
        push_canonical(out, reader)?;
        out.push(b',');
        members.push((name, from..out.len() - start));
        key = reader.next_key()?;
    }
    let name = |place: usize| members.get(place).map(|(name, _)| name);
    let order = order(members.len(), &|one, two| name(one) < name(two));
    let unsorted = out.split_off(start);
    let sorted = order.iter().filter_map(|place| unsorted.get(members.get(*place)?.1.clone()));
    if unsorted.len() <= MAX_BODY {
        out.push(b'{');
        sorted.for_each(|member| out.extend_from_slice(member));
        out.push(b'}');
    } else {
        let mut hasher = Sha256::new();
        sorted.for_each(|member| hasher.update(member));
        // No JSON value starts like this.
        out.push(b'#');
        out.extend_from_slice(&hasher.finalize());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bind(arguments: &str) -> Binding {
        Binding::new("server", "tools/call", "add", arguments, Some("ada"))
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
    fn large_objects_count_by_what_they_say_too() {
        let long = "x".repeat(100);
        let one = bind(&format!(r#"{{"a":{{"b":"{long}","c":[{{"d":1}}]}},"e":2}}"#));
        assert_eq!(one, bind(&format!(r#"{{"e":2,"a":{{"c":[{{"d":1}}],"b":"{long}"}}}}"#)));
        assert_ne!(one, bind(&format!(r#"{{"e":2,"a":{{"c":[{{"d":2}}],"b":"{long}"}}}}"#)));
        assert_ne!(one, bind(&format!(r#"{{"a":{{"b":"{long}","c":[{{"d":1}}]}},"e":3}}"#)));
    }

    #[test]
    fn a_member_that_stands_twice_is_not_the_same_as_one() {
        let all = [r#"{"a":1}"#, r#"{"a":2}"#, r#"{"a":1,"a":2}"#, r#"{"a":2,"a":1}"#];
        for (index, one) in all.iter().enumerate() {
            assert!(all.iter().skip(index + 1).all(|other| bind(one) != bind(other)), "{one}");
        }
    }

    #[test]
    fn every_part_counts() {
        let parts = [
            ("a", "tools/call", "add", Some("ada")),
            ("b", "tools/call", "add", Some("ada")),
            ("a", "prompts/get", "add", Some("ada")),
            ("a", "tools/call", "ad", Some("ada")),
            ("a", "tools/call", "add", Some("bob")),
            ("a", "tools/call", "add", Some("")),
            ("a", "tools/call", "add", None),
        ];
        let all = parts.map(|(server, method, name, principal)| {
            Binding::new(server, method, name, "{}", principal)
        });
        for (index, one) in all.iter().enumerate() {
            assert!(all.iter().skip(index + 1).all(|other| one != other), "{index}");
        }
    }
}
