//! The workloads: what is measured, defined once for every way of measuring.

use mcplite_core::{Handler, Item};

use crate::Error;
use crate::messages::{self, LIST, MODERN_META, PING, SMALL_TEXT};
use crate::schemas;
use crate::stage::{Stage, empty_server, say, splice};

/// Something that a server is asked over and over again.
#[derive(Debug)]
pub struct Workload {
    /// What it is called in files and on command lines.
    pub name: &'static str,
    /// What it is, for people.
    pub title: &'static str,
    /// Enough rounds to count instructions, few enough to do so within a second.
    pub rounds: u64,
    set_up: fn() -> Result<Stage, Error>,
}

impl Workload {
    /// The workload of that name.
    pub fn named(name: &str) -> Option<&'static Workload> {
        ALL.iter().find(|workload| workload.name == name)
    }

    /// Sets the workload up, plays its first round and checks the answer.
    pub fn set_up(&self) -> Result<Stage, Error> {
        let ready = (self.set_up)().and_then(|mut stage| stage.play(1).map(|()| stage));
        ready.map_err(|error| format!("{}: {error}", self.name).into())
    }
}

/// Every workload, in the order of the report.
pub const ALL: &[Workload] = &[
    Workload {
        name: "ping",
        title: "`ping`",
        rounds: 200,
        set_up: || Stage::new(empty_server()?, PING.to_owned(), messages::answer("")),
    },
    Workload {
        name: "small-call",
        title: "small call, 2025-11-25",
        rounds: 200,
        set_up: || small_call(1, "", messages::answer),
    },
    Workload {
        name: "modern-call",
        title: "small call, 2026-07-28",
        rounds: 200,
        set_up: || small_call(1, MODERN_META, messages::modern_answer),
    },
    Workload {
        name: "twenty-in-order",
        title: "20 properties, in schema order",
        rounds: 200,
        set_up: || twenty(schemas::TWENTY, messages::twenty_arguments()),
    },
    Workload {
        name: "twenty-shuffled",
        title: "20 properties, shuffled",
        rounds: 200,
        set_up: || twenty(schemas::TWENTY, messages::shuffled_arguments()),
    },
    Workload {
        name: "twenty-combined",
        title: "20 properties, `anyOf`, `$ref`, patterns",
        rounds: 200,
        set_up: || twenty(schemas::COMBINED, messages::twenty_arguments()),
    },
    Workload {
        name: "echo-64k-text",
        title: "64 KiB echo, decoded",
        rounds: 20,
        set_up: || long_echo(&messages::plain_text(), say("text"), messages::text_content),
    },
    Workload {
        name: "echo-64k-escaped",
        title: "64 KiB echo, decoded, 1,024 escapes",
        rounds: 20,
        set_up: || long_echo(&messages::escaped_text(), say("text"), messages::text_content),
    },
    Workload {
        name: "echo-64k-raw",
        title: "64 KiB echo, spliced raw",
        rounds: 20,
        set_up: || {
            let content = messages::text_content("\"\"");
            long_echo(&messages::plain_text(), splice("text"), |text| {
                format!(r#"{content},"structuredContent":{{"text":{text}}}"#)
            })
        },
    },
    Workload { name: "list-100", title: "list of 100 tools", rounds: 100, set_up: list },
    Workload {
        name: "list-100-copy",
        title: "one copy of that list (yardstick)",
        rounds: 100,
        set_up: || Ok(Stage::copying(list()?)),
    },
    Workload {
        name: "tools-10",
        title: "small call, 10 tools registered",
        rounds: 200,
        set_up: || small_call(10, "", messages::answer),
    },
    Workload {
        name: "tools-1000",
        title: "small call, 1,000 tools registered",
        rounds: 200,
        set_up: || small_call(1_000, "", messages::answer),
    },
    Workload {
        name: "tools-10000",
        title: "small call, 10,000 tools registered",
        rounds: 200,
        set_up: || small_call(10_000, "", messages::answer),
    },
];

/// A call to the middle one of `count` tools. Their names are of one length, so that only their
/// number makes a difference.
fn small_call(count: usize, meta: &str, answer: fn(&str) -> String) -> Result<Stage, Error> {
    let server = empty_server()?;
    for number in 0..count {
        let tool = Item::tool(&tool_name(number)).input_schema(schemas::SMALL);
        server.register(tool.on_call(say("text")))?;
    }
    let message = messages::call(&tool_name(count / 2), &messages::small_arguments(), meta);
    let expected = answer(&messages::text_content(&format!("\"{SMALL_TEXT}\"")));
    Stage::new(server, message, expected)
}

fn twenty(schema: &str, arguments: String) -> Result<Stage, Error> {
    let server = empty_server()?;
    server.register(Item::tool("publish").input_schema(schema).on_call(say("slug")))?;
    let expected = messages::answer(&messages::text_content("\"a-morning-at-the-harbour\""));
    Stage::new(server, messages::call("publish", &arguments, ""), expected)
}

fn long_echo(
    text: &str,
    handler: impl Handler + 'static,
    result: impl FnOnce(&str) -> String,
) -> Result<Stage, Error> {
    let server = empty_server()?;
    server.register(Item::tool("echo").input_schema(schemas::LONG_TEXT).on_call(handler))?;
    let message = messages::call("echo", &format!("{{\"text\":{text}}}"), "");
    Stage::new(server, message, messages::answer(&result(text)))
}

fn list() -> Result<Stage, Error> {
    let server = empty_server()?;
    let mut tools = Vec::new();
    for number in 0..100 {
        let name = tool_name(number);
        let description = "Looks something up and says what it found.";
        let schema = schemas::LISTED;
        let tool = Item::tool(&name).description(description).input_schema(schema);
        server.register(tool.on_call(say("query")))?;
        tools.push(format!(
            r#"{{"name":"{name}","description":"{description}","inputSchema":{schema}}}"#
        ));
    }
    let expected = messages::answer(&format!("\"tools\":[{}]", tools.join(",")));
    Stage::new(server, LIST.to_owned(), expected)
}

fn tool_name(number: usize) -> String {
    format!("tool-{number:05}")
}

#[cfg(test)]
mod tests;
