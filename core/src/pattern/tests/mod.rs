mod agreement;
mod bounds;
mod properties;
mod syntax;

use super::error::PatternError;
use super::matcher::Pattern;
use super::table::Table;

/// A pattern with as many steps as it needs.
fn compiled(source: &str) -> Result<Pattern, PatternError> {
    Pattern::compile(source, &mut { usize::MAX })
}

/// One pattern in both engines.
struct Both {
    /// The engine that is chosen, whichever it is.
    chosen: Pattern,
    table: Option<Table>,
    simulation: Option<Pattern>,
}

impl Both {
    fn new(source: &str) -> Both {
        let parse = || Pattern::parse(source).unwrap_or_else(|error| panic!("{source}: {error}"));
        Both {
            chosen: compiled(source).unwrap(),
            table: Table::of(&parse(), &mut { usize::MAX }),
            simulation: Pattern::simulated(parse(), 0).ok(),
        }
    }

    /// What all engines say, who must say the same.
    fn is_match(&self, text: &str) -> bool {
        let found = self.chosen.is_match(text);
        if let Some(table) = &self.table {
            assert_eq!(table.is_match(text), found, "the table on {text:?}");
        }
        if let Some(simulation) = &self.simulation {
            assert_eq!(simulation.is_match(text), found, "the simulation on {text:?}");
        }
        found
    }
}
