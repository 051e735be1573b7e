//! The work list of the compiler: each schema that something leads to becomes one node.

use std::borrow::Cow;
use std::collections::VecDeque;

use super::super::arena::{FALSE, NONE, Node, Part, Span, TRUE};
use super::super::dialect::{Dialect, has_reference};
use super::super::error::SchemaError;
use super::super::limits::CompileOptions;
use super::super::program::{Expression, Program};
use super::documents::{Documents, Place};
use super::finish;
use super::index::{LocationIndex, NameIndex};
use super::keywords::Keywords;
use super::loops;
use crate::json::Reader;
use crate::pattern::Pattern;

/// Bytes that the regular expressions of one schema may take together.
const MAX_PATTERN_BYTES: usize = 16 << 20;

/// How many different regular expressions a schema may have.
const MAX_PATTERNS: usize = 1000;

/// Steps of making tables for all of them, because one may take milliseconds.
const MAX_PATTERN_STEPS: usize = 20_000_000;

/// Why a set of names is refused that cannot be searched quickly.
pub(super) const COLLISION: &str = "has names that are made to have the same hash";

/// A schema in the making. There is no recursion: what a schema leads to waits in a queue.
pub(super) struct Compiler<'t> {
    pub(super) options: &'t CompileOptions,
    pub(super) documents: Documents<'t>,
    pub(super) program: Program,
    /// The schema that each node was made of.
    pub(super) origins: Vec<Option<Place<'t>>>,
    nodes: LocationIndex,
    waiting: VecDeque<(u32, Place<'t>)>,
    /// The names that `$dynamicRef` looks up at run time.
    pub(super) dynamic_names: NameIndex<'t>,
    /// What may still be made: schemas and names.
    left: usize,
    /// Regular expressions by their source.
    patterns: NameIndex<'t>,
    pattern_bytes: usize,
    pattern_steps: usize,
}

/// Compiles the schema `text`.
pub(in super::super) fn compile(
    text: &str,
    options: &CompileOptions,
) -> Result<Program, SchemaError> {
    let limits = &options.limits;
    if text.len() > limits.bytes {
        let reason =
            format!("has {} bytes, which is more than the limit of {}", text.len(), limits.bytes);
        return Err(SchemaError { path: String::new(), reason });
    }
    let mut reader = Reader::new(text, limits.depth);
    if let Err(fault) = reader.skip().and_then(|_| reader.end()) {
        let reason = format!("is not usable JSON: {} at byte {}", fault.kind.describe(), fault.at);
        return Err(SchemaError { path: String::new(), reason });
    }
    let mut compiler = Compiler {
        options,
        documents: Documents::new(limits.nodes),
        program: Program::new(),
        origins: vec![None, None],
        nodes: LocationIndex::default(),
        waiting: VecDeque::new(),
        dynamic_names: NameIndex::default(),
        left: limits.nodes,
        patterns: NameIndex::default(),
        pattern_bytes: 0,
        pattern_steps: MAX_PATTERN_STEPS,
    };
    compiler.run(text)?;
    loops::refuse(&compiler)?;
    let mut program = compiler.program;
    finish::finish(&mut program);
    Ok(program)
}

impl<'t> Compiler<'t> {
    fn run(&mut self, text: &'t str) -> Result<(), SchemaError> {
        let root = self.documents.add(text, "")?;
        self.program.root = self.node_at(root)?;
        // Schemas that nothing refers to are checked too: a mistake in them is one.
        for place in self.documents.schemas_of(root.document) {
            self.node_at(place)?;
        }
        loop {
            while let Some((node, place)) = self.waiting.pop_front() {
                self.build(node, place)?;
            }
            if !self.reach_dynamic_anchors()? {
                return Ok(());
            }
        }
    }

    /// The node of the schema `text`, which stands in the schema at `place`.
    pub(super) fn node(&mut self, place: Place<'t>, text: &'t str) -> Result<u32, SchemaError> {
        let place = self.documents.settled(Place { text, ..place });
        self.node_at(place)
    }

    pub(super) fn node_at(&mut self, place: Place<'t>) -> Result<u32, SchemaError> {
        match place.text {
            "true" => return Ok(TRUE),
            "false" => return Ok(FALSE),
            text if !text.starts_with('{') => {
                let reason = "must be a schema: an object, true or false".to_owned();
                return Err(self.documents.refuse(place, text, reason));
            }
            _ => {}
        }
        let location = self.documents.location(place);
        if let Some(node) = self.nodes.get(location) {
            return Ok(node as u32);
        }
        self.spend(place, 1)?;
        let node = self.program.nodes.len() as u32;
        self.program.nodes.push(Node::any(place.resource));
        self.origins.push(Some(place));
        self.nodes.insert(location, node as usize);
        self.waiting.push_back((node, place));
        Ok(node)
    }

