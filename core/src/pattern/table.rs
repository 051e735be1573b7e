//! Matching by one lookup a character.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::alphabet::Classes;
use super::program::{Instruction, Program};
use super::reached::{After, Before, Reached};

/// Cells of a table. One has two bytes.
pub(super) const MAX_CELLS: usize = 32_768;

/// Instructions that may be looked at while a table is made. A pattern that needs more is simulated.
pub(super) const MAX_STEPS: usize = 1_000_000;

/// Bytes between two looks at whether the outcome is certain.
const BLOCK: usize = 32;

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
    /// The table of a program, or `None` if it would be too large or too much work.
    pub(super) fn of(program: &Program) -> Option<Table> {
        let mut steps = 0;
        Table::within(program, MAX_STEPS, &mut steps)
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
        let mut states = States::new(classes.count() + 1);
        reached.insert(0);
        let won = reached.follow(program, Before::Start, After::Unknown);
        let start = states.number(won, program, Before::Start, &reached)?;

        while let Some(State { before, members }) = states.next() {
            for class in 0..classes.count() as u16 {
                reached.load(&members);
                let won = program.word.is_some()
                    && reached.follow(program, before, program.after(class))
                    || next.step(program, &reached, class);
                let cell = states.number(won, program, program.before(class), &next)?;
                states.cells.push(cell);
                *steps += reached.members().len() + next.members().len();
                if *steps > limit {
                    return None;
                }
            }
            reached.load(&members);
            states.cells.push(u16::from(reached.follow(program, before, After::End)));
        }
        states.cells.shrink_to_fit();
        Some(Table { classes, cells: states.cells, start })
    }

    /// Whether the pattern matches anywhere in `text`.
    pub(super) fn is_match(&self, text: &str) -> bool {
        let won = self.classes.count() + 1;
        let mut state = usize::from(self.start);
        let mut rest = text;
        while state > won {
            let block = rest.as_bytes().get(..BLOCK).unwrap_or(rest.as_bytes());
            let mut bytes = block.iter();
            let mut taken = block.len();
            while let Some(&byte) = bytes.next() {
                // A byte that is no character has a class beyond every cell.
                let class = usize::from(self.classes.of_byte(byte));
                match self.cells.get(state + class) {
                    Some(&next) => state = usize::from(next),
                    None => {
                        taken -= bytes.len() + 1;
                        break;
                    }
                }
            }
            rest = rest.get(taken..).unwrap_or_default();
            if taken == 0 {
                let mut characters = rest.chars();
                let Some(character) = characters.next() else { break };
                state = self.cell(state, usize::from(self.classes.of(character)));
                rest = characters.as_str();
            }
        }
        self.cell(state, self.classes.count()) != 0
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
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    before: Before,
    members: Rc<[u16]>,
}

/// The states that are known, and the rows of those that are done.
struct States {
    width: usize,
    numbers: BTreeMap<State, u16>,
    known: Vec<State>,
    done: usize,
    cells: Vec<u16>,
}

impl States {
    fn new(width: usize) -> States {
        let mut cells = vec![LOST; width];
        // Whoever has won stays there, and 1 in the last column says that the text may end.
        cells.extend((1..width).map(|_| width as u16));
        cells.push(1);
        States { width, numbers: BTreeMap::new(), known: Vec::new(), done: 0, cells }
    }

    /// The next state that has no row yet.
    fn next(&mut self) -> Option<State> {
        let state = self.known.get(self.done).cloned();
        self.done += 1;
        state
    }

    /// The number of the state of having reached this, or `None` if there is no room for it.
    fn number(
        &mut self,
        won: bool,
        program: &Program,
        before: Before,
        reached: &Reached<'_>,
    ) -> Option<u16> {
        if won {
            return u16::try_from(self.width).ok();
        }
        let lasting = reached.members().iter().copied();
        let mut members: Vec<u16> = lasting.filter(|&member| program.is_lasting(member)).collect();
        if members.is_empty() {
            return Some(LOST);
        }
        members.sort_unstable();
        let asks = |member: &u16| {
            let instruction = program.instructions.get(usize::from(*member));
            matches!(instruction, Some(Instruction::Assert(_)))
        };
        let before = if members.iter().any(asks) { before } else { Before::Other };
        let state = State { before, members: members.into() };
        if let Some(&number) = self.numbers.get(&state) {
            return Some(number);
        }
        let row = (self.known.len() + 2) * self.width;
        if row + self.width > MAX_CELLS {
            return None;
        }
        let number = u16::try_from(row).ok()?;
        self.known.push(state.clone());
        self.numbers.insert(state, number);
        Some(number)
    }
}
