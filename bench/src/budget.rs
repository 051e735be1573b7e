//! What messages may cost: `budget.txt`.
//!
//! It is plain columns. A line is a workload and its figures; what starts with `#` is a comment.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::Error;
use crate::allocations::Allocations;
use crate::workload;

/// What a workload may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Instructions, with [`TOLERANCE_PERCENT`] on top.
    pub instructions: u64,
    /// Allocations, exactly.
    pub allocations: Allocations,
}

/// By how much instructions may exceed their budget: compilers and C libraries differ a little.
pub const TOLERANCE_PERCENT: u64 = 5;

/// By how much a new budget exceeds what was measured.
const HEADROOM_PERCENT: u64 = 2;

impl Budget {
    /// Reads the text of `budget.txt`. Every workload has its line, and nothing else has.
    pub fn parse_all(text: &str) -> Result<BTreeMap<String, Budget>, Error> {
        parse_lines(text, |figures| {
            let [instructions, allocations] = figures else {
                return Err("there must be two figures".into());
            };
            Ok(Budget { instructions: number(instructions)?, allocations: allocations.parse()? })
        })
    }

    /// A budget for what was measured.
    pub fn of(instructions: u64, allocations: Allocations) -> Budget {
        let instructions = (instructions * (100 + HEADROOM_PERCENT)).div_ceil(100);
        Budget { instructions, allocations }
    }

    /// Whether so many instructions are too many.
    pub fn is_exceeded_by(self, instructions: u64) -> bool {
        instructions * 100 > self.instructions * (100 + TOLERANCE_PERCENT)
    }

    /// The text of `budget.txt` with new figures; the comments at its start stay.
    pub fn rewrite_all(old: &str, budgets: &[(&str, Budget)]) -> String {
        let comments = old.lines().take_while(|line| line.starts_with('#') || line.is_empty());
        let mut text: String = comments.flat_map(|line| [line, "\n"]).collect();
        for (name, budget) in budgets {
            let Budget { instructions, allocations } = budget;
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{name:<16} {instructions:>9}  {allocations:>11}");
        }
        text
    }
}

fn parse_lines<T>(
    text: &str,
    parse: impl Fn(&[&str]) -> Result<T, Error>,
) -> Result<BTreeMap<String, T>, Error> {
    let mut lines = BTreeMap::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some((name, figures)) = words.split_first() else { continue };
        let figures = parse(figures).map_err(|error| format!("{line}: {error}"))?;
        if workload::Workload::named(name).is_none() {
            return Err(format!("{line}: there is no such workload").into());
        }
        if lines.insert((*name).to_owned(), figures).is_some() {
            return Err(format!("{line}: there is another line for this workload").into());
        }
    }
    match workload::ALL.iter().find(|workload| !lines.contains_key(workload.name)) {
        Some(workload) => Err(format!("there is no line for {}", workload.name).into()),
        None => Ok(lines),
    }
}

fn number(text: &str) -> Result<u64, Error> {
    text.parse().map_err(|_| format!("{text} is not a number").into())
}

#[cfg(test)]
mod tests;
