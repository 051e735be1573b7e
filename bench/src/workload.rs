//! The workloads: what is measured, defined once for every way of measuring.

use crate::Error;
use crate::messages::{self, LIST, MODERN_META, PING, SMALL_TEXT};
use crate::schemas;
use crate::script::{Deed, Script, Tool};
use crate::stage::Stage;

/// Something that a server is asked over and over again.
#[derive(Debug)]
pub struct Workload {
    /// What it is called in files and on command lines.
    pub name: &'static str,
    /// What it is, for people.
    pub title: &'static str,
    /// Enough rounds to count instructions, few enough to do so within a second.
    pub rounds: u64,
    subject: Subject,
}

#[derive(Debug)]
enum Subject {
    /// The engine, which gets the message of a script.
    Engine(fn() -> Script),
    /// A mere copy of the answer of a script, to compare with.
    Copy(fn() -> Script),
}

impl Workload {
    /// The workload of that name.
    pub fn named(name: &str) -> Option<&'static Workload> {
        ALL.iter().find(|workload| workload.name == name)
    }

    /// Sets the workload up, plays its first round and checks the answer.
    pub fn set_up(&self) -> Result<Stage, Error> {
        let stage = match self.subject {
            Subject::Engine(script) => Stage::of(script()),
            Subject::Copy(script) => Stage::of(script()).map(Stage::copying),
        };
        let ready = stage.and_then(|mut stage| stage.play(1).map(|()| stage));
        ready.map_err(|error| format!("{}: {error}", self.name).into())
    }

    /// What a server is asked; nothing if none is.
    pub(crate) fn script(&self) -> Option<Script> {
        match self.subject {
            Subject::Engine(script) => Some(script()),
            Subject::Copy(_) => None,
        }
    }
}

/// Every workload, in the order of the report.
pub const ALL: &[Workload] = &[
    Workload { name: "ping", title: "`ping`", rounds: 200, subject: Subject::Engine(ping) },
    Workload {
        name: "small-call",
        title: "small call, 2025-11-25",
        rounds: 200,
        subject: Subject::Engine(|| small_call(1, "", messages::answer)),
    },
    Workload {
        name: "modern-call",
        title: "small call, 2026-07-28",
        rounds: 200,
        subject: Subject::Engine(|| small_call(1, MODERN_META, messages::modern_answer)),
    },
    Workload {
        name: "twenty-in-order",
        title: "20 properties, in schema order",
        rounds: 200,
        subject: Subject::Engine(|| twenty(schemas::TWENTY, messages::twenty_arguments())),
    },
    Workload {
        name: "twenty-shuffled",
        title: "20 properties, shuffled",
        rounds: 200,
        subject: Subject::Engine(|| twenty(schemas::TWENTY, messages::shuffled_arguments())),
    },
    Workload {
        name: "twenty-combined",
        title: "20 properties, `anyOf`, `$ref`, patterns",
        rounds: 200,
        subject: Subject::Engine(|| twenty(schemas::COMBINED, messages::twenty_arguments())),
    },
    Workload {
        name: "echo-64k-text",
        title: "64 KiB echo, decoded",
        rounds: 20,
        subject: Subject::Engine(|| long_echo(messages::plain_text())),
    },
    Workload {
        name: "echo-64k-escaped",
        title: "64 KiB echo, decoded, 1,024 escapes",
        rounds: 20,
        subject: Subject::Engine(|| long_echo(messages::escaped_text())),
    },
    Workload {
        name: "echo-64k-raw",
        title: "64 KiB echo, spliced raw",
        rounds: 20,
        subject: Subject::Engine(|| long_splice(&messages::plain_text())),
    },
    Workload {
        name: "list-100",
        title: "list of 100 tools",
        rounds: 100,
        subject: Subject::Engine(list),
    },
    Workload {
        name: "list-100-copy",
        title: "one copy of that list (yardstick)",
        rounds: 100,
        subject: Subject::Copy(list),
    },
    Workload {
        name: "tools-10",
        title: "small call, 10 tools registered",
        rounds: 200,
        subject: Subject::Engine(|| small_call(10, "", messages::answer)),
    },
    Workload {
        name: "tools-1000",
        title: "small call, 1,000 tools registered",
        rounds: 200,
        subject: Subject::Engine(|| small_call(1_000, "", messages::answer)),
    },
    Workload {
        name: "tools-10000",
        title: "small call, 10,000 tools registered",
        rounds: 200,
        subject: Subject::Engine(|| small_call(10_000, "", messages::answer)),
    },
];

fn ping() -> Script {
    Script {
        tools: Vec::new(),
        deed: Deed::Ping,
        request: PING.to_owned(),
        text: String::new(),
        answer: messages::answer(""),
    }
}

/// A call to the middle one of `count` tools. Their names are of one length, so that only their
/// number makes a difference.
fn small_call(count: usize, meta: &str, answer: fn(&str) -> String) -> Script {
    Script {
        tools: (0..count).map(|number| tool(&tool_name(number), schemas::SMALL)).collect(),
        deed: Deed::Say("text"),
        request: messages::call(&tool_name(count / 2), &messages::small_arguments(), meta),
        text: SMALL_TEXT.to_owned(),
        answer: answer(&messages::text_content(SMALL_TEXT)),
    }
}

fn twenty(schema: &'static str, arguments: String) -> Script {
    Script {
        tools: vec![tool("publish", schema)],
        deed: Deed::Say("slug"),
        request: messages::call("publish", &arguments, ""),
        text: messages::SLUG.to_owned(),
        answer: messages::answer(&messages::text_content(messages::SLUG)),
    }
}

fn long_echo(text: String) -> Script {
    let arguments = format!("{{\"text\":{}}}", messages::quoted(&text));
    Script {
        tools: vec![tool("echo", schemas::LONG_TEXT)],
        deed: Deed::Say("text"),
        request: messages::call("echo", &arguments, ""),
        answer: messages::answer(&messages::text_content(&text)),
        text,
    }
}

fn long_splice(text: &str) -> Script {
    let members = format!("{{\"text\":{}}}", messages::quoted(text));
    let content = messages::text_content("");
    Script {
        tools: vec![tool("echo", schemas::LONG_TEXT)],
        deed: Deed::Splice("text"),
        request: messages::call("echo", &members, ""),
        text: String::new(),
        answer: messages::answer(&format!(r#"{content},"structuredContent":{members}"#)),
    }
}

fn list() -> Script {
    let description = "Looks something up and says what it found.";
    let tools: Vec<Tool> = (0..100)
        .map(|number| Tool { description, ..tool(&tool_name(number), schemas::LISTED) })
        .collect();
    let listed: Vec<String> = tools.iter().map(Tool::definition).collect();
    Script {
        tools,
        deed: Deed::List,
        request: LIST.to_owned(),
        text: String::new(),
        answer: messages::answer(&format!("\"tools\":[{}]", listed.join(","))),
    }
}

fn tool(name: &str, schema: &'static str) -> Tool {
    Tool { name: name.to_owned(), description: "", schema }
}

fn tool_name(number: usize) -> String {
    format!("tool-{number:05}")
}

#[cfg(test)]
mod tests;
