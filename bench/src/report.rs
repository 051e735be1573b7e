//! The table of measurements beside the figures that they are held against, and the verdict.

use std::collections::BTreeMap;

use crate::allocations::Allocations;
use crate::figures::{Budget, Peer, Reference, TOLERANCE_PERCENT, Target};
use crate::workload::Workload;

/// What was measured of one workload.
#[derive(Debug)]
pub struct Row {
    /// What was played.
    pub workload: &'static Workload,
    /// How long its message is.
    pub message_bytes: usize,
    /// Instructions a message; `None` where they could not be counted.
    pub instructions: Option<u64>,
    /// Allocations a message.
    pub allocations: Allocations,
}

/// What was measured of all workloads.
#[derive(Debug)]
pub struct Report {
    rows: Vec<Row>,
}

impl Report {
    /// A report of these rows.
    pub fn new(rows: Vec<Row>) -> Report {
        Report { rows }
    }

    /// A Markdown table of everything.
    pub fn table(&self, references: &BTreeMap<String, Reference>) -> String {
        let mut text = String::from(
            "| workload | instructions | allocations | target | spike E | rmcp 3.8 | floor |\n\
             |---|---:|---:|---|---:|---:|---:|\n",
        );
        for row in &self.rows {
            let Some(reference) = references.get(row.workload.name) else { continue };
            let cells = [
                row.title(),
                figure(row.instructions),
                row.allocations.to_string(),
                self.target_cell(row, reference),
                figure(reference.spike),
                peer(reference.rmcp),
                peer(reference.floor),
            ];
            text += &format!("| {} |\n", cells.join(" | "));
        }
        text
    }

    /// How a call grows with the number of tools, in words; nothing if it was not counted.
    pub fn growth(&self) -> Option<String> {
        let (few, many) = (self.instructions("tools-10")?, self.instructions("tools-10000")?);
        let (few, more) = (grouped(few), difference(few, many));
        Some(format!("a small call takes {few} instructions with 10 tools, {more} with 10,000"))
    }

    /// What exceeds its budget, a sentence each.
    pub fn breaches(&self, budgets: &BTreeMap<String, Budget>) -> Vec<String> {
        let mut breaches = Vec::new();
        for row in &self.rows {
            let name = row.workload.name;
            let Some(budget) = budgets.get(name) else {
                breaches.push(format!("{name}: has no budget"));
                continue;
            };
            if let Some(instructions) = row.instructions.filter(|n| budget.is_exceeded_by(*n)) {
                breaches.push(format!(
                    "{name}: {} instructions exceed the budget of {} by {}, and {TOLERANCE_PERCENT} % are allowed",
                    grouped(instructions),
                    grouped(budget.instructions),
                    difference(budget.instructions, instructions),
                ));
            }
            if row.allocations != budget.allocations {
                let (measured, budget) = (row.allocations, budget.allocations);
                breaches
                    .push(format!("{name}: {measured} allocations, and the budget is {budget}"));
            }
        }
        breaches
    }

    /// Budgets for what was measured; `None` if instructions were not counted.
    pub fn budgets(&self) -> Option<Vec<(&'static str, Budget)>> {
        let budget =
            |row: &Row| Some((row.workload.name, Budget::of(row.instructions?, row.allocations)));
        self.rows.iter().map(budget).collect()
    }

    fn instructions(&self, name: &str) -> Option<u64> {
        self.rows.iter().find(|row| row.workload.name == name)?.instructions
    }

    /// The target, and whether it was reached as far as that is known.
    fn target_cell(&self, row: &Row, reference: &Reference) -> String {
        let target = match &reference.target {
            Some(Target::Fixed(target)) => Some(*target),
            Some(Target::Above(name, more)) => self.instructions(name).map(|count| count + more),
            None => None,
        };
        let Some(target) = target else { return "–".to_owned() };
        let mut cell = grouped(target);
        if let Some(instructions) = row.instructions.filter(|count| *count > target) {
            cell += &format!(" **OVER** by {}", difference(target, instructions));
        }
        if reference.target_allocations.is_some_and(|target| row.allocations > target) {
            cell += " **ALLOCATES**";
        }
        cell
    }
}

impl Row {
    fn title(&self) -> String {
        match self.message_bytes {
            0 => self.workload.title.to_owned(),
            bytes => format!("{}, {} B", self.workload.title, grouped(bytes as u64)),
        }
    }
}

fn figure(number: Option<u64>) -> String {
    number.map_or_else(|| "–".to_owned(), grouped)
}

fn peer(peer: Peer) -> String {
    match peer.allocations {
        Some(allocations) => format!("{}, {allocations} alloc", figure(peer.instructions)),
        None => figure(peer.instructions),
    }
}

/// From one number to another: `+1,200 (+40.0 %)`.
fn difference(from: u64, to: u64) -> String {
    let sign = if to < from { '-' } else { '+' };
    let by = from.abs_diff(to);
    let tenths = (by * 1000).checked_div(from).unwrap_or_default();
    format!("{sign}{} ({sign}{}.{} %)", grouped(by), tenths / 10, tenths % 10)
}

/// A number with commas between its thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests;
