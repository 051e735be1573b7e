//! From a message to its answer.

use std::borrow::Cow;
use std::collections::HashMap;

use playing::{Deed, Stop, Workload};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::arguments::{Long, Raw, Small, Sum, Twenty};

/// The tools of a server, and its list of them, ready to be sent.
pub(crate) struct Server {
    tools: HashMap<String, Tool>,
    listed: Box<RawValue>,
}

#[derive(Clone, Copy)]
enum Tool {
    Add,
    Progress,
    SaySmall,
    SayLong,
    SayTwenty,
    Splice,
}

/// Whether what was written for a message is its answer alone, or has notifications before it, a line each.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    Answer,
    Stream,
}

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow)]
    params: Option<Params<'a>>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow, default)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "protocolVersion")]
    version: Cow<'a, str>,
    #[serde(borrow, rename = "_meta")]
    meta: Option<Meta<'a>>,
}

#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(borrow, rename = "progressToken")]
    progress_token: Option<&'a RawValue>,
}

#[derive(Serialize)]
struct Response<'a, R> {
    jsonrpc: &'static str,
    id: &'a RawValue,
    result: R,
}

#[derive(Serialize)]
struct ToolResult<'a> {
    content: [Content<'a>; 1],
    #[serde(rename = "structuredContent", skip_serializing_if = "Option::is_none")]
    structured: Option<Structured<'a>>,
}

#[derive(Serialize)]
struct Content<'a> {
    r#type: &'static str,
    text: &'a str,
}

#[derive(Serialize)]
struct Structured<'a> {
    text: &'a RawValue,
}

impl Server {
    /// The server of a workload.
    pub(crate) fn of(workload: &Workload) -> Result<Server, Stop> {
        #[derive(Deserialize)]
        struct Named {
            name: String,
        }
        let named: Vec<Named> = serde_json::from_str(&workload.tools)?;
        let tool = |name: &str| match (name, workload.deed) {
            ("publish", _) => Tool::SayTwenty,
            ("echo", Deed::Splice) => Tool::Splice,
            ("echo", _) => Tool::SayLong,
            _ => Tool::SaySmall,
        };
        let tools = named
            .into_iter()
            .map(|Named { name }| (tool(&name), name))
            .map(|(tool, name)| (name, tool));
        let listed = format!(r#"{{"tools":{}}}"#, workload.tools.replace('\n', ""));
        Ok(Server { tools: tools.collect(), listed: RawValue::from_string(listed)? })
    }

    /// The server whose tools add, and tell how far they have come.
    pub(crate) fn adding() -> Server {
        let tools = [("add".to_owned(), Tool::Add), ("progress".to_owned(), Tool::Progress)];
        Server { tools: tools.into(), listed: Box::default() }
    }

    /// Appends the answer to a message; nothing if it is a notification.
    pub(crate) fn answer(&self, message: &[u8], out: &mut Vec<u8>) -> Result<Written, Stop> {
        let request: Request = serde_json::from_slice(message)?;
        let Some(id) = request.id else { return Ok(Written::Answer) };
        match (&*request.method, request.params) {
            ("tools/call", Some(params)) => return self.call(id, &params, out),
            ("tools/list", _) => respond(out, id, &self.listed)?,
            ("initialize", Some(Params { version, .. })) => {
                let server = serde_json::json!({"name": "bench", "version": "1.0"});
                let result = serde_json::json!({"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server});
                respond(out, id, result)?;
            }
            ("server/discover", _) => {
                let result = serde_json::json!({"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}});
                respond(out, id, result)?;
            }
            _ => respond(out, id, serde_json::json!({}))?,
        }
        Ok(Written::Answer)
    }

    fn call(&self, id: &RawValue, params: &Params, out: &mut Vec<u8>) -> Result<Written, Stop> {
        let tool = self.tools.get(&*params.name).ok_or("nobody offers the tool")?;
        let arguments = params.arguments.map_or("{}", RawValue::get);
        match tool {
            Tool::SaySmall => say(out, id, &serde_json::from_str::<Small>(arguments)?.text)?,
            Tool::SayLong => say(out, id, &serde_json::from_str::<Long>(arguments)?.text)?,
            Tool::SayTwenty => say(out, id, &serde_json::from_str::<Twenty>(arguments)?.slug)?,
            Tool::Splice => {
                let Raw { text } = serde_json::from_str(arguments)?;
                let content = [Content { r#type: "text", text: "" }];
                respond(out, id, ToolResult { content, structured: Some(Structured { text }) })?;
            }
            Tool::Add => {
                let Sum { a, b } = serde_json::from_str(arguments)?;
                say(out, id, &(a + b).to_string())?;
            }
            Tool::Progress => {
                let token = params.meta.as_ref().and_then(|meta| meta.progress_token);
                report(out, token.ok_or("nobody wants to know of progress")?)?;
                say(out, id, "done")?;
                return Ok(Written::Stream);
            }
        }
        Ok(Written::Answer)
    }
}

fn say(out: &mut Vec<u8>, id: &RawValue, text: &str) -> Result<(), Stop> {
    respond(out, id, ToolResult { content: [Content { r#type: "text", text }], structured: None })
}

fn respond(out: &mut Vec<u8>, id: &RawValue, result: impl Serialize) -> Result<(), Stop> {
    Ok(serde_json::to_writer(out, &Response { jsonrpc: "2.0", id, result })?)
}

/// Three notifications, a line each.
fn report(out: &mut Vec<u8>, token: &RawValue) -> Result<(), Stop> {
    use std::io::Write;
    for progress in 1..=3 {
        writeln!(
            out,
            r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":{progress},"total":3}}}}"#
        )?;
    }
    Ok(())
}
