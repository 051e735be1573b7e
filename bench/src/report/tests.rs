use super::*;
use crate::Error;

/// Instructions and allocations of some workloads.
fn report(measured: &[(&str, Option<u64>, &str)]) -> Result<Report, Error> {
    let row = |&(name, instructions, allocations): &(&str, Option<u64>, &str)| {
        let workload = Workload::named(name).ok_or("no such workload")?;
        let allocations = allocations.parse()?;
        Ok(Row { workload, message_bytes: 147, instructions, allocations })
    };
    Ok(Report::new(measured.iter().map(row).collect::<Result<_, Error>>()?))
}

#[test]
fn a_row_stands_beside_its_budget() -> Result<(), Error> {
    let budget = Budget { instructions: 3600, allocations: "0".parse()? };
    let budgets = BTreeMap::from([("small-call".to_owned(), budget)]);
    let table = report(&[("small-call", Some(3500), "0"), ("ping", None, "2")])?.table(&budgets);
    let lines: Vec<&str> = table.lines().skip(2).collect();
    assert_eq!(
        lines,
        ["| small call, 2025-11-25, 147 B | 3,500 | 0 | 3,600 |", "| `ping`, 147 B | – | 2 | – |"]
    );
    Ok(())
}

#[test]
fn without_instructions_there_is_neither_growth_nor_a_budget() -> Result<(), Error> {
    let report = report(&[("small-call", None, "2")])?;
    assert_eq!(report.growth(), None);
    assert!(report.budgets().is_none());
    Ok(())
}

#[test]
fn breaches_are_too_many_instructions_and_any_other_number_of_allocations() -> Result<(), Error> {
    let budget = Budget { instructions: 1000, allocations: "1".parse()? };
    let budgets = BTreeMap::from(["ping", "small-call"].map(|name| (name.to_owned(), budget)));
    let within = report(&[("ping", Some(1050), "1"), ("small-call", Some(10), "1")])?;
    assert!(within.breaches(&budgets).is_empty());
    let beyond = report(&[
        ("ping", Some(1100), "1"),
        ("small-call", Some(1000), "0"),
        ("modern-call", Some(1), "0"),
    ])?;
    assert_eq!(
        beyond.breaches(&budgets),
        [
            "ping: 1,100 instructions exceed the budget of 1,000 by +100 (+10.0 %), and 5 % are allowed",
            "small-call: 0 allocations, and the budget is 1",
            "modern-call: has no budget",
        ]
    );
    Ok(())
}

#[test]
fn growth_is_told_in_both_directions() -> Result<(), Error> {
    let grown = report(&[("tools-10", Some(2000), "0"), ("tools-10000", Some(2100), "0")])?;
    let said = "a small call takes 2,000 instructions with 10 tools, +100 (+5.0 %) with 10,000";
    assert_eq!(grown.growth().as_deref(), Some(said));
    let shrunk = report(&[("tools-10", Some(2000), "0"), ("tools-10000", Some(1990), "0")])?;
    let said = "a small call takes 2,000 instructions with 10 tools, -10 (-0.5 %) with 10,000";
    assert_eq!(shrunk.growth().as_deref(), Some(said));
    Ok(())
}
