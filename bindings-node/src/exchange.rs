//! Exchanges: HTTP requests and their responses, which JavaScript knows by number.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mcplite_core::Exchange;
use napi::Env;
use napi::bindgen_prelude::BufferSlice;
use napi_derive::napi;

use crate::error::{OrThrow, Result, misuse};
use crate::http::{Http, HttpState};

/// Exchanges that are not over.
#[derive(Default)]
pub(crate) struct Exchanges(Mutex<HashMap<u32, Exchange>>);

impl Exchanges {
    pub(crate) fn insert(&self, number: u32, exchange: Exchange) {
        drop(self.table().insert(number, exchange));
    }

    /// Does something with an exchange. Nothing that it does calls back here.
    fn with<T>(&self, number: u32, work: impl FnOnce(&Exchange) -> T) -> Result<T> {
        let table = self.table();
        table.get(&number).map(work).ok_or_else(|| misuse("the exchange is over"))
    }

    fn remove(&self, number: u32) -> Option<Exchange> {
        self.table().remove(&number)
    }

    fn table(&self) -> MutexGuard<'_, HashMap<u32, Exchange>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HttpState {
    /// The response with all of its body, if it is there and no stream; then the exchange is over. In lines: the
    /// status, names and values of headers in turn, an empty one, and the body.
    pub(crate) fn take_whole(&self, number: u32) -> Result<Option<String>> {
        let Some(whole) = self.exchanges.with(number, Exchange::take_whole)? else {
            return Ok(None);
        };
        drop(self.exchanges.remove(number));
        let mut out = String::with_capacity(whole.body.len() + 256);
        push_head(&mut out, whole.status, &whole.headers);
        let has_body = !matches!(whole.status, 204 | 304);
        let says_length = |(name, _): &(&str, _)| name.eq_ignore_ascii_case("content-length");
        if has_body && !whole.headers.iter().any(says_length) {
            out.push_str("\nContent-Length\n");
            out.push_str(&whole.body.len().to_string());
        }
        out.push_str("\n\n");
        match str::from_utf8(&whole.body) {
            Ok(body) => out.push_str(body),
            Err(_) => out.push_str(&String::from_utf8_lossy(&whole.body)),
        }
        Ok(Some(out))
    }
}

#[napi]
impl Http {
    /// Takes a piece of the body. An empty one says that the headers are over.
    #[napi(catch_unwind)]
    pub fn body(&self, number: u32, bytes: &[u8]) -> Result<()> {
        self.exchanges.with(number, |exchange| exchange.body(bytes))?.or_throw()
    }

    /// The request is complete.
    #[napi(catch_unwind)]
    pub fn end(&self, number: u32) -> Result<()> {
        self.exchanges.with(number, Exchange::end)?.or_throw()
    }

    /// Says who the client is.
    #[napi(catch_unwind)]
    pub fn set_principal(&self, number: u32, principal: Option<String>) -> Result<()> {
        self.exchanges.with(number, |exchange| exchange.set_principal(principal.as_deref()))
    }

    /// Lets calls know the connection by its number.
    #[napi(catch_unwind)]
    pub fn attach(&self, number: u32) -> Result<()> {
        let context = std::sync::Arc::new(number);
        self.exchanges.with(number, |exchange| exchange.set_context(Some(context)))
    }

    /// Has JavaScript told of the response.
    #[napi(catch_unwind)]
    pub fn watch(&self, number: u32) -> Result<()> {
        let wake = self.output_wake(number);
        self.exchanges.with(number, |exchange| exchange.set_wake(Some(wake)))
    }

    /// Whether the response has begun: 0 for not yet, 1 for a whole one, 2 for a stream.
    #[napi(catch_unwind)]
    pub fn stage(&self, number: u32) -> Result<u32> {
        self.exchanges.with(number, |exchange| match (exchange.status(), exchange.is_stream()) {
            (None, _) => 0,
            (Some(_), false) => 1,
            (Some(_), true) => 2,
        })
    }

    /// The head of the response, once it has begun: the status, and names and values of headers, in lines.
    #[napi(catch_unwind)]
    pub fn head(&self, number: u32) -> Result<Option<String>> {
        self.exchanges.with(number, |exchange| {
            let status = exchange.status()?;
            let mut out = String::new();
            push_head(&mut out, status, &exchange.response_headers());
            Some(out)
        })
    }

    /// The next bytes of the body.
    #[napi(catch_unwind)]
    pub fn poll<'e>(&self, env: &'e Env, number: u32) -> Result<Option<BufferSlice<'e>>> {
        let mut piece = Vec::new();
        match self.exchanges.with(number, |exchange| exchange.poll_into(&mut piece))? {
            true => BufferSlice::copy_from(env, piece).or_throw().map(Some),
            false => Ok(None),
        }
    }

    /// Whether all of the response was taken and nothing will come.
    #[napi(catch_unwind)]
    pub fn is_finished(&self, number: u32) -> Result<bool> {
        self.exchanges.with(number, Exchange::is_finished)
    }

    /// The client is gone, or has everything.
    #[napi(catch_unwind)]
    pub fn leave(&self, number: u32) {
        drop(self.exchanges.remove(number));
    }
}

fn push_head<V: AsRef<str>>(out: &mut String, status: u16, headers: &[(&'static str, V)]) {
    out.push_str(&status.to_string());
    for (name, value) in headers {
        out.push('\n');
        out.push_str(name);
        out.push('\n');
        out.push_str(value.as_ref());
    }
}
