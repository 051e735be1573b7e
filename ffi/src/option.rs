//! What can be set on a server, at any time. An option is a number with a value: there is no struct to
//! freeze, and a library that does not know one says MCP_E_UNSUPPORTED.

use std::ffi::c_char;
use std::sync::atomic::Ordering;

use mcplite_core::{CacheScope, Dispatch, Options, Preset, Revision, Revisions};

use crate::failure::Refusal;
use crate::server::mcp_server;
use crate::status::mcp_status;
use crate::{boundary, text};

/// Where handlers run: MCP_DISPATCH_INLINE, the default, or MCP_DISPATCH_QUEUED.
pub const MCP_OPT_DISPATCH: i32 = 1;
/// Codes and forms of errors: MCP_PRESET_SPEC, the default, MCP_PRESET_CLASSIC or MCP_PRESET_GATEWAY.
pub const MCP_OPT_ERROR_PRESET: i32 = 2;
/// Which revisions are served: a bit set of MCP_REV_...; default all.
pub const MCP_OPT_REVISIONS: i32 = 3;
/// Items per page of a list; 0, the default, for everything at once.
pub const MCP_OPT_PAGE_SIZE: i32 = 4;
/// For how many milliseconds results may be kept; default 0.
pub const MCP_OPT_CACHE_TTL_MS: i32 = 5;
/// Who may share them: MCP_CACHE_PRIVATE, the default, or MCP_CACHE_PUBLIC.
pub const MCP_OPT_CACHE_SCOPE: i32 = 6;
/// Whether tool arguments that do not fit are tried again with "5" as 5; default 0.
pub const MCP_OPT_COERCE: i32 = 7;
/// How long a call may take before it is answered with "timed out"; -1, the default, for ever.
pub const MCP_OPT_DEADLINE_MS: i32 = 8;
/// How long a client may take to answer a question; -1 for ever; default 600000.
pub const MCP_OPT_STATE_TTL_MS: i32 = 9;
/// Whether stack traces of failed tools leave the process; default 0.
pub const MCP_OPT_STACKTRACE: i32 = 10;
/// Serve functions: how many threads run handlers; 0 for the thread that called mcp_serve_...; default 1.
pub const MCP_OPT_WORKERS: i32 = 11;
/// Serve functions: how long open calls may go on when the input has ended or the server shuts down;
/// default 5000.
pub const MCP_OPT_GRACE_MS: i32 = 12;
/// Whether clients may have log messages; default 1.
pub const MCP_OPT_LOGGING: i32 = 13;
/// Whether results say which server made them (2026-07-28); default 1.
pub const MCP_OPT_IDENTIFY: i32 = 14;
/// Capabilities to announce although nothing of the kind is registered yet: a bit set of MCP_DECLARE_...
pub const MCP_OPT_DECLARE: i32 = 15;

/// Bytes of one message; default 4 MiB.
pub const MCP_LIMIT_MESSAGE_BYTES: i32 = 100;
/// Nested arrays and objects in a message or in JSON of yours; default 64, at most 512. A schema that refers
/// to itself takes about 0.4 KiB of stack for each level.
pub const MCP_LIMIT_NESTING: i32 = 101;
/// Requests of one session that wait for an answer; default 1024.
pub const MCP_LIMIT_OPEN_CALLS: i32 = 102;
/// Resources that one client, or one of its listen streams, may watch; default 1024.
pub const MCP_LIMIT_SUBSCRIPTIONS: i32 = 103;
/// Listen streams of one client; default 64.
pub const MCP_LIMIT_LISTEN_STREAMS: i32 = 104;
/// Bytes of output that wait in one session before input is refused; default 16 MiB. Answers may come to
/// twice as much; beyond that the session closes.
pub const MCP_LIMIT_OUTPUT_BYTES: i32 = 105;
/// How often one request may ask its client; default 16.
pub const MCP_LIMIT_ASK_ROUNDS: i32 = 106;
/// Bytes of what is remembered of a request while its client is asked; default 64 KiB.
pub const MCP_LIMIT_STATE_BYTES: i32 = 107;
/// Bytes of a definition, schemas included; default 1 MiB.
pub const MCP_LIMIT_DEFINITION_BYTES: i32 = 108;
/// Steps of validating one value, beyond reading it once; default 1000000.
pub const MCP_LIMIT_SCHEMA_STEPS: i32 = 109;
/// Bytes of a tool or prompt name; default 128.
pub const MCP_LIMIT_NAME_BYTES: i32 = 110;
/// Bytes that the engine holds for the server, as it counts them; default 256 MiB.
pub const MCP_LIMIT_MEMORY_BYTES: i32 = 111;
/// Bytes of the JSON text of a request's id; default 1024.
pub const MCP_LIMIT_ID_BYTES: i32 = 112;
/// Messages in one batch; default 1024.
pub const MCP_LIMIT_BATCH_MESSAGES: i32 = 113;
/// Unreadable messages in a row that are answered; default 16.
pub const MCP_LIMIT_UNREADABLE_ANSWERS: i32 = 114;
/// Serve functions: connections of mcp_serve_socket() at a time; default 64.
pub const MCP_LIMIT_CONNECTIONS: i32 = 115;

