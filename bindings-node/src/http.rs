//! An endpoint: a server that is reached over HTTP.

use std::ops::Deref;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use mcplite_core::{Authorizer, Error, HttpRequest, Verdict, Wake};
use napi_derive::napi;

use crate::engine::{Engine, EngineState};
use crate::error::{OrThrow, Result, misuse, refused};
use crate::exchange::Exchanges;
use crate::hot;
use crate::options::set_http_options;

/// A server at a path.
#[napi]
pub struct Http {
    state: Rc<HttpState>,
    number: u32,
}

/// What `hot.rs` finds by the number of an endpoint.
pub struct HttpState {
    core: mcplite_core::Http,
    pub(crate) exchanges: Exchanges,
    verdict: Arc<Decided>,
    engine: Rc<EngineState>,
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

impl Deref for Http {
    type Target = HttpState;

    fn deref(&self) -> &HttpState {
        &self.state
    }
}

impl Http {
    pub(crate) fn new(engine: &Engine, path: &str) -> Result<Http> {
        let core = mcplite_core::Http::new(&engine.core, path).or_throw()?;
        let state = Rc::new(HttpState {
            core,
            exchanges: Exchanges::default(),
            verdict: Arc::default(),
            engine: Rc::clone(engine),
        });
        let number = hot::ENDPOINTS.with(|endpoints| endpoints.insert(&state));
        Ok(Http { state, number })
    }
}

impl HttpState {
    /// Has JavaScript told of the output of an exchange.
    pub(crate) fn output_wake(&self, exchange: u32) -> Wake {
        self.engine.signals.output_wake(exchange)
    }

    fn arrive(
        &self,
        method: &str,
        target: &str,
        headers: &str,
    ) -> Result<Option<mcplite_core::Exchange>> {
        let mut arrival = self.core.arrive(method, target);
        let mut lines = headers.split('\n');
        while let (Some(name), Some(value)) = (lines.next(), lines.next()) {
            match value.is_ascii() {
                true => arrival.header(name.as_bytes(), value.as_bytes()),
                false => arrival.header(name.as_bytes(), &octets(value)),
            }
        }
        match arrival.open() {
            Ok(exchange) => Ok(Some(exchange)),
            Err(Error::Closed | Error::Limit(_)) => Ok(None),
            Err(error) => Err(refused(error)),
        }
    }

    pub(crate) fn open_whole(
        &self,
        method: &str,
        target: &str,
        headers: &str,
        body: Option<&[u8]>,
    ) -> Result<u32> {
        let Some(exchange) = self.arrive(method, target, headers)? else { return Ok(0) };
        if let Some(body) = body {
            exchange.body(body).or_throw()?;
        }
        exchange.end().or_throw()?;
        Ok(self.keep(exchange))
    }

    fn keep(&self, exchange: mcplite_core::Exchange) -> u32 {
        let number = self.engine.tokens.next();
        self.exchanges.insert(number, exchange);
        number
    }
}

#[napi]
impl Http {
    /// The number that the functions of `hot.rs` know it by.
    #[napi(getter, catch_unwind)]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Sets options by name, from a JSON object; all of them or none.
    #[napi(catch_unwind)]
    pub fn configure(&self, json: String) -> Result<()> {
        let mut own = self.core.options();
        set_http_options(&mut own, &json)?;
        self.core.configure(|options| options.clone_from(&own)).or_throw()
    }

    /// A request has arrived; gives the number of its exchange, or 0 if none can be served. Names and values of its
    /// headers stand in lines of their own; where one of them has bytes beyond ASCII, each is a character.
    #[napi(catch_unwind)]
    pub fn open(&self, method: String, target: String, headers: String) -> Result<u32> {
        let exchange = self.arrive(&method, &target, &headers)?;
        Ok(exchange.map_or(0, |exchange| self.keep(exchange)))
    }

    /// Says that the program decides about requests.
    #[napi(catch_unwind)]
    pub fn expect_verdicts(&self) {
        self.core.set_authorizer(Some(Arc::clone(&self.verdict) as _));
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

    /// Takes that back, if the request was refused for another reason before anybody asked.
    #[napi(catch_unwind)]
    pub fn forget_verdict(&self) {
        drop(self.verdict.0.lock().unwrap_or_else(PoisonError::into_inner).take());
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
}

impl Drop for Http {
    fn drop(&mut self) {
        hot::ENDPOINTS.with(|endpoints| endpoints.remove(self.number));
        self.core.close();
    }
}

fn octets(value: &str) -> Vec<u8> {
    // JavaScript hands in bytes as characters; anything beyond was never a header.
    value.chars().map(|it| u8::try_from(u32::from(it)).unwrap_or(b'?')).collect()
}
