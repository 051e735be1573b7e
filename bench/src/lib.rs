//! What a message costs mcplite, from bytes to bytes in one process.
//!
//! The workloads are defined once, in [`workload`], and measured in three ways: instructions by
//! callgrind and allocations by a counting allocator, both in the program `report`, and time by
//! criterion. Instructions and allocations hold from run to run, and are what `report --check` keeps
//! within `budget.txt`; time is for looking at.

#![deny(unsafe_code)]

pub mod allocations;
pub mod budget;
pub mod callgrind;
pub mod files;
mod messages;
pub mod report;
mod schemas;
mod script;
pub mod stage;
pub mod workload;

/// What stops a measurement, in words.
pub type Error = Box<dyn std::error::Error>;
