//! Tools, resources, templates, prompts, completions and methods. All may come and go while connections
//! are live: whoever watches is told, in the way of its revision.
//!
//! A handler is told its user_data and the call. It returns MCP_OK when it has answered or retained the
//! call, MCP_PENDING when it has asked the client, or a negative status: then the call fails, if it is still
//! open. So `return mcp_reply_text(...)` is always right. With a NULL handler the calls wait for
//! mcp_server_next_call(). It must return: neither longjmp() nor a C++ exception may leave it.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use mcplite_core::{Error, Item, ItemPolicy, Kind, Reference};

use crate::callback::UserData;
use crate::failure::Refusal;
use crate::handle::Handle;
use crate::handler::Function;
use crate::held::mcp_call;
use crate::option::{cache_scope, switch};
use crate::server::{mcp_destroy, mcp_server};
use crate::status::mcp_status;
use crate::{boundary, text};

/// Answers calls of one registered item.
pub type mcp_handler =
    Option<unsafe extern "C-unwind" fn(user_data: *mut c_void, call: *mut mcp_call) -> mcp_status>;

/// The function in it.
pub(crate) type HandlerFunction =
    unsafe extern "C-unwind" fn(user_data: *mut c_void, call: *mut mcp_call) -> mcp_status;

/// A tool, known by its name.
pub const MCP_TOOL: i32 = 1;
/// A resource, known by its URI.
pub const MCP_RESOURCE: i32 = 2;
/// A resource template, known by its URI template.
pub const MCP_TEMPLATE: i32 = 3;
/// A prompt, known by its name.
pub const MCP_PROMPT: i32 = 4;
/// Completion of an argument of a prompt or a variable of a template.
pub const MCP_COMPLETION: i32 = 5;
/// A method of your own.
pub const MCP_METHOD: i32 = 6;

/// Registers a tool. description and input_schema (JSON Schema; none: an object of anything) may be NULL.
/// Arguments are validated before the handler runs.
///
/// Returns: MCP_OK; MCP_E_NAME, MCP_E_SCHEMA with the place and the reason in mcp_server_last_error(),
/// MCP_E_JSON, MCP_E_EXISTS, MCP_E_NOMEM, MCP_E_UTF8, MCP_E_INVALID.
/// Ownership: texts are copied; destroy runs exactly once, also on failure.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_register_tool(
    server: *mut mcp_server,
    name: *const c_char,
    description: *const c_char,
    input_schema: *const c_char,
    handler: mcp_handler,
    user_data: *mut c_void,
    destroy: mcp_destroy,
) -> mcp_status {
    let answers = Answers::new(handler, user_data, destroy);
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        register(server, 0, answers, &|| {
            let item = Item::tool(text::required(name)?);
            let item = with(item, text::optional(description)?, Item::description);
            Ok(with(item, text::optional(input_schema)?, Item::input_schema))
        })
    }
}

/// Registers a resource whose contents the handler gives. mime_type may be NULL.
///
/// Returns: MCP_OK; MCP_E_NAME for a URI that is not absolute, MCP_E_SCHEMA for an empty name,
/// MCP_E_EXISTS, MCP_E_NOMEM, MCP_E_UTF8, MCP_E_INVALID.
/// Ownership: texts are copied; destroy runs exactly once, also on failure.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_register_resource(
    server: *mut mcp_server,
    uri: *const c_char,
    name: *const c_char,
    mime_type: *const c_char,
    handler: mcp_handler,
    user_data: *mut c_void,
    destroy: mcp_destroy,
) -> mcp_status {
    let answers = Answers::new(handler, user_data, destroy);
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        register(server, 0, answers, &|| {
            let item = Item::resource(text::required(uri)?, text::required(name)?);
            Ok(with(item, text::optional(mime_type)?, Item::mime_type))
        })
    }
}

/// Registers a resource that never changes; sent as text if its type is textual and its bytes are UTF-8.
///
/// Returns: as mcp_register_resource().
/// Ownership: texts and bytes are copied.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_register_static(
    server: *mut mcp_server,
    uri: *const c_char,
    name: *const c_char,
    mime_type: *const c_char,
    data: *const c_void,
    len: usize,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::status(server, |server| {
            let put = || {
                let item = Item::resource(text::required(uri)?, text::required(name)?);
                let item = with(item, text::optional(mime_type)?, Item::mime_type);
                let data = text::bytes(data, len)?;
                if data.len() > server.core.options().limits.memory_bytes {
                    // Refused below too, but only when the bytes have been copied.
                    return Err(Refusal::from(Error::Limit("memory_bytes")));
                }
                Ok(server.core.register(item.contents(data))?)
            };
            put().inspect_err(|refusal| server.shared().refuse(refusal))
        })
    }
}

