//! A compiled pattern.

use super::error::PatternError;
use super::parser::Parser;
use super::program::Program;
use super::simulation::{MAX_SIMULATED, simulate};
use super::table::Table;

/// Bytes of the source of a pattern.
pub(crate) const MAX_SOURCE: usize = 16 * 1024;

/// Bytes of a table that make one lookup cost as much as reading a byte again.
const TABLE_BYTES_PER_READING: usize = 4096;

/// A compiled pattern. It never changes, so any number of threads may use it.
#[derive(Debug)]
pub(crate) struct Pattern {
    engine: Engine,
}

#[derive(Debug)]
enum Engine {
    Table(Box<Table>),
    Simulation(Box<Program>),
}

impl Pattern {
    /// Compiles a pattern of ECMA-262 with the `u` flag, or one that only strictness would refuse.
    ///
    /// Time and memory are bounded by constants, whatever the source is. Those who compile many give
    /// the same `steps_left` to all of them: if that is used up, the others are simulated.
    pub(crate) fn compile(source: &str, steps_left: &mut usize) -> Result<Pattern, PatternError> {
        let program = Pattern::parse(source)?;
        if let Some(table) = Table::of(&program, steps_left) {
            return Ok(Pattern { engine: Engine::Table(Box::new(table)) });
        }
        Pattern::simulated(program, source.len())
    }

    /// Whether the pattern matches anywhere in `text`.
    ///
    /// Allocates nothing. The time grows with the length of the text: a few instructions for each
    /// byte with a table, else at most in proportion to the size of the program for each character.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        match &self.engine {
            Engine::Table(table) => table.is_match(text),
            Engine::Simulation(program) => simulate(program, text),
        }
    }

    /// How many bytes could be read in the time that it takes to match one byte of a text, beyond the
    /// first.
    ///
    /// A table costs more where it does not fit into the nearest caches. A simulation may look at each
    /// instruction for each character.
    pub(crate) fn weight(&self) -> usize {
        match &self.engine {
            Engine::Table(table) => table.memory() / TABLE_BYTES_PER_READING,
            Engine::Simulation(program) => program.instructions.len(),
        }
    }

    /// Approximate bytes on the heap.
    pub(crate) fn memory(&self) -> usize {
        match &self.engine {
            Engine::Table(table) => size_of::<Table>() + table.memory(),
            Engine::Simulation(program) => size_of::<Program>() + program.memory(),
        }
    }

    pub(super) fn parse(source: &str) -> Result<Program, PatternError> {
        if source.len() > MAX_SOURCE {
            return Err(PatternError::too_large(MAX_SOURCE, "pattern longer than 16 KiB"));
        }
        Parser::new(source).parse()
    }

    pub(super) fn simulated(program: Program, end: usize) -> Result<Pattern, PatternError> {
        if program.instructions.len() > MAX_SIMULATED {
            return Err(PatternError::too_large(
                end,
                "the pattern has too many states: use smaller counts, anchor it with ^, or use \
                 minLength and maxLength",
            ));
        }
        Ok(Pattern { engine: Engine::Simulation(Box::new(program)) })
    }
}
