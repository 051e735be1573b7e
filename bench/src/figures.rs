//! The figures that measurements are held against: `reference.txt` and `budget.txt`.
//!
//! Both are plain columns. A line is a workload and its figures; `-` is a figure that nobody has;
//! what starts with `#` is a comment.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::Error;
use crate::allocations::Allocations;
use crate::workload;

/// The text of the reference figures.
pub const REFERENCE: &str = include_str!("../reference.txt");

/// What is known of a workload from elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Instructions that the engine should stay within.
    pub target: Option<Target>,
    /// Allocations that the engine should stay within.
    pub target_allocations: Option<Allocations>,
    /// Instructions of the spike of the hot path, which allocates nothing.
    pub spike: Option<u64>,
    /// The official Rust SDK.
    pub rmcp: Peer,
    /// Parsing and writing only.
    pub floor: Peer,
}

/// How many instructions are aimed at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// So many.
    Fixed(u64),
    /// So many more than another workload takes.
    Above(String, u64),
}

/// What another implementation takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Instructions a message.
    pub instructions: Option<u64>,
    /// Allocations a message.
    pub allocations: Option<u64>,
}

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

impl Reference {
    /// Reads the text of `reference.txt`. Every workload has its line, and nothing else has.
    pub fn parse_all(text: &str) -> Result<BTreeMap<String, Reference>, Error> {
        parse_lines(text, |figures| {
            let [
                target,
                target_allocations,
                spike,
                rmcp,
                rmcp_allocations,
                floor,
                floor_allocations,
            ] = figures
            else {
                return Err("there must be seven figures".into());
            };
            Ok(Reference {
                target: optional(target, Target::parse)?,
                target_allocations: optional(target_allocations, str::parse)?,
                spike: optional(spike, number)?,
                rmcp: Peer::parse(rmcp, rmcp_allocations)?,
                floor: Peer::parse(floor, floor_allocations)?,
            })
        })
    }
}

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

impl Target {
    fn parse(text: &str) -> Result<Target, Error> {
        Ok(match text.split_once('+') {
            Some((name, more)) => Target::Above(name.to_owned(), number(more)?),
            None => Target::Fixed(number(text)?),
        })
    }
}

impl Peer {
    fn parse(instructions: &str, allocations: &str) -> Result<Peer, Error> {
        Ok(Peer {
            instructions: optional(instructions, number)?,
            allocations: optional(allocations, number)?,
        })
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

fn optional<T>(
    text: &str,
    parse: impl FnOnce(&str) -> Result<T, Error>,
) -> Result<Option<T>, Error> {
    if text == "-" { Ok(None) } else { parse(text).map(Some) }
}

fn number(text: &str) -> Result<u64, Error> {
    text.parse().map_err(|_| format!("{text} is not a number").into())
}

#[cfg(test)]
mod tests;
