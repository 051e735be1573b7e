use super::*;
use crate::Error;
use crate::figures::REFERENCE;

/// Instructions and allocations of some workloads.
fn report(measured: &[(&str, Option<u64>, &str)]) -> Result<Report, Error> {
    let row = |&(name, instructions, allocations): &(&str, Option<u64>, &str)| {
        let workload = Workload::named(name).ok_or("no such workload")?;
        let allocations = allocations.parse()?;
        Ok(Row { workload, message_bytes: 147, instructions, allocations })
    };
    Ok(Report::new(measured.iter().map(row).collect::<Result<_, Error>>()?))
}

fn line_of(report: &Report, title: &str) -> Result<String, Error> {
    let table = report.table(&Reference::parse_all(REFERENCE)?);
    let line = table.lines().find(|line| line.contains(title));
    Ok(line.ok_or("the table lacks a line")?.to_owned())
}

#[test]
fn a_row_stands_beside_its_reference_figures() -> Result<(), Error> {
    let report = report(&[("small-call", Some(3500), "0")])?;
    assert_eq!(
        line_of(&report, "small call")?,
        "| small call, 2025-11-25, 147 B | 3,500 | 0 | 3,500 | 2,100 | 70,700, 89 alloc | 6,800, 1 alloc |"
    );
    Ok(())
}

#[test]
fn what_misses_its_target_is_marked() -> Result<(), Error> {
    let report = report(&[
        ("small-call", Some(4200), "1.05"),
        ("list-100", Some(9000), "0"),
        ("list-100-copy", Some(6000), "0"),
    ])?;
    let small = line_of(&report, "small call")?;
    assert!(small.contains("| 3,500 **OVER** by +700 (+20.0 %) **ALLOCATES** |"), "{small}");
    let list = line_of(&report, "list of 100")?;
    assert!(list.contains("| 8,500 **OVER** by +500 (+5.8 %) |"), "{list}");
    Ok(())
}

#[test]
fn without_instructions_the_rest_is_shown() -> Result<(), Error> {
    let report = report(&[("small-call", None, "2")])?;
    let line = line_of(&report, "small call")?;
    assert!(line.contains("| – | 2 | 3,500 **ALLOCATES** |"), "{line}");
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