/// Handlers run in the call that feeds the message.
pub const MCP_DISPATCH_INLINE: i32 = 0;
/// Handlers run only in mcp_server_run(): on a GUI thread, in a game frame, in a worker pool.
pub const MCP_DISPATCH_QUEUED: i32 = 1;

/// Error codes as each revision of the specification says.
pub const MCP_PRESET_SPEC: i32 = 0;
/// -32000 tool not found, -32001 tool execution failed, -32002 invalid tool params, -32003 not initialized.
pub const MCP_PRESET_CLASSIC: i32 = 1;
/// -32000 server error, -32001 resource not found, -32002 tool error, -32003 authorization.
pub const MCP_PRESET_GATEWAY: i32 = 2;

/// Only whoever asked may keep the result.
pub const MCP_CACHE_PRIVATE: i32 = 0;
/// Everybody may.
pub const MCP_CACHE_PUBLIC: i32 = 1;

/// Revision 2024-11-05.
pub const MCP_REV_2024_11_05: i32 = 1;
/// Revision 2025-03-26, which has batches.
pub const MCP_REV_2025_03_26: i32 = 2;
/// Revision 2025-06-18.
pub const MCP_REV_2025_06_18: i32 = 4;
/// Revision 2025-11-25.
pub const MCP_REV_2025_11_25: i32 = 8;
/// Revision 2026-07-28, which has no handshake.
pub const MCP_REV_2026_07_28: i32 = 16;

/// Announce tools.
pub const MCP_DECLARE_TOOLS: i32 = 1;
/// Announce resources.
pub const MCP_DECLARE_RESOURCES: i32 = 2;
/// Announce prompts.
pub const MCP_DECLARE_PROMPTS: i32 = 4;
/// Announce completions.
pub const MCP_DECLARE_COMPLETIONS: i32 = 8;

/// Sets an option that is a number: MCP_OPT_... or MCP_LIMIT_... For switches 0 is off and 1 is on.
///
/// Returns: MCP_OK; MCP_E_INVALID for a value that makes no sense, MCP_E_UNSUPPORTED for an unknown option.
/// Absurd limits are brought to what the engine can keep.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_set_int(
    server: *mut mcp_server,
    option: i32,
    value: i64,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::status(server, |server| {
            let serving = match option {
                MCP_OPT_WORKERS => Some((&server.serving.workers, 0..=1024)),
                MCP_OPT_GRACE_MS => Some((&server.serving.grace_ms, 0..=i64::from(i32::MAX))),
                MCP_LIMIT_CONNECTIONS => Some((&server.serving.connections, 1..=1_000_000)),
                _ => None,
            };
            if let Some((slot, range)) = serving {
                if !range.contains(&value) {
                    return Err(Refusal::invalid("the value is out of range"));
                }
                slot.store(value, Ordering::Relaxed);
                return Ok(());
            }
            let change = number_option(option, value)?;
            Ok(server.core.configure(change)?)
        })
    }
}

/// The server's name for people.
pub const MCP_OPT_TITLE: i32 = 200;
/// What the server is.
pub const MCP_OPT_DESCRIPTION: i32 = 201;
/// How a model should use this server.
pub const MCP_OPT_INSTRUCTIONS: i32 = 202;
/// Where to read more.
pub const MCP_OPT_WEBSITE_URL: i32 = 203;
/// Icons: a JSON array of the specification's Icon.
pub const MCP_OPT_ICONS: i32 = 204;
/// A JSON object, announced as capabilities.extensions.
pub const MCP_OPT_EXTENSIONS: i32 = 205;
/// A JSON object, announced as capabilities.experimental.
pub const MCP_OPT_EXPERIMENTAL: i32 = 206;

