//! What a workload consists of: what the server offers, what it is asked, what it must answer.

use mcplite_core::{Item, Server};

use crate::Error;
use crate::messages::SERVER;
use crate::stage::{say, splice};

/// One message, who answers it, and what the answer must be.
#[derive(Debug)]
pub(crate) struct Script {
    /// What the server offers.
    pub(crate) tools: Vec<Tool>,
    /// What each of the tools does.
    pub(crate) deed: Deed,
    /// The message.
    pub(crate) request: String,
    /// The text in the answer of a tool, decoded; empty where there is none.
    pub(crate) text: String,
    /// The whole answer of mcplite.
    pub(crate) answer: String,
}

/// A tool as it is registered and listed.
#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) description: &'static str,
    pub(crate) schema: &'static str,
}

/// What is asked of a server, and of its tools if it has some.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Deed {
    /// No tool is called, and the result is empty.
    Ping,
    /// No tool is called, but all are listed.
    List,
    /// The tool says the text of this argument.
    Say(&'static str),
    /// The tool hands the JSON text of this argument on as structured content.
    Splice(&'static str),
}

impl Script {
    /// A server that offers what it should.
    pub(crate) fn server(&self) -> Result<Server, Error> {
        let (name, version) = SERVER;
        let server = Server::new(name, version)?;
        for tool in &self.tools {
            // Members are listed in the order in which they are given.
            let mut item = Item::tool(&tool.name);
            if !tool.description.is_empty() {
                item = item.description(tool.description);
            }
            let item = item.input_schema(tool.schema);
            server.register(match self.deed {
                Deed::Splice(argument) => item.on_call(splice(argument)),
                _ => item.on_call(say(self.deed.argument())),
            })?;
        }
        Ok(server)
    }
}

impl Tool {
    /// The tool as JSON, as the engine lists it.
    pub(crate) fn definition(&self) -> String {
        let Tool { name, description, schema } = self;
        let description = match *description {
            "" => String::new(),
            text => format!(r#""description":"{text}","#),
        };
        format!(r#"{{"name":"{name}",{description}"inputSchema":{schema}}}"#)
    }
}

impl Deed {
    /// What it is called in files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Deed::Ping => "ping",
            Deed::List => "list",
            Deed::Say(_) => "say",
            Deed::Splice(_) => "splice",
        }
    }

    /// The argument that it is about, or nothing.
    pub(crate) fn argument(self) -> &'static str {
        match self {
            Deed::Ping | Deed::List => "",
            Deed::Say(argument) | Deed::Splice(argument) => argument,
        }
    }
}
