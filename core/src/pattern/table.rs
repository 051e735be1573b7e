//! Matching by one lookup a character.

use std::rc::Rc;

use super::alphabet::Classes;
use super::program::{Instruction, Program};
use super::reached::{After, Before, Reached};

/// Cells of a table. One has two bytes.
pub(super) const MAX_CELLS: usize = 32_768;

/// Instructions that may be looked at while a table is made. A pattern that needs more is simulated.
pub(super) const MAX_STEPS: usize = 1_000_000;

/// Bytes between two looks at whether the outcome is certain.
const BLOCK: usize = 8;

/// A deterministic automaton: for each state a row with the next state for each class of characters,
/// and whether the text may end there.
///
/// A state is named by where its row begins. In the first one everything is lost and in the second
/// one won, so that one comparison tells when to stop.
#[derive(Debug)]
pub(super) struct Table {
    classes: Classes,
    cells: Vec<u16>,
    start: u16,
}

/// The state that nothing matches any more.
const LOST: u16 = 0;

impl Table {
    /// The table of a program, or `None` if it would be too large or too much work. What is done is
    /// taken from `steps_left`.
    pub(super) fn of(program: &Program, steps_left: &mut usize) -> Option<Table> {
        let mut steps = 0;
        let table = Table::within(program, MAX_STEPS.min(*steps_left), &mut steps);
        *steps_left = steps_left.saturating_sub(steps);
        table
    }

    /// The same, and how many steps it took.
    pub(super) fn within(program: &Program, limit: usize, steps: &mut usize) -> Option<Table> {
        let size = program.instructions.len();
        let mut memory = vec![0; size * 4];
        let (dense, rest) = memory.split_at_mut_checked(size)?;
        let (sparse, rest) = rest.split_at_mut_checked(size)?;
        let (next_dense, next_sparse) = rest.split_at_mut_checked(size)?;
        let mut reached = Reached::new(dense, sparse);
        let mut next = Reached::new(next_dense, next_sparse);

        let classes = program.alphabet.classes.clone();
        let mut states = States::new(program);
        reached.insert(0);
        let won = reached.follow(program, Before::Start, After::Unknown);
        let start = states.number(won, Before::Start, &reached)?;

        while let Some(State { before, members }) = states.next() {
            for class in 0..classes.count() as u16 {
                reached.load(&members);
                let won = program.word.is_some()
                    && reached.follow(program, before, program.after(class))
                    || next.step(program, &reached, class);
                states.steps += reached.members().len() + next.members().len();
                let cell = states.number(won, program.before(class), &next);
                *steps = states.steps;
                if *steps > limit {
                    return None;
                }
                states.cells.push(cell?);
            }
            reached.load(&members);
            states.cells.push(u16::from(reached.follow(program, before, After::End)));
        }
        states.cells.shrink_to_fit();
        Some(Table { classes, cells: states.cells, start })
    }

    /// Whether the pattern matches anywhere in `text`.
    pub(super) fn is_match(&self, text: &str) -> bool {
        let mut state = usize::from(self.start);
        let mut rest = text;
        while state > self.won() && !rest.is_empty() {
            let taken;
            (state, taken) = self.take_ascii(state, rest.as_bytes());
            if taken == rest.len() {
                break;
            }
            let mut characters = rest.get(taken..).unwrap_or_default().chars();
            if let Some(character) = characters.next() {
                state = self.cell(state, usize::from(self.classes.of(character)));
            }
            rest = characters.as_str();
        }
        self.cell(state, self.classes.count()) != 0
    }

    /// Takes bytes that are characters, until the outcome is certain or there are none: the state
    /// then, and how many bytes that were.
    #[inline]
    fn take_ascii(&self, mut state: usize, bytes: &[u8]) -> (usize, usize) {
        let mut taken = 0;
        for block in bytes.as_chunks::<BLOCK>().0 {
            let after = block.iter().try_fold(state, |state, &byte| self.next(state, byte));
            let Some(after) = after else { break };
            state = after;
            taken += BLOCK;
            if state <= self.won() {
                return (state, taken);
            }
        }
        for &byte in bytes.get(taken..).unwrap_or_default() {
            let Some(after) = self.next(state, byte) else { break };
            state = after;
            taken += 1;
        }
        (state, taken)
    }

    /// The state after a byte, if it is a character: one that is not has a class beyond every cell.
    #[inline]
    fn next(&self, state: usize, byte: u8) -> Option<usize> {
        let class = usize::from(self.classes.of_byte(byte));
        self.cells.get(state + class).copied().map(usize::from)
    }

