//! A session: one duplex pipe, bytes in and bytes out.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcplite_core::{Error, Server};
use napi::Env;
use napi::bindgen_prelude::BufferSlice;
use napi_derive::napi;

use crate::engine::Engine;
use crate::error::{OrThrow, Result};
use crate::hot;

/// How many messages are taken before handlers should run. More would wait in the engine only.
const MESSAGES: usize = 64;

/// The most requests that may wait for an answer where a client can be held back.
const MAX_STEP: usize = 128;

/// How much of the room for output one of them is good for. What they answer when the room is full comes on top of it,
/// and far too much of that would end the session.
const ROOM_PER_CALL: usize = 128 * 1024;

/// Buffers larger than this are not kept.
const KEEP: usize = 64 * 1024;

/// One connection.
#[napi]
pub struct Session {
    state: Rc<SessionState>,
    number: u32,
}

/// What `hot.rs` finds by the number of a session.
pub struct SessionState {
    core: mcplite_core::Session,
    server: Arc<Server>,
    token: u32,
    /// Requests that may wait for an answer before no more are taken.
    patience: Cell<usize>,
    /// Bytes of output that may wait before nothing more is taken.
    room: usize,
    output: Mutex<Vec<u8>>,
    aside: RefCell<Aside>,
}

/// Messages that were taken out of the engine before anybody asked for them.
#[derive(Default)]
struct Aside {
    messages: VecDeque<Vec<u8>>,
    bytes: usize,
}

impl Deref for Session {
    type Target = SessionState;

    fn deref(&self) -> &SessionState {
        &self.state
    }
}

impl Session {
    pub(crate) fn new(engine: &Engine) -> Result<Session> {
        let core = mcplite_core::Session::new(&engine.core).or_throw()?;
        let token = engine.tokens.next();
        core.set_context(Some(Arc::new(token)));
        core.set_wake(Some(engine.signals.output_wake(token)));
        let limits = engine.core.options().limits;
        // So that a client that asks faster than handlers answer is held back rather than refused.
        let patience = Cell::new((limits.open_calls / 2).max(1));
        let server = Arc::clone(&engine.core);
        let (room, output, aside) = (limits.output_bytes, Mutex::default(), RefCell::default());
        let state = Rc::new(SessionState { core, server, token, patience, room, output, aside });
        let number = hot::SESSIONS.with(|sessions| sessions.insert(&state));
        Ok(Session { state, number })
    }
}

impl SessionState {
    fn output(&self) -> MutexGuard<'_, Vec<u8>> {
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What `fill` puts into the buffer, copied to JavaScript.
    fn taken<'e>(
        &self,
        env: &'e Env,
        fill: impl FnOnce(&mut Vec<u8>) -> bool,
    ) -> Result<Option<BufferSlice<'e>>> {
        let mut output = self.output();
        output.clear();
        let taken = match fill(&mut output) {
            true => Some(BufferSlice::copy_from(env, output.as_slice()).or_throw()?),
            false => None,
        };
        output.clear();
        output.shrink_to(KEEP);
        Ok(taken)
    }

    /// Whether it is the connection of a call at a server.
    pub(crate) fn is_of(&self, server: &Arc<Server>, token: u32) -> bool {
        self.token == token && Arc::ptr_eq(&self.server, server)
    }

    /// Takes out of the engine what is ready. It gives up a session whose answers nobody takes, and answers that are
    /// handed in together are nobody's to take before all of them are there.
    pub(crate) fn set_aside(&self) {
        let mut aside = self.aside.borrow_mut();
        let mut message = Vec::new();
        while self.core.poll_into(&mut message) {
            aside.bytes += message.len();
            aside.messages.push_back(std::mem::take(&mut message));
        }
    }

    /// Puts the first of what was set aside into the buffer; says whether there was something.
    fn take_aside(&self, out: &mut Vec<u8>) -> bool {
        let mut aside = self.aside.borrow_mut();
        if self.core.is_closed() {
            *aside = Aside::default();
        }
        let Some(message) = aside.messages.pop_front() else { return false };
        aside.bytes -= message.len();
        out.extend_from_slice(&message);
        true
    }

    /// Takes one whole message.
    pub(crate) fn handle(&self, message: &[u8]) -> Result<()> {
        self.core.handle_message(message).or_throw()
    }

    /// Takes bytes of a stream, from an offset on; says up to where. Stops when handlers should run first, when too
    /// many requests wait for an answer, and when output should be taken first.
    pub(crate) fn receive(&self, bytes: &[u8], from: u32) -> Result<u32> {
        let mut used = from as usize;
        let mut waiting = 0;
        if self.aside.borrow().bytes >= self.room {
            return Ok(from);
        }
        while let Some(rest) = bytes.get(used..).filter(|rest| !rest.is_empty()) {
            if waiting == MESSAGES || self.core.open_calls() >= self.patience.get() {
                break;
            }
            match self.core.receive(rest) {
                Ok(taken) => used += taken,
                Err(Error::Limit(_)) => break,
                Err(error) => return Err(crate::error::refused(error)),
            }
            waiting += usize::from(self.server.has_calls());
        }
        Ok(u32::try_from(used).unwrap_or(u32::MAX))
    }

    /// All messages that are ready, each with a newline.
    pub(crate) fn drain<'e>(&self, env: &'e Env) -> Result<Option<BufferSlice<'e>>> {
        self.taken(env, |out| {
            while self.take_aside(out) {
                out.push(b'\n');
            }
            self.core.drain_into(out);
            !out.is_empty()
        })
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        hot::SESSIONS.with(|sessions| sessions.remove(self.number));
        self.core.set_wake(None);
        self.core.close();
    }
}