    /// A list of nodes for a list of schemas.
    pub(super) fn node_list(
        &mut self,
        place: Place<'t>,
        texts: &[&'t str],
    ) -> Result<Span, SchemaError> {
        let mut nodes = Vec::with_capacity(texts.len());
        for text in texts {
            nodes.push(self.node(place, text)?);
        }
        let span = Span::new(self.program.lists.len(), nodes.len());
        self.program.lists.extend(nodes);
        Ok(span)
    }

    /// Counts what is made against the limit.
    pub(super) fn spend(&mut self, place: Place<'t>, count: usize) -> Result<(), SchemaError> {
        match self.left.checked_sub(count) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                let limit = self.options.limits.nodes;
                let reason = format!("the schema has more than {limit} schemas and names in it");
                Err(self.documents.refuse(place, place.text, reason))
            }
        }
    }

    fn build(&mut self, number: u32, place: Place<'t>) -> Result<(), SchemaError> {
        let keywords = Keywords::read(&self.documents, place)?;
        let dialect = self.documents.dialect(place);
        let mut node = Node::any(place.resource);
        let mut parts: Vec<Part> = Vec::new();
        self.add_references(&keywords, dialect, &mut parts)?;
        // In draft-07 nothing beside `$ref` counts.
        if dialect == Dialect::Draft202012 || !has_reference(place.text) {
            node.types = self.types(&keywords)?;
            node.string = self.string_rules(&keywords)?;
            node.number = self.number_rules(&keywords)?;
            node.literals = self.literals(&keywords)?;
            self.add_applicators(&keywords, dialect, &mut parts)?;
            node.array = self.array_rules(&keywords, dialect, &mut parts)?;
            node.object = self.object_rules(&keywords, dialect, &mut parts)?;
        }
        node.parts = Span::new(self.program.parts.len(), parts.len());
        self.program.parts.extend(parts);
        if let Some(slot) = self.program.nodes.get_mut(number as usize) {
            *slot = node;
        }
        Ok(())
    }

    /// Compiles the targets that `$dynamicRef` could find in the resources known so far; false when
    /// there is nothing new.
    fn reach_dynamic_anchors(&mut self) -> Result<bool, SchemaError> {
        let mut found = Vec::new();
        for (number, resource) in (0_u32..).zip(&self.documents.resources) {
            for (name, place) in &resource.dynamic_anchors {
                found.extend(self.dynamic_names.get(name).map(|row| (row, number, *place)));
            }
        }
        let mut rows = vec![Vec::new(); self.dynamic_names.len()];
        for (row, resource, place) in found {
            let node = self.node_at(place)?;
            if let Some(row) = rows.get_mut(row) {
                row.push((resource, node));
            }
        }
        self.program.anchors = rows;
        Ok(!self.waiting.is_empty())
    }

    /// Compiles a regular expression; `NONE` if the host enforces it.
    pub(super) fn expression(
        &mut self,
        place: Place<'t>,
        at: &'t str,
        source: &str,
    ) -> Result<u32, SchemaError> {
        if let Some(known) = self.patterns.get(source) {
            return Ok(known as u32);
        }
        if self.patterns.len() >= MAX_PATTERNS {
            let reason = format!("the schema has more than {MAX_PATTERNS} regular expressions");
            return Err(self.documents.refuse(place, at, reason));
        }
        let pattern = match Pattern::compile(source, &mut self.pattern_steps) {
            Ok(pattern) => pattern,
            Err(_) if self.options.host_enforces => {
                self.patterns.insert(Cow::Owned(source.to_owned()), NONE as usize);
                return Ok(NONE);
            }
            Err(error) if error.is_unsupported() => {
                let reason = format!(
                    "the regular expression cannot be matched in linear time: {error}; write it \
                     without that, or enforce it in the host and say so (`host_enforces`)"
                );
                return Err(self.documents.refuse(place, at, reason));
            }
            Err(error) => {
                let reason = format!("the regular expression cannot be used: {error}");
                return Err(self.documents.refuse(place, at, reason));
            }
        };
        self.pattern_bytes += pattern.memory();
        if self.pattern_bytes > MAX_PATTERN_BYTES {
            let reason = "the regular expressions of the schema take too much memory together";
            return Err(self.documents.refuse(place, at, reason.to_owned()));
        }
        let number = self.program.expressions.len() as u32;
        self.patterns.insert(Cow::Owned(source.to_owned()), number as usize);
        let source = self.program.names.add_text(source);
        let weight = pattern.weight();
        self.program.expressions.push(Expression { pattern, weight, source });
        Ok(number)
    }
}
