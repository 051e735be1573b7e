//! What a schema says of objects.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::super::arena::{Dependent, NONE, ObjectRules, Part, PatternRule, Span};
use super::super::dialect::Dialect;
use super::super::error::SchemaError;
use super::super::names::Names;
use super::super::sight::Sight;
use super::compiler::{COLLISION, Compiler};
use super::keywords::Keywords;

/// Every name that the rules of one object mention, once, those of `properties` first.
#[derive(Default)]
struct Mentioned<'t> {
    names: Vec<(Cow<'t, str>, u32)>,
    places: BTreeMap<Cow<'t, str>, usize>,
}

impl<'t> Mentioned<'t> {
    fn place(&mut self, name: Cow<'t, str>) -> usize {
        match self.places.get(&name) {
            Some(place) => *place,
            None => self.add(name, NONE),
        }
    }

    fn add(&mut self, name: Cow<'t, str>, node: u32) -> usize {
        let place = self.names.len();
        self.places.insert(name.clone(), place);
        self.names.push((name, node));
        place
    }
}

impl<'t> Compiler<'t> {
    pub(super) fn object_rules(
        &mut self,
        keywords: &Keywords<'t>,
        dialect: Dialect,
        parts: &mut Vec<Part>,
    ) -> Result<u32, SchemaError> {
        let place = keywords.place;
        let mut mentioned = Mentioned::default();
        for (name, schema) in keywords.object(&self.documents, "properties")?.unwrap_or_default() {
            let node = self.node(place, schema)?;
            mentioned.add(name, node);
        }
        let required = keywords.names(&self.documents, "required")?.unwrap_or_default();
        let required: Vec<usize> = required.into_iter().map(|name| mentioned.place(name)).collect();
        let dependents = self.dependents(keywords, dialect, &mut mentioned, parts)?;
        let (patterns, left_out) = self.pattern_rules(keywords)?;
        let mut rules = ObjectRules {
            names: Names::default(),
            sight: Sight::BLIND,
            required: Span::default(),
            required_head: 0,
            min: keywords.count(&self.documents, "minProperties")?.unwrap_or(0),
            max: keywords.count(&self.documents, "maxProperties")?.unwrap_or(u64::MAX),
            patterns,
            additional: self.optional_node(keywords, "additionalProperties")?,
            additional_keyword: "additionalProperties",
            property_names: self.optional_node(keywords, "propertyNames")?,
            dependents,
        };
        let mut has_unevaluated = false;
        if dialect == Dialect::Draft202012
            && let Some(node) = self.optional_node(keywords, "unevaluatedProperties")?
            && rules.additional.is_none()
        {
            if parts.is_empty() {
                rules.additional = Some(node);
                rules.additional_keyword = "unevaluatedProperties";
            } else if !left_out {
                parts.push(Part::UnevaluatedProperties(node));
                has_unevaluated = true;
            }
        }
        if left_out {
            // Which names the host's own expression matches is not known here.
            rules.additional = Some(super::super::arena::TRUE);
        }
        let says_something = !mentioned.names.is_empty()
            || rules.min > 0
            || rules.max < u64::MAX
            || !rules.patterns.is_empty()
            || rules.additional.is_some()
            || rules.property_names.is_some()
            || has_unevaluated;
        if !says_something {
            return Ok(NONE);
        }
        self.spend(place, mentioned.names.len())?;
        let names = mentioned.names.iter().map(|(name, node)| (name.as_ref(), *node));
        let Some(names) = self.program.names.add(names) else {
            return Err(self.documents.refuse(place, place.text, COLLISION.to_owned()));
        };
        rules.names = names;
        rules.sight = self.program.names.add_sight(&names);
        self.set_required(&mut rules, &required);
        self.program.objects.push(rules);
        Ok(self.program.objects.len() as u32 - 1)
    }

    /// Keeps the required names as bits, 64 a word.
    fn set_required(&mut self, rules: &mut ObjectRules, required: &[usize]) {
        let mut words = vec![0_u64; rules.names.entries.len().div_ceil(64)];
        for place in required {
            if let Some(word) = words.get_mut(place / 64) {
                *word |= 1 << (place % 64);
            }
        }
        rules.required_head = words.first().copied().unwrap_or(0);
        rules.required = Span::new(self.program.masks.len(), words.len());
        self.program.masks.extend(words);
    }

    fn pattern_rules(&mut self, keywords: &Keywords<'t>) -> Result<(Span, bool), SchemaError> {
        let mut rules = Vec::new();
        let mut left_out = false;
        let patterns = keywords.object(&self.documents, "patternProperties")?.unwrap_or_default();
        for (source, schema) in patterns {
            let pattern = self.expression(keywords.place, schema, &source)?;
            let node = self.node(keywords.place, schema)?;
            if pattern == NONE {
                left_out = true;
            } else {
                rules.push(PatternRule { pattern, node });
            }
        }
        let span = Span::new(self.program.pattern_rules.len(), rules.len());
        self.program.pattern_rules.extend(rules);
        Ok((span, left_out))
    }

    /// `dependentRequired` and `dependentSchemas`, or `dependencies`, which is both.
    fn dependents(
        &mut self,
        keywords: &Keywords<'t>,
        dialect: Dialect,
        mentioned: &mut Mentioned<'t>,
        parts: &mut Vec<Part>,
    ) -> Result<Span, SchemaError> {
        let (for_names, for_schemas) = match dialect {
            Dialect::Draft7 => ("dependencies", "dependencies"),
            Dialect::Draft202012 => ("dependentRequired", "dependentSchemas"),
        };
        let is_both = for_names == for_schemas;
        let first = self.program.dependents.len();
        for (name, list) in keywords.object(&self.documents, for_names)?.unwrap_or_default() {
            if is_both && !list.starts_with('[') {
                continue;
            }
            let present = mentioned.place(name) as u32;
            for name in keywords.name_list(&self.documents, list)? {
                let required = mentioned.place(name) as u32;
                self.spend(keywords.place, 1)?;
                self.program.dependents.push(Dependent { present, required });
            }
        }
        for (name, schema) in keywords.object(&self.documents, for_schemas)?.unwrap_or_default() {
            if is_both && schema.starts_with('[') {
                continue;
            }
            let node = self.node(keywords.place, schema)?;
            let name = self.program.names.add_text(&name);
            parts.push(Part::Dependent { name, node });
        }
        Ok(Span::new(first, self.program.dependents.len() - first))
    }

    fn optional_node(
        &mut self,
        keywords: &Keywords<'t>,
        keyword: &str,
    ) -> Result<Option<u32>, SchemaError> {
        match keywords.get(keyword) {
            Some(schema) => self.node(keywords.place, schema).map(Some),
            None => Ok(None),
        }
    }
}
