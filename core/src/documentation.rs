//! Keeps the tables of `docs/protocol.md` equal to the tables of the code. `UPDATE=1` rewrites them.

#![expect(clippy::disallowed_methods, reason = "the test reads and writes a document")]

use std::fmt::Write as _;

use crate::kind::{ErrorKind, ErrorTable, Form, Preset, Rule};
use crate::limits::{Limits, MAX_COMPLETION_VALUES, MAX_NESTED_MESSAGES, MAX_QUESTIONS};
use crate::revision::{Feature, Method, Revision};

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/protocol.md");

#[test]
fn the_tables_of_the_protocol_document_are_those_of_the_code() {
    let before = std::fs::read_to_string(DOCUMENT).unwrap();
    let mut after = before.clone();
    let tables = [
        ("methods", methods()),
        ("features", features()),
        ("errors", errors()),
        ("limits", limits()),
    ];
    for (name, table) in tables {
        let (start, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
        let from = after.find(&start).unwrap() + start.len();
        let to = after.find(&end).unwrap();
        after.replace_range(from..to, &table);
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(DOCUMENT, after).unwrap();
    } else {
        assert_eq!(before, after, "run `make update-docs`");
    }
}

fn methods() -> String {
    let row =
        |method: Method| (method.name(), move |revision: Revision| revision.has_method(method));
    by_revision("method", Method::ALL.into_iter().map(row))
}

fn features() -> String {
    let row =
        |feature: Feature| (feature.describe(), move |revision: Revision| revision.has(feature));
    by_revision("feature", Feature::ALL.into_iter().map(row))
}

fn by_revision<F: Fn(Revision) -> bool>(
    what: &str,
    rows: impl Iterator<Item = (&'static str, F)>,
) -> String {
    let mut table = format!("| {what} |");
    for revision in Revision::ALL {
        write!(table, " {} |", revision.name()).unwrap();
    }
    table.push_str(&format!("\n|---{}|\n", "|---".repeat(Revision::ALL.len())));
    for (name, has) in rows {
        write!(table, "| {name} |").unwrap();
        for revision in Revision::ALL {
            table.push_str(if has(revision) { " yes |" } else { " |" });
        }
        table.push('\n');
    }
    table
}

fn errors() -> String {
    let mut table = String::from(
        "| kind | `spec`, to 2025-06-18 | `spec`, 2025-11-25 | `spec`, 2026-07-28 | `classic`, to 2025-11-25 | `gateway`, to 2025-11-25 |\n|---|---|---|---|---|---|\n",
    );
    for kind in ErrorKind::ALL {
        let cell = |preset, revision| {
            let Rule { code, form } = ErrorTable::new(preset).rule(kind, revision);
            match form {
                Form::Error => code.to_string(),
                Form::ToolResult => format!("tool result, else {code}"),
            }
        };
        writeln!(
            table,
            "| `{kind:?}` | {} | {} | {} | {} | {} |",
            cell(Preset::Spec, Revision::V2025_06_18),
            cell(Preset::Spec, Revision::V2025_11_25),
            cell(Preset::Spec, Revision::V2026_07_28),
            cell(Preset::Classic, Revision::V2025_11_25),
            cell(Preset::Gateway, Revision::V2025_11_25),
        )
        .unwrap();
    }
    table
}

fn limits() -> String {
    let text = format!("{:?}", Limits::default());
    let fields = text.trim_start_matches("Limits { ").trim_end_matches(" }").split(", ");
    let mut table = String::from("| limit | default |\n|---|---|\n");
    for field in fields {
        let (name, value) = field.split_once(": ").unwrap();
        writeln!(table, "| `{name}` | {value} |").unwrap();
    }
    writeln!(table, "| messages handed in from inside one another | {MAX_NESTED_MESSAGES} |")
        .unwrap();
    writeln!(table, "| questions of one attempt | {MAX_QUESTIONS} |").unwrap();
    writeln!(table, "| values of a completion | {MAX_COMPLETION_VALUES} |").unwrap();
    table
}
