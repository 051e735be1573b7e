//! The grammar of patterns: alternatives, groups and quantifiers.

use super::charset::CharSet;
use super::error::PatternError;
use super::escape::Escape;
use super::program::{Assertion, Builder, Count, Program};

/// Groups inside one another.
pub(super) const MAX_DEPTH: usize = 250;

/// A reader of one pattern that writes its program on the way.
///
/// Open groups are kept in a list, not on the stack of the thread, so that no nesting overflows it.
#[derive(Debug)]
pub(super) struct Parser<'s> {
    source: &'s str,
    at: usize,
    builder: Builder,
    /// Properties that have been named: making one takes a while, however short its name is.
    pub(super) properties: Vec<(&'s str, CharSet)>,
    /// How many ranges the sets have that were named in classes.
    pub(super) named_ranges: usize,
}

/// A group that has not been closed.
#[derive(Debug, Default)]
struct Group {
    /// Where its parenthesis stands.
    offset: usize,
    /// Its first instruction.
    start: usize,
    /// The first instruction of the branch that is being read.
    branch: usize,
    /// The jumps at the ends of the branches before.
    exits: Vec<usize>,
}

/// What a brace begins.
enum Brace {
    /// A quantifier, and where it ends.
    Count(Count, usize),
    /// `{,n}`, which is a quantifier elsewhere.
    NoMinimum,
    /// Nothing but itself.
    Literal,
}

impl<'s> Parser<'s> {
    /// A parser at the start of `source`.
    pub(super) fn new(source: &'s str) -> Parser<'s> {
        Parser {
            source,
            at: 0,
            builder: Builder::default(),
            properties: Vec::new(),
            named_ranges: 0,
        }
    }

    /// Reads the whole pattern.
    pub(super) fn parse(mut self) -> Result<Program, PatternError> {
        let mut outer: Vec<Group> = Vec::new();
        let mut group = Group::default();
        loop {
            let offset = self.at;
            let mut start = self.builder.position();
            let Some(character) = self.next() else { break };
            match character {
                '|' => {
                    group.exits.push(self.builder.branch(group.branch, offset)?);
                    group.branch = self.builder.position();
                    continue;
                }
                '(' => {
                    self.group_kind(offset)?;
                    if outer.len() >= MAX_DEPTH {
                        return Err(PatternError::too_large(offset, "groups nested too deeply"));
                    }
                    let inner = Group { offset, start, branch: start, exits: Vec::new() };
                    outer.push(std::mem::replace(&mut group, inner));
                    continue;
                }
                ')' => {
                    let Some(enclosing) = outer.pop() else {
                        let reason = "nothing is open here: write \\) for a parenthesis";
                        return Err(PatternError::syntax(offset, reason));
                    };
                    let closed = std::mem::replace(&mut group, enclosing);
                    self.builder.join(&closed.exits);
                    start = closed.start;
                }
                '^' => {
                    self.builder.assert(Assertion::Start, offset)?;
                    continue;
                }
                '$' => {
                    self.builder.assert(Assertion::End, offset)?;
                    continue;
                }
                '\\' => match self.escape(offset, false)? {
                    Escape::Assertion(assertion) => {
                        self.builder.assert(assertion, offset)?;
                        continue;
                    }
                    Escape::Code(code) => self.builder.take(CharSet::one(code), offset)?,
                    Escape::Set(set) => self.builder.take(set, offset)?,
                },
                '[' => {
                    let set = self.class(offset)?;
                    self.builder.take(set, offset)?;
                }
                '.' => self.builder.take(CharSet::dot(), offset)?,
                '*' | '+' | '?' => return Err(nothing_to_repeat(offset)),
                '{' => match self.brace(offset) {
                    Brace::Count(..) => return Err(nothing_to_repeat(offset)),
                    Brace::NoMinimum => return Err(no_minimum(offset)),
                    Brace::Literal => self.builder.take(CharSet::one('{'.into()), offset)?,
                },
                other => self.builder.take(CharSet::one(other.into()), offset)?,
            }
            self.quantifier(start)?;
        }
        if !outer.is_empty() {
            let reason = "group is not closed: add a closing parenthesis, or write \\(";
            return Err(PatternError::syntax(group.offset, reason));
        }
        self.builder.join(&group.exits);
        self.builder.finish(self.source.len())
    }

    /// The next character, which is then read.
    pub(super) fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.at += character.len_utf8();
        Some(character)
    }