/// Registers resources whose URIs follow a template of RFC 6570; the handler reads its variables as
/// arguments and the URI as MCP_INFO_NAME. mime_type may be NULL.
///
/// Returns: MCP_OK; MCP_E_SCHEMA for a template that cannot be used or an empty name, MCP_E_EXISTS,
/// MCP_E_NOMEM, MCP_E_UTF8, MCP_E_INVALID.
/// Ownership: texts are copied; destroy runs exactly once, also on failure.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_register_template(
    server: *mut mcp_server,
    uri_template: *const c_char,
    name: *const c_char,
    mime_type: *const c_char,
    handler: mcp_handler,
    user_data: *mut c_void,
    destroy: mcp_destroy,
) -> mcp_status {
    let answers = Answers::new(handler, user_data, destroy);
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        register(server, 0, answers, &|| {
            let item = Item::template(text::required(uri_template)?, text::required(name)?);
            Ok(with(item, text::optional(mime_type)?, Item::mime_type))
        })
    }
}

/// Registers a prompt. description may be NULL; arguments is a JSON array of the specification's
/// PromptArgument, or NULL.
///
/// Returns: MCP_OK; MCP_E_NAME, MCP_E_SCHEMA, MCP_E_JSON, MCP_E_EXISTS, MCP_E_NOMEM, MCP_E_UTF8,
/// MCP_E_INVALID.
/// Ownership: texts are copied; destroy runs exactly once, also on failure.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_register_prompt(
    server: *mut mcp_server,
    name: *const c_char,
    description: *const c_char,
    arguments: *const c_char,
    handler: mcp_handler,
    user_data: *mut c_void,
    destroy: mcp_destroy,
) -> mcp_status {
    let answers = Answers::new(handler, user_data, destroy);
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        register(server, 0, answers, &|| {
            let item = Item::prompt(text::required(name)?);
            let item = with(item, text::optional(description)?, Item::description);
            Ok(with(item, text::optional(arguments)?, Item::arguments))
        })
    }
}

/// Registers suggestions for one argument of a prompt (kind MCP_PROMPT) or one variable of a template
/// (kind MCP_TEMPLATE). The handler reads "value", and the other arguments so far as "/arguments/NAME", and
/// adds one mcp_add_text() for each suggestion.
///
/// Returns: MCP_OK; MCP_E_EXISTS, MCP_E_NOMEM, MCP_E_UTF8, MCP_E_INVALID.
/// Ownership: texts are copied; destroy runs exactly once, also on failure.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_register_completion(
    server: *mut mcp_server,
    kind: i32,
    name: *const c_char,
    argument: *const c_char,
    handler: mcp_handler,
    user_data: *mut c_void,
    destroy: mcp_destroy,
) -> mcp_status {
    let answers = Answers::new(handler, user_data, destroy);
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        register(server, 0, answers, &|| {
            Ok(Item::completion(reference(kind, text::required(name)?)?, text::required(argument)?))
        })
    }
}

/// Registers a request or notification of your own; "*" takes all that nobody else does. The handler reads
/// the params as arguments and answers with mcp_reply_result().
///
/// Returns: MCP_OK; MCP_E_NAME for a method that the engine answers itself, MCP_E_EXISTS, MCP_E_NOMEM,
/// MCP_E_UTF8, MCP_E_INVALID.
/// Ownership: texts are copied; destroy runs exactly once, also on failure.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_register_method(
    server: *mut mcp_server,
    method: *const c_char,
    handler: mcp_handler,
    user_data: *mut c_void,
    destroy: mcp_destroy,
) -> mcp_status {
    let answers = Answers::new(handler, user_data, destroy);
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe { register(server, 0, answers, &|| Ok(Item::method(text::required(method)?))) }
}

