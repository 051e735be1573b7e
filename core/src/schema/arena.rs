//! What a compiled schema is made of: nodes and rules in flat buffers that point at each other by number.

use super::names::Names;
use super::number::Divisor;
use super::sight::Sight;
use super::types::Types;
use crate::json::Short;

/// No rules of that sort.
pub(super) const NONE: u32 = u32::MAX;

/// The node that every value matches.
pub(super) const TRUE: u32 = 0;

/// The node that no value matches.
pub(super) const FALSE: u32 = 1;

/// A stretch of a buffer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Span {
    start: u32,
    length: u32,
}

impl Span {
    pub(super) const EMPTY: Span = Span { start: 0, length: 0 };

    pub(super) fn new(start: usize, length: usize) -> Span {
        // A schema is bounded far below 4 GiB; what saturates is found nowhere.
        let start = u32::try_from(start).unwrap_or(u32::MAX);
        Span { start, length: u32::try_from(length).unwrap_or(0) }
    }

    #[inline]
    pub(super) fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.start as usize + self.length as usize
    }

    #[inline]
    pub(super) fn len(self) -> usize {
        self.length as usize
    }

    #[inline]
    pub(super) fn is_empty(self) -> bool {
        self.length == 0
    }
}

/// A stretch of the common text.
pub(super) type TextSpan = Span;

/// One schema: what a value must be by itself, and the further schemas that the same value must match.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) types: Types,
    /// Whether this node cannot be answered by its own rules alone.
    pub(super) way: Way,
    pub(super) string: u32,
    pub(super) number: u32,
    pub(super) array: u32,
    pub(super) object: u32,
    pub(super) literals: u32,
    pub(super) parts: Span,
    /// The schema resource that the node stands in, for `$dynamicRef`.
    pub(super) resource: u32,
}

/// How a node is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// By its own rules, in one pass.
    Own,
    /// By the one alternative that the first byte of the value leaves.
    Switch,
    /// By its own rules and every part in turn.
    Parts,
}

impl Node {
    pub(super) fn any(resource: u32) -> Node {
        Node {
            types: Types::ANY,
            way: Way::Own,
            string: NONE,
            number: NONE,
            array: NONE,
            object: NONE,
            literals: NONE,
            parts: Span::default(),
            resource,
        }
    }

    /// Whether the node says nothing by itself but which types it allows, and those so that the first
    /// byte of a value tells.
    pub(super) fn is_mere_type(&self) -> bool {
        let untyped = Node { types: Types::ANY, ..*self };
        !untyped.has_own_rules() && self.types == self.types.by_first_byte()
    }

    /// Whether the node says anything by itself.
    pub(super) fn has_own_rules(&self) -> bool {
        self.types != Types::ANY
            || self.string != NONE
            || self.number != NONE
            || self.array != NONE
            || self.object != NONE
            || self.literals != NONE
    }
}

/// A further schema that applies to the same value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    /// `$ref`, a branch of `allOf`.
    Apply(u32),
    /// `$dynamicRef` with more than one possible target: the row of its anchor, and where it leads
    /// when the dynamic scope says nothing else.
    Dynamic { anchor: u32, otherwise: u32 },
    /// `anyOf`.
    Any(Span),
    /// `oneOf`.
    One(Span),
    /// `anyOf` or `oneOf` whose alternatives differ in type: the node for each first byte.
    Switch { table: u32, branches: Span },
    /// `not`.
    Not(u32),
    /// `if`, `then`, `else`.
    If { condition: u32, then: u32, otherwise: u32 },
    /// One member of `dependentSchemas`.
    Dependent { name: TextSpan, node: u32 },
    /// `unevaluatedProperties`.
    UnevaluatedProperties(u32),
    /// `unevaluatedItems`.
    UnevaluatedItems(u32),
}

/// Rules for strings.
#[derive(Clone, Copy, Debug)]
pub(super) struct StringRules {
    pub(super) min: u64,
    pub(super) max: u64,
    pub(super) pattern: u32,
}

/// Rules for numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct NumberRules {
    /// Every integer from the first to the second keeps all of these rules. Empty where that is not known.
    pub(super) kept: (i64, i64),
    pub(super) bounds: Span,
    pub(super) divisor: Option<Divisor>,
    pub(super) divisor_text: TextSpan,
}

/// One of `minimum`, `maximum` and their exclusive kin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    pub(super) side: Side,
    /// The value, if it is written shortly.
    pub(super) short: Option<Short>,
    pub(super) text: TextSpan,
}

/// On which side of a bound values must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    AtLeast,
    Above,
    AtMost,
    Below,
}

/// Rules for arrays.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArrayRules {
    pub(super) min: u64,
    pub(super) max: u64,
    /// Nodes for the first elements.
    pub(super) prefix: Span,
    /// The node for the others.
    pub(super) items: Option<u32>,
    pub(super) contains: Option<Contains>,
    pub(super) unique: bool,
}

/// `contains`, `minContains`, `maxContains`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contains {
    pub(super) node: u32,
    pub(super) min: u64,
    pub(super) max: u64,
}

/// Rules for objects.
#[derive(Clone, Copy, Debug)]
pub(super) struct ObjectRules {
    /// Every name that a rule mentions, with its node, or `NONE` where `properties` lacks it.
    pub(super) names: Names,
    pub(super) sight: Sight,
    /// Bits of the names that are required, 64 a word.
    pub(super) required: Span,
    /// The first word of them, which for most schemas is all.
    pub(super) required_head: u64,
    pub(super) min: u64,
    pub(super) max: u64,
    /// Patterns of names, with their nodes.
    pub(super) patterns: Span,
    /// The node for names that neither `properties` nor a pattern has.
    pub(super) additional: Option<u32>,
    pub(super) property_names: Option<u32>,
    /// `dependentRequired`.
    pub(super) dependents: Span,
    /// Which keyword `additional` came from, for messages.
    pub(super) additional_keyword: &'static str,
}

impl ObjectRules {
    /// Rules that say nothing but that no name stands twice.
    pub(super) const MERE: ObjectRules = ObjectRules {
        names: Names::EMPTY,
        sight: Sight::BLIND,
        required: Span::EMPTY,
        required_head: 0,
        min: 0,
        max: u64::MAX,
        patterns: Span::EMPTY,
        additional: None,
        property_names: None,
        dependents: Span::EMPTY,
        additional_keyword: "",
    };

    /// Whether a name says by itself which node is for its value.
    #[inline]
    pub(super) fn is_plain(&self) -> bool {
        self.patterns.is_empty() && self.property_names.is_none()
    }

    /// The node of names that are found nowhere.
    #[inline]
    pub(super) fn fallback(&self) -> u32 {
        self.additional.unwrap_or(TRUE)
    }
}

/// A pattern of property names.
#[derive(Clone, Copy, Debug)]
pub(super) struct PatternRule {
    pub(super) pattern: u32,
    pub(super) node: u32,
}

/// One requirement of `dependentRequired`, as places in the names of the object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dependent {
    pub(super) present: u32,
    pub(super) required: u32,
}

/// `enum` or `const`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Literals {
    pub(super) strings: Names,
    /// Whether null, false, true are among them.
    pub(super) null: bool,
    pub(super) no: bool,
    pub(super) yes: bool,
    /// Short integers, sorted.
    pub(super) integers: Span,
    /// Other numbers, arrays and objects, as texts.
    pub(super) others: Span,
    /// All of them as a message shows them.
    pub(super) shown: TextSpan,
    pub(super) keyword: &'static str,
}
