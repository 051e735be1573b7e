//! What is offered: items on their way into the registry, and out of it.

use std::sync::Arc;

use mcplite_core::json::{find_member, parse_f64};
use mcplite_core::{Cache, CacheScope, Item, Kind};
use napi_derive::napi;

use crate::calls::Handler;
use crate::engine::Engine;
use crate::error::{OrThrow, Result};
use crate::names::{listed_kind, reference};

#[napi]
impl Engine {
    /// Registers a tool, resource, template or prompt by the specification's own object. `policy` is a JSON object;
    /// the handler 0 is none.
    #[napi(catch_unwind)]
    pub fn register(
        &self,
        kind: String,
        definition: String,
        policy: String,
        handler: u32,
        contents: Option<&[u8]>,
        replace: bool,
    ) -> Result<()> {
        let item = Item::from_json(listed_kind(&kind)?, &definition).or_throw()?;
        let mut item = with_policy(item, &policy);
        if let Some(contents) = contents {
            item = item.contents(contents);
        }
        self.put(item, handler, replace)
    }

    /// Registers a completion of an argument.
    #[napi(catch_unwind)]
    pub fn register_completion(
        &self,
        of: String,
        name: String,
        argument: String,
        handler: u32,
        replace: bool,
    ) -> Result<()> {
        self.put(Item::completion(reference(&of, &name)?, &argument), handler, replace)
    }

    /// Registers a method of the program's own.
    #[napi(catch_unwind)]
    pub fn register_method(&self, name: String, handler: u32, replace: bool) -> Result<()> {
        self.put(Item::method(&name), handler, replace)
    }

    /// Puts a handler around what the engine answers itself, in the place of the one that is there.
    #[napi(catch_unwind)]
    pub fn register_around(&self, handler: u32) -> Result<()> {
        self.put(Item::around(), handler, true)
    }

    /// Takes an item out.
    #[napi(catch_unwind)]
    pub fn unregister(&self, kind: String, name: String) -> Result<()> {
        let kind = if kind == "method" { Kind::Method } else { listed_kind(&kind)? };
        self.core.unregister(kind, &name).or_throw()
    }

    /// Takes a completion out.
    #[napi(catch_unwind)]
    pub fn unregister_completion(&self, of: String, name: String, argument: String) -> Result<()> {
        self.core.unregister_completion(reference(&of, &name)?, &argument).or_throw()
    }
}

impl Engine {
    fn put(&self, mut item: Item, handler: u32, replace: bool) -> Result<()> {
        if handler != 0 {
            let signals = Arc::clone(&self.signals);
            item = item.attach(Arc::new(Handler { number: handler, signals }));
        }
        match replace {
            true => self.core.replace(item).or_throw(),
            false => self.core.register(item).or_throw(),
        }
    }
}

fn with_policy(mut item: Item, policy: &str) -> Item {
    let is_set = |name: &str| find_member(policy, name) == Some("true");
    let number = |name: &str| find_member(policy, name).and_then(milliseconds);
    item = item.listed(!is_set("hidden"));
    if let Some(deadline) = number("timeout") {
        item = item.deadline_ms(deadline);
    }
    if number("cacheTtl").is_some() || is_set("cachePublic") {
        let scope = if is_set("cachePublic") { CacheScope::Public } else { CacheScope::Private };
        item = item.cache(Cache { ttl_ms: number("cacheTtl").unwrap_or_default(), scope });
    }
    if is_set("hostEnforces") {
        item = item.host_enforces();
    }
    if let Some(coerce) = find_member(policy, "coerce") {
        item = item.coerce(coerce == "true");
    }
    item
}

/// A number of milliseconds, which JavaScript may have written with a fraction.
pub(crate) fn milliseconds(json: &str) -> Option<u64> {
    let number = parse_f64(json).filter(|number| *number >= 0.0)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
    Some(number.round() as u64)
}
