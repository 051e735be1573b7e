//! The bounds of compiling and validating, and what else the host can choose.

use crate::json::MAX_DEPTH;

/// Bytes of all schemas in a schema, where each counts with those inside it: what it takes to read each
/// of them. A large schema reaches this only if most of it is nested very deeply.
pub(super) const MAX_NESTED_BYTES: usize = 16 << 20;

/// How much work and memory a schema may take.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaLimits {
    /// Bytes of the schema's text. Default 1 MiB.
    pub bytes: usize,
    /// Nested arrays and objects in the schema's text. Default 128, at most 512.
    pub depth: u32,
    /// Schemas in the schema, and names in its `properties`, `required` and `enum`. Default 50,000.
    pub nodes: usize,
    /// Work of one validation beyond reading the value once: each application of a subschema to a
    /// value that was read before is a step, and so is each 32 bytes that are read again.
    /// Default 1,000,000.
    pub steps: u64,
    /// How many subschemas (`$ref`, `anyOf` and their like) may be at work on a value and on those
    /// around it at once. Beyond that a validation ends as if it were out of steps. Default 256.
    pub nesting: u32,
    /// Nested arrays and objects in a value that is given as text. Default 64, at most 512.
    pub value_depth: u32,
    /// Violations that are reported for one value. Default 16.
    pub violations: usize,
}

impl Default for SchemaLimits {
    fn default() -> SchemaLimits {
        SchemaLimits {
            bytes: 1 << 20,
            depth: 128,
            nodes: 50_000,
            steps: 1_000_000,
            nesting: 256,
            value_depth: 64,
            violations: 16,
        }
    }
}

impl SchemaLimits {
    /// The same limits with absurd values brought to what can be kept.
    pub(super) fn clamped(&self) -> SchemaLimits {
        SchemaLimits {
            // Offsets in a schema are kept in 32 bits.
            bytes: self.bytes.min(1 << 30),
            depth: self.depth.min(MAX_DEPTH),
            nodes: self.nodes.min(1 << 24),
            value_depth: self.value_depth.min(MAX_DEPTH),
            violations: self.violations.max(1),
            ..self.clone()
        }
    }
}

/// What of the limits a compiled schema still needs.
#[derive(Debug)]
pub(super) struct ValueLimits {
    pub(super) steps: u64,
    pub(super) nesting: u32,
    pub(super) value_depth: u32,
    pub(super) violations: usize,
}

impl From<&SchemaLimits> for ValueLimits {
    fn from(limits: &SchemaLimits) -> ValueLimits {
        let SchemaLimits { steps, nesting, value_depth, violations, .. } = *limits;
        ValueLimits { steps, nesting, value_depth, violations }
    }
}

/// How a schema is compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompileOptions {
    /// The bounds.
    pub limits: SchemaLimits,
    /// Whether the host itself enforces the regular expressions that cannot be used here: those that
    /// cannot be matched in linear time, such as with look-around, and those of other dialects. Then
    /// they are left out instead of being refused; every other keyword is still enforced.
    pub host_enforces: bool,
}
