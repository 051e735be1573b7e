//! What a schema says of strings, numbers, arrays and types.

use super::super::arena::{
    ArrayRules, Bound, Contains, NONE, NumberRules, Part, Side, Span, StringRules,
};
use super::super::dialect::Dialect;
use super::super::error::SchemaError;
use super::super::number::{Divisor, MAX_DIVISOR_DIGITS, Number};
use super::super::types::Types;
use super::compiler::Compiler;
use super::documents::clipped;
use super::keywords::Keywords;
use crate::json::{Short, Str, elements};

impl<'t> Compiler<'t> {
    pub(super) fn types(&self, keywords: &Keywords<'t>) -> Result<Types, SchemaError> {
        let Some(value) = keywords.get("type") else { return Ok(Types::ANY) };
        let names: Vec<&str> =
            if value.starts_with('[') { elements(value).collect() } else { vec![value] };
        let mut types = Types::NONE;
        for name in &names {
            let named = Str::from_json(name).and_then(|name| Types::named(&name.decode()));
            let Some(named) = named else {
                let reason = format!(
                    "{} is not a type; the types are string, number, integer, boolean, object, \
                     array and null",
                    clipped(name)
                );
                return Err(self.documents.refuse(keywords.place, name, reason));
            };
            types = types.union(named);
        }
        if names.is_empty() {
            let reason = "must name at least one type".to_owned();
            return Err(self.documents.refuse(keywords.place, value, reason));
        }
        Ok(types)
    }

    pub(super) fn string_rules(&mut self, keywords: &Keywords<'t>) -> Result<u32, SchemaError> {
        let min = keywords.count(&self.documents, "minLength")?;
        let max = keywords.count(&self.documents, "maxLength")?;
        let pattern = match keywords.string(&self.documents, "pattern")? {
            Some(source) => {
                let at = keywords.get("pattern").unwrap_or(keywords.place.text);
                self.expression(keywords.place, at, &source)?
            }
            None => NONE,
        };
        if min.is_none() && max.is_none() && pattern == NONE {
            return Ok(NONE);
        }
        let rules = StringRules { min: min.unwrap_or(0), max: max.unwrap_or(u64::MAX), pattern };
        self.program.strings.push(rules);
        Ok(self.program.strings.len() as u32 - 1)
    }

    pub(super) fn number_rules(&mut self, keywords: &Keywords<'t>) -> Result<u32, SchemaError> {
        let first = self.program.bounds.len();
        for (keyword, side) in [
            ("minimum", Side::AtLeast),
            ("exclusiveMinimum", Side::Above),
            ("maximum", Side::AtMost),
            ("exclusiveMaximum", Side::Below),
        ] {
            if let Some(text) = keywords.number(&self.documents, keyword)? {
                let short = Short::parse(text);
                let text = self.program.names.add_text(text);
                self.program.bounds.push(Bound { side, short, text });
            }
        }
        let bounds = Span::new(first, self.program.bounds.len() - first);
        let divisor = match keywords.number(&self.documents, "multipleOf")? {
            Some(text) => Some((self.divisor(keywords, text)?, text)),
            None => None,
        };
        if bounds.is_empty() && divisor.is_none() {
            return Ok(NONE);
        }
        let divisor_text = divisor.map_or("", |(_, text)| text);
        let divisor_text = self.program.names.add_text(divisor_text);
        let divisor = divisor.map(|(divisor, _)| divisor);
        let kept = match divisor {
            Some(_) => NOTHING,
            None => kept_integers(self.program.bounds.get(bounds.range()).unwrap_or_default()),
        };
        self.program.numbers.push(NumberRules { kept, bounds, divisor, divisor_text });
        Ok(self.program.numbers.len() as u32 - 1)
    }

