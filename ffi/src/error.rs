//! Errors that clients get to see are kinds first, numbers second. A table turns a kind into a code and a
//! form, by revision and by what you choose.

use std::ffi::{c_char, c_void};
use std::sync::Mutex;

use mcplite_core::{ErrorContext, ErrorHook, ErrorKind, Form, Hook, Outgoing, Rule};

use crate::call::*;
use crate::callback::{Callback, UserData};
use crate::failure::Refusal;
use crate::handle::lock;
use crate::server::{mcp_destroy, mcp_server};
use crate::status::{MCP_E_INVALID, mcp_status};
use crate::texts::Texts;
use crate::{boundary, text};

/// The message is not JSON.
pub const MCP_KIND_PARSE: i32 = 1;
/// The message is JSON but no JSON-RPC request.
pub const MCP_KIND_INVALID_REQUEST: i32 = 2;
/// No such method, or not in this revision.
pub const MCP_KIND_UNKNOWN_METHOD: i32 = 3;
/// The method's parameters are wrong.
pub const MCP_KIND_INVALID_PARAMS: i32 = 4;
/// The server failed.
pub const MCP_KIND_INTERNAL: i32 = 5;
/// A request before initialize, and without the _meta that would make it a modern one.
pub const MCP_KIND_NOT_INITIALIZED: i32 = 6;
/// No tool of that name.
pub const MCP_KIND_UNKNOWN_TOOL: i32 = 7;
/// The arguments do not fit the tool.
pub const MCP_KIND_INVALID_ARGUMENTS: i32 = 8;
/// The tool ran and failed; the text is for the model.
pub const MCP_KIND_TOOL_FAILED: i32 = 9;
/// The tool's result does not fit its output schema.
pub const MCP_KIND_INVALID_OUTPUT: i32 = 10;
/// No resource of that URI.
pub const MCP_KIND_RESOURCE_NOT_FOUND: i32 = 11;
/// No prompt of that name.
pub const MCP_KIND_UNKNOWN_PROMPT: i32 = 12;
/// The principal may not do this.
pub const MCP_KIND_NOT_AUTHORISED: i32 = 13;
/// The client lacks a capability that is needed.
pub const MCP_KIND_MISSING_CAPABILITY: i32 = 14;
/// A protocol version that is not served.
pub const MCP_KIND_UNSUPPORTED_REVISION: i32 = 15;
/// HTTP headers and body disagree.
pub const MCP_KIND_HEADER_MISMATCH: i32 = 16;
/// The deadline has passed.
pub const MCP_KIND_TIMEOUT: i32 = 17;
/// The request exceeds a limit.
pub const MCP_KIND_LIMIT: i32 = 18;
/// The user must visit a page first; MCP_SET_ERROR_DATA is {"elicitations": [...]}, each with
/// elicitationId, url and message. An error in 2025-11-25, a question in 2026-07-28.
pub const MCP_KIND_URL_ELICITATION_REQUIRED: i32 = 19;
/// The client was asked, and did not answer.
pub const MCP_KIND_UNANSWERED: i32 = 20;
/// The requestState is not one that this server made for this request.
pub const MCP_KIND_BAD_STATE: i32 = 21;

/// A JSON-RPC error.
pub const MCP_FORM_ERROR: i32 = 0;
/// A tool result with isError, if the request is tools/call; else an error.
pub const MCP_FORM_TOOL_RESULT: i32 = 1;

/// Sets your own code and form for a kind of error. In 2026-07-28 a code that the specification forbids
/// gives way to its own.
///
/// Returns: MCP_OK; MCP_E_INVALID for an unknown kind or form.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_set_error(
    server: *mut mcp_server,
    kind: i32,
    code: i32,
    form: i32,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::status(server, |server| {
            let (kind, form) = (kind_of(kind)?, form_of(form)?);
            Ok(server.core.configure(|options| options.errors.set(kind, Rule { code, form }))?)
        })
    }
}

/// An error on its way out, while an error hook looks at it.
pub struct mcp_failure {
    outgoing: Mutex<Outgoing>,
    method: String,
    name: String,
    id: Option<String>,
    revision: Option<&'static str>,
    texts: Mutex<Texts>,
}

/// Sees every error before it leaves, and may change it with mcp_failure_set() and mcp_failure_set_code().
/// failure is valid until the hook returns. No message can be fed from inside.
pub type mcp_error_hook =
    Option<unsafe extern "C-unwind" fn(user_data: *mut c_void, failure: *mut mcp_failure)>;

