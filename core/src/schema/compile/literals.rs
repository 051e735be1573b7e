//! `enum` and `const`.

use std::borrow::Cow;

use super::super::arena::{Literals, NONE, Span};
use super::super::equality::{Steps, Unanswered, equal};
use super::super::error::SchemaError;
use super::super::message::listed;
use super::super::number::Number;
use super::compiler::{COLLISION, Compiler};
use super::index::{NameIndex, twice};
use super::keywords::{Keywords, is_number};
use crate::json::{MAX_DEPTH, Reader, Str, compact, elements, members};
use crate::order::order;

impl<'t> Compiler<'t> {
    /// The values of `enum` and `const`. Where a schema has both, what is in both.
    pub(super) fn literals(&mut self, keywords: &Keywords<'t>) -> Result<u32, SchemaError> {
        let listed = keywords.array(&self.documents, "enum")?;
        let single = keywords.get("const");
        let (values, keyword) = match (listed, single) {
            (None, None) => return Ok(NONE),
            (Some(values), None) => (values, "enum"),
            (None, Some(value)) => (vec![value], "const"),
            (Some(values), Some(value)) => {
                let Ok(both) = has_equal(&values, value) else {
                    let reason = "is too large to be compared with `enum`; keep one of the two";
                    return Err(self.documents.refuse(keywords.place, value, reason.to_owned()));
                };
                (if both { vec![value] } else { Vec::new() }, "const")
            }
        };
        self.spend(keywords.place, values.len())?;
        for value in &values {
            if has_name_twice(value) {
                let reason = "has a member name twice; keep one of them".to_owned();
                return Err(self.documents.refuse(keywords.place, value, reason));
            }
        }
        let Some(literals) = self.sort_literals(&values, keyword) else {
            return Err(self.documents.refuse(
                keywords.place,
                keywords.place.text,
                COLLISION.to_owned(),
            ));
        };
        self.program.literals.push(literals);
        Ok(self.program.literals.len() as u32 - 1)
    }

    /// `None` if the strings cannot be searched quickly.
    fn sort_literals(&mut self, values: &[&'t str], keyword: &'static str) -> Option<Literals> {
        let mut strings: Vec<Cow<'t, str>> = Vec::new();
        let mut integers: Vec<i64> = Vec::new();
        let first = self.program.others.len();
        let (mut null, mut no, mut yes) = (false, false, false);
        for value in values {
            let integer = is_number(value).then(|| Number::parse(value).to_i64()).flatten();
            match (*value, Str::from_json(value), integer) {
                (_, Some(string), _) => strings.push(string.decode()),
                (_, _, Some(integer)) => integers.push(integer),
                ("null", ..) => null = true,
                ("false", ..) => no = true,
                ("true", ..) => yes = true,
                (other, ..) => {
                    let text = self.program.names.add_text(&compact(other));
                    self.program.others.push(text);
                }
            }
        }
        let others = Span::new(first, self.program.others.len() - first);
        let mut seen = NameIndex::default();
        strings.retain(|string| seen.insert(string.clone(), 0).is_none());
        let strings = strings.iter().map(|string| (string.as_ref(), 0));
        let strings = self.program.names.add(strings)?;
        let span = Span::new(self.program.integers.len(), integers.len());
        let ascending = order(integers.len(), &|one, two| integers.get(one) < integers.get(two));
        self.program.integers.extend(ascending.iter().filter_map(|place| integers.get(*place)));
        let shown = self.program.names.add_text(&listed(values.iter().map(|value| compact(value))));
        Some(Literals { strings, null, no, yes, integers: span, others, shown, keyword })
    }
}

/// Steps of comparing `const` with the values of `enum`.
const MAX_STEPS: u64 = 100_000;

/// Whether one of `values` equals `value`; an error if that takes too long to find out.
fn has_equal(values: &[&str], value: &str) -> Result<bool, Unanswered> {
    let mut steps = Steps::new(MAX_STEPS);
    for other in values {
        let mut left = Reader::new(other, MAX_DEPTH);
        let mut right = Reader::new(value, MAX_DEPTH);
        if equal(&mut left, &mut right, &mut steps)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether an object in `json` has two members of the same name.
fn has_name_twice(json: &str) -> bool {
    let mut waiting = vec![json];
    while let Some(value) = waiting.pop() {
        if value.starts_with('[') {
            waiting.extend(elements(value).filter(|value| value.starts_with(['[', '{'])));
        } else if value.starts_with('{') {
            let mut names: Vec<Cow<'_, str>> = Vec::new();
            for (name, value) in members(value) {
                names.push(name.decode());
                waiting.extend(Some(value).filter(|value| value.starts_with(['[', '{'])));
            }
            if twice(names.iter().map(|name| name.as_ref())).is_some() {
                return true;
            }
        }
    }
    false
}
