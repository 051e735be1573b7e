//! The table of measurements beside what they may cost, and the verdict.

use std::collections::BTreeMap;

use crate::allocations::Allocations;
use crate::budget::{Budget, TOLERANCE_PERCENT};
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
    pub fn table(&self, budgets: &BTreeMap<String, Budget>) -> String {
        let mut text = String::from(
            "| workload | instructions | allocations | budget |\n|---|---:|---:|---:|\n",
        );
        for row in &self.rows {
            let budget = budgets.get(row.workload.name).map(|budget| budget.instructions);
            let instructions = figure(row.instructions);
            let (title, allocations) = (row.title(), row.allocations);
            text += &format!("| {title} | {instructions} | {allocations} | {} |\n", figure(budget));
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
