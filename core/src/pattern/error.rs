//! Why a pattern was refused.

use std::borrow::Cow;
use std::fmt;

/// Why a pattern was refused, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PatternError {
    kind: Kind,
    offset: usize,
    reason: Cow<'static, str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Syntax,
    Unsupported,
    TooLarge,
}

impl PatternError {
    /// Something that is not a pattern of ECMA-262, or that other dialects read differently.
    #[cold]
    pub(super) fn syntax(offset: usize, reason: impl Into<Cow<'static, str>>) -> PatternError {
        PatternError { kind: Kind::Syntax, offset, reason: reason.into() }
    }

    /// Something legal that this matcher does not do.
    #[cold]
    pub(super) fn unsupported(offset: usize, reason: impl Into<Cow<'static, str>>) -> PatternError {
        PatternError { kind: Kind::Unsupported, offset, reason: reason.into() }
    }

    /// Something that exceeds one of the bounds.
    #[cold]
    pub(super) fn too_large(offset: usize, reason: impl Into<Cow<'static, str>>) -> PatternError {
        PatternError { kind: Kind::TooLarge, offset, reason: reason.into() }
    }

    /// The byte of the pattern at which the problem was noticed.
    #[cfg(test)]
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    /// Whether the pattern is legal ECMA-262, but asks for what this matcher does not do:
    /// look-ahead, look-behind, backreferences, modifiers and Unicode properties without a table.
    pub(crate) fn is_unsupported(&self) -> bool {
        self.kind == Kind::Unsupported
    }

    /// Whether the pattern exceeds one of the bounds, so that a simpler one would be accepted.
    #[cfg(test)]
    pub(crate) fn is_too_large(&self) -> bool {
        self.kind == Kind::TooLarge
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.reason, self.offset)
    }
}

impl std::error::Error for PatternError {}