    /// The next character.
    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Reads `text` if it comes next.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    /// What has not been read.
    pub(super) fn rest(&self) -> &'s str {
        self.source.get(self.at..).unwrap_or_default()
    }

    /// What stands from `start` until the first `end`, a byte of ASCII.
    #[inline(never)]
    pub(super) fn until(&self, start: usize, end: u8) -> Option<&'s str> {
        let length = self.source.bytes().skip(start).position(|byte| byte == end)?;
        self.source.get(start..start + length)
    }

    /// Where the next character stands.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Goes back, or further, to a place between characters.
    pub(super) fn go_to(&mut self, at: usize) {
        self.at = at;
    }

    /// Applies the quantifier that comes next, if one does, to what stands from `start`.
    fn quantifier(&mut self, start: usize) -> Result<(), PatternError> {
        let offset = self.at;
        let count = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => match self.brace(offset) {
                Brace::Count(count, end) => {
                    self.at = end;
                    count
                }
                Brace::NoMinimum => return Err(no_minimum(offset)),
                Brace::Literal => return Ok(()),
            },
            _ => return Ok(()),
        };
        if self.at == offset {
            self.at += 1;
        }
        if count.1.is_some_and(|most| most < count.0) {
            let reason = "numbers of a quantifier out of order: write the smaller one first";
            return Err(PatternError::syntax(offset, reason));
        }
        // As few as possible or as many as possible: whether there is a match does not depend on it.
        if !self.eat("?") && self.peek() == Some('+') {
            let reason = "possessive quantifiers do not exist in ECMA-262: remove the second +";
            return Err(PatternError::syntax(self.at, reason));
        }
        self.builder.repeat(start, count, offset)
    }

    /// What the brace at `offset` begins.
    fn brace(&self, offset: usize) -> Brace {
        let inside = self.source.get(offset + 1..).unwrap_or_default();
        let (least, rest) = split_digits(inside);
        let (most, rest) = match rest.strip_prefix(',') {
            Some(rest) => split_digits(rest),
            None => (least, rest),
        };
        if !rest.starts_with('}') {
            return Brace::Literal;
        }
        let end = self.source.len() - rest.len() + 1;
        match (number(least), number(most)) {
            (Some(least), most) => Brace::Count((least, most), end),
            (None, Some(_)) => Brace::NoMinimum,
            (None, None) => Brace::Literal,
        }
    }

    /// Reads what says of which kind a group is, and refuses kinds that are not plain groups.
    fn group_kind(&mut self, offset: usize) -> Result<(), PatternError> {
        if !self.eat("?") || self.eat(":") {
            return Ok(());
        }
        if self.eat("=") || self.eat("!") {
            let reason = "look-ahead cannot be matched in linear time: use allOf, not, or several \
                          patterns";
            return Err(PatternError::unsupported(offset, reason));
        }
        if self.eat("<=") || self.eat("<!") {
            let reason = "look-behind cannot be matched in linear time: use allOf, not, or several \
                          patterns";
            return Err(PatternError::unsupported(offset, reason));
        }
        if self.eat("<") || self.eat("P<") {
            return self.group_name();
        }
        let is_flag = |byte: &u8| byte.is_ascii_lowercase() || *byte == b'-';
        let mut behind_flags = self.rest().bytes().skip_while(is_flag);
        if self.rest().as_bytes().first().is_some_and(is_flag) {
            return Err(match behind_flags.next() {
                Some(b':') => PatternError::unsupported(
                    offset,
                    "modifiers such as (?i:...) are not supported: write both cases as in [Aa]",
                ),
                _ => PatternError::syntax(
                    offset,
                    "inline flags such as (?i) do not exist in ECMA-262: write both cases as in \
                     [Aa]",
                ),
            });
        }
        let reason = "unknown kind of group: only (...), (?:...) and (?<name>...) are possible";
        Err(PatternError::syntax(offset, reason))
    }

    fn group_name(&mut self) -> Result<(), PatternError> {
        let offset = self.at;
        let Some(name) = self.until(offset, b'>') else {
            return Err(PatternError::syntax(offset, "group name is not closed: add a >"));
        };
        let letter = |c: char| c.is_alphabetic() || c == '_' || c == '$';
        if !name.starts_with(letter) || !name.chars().all(|c| letter(c) || c.is_numeric()) {
            let reason =
                "a group name has letters, digits, _ and $ and does not start with a digit";
            return Err(PatternError::syntax(offset, reason));
        }
        self.at += name.len() + 1;
        Ok(())
    }
}

/// The digits at the start of a text, and the rest.
fn split_digits(text: &str) -> (&str, &str) {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// What digits are worth, if there are any; beyond every bound they are as good as the largest.
fn number(digits: &str) -> Option<u32> {
    (!digits.is_empty()).then(|| digits.parse().unwrap_or(u32::MAX))
}

fn nothing_to_repeat(offset: usize) -> PatternError {
    let reason = "nothing to repeat here: write a backslash before a quantifier that is meant as a \
                  character";
    PatternError::syntax(offset, reason)
}

fn no_minimum(offset: usize) -> PatternError {
    PatternError::syntax(offset, "quantifier without its minimum: write {0,n} instead of {,n}")
}
