//! References and combinators: the same value, read again for each of them.

use super::super::arena::{Node, ObjectRules, Part, Span};
use super::super::report::{Report, Stop};
use super::super::types::Types;
use super::evaluator::Evaluator;
use crate::json::{Mark, Reader, Str};

/// Where objects stand in `Types::FIRST_BYTES`.
const OBJECT: usize = 5;

/// What it costs to look for an anchor in one resource of the scope, in bytes to read.
const BYTES_PER_RESOURCE: u64 = 16;

/// How many alternatives a message speaks of.
const MAX_EXPLAINED: usize = 4;

/// A value that several parts look at.
#[derive(Clone, Copy)]
struct Again {
    start: Mark,
    /// Behind the value, once something has read all of it.
    end: Option<Mark>,
}

impl<'s, R: Report> Evaluator<'s, R> {
    /// The node's own rules and each of its parts. The value is read strictly by whichever of them
    /// gets to its end, and skipped if none does.
    #[inline(never)]
    pub(super) fn parts(&mut self, node: &'s Node, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let scope = self.enter_resource(node);
        let entered = std::mem::take(&mut self.entered);
        self.nested(|this| this.parts_in_scope(node, reader))?;
        self.entered |= entered;
        self.scope.truncate(scope);
        Ok(())
    }

    fn parts_in_scope(&mut self, node: &'s Node, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let mut again = Again { start: reader.mark(), end: None };
        let kind = reader.peek().and_then(Types::index_of_first_byte);
        if node.is_mere_type() && kind.is_some_and(|kind| self.allows(node, kind)) {
            // Nothing to read the value for.
        } else if node.has_own_rules() {
            let wrong_types = self.report.wrong_types();
            self.own(node, reader)?;
            if R::COLLECTS
                && self.report.wrong_types() > wrong_types
                && self.is_wrong_type(node, again, reader)
            {
                return Ok(());
            }
            again.end = Some(reader.mark());
        }
        for part in self.program.parts(node.parts) {
            if again.end.is_some() || reader.position() != again.start.offset() {
                self.rewind(reader, again.start)?;
            } else {
                self.steps.take(0)?;
            }
            self.part(node, part, &mut again, reader)?;
        }
        // A subschema that failed early has left names unread, and a name that stands twice must not
        // be valid because something failed before it was seen.
        if self.entered && self.finished != again.start.offset() && kind == Some(OBJECT) {
            self.rewind(reader, again.start)?;
            return self.object(&ObjectRules::MERE, reader);
        }
        match again.end {
            Some(end) => reader.return_to(end),
            None => {
                reader.return_to(again.start);
                reader.skip()?;
            }
        }
        Ok(())
    }

    /// Whether the value itself, and not one inside it, has the wrong type.
    fn is_wrong_type(&self, node: &Node, again: Again, reader: &mut Reader<'_>) -> bool {
        let end = reader.mark();
        reader.return_to(again.start);
        let kind = reader.peek().and_then(Types::index_of_first_byte);
        reader.return_to(end);
        !kind.is_some_and(|kind| self.allows(node, kind))
    }

    fn allows(&self, node: &Node, kind: usize) -> bool {
        Types::FIRST_BYTES.get(kind).is_some_and(|kind| node.types.contains(*kind))
    }

    fn part(
        &mut self,
        node: &'s Node,
        part: &'s Part,
        again: &mut Again,
        reader: &mut Reader<'_>,
    ) -> Result<(), Stop> {
        let applied = match part {
            Part::Apply(target) => *target,
            Part::Dynamic { anchor, otherwise } => self.dynamic_target(*anchor, *otherwise)?,
            Part::Dependent { name, node } => {
                if !self.has_member(self.program.text(*name), reader)? {
                    return Ok(());
                }
                reader.return_to(again.start);
                *node
            }
            Part::If { condition, then, otherwise } => {
                let holds = self.probe(*condition, reader)?;
                self.rewind(reader, again.start)?;
                if holds { *then } else { *otherwise }
            }
            Part::Not(target) => {
                if !self.probe(*target, reader)? {
                    return Ok(());
                }
                again.end = Some(reader.mark());
                return self.report.fail("not", || "must not be what `not` describes".to_owned());
            }
            Part::Any(branches) | Part::Switch { branches, .. } => {
                return self.any(node, *branches, again, reader);
            }
            Part::One(branches) => return self.one(node, *branches, again, reader),
            Part::UnevaluatedProperties(inner) => {
                return self.unevaluated_properties(node, *inner, reader);
            }
            Part::UnevaluatedItems(inner) => return self.unevaluated_items(node, *inner, reader),
        };
        self.value_apart(applied, reader)?;
        again.end = Some(reader.mark());
        Ok(())
    }

