//! The keywords of one schema, each read as what it must be.

use std::borrow::Cow;

use super::super::error::SchemaError;
use super::super::number::Number;
use super::documents::{Documents, Place};
use super::index::{NameIndex, twice};
use crate::json::{Str, elements, members};

/// The members of a schema object by name.
pub(super) struct Keywords<'t> {
    pub(super) place: Place<'t>,
    names: NameIndex<'t>,
    values: Vec<&'t str>,
}

type Read<T> = Result<Option<T>, SchemaError>;

impl<'t> Keywords<'t> {
    pub(super) fn read(
        documents: &Documents<'t>,
        place: Place<'t>,
    ) -> Result<Keywords<'t>, SchemaError> {
        let mut names = NameIndex::default();
        let mut values = Vec::new();
        for (name, value) in members(place.text) {
            let name = name.decode();
            if names.insert(name.clone(), values.len()).is_some() {
                let reason = format!("has the keyword `{name}` twice; keep one of them");
                return Err(documents.refuse(place, place.text, reason));
            }
            values.push(value);
        }
        Ok(Keywords { place, names, values })
    }

    pub(super) fn get(&self, keyword: &str) -> Option<&'t str> {
        self.values.get(self.names.get(keyword)?).copied()
    }

    pub(super) fn has(&self, keyword: &str) -> bool {
        self.names.get(keyword).is_some()
    }

    /// A count; one that is too large for any value is brought to what is.
    pub(super) fn count(&self, documents: &Documents<'t>, keyword: &str) -> Read<u64> {
        let Some(value) = self.get(keyword) else { return Ok(None) };
        let number = is_number(value).then(|| Number::parse(value));
        match number.filter(|number| number.is_integer() && !number.is_negative()) {
            Some(number) => Ok(Some(number.to_u64().unwrap_or(u64::MAX))),
            None => self.refuse(documents, value, "must be an integer that is not negative"),
        }
    }

    pub(super) fn number(&self, documents: &Documents<'t>, keyword: &str) -> Read<&'t str> {
        match self.get(keyword) {
            Some(value) if !is_number(value) => self.refuse(documents, value, "must be a number"),
            value => Ok(value),
        }
    }

    pub(super) fn boolean(&self, documents: &Documents<'t>, keyword: &str) -> Read<bool> {
        match self.get(keyword) {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(value) => self.refuse(documents, value, "must be true or false"),
        }
    }

    pub(super) fn string(&self, documents: &Documents<'t>, keyword: &str) -> Read<Cow<'t, str>> {
        let Some(value) = self.get(keyword) else { return Ok(None) };
        match Str::from_json(value) {
            Some(string) => Ok(Some(string.decode())),
            None => self.refuse(documents, value, "must be a string"),
        }
    }

    pub(super) fn array(&self, documents: &Documents<'t>, keyword: &str) -> Read<Vec<&'t str>> {
        match self.get(keyword) {
            None => Ok(None),
            Some(value) if value.starts_with('[') => Ok(Some(elements(value).collect())),
            Some(value) => self.refuse(documents, value, "must be an array"),
        }
    }

    /// A list of schemas, which must not be empty.
    pub(super) fn schemas(&self, documents: &Documents<'t>, keyword: &str) -> Read<Vec<&'t str>> {
        match self.array(documents, keyword)? {
            Some(list) if list.is_empty() => {
                let value = self.get(keyword).unwrap_or(self.place.text);
                self.refuse(documents, value, "must have at least one schema in it")
            }
            list => Ok(list),
        }
    }

    pub(super) fn object(
        &self,
        documents: &Documents<'t>,
        keyword: &str,
    ) -> Read<Vec<(Cow<'t, str>, &'t str)>> {
        let Some(value) = self.get(keyword) else { return Ok(None) };
        if !value.starts_with('{') {
            return self.refuse(documents, value, "must be an object");
        }
        let members: Vec<_> = members(value).map(|(name, value)| (name.decode(), value)).collect();
        match twice(members.iter().map(|(name, _)| name.as_ref())) {
            Some(name) => self.refuse(
                documents,
                value,
                &format!("has the member `{name}` twice; keep one of them"),
            ),
            None => Ok(Some(members)),
        }
    }

    /// A list of names that are all different.
    pub(super) fn names(
        &self,
        documents: &Documents<'t>,
        keyword: &str,
    ) -> Read<Vec<Cow<'t, str>>> {
        match self.get(keyword) {
            None => Ok(None),
            Some(value) => self.name_list(documents, value).map(Some),
        }
    }

    pub(super) fn name_list(
        &self,
        documents: &Documents<'t>,
        value: &'t str,
    ) -> Result<Vec<Cow<'t, str>>, SchemaError> {
        let wrong =
            || documents.refuse(self.place, value, "must be an array of strings".to_owned());
        if !value.starts_with('[') {
            return Err(wrong());
        }
        let names: Option<Vec<_>> =
            elements(value).map(|value| Some(Str::from_json(value)?.decode())).collect();
        let names = names.ok_or_else(wrong)?;
        if twice(names.iter().map(|name| name.as_ref())).is_some() {
            let reason = "must not have the same string twice".to_owned();
            return Err(documents.refuse(self.place, value, reason));
        }
        Ok(names)
    }

    fn refuse<T>(
        &self,
        documents: &Documents<'t>,
        value: &str,
        reason: &str,
    ) -> Result<T, SchemaError> {
        Err(documents.refuse(self.place, value, reason.to_owned()))
    }
}

pub(super) fn is_number(value: &str) -> bool {
    value.starts_with(|first: char| first == '-' || first.is_ascii_digit())
}
