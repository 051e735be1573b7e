//! The README shows a program that exists.

#[test]
fn the_readme_shows_the_hello_example() {
    let readme = include_str!("../../README.md");
    let example = include_str!("../examples/hello.rs");
    let (_, program) = example.split_once("use std::io").expect("the example does I/O");
    let shown = format!("```rust\nuse std::io{program}```\n");
    assert!(readme.contains(&shown), "README.md must show core/examples/hello.rs");
}
