//! Objects.

use super::super::arena::{FALSE, NONE, ObjectRules};
use super::super::equality::equal_strings;
use super::super::message::{counted, listed, named};
use super::super::names::Entry;
use super::super::report::{Report, Stop};
use super::super::sight::MAX_NAMES;
use super::evaluator::{Evaluator, Seen};
use crate::json::{Plain, Reader, Str};

/// What it costs to look at 64 names of the schema as bits, or at one as text, in bytes to read.
const BYTES_PER_WORD: u64 = 8;

/// In the place of a node: the value has been read.
const DONE: u32 = NONE - 1;

/// Which names of an object have been seen.
struct Members {
    /// The first 64 that the schema mentions, as bits.
    head: u64,
    /// Where the bits of the others begin in the scratch space.
    tail: usize,
    /// The hashes of names that the schema does not mention, folded into one word; a bit that is set
    /// already may be a name that stands twice.
    strangers: u64,
    suspicious: bool,
    /// Where those names begin in the scratch space.
    base: usize,
    count: u64,
    /// The place that the next name has if it comes in the order of the schema.
    expected: usize,
    /// Where the quote of the last name stands.
    name: usize,
}

impl<'s, R: Report> Evaluator<'s, R> {
    #[inline(never)]
    pub(super) fn object<'t>(
        &mut self,
        rules: &'s ObjectRules,
        reader: &mut Reader<'t>,
    ) -> Result<(), Stop> {
        let start = reader.position();
        self.entered = true;
        let mut members = Members {
            head: 0,
            tail: self.bits.len(),
            strangers: 0,
            suspicious: false,
            base: self.seen.len(),
            count: 0,
            expected: 0,
            name: 0,
        };
        let mut positions = self.positions.take();
        if rules.required.len() > 1 {
            self.steps.take_bytes(rules.required.len() as u64 * BYTES_PER_WORD)?;
            for _ in 1..rules.required.len() {
                self.bits.push(0);
            }
        }
        // Comparing a few bytes is all that it takes to read most names. None where a name that is
        // found still has to be looked at, or has no bit in the first word.
        let in_order = match self.program.names.entries(&rules.names) {
            entries if !R::COLLECTS && rules.is_plain() => {
                entries.get(..MAX_NAMES).unwrap_or(entries)
            }
            _ => &[],
        };
        let mut more = reader.first_member()?;
        while more {
            members.count += 1;
            let node = match self.at_sight(rules, in_order, members.expected, reader) {
                Some((place, entry)) => {
                    members.name = reader.position();
                    reader.pass(&entry.written);
                    let bit = 1 << place;
                    if members.head & bit != 0 {
                        // Behind the name stand a quote and a colon.
                        self.duplicate = reader.position().saturating_sub(entry.text.len() + 2);
                        return Err(Stop::Duplicate);
                    }
                    members.head |= bit;
                    members.expected = place + 1;
                    entry.value
                }
                None => self.other_member(rules, &mut members, reader)?,
            };
            if node != DONE {
                let value = reader.position();
                self.value(if node == NONE { rules.fallback() } else { node }, reader)?;
                if let Some(positions) = &mut positions {
                    positions.note(members.name, value, reader.position());
                }
            }
            more = reader.next_comma()?;
        }
        if let Some(positions) = positions {
            positions.finish(members.count, reader);
        }
        if rules.required_head & !members.head != 0 || rules.required.len() > 1 {
            self.missing(rules, &members)?;
        }
        if members.count < rules.min || members.count > rules.max {
            self.wrong_count(rules, members.count)?;
        }
        if !rules.dependents.is_empty() {
            self.dependents(rules, &members)?;
        }
        if members.suspicious {
            self.refuse_twins(&members, reader)?;
        }
        self.seen.truncate(members.base);
        self.bits.truncate(members.tail);
        self.finished = start;
        Ok(())
    }

    /// The name that stands next, if that can be told before it is known where it ends: most likely it
    /// is the one that is expected.
    #[inline(always)]
    fn at_sight(
        &self,
        rules: &'s ObjectRules,
        in_order: &'s [Entry],
        expected: usize,
        reader: &Reader<'_>,
    ) -> Option<(usize, &'s Entry)> {
        let ahead = reader.ahead()?;
        match in_order.get(expected) {
            Some(entry) if entry.written.is_at(&ahead) => Some((expected, entry)),
            _ => {
                let place = self.program.names.place_at_sight(&rules.sight, &ahead);
                let entry = in_order.get(place).filter(|entry| entry.written.is_at(&ahead))?;
                Some((place, entry))
            }
        }
    }

    /// A member whose name is not known at sight: the node for its value, or `DONE`.
    #[inline(never)]
    fn other_member(
        &mut self,
        rules: &'s ObjectRules,
        members: &mut Members,
        reader: &mut Reader<'_>,
    ) -> Result<u32, Stop> {
        reader.peek();
        if R::COLLECTS || !rules.is_plain() {
            return self.careful_member(rules, members, reader);
        }
        members.name = reader.position();
        match reader.plain_key() {
            Some(name) => self.recognize(rules, members, &name, name.text(), reader),
            None => self.careful_member(rules, members, reader),
        }
    }

    /// Notes the name that stands as `raw` in the text, and gives the node that `properties` has for
    /// it.
    #[inline(always)]
    fn recognize<'t>(
        &mut self,
        rules: &'s ObjectRules,
        members: &mut Members,
        name: &Plain<'_>,
        raw: &'t [u8],
        reader: &Reader<'t>,
    ) -> Result<u32, Stop> {
        let Some((place, entry)) = self.program.names.set(&rules.names).find(name) else {
            self.note_stranger(members, name.hash(), raw, reader);
            return Ok(NONE);
        };
        members.expected = place + 1;
        let is_new = if place < 64 {
            let bit = 1 << place;
            let is_new = members.head & bit == 0;
            members.head |= bit;
            is_new
        } else {
            self.note_far(members, place)
        };
        if is_new { Ok(entry.value) } else { Err(self.stands_twice(raw, reader)) }
    }

    #[cold]
    #[inline(never)]
    fn stands_twice<'t>(&mut self, raw: &'t [u8], reader: &Reader<'t>) -> Stop {
        self.duplicate = reader.mark_of(raw).offset() + 1;
        Stop::Duplicate
    }

    #[inline(never)]
    fn note_far(&mut self, members: &Members, place: usize) -> bool {
        let Some(word) = self.bits.since(members.tail).get_mut(place / 64 - 1) else { return true };
        let bit = 1 << (place % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    #[inline(never)]
    fn note_stranger<'t>(
        &mut self,
        members: &mut Members,
        hash: u32,
        raw: &'t [u8],
        reader: &Reader<'t>,
    ) {
        let bit = 1 << (hash >> 26);
        members.suspicious |= members.strangers & bit != 0;
        members.strangers |= bit;
        self.seen.push(Seen { hash, mark: reader.mark_of(raw) });
    }

    /// Stops if a name that the schema does not mention stands twice.
    #[inline(never)]
    fn refuse_twins(&mut self, members: &Members, reader: &Reader<'_>) -> Result<(), Stop> {
        let seen = self.seen.since(members.base);
        seen.sort_unstable_by_key(|name| (name.hash, name.mark.offset()));
        let mut reader = reader.clone();
        for (at, name) in seen.iter().enumerate() {
            for other in seen.iter().skip(at + 1).take_while(|other| other.hash == name.hash) {
                reader.return_to(name.mark);
                let one = reader.string()?;
                reader.return_to(other.mark);
                let two = reader.string()?;
                self.steps.take(one.raw().len() + two.raw().len())?;
                if equal_strings(one, two) {
                    self.duplicate = other.mark.offset() + 1;
                    return Err(Stop::Duplicate);
                }
            }
        }
        Ok(())
    }

    /// A member whose name has to be decoded, or looked at by more than `properties`.
    #[inline(never)]
    fn careful_member(
        &mut self,
        rules: &'s ObjectRules,
        members: &mut Members,
        reader: &mut Reader<'_>,
    ) -> Result<u32, Stop> {
        let name = reader.key()?;
        let text = name.decode();
        let plain = Plain::new(text.as_bytes());
        let node = self.recognize(rules, members, &plain, name.raw().as_bytes(), reader)?;
        if !rules.is_plain() {
            self.patterned_member(rules, node, name, reader)?;
            return Ok(DONE);
        }
        let node = if node == NONE { rules.fallback() } else { node };
        if node == FALSE {
            self.unknown(rules, name, reader)?;
            return Ok(DONE);
        }
        self.report.enter_member(name);
        self.value_apart(node, reader)?;
        self.report.leave();
        Ok(DONE)
    }

    /// A member where names are matched against patterns or a schema of their own.
    #[inline(never)]
    fn patterned_member<'t>(
        &mut self,
        rules: &'s ObjectRules,
        node: u32,
        name: Str<'t>,
        reader: &mut Reader<'t>,
    ) -> Result<(), Stop> {
        let start = reader.mark();
        if let Some(names) = rules.property_names {
            self.property_name(names, name, reader)?;
            reader.return_to(start);
        }
        let program = self.program;
        let mut is_known = node != NONE;
        self.report.enter_member(name);
        if is_known {
            self.value_apart(node, reader)?;
        }
        if !rules.patterns.is_empty() {
            let text = name.decode();
            for rule in program.patterns(rules) {
                if self.name_matches(rule.pattern, &text)? {
                    if is_known {
                        self.rewind(reader, start)?;
                    }
                    is_known = true;
                    self.value_apart(rule.node, reader)?;
                }
            }
        }
        if !is_known && rules.fallback() != FALSE {
            self.value_apart(rules.fallback(), reader)?;
            is_known = true;
        }
        self.report.leave();
        if is_known { Ok(()) } else { self.unknown(rules, name, reader) }
    }

    #[inline(never)]
    fn property_name<'t>(
        &mut self,
        node: u32,
        name: Str<'t>,
        reader: &mut Reader<'t>,
    ) -> Result<(), Stop> {
        let quote = reader.mark_of(name.raw().as_bytes());
        reader.return_to(quote);
        if self.nested(|this| this.probe(node, reader))? {
            return Ok(());
        }
        if !R::COLLECTS {
            return Err(Stop::Invalid);
        }
        let why = self.explain(node, reader, quote)?.unwrap_or_default();
        self.report.fail("propertyNames", || {
            format!("has the property {}, whose name {why}", named(&name.decode()))
        })
    }

    /// A member that the schema does not allow.
    #[cold]
    #[inline(never)]
    fn unknown(
        &mut self,
        rules: &'s ObjectRules,
        name: Str<'_>,
        reader: &mut Reader<'_>,
    ) -> Result<(), Stop> {
        if !R::COLLECTS {
            return Err(Stop::Invalid);
        }
        reader.skip()?;
        self.steps.take_bytes(rules.names.entries.len() as u64 * BYTES_PER_WORD)?;
        let names = &self.program.names;
        let allowed = names.entries(&rules.names).iter();
        let allowed: Vec<&str> = allowed
            .filter(|entry| entry.value != FALSE && entry.value != NONE)
            .map(|entry| names.text(entry.text))
            .collect();
        let is_named = names
            .entries(&rules.names)
            .iter()
            .any(|entry| entry.value == FALSE && names.text(entry.text) == name.decode());
        let keyword = if is_named { "false" } else { rules.additional_keyword };
        self.report.fail(keyword, || {
            let unknown = named(&name.decode());
            match allowed.as_slice() {
                _ if is_named => format!("must not have the property {unknown}"),
                [] if rules.patterns.is_empty() => {
                    format!("has the unknown property {unknown}; none is allowed")
                }
                [] => format!("has the unknown property {unknown}"),
                names => {
                    let names = listed(names.iter().map(|name| crate::json::quoted(name)));
                    format!("has the unknown property {unknown}; allowed are {names}")
                }
            }
        })
    }

    #[inline(never)]
    fn missing(&mut self, rules: &'s ObjectRules, members: &Members) -> Result<(), Stop> {
        let program = self.program;
        let required = program.masks.get(rules.required.range()).unwrap_or_default();
        for (at, required) in required.iter().enumerate() {
            let mut absent = required & !self.seen_word(members, at);
            while absent != 0 {
                let place = at * 64 + absent.trailing_zeros() as usize;
                absent &= absent - 1;
                let entry = program.names.entries(&rules.names).get(place);
                let name = entry.map_or("", |entry| program.text(entry.text));
                self.report.fail("required", || {
                    format!("is missing the required property {}", named(name))
                })?;
            }
        }
        Ok(())
    }

    fn seen_word(&mut self, members: &Members, at: usize) -> u64 {
        match at.checked_sub(1) {
            None => members.head,
            Some(at) => self.bits.since(members.tail).get(at).copied().unwrap_or(0),
        }
    }

    #[cold]
    #[inline(never)]
    fn wrong_count(&mut self, rules: &'s ObjectRules, count: u64) -> Result<(), Stop> {
        if count < rules.min {
            self.report.fail("minProperties", || {
                let least = counted(rules.min, "property", "properties");
                format!("must have at least {least}, but has {count}")
            })?;
        }
        if count > rules.max {
            self.report.fail("maxProperties", || {
                let most = counted(rules.max, "property", "properties");
                format!("must have at most {most}, but has {count}")
            })?;
        }
        Ok(())
    }

    #[inline(never)]
    fn dependents(&mut self, rules: &'s ObjectRules, members: &Members) -> Result<(), Stop> {
        self.steps.take_bytes(rules.dependents.len() as u64)?;
        let program = self.program;
        let has = |this: &mut Self, place: u32| {
            this.seen_word(members, place as usize / 64) & (1 << (place % 64)) != 0
        };
        for dependent in program.dependents.get(rules.dependents.range()).unwrap_or_default() {
            if has(self, dependent.present) && !has(self, dependent.required) {
                let entries = program.names.entries(&rules.names);
                let name = |place: u32| {
                    let entry = entries.get(place as usize);
                    named(entry.map_or("", |entry| program.text(entry.text)))
                };
                let (present, required) = (dependent.present, dependent.required);
                self.report.fail("dependentRequired", || {
                    format!(
                        "is missing the property {}, which {} needs",
                        name(required),
                        name(present)
                    )
                })?;
            }
        }
        Ok(())
    }
}
