//! The engine: a server, and what its connections share with it.

use std::ops::Deref;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use mcplite_core::{Hook, SealKey, Server};
use mcplite_system::System;
use napi_derive::napi;

use crate::calls::Calls;
use crate::error::{OrThrow, Result, misuse};
use crate::http::Http;
use crate::names::listed_kind;
use crate::observer::Events;
use crate::session::Session;
use crate::signals::{CALLS, Signals, TIME};
use crate::{hot, options};

/// What is offered, to everybody who connects.
#[napi]
pub struct Engine {
    state: Rc<EngineState>,
    number: u32,
}

/// What `hot.rs` finds by the number of an engine.
pub struct EngineState {
    pub(crate) core: Arc<Server>,
    pub(crate) calls: Calls,
    pub(crate) signals: Arc<Signals>,
    pub(crate) tokens: Tokens,
}

impl Deref for Engine {
    type Target = Rc<EngineState>;

    fn deref(&self) -> &Rc<EngineState> {
        &self.state
    }
}

impl EngineState {
    /// What there is to do.
    pub(crate) fn flags(&self) -> u32 {
        let calls = if self.core.has_calls() { CALLS } else { 0 };
        if self.signals.flags() & TIME != 0 && self.core.timeout_ms().is_none() {
            // It is raised for calls too, and mostly there is nothing to wait for.
            self.signals.lower(TIME);
        }
        calls | self.signals.flags()
    }
}

/// Numbers of connections.
#[derive(Default)]
pub(crate) struct Tokens(AtomicU32);

impl Tokens {
    /// The next one: a small integer to JavaScript.
    pub(crate) fn next(&self) -> u32 {
        self.0.fetch_add(1, Ordering::Relaxed) % (1 << 30) + 1
    }
}

#[napi]
impl Engine {
    /// Makes a server.
    #[napi(constructor, catch_unwind)]
    pub fn new(name: String, version: String) -> Result<Engine> {
        let core = Server::new(&name, &version).or_throw()?;
        System::provide(&core);
        let signals = Arc::new(Signals::default());
        let told = Arc::clone(&signals);
        core.set_wake(Some(Arc::new(move || told.raise(TIME))));
        let (core, calls, tokens) = (Arc::new(core), Calls::default(), Tokens::default());
        let state = Rc::new(EngineState { core, calls, signals, tokens });
        let number = hot::ENGINES.with(|engines| engines.insert(&state));
        Ok(Engine { state, number })
    }

    /// The number that the functions of `hot.rs` know it by.
    #[napi(getter, catch_unwind)]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Sets options by name, from a JSON object; all of them or none.
    #[napi(catch_unwind)]
    pub fn configure(&self, json: String) -> Result<()> {
        options::configure(&self.core, &json)
    }

    /// Sets the keys that seal what clients carry: 32 bytes each, one after another.
    #[napi(catch_unwind)]
    pub fn set_seal_keys(&self, keys: &[u8]) -> Result<()> {
        let (whole, rest) = keys.as_chunks::<32>();
        if !rest.is_empty() {
            return Err(misuse("a seal key is 32 bytes"));
        }
        let keys: Vec<SealKey> = whole.to_vec();
        self.core.set_seal_keys(&keys);
        Ok(())
    }

    /// Begins or ends to note events.
    #[napi(catch_unwind)]
    pub fn observe(&self, is_observed: bool) {
        match is_observed {
            true => self.core.set_observer(Events(Arc::clone(&self.signals))),
            false => self.core.unset(Hook::Observer),
        }
    }

    /// Takes what was noted.
    #[napi(catch_unwind)]
    pub fn take_signals(&self) -> Option<String> {
        self.signals.take()
    }

    /// In how many milliseconds `tick` has something to do; -1 for never.
    #[napi(catch_unwind)]
    pub fn timeout_ms(&self) -> f64 {
        self.signals.lower(TIME);
        #[expect(clippy::cast_precision_loss, reason = "no such time is ever waited for")]
        self.core.timeout_ms().map_or(-1.0, |timeout| timeout as f64)
    }

    /// Does what time has come for.
    #[napi(catch_unwind)]
    pub fn tick(&self) {
        self.core.tick();
    }

    /// Tells everybody who watches it that a resource has changed.
    #[napi(catch_unwind)]
    pub fn notify_updated(&self, uri: String) {
        self.core.notify_resource_updated(&uri);
    }

    /// Tells that the list of items of a kind has changed.
    #[napi(catch_unwind)]
    pub fn notify_list_changed(&self, kind: String) -> Result<()> {
        self.core.notify_list_changed(listed_kind(&kind)?).or_throw()
    }

    /// Tells the client that was sent to a page that the user is done there.
    #[napi(catch_unwind)]
    pub fn notify_elicited(&self, elicitation_id: String) -> Result<()> {
        self.core.notify_elicitation_complete(&elicitation_id).or_throw()
    }

    /// A connection fed by hand.
    #[napi(catch_unwind)]
    pub fn session(&self) -> Result<Session> {
        Session::new(self)
    }

    /// An endpoint for HTTP.
    #[napi(catch_unwind)]
    pub fn http(&self, path: String) -> Result<Http> {
        Http::new(self, &path)
    }

    /// Takes no more requests, and lets open calls finish.
    #[napi(catch_unwind)]
    pub fn shutdown(&self) {
        self.core.shutdown();
    }

    /// Ends everything at once.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.core.close();
    }

    /// Whether it was closed.
    #[napi(getter, catch_unwind)]
    pub fn is_closed(&self) -> bool {
        self.core.is_closed()
    }

    /// Bytes that the engine holds.
    #[napi(getter, catch_unwind)]
    pub fn memory_used(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "no machine has as much memory")]
        let used = self.core.memory_used() as f64;
        used
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        hot::ENGINES.with(|engines| engines.remove(self.number));
        self.core.close();
    }
}
