//! Matching by following all ways through a program at once.

use super::program::Program;
use super::reached::{After, Before, Reached};

/// Instructions of a program that is simulated: what has room on the stack, and how much work each
/// character of a text can be.
pub(super) const MAX_SIMULATED: usize = 2_048;

/// Whether the program, of at most [`MAX_SIMULATED`] instructions, matches somewhere in `text`.
#[inline(never)]
pub(super) fn simulate(program: &Program, text: &str) -> bool {
    let mut memory = [[0_u16; MAX_SIMULATED]; 4];
    let [dense, sparse, next_dense, next_sparse] = &mut memory;
    let mut reached = Reached::new(dense, sparse);
    let mut next = Reached::new(next_dense, next_sparse);

    // What every later position starts with. If that is nothing, as behind a ^, then having nothing
    // more at some position means that there will never be more.
    next.insert(0);
    next.follow(program, Before::Other, After::Unknown);
    let floor = if next.is_idle(program) { next.members().len() } else { 0 };

    let mut before = Before::Start;
    reached.insert(0);
    if reached.follow(program, before, After::Unknown) {
        return true;
    }
    for character in text.chars() {
        let class = program.alphabet.classes.of(character);
        // Looking ahead matters to word boundaries only: the end is certainly not here.
        if program.word.is_some() && reached.follow(program, before, program.after(class)) {
            return true;
        }
        if next.step(program, &reached, class) {
            return true;
        }
        if next.members().len() == floor {
            return false;
        }
        before = program.before(class);
        std::mem::swap(&mut reached, &mut next);
    }
    reached.follow(program, before, After::End)
}
