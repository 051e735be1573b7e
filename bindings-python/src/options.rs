//! Options by name.

use mcplite_core::{
    CacheScope, Dispatch, ErrorTable, Form, HttpOptions, Options, Preset, Revision, Revisions, Rule,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{OrRaise, kind};
use crate::server::Server;
use crate::write::json_of;

#[pymethods]
impl Server {
    /// Sets options by name, all of them or none.
    #[pyo3(signature = (options, /))]
    fn configure(&self, options: &Bound<'_, PyDict>) -> PyResult<()> {
        let mut failed = None;
        let changed = self.core.configure(|own| {
            for (name, value) in options.iter() {
                let set = name.extract::<String>().and_then(|name| set_option(own, &name, &value));
                if let Err(error) = set {
                    failed.get_or_insert(error);
                }
            }
            if failed.is_some() {
                // Refused by the engine, so that none of them holds.
                own.name.clear();
            }
        });
        if let Some(error) = failed {
            return Err(error);
        }
        changed.or_raise()?;
        if let Some(mask) = options.get_item("mask_errors")? {
            self.shared.mask_errors(mask.extract()?);
        }
        Ok(())
    }

    /// Sets code and form of a kind of error; `form` is "error" or "result".
    #[pyo3(signature = (name, code, form, /))]
    fn set_error_rule(&self, name: &str, code: i32, form: &str) -> PyResult<()> {
        let kind = kind(name)?;
        let form = match form {
            "error" => Form::Error,
            "result" => Form::ToolResult,
            _ => return Err(PyValueError::new_err("a form is \"error\" or \"result\"")),
        };
        self.core.configure(|own| own.errors.set(kind, Rule { code, form })).or_raise()
    }
}

fn set_option(own: &mut Options, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let limits = &mut own.limits;
    match name {
        "title" => own.title = value.extract()?,
        "description" => own.description = value.extract()?,
        "website_url" => own.website_url = value.extract()?,
        "icons" => own.icons = optional_json(value)?,
        "instructions" => own.instructions = value.extract()?,
        "revisions" => own.revisions = revisions(value)?,
        "queued" => {
            own.dispatch = if value.extract()? { Dispatch::Queued } else { Dispatch::Inline }
        }
        "errors" => own.errors = ErrorTable::new(preset(&value.extract::<String>()?)?),
        "page_size" => own.page_size = value.extract()?,
        "cache_ttl_ms" => own.cache.ttl_ms = value.extract()?,
        "cache_public" => {
            own.cache.scope =
                if value.extract()? { CacheScope::Public } else { CacheScope::Private }
        }
        "deadline_ms" => own.deadline_ms = value.extract()?,
        "coerce" => own.coerce = value.extract()?,
        "state_ttl_ms" => own.state_ttl_ms = value.extract()?,
        "logging" => own.logging = value.extract()?,
        "identify" => own.identify = value.extract()?,
        "stacktraces" => own.stacktraces = value.extract()?,
        // Known to this binding only.
        "mask_errors" => {}
        "declare_tools" => own.declared.tools = value.extract()?,
        "declare_resources" => own.declared.resources = value.extract()?,
        "declare_prompts" => own.declared.prompts = value.extract()?,
        "declare_completions" => own.declared.completions = value.extract()?,
        "experimental" => own.declared.experimental = optional_json(value)?,
        "extensions" => own.declared.extensions = optional_json(value)?,
        "message_bytes" => limits.message_bytes = value.extract()?,
        "depth" => limits.depth = value.extract()?,
        "open_calls" => limits.open_calls = value.extract()?,
        "output_bytes" => limits.output_bytes = value.extract()?,
        "id_bytes" => limits.id_bytes = value.extract()?,
        "name_bytes" => limits.name_bytes = value.extract()?,
        "definition_bytes" => limits.definition_bytes = value.extract()?,
        "schema_steps" => limits.schema_steps = value.extract()?,
        "batch_messages" => limits.batch_messages = value.extract()?,
        "subscriptions" => limits.subscriptions = value.extract()?,
        "listen_streams" => limits.listen_streams = value.extract()?,
        "ask_rounds" => limits.ask_rounds = value.extract()?,
        "state_bytes" => limits.state_bytes = value.extract()?,
        "unreadable_answers" => limits.unreadable_answers = value.extract()?,
        "memory_bytes" => limits.memory_bytes = value.extract()?,
        _ => return Err(PyTypeError::new_err(format!("there is no option {name:?}"))),
    }
    Ok(())
}

/// Sets one option of an endpoint.
pub(crate) fn set_http_option(
    own: &mut HttpOptions,
    name: &str,
    value: &Bound<'_, PyAny>,
) -> PyResult<()> {
    match name {
        "allowed_hosts" => own.allowed_hosts = value.extract()?,
        "allowed_origins" => own.allowed_origins = value.extract()?,
        "cors_origins" => own.cors_origins = value.extract()?,
        "body_bytes" => own.body_bytes = value.extract()?,
        "header_count" => own.header_count = value.extract()?,
        "header_bytes" => own.header_bytes = value.extract()?,
        "exchanges" => own.exchanges = value.extract()?,
        "sessions" => own.sessions = value.extract()?,
        "session_idle_ms" => own.session_idle_ms = value.extract()?,
        "stateless" => own.stateless = value.extract()?,
        "keepalive_ms" => own.keepalive_ms = value.extract()?,
        "replay_bytes" => own.replay_bytes = value.extract()?,
        "retry_ms" => own.retry_ms = value.extract()?,
        "resource_metadata" => own.resource_metadata = optional_json(value)?,
        "sse_path" => own.sse_path = value.extract()?,
        "sse_post_path" => own.sse_post_path = value.extract()?,
        "connections" => own.connections = value.extract()?,
        "header_timeout_ms" => own.header_timeout_ms = value.extract()?,
        "body_timeout_ms" => own.body_timeout_ms = value.extract()?,
        "idle_timeout_ms" => own.idle_timeout_ms = value.extract()?,
        "write_timeout_ms" => own.write_timeout_ms = value.extract()?,
        _ => return Err(PyTypeError::new_err(format!("there is no HTTP option {name:?}"))),
    }
    Ok(())
}

fn optional_json(value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    if value.is_none() { Ok(None) } else { json_of(value).map(Some) }
}

fn revisions(value: &Bound<'_, PyAny>) -> PyResult<Revisions> {
    if value.is_none() {
        return Ok(Revisions::ALL);
    }
    let names: Vec<String> = value.extract()?;
    let parsed = names.iter().map(|name| {
        Revision::parse(name).ok_or_else(|| {
            let known: Vec<_> = Revisions::ALL.iter().map(Revision::name).collect();
            let known = known.join(", ");
            PyValueError::new_err(format!("there is no revision {name:?}; those are {known}"))
        })
    });
    Ok(Revisions::of(&parsed.collect::<PyResult<Vec<_>>>()?))
}

fn preset(name: &str) -> PyResult<Preset> {
    match name {
        "spec" => Ok(Preset::Spec),
        "classic" => Ok(Preset::Classic),
        "gateway" => Ok(Preset::Gateway),
        _ => Err(PyValueError::new_err("errors is \"spec\", \"classic\" or \"gateway\"")),
    }
}