/// Or'ed to a kind: takes the place of one of that name; calls in flight finish on the old one.
pub const MCP_REPLACE: i32 = 0x100;
/// Or'ed to a kind: works, but is not listed.
pub const MCP_HIDDEN: i32 = 0x200;
/// Or'ed to MCP_TOOL: keeps a name outside A-Z a-z 0-9 _ - . as a gateway must.
pub const MCP_ANY_NAME: i32 = 0x400;
/// Or'ed to MCP_TOOL: you enforce the schema yourself, so that a pattern which cannot be used here, such as
/// one with look-around, is left to you. Everything else of the schema is still validated here.
pub const MCP_HOST_ENFORCES: i32 = 0x800;
/// Or'ed to MCP_TOOL: lists the schemas as they are and validates nothing, as a gateway wants it.
pub const MCP_UNVALIDATED: i32 = 0x1000;

/// Registers what the short forms cannot say. kind is MCP_TOOL, MCP_RESOURCE, MCP_TEMPLATE or MCP_PROMPT,
/// perhaps with flags or'ed to it; definition is the specification's own object as JSON, with title,
/// outputSchema, annotations, icons, _meta and so on.
///
/// Returns: MCP_OK; MCP_E_JSON, MCP_E_SCHEMA, MCP_E_NAME, MCP_E_EXISTS, MCP_E_NOMEM, MCP_E_UTF8,
/// MCP_E_INVALID.
/// Ownership: the definition is copied; destroy runs exactly once, also on failure.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_register(
    server: *mut mcp_server,
    kind: i32,
    definition: *const c_char,
    handler: mcp_handler,
    user_data: *mut c_void,
    destroy: mcp_destroy,
) -> mcp_status {
    let answers = Answers::new(handler, user_data, destroy);
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        register(server, kind, answers, &|| {
            Ok(Item::from_json(kind_of(kind & !FLAGS)?, text::required(definition)?)?)
        })
    }
}

/// Removes an item by its kind and its name, URI, URI template or method. Calls in flight finish. For
/// completions there is mcp_unregister_completion().
///
/// Returns: MCP_OK; MCP_E_NOT_FOUND, MCP_E_UTF8, MCP_E_INVALID.
/// Ownership: destroy of the item runs, if no call is in flight.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_unregister(
    server: *mut mcp_server,
    kind: i32,
    name: *const c_char,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::status(server, |server| {
            Ok(server.core.unregister(kind_of(kind)?, text::required(name)?)?)
        })
    }
}

/// Removes a completion, by what it was registered with.
///
/// Returns: MCP_OK; MCP_E_NOT_FOUND, MCP_E_UTF8, MCP_E_INVALID.
/// Ownership: as mcp_unregister().
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_unregister_completion(
    server: *mut mcp_server,
    kind: i32,
    name: *const c_char,
    argument: *const c_char,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::status(server, |server| {
            let of = reference(kind, text::required(name)?)?;
            Ok(server.core.unregister_completion(of, text::required(argument)?)?)
        })
    }
}

/// How long a call may take; -1 leaves it to the server.
pub const MCP_ITEM_DEADLINE_MS: i32 = 1;
/// Whether arguments that do not fit are tried again with "5" as 5: 0, 1, or -1 for as the server.
pub const MCP_ITEM_COERCE: i32 = 2;
/// For how long a result may be kept; -1 leaves the hints to the server.
pub const MCP_ITEM_CACHE_TTL_MS: i32 = 3;
/// Who may share it: MCP_CACHE_PRIVATE or MCP_CACHE_PUBLIC.
pub const MCP_ITEM_CACHE_SCOPE: i32 = 4;
/// Whether it is left out of lists: 0 or 1.
pub const MCP_ITEM_HIDDEN: i32 = 5;

/// Sets the policy of one registered item; nothing of it is part of its definition. kind and name as in
/// mcp_unregister().
///
/// Returns: MCP_OK; MCP_E_NOT_FOUND, MCP_E_INVALID for a value that makes no sense, MCP_E_UNSUPPORTED for
/// an unknown option.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_item_set_int(
    server: *mut mcp_server,
    kind: i32,
    name: *const c_char,
    option: i32,
    value: i64,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::status(server, |server| {
            let (kind, name) = (kind_of(kind)?, text::required(name)?);
            let default = server.core.options().cache;
            let change = policy(option, value, default)?;
            Ok(server.core.adjust(kind, name, change)?)
        })
    }
}

const FLAGS: i32 = MCP_REPLACE | MCP_HIDDEN | MCP_ANY_NAME | MCP_HOST_ENFORCES | MCP_UNVALIDATED;

/// Who answers the calls of an item.
struct Answers {
    function: mcp_handler,
    data: Arc<UserData>,
}