/// Sets an option that is a text; NULL takes it away.
///
/// Returns: MCP_OK; MCP_E_UTF8, MCP_E_JSON, MCP_E_INVALID for JSON of the wrong type, MCP_E_UNSUPPORTED for
/// an unknown option.
/// Ownership: the text is copied.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_set_str(
    server: *mut mcp_server,
    option: i32,
    value: *const c_char,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::status(server, |server| {
            let value = text::optional(value)?.map(str::to_owned);
            let slot: fn(&mut Options) -> &mut Option<String> = match option {
                MCP_OPT_TITLE => |options| &mut options.title,
                MCP_OPT_DESCRIPTION => |options| &mut options.description,
                MCP_OPT_INSTRUCTIONS => |options| &mut options.instructions,
                MCP_OPT_WEBSITE_URL => |options| &mut options.website_url,
                MCP_OPT_ICONS => |options| &mut options.icons,
                MCP_OPT_EXTENSIONS => |options| &mut options.declared.extensions,
                MCP_OPT_EXPERIMENTAL => |options| &mut options.declared.experimental,
                _ => return Err(Refusal::unsupported("there is no such option that is a text")),
            };
            Ok(server.core.configure(|options| slot(options).clone_from(&value))?)
        })
    }
}

/// What an option does.
type Change = Box<dyn FnMut(&mut Options)>;

/// The change that an option asks for.
fn number_option(option: i32, value: i64) -> Result<Change, Refusal> {
    if let Some(slot) = limit_slot(option) {
        let size = usize::try_from(value).ok().filter(|size| *size > 0);
        let size = size.ok_or_else(|| Refusal::invalid("a limit is at least 1"))?;
        return Ok(Box::new(move |options| slot(options, size)));
    }
    Ok(match option {
        MCP_OPT_DISPATCH => {
            let dispatch = match switch(value)? {
                false => Dispatch::Inline,
                true => Dispatch::Queued,
            };
            Box::new(move |options| options.dispatch = dispatch)
        }
        MCP_OPT_ERROR_PRESET => {
            let preset = match i32::try_from(value) {
                Ok(MCP_PRESET_SPEC) => Preset::Spec,
                Ok(MCP_PRESET_CLASSIC) => Preset::Classic,
                Ok(MCP_PRESET_GATEWAY) => Preset::Gateway,
                _ => return Err(Refusal::invalid("there is no such preset")),
            };
            Box::new(move |options| options.errors.preset = preset)
        }
        MCP_OPT_REVISIONS => {
            let revisions = revisions(value)?;
            Box::new(move |options| options.revisions = revisions)
        }
        MCP_OPT_PAGE_SIZE => {
            let size = usize::try_from(value);
            let size = size.map_err(|_| Refusal::invalid("a page has 0 or more items"))?;
            Box::new(move |options| options.page_size = size)
        }
        MCP_OPT_CACHE_TTL_MS => {
            let ttl = u64::try_from(value);
            let ttl = ttl.map_err(|_| Refusal::invalid("milliseconds are 0 or more"))?;
            Box::new(move |options| options.cache.ttl_ms = ttl)
        }
        MCP_OPT_CACHE_SCOPE => {
            let scope = cache_scope(value)?;
            Box::new(move |options| options.cache.scope = scope)
        }
        MCP_OPT_DEADLINE_MS => {
            let deadline = duration(value)?;
            Box::new(move |options| options.deadline_ms = deadline)
        }
        MCP_OPT_STATE_TTL_MS => {
            let ttl = duration(value)?;
            Box::new(move |options| options.state_ttl_ms = ttl)
        }
        MCP_OPT_COERCE => switched(value, |options| &mut options.coerce)?,
        MCP_OPT_STACKTRACE => switched(value, |options| &mut options.stacktraces)?,
        MCP_OPT_LOGGING => switched(value, |options| &mut options.logging)?,
        MCP_OPT_IDENTIFY => switched(value, |options| &mut options.identify)?,
        MCP_OPT_DECLARE => declared(value)?,
        _ => return Err(Refusal::unsupported("there is no such option that is a number")),
    })
}

