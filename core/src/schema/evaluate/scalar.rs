//! Strings, numbers, `true`, `false`, `null`, and values that are listed.

use std::cmp::Ordering;

use super::super::arena::{Bound, Literals, NONE, Node, NumberRules, Side, StringRules};
use super::super::equality::equal;
use super::super::message::{bound, bound_keyword, counted, shown};
use super::super::number::Number;
use super::super::report::{Report, Stop};
use super::super::types::Types;
use super::evaluator::Evaluator;
use crate::json::{MAX_DEPTH, Plain, Reader, Short, Str, Word};

/// What it costs to match a name against an expression, however short it is, in bytes to read.
const BYTES_PER_NAME: usize = 16;

impl<'s, R: Report> Evaluator<'s, R> {
    /// A string whose quote was peeked at.
    #[inline(never)]
    pub(super) fn string(&mut self, node: &'s Node, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let Some(text) = reader.plain_string() else { return self.escaped_string(node, reader) };
        if let Some(rules) = self.program.strings.get(node.string as usize) {
            let bytes = text.len() as u64;
            // A character takes at most four bytes: most lengths need no counting.
            if rules.min > bytes / 4 || rules.max < bytes {
                self.length_rules(rules, reader.last_plain(text.len()))?;
            }
            if rules.pattern != NONE {
                self.pattern_rule(rules, reader.last_plain(text.len()))?;
            }
        }
        match self.program.literals.get(node.literals as usize) {
            Some(literals) => self.listed_string(literals, &Plain::new(text)),
            None => Ok(()),
        }
    }

    /// The same for a string with escapes in it, or a wrong one.
    #[inline(never)]
    fn escaped_string(&mut self, node: &'s Node, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let string = reader.string()?;
        if let Some(rules) = self.program.strings.get(node.string as usize) {
            self.length_rules(rules, string)?;
            self.pattern_rule(rules, string)?;
        }
        match self.program.literals.get(node.literals as usize) {
            Some(literals) => self.listed_string(literals, &Plain::new(string.decode().as_bytes())),
            None => Ok(()),
        }
    }

    #[inline(never)]
    fn length_rules(&mut self, rules: &'s StringRules, string: Str<'_>) -> Result<(), Stop> {
        let bytes = string.raw().len() as u64;
        // With escapes a character takes at most twelve bytes.
        if rules.min > bytes.div_ceil(12) || rules.max < bytes {
            let length = characters(string);
            if length < rules.min {
                self.report.fail("minLength", || {
                    let least = counted(rules.min, "character", "characters");
                    format!("must have at least {least}, but has {length}")
                })?;
            }
            if length > rules.max {
                self.report.fail("maxLength", || {
                    let most = counted(rules.max, "character", "characters");
                    format!("must have at most {most}, but has {length}")
                })?;
            }
        }
        Ok(())
    }

    fn pattern_rule(&mut self, rules: &'s StringRules, string: Str<'_>) -> Result<(), Stop> {
        if rules.pattern == NONE || self.string_matches(rules.pattern, string)? {
            return Ok(());
        }
        let source = self.program.expressions.get(rules.pattern as usize);
        let source = source.map_or("", |expression| self.program.text(expression.source));
        self.report.fail("pattern", || format!("must match the pattern {}", shown(source)))
    }

    fn string_matches(&mut self, expression: u32, string: Str<'_>) -> Result<bool, Stop> {
        match string.plain() {
            Some(text) => self.matches(expression, text),
            None => self.matches(expression, &string.decode()),
        }
    }

    /// Whether a text matches an expression of the schema.
    #[inline]
    pub(super) fn matches(&mut self, expression: u32, text: &str) -> Result<bool, Stop> {
        let Some(expression) = self.program.expressions.get(expression as usize) else {
            return Ok(true);
        };
        self.steps.take_bytes((text.len() * expression.weight) as u64)?;
        Ok(expression.pattern.is_match(text))
    }

    /// Whether a name matches an expression. A schema may have a thousand of them for each name, so
    /// that even small ones are not free.
    pub(super) fn name_matches(&mut self, expression: u32, name: &str) -> Result<bool, Stop> {
        self.steps.take_bytes((BYTES_PER_NAME + name.len()) as u64)?;
        self.matches(expression, name)
    }

    #[inline]
    fn listed_string(&mut self, literals: &'s Literals, text: &Plain<'_>) -> Result<(), Stop> {
        match self.program.names.set(&literals.strings).find(text) {
            Some(_) => Ok(()),
            None => self.not_listed(literals),
        }
    }

    #[cold]
    #[inline(never)]
    fn not_listed(&mut self, literals: &'s Literals) -> Result<(), Stop> {
        let shown = self.program.text(literals.shown);
        self.report.fail(literals.keyword, || match (literals.keyword, shown) {
            (_, "") => "cannot be anything: the schema lists no value".to_owned(),
            ("const", _) => format!("must be {shown}"),
            _ => format!("must be one of {shown}"),
        })
    }