    fn any(
        &mut self,
        node: &'s Node,
        branches: Span,
        again: &mut Again,
        reader: &mut Reader<'_>,
    ) -> Result<(), Stop> {
        let program = self.program;
        for branch in program.list(branches) {
            if self.probe(*branch, reader)? {
                again.end = Some(reader.mark());
                return Ok(());
            }
            self.rewind(reader, again.start)?;
        }
        self.no_alternative("anyOf", node, branches, again.start, reader)
    }

    fn one(
        &mut self,
        node: &'s Node,
        branches: Span,
        again: &mut Again,
        reader: &mut Reader<'_>,
    ) -> Result<(), Stop> {
        let program = self.program;
        let mut found = None;
        for (number, branch) in program.list(branches).iter().enumerate() {
            if self.probe(*branch, reader)? {
                again.end = Some(reader.mark());
                if let Some(before) = found.replace(number + 1) {
                    return self.report.fail("oneOf", || {
                        let after = number + 1;
                        format!(
                            "must match exactly one of the alternatives in `oneOf`, but matches \
                             number {before} and number {after}"
                        )
                    });
                }
            }
            self.rewind(reader, again.start)?;
        }
        match found {
            Some(_) => Ok(()),
            None => self.no_alternative("oneOf", node, branches, again.start, reader),
        }
    }

    /// Says what the alternatives want. If only one of them wants a value of this type, what that one
    /// finds wrong is what is wrong.
    #[inline(never)]
    fn no_alternative(
        &mut self,
        keyword: &'static str,
        node: &'s Node,
        branches: Span,
        start: Mark,
        reader: &mut Reader<'_>,
    ) -> Result<(), Stop> {
        if !R::COLLECTS {
            return Err(Stop::Invalid);
        }
        let kind = reader.peek().and_then(Types::index_of_first_byte);
        let kind =
            kind.and_then(|kind| Types::FIRST_BYTES.get(kind).copied()).unwrap_or(Types::ANY);
        let program = self.program;
        let fits =
            |branch: &&u32| program.node(**branch).is_some_and(|node| node.types.meets(kind));
        let mut fitting = program.list(branches).iter().filter(fits);
        match (fitting.next(), fitting.next()) {
            (Some(only), None) => return self.value_apart(*only, reader),
            (None, _) if node.types != Types::ANY => {
                let text = reader.skip()?;
                return self.report.fail_type(node.types, text, start.offset());
            }
            _ => {}
        }
        let mut wishes = Vec::new();
        if self.report.explains_alternatives() {
            for branch in program.list(branches).iter().filter(fits).take(MAX_EXPLAINED) {
                wishes.extend(self.explain(*branch, reader, start)?);
            }
        }
        reader.return_to(start);
        self.report.fail(keyword, || {
            if wishes.is_empty() {
                return format!("matches none of the alternatives in `{keyword}`");
            }
            let wishes = wishes.join("; or ");
            let wishes = super::super::message::clipped(&wishes, 400);
            format!("matches none of the alternatives in `{keyword}`: {wishes}")
        })
    }

    /// Whether the object at the reader has a member of that name; other values have none.
    pub(super) fn has_member(&mut self, name: &str, reader: &mut Reader<'_>) -> Result<bool, Stop> {
        if reader.peek() != Some(b'{') {
            return Ok(false);
        }
        let is_it =
            |key: Str<'_>| key.plain().map_or_else(|| key.decode() == name, |key| key == name);
        let mut key = reader.first_key()?;
        while let Some(found) = key {
            if is_it(found) {
                return Ok(true);
            }
            reader.skip()?;
            key = reader.next_key()?;
        }
        Ok(false)
    }

    /// Where a dynamic reference leads: to the outermost resource in the scope that has its anchor.
    pub(super) fn dynamic_target(&mut self, anchor: u32, otherwise: u32) -> Result<u32, Stop> {
        self.steps.take_bytes(self.scope.len() as u64 * BYTES_PER_RESOURCE)?;
        let Some(row) = self.program.anchors.get(anchor as usize) else { return Ok(otherwise) };
        let find = |resource: &u32| {
            let place = row.binary_search_by_key(resource, |(has, _)| *has).ok()?;
            row.get(place).map(|(_, node)| *node)
        };
        Ok(self.scope.iter().find_map(find).unwrap_or(otherwise))
    }

    /// Puts the resource of a node on the scope, if anybody will ask; the length to go back to.
    pub(super) fn enter_resource(&mut self, node: &Node) -> usize {
        let before = self.scope.len();
        if !self.program.anchors.is_empty() && self.scope.last() != Some(&node.resource) {
            self.scope.push(node.resource);
        }
        before
    }
}
