//! What the README says of the C ABI is so.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    reason = "a test that finds something else than it expects has failed"
)]

mod support;

use std::fs;

use support::{read, root};

#[test]
fn the_readme_shows_the_hello_example() {
    let example = read("examples/c/hello.c");
    let program = example.split_once(" */\n").unwrap().1;
    assert!(read("README.md").contains(&format!("```c\n{program}```\n")), "README.md is behind");
}

#[test]
fn the_readme_names_every_example() {
    let readme = read("README.md");
    for entry in fs::read_dir(root().join("examples/c")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let is_program = name.ends_with(".c") && !name.contains("everything_");
        let stem = name.trim_end_matches(".c");
        assert!(!is_program || readme.contains(stem), "README.md lacks {name}");
    }
}

#[test]
fn the_map_of_the_architecture_has_every_module() {
    let map = read("ARCHITECTURE.md");
    let modules = read("ffi/src/lib.rs");
    let modules = modules
        .lines()
        .filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';'));
    for module in modules {
        let named = [format!("`{module}.rs`"), format!("`{module}`")];
        assert!(named.iter().any(|name| map.contains(name)), "ARCHITECTURE.md lacks {module}");
    }
}

#[test]
fn the_changelog_counts_the_functions() {
    let count = read("ffi/abi/symbols.txt").lines().count();
    assert!(read("CHANGELOG.md").contains(&format!("{count} functions")), "there are {count}");
}
