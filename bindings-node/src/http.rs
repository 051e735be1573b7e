//! An endpoint: a server that is reached over HTTP.

use std::sync::{Arc, Mutex, PoisonError};

use mcplite_core::{Authorizer, HttpRequest, Verdict};
use napi_derive::napi;

use crate::engine::Engine;
use crate::error::{OrThrow, Result, misuse};
use crate::exchange::Exchange;
use crate::options::set_http_options;
use crate::signals::Signals;

/// A server at a path.
#[napi]
pub struct Http {
    core: mcplite_core::Http,
    signals: Arc<Signals>,
    verdict: Arc<Decided>,
    tokens: Mutex<u32>,
}

/// What the program has decided about the request that is opened next. It may take its time to decide, for which
/// the engine does not wait: a request that is to be refused is opened a second time, with the verdict at hand.
#[derive(Default)]
struct Decided(Mutex<Option<(Verdict, Option<String>)>>);

impl Authorizer for Decided {
    fn authorize(&self, request: &HttpRequest) -> Verdict {
        let decided = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some((verdict, challenge)) = decided else { return Verdict::Granted };
        if let Some(challenge) = challenge {
            // What is not printable is left out.
            drop(request.set_challenge(&challenge));
        }
        verdict
    }
}

impl Http {
    pub(crate) fn new(engine: &Engine, path: &str) -> Result<Http> {
        let core = mcplite_core::Http::new(&engine.core, path).or_throw()?;
        let verdict = Arc::new(Decided::default());
        core.set_authorizer(Some(Arc::clone(&verdict) as _));
        Ok(Http {
            core,
            signals: Arc::clone(&engine.signals),
            verdict,
            tokens: Mutex::new(1 << 30),
        })
    }
}

#[napi]
impl Http {
    /// Sets options by name, from a JSON object; all of them or none.
    #[napi(catch_unwind)]
    pub fn configure(&self, json: String) -> Result<()> {
        let mut own = self.core.options();
        set_http_options(&mut own, &json)?;
        self.core.configure(|options| options.clone_from(&own)).or_throw()
    }

    /// A request has arrived. Names and values of its headers stand in lines of their own; where one of them has
    /// bytes beyond ASCII, each is a character.
    #[napi(catch_unwind)]
    pub fn open(&self, method: String, target: String, headers: String) -> Result<Exchange> {
        let mut arrival = self.core.arrive(&method, &target);
        let mut lines = headers.split('\n');
        while let (Some(name), Some(value)) = (lines.next(), lines.next()) {
            match value.is_ascii() {
                true => arrival.header(name.as_bytes(), value.as_bytes()),
                false => arrival.header(name.as_bytes(), &octets(value)),
            }
        }
        let exchange = arrival.open().or_throw()?;
        Ok(Exchange::new(exchange, &self.signals, self.next_token()))
    }

    /// Decides that the request that is opened next is refused with 401 or 403.
    #[napi(catch_unwind)]
    pub fn refuse_next(&self, status: u32, challenge: Option<String>) -> Result<()> {
        let verdict = match status {
            401 => Verdict::Unauthorized,
            403 => Verdict::Forbidden,
            _ => return Err(misuse("a request is refused with 401 or 403")),
        };
        *self.verdict.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((verdict, challenge));
        Ok(())
    }

    /// How many sessions of clients before 2026-07-28 there are.
    #[napi(getter, catch_unwind)]
    pub fn sessions(&self) -> u32 {
        u32::try_from(self.core.sessions()).unwrap_or(u32::MAX)
    }

    /// Ends all of it.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.core.close();
    }

    /// Numbers of exchanges are odd ones out: those of sessions are below.
    fn next_token(&self) -> u32 {
        let mut last = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        *last = last.wrapping_add(1);
        *last
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        self.core.close();
    }
}

fn octets(value: &str) -> Vec<u8> {
    // JavaScript hands in bytes as characters; anything beyond was never a header.
    value.chars().map(|it| u8::try_from(u32::from(it)).unwrap_or(b'?')).collect()
}
