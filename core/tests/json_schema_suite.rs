//! The official JSON Schema Test Suite: every required test of both dialects.
//!
//! The suite is not part of this repository; `scripts/fetch-json-schema-suite` puts it under `target/`.

#![expect(clippy::print_stdout, clippy::disallowed_macros, reason = "the counts are worth seeing")]
#![expect(clippy::disallowed_methods, reason = "the suite is read from files")]
#![expect(clippy::unwrap_used, reason = "a suite that cannot be read has failed")]

use std::fs;
use std::path::Path;

use mcplite_core::schema::{CompileOptions, Schema, SchemaError};
use serde_json::Value;

/// How the tests of one dialect went.
#[derive(Default)]
struct Tally {
    groups: usize,
    tests: usize,
    left_out: Vec<String>,
    wrong: Vec<String>,
}

fn run(draft: &str, dialect: &str) -> Tally {
    let suite = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/json-schema-suite/tests");
    let folder = Path::new(suite).join(draft);
    let mut tally = Tally::default();
    let missing = "there is no suite, run scripts/fetch-json-schema-suite";
    assert!(folder.is_dir(), "{missing}: {}", folder.display());
    let mut files: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|kind| kind == "json")) {
        let groups: Vec<Value> = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        let name = file.file_stem().unwrap().to_str().unwrap();
        for group in &groups {
            run_group(name, group, dialect, &mut tally);
        }
    }
    tally
}

fn run_group(file: &str, group: &Value, dialect: &str, tally: &mut Tally) {
    let name = format!("{file}: {}", group["description"].as_str().unwrap());
    let mut schema = group["schema"].clone();
    if let Some(members) = schema.as_object_mut()
        && !members.contains_key("$schema")
    {
        // The tests of a folder are for its dialect; those of draft-07 do not say so.
        members.insert("$schema".to_owned(), dialect.into());
    }
    let text = schema.to_string();
    let compiled = match Schema::compile(&text, &CompileOptions::default()) {
        Ok(compiled) => compiled,
        Err(error) if needs_remote(&error, &text) => {
            tally.left_out.push(format!("{name}: {error}"));
            return;
        }
        Err(error) => {
            tally.wrong.push(format!("{name}: refused: {error}"));
            return;
        }
    };
    tally.groups += 1;
    for test in group["tests"].as_array().unwrap() {
        tally.tests += 1;
        let expected = test["valid"].as_bool().unwrap();
        if let Err(what) = judge(&compiled, &test["data"], expected) {
            let test = test["description"].as_str().unwrap();
            tally.wrong.push(format!("{name}: {test}: {what}"));
        }
    }
}

/// Whether a schema was refused only because it refers to a document that is not in it.
fn needs_remote(error: &SchemaError, schema: &str) -> bool {
    let is_about_it = error.reason.contains("which is not in this schema")
        || error.reason.starts_with("the dialect \"http://localhost:1234/");
    is_about_it && schema.contains("http://localhost:1234/")
}

/// Judges one value in every way that there is.
fn judge(schema: &Schema, data: &Value, expected: bool) -> Result<(), String> {
    for text in [data.to_string(), serde_json::to_string_pretty(data).unwrap(), spaced(data)] {
        if schema.is_valid(&text) != expected {
            return Err(format!("must be {expected}: {text}"));
        }
        match schema.validate(&text) {
            Ok(()) if expected => {}
            Err(violations) if !expected && !violations.is_empty() => {}
            other => return Err(format!("validate says {other:?} of {text}")),
        }
    }
    Ok(())
}

/// The value with white space of every kind around each token.
fn spaced(data: &Value) -> String {
    match data {
        Value::Array(elements) => {
            let elements: Vec<String> = elements.iter().map(spaced).collect();
            format!("\t[ {} \n]\r", elements.join("\n, "))
        }
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| {
                format!(" {}\t:\r{}", serde_json::to_string(name).unwrap(), spaced(value))
            };
            let members: Vec<String> = members.iter().map(member).collect();
            format!("\n{{\t{}\r}} ", members.join(" ,"))
        }
        scalar => format!(" {scalar}\n"),
    }
}

fn report(draft: &str, tally: &Tally) {
    println!(
        "{draft}: {} groups and {} tests run, {} wrong, {} groups left out because they need remote \
         documents",
        tally.groups,
        tally.tests,
        tally.wrong.len(),
        tally.left_out.len(),
    );
    for group in &tally.left_out {
        println!("  left out: {group}");
    }
    assert!(tally.wrong.is_empty(), "{draft}:\n{}", tally.wrong.join("\n"));
    assert!(tally.groups > 200, "{draft}: the suite has more groups than {}", tally.groups);
}

#[test]
fn draft_2020_12_passes_the_official_suite() {
    let tally = run("draft2020-12", "https://json-schema.org/draft/2020-12/schema");
    report("draft2020-12", &tally);
}

#[test]
fn draft_7_passes_the_official_suite() {
    report("draft7", &run("draft7", "http://json-schema.org/draft-07/schema#"));
}
