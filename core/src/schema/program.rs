//! The buffers of a compiled schema.

use std::ops::{Deref, DerefMut};

use super::arena::{
    ArrayRules, Bound, Dependent, Literals, NONE, Node, NumberRules, ObjectRules, Part,
    PatternRule, Span, StringRules, TextSpan,
};
use super::names::NameStore;
use super::types::Types;
use crate::pattern::Pattern;

/// A regular expression and its source.
#[derive(Debug)]
pub(super) struct Expression {
    pub(super) pattern: Pattern,
    /// What `Pattern::weight` says.
    pub(super) weight: usize,
    pub(super) source: TextSpan,
}

/// Everything that a compiled schema consists of. It does not change once it is compiled.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) root: u32,
    pub(super) nodes: Vec<Node>,
    pub(super) strings: Vec<StringRules>,
    pub(super) numbers: Vec<NumberRules>,
    pub(super) bounds: Vec<Bound>,
    pub(super) arrays: Vec<ArrayRules>,
    pub(super) objects: Vec<ObjectRules>,
    /// Sets of names of one object, as bits.
    pub(super) masks: Vec<u64>,
    pub(super) literals: Vec<Literals>,
    pub(super) names: NameStore,
    extras: Option<Box<Extras>>,
}

/// What the schemas of most tools do without. A program has it as if it were its own, and takes no room
/// for it while there is nothing in it.
#[derive(Debug)]
pub(super) struct Extras {
    pub(super) expressions: Vec<Expression>,
    pub(super) pattern_rules: Vec<PatternRule>,
    pub(super) dependents: Vec<Dependent>,
    pub(super) integers: Vec<i64>,
    /// Values of `enum` and `const` that are compared as texts.
    pub(super) others: Vec<TextSpan>,
    /// Lists of nodes.
    pub(super) lists: Vec<u32>,
    pub(super) parts: Vec<Part>,
    pub(super) switches: Vec<[u32; 6]>,
    /// For each name that `$dynamicRef` looks up at run time: resources, in ascending order, and the
    /// nodes in them.
    pub(super) anchors: Vec<Vec<(u32, u32)>>,
}

static NO_EXTRAS: Extras = Extras::new();

impl Deref for Program {
    type Target = Extras;

    #[inline]
    fn deref(&self) -> &Extras {
        self.extras.as_deref().unwrap_or(&NO_EXTRAS)
    }
}

impl DerefMut for Program {
    fn deref_mut(&mut self) -> &mut Extras {
        self.extras.get_or_insert_with(|| Box::new(Extras::new()))
    }
}

impl Extras {
    const fn new() -> Extras {
        Extras {
            expressions: Vec::new(),
            pattern_rules: Vec::new(),
            dependents: Vec::new(),
            integers: Vec::new(),
            others: Vec::new(),
            lists: Vec::new(),
            parts: Vec::new(),
            switches: Vec::new(),
            anchors: Vec::new(),
        }
    }

    fn is_empty(&self) -> bool {
        self.expressions.is_empty()
            && self.pattern_rules.is_empty()
            && self.dependents.is_empty()
            && self.integers.is_empty()
            && self.others.is_empty()
            && self.lists.is_empty()
            && self.parts.is_empty()
            && self.switches.is_empty()
            && self.anchors.is_empty()
    }

    fn shrink(&mut self) {
        self.expressions.shrink_to_fit();
        self.pattern_rules.shrink_to_fit();
        self.dependents.shrink_to_fit();
        self.integers.shrink_to_fit();
        self.others.shrink_to_fit();
        self.lists.shrink_to_fit();
        self.parts.shrink_to_fit();
        self.switches.shrink_to_fit();
        self.anchors.shrink_to_fit();
    }

    /// Approximate bytes, with itself.
    fn memory(&self) -> usize {
        let patterns: usize =
            self.expressions.iter().map(|expression| expression.pattern.memory()).sum();
        let anchors: usize = self.anchors.iter().map(|row| size_of_val(row.as_slice())).sum();
        size_of::<Extras>()
            + patterns
            + anchors
            + size_of_val(self.expressions.as_slice())
            + size_of_val(self.pattern_rules.as_slice())
            + size_of_val(self.dependents.as_slice())
            + size_of_val(self.integers.as_slice())
            + size_of_val(self.others.as_slice())
            + size_of_val(self.lists.as_slice())
            + size_of_val(self.parts.as_slice())
            + size_of_val(self.switches.as_slice())
    }
}

impl Program {
    /// A program with nothing but the nodes that all and that no values match.
    pub(super) fn new() -> Program {
        Program {
            root: NONE,
            nodes: vec![Node::any(0), Node { types: Types::NONE, ..Node::any(0) }],
            strings: Vec::new(),
            numbers: Vec::new(),
            bounds: Vec::new(),
            arrays: Vec::new(),
            objects: Vec::new(),
            masks: Vec::new(),
            literals: Vec::new(),
            names: NameStore::default(),
            extras: None,
        }
    }

    /// What is there besides the common buffers, to be changed; nothing if there is nothing.
    pub(super) fn extras_mut(&mut self) -> Option<&mut Extras> {
        self.extras.as_deref_mut()
    }

    #[inline]
    pub(super) fn node(&self, node: u32) -> Option<&Node> {
        self.nodes.get(node as usize)
    }

    pub(super) fn list(&self, span: Span) -> &[u32] {
        self.lists.get(span.range()).unwrap_or_default()
    }

    pub(super) fn parts(&self, span: Span) -> &[Part] {
        self.parts.get(span.range()).unwrap_or_default()
    }

    pub(super) fn patterns(&self, rules: &ObjectRules) -> &[PatternRule] {
        self.pattern_rules.get(rules.patterns.range()).unwrap_or_default()
    }

    #[inline]
    pub(super) fn text(&self, span: TextSpan) -> &str {
        self.names.text(span)
    }

    /// Gives back what the buffers have to spare.
    pub(super) fn shrink(&mut self) {
        self.nodes.shrink_to_fit();
        self.strings.shrink_to_fit();
        self.numbers.shrink_to_fit();
        self.bounds.shrink_to_fit();
        self.arrays.shrink_to_fit();
        self.objects.shrink_to_fit();
        self.masks.shrink_to_fit();
        self.literals.shrink_to_fit();
        self.names.shrink();
        self.extras = self.extras.take().filter(|extras| !extras.is_empty());
        if let Some(extras) = &mut self.extras {
            extras.shrink();
        }
    }

    /// Approximate bytes on the heap.
    pub(super) fn memory(&self) -> usize {
        self.extras.as_ref().map_or(0, |extras| extras.memory())
            + self.names.memory()
            + size_of_val(self.nodes.as_slice())
            + size_of_val(self.strings.as_slice())
            + size_of_val(self.numbers.as_slice())
            + size_of_val(self.bounds.as_slice())
            + size_of_val(self.arrays.as_slice())
            + size_of_val(self.objects.as_slice())
            + size_of_val(self.masks.as_slice())
            + size_of_val(self.literals.as_slice())
    }
}
