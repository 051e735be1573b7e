//! Whether two JSON values are equal, whatever their white space, escapes, digits and member order;
//! and a digest that equal values share.

use super::number::Number;
use crate::json::{Fault, Plain, Reader, Str, mix};

/// Work that is left to do, as a number of bytes to read again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps(u64);

/// What a step is worth in bytes.
const BYTES_PER_STEP: u64 = 32;

/// Why a comparison has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unanswered {
    OutOfSteps,
    /// The text is not JSON.
    Fault,
}

impl From<Fault> for Unanswered {
    fn from(_: Fault) -> Unanswered {
        Unanswered::Fault
    }
}

impl Steps {
    pub(super) fn new(steps: u64) -> Steps {
        Steps(steps.saturating_mul(BYTES_PER_STEP))
    }

    /// Takes a step, and as much as it costs to read `bytes` again.
    #[inline]
    pub(super) fn take(&mut self, bytes: usize) -> Result<(), Unanswered> {
        self.take_bytes(BYTES_PER_STEP + bytes as u64)
    }

    /// Takes what it costs to read `bytes` again.
    #[inline]
    pub(super) fn take_bytes(&mut self, bytes: u64) -> Result<(), Unanswered> {
        match self.0.checked_sub(bytes) {
            Some(left) => {
                self.0 = left;
                Ok(())
            }
            None => {
                self.0 = 0;
                Err(Unanswered::OutOfSteps)
            }
        }
    }
}

/// Whether the values at both readers are equal. If so, both readers stand behind them.
pub(super) fn equal(
    left: &mut Reader<'_>,
    right: &mut Reader<'_>,
    steps: &mut Steps,
) -> Result<bool, Unanswered> {
    steps.take(0)?;
    match (left.peek(), right.peek()) {
        (Some(b'"'), Some(b'"')) => {
            let (left, right) = (left.string()?, right.string()?);
            steps.take(left.raw().len() + right.raw().len())?;
            Ok(equal_strings(left, right))
        }
        (Some(b'['), Some(b'[')) => equal_arrays(left, right, steps),
        (Some(b'{'), Some(b'{')) => equal_objects(left, right, steps),
        (Some(b'-' | b'0'..=b'9'), Some(b'-' | b'0'..=b'9')) => {
            let (left, right) = (left.scalar()?, right.scalar()?);
            steps.take(left.len() + right.len())?;
            Ok(left == right || Number::parse(left).equals(&Number::parse(right)))
        }
        (Some(first), Some(other)) if first == other => Ok(left.scalar()? == right.scalar()?),
        _ => Ok(false),
    }
}

/// Whether two strings stand for the same text.
pub(super) fn equal_strings(left: Str<'_>, right: Str<'_>) -> bool {
    match (left.plain(), right.plain()) {
        (Some(left), Some(right)) => left == right,
        _ => left.decode() == right.decode(),
    }
}

fn equal_arrays(
    left: &mut Reader<'_>,
    right: &mut Reader<'_>,
    steps: &mut Steps,
) -> Result<bool, Unanswered> {
    let mut more = (left.first_element()?, right.first_element()?);
    while more == (true, true) {
        if !equal(left, right, steps)? {
            return Ok(false);
        }
        more = (left.next_element()?, right.next_element()?);
    }
    Ok(more == (false, false))
}

/// Members are compared in step while their names agree, and looked up from the first that differs.
fn equal_objects(
    left: &mut Reader<'_>,
    right: &mut Reader<'_>,
    steps: &mut Steps,
) -> Result<bool, Unanswered> {
    let starts = (left.mark(), right.mark());
    let mut keys = (left.first_key()?, right.first_key()?);
    while let (Some(mine), Some(theirs)) = keys {
        if !equal_strings(mine, theirs) {
            left.return_to(starts.0);
            right.return_to(starts.1);
            if !holds_members(left, right, true, steps)? {
                return Ok(false);
            }
            let end = left.mark();
            left.return_to(starts.0);
            let same = holds_members(right, left, false, steps)?;
            left.return_to(end);
            return Ok(same);
        }
        if !equal(left, right, steps)? {
            return Ok(false);
        }
        keys = (left.next_key()?, right.next_key()?);
    }
    Ok(keys.0.is_none() && keys.1.is_none())
}

/// Whether each name of one object is in the other, and with `values` also whether their values are
/// equal. Asked both ways, the answer is right even where a name stands twice.
/// If so, the first reader stands behind its object and the second before it.
fn holds_members(
    inner: &mut Reader<'_>,
    outer: &mut Reader<'_>,
    values: bool,
    steps: &mut Steps,
) -> Result<bool, Unanswered> {
    let start = outer.mark();
    let mut key = inner.first_key()?;
    while let Some(name) = key {
        outer.return_to(start);
        let is_there = go_to_member(outer, name)?;
        steps.take(outer.position().saturating_sub(start.offset()))?;
        if !is_there {
            return Ok(false);
        }
        if !values {
            inner.skip()?;
        } else if !equal(inner, outer, steps)? {
            return Ok(false);
        }
        key = inner.next_key()?;
    }
    outer.return_to(start);
    Ok(true)
}

/// From the start of an object to the value of its member `name`, if it has one.
pub(super) fn go_to_member(reader: &mut Reader<'_>, name: Str<'_>) -> Result<bool, Fault> {
    let mut key = reader.first_key()?;
    while let Some(found) = key {
        if equal_strings(found, name) {
            return Ok(true);
        }
        reader.skip()?;
        key = reader.next_key()?;
    }
    Ok(false)
}

/// The digest of the value at the reader, which ends behind it.
pub(super) fn digest(reader: &mut Reader<'_>) -> Result<u64, Fault> {
    Ok(match reader.peek() {
        Some(b'"') => digest_string(reader.string()?),
        Some(b'[') => {
            let mut sum = 1;
            let mut more = reader.first_element()?;
            while more {
                sum = mix(sum, digest(reader)?);
                more = reader.next_element()?;
            }
            sum
        }
        Some(b'{') => {
            // The order of members does not matter, so their digests are added up.
            let mut sum = 2_u64;
            let mut key = reader.first_key()?;
            while let Some(name) = key {
                sum = sum.wrapping_add(mix(digest_string(name), digest(reader)?));
                key = reader.next_key()?;
            }
            sum
        }
        Some(b'-' | b'0'..=b'9') => mix(3, Number::parse(reader.scalar()?).digest()),
        _ => mix(4, u64::from(Plain::new(reader.scalar()?.as_bytes()).hash())),
    })
}

fn digest_string(string: Str<'_>) -> u64 {
    mix(5, u64::from(Plain::new(string.decode().as_bytes()).hash()))
}
