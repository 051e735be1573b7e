//! What the ABI promises, held against what stands in files: symbols, layouts, documentation, guards.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    reason = "a test that finds something else than it expects has failed"
)]

mod support;

use std::fmt::Write;
use std::fs;
use std::mem::{align_of, offset_of, size_of};

use mcplite::hooks::mcp_event;
use mcplite::server::mcp_error;
use support::{Export, exports, root, update_or_compare};

/// Each symbol and the version that brought it; lines are added and never removed.
#[test]
fn the_list_of_symbols_is_complete() {
    let mut wanted = String::new();
    for export in exports() {
        let since = export.documentation.rsplit_once("Since: ").map(|(_, since)| since.trim());
        let since = since.unwrap_or_else(|| panic!("{} does not say since when", export.name));
        writeln!(wanted, "{} {since}", export.name).unwrap();
    }
    update_or_compare(&root().join("ffi/abi/symbols.txt"), &wanted);
}

#[test]
fn the_header_declares_every_symbol_and_no_other() {
    let header = fs::read_to_string(root().join("include/mcplite.h")).unwrap();
    let declared = header.lines().filter_map(|line| line.strip_prefix("MCP_API ")).map(|line| {
        let name = line.split('(').next().unwrap().rsplit([' ', '*']).next().unwrap();
        name.to_owned()
    });
    let mut declared: Vec<_> = declared.collect();
    declared.sort();
    let exported: Vec<_> = exports().into_iter().map(|export| export.name).collect();
    assert_eq!(declared, exported);
}

/// Where the members of public structs are; a C program compares it with what its compiler says.
#[test]
fn the_layouts_are_as_promised() {
    let mut wanted = String::new();
    let mut line = |name: &str, size: usize, place: &str| {
        writeln!(wanted, "{name} {size} {place}").unwrap();
    };
    line("mcp_error", size_of::<mcp_error>(), &format!("align {}", align_of::<mcp_error>()));
    line("mcp_error.status", offset_of!(mcp_error, status), "offset");
    line("mcp_error.offset", offset_of!(mcp_error, offset), "offset");
    line("mcp_error.text", offset_of!(mcp_error, text), "offset");
    line("mcp_event", size_of::<mcp_event>(), &format!("align {}", align_of::<mcp_event>()));
    line("mcp_event.struct_size", offset_of!(mcp_event, struct_size), "offset");
    line("mcp_event.kind", offset_of!(mcp_event, kind), "offset");
    line("mcp_event.outcome", offset_of!(mcp_event, outcome), "offset");
    line("mcp_event.code", offset_of!(mcp_event, code), "offset");
    line("mcp_event.time_ms", offset_of!(mcp_event, time_ms), "offset");
    line("mcp_event.duration_us", offset_of!(mcp_event, duration_us), "offset");
    line("mcp_event.method", offset_of!(mcp_event, method), "offset");
    line("mcp_event.name", offset_of!(mcp_event, name), "offset");
    line("mcp_event.id", offset_of!(mcp_event, id), "offset");
    line("mcp_event.traceparent", offset_of!(mcp_event, traceparent), "offset");
    line("mcp_event.text", offset_of!(mcp_event, text), "offset");
    if cfg!(target_pointer_width = "64") {
        update_or_compare(&root().join("ffi/abi/layout.txt"), &wanted);
    }
}

#[test]
fn every_function_says_what_a_caller_has_to_know() {
    for export in exports() {
        let Export { name, documentation, body } = &export;
        assert!(documentation.contains("/// Threads: "), "{name} does not say on which threads");
        let signature = body.split(" {\n").next().unwrap();
        if signature.contains("->") {
            assert!(documentation.contains("/// Returns: "), "{name} does not say what it returns");
        }
        let gives_text = signature.contains("-> *const c_char");
        let is_constant = documentation.contains("lives for ever");
        if gives_text && !is_constant {
            assert!(documentation.contains("/// Valid until: "), "{name} does not say how long");
        }
        let keeps = signature.contains("mcp_destroy") || name.ends_with("_free");
        if keeps {
            assert!(documentation.contains("/// Ownership: "), "{name} does not say who owns what");
        }
    }
}

/// No panic may leave the library: every function does its work inside the boundary.
#[test]
fn every_function_is_guarded() {
    // Functions of this crate that do nothing outside of the boundary themselves.
    let guards =
        ["boundary::", "argument(", "member(", "register(", "with(", "with_output(", "number("];
    let all = exports();
    for Export { name, body, .. } in &all {
        assert!(guards.iter().any(|guard| body.contains(guard)), "{name} is not guarded");
    }
    assert!(all.len() > 90, "the exports were found");
}

#[test]
fn versions_agree() {
    let number = mcplite::version::mcp_version_number();
    let parts: Vec<i32> =
        env!("CARGO_PKG_VERSION").split('.').map(|part| part.parse().unwrap()).collect();
    assert_eq!(number, parts[0] * 1_000_000 + parts[1] * 1000 + parts[2]);
    assert!(parts.iter().all(|part| *part < 1000));
}