    /// The state in which the text matches, whatever follows.
    fn won(&self) -> usize {
        self.classes.count() + 1
    }

    /// Approximate bytes on the heap.
    pub(super) fn memory(&self) -> usize {
        self.classes.memory() + self.cells.capacity() * size_of::<u16>()
    }

    fn cell(&self, state: usize, column: usize) -> usize {
        self.cells.get(state + column).copied().map_or(0, usize::from)
    }
}

/// What a state of the table stands for: instructions that are reached, and what came before if any
/// of them asks.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    before: Before,
    /// In ascending order.
    members: Rc<[u16]>,
}

/// How many lists the known states are spread over.
const LISTS: usize = 1_024;

/// No state: the end of a list.
const NONE: u16 = u16::MAX;

/// The states that are known, and the rows of those that are done.
struct States<'p> {
    program: &'p Program,
    width: usize,
    known: Vec<State>,
    /// For each list the last state that came to it.
    lists: Vec<u16>,
    /// For each state the one before it in its list.
    previous: Vec<u16>,
    done: usize,
    cells: Vec<u16>,
    /// A bit for each instruction, all zero between two uses.
    bits: Vec<u64>,
    /// Instructions that were looked at, and states that were compared.
    steps: usize,
}

impl<'p> States<'p> {
    fn new(program: &'p Program) -> States<'p> {
        let width = program.alphabet.classes.count() + 1;
        let mut cells = vec![LOST; width];
        // Whoever has won stays there, and 1 in the last column says that the text may end.
        cells.extend((1..width).map(|_| width as u16));
        cells.push(1);
        States {
            program,
            width,
            known: Vec::new(),
            lists: vec![NONE; LISTS],
            previous: Vec::new(),
            done: 0,
            cells,
            bits: vec![0; program.instructions.len().div_ceil(64)],
            steps: 0,
        }
    }

    /// The next state that has no row yet.
    fn next(&mut self) -> Option<State> {
        let state = self.known.get(self.done).cloned();
        self.done += 1;
        state
    }

    /// The number of the state of having reached this, or `None` if there is no room for it.
    fn number(&mut self, won: bool, before: Before, reached: &Reached<'_>) -> Option<u16> {
        if won {
            return u16::try_from(self.width).ok();
        }
        let members = self.sorted(reached);
        if members.is_empty() {
            return Some(LOST);
        }
        let asks = |member: &u16| {
            let instruction = self.program.instructions.get(usize::from(*member));
            matches!(instruction, Some(Instruction::Assert(_)))
        };
        let before = if members.iter().any(asks) { before } else { Before::Other };
        let state = State { before, members: members.into() };
        let index = self.index(state)?;
        u16::try_from((index + 2) * self.width).ok()
    }

    /// The place of a state among the known ones, to which it belongs then.
    fn index(&mut self, state: State) -> Option<usize> {
        let list = self.lists.get_mut(list_of(&state))?;
        let mut candidate = *list;
        while let Some(known) = self.known.get(usize::from(candidate)) {
            if *known == state {
                return Some(candidate.into());
            }
            self.steps += 1;
            candidate = self.previous.get(usize::from(candidate)).copied().unwrap_or(NONE);
        }
        let index = self.known.len();
        if (index + 3) * self.width > MAX_CELLS {
            return None;
        }
        self.previous.push(std::mem::replace(list, index as u16));
        self.known.push(state);
        Some(index)
    }

    /// The lasting members of what is reached, in ascending order.
    fn sorted(&mut self, reached: &Reached<'_>) -> Vec<u16> {
        let mut count = 0;
        for &member in reached.members() {
            if self.program.is_lasting(member)
                && let Some(word) = self.bits.get_mut(usize::from(member) / 64)
            {
                *word |= 1 << (member % 64);
                count += 1;
            }
        }
        let mut members = Vec::with_capacity(count);
        for (place, word) in self.bits.iter_mut().enumerate() {
            while *word != 0 {
                members.push((place * 64) as u16 + word.trailing_zeros() as u16);
                *word &= *word - 1;
            }
        }
        members
    }
}

/// The list in which a state is, if it is known.
fn list_of(state: &State) -> usize {
    let hash = state.members.iter().fold(state.before as u32, |hash, &member| {
        (hash ^ u32::from(member)).wrapping_mul(0x9E37_79B1).rotate_left(15)
    });
    hash as usize % LISTS
}
