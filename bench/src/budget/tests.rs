use super::*;

/// A budget for every workload but those that `but` names.
fn budget_text(but: &[&str]) -> String {
    let names = workload::ALL.iter().map(|workload| workload.name);
    let lines = names.filter(|name| !but.contains(name)).map(|name| format!("{name} 1000 0\n"));
    format!("# A comment.\n\n{}", lines.collect::<String>())
}

fn refusal(text: &str) -> String {
    Budget::parse_all(text).err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn the_budget_can_be_read() -> Result<(), Error> {
    Budget::parse_all(include_str!("../../budget.txt")).map(drop)
}

#[test]
fn a_budget_without_one_of_the_workloads_is_refused() {
    assert_eq!(refusal(&budget_text(&[])), "");
    assert_eq!(refusal(&budget_text(&["ping"])), "there is no line for ping");
}

#[test]
fn a_line_that_makes_no_sense_is_refused() {
    for (line, reason) in [
        ("pong 1 0", "there is no such workload"),
        ("ping 1 0", "there is another line for this workload"),
        ("ping 1", "there must be two figures"),
        ("ping 1 0 0", "there must be two figures"),
        ("ping many 0", "many is not a number"),
    ] {
        let text = format!("{}{line}\n", budget_text(&[]));
        assert_eq!(refusal(&text), format!("{line}: {reason}"));
    }
}

#[test]
fn a_budget_is_exceeded_beyond_five_percent() -> Result<(), Error> {
    let budget = Budget { instructions: 1000, allocations: "0".parse()? };
    assert!(!budget.is_exceeded_by(1050));
    assert!(budget.is_exceeded_by(1051));
    Ok(())
}

#[test]
fn a_rewritten_budget_keeps_its_comments_and_has_headroom() -> Result<(), Error> {
    let names = workload::ALL.iter().map(|workload| workload.name);
    let allocations = "1.05".parse()?;
    let budgets: Vec<_> = names.map(|name| (name, Budget::of(1001, allocations))).collect();
    let text = Budget::rewrite_all(&budget_text(&[]), &budgets);
    assert!(text.starts_with("# A comment.\n\nping"), "{text}");
    let read = Budget::parse_all(&text)?;
    assert_eq!(read.get("ping"), Some(&Budget { instructions: 1022, allocations }));
    Ok(())
}
