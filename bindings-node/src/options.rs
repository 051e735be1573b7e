//! Options by name.

use mcplite_core::json::{elements, members};
use mcplite_core::{
    CacheScope, ErrorTable, HttpOptions, Options, Preset, Revision, Revisions, Server,
};

use crate::answer::text;
use crate::error::{OrThrow, Result, misuse};
use crate::register::milliseconds;

/// Sets options of a server from a JSON object, all of them or none.
pub(crate) fn configure(server: &Server, json: &str) -> Result<()> {
    let mut failed = None;
    let changed = server.configure(|own| {
        for (name, value) in members(json) {
            if let Err(error) = set_option(own, &name.decode(), value) {
                failed.get_or_insert(error);
            }
        }
        if failed.is_some() {
            // Refused by the engine, so that none of them holds.
            own.name.clear();
        }
    });
    match failed {
        Some(error) => Err(error),
        None => changed.or_throw(),
    }
}

fn set_option(own: &mut Options, name: &str, value: &str) -> Result<()> {
    let limits = &mut own.limits;
    let declared = &mut own.declared;
    let size = || number(name, value).and_then(|it| usize::try_from(it).map_err(|_| large(name)));
    let small = || number(name, value).and_then(|it| u32::try_from(it).map_err(|_| large(name)));
    match name {
        "title" => own.title = optional(value).map(string),
        "description" => own.description = optional(value).map(string),
        "websiteUrl" => own.website_url = optional(value).map(string),
        "instructions" => own.instructions = optional(value).map(string),
        "icons" => own.icons = optional(value).map(str::to_owned),
        "revisions" => own.revisions = revisions(value)?,
        "errors" => own.errors = ErrorTable::new(preset(&text(value))?),
        "pageSize" => own.page_size = size()?,
        "cacheTtl" => own.cache.ttl_ms = number(name, value)?,
        "cachePublic" => {
            own.cache.scope =
                if flag(name, value)? { CacheScope::Public } else { CacheScope::Private }
        }
        "timeout" => own.deadline_ms = optional(value).map(|it| number(name, it)).transpose()?,
        "coerce" => own.coerce = flag(name, value)?,
        "questionTtl" => {
            own.state_ttl_ms = optional(value).map(|it| number(name, it)).transpose()?
        }
        "logging" => own.logging = flag(name, value)?,
        "identify" => own.identify = flag(name, value)?,
        "debug" => own.stacktraces = flag(name, value)?,
        "declareTools" => declared.tools = flag(name, value)?,
        "declareResources" => declared.resources = flag(name, value)?,
        "declarePrompts" => declared.prompts = flag(name, value)?,
        "declareCompletions" => declared.completions = flag(name, value)?,
        "experimental" => declared.experimental = optional(value).map(str::to_owned),
        "extensions" => declared.extensions = optional(value).map(str::to_owned),
        "messageBytes" => limits.message_bytes = size()?,
        "depth" => limits.depth = small()?,
        "openCalls" => limits.open_calls = size()?,
        "outputBytes" => limits.output_bytes = size()?,
        "idBytes" => limits.id_bytes = size()?,
        "nameBytes" => limits.name_bytes = size()?,
        "definitionBytes" => limits.definition_bytes = size()?,
        "schemaSteps" => limits.schema_steps = number(name, value)?,
        "batchMessages" => limits.batch_messages = size()?,
        "subscriptions" => limits.subscriptions = size()?,
        "listenStreams" => limits.listen_streams = size()?,
        "askRounds" => limits.ask_rounds = small()?,
        "stateBytes" => limits.state_bytes = size()?,
        "unreadableAnswers" => limits.unreadable_answers = small()?,
        "memoryBytes" => limits.memory_bytes = size()?,
        _ => return Err(misuse(format!("there is no option {name:?}"))),
    }
    Ok(())
}

/// Sets options of an endpoint from a JSON object.
pub(crate) fn set_http_options(own: &mut HttpOptions, json: &str) -> Result<()> {
    members(json).try_for_each(|(name, value)| set_http_option(own, &name.decode(), value))
}

fn set_http_option(own: &mut HttpOptions, name: &str, value: &str) -> Result<()> {
    let size = || number(name, value).and_then(|it| usize::try_from(it).map_err(|_| large(name)));
    match name {
        "allowedHosts" => own.allowed_hosts = strings(name, value)?,
        "allowedOrigins" => own.allowed_origins = strings(name, value)?,
        "corsOrigins" => own.cors_origins = strings(name, value)?,
        "bodyBytes" => own.body_bytes = size()?,
        "headerCount" => own.header_count = size()?,
        "headerBytes" => own.header_bytes = size()?,
        "exchanges" => own.exchanges = size()?,
        "sessions" => own.sessions = size()?,
        "sessionIdleMs" => own.session_idle_ms = number(name, value)?,
        "stateless" => own.stateless = flag(name, value)?,
        "keepaliveMs" => own.keepalive_ms = number(name, value)?,
        "replayBytes" => own.replay_bytes = size()?,
        "retryMs" => own.retry_ms = number(name, value)?,
        "resourceMetadata" => own.resource_metadata = optional(value).map(str::to_owned),
        "ssePath" => own.sse_path = optional(value).map(string),
        "ssePostPath" => own.sse_post_path = optional(value).map(string),
        _ => return Err(misuse(format!("there is no HTTP option {name:?}"))),
    }
    Ok(())
}

fn optional(json: &str) -> Option<&str> {
    (json != "null").then_some(json)
}

fn string(json: &str) -> String {
    text(json).into_owned()
}

fn flag(name: &str, json: &str) -> Result<bool> {
    match json {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(misuse(format!("{name} is true or false"))),
    }
}

fn number(name: &str, json: &str) -> Result<u64> {
    milliseconds(json).ok_or_else(|| misuse(format!("{name} is a number, and not below 0")))
}

fn large(name: &str) -> napi::Error<crate::error::Code> {
    misuse(format!("{name} is too large"))
}

fn strings(name: &str, json: &str) -> Result<Vec<String>> {
    match json.starts_with('[') {
        true => Ok(elements(json).map(string).collect()),
        false => Err(misuse(format!("{name} is an array of strings"))),
    }
}

fn revisions(json: &str) -> Result<Revisions> {
    if json == "null" {
        return Ok(Revisions::ALL);
    }
    let parsed = elements(json).map(|name| {
        Revision::parse(&text(name)).ok_or_else(|| {
            let known: Vec<_> = Revisions::ALL.iter().map(Revision::name).collect();
            misuse(format!("there is no revision {name}; those are {}", known.join(", ")))
        })
    });
    Ok(Revisions::of(&parsed.collect::<Result<Vec<_>>>()?))
}

fn preset(name: &str) -> Result<Preset> {
    match name {
        "spec" => Ok(Preset::Spec),
        "classic" => Ok(Preset::Classic),
        "gateway" => Ok(Preset::Gateway),
        _ => Err(misuse("errors is \"spec\", \"classic\" or \"gateway\"")),
    }
}