    #[inline(never)]
    pub(super) fn number(&mut self, node: &'s Node, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let start = reader.position();
        let short = reader.short_number();
        if short.is_none() {
            reader.scalar()?;
        }
        let text = || reader.slice(start, reader.position());
        if !node.types.contains(Types::NUMBER) {
            let is_integer = match short {
                Some(short) => short.is_integer(),
                None => Number::parse(text()).is_integer(),
            };
            let found = if is_integer { Types::INTEGER } else { Types::FRACTION };
            if !node.types.contains(found) {
                return self.report.fail_type(node.types, text(), start);
            }
        }
        if let Some(rules) = self.program.numbers.get(node.number as usize) {
            let (first, last) = rules.kept;
            let is_kept = |value| first <= value && value <= last;
            if !short.and_then(Short::integer).is_some_and(is_kept) {
                self.number_rules(rules, text(), short)?;
            }
        }
        if node.literals != NONE {
            self.listed_number(node, text())?;
        }
        Ok(())
    }

    #[inline(never)]
    fn number_rules(
        &mut self,
        rules: &'s NumberRules,
        text: &str,
        short: Option<Short>,
    ) -> Result<(), Stop> {
        for limit in self.program.bounds.get(rules.bounds.range()).unwrap_or_default() {
            let order = match (short, limit.short) {
                (Some(value), Some(limit)) => value.compare(limit),
                _ => self.compare(text, limit)?,
            };
            let keeps = match limit.side {
                Side::AtLeast => order != Ordering::Less,
                Side::Above => order == Ordering::Greater,
                Side::AtMost => order != Ordering::Greater,
                Side::Below => order == Ordering::Less,
            };
            if !keeps {
                let wanted = self.program.text(limit.text);
                self.report.fail(bound_keyword(limit.side), || bound(limit.side, wanted, text))?;
            }
        }
        if let Some(divisor) = &rules.divisor {
            let divides = match (short.and_then(Short::integer), divisor.small()) {
                (Some(value), Some(divisor)) => value % divisor == 0,
                _ => Number::parse(text).is_multiple_of(divisor),
            };
            if !divides {
                let wanted = self.program.text(rules.divisor_text);
                self.report.fail("multipleOf", || {
                    format!("must be a multiple of {}, but is {}", shown(wanted), shown(text))
                })?;
            }
        }
        Ok(())
    }

    fn compare(&mut self, text: &str, limit: &Bound) -> Result<Ordering, Stop> {
        // The digits of the limit are read again for each value.
        self.steps.take_bytes(limit.text.len() as u64)?;
        Ok(Number::parse(text).compare(&Number::parse(self.program.text(limit.text))))
    }

    #[inline(never)]
    fn listed_number(&mut self, node: &'s Node, text: &str) -> Result<(), Stop> {
        let Some(literals) = self.program.literals.get(node.literals as usize) else {
            return Ok(());
        };
        let short = Short::parse(text).and_then(Short::integer);
        let found = match short.or_else(|| Number::parse(text).to_i64()) {
            Some(value) => {
                let integers = self.program.integers.get(literals.integers.range());
                integers.unwrap_or_default().binary_search(&value).is_ok()
            }
            None => self.is_among_others(literals, text)?,
        };
        if found { Ok(()) } else { self.not_listed(literals) }
    }

    /// `true`, `false` or `null`.
    #[inline(never)]
    pub(super) fn word(&mut self, node: &'s Node, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let word = reader.word()?;
        let Some(literals) = self.program.literals.get(node.literals as usize) else {
            return Ok(());
        };
        let found = match word {
            Word::True => literals.yes,
            Word::False => literals.no,
            Word::Null => literals.null,
        };
        if found { Ok(()) } else { self.not_listed(literals) }
    }

    /// An array or object that must be one of those listed, beside its other rules.
    #[inline(never)]
    pub(super) fn container_with_literals(
        &mut self,
        node: &'s Node,
        reader: &mut Reader<'_>,
    ) -> Result<(), Stop> {
        let start = reader.mark();
        match (
            reader.peek(),
            self.program.objects.get(node.object as usize),
            self.program.arrays.get(node.array as usize),
        ) {
            (Some(b'{'), Some(rules), _) => self.object(rules, reader)?,
            (Some(b'['), _, Some(rules)) => self.array(rules, reader)?,
            _ => drop(reader.skip()?),
        }
        let text = reader.slice(start.offset(), reader.position());
        match self.program.literals.get(node.literals as usize) {
            Some(literals) if !self.is_among_others(literals, text)? => self.not_listed(literals),
            _ => Ok(()),
        }
    }

    #[inline(never)]
    fn is_among_others(&mut self, literals: &'s Literals, text: &str) -> Result<bool, Stop> {
        let program = self.program;
        for other in program.others.get(literals.others.range()).unwrap_or_default() {
            let mut left = Reader::new(text, MAX_DEPTH);
            let mut right = Reader::new(program.text(*other), MAX_DEPTH);
            if equal(&mut left, &mut right, &mut self.steps)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// How many characters a string stands for.
fn characters(string: Str<'_>) -> u64 {
    let starts = |bytes: &[u8]| bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count() as u64;
    let mut rest = string.raw().as_bytes();
    if string.plain().is_some() {
        return starts(rest);
    }
    let mut count = 0;
    while let Some(escape) = rest.iter().position(|byte| *byte == b'\\') {
        let (plain, tail) = rest.split_at(escape);
        count += starts(plain) + 1;
        // A pair of surrogates is one character.
        let length = match tail {
            [_, b'u', b'd' | b'D', b'8' | b'9' | b'a' | b'A' | b'b' | b'B', ..] => 12,
            [_, b'u', ..] => 6,
            _ => 2,
        };
        rest = tail.get(length..).unwrap_or_default();
    }
    count + starts(rest)
}
