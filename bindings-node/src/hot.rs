//! What happens with every message. These are functions of numbers, and no methods, because to find out what a method
//! is called on costs the layer between several times what a function does.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use napi::bindgen_prelude::BufferSlice;
use napi::{Either, Env};
use napi_derive::napi;

use crate::engine::EngineState;
use crate::error::{Result, misuse};
use crate::http::HttpState;
use crate::session::SessionState;
use crate::{answer, calls};

/// What JavaScript has on this thread, by number. Each environment has a thread of its own.
pub(crate) struct Held<T> {
    held: RefCell<HashMap<u32, Rc<T>>>,
    last: Cell<u32>,
}

impl<T> Held<T> {
    fn new() -> Held<T> {
        Held { held: RefCell::default(), last: Cell::new(0) }
    }

    pub(crate) fn insert(&self, value: &Rc<T>) -> u32 {
        let number = self.last.get() + 1;
        self.last.set(number);
        self.held.borrow_mut().insert(number, Rc::clone(value));
        number
    }

    /// Takes it out, to be dropped when nobody looks.
    pub(crate) fn remove(&self, number: u32) -> Option<Rc<T>> {
        self.held.borrow_mut().remove(&number)
    }

    /// The one that fits.
    fn find(&self, fits: impl Fn(&T) -> bool) -> Option<Rc<T>> {
        self.held.borrow().values().find(|held| fits(held)).map(Rc::clone)
    }

    fn get(&self, number: u32) -> Result<Rc<T>> {
        self.held.borrow().get(&number).map(Rc::clone).ok_or_else(|| misuse("it is gone"))
    }
}

thread_local! {
    pub(crate) static ENGINES: Held<EngineState> = Held::new();
    pub(crate) static SESSIONS: Held<SessionState> = Held::new();
    pub(crate) static ENDPOINTS: Held<HttpState> = Held::new();
}

/// What there is to do: bits that `lib/pump.js` knows.
#[napi(catch_unwind)]
pub(crate) fn flags(engine: u32) -> Result<u32> {
    Ok(ENGINES.with(|engines| engines.get(engine))?.flags())
}

/// Takes calls that wait, as the text of a flat JSON array: number, handler, connection and arguments of each.
#[napi(catch_unwind)]
pub(crate) fn take_calls(engine: u32) -> Result<Option<String>> {
    let engine = ENGINES.with(|engines| engines.get(engine))?;
    Ok(calls::take(&engine.core, &engine.calls))
}

/// Hands in answers; gives the flags, or the text of what could not be sent.
#[napi(catch_unwind)]
pub(crate) fn answer(engine: u32, batch: String) -> Result<Either<u32, String>> {
    let engine = ENGINES.with(|engines| engines.get(engine))?;
    let make_room = |token| {
        let found = SESSIONS.with(|held| held.find(|it| it.is_of(&engine.core, token)));
        if let Some(session) = found {
            session.set_aside();
        }
    };
    Ok(match answer::answer(&engine.calls, &engine.signals, &batch, make_room) {
        None => Either::A(engine.flags()),
        Some(problems) => Either::B(problems),
    })
}

/// Takes one whole message.
#[napi(catch_unwind)]
pub(crate) fn handle(session: u32, message: &[u8]) -> Result<()> {
    SESSIONS.with(|sessions| sessions.get(session))?.handle(message)
}

/// Takes bytes of a stream, from an offset on; says up to where. Stops when handlers should run first, when too
/// many requests wait for an answer, and when output should be taken first.
#[napi(catch_unwind)]
pub(crate) fn receive(session: u32, bytes: &[u8], from: u32) -> Result<u32> {
    SESSIONS.with(|sessions| sessions.get(session))?.receive(bytes, from)
}

/// All messages that are ready, each with a newline.
#[napi(catch_unwind)]
pub(crate) fn drain<'e>(env: &'e Env, session: u32) -> Result<Option<BufferSlice<'e>>> {
    SESSIONS.with(|sessions| sessions.get(session))?.drain(env)
}

/// A request has arrived with all of its body; gives the number of its exchange, or 0 if none can be served. Its head
/// is in lines: the method, the target, and names and values of headers in turn.
#[napi(catch_unwind)]
pub(crate) fn open_whole(endpoint: u32, head: String, body: Option<&[u8]>) -> Result<u32> {
    let endpoint = ENDPOINTS.with(|endpoints| endpoints.get(endpoint))?;
    let mut lines = head.splitn(3, '\n');
    let mut line = || lines.next().unwrap_or_default();
    endpoint.open_whole(line(), line(), line(), body)
}

/// The response with all of its body, if it is there and no stream; then the exchange is over. In lines: the status,
/// names and values of headers in turn, an empty one, and the body.
#[napi(catch_unwind)]
pub(crate) fn take_whole(endpoint: u32, exchange: u32) -> Result<Option<String>> {
    ENDPOINTS.with(|endpoints| endpoints.get(endpoint))?.take_whole(exchange)
}
