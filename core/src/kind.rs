//! Errors that a client gets to see: kinds first, numbers second.
//!
//! The engine and handlers speak of kinds. The table here turns a kind into a code, a message and a
//! form, by revision and by what the host has chosen. A new kind is a new row in [`spec`] and, where
//! it differs, in the presets.

use crate::revision::{Feature, Revision};

/// What went wrong, as the engine sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The message is not JSON.
    Parse,
    /// The message is JSON but no JSON-RPC request.
    InvalidRequest,
    /// No such method, or not in this revision.
    UnknownMethod,
    /// The method's parameters are wrong.
    InvalidParams,
    /// The server failed.
    Internal,
    /// A request before `initialize`, and without the `_meta` that would make it a modern one.
    NotInitialized,
    /// No tool of that name.
    UnknownTool,
    /// The arguments do not fit the tool.
    InvalidArguments,
    /// The tool ran and failed; the text is for the model.
    ToolFailed,
    /// The tool's result does not fit its output schema.
    InvalidOutput,
    /// No resource of that URI.
    ResourceNotFound,
    /// No prompt of that name.
    UnknownPrompt,
    /// The principal may not do this.
    NotAuthorised,
    /// The client lacks a capability that is needed.
    MissingCapability,
    /// A protocol version that is not served.
    UnsupportedRevision,
    /// HTTP headers and body disagree.
    HeaderMismatch,
    /// The deadline has passed.
    Timeout,
    /// The request exceeds a limit.
    Limit,
    /// The user must visit a page first. `data` is `{"elicitations": […]}`, each with `elicitationId`,
    /// `url` and `message`: an error in 2025-11-25, a question in 2026-07-28.
    UrlElicitationRequired,
    /// The client was asked, and did not answer.
    Unanswered,
    /// The `requestState` is not one that this server made for this request.
    BadState,
}

/// How an error reaches the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As a JSON-RPC error.
    Error,
    /// As a tool result with `isError`, if the request is `tools/call`; else as an error.
    ToolResult,
}

/// A ready-made set of codes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// What each revision of the specification says.
    #[default]
    Spec,
    /// -32000 tool not found, -32001 tool execution failed, -32002 invalid tool params,
    /// -32003 server not initialized; all of them as JSON-RPC errors with details in `data`.
    Classic,
    /// -32000 server error, -32001 resource not found, -32002 tool error, -32003 authorization.
    Gateway,
}

/// How one kind is told to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The JSON-RPC code.
    pub code: i32,
    /// Error or tool result.
    pub form: Form,
}

/// The preset and the host's own entries.
#[derive(Clone, Debug, Default)]
pub struct ErrorTable {
    /// Where entries come from that the host has not set.
    pub preset: Preset,
    own: Vec<(ErrorKind, Rule)>,
}

impl ErrorTable {
    /// A table with the entries of `preset`.
    pub fn new(preset: Preset) -> ErrorTable {
        ErrorTable { preset, own: Vec::new() }
    }

    /// Sets the host's own code and form for `kind`.
    pub fn set(&mut self, kind: ErrorKind, rule: Rule) {
        self.own.retain(|(own, _)| *own != kind);
        self.own.push((kind, rule));
    }

    /// How `kind` is told in `revision`; a code that the revision forbids gives way to its own.
    pub fn rule(&self, kind: ErrorKind, revision: Revision) -> Rule {
        let own = self.own.iter().find(|(own, _)| *own == kind).map(|(_, rule)| *rule);
        let preset = || match self.preset {
            Preset::Spec => None,
            Preset::Classic => classic(kind),
            Preset::Gateway => gateway(kind),
        };
        let rule = own.or_else(preset).filter(|rule| revision.allows_code(rule.code));
        rule.unwrap_or_else(|| spec(kind, revision))
    }
}

impl ErrorKind {
    /// Every kind.
    pub const ALL: [ErrorKind; 21] = [
        ErrorKind::Parse,
        ErrorKind::InvalidRequest,
        ErrorKind::UnknownMethod,
        ErrorKind::InvalidParams,
        ErrorKind::Internal,
        ErrorKind::NotInitialized,
        ErrorKind::UnknownTool,
        ErrorKind::InvalidArguments,
        ErrorKind::ToolFailed,
        ErrorKind::InvalidOutput,
        ErrorKind::ResourceNotFound,
        ErrorKind::UnknownPrompt,
        ErrorKind::NotAuthorised,
        ErrorKind::MissingCapability,
        ErrorKind::UnsupportedRevision,
        ErrorKind::HeaderMismatch,
        ErrorKind::Timeout,
        ErrorKind::Limit,
        ErrorKind::UrlElicitationRequired,
        ErrorKind::Unanswered,
        ErrorKind::BadState,
    ];