    fn divisor(&self, keywords: &Keywords<'t>, text: &'t str) -> Result<Divisor, SchemaError> {
        let number = Number::parse(text);
        Divisor::new(&number).ok_or_else(|| {
            let reason = if number.is_zero() || number.is_negative() {
                "must be greater than 0".to_owned()
            } else {
                format!("must not have more than {MAX_DIVISOR_DIGITS} digits")
            };
            self.documents.refuse(keywords.place, text, reason)
        })
    }

    pub(super) fn array_rules(
        &mut self,
        keywords: &Keywords<'t>,
        dialect: Dialect,
        parts: &mut Vec<Part>,
    ) -> Result<u32, SchemaError> {
        let place = keywords.place;
        let mut rules = ArrayRules {
            min: keywords.count(&self.documents, "minItems")?.unwrap_or(0),
            max: keywords.count(&self.documents, "maxItems")?.unwrap_or(u64::MAX),
            prefix: Span::default(),
            items: None,
            contains: self.contains(keywords, dialect)?,
            unique: keywords.boolean(&self.documents, "uniqueItems")?.unwrap_or(false),
        };
        let items = keywords.get("items");
        match (dialect, items) {
            (Dialect::Draft7, Some(list)) if list.starts_with('[') => {
                let list: Vec<&str> = elements(list).collect();
                rules.prefix = self.node_list(place, &list)?;
                if let Some(rest) = keywords.get("additionalItems") {
                    rules.items = Some(self.node(place, rest)?);
                }
            }
            (Dialect::Draft202012, Some(list)) if list.starts_with('[') => {
                let reason = "must be a schema; for a list of schemas use `prefixItems`".to_owned();
                return Err(self.documents.refuse(place, list, reason));
            }
            (_, Some(schema)) => rules.items = Some(self.node(place, schema)?),
            (_, None) => {}
        }
        let mut has_unevaluated = false;
        if dialect == Dialect::Draft202012 {
            if let Some(list) = keywords.schemas(&self.documents, "prefixItems")? {
                rules.prefix = self.node_list(place, &list)?;
            }
            if let Some(schema) = keywords.get("unevaluatedItems") {
                let node = self.node(place, schema)?;
                if rules.items.is_some() {
                    // Every element is evaluated already.
                } else if parts.is_empty() && rules.contains.is_none() {
                    rules.items = Some(node);
                } else {
                    parts.push(Part::UnevaluatedItems(node));
                    has_unevaluated = true;
                }
            }
        }
        let says_something = rules.min > 0
            || rules.max < u64::MAX
            || rules.unique
            || rules.contains.is_some()
            || rules.items.is_some()
            || !rules.prefix.is_empty()
            || has_unevaluated;
        if !says_something {
            return Ok(NONE);
        }
        self.program.arrays.push(rules);
        Ok(self.program.arrays.len() as u32 - 1)
    }

    fn contains(
        &mut self,
        keywords: &Keywords<'t>,
        dialect: Dialect,
    ) -> Result<Option<Contains>, SchemaError> {
        let (mut min, mut max) = (1, u64::MAX);
        if dialect == Dialect::Draft202012 {
            min = keywords.count(&self.documents, "minContains")?.unwrap_or(min);
            max = keywords.count(&self.documents, "maxContains")?.unwrap_or(max);
        }
        match keywords.get("contains") {
            Some(schema) => {
                Ok(Some(Contains { node: self.node(keywords.place, schema)?, min, max }))
            }
            None => Ok(None),
        }
    }
}

/// No integer at all.
const NOTHING: (i64, i64) = (1, 0);

/// The first and the last of the integers that keep all bounds.
fn kept_integers(bounds: &[Bound]) -> (i64, i64) {
    let (mut first, mut last) = (i64::MIN, i64::MAX);
    for bound in bounds {
        let Some(limit) = bound.short.and_then(Short::integer) else { return NOTHING };
        match bound.side {
            Side::AtLeast => first = first.max(limit),
            Side::Above => first = first.max(limit.saturating_add(1)),
            Side::AtMost => last = last.min(limit),
            Side::Below => last = last.min(limit.saturating_sub(1)),
        }
    }
    (first, last)
}
