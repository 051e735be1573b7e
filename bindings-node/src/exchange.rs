//! An exchange: one HTTP request and its response.

use std::borrow::Cow;
use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::BufferSlice;
use napi_derive::napi;

use crate::error::{OrThrow, Result};
use crate::signals::Signals;

/// One request and its response.
#[napi]
pub struct Exchange {
    core: mcplite_core::Exchange,
    signals: Arc<Signals>,
    token: u32,
}

/// A whole response.
#[napi(object, object_from_js = false)]
pub struct Whole<'e> {
    /// The status of HTTP.
    pub status: u16,
    /// Names and values of headers in turn.
    pub headers: Vec<String>,
    /// All of the body.
    pub body: BufferSlice<'e>,
}

/// The head of a response: names and values of headers in turn.
#[napi(object)]
pub struct Head {
    /// The status of HTTP.
    pub status: u16,
    /// Names and values.
    pub headers: Vec<String>,
}

impl Exchange {
    pub(crate) fn new(
        core: mcplite_core::Exchange,
        signals: &Arc<Signals>,
        token: u32,
    ) -> Exchange {
        Exchange { core, signals: Arc::clone(signals), token }
    }
}

#[napi]
impl Exchange {
    /// The number that calls know the connection by, once there is a state.
    #[napi(getter, catch_unwind)]
    pub fn token(&self) -> u32 {
        self.token
    }

    /// Lets calls know the connection.
    #[napi(catch_unwind)]
    pub fn attach(&self) {
        self.core.set_context(Some(Arc::new(self.token)));
    }

    /// Says who the client is.
    #[napi(catch_unwind)]
    pub fn set_principal(&self, principal: Option<String>) {
        self.core.set_principal(principal.as_deref());
    }

    /// Takes a piece of the body. An empty one says that the headers are over.
    #[napi(catch_unwind)]
    pub fn body(&self, bytes: &[u8]) -> Result<()> {
        self.core.body(bytes).or_throw()
    }

    /// The request is complete.
    #[napi(catch_unwind)]
    pub fn end(&self) -> Result<()> {
        self.core.end().or_throw()
    }

    /// Has JavaScript told of the response.
    #[napi(catch_unwind)]
    pub fn watch(&self) {
        self.core.set_wake(Some(self.signals.output_wake(self.token)));
    }

    /// Whether the response has begun: 0 for not yet, 1 for a whole one, 2 for a stream.
    #[napi(getter, catch_unwind)]
    pub fn stage(&self) -> u32 {
        match (self.core.status(), self.core.is_stream()) {
            (None, _) => 0,
            (Some(_), false) => 1,
            (Some(_), true) => 2,
        }
    }

    /// The response with all of its body, if it is there and no stream.
    #[napi(catch_unwind)]
    pub fn take_whole<'e>(&self, env: &'e Env) -> Result<Option<Whole<'e>>> {
        let Some(whole) = self.core.take_whole() else { return Ok(None) };
        let body = BufferSlice::copy_from(env, whole.body).or_throw()?;
        Ok(Some(Whole { status: whole.status, headers: flat(whole.headers), body }))
    }

    /// The head of the response, once it has begun.
    #[napi(catch_unwind)]
    pub fn head(&self) -> Option<Head> {
        let status = self.core.status()?;
        Some(Head { status, headers: flat(self.core.response_headers()) })
    }

    /// The next bytes of the body.
    #[napi(catch_unwind)]
    pub fn poll<'e>(&self, env: &'e Env) -> Result<Option<BufferSlice<'e>>> {
        let mut piece = Vec::new();
        match self.core.poll_into(&mut piece) {
            true => BufferSlice::copy_from(env, piece).or_throw().map(Some),
            false => Ok(None),
        }
    }

    /// Whether all of the response was taken and nothing will come.
    #[napi(getter, catch_unwind)]
    pub fn is_finished(&self) -> bool {
        self.core.is_finished()
    }

    /// The client is gone, or has everything.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.core.set_wake(None);
        self.core.close();
    }
}

fn flat(headers: Vec<(&'static str, Cow<'static, str>)>) -> Vec<String> {
    headers.into_iter().flat_map(|(name, value)| [name.to_owned(), value.into_owned()]).collect()
}
