//! The instructions that can be reached at one position of a text.

use super::program::{Assertion, Instruction, Program};

/// A set of instructions that forgets everything at once, in constant time.
///
/// It is also its own list of work: following an instruction appends what it leads to.
#[derive(Debug)]
pub(super) struct Reached<'a> {
    /// The members, in the order in which they came.
    dense: &'a mut [u16],
    /// For each member, where in `dense` it is. Meaningless for the others.
    sparse: &'a mut [u16],
    length: usize,
}

/// What stands before a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Before {
    /// Nothing: the text begins here.
    Start,
    /// A word character.
    Word,
    /// Another character.
    Other,
}

/// What stands after a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    /// It has not been looked at; what depends on it waits.
    Unknown,
    /// Nothing: the text ends here.
    End,
    /// A word character.
    Word,
    /// Another character.
    Other,
}

impl<'a> Reached<'a> {
    /// An empty set. Both slices must be as long as the program.
    pub(super) fn new(dense: &'a mut [u16], sparse: &'a mut [u16]) -> Reached<'a> {
        Reached { dense, sparse, length: 0 }
    }

    /// The members: instructions that take a character, that wait to see what follows, and those
    /// that led to them.
    pub(super) fn members(&self) -> &[u16] {
        self.dense.get(..self.length).unwrap_or_default()
    }

    /// Whether no member takes a character or waits to see what follows.
    pub(super) fn is_idle(&self, program: &Program) -> bool {
        !self.members().iter().any(|&member| program.is_lasting(member))
    }

    /// Forgets every member.
    fn clear(&mut self) {
        self.length = 0;
    }

    /// Makes these the members.
    pub(super) fn load(&mut self, members: &[u16]) {
        self.clear();
        for &member in members {
            self.insert(usize::from(member));
        }
    }

    /// Adds an instruction.
    pub(super) fn insert(&mut self, instruction: usize) {
        let Some(place) = self.sparse.get_mut(instruction) else { return };
        let claimed = usize::from(*place);
        if claimed < self.length
            && self.dense.get(claimed).is_some_and(|&member| usize::from(member) == instruction)
        {
            return;
        }
        *place = self.length as u16;
        if let Some(slot) = self.dense.get_mut(self.length) {
            *slot = instruction as u16;
            self.length += 1;
        }
    }

    /// Makes this what is reached by taking a character of `class` from `previous`, or by starting
    /// anew behind it. Whether the text matches already.
    pub(super) fn step(&mut self, program: &Program, previous: &Reached<'_>, class: u16) -> bool {
        self.clear();
        for &member in previous.members() {
            let member = usize::from(member);
            if let Some(&Instruction::Take(set)) = program.instructions.get(member)
                && program.alphabet.has(set, class)
            {
                self.insert(member + 1);
            }
        }
        self.insert(0);
        self.follow(program, program.before(class), After::Unknown)
    }

    /// Adds whatever can be reached without taking a character. Whether the text matches.
    pub(super) fn follow(&mut self, program: &Program, before: Before, after: After) -> bool {
        let mut next = 0;
        while let Some(&member) = self.members().get(next) {
            next += 1;
            let member = usize::from(member);
            match program.instructions.get(member) {
                Some(Instruction::Match) => return true,
                Some(&Instruction::Jump(by)) => self.insert(member.wrapping_add_signed(by.into())),
                Some(&Instruction::Fork(by)) => {
                    self.insert(member + 1);
                    self.insert(member.wrapping_add_signed(by.into()));
                }
                Some(&Instruction::Assert(assertion)) if holds(assertion, before, after) => {
                    self.insert(member + 1);
                }
                Some(Instruction::Take(_) | Instruction::Assert(_)) | None => {}
            }
        }
        false
    }
}

impl Program {
    /// Whether an instruction takes a character or waits to see what follows: what is reached is
    /// known from these.
    pub(super) fn is_lasting(&self, instruction: u16) -> bool {
        match self.instructions.get(usize::from(instruction)) {
            Some(Instruction::Take(_)) => true,
            Some(Instruction::Assert(assertion)) => *assertion != Assertion::Start,
            _ => false,
        }
    }

    /// What a character of `class` is for the position behind it.
    pub(super) fn before(&self, class: u16) -> Before {
        if self.is_word(class) { Before::Word } else { Before::Other }
    }

    /// What a character of `class` is for the position in front of it.
    pub(super) fn after(&self, class: u16) -> After {
        if self.is_word(class) { After::Word } else { After::Other }
    }

    /// Only asked about where a word boundary is asserted.
    fn is_word(&self, class: u16) -> bool {
        self.word.is_some_and(|word| self.alphabet.has(word, class))
    }
}

/// Whether an assertion holds; it does not yet while what it depends on is unknown.
fn holds(assertion: Assertion, before: Before, after: After) -> bool {
    let differs = (before == Before::Word) != (after == After::Word);
    match assertion {
        Assertion::Start => before == Before::Start,
        Assertion::End => after == After::End,
        Assertion::WordBoundary => after != After::Unknown && differs,
        Assertion::NoWordBoundary => after != After::Unknown && !differs,
    }
}
