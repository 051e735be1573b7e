//! Workloads, as `report messages` writes them.

use std::fs;
use std::path::Path;

use crate::Stop;

/// One message, who answers it, and what the answer must say.
#[derive(Debug)]
pub struct Workload {
    pub name: String,
    /// What a client before 2026-07-28 says first.
    pub handshake: Vec<String>,
    pub request: Vec<u8>,
    /// How mcplite answers.
    pub answer: Vec<u8>,
    /// The tools, as an array of JSON.
    pub tools: String,
    pub deed: Deed,
    /// The argument that tools read.
    pub argument: String,
    /// What a tool has to say.
    pub text: String,
}

/// What is asked of the server, and of its tools if it has some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// The result is empty.
    Ping,
    /// All tools are listed.
    List,
    /// A tool says the text of its argument.
    Say,
    /// A tool hands its argument on as structured content.
    Splice,
}

impl Workload {
    /// Reads a workload.
    pub fn read(folder: &str, name: &str) -> Result<Workload, Stop> {
        let folder = Path::new(folder);
        let part = |part: &str| {
            let path = folder.join(format!("{name}.{part}"));
            fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
        };
        Ok(Workload {
            name: name.to_owned(),
            handshake: fs::read_to_string(folder.join("handshake"))?
                .lines()
                .map(str::to_owned)
                .collect(),
            request: part("request")?.into_bytes(),
            answer: part("answer")?.into_bytes(),
            tools: part("tools")?,
            deed: match part("deed")?.as_str() {
                "ping" => Deed::Ping,
                "list" => Deed::List,
                "say" => Deed::Say,
                "splice" => Deed::Splice,
                other => return Err(format!("nobody knows how to {other}").into()),
            },
            argument: part("argument")?,
            text: part("text")?,
        })
    }

    /// Whether the message says which revision it is of, so that no handshake comes before it.
    pub fn is_modern(&self) -> bool {
        self.name == "modern-call"
    }
}