impl Answers {
    fn new(function: mcp_handler, user_data: *mut c_void, destroy: mcp_destroy) -> Answers {
        Answers { function, data: Arc::new(UserData::new(user_data, destroy)) }
    }
}

/// # Safety
/// The rules at the top of the header.
unsafe fn register(
    server: *mut mcp_server,
    flags: i32,
    answers: Answers,
    make: &dyn Fn() -> Result<Item, Refusal>,
) -> mcp_status {
    // SAFETY: the caller's promise is the same.
    unsafe {
        boundary::status(server, |server| {
            let Answers { function, data } = answers;
            let put = || {
                let has = |flag| flags & flag != 0;
                let mut item = make()?.listed(!has(MCP_HIDDEN));
                item = if has(MCP_ANY_NAME) { item.any_name() } else { item };
                item = if has(MCP_HOST_ENFORCES) { item.host_enforces() } else { item };
                item = if has(MCP_UNVALIDATED) { item.unvalidated() } else { item };
                if let Some(function) = function {
                    let shared = Arc::clone(server.shared());
                    item = item.on_call(Function { function, data: Arc::clone(&data), shared });
                }
                let item = item.attach(data);
                match has(MCP_REPLACE) {
                    true => Ok(server.core.replace(item)?),
                    false => Ok(server.core.register(item)?),
                }
            };
            put().inspect_err(|refusal| server.shared().refuse(refusal))
        })
    }
}

/// The change that an option of an item asks for.
fn policy(
    option: i32,
    value: i64,
    default: mcplite_core::Cache,
) -> Result<Box<dyn Fn(Item) -> Item>, Refusal> {
    let ms = u64::try_from(value);
    let unset = |policy| Box::new(move |item: Item| item.without_policy(policy));
    Ok(match (option, ms) {
        (MCP_ITEM_DEADLINE_MS, Ok(ms)) => Box::new(move |item| item.deadline_ms(ms)),
        (MCP_ITEM_DEADLINE_MS, Err(_)) if value == -1 => unset(ItemPolicy::Deadline),
        (MCP_ITEM_COERCE, Err(_)) if value == -1 => unset(ItemPolicy::Coerce),
        (MCP_ITEM_COERCE, _) => {
            let coerce = switch(value)?;
            Box::new(move |item| item.coerce(coerce))
        }
        (MCP_ITEM_CACHE_TTL_MS, Ok(ttl_ms)) => Box::new(move |item| {
            let cache = item.own_cache().unwrap_or(default);
            item.cache(mcplite_core::Cache { ttl_ms, ..cache })
        }),
        (MCP_ITEM_CACHE_TTL_MS, Err(_)) if value == -1 => unset(ItemPolicy::Cache),
        (MCP_ITEM_CACHE_SCOPE, _) => {
            let scope = cache_scope(value)?;
            Box::new(move |item| {
                let cache = item.own_cache().unwrap_or(default);
                item.cache(mcplite_core::Cache { scope, ..cache })
            })
        }
        (MCP_ITEM_HIDDEN, _) => {
            let hidden = switch(value)?;
            Box::new(move |item| item.listed(!hidden))
        }
        (MCP_ITEM_DEADLINE_MS | MCP_ITEM_CACHE_TTL_MS, Err(_)) => {
            return Err(Refusal::invalid("milliseconds, or -1 for as the server"));
        }
        _ => return Err(Refusal::unsupported("an item has no such option")),
    })
}

pub(crate) fn kind_of(kind: i32) -> Result<Kind, Refusal> {
    Ok(match kind {
        MCP_TOOL => Kind::Tool,
        MCP_RESOURCE => Kind::Resource,
        MCP_TEMPLATE => Kind::Template,
        MCP_PROMPT => Kind::Prompt,
        MCP_COMPLETION => Kind::Completion,
        MCP_METHOD => Kind::Method,
        _ => return Err(Refusal::invalid("there is no such kind of item")),
    })
}

fn reference(kind: i32, name: &str) -> Result<Reference<'_>, Refusal> {
    match kind {
        MCP_PROMPT => Ok(Reference::Prompt(name)),
        MCP_TEMPLATE => Ok(Reference::Template(name)),
        _ => Err(Refusal::invalid("prompts and templates can be completed")),
    }
}

fn with(item: Item, text: Option<&str>, set: fn(Item, &str) -> Item) -> Item {
    match text {
        Some(text) => set(item, text),
        None => item,
    }
}