type HookFunction = unsafe extern "C-unwind" fn(user_data: *mut c_void, failure: *mut mcp_failure);

/// Sets who has a last look at errors. A NULL hook takes it away.
///
/// Returns: MCP_OK.
/// Ownership: destroy runs exactly once, after the last run of the old hook, also on failure.
/// Threads: any. The hook runs in the call that makes the error. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_set_error_hook(
    server: *mut mcp_server,
    hook: mcp_error_hook,
    user_data: *mut c_void,
    destroy: mcp_destroy,
) -> mcp_status {
    let data = UserData::new(user_data, destroy);
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::status(server, |server| {
            match Callback::new(hook, data) {
                Some(callback) => server.core.set_error_hook(CHook(callback)),
                None => server.core.unset(Hook::Errors),
            }
            Ok(())
        })
    }
}

/// What went wrong, one of MCP_KIND_...
///
/// Returns: the kind; 0 if a handler gave a code of its own, and for NULL.
/// Threads: the one that runs the hook. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_failure_kind(failure: *const mcp_failure) -> i32 {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe { with(failure, 0, |failure| lock(&failure.outgoing).kind.map_or(0, number_of)) }
}

/// The JSON-RPC code.
///
/// Returns: the code; 0 for NULL.
/// Threads: the one that runs the hook. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_failure_code(failure: *const mcp_failure) -> i32 {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe { with(failure, 0, |failure| lock(&failure.outgoing).code) }
}

/// What is known of the error: MCP_INFO_METHOD, MCP_INFO_NAME, MCP_INFO_ID, MCP_INFO_REVISION,
/// MCP_INFO_MESSAGE or MCP_INFO_DATA.
///
/// Returns: the text, NUL-terminated; NULL if there is none.
/// Valid until: the hook returns.
/// Threads: the one that runs the hook. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_failure_info(
    failure: *mut mcp_failure,
    what: i32,
    out_len: *mut usize,
) -> *const c_char {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        text::put(out_len, 0);
        with(failure, std::ptr::null(), |failure| {
            let outgoing = lock(&failure.outgoing);
            let value = match what {
                MCP_INFO_METHOD => Some(failure.method.as_str()),
                MCP_INFO_NAME => Some(failure.name.as_str()),
                MCP_INFO_ID => failure.id.as_deref(),
                MCP_INFO_REVISION => failure.revision,
                MCP_INFO_MESSAGE => Some(outgoing.message.as_str()),
                MCP_INFO_DATA => outgoing.data.as_deref(),
                _ => None,
            };
            let value = value.filter(|value| !out_len.is_null() || !value.contains('\0'));
            let Some(value) = value else { return std::ptr::null() };
            text::put(out_len, value.len());
            let source = (value.as_ptr() as usize, value.len());
            lock(&failure.texts).keep(source, value)
        })
    }
}

/// Changes the code and the form, MCP_FORM_ERROR or MCP_FORM_TOOL_RESULT.
///
/// Returns: MCP_OK; MCP_E_INVALID for an unknown form.
/// Threads: the one that runs the hook. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_failure_set_code(
    failure: *mut mcp_failure,
    code: i32,
    form: i32,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        with(failure, MCP_E_INVALID, |failure| {
            boundary::plain_status(|| {
                let form = form_of(form)?;
                let mut outgoing = lock(&failure.outgoing);
                (outgoing.code, outgoing.form) = (code, form);
                Ok(())
            })
        })
    }
}

/// Changes the message (MCP_INFO_MESSAGE) or the data (MCP_INFO_DATA: JSON, NULL and 0 for none; what is
/// not JSON is sent as a text).
///
/// Returns: MCP_OK; MCP_E_UTF8, MCP_E_INVALID.
/// Ownership: the value is copied.
/// Threads: the one that runs the hook. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_failure_set(
    failure: *mut mcp_failure,
    what: i32,
    value: *const c_char,
    len: usize,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        with(failure, MCP_E_INVALID, |failure| {
            boundary::plain_status(|| {
                let text = text::computed(value, len)?;
                let mut outgoing = lock(&failure.outgoing);
                match what {
                    MCP_INFO_MESSAGE => outgoing.message = text.to_owned(),
                    MCP_INFO_DATA => {
                        outgoing.data = Some(text.to_owned()).filter(|text| !text.is_empty());
                    }
                    _ => return Err(Refusal::invalid("only the message and the data change")),
                }
                // What was read before stands where it was; what is read from now on is looked up anew.
                lock(&failure.texts).forget();
                Ok(())
            })
        })
    }
}

