//! Counts what each workload costs the engine and prints it beside its budget.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a report is for reading")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use mcplite_bench::Error;
use mcplite_bench::allocations::{Allocations, CountingAllocator};
use mcplite_bench::budget::Budget;
use mcplite_bench::callgrind;
use mcplite_bench::files;
use mcplite_bench::report::{Report, Row};
use mcplite_bench::stage::input_is_validated;
use mcplite_bench::workload::{self, Workload};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const USAGE: &str = "\
usage: report                       print the table
       report --check               print it, and fail if something exceeds its budget
       report --update-budget       print it, and write what was measured to budget.txt
       report play WORKLOAD ROUNDS  play a workload, for a profiler
       report messages DIR          write the workloads to files, for programs in other languages";

/// Where the budget lives; read when it is needed, because this program also rewrites it.
const BUDGET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/budget.txt");

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments.as_slice() {
        [] => measure().map(drop),
        ["--check"] => check(),
        ["--update-budget"] => update_budget(),
        ["play", name, rounds] => play(name, rounds),
        ["messages", folder] => files::write_all(Path::new(folder)),
        _ => Err(USAGE.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn play(name: &str, rounds: &str) -> Result<(), Error> {
    let workload = Workload::named(name).ok_or_else(|| {
        let names: Vec<&str> = workload::ALL.iter().map(|workload| workload.name).collect();
        format!("there is no workload {name}, but {}", names.join(", "))
    })?;
    workload.set_up()?.play(rounds.parse()?)
}

fn check() -> Result<(), Error> {
    let breaches = measure()?.breaches(&budgets()?);
    if breaches.is_empty() {
        println!("\nEverything counted is within bench/budget.txt.");
        return Ok(());
    }
    Err(format!("\nNot within bench/budget.txt:\n{}", breaches.join("\n")).into())
}

fn budgets() -> Result<BTreeMap<String, Budget>, Error> {
    Budget::parse_all(&std::fs::read_to_string(BUDGET)?)
}

fn update_budget() -> Result<(), Error> {
    let old = std::fs::read_to_string(BUDGET)?;
    let budgets = measure()?.budgets().ok_or("a budget needs instruction counts")?;
    std::fs::write(BUDGET, Budget::rewrite_all(&old, &budgets))?;
    println!("\nWritten to bench/budget.txt.");
    Ok(())
}

/// Counts everything that can be counted here, and prints it.
fn measure() -> Result<Report, Error> {
    if !input_is_validated()? {
        return Err("the engine holds no input against schemas, which budgets include".into());
    }
    let valgrind = instruction_counter();
    let program = std::env::current_exe()?;
    let rows = workload::ALL.iter().map(|workload| row(workload, &program, valgrind.is_ok()));
    let report = Report::new(rows.collect::<Result<_, Error>>()?);
    print!("{}", report.table(&budgets()?));
    println!("\nPer message, bytes to bytes in one process, in the steady state.");
    match valgrind {
        Ok(version) => println!("Instructions counted by {version} (callgrind)."),
        Err(reason) => println!("Instructions NOT counted: {reason}."),
    }
    if let Some(growth) = report.growth() {
        println!("Growth: {growth}.");
    }
    Ok(report)
}

/// What counts instructions, or why nothing does.
fn instruction_counter() -> Result<String, String> {
    // The budget is that of one instruction set and of optimised code.
    if cfg!(debug_assertions) {
        return Err("this is a debug build".to_owned());
    }
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return Err("the figures are those of x86-64 Linux".to_owned());
    }
    callgrind::find()
}

fn row(workload: &'static Workload, program: &Path, counts: bool) -> Result<Row, Error> {
    let mut stage = workload.set_up()?;
    let allocations = Allocations::count(&mut stage)?;
    let instructions =
        if counts { Some(callgrind::instructions(program, workload)?) } else { None };
    Ok(Row { workload, message_bytes: stage.message_bytes(), instructions, allocations })
}
