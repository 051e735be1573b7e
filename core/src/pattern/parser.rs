//! The grammar of patterns: alternatives, groups and quantifiers.

use std::collections::BTreeMap;

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
    pub(super) properties: BTreeMap<&'s str, CharSet>,
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
        Parser { source, at: 0, builder: Builder::default(), properties: BTreeMap::new() }
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
        let Some((inside, _)) = inside.split_once('}') else {
            return Brace::Literal;
        };
        let end = offset + inside.len() + 2;
        let (least, most) = match inside.split_once(',') {
            None => (inside, Some(inside)),
            Some((least, "")) => (least, None),
            Some((least, most)) => (least, Some(most)),
        };
        match (number(least), most.map(number)) {
            (Some(least), None) => Brace::Count((least, None), end),
            (Some(least), Some(Some(most))) => Brace::Count((least, Some(most)), end),
            (None, Some(Some(_))) if least.is_empty() => Brace::NoMinimum,
            _ => Brace::Literal,
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
        let flags = self.rest().trim_start_matches(|c: char| c.is_ascii_lowercase() || c == '-');
        if flags.len() < self.rest().len() {
            return Err(match flags.chars().next() {
                Some(':') => PatternError::unsupported(
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
        let Some((name, _)) = self.rest().split_once('>') else {
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

/// A decimal number; one that is too large for anything is as good as the largest.
fn number(digits: &str) -> Option<u32> {
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(digits.parse().unwrap_or(u32::MAX))
}

fn nothing_to_repeat(offset: usize) -> PatternError {
    let reason = "nothing to repeat here: write a backslash before a quantifier that is meant as a \
                  character";
    PatternError::syntax(offset, reason)
}

fn no_minimum(offset: usize) -> PatternError {
    PatternError::syntax(offset, "quantifier without its minimum: write {0,n} instead of {,n}")
}
