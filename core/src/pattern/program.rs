//! A pattern as instructions: what both engines execute.

use super::alphabet::Alphabet;
use super::charset::CharSet;
use super::error::PatternError;

/// Instructions of one program, after counted repetitions are written out. Only programs that become
/// a table may be longer than [`MAX_SIMULATED`](super::simulation::MAX_SIMULATED).
pub(super) const MAX_INSTRUCTIONS: usize = 16_384;
/// Different sets of characters in one pattern.
const MAX_SETS: usize = 512;
/// Ranges of all the different sets of one pattern together.
const MAX_RANGES: usize = 8_192;

/// One instruction. Unless it says otherwise, the next one follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instruction {
    /// Takes one character of the set with this number.
    Take(u16),
    /// Goes on with the next instruction, and as many instructions further as it says.
    Fork(i16),
    /// Goes on as many instructions further as it says.
    Jump(i16),
    /// Goes on if the position in the text is as it says.
    Assert(Assertion),
    /// The text matches.
    Match,
}

/// A condition on a position in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Assertion {
    /// Nothing before.
    Start,
    /// Nothing after.
    End,
    /// A word character on exactly one side.
    WordBoundary,
    /// A word character on both sides or on none.
    NoWordBoundary,
}

/// A program with the alphabet that its sets are written in.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) instructions: Vec<Instruction>,
    pub(super) alphabet: Alphabet,
    /// The set of word characters, if a word boundary is asserted anywhere.
    pub(super) word: Option<u16>,
}

impl Program {
    /// Approximate bytes on the heap.
    pub(super) fn memory(&self) -> usize {
        self.instructions.capacity() * size_of::<Instruction>() + self.alphabet.memory()
    }
}

/// Instructions while they are being written.
///
/// A fragment is a run of instructions at the end of those written. It is entered at its first and
/// left at its end, and its offsets are relative: it can be shifted and copied as it is.
#[derive(Debug, Default)]
pub(super) struct Builder {
    instructions: Vec<Instruction>,
    sets: Vec<CharSet>,
    ranges: usize,
    bounds_words: bool,
}

/// How often something is repeated: at least, and at most if there is a bound.
pub(super) type Count = (u32, Option<u32>);

impl Builder {
    /// Where the next instruction will stand.
    pub(super) fn position(&self) -> usize {
        self.instructions.len()
    }

    /// Writes an instruction that takes one character of `set`.
    #[inline(never)]
    pub(super) fn take(&mut self, set: CharSet, offset: usize) -> Result<(), PatternError> {
        let number = self.intern(set, offset)?;
        self.push(Instruction::Take(number), offset)
    }

    /// Writes an assertion.
    #[inline(never)]
    pub(super) fn assert(
        &mut self,
        assertion: Assertion,
        offset: usize,
    ) -> Result<(), PatternError> {
        self.bounds_words |=
            matches!(assertion, Assertion::WordBoundary | Assertion::NoWordBoundary);
        self.push(Instruction::Assert(assertion), offset)
    }

    /// Makes what stands from `start` one of several branches, and gives the place of the jump that
    /// leaves it.
    pub(super) fn branch(&mut self, start: usize, offset: usize) -> Result<usize, PatternError> {
        let length = self.length_from(start);
        self.insert(start, Instruction::Fork(distance(length + 2)), offset)?;
        self.push(Instruction::Jump(0), offset)?;
        Ok(start + length + 1)
    }

    /// Lets the jumps at `exits` lead to the next instruction.
    pub(super) fn join(&mut self, exits: &[usize]) {
        let end = self.position();
        for &exit in exits {
            if let Some(jump) = self.instructions.get_mut(exit) {
                *jump = Instruction::Jump(distance(end.saturating_sub(exit)));
            }
        }
    }

    /// Repeats what stands from `start`.
    pub(super) fn repeat(
        &mut self,
        start: usize,
        (least, most): Count,
        offset: usize,
    ) -> Result<(), PatternError> {
        let length = self.length_from(start);
        if length == 0 {
            return Ok(());
        }
        let optional = most.map_or(0, |most| most.saturating_sub(least) as usize);
        let copies = (least as usize).saturating_mul(length);
        let written = copies.saturating_add(optional.saturating_mul(length + 1));
        check_length(start.saturating_add(written), offset)?;
        let fragment = self.instructions.split_off(start);
        for _ in 0..least {
            self.instructions.extend_from_slice(&fragment);
        }
        match most {
            Some(_) => {
                for left in (1..=optional).rev() {
                    let to_end = left * (length + 1);
                    self.instructions.push(Instruction::Fork(distance(to_end)));
                    self.instructions.extend_from_slice(&fragment);
                }
                Ok(())
            }
            None if least == 0 => {
                self.push(Instruction::Fork(distance(length + 2)), offset)?;
                self.instructions.extend_from_slice(&fragment);
                self.push(Instruction::Jump(-distance(length + 1)), offset)
            }
            None => self.push(Instruction::Fork(-distance(length)), offset),
        }
    }

    /// The whole program. `end` is the length of the source, for the error.
    pub(super) fn finish(mut self, end: usize) -> Result<Program, PatternError> {
        self.push(Instruction::Match, end)?;
        let word = if self.bounds_words { Some(self.intern(CharSet::word(), end)?) } else { None };
        let Some(alphabet) = Alphabet::of(&self.sets) else {
            return Err(PatternError::too_large(
                end,
                "the pattern tells too many characters apart: use fewer different ranges",
            ));
        };
        self.instructions.shrink_to_fit();
        Ok(Program { instructions: self.instructions, alphabet, word })
    }

    fn intern(&mut self, set: CharSet, offset: usize) -> Result<u16, PatternError> {
        if let Some(number) = self.sets.iter().position(|known| *known == set) {
            return Ok(number as u16);
        }
        self.ranges += set.ranges().len();
        if self.sets.len() >= MAX_SETS || self.ranges > MAX_RANGES {
            return Err(PatternError::too_large(
                offset,
                "the pattern has too many different sets of characters: use fewer",
            ));
        }
        let number = self.sets.len() as u16;
        self.sets.push(set);
        Ok(number)
    }

    fn length_from(&self, start: usize) -> usize {
        self.instructions.len().saturating_sub(start)
    }

    fn push(&mut self, instruction: Instruction, offset: usize) -> Result<(), PatternError> {
        check_length(self.instructions.len() + 1, offset)?;
        self.instructions.push(instruction);
        Ok(())
    }

    fn insert(
        &mut self,
        at: usize,
        instruction: Instruction,
        offset: usize,
    ) -> Result<(), PatternError> {
        check_length(self.instructions.len() + 1, offset)?;
        self.instructions.insert(at.min(self.instructions.len()), instruction);
        Ok(())
    }
}

/// An offset between instructions. [`MAX_INSTRUCTIONS`] fits, so nothing is cut off.
fn distance(instructions: usize) -> i16 {
    i16::try_from(instructions).unwrap_or(i16::MAX)
}

fn check_length(instructions: usize, offset: usize) -> Result<(), PatternError> {
    if instructions <= MAX_INSTRUCTIONS {
        return Ok(());
    }
    Err(PatternError::too_large(
        offset,
        "the pattern is too large when its repetitions are written out: use smaller counts, or \
         minLength and maxLength",
    ))
}