    /// The kind as a word, by which hosts in other languages know it.
    pub const fn name(self) -> &'static str {
        match self {
            ErrorKind::Parse => "parse",
            ErrorKind::InvalidRequest => "invalid-request",
            ErrorKind::UnknownMethod => "unknown-method",
            ErrorKind::InvalidParams => "invalid-params",
            ErrorKind::Internal => "internal",
            ErrorKind::NotInitialized => "not-initialized",
            ErrorKind::UnknownTool => "unknown-tool",
            ErrorKind::InvalidArguments => "invalid-arguments",
            ErrorKind::ToolFailed => "tool-failed",
            ErrorKind::InvalidOutput => "invalid-output",
            ErrorKind::ResourceNotFound => "resource-not-found",
            ErrorKind::UnknownPrompt => "unknown-prompt",
            ErrorKind::NotAuthorised => "not-authorised",
            ErrorKind::MissingCapability => "missing-capability",
            ErrorKind::UnsupportedRevision => "unsupported-revision",
            ErrorKind::HeaderMismatch => "header-mismatch",
            ErrorKind::Timeout => "timeout",
            ErrorKind::Limit => "limit",
            ErrorKind::UrlElicitationRequired => "url-elicitation-required",
            ErrorKind::Unanswered => "unanswered",
            ErrorKind::BadState => "bad-state",
        }
    }

    /// The kind of that [`ErrorKind::name`].
    pub fn parse(name: &str) -> Option<ErrorKind> {
        ErrorKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The status of an HTTP response that says nothing but this. Before 2026-07-28 what is wrong with a
    /// request is said in the message alone.
    pub(crate) fn http_status(self, revision: Revision) -> u16 {
        match self {
            _ if !revision.is_modern() => 200,
            ErrorKind::UnknownMethod => 404,
            ErrorKind::InvalidRequest
            | ErrorKind::HeaderMismatch
            | ErrorKind::MissingCapability
            | ErrorKind::UnsupportedRevision => 400,
            _ => 200,
        }
    }

    /// The kind in a few words: the start of the message, or all of it.
    pub(crate) fn title(self, preset: Preset) -> &'static str {
        match (self, preset) {
            (ErrorKind::UnknownTool, Preset::Classic) => "Tool not found",
            (ErrorKind::InvalidArguments, Preset::Classic) => "Invalid tool params",
            (ErrorKind::ToolFailed, Preset::Gateway) => "Tool error",
            (ErrorKind::NotAuthorised, Preset::Gateway) => "Authorization error",
            (ErrorKind::InvalidOutput | ErrorKind::Timeout | ErrorKind::Limit, Preset::Gateway) => {
                "Server error"
            }
            (ErrorKind::Parse, _) => "Parse error",
            (ErrorKind::InvalidRequest, _) => "Invalid Request",
            (ErrorKind::UnknownMethod, _) => "Method not found",
            (ErrorKind::InvalidParams, _) => "Invalid params",
            (ErrorKind::Internal, _) => "Internal error",
            (ErrorKind::NotInitialized, _) => "Server not initialized",
            (ErrorKind::UnknownTool, _) => "Unknown tool",
            (ErrorKind::InvalidArguments, _) => "Invalid arguments",
            (ErrorKind::ToolFailed, _) => "Tool execution failed",
            (ErrorKind::InvalidOutput, _) => "Invalid tool output",
            (ErrorKind::ResourceNotFound, _) => "Resource not found",
            (ErrorKind::UnknownPrompt, _) => "Unknown prompt",
            (ErrorKind::NotAuthorised, _) => "Not authorised",
            (ErrorKind::MissingCapability, _) => "Missing required client capability",
            (ErrorKind::UnsupportedRevision, _) => "Unsupported protocol version",
            (ErrorKind::HeaderMismatch, _) => "Header mismatch",
            (ErrorKind::Timeout, _) => "Timed out",
            (ErrorKind::Limit, _) => "Limit exceeded",
            (ErrorKind::UrlElicitationRequired, _) => "URL elicitation required",
            (ErrorKind::Unanswered, _) => "No answer from the client",
            (ErrorKind::BadState, _) => "Invalid request state",
        }
    }
}

