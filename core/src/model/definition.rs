//! JSON objects that the host gives: definitions of tools, resources, templates and prompts, and others.

use crate::error::Error;
use crate::json::{Reader, Str, find_member, members, push_compact, push_key, quoted};
use crate::jsonrpc::Names;

/// A JSON object that grows member by member, and remembers the first mistake made on the way.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    members: Vec<(String, String)>,
    fault: Option<Error>,
}

impl Definition {
    pub(crate) fn new() -> Definition {
        Definition { members: Vec::new(), fault: None }
    }

    /// Reads a whole object.
    pub(crate) fn from_json(json: &str, max_depth: u32) -> Result<Definition, Error> {
        let mut definition = Definition::new();
        let mut reader = Reader::new(json, max_depth);
        let mut key = reader.first_key().map_err(Error::from_fault)?;
        while let Some(name) = key {
            let name = name.decode().into_owned();
            let value = reader.skip().map_err(Error::from_fault)?;
            if definition.raw(&name).is_some() {
                return Err(Error::Definition(format!("{name} stands twice")));
            }
            definition.members.push((name, value.to_owned()));
            key = reader.next_key().map_err(Error::from_fault)?;
        }
        reader.end().map_err(Error::from_fault)?;
        Ok(definition)
    }

    pub(crate) fn set_text(&mut self, name: &str, text: &str) {
        self.put(name, quoted(text));
    }

    /// Sets a member to a JSON value. A mistake in it comes out of [`Definition::finish`].
    pub(crate) fn set_json(&mut self, name: &str, json: &str) {
        let mut reader = Reader::new(json, crate::json::MAX_DEPTH);
        match reader.skip().and_then(|value| reader.end().map(|()| value)) {
            Ok(value) => self.put(name, value.to_owned()),
            Err(fault) => {
                self.fault.get_or_insert(Error::from_fault(fault));
            }
        }
    }

    /// The JSON text of a member.
    pub(crate) fn raw(&self, name: &str) -> Option<&str> {
        self.members.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// A member that is a string.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        Some(Str::from_json(self.raw(name)?)?.decode().into_owned())
    }

    /// The finished object, or the first mistake.
    pub(crate) fn finish(self, max_bytes: usize) -> Result<String, Error> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let mut out = vec![b'{'];
        for (name, value) in &self.members {
            push_key(&mut out, name);
            // Lists are made of this, over and over; what an editor indented is not sent.
            push_compact(&mut out, value);
        }
        out.push(b'}');
        if out.len() > max_bytes {
            return Err(Error::Limit("definition_bytes"));
        }
        String::from_utf8(out).map_err(|_| Error::Definition("not UTF-8".to_owned()))
    }

    fn put(&mut self, name: &str, json: String) {
        match self.members.iter_mut().find(|(own, _)| own == name) {
            Some((_, value)) => *value = json,
            None => self.members.push((name.to_owned(), json)),
        }
    }
}

/// A member of a finished object that is a string.
pub(crate) fn text_member(json: &str, name: &str) -> Option<String> {
    Some(Str::from_json(find_member(json, name)?)?.decode().into_owned())
}

/// The object that the host gave as `json`, without white space around it; no name stands twice.
pub(crate) fn check_object(json: &str, depth: u32) -> Result<&str, Error> {
    let mut reader = Reader::new(json, depth);
    if reader.peek() != Some(b'{') {
        return Err(Error::Json { offset: reader.position(), reason: "an object is needed" });
    }
    let object = reader.skip().map_err(Error::from_fault)?;
    reader.end().map_err(Error::from_fault)?;
    let mut names = Names::default();
    members(object).for_each(|(name, _)| names.add(name));
    if names.has_duplicate() {
        return Err(Error::Json { offset: 0, reason: "a member stands twice" });
    }
    Ok(object)
}