fn limit_slot(option: i32) -> Option<fn(&mut Options, usize)> {
    Some(match option {
        MCP_LIMIT_MESSAGE_BYTES => |options, size| options.limits.message_bytes = size,
        MCP_LIMIT_NESTING => |options, size| options.limits.depth = clip(size),
        MCP_LIMIT_OPEN_CALLS => |options, size| options.limits.open_calls = size,
        MCP_LIMIT_SUBSCRIPTIONS => |options, size| options.limits.subscriptions = size,
        MCP_LIMIT_LISTEN_STREAMS => |options, size| options.limits.listen_streams = size,
        MCP_LIMIT_OUTPUT_BYTES => |options, size| options.limits.output_bytes = size,
        MCP_LIMIT_ASK_ROUNDS => |options, size| options.limits.ask_rounds = clip(size),
        MCP_LIMIT_STATE_BYTES => |options, size| options.limits.state_bytes = size,
        MCP_LIMIT_DEFINITION_BYTES => |options, size| options.limits.definition_bytes = size,
        MCP_LIMIT_SCHEMA_STEPS => |options, size| options.limits.schema_steps = size as u64,
        MCP_LIMIT_NAME_BYTES => |options, size| options.limits.name_bytes = size,
        MCP_LIMIT_MEMORY_BYTES => |options, size| options.limits.memory_bytes = size,
        MCP_LIMIT_ID_BYTES => |options, size| options.limits.id_bytes = size,
        MCP_LIMIT_BATCH_MESSAGES => |options, size| options.limits.batch_messages = size,
        MCP_LIMIT_UNREADABLE_ANSWERS => {
            |options, size| options.limits.unreadable_answers = clip(size)
        }
        _ => return None,
    })
}

fn clip(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}

fn switched(value: i64, slot: fn(&mut Options) -> &mut bool) -> Result<Change, Refusal> {
    let on = switch(value)?;
    Ok(Box::new(move |options| *slot(options) = on))
}

/// The value of a switch.
pub(crate) fn switch(value: i64) -> Result<bool, Refusal> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Refusal::invalid("a switch is 0 or 1")),
    }
}

pub(crate) fn cache_scope(value: i64) -> Result<CacheScope, Refusal> {
    Ok(if switch(value)? { CacheScope::Public } else { CacheScope::Private })
}

fn duration(value: i64) -> Result<Option<u64>, Refusal> {
    match u64::try_from(value) {
        Ok(ms) => Ok(Some(ms)),
        Err(_) if value == -1 => Ok(None),
        Err(_) => Err(Refusal::invalid("milliseconds, or -1 for none")),
    }
}

/// The revisions of a bit set, of which the first bit is the oldest.
fn revisions(bits: i64) -> Result<Revisions, Refusal> {
    let bit = |revision: Revision| {
        i64::from(match revision {
            Revision::V2024_11_05 => MCP_REV_2024_11_05,
            Revision::V2025_03_26 => MCP_REV_2025_03_26,
            Revision::V2025_06_18 => MCP_REV_2025_06_18,
            Revision::V2025_11_25 => MCP_REV_2025_11_25,
            Revision::V2026_07_28 => MCP_REV_2026_07_28,
            // One that this list does not know yet cannot be chosen here.
            _ => 0,
        })
    };
    let known: i64 = Revision::ALL.into_iter().map(bit).sum();
    if bits & !known != 0 {
        return Err(Refusal::invalid("there is no such revision"));
    }
    let chosen: Vec<_> =
        Revision::ALL.into_iter().filter(|revision| bits & bit(*revision) != 0).collect();
    Ok(Revisions::of(&chosen))
}

fn declared(bits: i64) -> Result<Change, Refusal> {
    let known =
        MCP_DECLARE_TOOLS | MCP_DECLARE_RESOURCES | MCP_DECLARE_PROMPTS | MCP_DECLARE_COMPLETIONS;
    if bits & !i64::from(known) != 0 {
        return Err(Refusal::invalid("there is no such capability"));
    }
    let has = move |bit: i32| bits & i64::from(bit) != 0;
    Ok(Box::new(move |options| {
        options.declared.tools = has(MCP_DECLARE_TOOLS);
        options.declared.resources = has(MCP_DECLARE_RESOURCES);
        options.declared.prompts = has(MCP_DECLARE_PROMPTS);
        options.declared.completions = has(MCP_DECLARE_COMPLETIONS);
    }))
}