/// What the specification says, or the nearest standard code where it is silent.
fn spec(kind: ErrorKind, revision: Revision) -> Rule {
    let error = |code| Rule { code, form: Form::Error };
    let result = |code| Rule { code, form: Form::ToolResult };
    let by_era = |modern, legacy| error(if revision.is_modern() { modern } else { legacy });
    match kind {
        ErrorKind::Parse => error(-32700),
        ErrorKind::InvalidRequest | ErrorKind::Limit | ErrorKind::NotAuthorised => error(-32600),
        ErrorKind::UnknownMethod => error(-32601),
        ErrorKind::InvalidParams
        | ErrorKind::NotInitialized
        | ErrorKind::UnknownTool
        | ErrorKind::UnknownPrompt
        | ErrorKind::BadState => error(-32602),
        ErrorKind::InvalidArguments if revision.has(Feature::ArgumentErrorsInResult) => {
            result(-32602)
        }
        ErrorKind::InvalidArguments => error(-32602),
        ErrorKind::Internal | ErrorKind::InvalidOutput => error(-32603),
        ErrorKind::ToolFailed | ErrorKind::Timeout | ErrorKind::Unanswered => result(-32603),
        ErrorKind::UrlElicitationRequired if revision.has(Feature::ElicitationId) => error(-32042),
        ErrorKind::UrlElicitationRequired => result(-32603),
        ErrorKind::ResourceNotFound => error(revision.resource_not_found_code()),
        ErrorKind::HeaderMismatch => by_era(-32020, -32600),
        ErrorKind::MissingCapability if revision.is_modern() => error(-32021),
        ErrorKind::MissingCapability => result(-32602),
        ErrorKind::UnsupportedRevision => by_era(-32022, -32602),
    }
}

fn classic(kind: ErrorKind) -> Option<Rule> {
    let code = match kind {
        ErrorKind::UnknownTool => -32000,
        ErrorKind::ToolFailed => -32001,
        ErrorKind::InvalidArguments => -32002,
        ErrorKind::NotInitialized => -32003,
        _ => return None,
    };
    Some(Rule { code, form: Form::Error })
}

fn gateway(kind: ErrorKind) -> Option<Rule> {
    let code = match kind {
        ErrorKind::InvalidOutput | ErrorKind::Timeout | ErrorKind::Limit => -32000,
        ErrorKind::ResourceNotFound => -32001,
        ErrorKind::ToolFailed => -32002,
        ErrorKind::NotAuthorised => -32003,
        ErrorKind::InvalidArguments => -32602,
        _ => return None,
    };
    Some(Rule { code, form: Form::Error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_known_by_a_name_of_its_own() {
        for kind in ErrorKind::ALL {
            assert_eq!(ErrorKind::parse(kind.name()), Some(kind));
        }
        assert_eq!(ErrorKind::parse("Parse"), None);
    }

    #[test]
    fn a_forbidden_code_gives_way_to_the_specification() {
        let classic = ErrorTable::new(Preset::Classic);
        let legacy = classic.rule(ErrorKind::InvalidArguments, Revision::V2025_11_25);
        assert_eq!(legacy, Rule { code: -32002, form: Form::Error });
        let modern = classic.rule(ErrorKind::InvalidArguments, Revision::V2026_07_28);
        assert_eq!(modern, Rule { code: -32602, form: Form::ToolResult });
        let unknown = classic.rule(ErrorKind::UnknownTool, Revision::V2026_07_28);
        assert_eq!(unknown.code, -32000);
    }

    #[test]
    fn the_host_has_the_last_word() {
        let mut table = ErrorTable::new(Preset::Gateway);
        table.set(ErrorKind::UnknownTool, Rule { code: 7, form: Form::Error });
        table.set(ErrorKind::UnknownTool, Rule { code: 8, form: Form::ToolResult });
        let rule = table.rule(ErrorKind::UnknownTool, Revision::V2025_06_18);
        assert_eq!(rule, Rule { code: 8, form: Form::ToolResult });
    }
}
