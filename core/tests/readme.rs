//! What the README says is so.

use mcplite_core::Revision;

const README: &str = include_str!("../../README.md");

#[test]
fn the_readme_shows_the_hello_example() {
    let example = include_str!("../examples/hello.rs");
    let (_, program) = example.split_once("use std::io").expect("the example does I/O");
    let shown = format!("```rust\nuse std::io{program}```\n");
    assert!(README.contains(&shown), "README.md must show core/examples/hello.rs");
}

#[test]
fn the_readme_names_the_version_and_every_revision() {
    let revisions = Revision::ALL.map(Revision::name).join(", ");
    let (version, _) = env!("CARGO_PKG_VERSION").rsplit_once('.').expect("a version has parts");
    let row = format!("| mcplite {version} | {revisions} |");
    assert!(README.contains(&row), "README.md must have the row {row}");
}

#[test]
fn the_readme_counts_the_hostile_messages() {
    let cases = include_str!("../../tests/adversarial/corpus.jsonl").lines().count();
    assert!(README.contains(&format!("{cases} hostile messages")), "there are {cases}");
}

#[test]
fn the_map_of_the_architecture_has_every_module() {
    let map = include_str!("../../ARCHITECTURE.md");
    let modules = include_str!("../src/lib.rs").lines().filter_map(|line| {
        let name = line.trim_start_matches("pub ").strip_prefix("mod ")?;
        name.strip_suffix(';')
    });
    for module in modules.filter(|module| *module != "documentation") {
        let named = [format!("`{module}.rs`"), format!("`{module}/`")];
        assert!(named.iter().any(|name| map.contains(name)), "ARCHITECTURE.md lacks {module}");
    }
}

#[test]
fn what_the_readme_shows_of_asking_is_what_the_demo_does() {
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = README.split("```rust\n").find(|part| part.starts_with("let Some(answer)"));
    let shown = shown.and_then(|part| part.split("```").next()).unwrap_or_default();
    assert!(!shown.is_empty(), "the README shows how a handler asks");
    assert!(flat(include_str!("../examples/exchange.rs")).contains(&flat(shown)), "{shown}");
}