#[napi]
impl Session {
    /// The number that the functions of `hot.rs` know it by.
    #[napi(getter, catch_unwind)]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The number that calls know the connection by.
    #[napi(getter, catch_unwind)]
    pub fn token(&self) -> u32 {
        self.token
    }

    /// Has fewer requests wait for an answer, because the client can be held back. Gives how many, and how many the
    /// engine allows.
    #[napi(catch_unwind)]
    pub fn hold_back(&self) -> Vec<u32> {
        let limits = self.server.options().limits;
        let limit = limits.open_calls.max(1);
        let step = (limits.output_bytes / ROOM_PER_CALL).clamp(1, MAX_STEP).min(limit);
        self.patience.set(step);
        [step, limit].map(|it| u32::try_from(it).unwrap_or(u32::MAX)).to_vec()
    }

    /// Takes all of the bytes, whatever waits.
    #[napi(catch_unwind)]
    pub fn receive_all(&self, bytes: &[u8]) -> Result<()> {
        self.core.receive_all(bytes).or_throw()
    }

    /// The input has ended.
    #[napi(catch_unwind)]
    pub fn end(&self) -> Result<()> {
        self.core.end().or_throw()
    }

    /// The next message that is ready.
    #[napi(catch_unwind)]
    pub fn poll<'e>(&self, env: &'e Env) -> Result<Option<BufferSlice<'e>>> {
        self.taken(env, |out| self.take_aside(out) || self.core.poll_into(out))
    }

    /// Says who the client is.
    #[napi(catch_unwind)]
    pub fn set_principal(&self, principal: Option<String>) {
        self.core.set_principal(principal.as_deref());
    }

    /// Sends a notification; the params are JSON text.
    #[napi(catch_unwind)]
    pub fn notify(&self, method: String, params: String) -> Result<()> {
        self.core.notify(&method, &params).or_throw()
    }

    /// Cancels open calls, discards output, and refuses everything from now on.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.core.close();
    }

    /// Whether the input has ended, every call is answered and all output taken.
    #[napi(getter, catch_unwind)]
    pub fn is_finished(&self) -> bool {
        self.core.is_finished() && self.aside.borrow().messages.is_empty()
    }

    /// Whether it was closed.
    #[napi(getter, catch_unwind)]
    pub fn is_closed(&self) -> bool {
        self.core.is_closed()
    }

    /// How many requests wait for an answer.
    #[napi(getter, catch_unwind)]
    pub fn open_calls(&self) -> u32 {
        u32::try_from(self.core.open_calls()).unwrap_or(u32::MAX)
    }
}
