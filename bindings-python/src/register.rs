//! What is offered: items on their way into the registry, and out of it.

use std::sync::Arc;

use mcplite_core::{Cache, CacheScope, Item, Kind, Reference};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::OrRaise;
use crate::handler::{Attached, Handler, PythonHandler};
use crate::roots::Root;
use crate::server::Server;

/// The kind of that name, of those that have lists.
pub(crate) fn listed_kind(name: &str) -> PyResult<Kind> {
    match name {
        "tool" => Ok(Kind::Tool),
        "resource" => Ok(Kind::Resource),
        "template" => Ok(Kind::Template),
        "prompt" => Ok(Kind::Prompt),
        _ => Err(PyValueError::new_err("a kind is tool, resource, template or prompt")),
    }
}

fn reference<'a>(of: &str, name: &'a str) -> PyResult<Reference<'a>> {
    match of {
        "prompt" => Ok(Reference::Prompt(name)),
        "template" => Ok(Reference::Template(name)),
        _ => Err(PyValueError::new_err("completions are of a prompt or a template")),
    }
}

#[pymethods]
impl Server {
    /// Registers a tool, resource, template or prompt by the specification's own object.
    #[pyo3(signature = (kind, definition, handler=None, /, *, contents=None, replace=false, deadline_ms=None,
        cache_ttl_ms=None, cache_public=false, hidden=false, any_name=false, host_enforces=false,
        unvalidated=false, coerce=None))]
    #[expect(clippy::too_many_arguments, reason = "they have names where they are given")]
    fn register(
        &self,
        kind: &str,
        definition: &str,
        handler: Option<Bound<'_, Handler>>,
        contents: Option<Vec<u8>>,
        replace: bool,
        deadline_ms: Option<u64>,
        cache_ttl_ms: Option<u64>,
        cache_public: bool,
        hidden: bool,
        any_name: bool,
        host_enforces: bool,
        unvalidated: bool,
        coerce: Option<bool>,
    ) -> PyResult<()> {
        let mut item = Item::from_json(listed_kind(kind)?, definition).or_raise()?;
        item = item.listed(!hidden);
        if let Some(contents) = contents {
            item = item.contents(contents);
        }
        if let Some(deadline_ms) = deadline_ms {
            item = item.deadline_ms(deadline_ms);
        }
        if cache_ttl_ms.is_some() || cache_public {
            let scope = if cache_public { CacheScope::Public } else { CacheScope::Private };
            item = item.cache(Cache { ttl_ms: cache_ttl_ms.unwrap_or_default(), scope });
        }
        if any_name {
            item = item.any_name();
        }
        if host_enforces {
            item = item.host_enforces();
        }
        if unvalidated {
            item = item.unvalidated();
        }
        if let Some(coerce) = coerce {
            item = item.coerce(coerce);
        }
        self.put(item, handler, replace)
    }

    #[pyo3(signature = (of, name, argument, handler, /, *, replace=false))]
    fn register_completion(
        &self,
        of: &str,
        name: &str,
        argument: &str,
        handler: Option<Bound<'_, Handler>>,
        replace: bool,
    ) -> PyResult<()> {
        self.put(Item::completion(reference(of, name)?, argument), handler, replace)
    }

    #[pyo3(signature = (name, handler, /, *, replace=false))]
    fn register_method(
        &self,
        name: &str,
        handler: Option<Bound<'_, Handler>>,
        replace: bool,
    ) -> PyResult<()> {
        self.put(Item::method(name), handler, replace)
    }

    /// Puts a handler around what the engine answers itself, in the place of the one that is there.
    #[pyo3(signature = (handler, /))]
    fn register_around(&self, handler: Bound<'_, Handler>) -> PyResult<()> {
        self.put(Item::around(), Some(handler), true)
    }

    #[pyo3(signature = (kind, name, /))]
    fn unregister(&self, py: Python<'_>, kind: &str, name: &str) -> PyResult<()> {
        let kind = if kind == "method" { Kind::Method } else { listed_kind(kind)? };
        py.detach(|| self.core.unregister(kind, name)).or_raise()
    }

    #[pyo3(signature = (of, name, argument, /))]
    fn unregister_completion(&self, of: &str, name: &str, argument: &str) -> PyResult<()> {
        self.core.unregister_completion(reference(of, name)?, argument).or_raise()
    }
}

impl Server {
    fn put(&self, item: Item, handler: Option<Bound<'_, Handler>>, replace: bool) -> PyResult<()> {
        let item = match handler {
            None => item,
            Some(handler) => {
                let is_async = handler.get().is_async;
                let root = Arc::new(Root::new(&self.shared.roots, handler.into_any().unbind()));
                match is_async {
                    // Nobody but a loop can run it: its calls wait for `next_call`.
                    true => item.attach(Arc::new(Attached(root))),
                    false => item.on_call(PythonHandler { shared: Arc::clone(&self.shared), root }),
                }
            }
        };
        match replace {
            true => self.core.replace(item).or_raise(),
            false => self.core.register(item).or_raise(),
        }
    }
}
