//! References and combinators: further schemas for the same value.

use super::super::arena::{Part, TRUE};
use super::super::dialect::Dialect;
use super::super::error::SchemaError;
use super::compiler::Compiler;
use super::documents::Target;
use super::keywords::Keywords;

impl<'t> Compiler<'t> {
    pub(super) fn add_references(
        &mut self,
        keywords: &Keywords<'t>,
        dialect: Dialect,
        parts: &mut Vec<Part>,
    ) -> Result<(), SchemaError> {
        if let Some(target) = self.target(keywords, "$ref")? {
            parts.push(Part::Apply(self.node_at(target.place)?));
        }
        if dialect == Dialect::Draft202012
            && let Some(target) = self.target(keywords, "$dynamicRef")?
        {
            let otherwise = self.node_at(target.place)?;
            parts.push(match target.dynamic_anchor {
                Some(name) => Part::Dynamic { anchor: self.dynamic_name(name), otherwise },
                None => Part::Apply(otherwise),
            });
        }
        Ok(())
    }

    fn target(
        &mut self,
        keywords: &Keywords<'t>,
        keyword: &str,
    ) -> Result<Option<Target<'t>>, SchemaError> {
        let Some(reference) = keywords.string(&self.documents, keyword)? else { return Ok(None) };
        match self.documents.target(keywords.place, &reference)? {
            Ok(target) => Ok(Some(target)),
            Err(reason) => {
                let at = keywords.get(keyword).unwrap_or(keywords.place.text);
                Err(self.documents.refuse(keywords.place, at, reason))
            }
        }
    }

    fn dynamic_name(&mut self, name: String) -> u32 {
        let known = self.dynamic_names.get(&name);
        let row = known.unwrap_or_else(|| {
            let next = self.dynamic_names.len();
            self.dynamic_names.insert(name.into(), next);
            next
        });
        row as u32
    }

    pub(super) fn add_applicators(
        &mut self,
        keywords: &Keywords<'t>,
        dialect: Dialect,
        parts: &mut Vec<Part>,
    ) -> Result<(), SchemaError> {
        let place = keywords.place;
        for definitions in ["$defs", "definitions"] {
            if definitions == "definitions" || dialect == Dialect::Draft202012 {
                keywords.object(&self.documents, definitions)?;
            }
        }
        for schema in keywords.schemas(&self.documents, "allOf")?.unwrap_or_default() {
            parts.push(Part::Apply(self.node(place, schema)?));
        }
        if let Some(list) = keywords.schemas(&self.documents, "anyOf")? {
            parts.push(Part::Any(self.node_list(place, &list)?));
        }
        if let Some(list) = keywords.schemas(&self.documents, "oneOf")? {
            parts.push(Part::One(self.node_list(place, &list)?));
        }
        if let Some(schema) = keywords.get("not") {
            parts.push(Part::Not(self.node(place, schema)?));
        }
        let mut branch = |keyword| match keywords.get(keyword) {
            Some(schema) => self.node(place, schema),
            None => Ok(TRUE),
        };
        let (then, otherwise) = (branch("then")?, branch("else")?);
        if keywords.has("if") {
            let condition = branch("if")?;
            parts.push(Part::If { condition, then, otherwise });
        }
        Ok(())
    }
}
