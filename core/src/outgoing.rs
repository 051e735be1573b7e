//! Errors on their way out: from a failure to what the client reads.

use crate::failure::{Cause, Failure};
use crate::hooks::{ErrorContext, Outcome, Outgoing};
use crate::json::{Reader, push_quoted, quoted};
use crate::jsonrpc::{Id, NoId, write_error, write_result_head};
use crate::kind::{ErrorKind, Form, Preset, Rule};
use crate::lane::Weight;
use crate::model::result::ResultEnd;
use crate::registry::Catalog;
use crate::revision::{Era, Method, Revision};

/// How much of a client's own text an error repeats.
const MAX_ECHO: usize = 80;

impl Outgoing {
    /// Looks the failure up in the error table, words it, and lets the host have a last look.
    pub(crate) fn compose(
        catalog: &Catalog,
        failure: Failure,
        context: &ErrorContext<'_>,
    ) -> Outgoing {
        let revision = context.revision.unwrap_or_else(|| catalog.usual_revision());
        let mut error = match failure.cause {
            Cause::Kind(kind) => from_kind(catalog, kind, failure, context, revision),
            Cause::Code(code) => Outgoing {
                kind: None,
                code: handlers_code(code, revision),
                form: Form::Error,
                message: failure.text,
                data: failure.data.map(as_json),
            },
        };
        if catalog.hooks.errors.is_some() {
            error = catalog.hooks.rewrite(context, error);
            error.code = allowed_code(error.code, revision);
            error.data = error.data.map(as_json);
        }
        error
    }
}

impl Catalog {
    /// The revision whose rules hold while none has been agreed on.
    #[inline]
    pub(crate) fn usual_revision(&self) -> Revision {
        let served = self.options.revisions;
        let legacy = served.of_era(Era::Legacy).next();
        let modern = served.of_era(Era::Modern).next();
        legacy.or(modern).unwrap_or(Revision::V2025_11_25)
    }
}

/// What an error is to the lane that it leaves by. One that a handler has made is a matter between it
/// and the client, except for what the client must be able to do.
pub(crate) fn weight(error: &Outgoing, revision: Revision, is_of_handler: bool) -> Weight {
    let kind = error.kind.filter(|kind| !is_of_handler || *kind == ErrorKind::MissingCapability);
    match kind.map(|kind| kind.http_status(revision)) {
        None | Some(200) => Weight::Answer,
        Some(status) => Weight::Refusal(status),
    }
}

/// Appends the whole answer; says how the request ended.
pub(crate) fn write(
    out: &mut Vec<u8>,
    id: Result<Id<'_>, NoId>,
    error: &Outgoing,
    method: Option<Method>,
    end: &ResultEnd<'_>,
) -> Outcome {
    let as_result = error.form == Form::ToolResult && method == Some(Method::ToolsCall);
    if let (Ok(id), true) = (id, as_result) {
        write_result_head(out, id);
        out.extend_from_slice(b"{\"content\":[{\"type\":\"text\",\"text\":");
        push_quoted(out, &error.message);
        out.extend_from_slice(b"}],\"isError\":true");
        end.push(out);
        out.push(b'}');
        return Outcome::ToolError;
    }
    write_error(out, id, error.code, &error.message, error.data.as_deref());
    Outcome::Error(error.code)
}

/// A client's text, short enough to be repeated in a message.
pub(crate) fn echo(text: &str) -> String {
    clip(text, MAX_ECHO)
}

/// The first so many characters of a text, with a sign if there are more.
pub(crate) fn clip(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn from_kind(
    catalog: &Catalog,
    kind: ErrorKind,
    failure: Failure,
    context: &ErrorContext<'_>,
    revision: Revision,
) -> Outgoing {
    let table = &catalog.options.errors;
    let Rule { code, form } = table.rule(kind, revision);
    let title = kind.title(table.preset);
    let is_tool_result = form == Form::ToolResult && context.method == Method::ToolsCall.name();
    if table.preset == Preset::Classic && is_classic(kind) && !is_tool_result {
        let data = classic_data(catalog, kind, failure, context.name);
        return Outgoing { kind: Some(kind), code, form, message: title.to_owned(), data };
    }
    // What a tool says of its failure is for the model, word for word.
    let message = match (failure.text.as_str(), kind) {
        ("", _) => title.to_owned(),
        (text, ErrorKind::ToolFailed) if is_tool_result => text.to_owned(),
        (text, _) => format!("{title}: {text}"),
    };
    let data = failure.data.map(as_json).or_else(|| match kind {
        ErrorKind::ResourceNotFound if context.method == Method::ResourcesRead.name() => {
            Some(format!("{{\"uri\":{}}}", quoted(context.name)))
        }
        ErrorKind::MissingCapability => Some("{\"requiredCapabilities\":{}}".to_owned()),
        _ => None,
    });
    Outgoing { kind: Some(kind), code, form, message, data }
}

/// The kinds whose message the classic preset fixes; details are in `data`.
fn is_classic(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::UnknownTool
            | ErrorKind::InvalidArguments
            | ErrorKind::ToolFailed
            | ErrorKind::NotInitialized
    )
}

/// `{tool, error, stacktrace?}`.
fn classic_data(
    catalog: &Catalog,
    kind: ErrorKind,
    failure: Failure,
    name: &str,
) -> Option<String> {
    let mut data = format!("{{\"tool\":{}", quoted(name));
    match kind {
        ErrorKind::NotInitialized => return None,
        ErrorKind::UnknownTool => {}
        _ => data.push_str(&format!(",\"error\":{}", quoted(&failure.text))),
    }
    let stacktrace = failure.stacktrace.filter(|_| catalog.options.stacktraces);
    if let Some(stacktrace) = stacktrace {
        data.push_str(&format!(",\"stacktrace\":{}", quoted(&stacktrace)));
    }
    data.push('}');
    Some(data)
}

/// A handler's own code. Those that a modern revision defines belong to kinds, whose errors have the
/// data that goes with them.
fn handlers_code(code: i32, revision: Revision) -> i32 {
    let is_defined = matches!(code, -32022..=-32020);
    if is_defined && revision.is_modern() { -32603 } else { allowed_code(code, revision) }
}

/// A code that the revision forbids becomes the nearest that it allows.
fn allowed_code(code: i32, revision: Revision) -> i32 {
    match code {
        code if revision.allows_code(code) => code,
        -32002 => -32602,
        _ => -32603,
    }
}

/// The host's `data`: JSON as it is, anything else as a string.
fn as_json(data: String) -> String {
    let mut reader = Reader::new(&data, crate::json::MAX_DEPTH);
    match reader.skip().and_then(|_| reader.end()) {
        Ok(()) => data,
        Err(_) => quoted(&data),
    }
}