/// The hook of the host's as the engine sees it.
struct CHook(Callback<HookFunction>);

impl ErrorHook for CHook {
    fn rewrite(&self, context: &ErrorContext<'_>, error: &mut Outgoing) {
        let mut failure = mcp_failure {
            outgoing: Mutex::new(error.clone()),
            method: context.method.to_owned(),
            name: context.name.to_owned(),
            id: context.id.map(str::to_owned),
            revision: context.revision.map(|revision| revision.name()),
            texts: Mutex::default(),
        };
        // SAFETY: the host registered the two together, and the failure lives until this returns.
        unsafe { (self.0.function)(self.0.data.pointer(), &raw mut failure) };
        *error = lock(&failure.outgoing).clone();
    }
}

/// # Safety
/// `failure` is NULL or what a hook was given, in that hook.
unsafe fn with<T>(
    failure: *const mcp_failure,
    otherwise: T,
    body: impl FnOnce(&mcp_failure) -> T,
) -> T
where
    T: Copy,
{
    boundary::plain(otherwise, || {
        // SAFETY: the caller's promise: if it is not NULL, the hook is still running.
        unsafe { failure.as_ref() }.map_or(otherwise, body)
    })
}

/// The engine's kind of that number: kinds are numbered in the order of the engine's list.
pub(crate) fn kind_of(kind: i32) -> Result<ErrorKind, Refusal> {
    let place = usize::try_from(kind).ok().and_then(|kind| kind.checked_sub(1));
    let found = place.and_then(|place| ErrorKind::ALL.get(place).copied());
    found.ok_or_else(|| Refusal::invalid("there is no such kind of error"))
}

fn number_of(kind: ErrorKind) -> i32 {
    let place = ErrorKind::ALL.iter().position(|own| *own == kind);
    place.and_then(|place| i32::try_from(place + 1).ok()).unwrap_or_default()
}

fn form_of(form: i32) -> Result<Form, Refusal> {
    match form {
        MCP_FORM_ERROR => Ok(Form::Error),
        MCP_FORM_TOOL_RESULT => Ok(Form::ToolResult),
        _ => Err(Refusal::invalid("there is no such form of error")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_the_numbers_of_their_constants() {
        let numbered = [
            (MCP_KIND_PARSE, ErrorKind::Parse),
            (MCP_KIND_INVALID_REQUEST, ErrorKind::InvalidRequest),
            (MCP_KIND_UNKNOWN_METHOD, ErrorKind::UnknownMethod),
            (MCP_KIND_INVALID_PARAMS, ErrorKind::InvalidParams),
            (MCP_KIND_INTERNAL, ErrorKind::Internal),
            (MCP_KIND_NOT_INITIALIZED, ErrorKind::NotInitialized),
            (MCP_KIND_UNKNOWN_TOOL, ErrorKind::UnknownTool),
            (MCP_KIND_INVALID_ARGUMENTS, ErrorKind::InvalidArguments),
            (MCP_KIND_TOOL_FAILED, ErrorKind::ToolFailed),
            (MCP_KIND_INVALID_OUTPUT, ErrorKind::InvalidOutput),
            (MCP_KIND_RESOURCE_NOT_FOUND, ErrorKind::ResourceNotFound),
            (MCP_KIND_UNKNOWN_PROMPT, ErrorKind::UnknownPrompt),
            (MCP_KIND_NOT_AUTHORISED, ErrorKind::NotAuthorised),
            (MCP_KIND_MISSING_CAPABILITY, ErrorKind::MissingCapability),
            (MCP_KIND_UNSUPPORTED_REVISION, ErrorKind::UnsupportedRevision),
            (MCP_KIND_HEADER_MISMATCH, ErrorKind::HeaderMismatch),
            (MCP_KIND_TIMEOUT, ErrorKind::Timeout),
            (MCP_KIND_LIMIT, ErrorKind::Limit),
            (MCP_KIND_URL_ELICITATION_REQUIRED, ErrorKind::UrlElicitationRequired),
            (MCP_KIND_UNANSWERED, ErrorKind::Unanswered),
            (MCP_KIND_BAD_STATE, ErrorKind::BadState),
        ];
        assert_eq!(numbered.len(), ErrorKind::ALL.len());
        for (number, kind) in numbered {
            assert_eq!(number_of(kind), number);
            assert_eq!(kind_of(number).unwrap(), kind);
        }
        assert!(kind_of(0).is_err() && kind_of(22).is_err() && kind_of(i32::MIN).is_err());
    }
}
