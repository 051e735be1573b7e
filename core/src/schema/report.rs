//! Two ways to take the failures of an evaluation: stop at the first, or collect them all.

use super::equality::Unanswered;
use super::message::shown;
use super::pointer::push_token;
use super::types::Types;
use super::violation::Violation;
use crate::json::{Fault, Str};

/// Why an evaluation does not go on. One byte, because every value passes it on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The value does not match, and nobody wants to know more.
    Invalid,
    /// As many violations as are wanted have been collected.
    Enough,
    /// A name stands in its object for the second time. No schema can allow that, so `not` and
    /// alternatives do not catch it.
    Duplicate,
    /// A limit was reached.
    OutOfSteps,
    /// The text is not JSON. Reading it once more, from the start of the value, tells where.
    Fault,
}

impl From<Fault> for Stop {
    #[inline]
    fn from(_: Fault) -> Stop {
        Stop::Fault
    }
}

impl From<Unanswered> for Stop {
    #[inline]
    fn from(unanswered: Unanswered) -> Stop {
        match unanswered {
            Unanswered::OutOfSteps => Stop::OutOfSteps,
            Unanswered::Fault => Stop::Fault,
        }
    }
}

/// What happens with failures.
pub(super) trait Report {
    /// Whether failures are collected, so that messages are worth making.
    const COLLECTS: bool;

    /// The value here violates `keyword`. Goes on only if failures are collected.
    fn fail(&mut self, keyword: &'static str, message: impl FnOnce() -> String)
    -> Result<(), Stop>;

    /// The value here, `text`, which stands at offset `start`, is of no type that is wanted.
    fn fail_type(&mut self, wanted: Types, text: &str, start: usize) -> Result<(), Stop>;

    /// The evaluation goes into a member.
    fn enter_member(&mut self, name: Str<'_>);

    /// The evaluation goes into an element.
    fn enter_element(&mut self, index: usize);

    /// The evaluation comes out of a member or element.
    fn leave(&mut self);

    /// How many values were of the wrong type so far.
    fn wrong_types(&self) -> usize;

    /// Whether to say what each alternative wants.
    fn explains_alternatives(&self) -> bool;
}

/// Stops at the first failure.
pub(super) struct Silent;

impl Report for Silent {
    const COLLECTS: bool = false;

    #[inline]
    fn fail(&mut self, _: &'static str, _: impl FnOnce() -> String) -> Result<(), Stop> {
        Err(Stop::Invalid)
    }

    #[inline]
    fn fail_type(&mut self, _: Types, _: &str, _: usize) -> Result<(), Stop> {
        Err(Stop::Invalid)
    }

    #[inline]
    fn enter_member(&mut self, _: Str<'_>) {}

    #[inline]
    fn enter_element(&mut self, _: usize) {}

    #[inline]
    fn leave(&mut self) {}

    #[inline]
    fn wrong_types(&self) -> usize {
        0
    }

    fn explains_alternatives(&self) -> bool {
        false
    }
}

/// A value of the wrong type: where it stands, and which types are wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mismatch {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) wanted: Types,
}

/// Collects violations up to a limit.
pub(super) struct Collector {
    pub(super) violations: Vec<Violation>,
    pub(super) mismatches: Vec<Mismatch>,
    /// Whether to name the wishes of alternatives in a message; not inside such a message.
    explains: bool,
    limit: usize,
    path: String,
    /// Lengths of the path before each step into it.
    steps: Vec<usize>,
}

impl Collector {
    pub(super) fn new(limit: usize, explains: bool) -> Collector {
        Collector {
            violations: Vec::new(),
            mismatches: Vec::new(),
            explains,
            limit,
            path: String::new(),
            steps: Vec::new(),
        }
    }

    // Apart from the making of messages, which is different code for each of them.
    #[inline(never)]
    fn note(&mut self, keyword: &'static str, message: String) -> Result<(), Stop> {
        let violation = Violation { instance_path: self.path.clone(), keyword, message };
        // The same schema may lead here twice.
        if !self.violations.contains(&violation) {
            self.violations.push(violation);
        }
        if self.violations.len() >= self.limit { Err(Stop::Enough) } else { Ok(()) }
    }
}

impl Report for Collector {
    const COLLECTS: bool = true;

    fn fail(
        &mut self,
        keyword: &'static str,
        message: impl FnOnce() -> String,
    ) -> Result<(), Stop> {
        self.note(keyword, message())
    }

    fn fail_type(&mut self, wanted: Types, text: &str, start: usize) -> Result<(), Stop> {
        self.mismatches.push(Mismatch { start, end: start + text.len(), wanted });
        if wanted == Types::NONE {
            return self.fail("false", || "is not allowed here".to_owned());
        }
        self.fail("type", || {
            let found = match text.as_bytes().first() {
                Some(b'"') => "a string",
                Some(b'{') => "an object",
                Some(b'[') => "an array",
                Some(b't' | b'f') => "a boolean",
                Some(b'n') => "null",
                _ => {
                    return format!("must be {}, but is {}", wanted.describe(), shown(text));
                }
            };
            format!("must be {}, but is {found}", wanted.describe())
        })
    }

    fn enter_member(&mut self, name: Str<'_>) {
        self.steps.push(self.path.len());
        push_token(&mut self.path, &shown(&name.decode()));
    }

    fn enter_element(&mut self, index: usize) {
        self.steps.push(self.path.len());
        push_token(&mut self.path, &index.to_string());
    }

    fn leave(&mut self) {
        let length = self.steps.pop().unwrap_or(0);
        self.path.truncate(length);
    }

    fn wrong_types(&self) -> usize {
        self.mismatches.len()
    }

    fn explains_alternatives(&self) -> bool {
        self.explains
    }
}
