//! What the server must say, word for word: results, errors, questions and notifications.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::question::{Revision, Topic};

/// The kinds of items that are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Called {
    Tool,
    Prompt,
    Resource,
}

/// What a request is about. The plan is known by its number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Target {
    pub(crate) called: Called,
    /// Of a tool or prompt.
    pub(crate) name: &'static str,
    pub(crate) plan: usize,
    /// An argument that means nothing to the handler.
    pub(crate) other: u8,
}

impl Target {
    pub(crate) fn method(&self) -> &'static str {
        match self.called {
            Called::Tool => "tools/call",
            Called::Prompt => "prompts/get",
            Called::Resource => "resources/read",
        }
    }

    fn uri(&self) -> String {
        format!("plan://{}/{}", self.plan, self.other)
    }

    pub(crate) fn params(&self) -> Value {
        let arguments = json!({"plan": self.plan.to_string(), "other": self.other.to_string()});
        match self.called {
            Called::Resource => json!({"uri": self.uri()}),
            _ => json!({"name": self.name, "arguments": arguments}),
        }
    }
}

/// What went wrong.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    ToolFailed,
    Internal,
    Unanswered,
    Timeout,
    BadState,
    UnknownTool,
    UnknownPrompt,
    NotFound,
    Limit,
    InvalidRequest,
    UnknownMethod,
    Missing(BTreeSet<Topic>),
    PageFirst(Value),
}

impl Fault {
    fn title(&self) -> &'static str {
        match self {
            Fault::ToolFailed => "Tool execution failed",
            Fault::Internal => "Internal error",
            Fault::Unanswered => "No answer from the client",
            Fault::Timeout => "Timed out",
            Fault::BadState => "Invalid request state",
            Fault::UnknownTool => "Unknown tool",
            Fault::UnknownPrompt => "Unknown prompt",
            Fault::NotFound => "Resource not found",
            Fault::Limit => "Limit exceeded",
            Fault::InvalidRequest => "Invalid Request",
            Fault::UnknownMethod => "Method not found",
            Fault::Missing(_) => "Missing required client capability",
            Fault::PageFirst(_) => "URL elicitation required",
        }
    }

    fn code(&self, revision: Revision) -> i32 {
        let is_modern = revision == Revision::Modern;
        match self {
            Fault::Limit | Fault::InvalidRequest => -32600,
            Fault::UnknownMethod => -32601,
            Fault::NotFound if !is_modern => -32002,
            Fault::Missing(_) if is_modern => -32021,
            Fault::PageFirst(_) => -32042,
            Fault::ToolFailed | Fault::Internal | Fault::Unanswered | Fault::Timeout => -32603,
            _ => -32602,
        }
    }

    fn is_told_as_a_tool_result(&self, revision: Revision) -> bool {
        match self {
            Fault::ToolFailed | Fault::Unanswered | Fault::Timeout => true,
            Fault::Missing(_) => revision != Revision::Modern,
            _ => false,
        }
    }
}

/// The answer that says what went wrong. `called` is there if the request calls an item.
pub(crate) fn error(
    id: &Value,
    revision: Revision,
    called: Option<Called>,
    fault: &Fault,
    text: &str,
) -> Value {
    let is_tool = called == Some(Called::Tool);
    let is_result = is_tool && fault.is_told_as_a_tool_result(revision);
    let names = missing_names(fault);
    let text = names.as_deref().unwrap_or(text);
    let message = match fault {
        Fault::ToolFailed if is_result => text.to_owned(),
        _ => format!("{}: {text}", fault.title()),
    };
    if is_result {
        let mut result = json!({"content": [{"type": "text", "text": message}], "isError": true});
        add_envelope(&mut result, revision, "complete");
        return json!({"jsonrpc": "2.0", "id": id, "result": result});
    }
    let mut error = json!({"code": fault.code(revision), "message": message});
    match fault {
        Fault::Missing(topics) => {
            error["data"] = json!({"requiredCapabilities": required_capabilities(topics)});
        }
        Fault::PageFirst(data) => error["data"] = data.clone(),
        _ => {}
    }
    json!({"jsonrpc": "2.0", "id": id, "error": error})
}

fn missing_names(fault: &Fault) -> Option<String> {
    let Fault::Missing(topics) = fault else { return None };
    let names = topics.iter().map(|topic| match topic {
        Topic::Form => "elicitation.form",
        Topic::Url => "elicitation.url",
        Topic::Sampling => "sampling",
        Topic::SamplingWithTools => "sampling.tools",
        Topic::Roots => "roots",
    });
    Some(names.collect::<Vec<_>>().join(", "))
}

fn required_capabilities(topics: &BTreeSet<Topic>) -> Value {
    let mut needed = json!({});
    for topic in topics {
        let (name, part) = match topic {
            Topic::Form => ("elicitation", Some("form")),
            Topic::Url => ("elicitation", Some("url")),
            Topic::Sampling => ("sampling", None),
            Topic::SamplingWithTools => ("sampling", Some("tools")),
            Topic::Roots => ("roots", None),
        };
        let members = needed.as_object_mut().unwrap();
        let own = members.entry(name).or_insert(json!({}));
        if let Some(part) = part {
            own[part] = json!({});
        }
    }
    needed
}

/// The answer of a handler.
pub(crate) fn reply(id: &Value, revision: Revision, target: &Target, text: &str) -> Value {
    let block = json!({"type": "text", "text": text});
    let mut result = match target.called {
        Called::Tool => json!({"content": [block]}),
        Called::Prompt => json!({"messages": [{"role": "user", "content": block}]}),
        Called::Resource => json!({"contents": [{"uri": target.uri(), "text": text}]}),
    };
    if target.called == Called::Resource && revision == Revision::Modern {
        result["ttlMs"] = json!(0);
        result["cacheScope"] = json!("private");
    }
    add_envelope(&mut result, revision, "complete");
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// The answer that asks; the state is filled in when it is seen.
pub(crate) fn input_required(id: &Value, requests: Map<String, Value>) -> Value {
    let mut result = json!({"inputRequests": requests});
    add_envelope(&mut result, Revision::Modern, "input_required");
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// An answer that only says that it was done.
pub(crate) fn done(id: &Value, revision: Revision) -> Value {
    let mut result = json!({});
    add_envelope(&mut result, revision, "complete");
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// What every modern result ends with.
fn add_envelope(result: &mut Value, revision: Revision, kind: &str) {
    if revision == Revision::Modern {
        result["resultType"] = json!(kind);
        let server = json!({"name": "conversations", "version": "1"});
        result["_meta"] = json!({"io.modelcontextprotocol/serverInfo": server});
    }
}

/// The last answer of a listen stream.
pub(crate) fn goodbye(id: &Value) -> Value {
    let mut answer = done(id, Revision::Modern);
    answer["result"]["_meta"][SUBSCRIPTION] = id.clone();
    answer
}

pub(crate) const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// A notification, with the tag of the stream to which it belongs.
pub(crate) fn notification(
    method: &str,
    mut params: Map<String, Value>,
    tag: Option<&Value>,
) -> Value {
    if let Some(tag) = tag {
        params.insert("_meta".to_owned(), json!({SUBSCRIPTION: tag}));
    }
    let mut message = json!({"jsonrpc": "2.0", "method": method});
    if !params.is_empty() {
        message["params"] = Value::Object(params);
    }
    message
}

pub(crate) fn cancelled(id: &Value, reason: &str) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": id, "reason": reason}})
}
