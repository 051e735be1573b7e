//! `unevaluatedProperties` and `unevaluatedItems`.
//!
//! No set of evaluated names is collected. Whether something was evaluated is asked for each name and
//! element by itself, of the rules and parts beside the keyword.

use super::super::arena::{FALSE, Node, ObjectRules, Part};
use super::super::message::named;
use super::super::report::{Report, Stop};
use super::evaluator::Evaluator;
use crate::json::{Mark, Plain, Reader};

/// What may have been evaluated.
#[derive(Clone, Copy)]
enum Subject<'a> {
    Member(&'a str),
    Element { index: usize, value: Mark },
}

/// The question whether something in the value at `start` was evaluated.
#[derive(Clone, Copy)]
struct Question<'a> {
    subject: Subject<'a>,
    start: Mark,
}

impl<'s, R: Report> Evaluator<'s, R> {
    #[inline(never)]
    pub(super) fn unevaluated_properties(
        &mut self,
        node: &'s Node,
        inner: u32,
        reader: &mut Reader<'_>,
    ) -> Result<(), Stop> {
        if reader.peek() != Some(b'{') {
            return Ok(());
        }
        let start = reader.mark();
        let mut key = reader.first_key()?;
        while let Some(name) = key {
            let value = reader.mark();
            let text = name.decode();
            let question = Question { subject: Subject::Member(&text), start };
            let is_evaluated = self.is_evaluated_beside(node, question, reader)?;
            reader.return_to(value);
            if is_evaluated {
                reader.skip()?;
            } else if inner == FALSE {
                reader.skip()?;
                self.report.fail("unevaluatedProperties", || {
                    format!("has the unknown property {}", named(&text))
                })?;
            } else {
                self.report.enter_member(name);
                self.value_apart(inner, reader)?;
                self.report.leave();
            }
            key = reader.next_key()?;
        }
        Ok(())
    }

    #[inline(never)]
    pub(super) fn unevaluated_items(
        &mut self,
        node: &'s Node,
        inner: u32,
        reader: &mut Reader<'_>,
    ) -> Result<(), Stop> {
        if reader.peek() != Some(b'[') {
            return Ok(());
        }
        let start = reader.mark();
        let mut index = 0;
        let mut more = reader.first_element()?;
        while more {
            let value = reader.mark();
            let question = Question { subject: Subject::Element { index, value }, start };
            let is_evaluated = self.is_evaluated_beside(node, question, reader)?;
            reader.return_to(value);
            self.report.enter_element(index);
            if is_evaluated {
                reader.skip()?;
            } else if inner == FALSE {
                reader.skip()?;
                self.report.fail("unevaluatedItems", || "is one element too many".to_owned())?;
            } else {
                self.value_apart(inner, reader)?;
            }
            self.report.leave();
            index += 1;
            more = reader.next_element()?;
        }
        Ok(())
    }

    /// By a rule or part of the node other than the keyword that asks.
    fn is_evaluated_beside(
        &mut self,
        node: &'s Node,
        question: Question<'_>,
        reader: &mut Reader<'_>,
    ) -> Result<bool, Stop> {
        self.steps.take(0)?;
        if self.is_evaluated_by_rules(node, question, reader)? {
            return Ok(true);
        }
        for part in self.program.parts(node.parts) {
            if self.is_evaluated_by_part(part, question, reader)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// By anything in another node that applies to the same value.
    fn is_evaluated_in(
        &mut self,
        number: u32,
        question: Question<'_>,
        reader: &mut Reader<'_>,
    ) -> Result<bool, Stop> {
        let Some(node) = self.program.node(number) else { return Ok(false) };
        let evaluates_all = self.program.parts(node.parts).iter().any(|part| {
            matches!(
                (part, question.subject),
                (Part::UnevaluatedProperties(_), Subject::Member(_))
                    | (Part::UnevaluatedItems(_), Subject::Element { .. })
            )
        });
        if evaluates_all {
            return Ok(true);
        }
        let scope = self.enter_resource(node);
        let answer = self.nested(|this| this.is_evaluated_beside(node, question, reader))?;
        self.scope.truncate(scope);
        Ok(answer)
    }

    fn is_evaluated_by_rules(
        &mut self,
        node: &'s Node,
        question: Question<'_>,
        reader: &mut Reader<'_>,
    ) -> Result<bool, Stop> {
        match question.subject {
            Subject::Member(name) => match self.program.objects.get(node.object as usize) {
                Some(rules) => self.knows(rules, name),
                None => Ok(false),
            },
            Subject::Element { index, value } => {
                let Some(rules) = self.program.arrays.get(node.array as usize) else {
                    return Ok(false);
                };
                if rules.items.is_some() || index < rules.prefix.len() {
                    return Ok(true);
                }
                let Some(contains) = &rules.contains else { return Ok(false) };
                reader.return_to(value);
                let matches = self.nested(|this| this.probe(contains.node, reader))?;
                self.rewind(reader, value)?;
                Ok(matches)
            }
        }
    }

    fn knows(&mut self, rules: &'s ObjectRules, name: &str) -> Result<bool, Stop> {
        if rules.additional.is_some() {
            return Ok(true);
        }
        let program = self.program;
        let found = program.names.set(&rules.names).find(&Plain::new(name.as_bytes()));
        if found.is_some_and(|(_, entry)| program.node(entry.value).is_some()) {
            return Ok(true);
        }
        for rule in program.patterns(rules) {
            if self.name_matches(rule.pattern, name)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_evaluated_by_part(
        &mut self,
        part: &'s Part,
        question: Question<'_>,
        reader: &mut Reader<'_>,
    ) -> Result<bool, Stop> {
        match part {
            Part::Apply(node) => self.is_evaluated_in(*node, question, reader),
            Part::Dynamic { anchor, otherwise } => {
                let node = self.dynamic_target(*anchor, *otherwise)?;
                self.is_evaluated_in(node, question, reader)
            }
            Part::Any(branches) | Part::One(branches) | Part::Switch { branches, .. } => {
                for branch in self.program.list(*branches) {
                    // Asked in this order, few branches have to be read again.
                    if self.is_evaluated_in(*branch, question, reader)?
                        && self.holds(*branch, question, reader)?
                    {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Part::If { condition, then, otherwise } => {
                if !self.holds(*condition, question, reader)? {
                    return self.is_evaluated_in(*otherwise, question, reader);
                }
                Ok(self.is_evaluated_in(*condition, question, reader)?
                    || self.is_evaluated_in(*then, question, reader)?)
            }
            Part::Dependent { name, node } => {
                if !self.is_evaluated_in(*node, question, reader)? {
                    return Ok(false);
                }
                reader.return_to(question.start);
                let is_present = self.has_member(self.program.text(*name), reader)?;
                self.rewind(reader, question.start)?;
                Ok(is_present)
            }
            Part::Not(_) | Part::UnevaluatedProperties(_) | Part::UnevaluatedItems(_) => Ok(false),
        }
    }

    /// Whether the whole value matches a node.
    fn holds(
        &mut self,
        node: u32,
        question: Question<'_>,
        reader: &mut Reader<'_>,
    ) -> Result<bool, Stop> {
        reader.return_to(question.start);
        let matches = self.nested(|this| this.probe(node, reader))?;
        // What was read is charged here, where its end is known.
        self.rewind(reader, question.start)?;
        Ok(matches)
    }
}
