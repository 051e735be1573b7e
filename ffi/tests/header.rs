//! `include/mcplite.h` is made of the sources, and nothing else; `UPDATE=1` writes it.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    reason = "a test that finds something else than it expects has failed"
)]

mod support;

use std::fs;

use cbindgen::{Builder, Config, DocumentationLength, DocumentationStyle, Language, Style};
use support::{read, root, sources, update_or_compare};

/// Types that the preamble declares, and what is for Rust only.
const NOT_IN_CHAPTERS: [&str; 9] = [
    "mcp_server",
    "mcp_session",
    "mcp_http",
    "mcp_exchange",
    "mcp_call",
    "mcp_failure",
    "mcp_buf",
    "STATUSES",
    "CHAPTERS",
];

#[test]
fn the_header_is_what_the_sources_say() {
    let mut header = preamble();
    for (module, title) in mcplite::CHAPTERS {
        header.push_str(&chapter(module, title));
    }
    header.push_str(&read("ffi/header/ending.h"));
    update_or_compare(&root().join("include/mcplite.h"), &header);
}

#[test]
fn every_module_with_exports_is_a_chapter() {
    for (module, text) in sources() {
        let is_chapter = mcplite::CHAPTERS.iter().any(|(chapter, _)| *chapter == module);
        assert_eq!(text.contains("no_mangle"), is_chapter, "{module}");
    }
}

fn preamble() -> String {
    let mut text = read("ffi/header/preamble.h");
    let version: Vec<_> = env!("CARGO_PKG_VERSION").split('.').collect();
    for (place, name) in ["@MAJOR@", "@MINOR@", "@PATCH@"].into_iter().enumerate() {
        text = text.replace(name, version[place]);
    }
    text.replace("@HELLO@", &hello())
}

/// The example, as it stands in the comment at the top: without its own comments, which would end that one.
fn hello() -> String {
    let text = read("examples/c/hello.c");
    let program = text.split_once(" */\n").unwrap().1;
    let mut lines = Vec::new();
    for line in program.lines() {
        let code = line.split("/*").next().unwrap().trim_end();
        if code.is_empty() && !line.is_empty() {
            continue;
        }
        lines.push(format!(" *   {code}").trim_end().to_owned());
    }
    lines.join("\n")
}

fn chapter(module: &str, title: &str) -> String {
    let path = root().join(format!("ffi/src/{module}.rs"));
    let text = fs::read_to_string(&path).unwrap();
    let introduction = text.lines().take_while(|line| line.starts_with("//!"));
    let introduction: Vec<_> = introduction.map(|line| line.trim_start_matches("//!")).collect();
    let bindings = Builder::new().with_src(&path).with_config(config()).generate().unwrap();
    let mut declarations = Vec::new();
    bindings.write(&mut declarations);
    let declarations = tidy(&String::from_utf8(declarations).unwrap());
    let rule = "-".repeat(100 - title.len() - 5);
    let introduction: Vec<_> = introduction.iter().map(|line| format!(" *{line}")).collect();
    format!(
        "\n/* {title} {rule}\n *\n{}\n */\n\n{}\n",
        introduction.join("\n"),
        declarations.trim_end()
    )
}

/// A comment of one line in one line, constants one below the other, and negative ones in parentheses.
fn tidy(declarations: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut lines = declarations.lines().peekable();
    while let Some(line) = lines.next() {
        let indent = &line[..line.len() - line.trim_start().len()];
        let is_constant = |line: &str| line.starts_with("#define");
        if line.trim() == "/**" {
            let mut comment = vec![line.to_owned()];
            for line in lines.by_ref() {
                comment.push(line.to_owned());
                if line.trim() == "*/" {
                    break;
                }
            }
            if let [_, only, _] = &comment[..] {
                let text = only.trim().trim_start_matches('*').trim();
                comment = vec![format!("{indent}/** {text} */")];
            }
            let follows = lines.peek().copied().is_some_and(is_constant);
            let at = out.len().checked_sub(2).and_then(|at| out.get(at));
            if follows && at.is_some_and(|line| is_constant(line)) {
                out.pop();
            }
            out.extend(comment);
        } else if line.starts_with("MCP_API") || line.starts_with("typedef") && !line.ends_with('{')
        {
            let mut words: Vec<_> = line.split_whitespace().collect();
            while !words.last().unwrap().ends_with(';') {
                words.extend(lines.next().unwrap().split_whitespace());
            }
            out.extend(wrapped(&words));
        } else if let Some((name, value)) = line.split_once(" -").filter(|_| is_constant(line)) {
            out.push(format!("{name} (-{value})"));
        } else {
            out.push(line.to_owned());
        }
    }
    out.join("\n")
}

/// A declaration in lines of a hundred columns; the name of a function stands in the first.
fn wrapped(words: &[&str]) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in words.iter().filter(|word| **word != "struct") {
        let line = lines.last_mut().unwrap();
        if line.is_empty() {
            line.push_str(word);
        } else if line.len() + 1 + word.len() > 100 {
            lines.push(format!("        {word}"));
        } else {
            line.push_str(&format!(" {word}"));
        }
    }
    lines
}

fn config() -> Config {
    let mut config = Config {
        language: Language::C,
        style: Style::Both,
        no_includes: true,
        usize_is_size_t: true,
        line_length: 100,
        documentation_style: DocumentationStyle::Doxy,
        documentation_length: DocumentationLength::Full,
        ..Config::default()
    };
    config.export.exclude = NOT_IN_CHAPTERS.map(str::to_owned).to_vec();
    config.function.prefix = Some("MCP_API".to_owned());
    config
}
