//! Calls of legacy clients that wait for answers to questions of ours.

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::history::History;
use crate::call::Call;
use crate::failure::Failure;
use crate::kind::ErrorKind;
use crate::memory::Charge;

/// A call that goes on when every question is answered.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) token: u64,
    /// The next attempt, which nobody has started yet.
    pub(crate) call: Call,
    pub(crate) history: History,
    /// What the answers so far cost.
    pub(crate) charges: Vec<Charge>,
    /// The ids of all our requests, answered or not.
    pub(crate) ids: Range<u64>,
    /// The ids of those that are open, and the keys of the questions in them.
    pub(crate) open: Vec<(u64, String)>,
    /// What was left of the deadline when the client was asked.
    pub(crate) left_ms: Option<u64>,
    /// What the attempt before has left for this one.
    pub(crate) kept: Option<Kept>,
}

/// Something of the host's that passes from one attempt to the next.
pub(crate) struct Kept(pub(crate) Arc<dyn Any + Send + Sync>);

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kept")
    }
}

impl Waiting {
    /// The client says no more, so that there will be no answer.
    pub(crate) fn give_up(&self) {
        let text = "the client has ended the connection";
        // If it is over already, that is as well.
        drop(self.call.fail(Failure::new(ErrorKind::Unanswered, text)));
    }
}

/// All calls of one peer that wait.
#[derive(Debug, Default)]
pub(crate) struct WaitingList {
    state: Mutex<State>,
    /// So that the many calls that never ask need no lock.
    count: AtomicUsize,
}

#[derive(Debug, Default)]
struct State {
    waiting: Vec<Waiting>,
    last_id: u64,
}

/// What became of a response.
#[derive(Debug)]
pub(crate) enum Heard {
    /// It answers none of our questions.
    Unknown,
    /// Others are still open.
    More,
    /// It was the last one.
    All(Box<Waiting>),
    /// It is an error: the question has no answer.
    Refused(Box<Waiting>, String),
    /// More has been said than is kept.
    TooMuch(Box<Waiting>),
}

impl WaitingList {
    /// Ids for so many requests of ours; no id is used twice.
    pub(crate) fn take_ids(&self, count: usize) -> Range<u64> {
        let mut state = self.state();
        let first = state.last_id + 1;
        state.last_id += count as u64;
        first..first + count as u64
    }

    /// Puts a call on the list; `send` queues its questions, which nobody can withdraw before.
    pub(crate) fn add(&self, waiting: Waiting, send: impl FnOnce()) {
        let mut state = self.state();
        self.count.fetch_add(1, Ordering::Release);
        state.waiting.push(waiting);
        send();
    }

    /// Takes away the call of that token: it has ended otherwise.
    pub(crate) fn remove(&self, token: u64) -> Option<Box<Waiting>> {
        if self.is_empty() {
            return None;
        }
        let mut state = self.state();
        let position = state.waiting.iter().position(|waiting| waiting.token == token)?;
        Some(self.take(&mut state, position))
    }

    /// Whether no call waits.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.count.load(Ordering::Acquire) == 0
    }

    pub(crate) fn contains(&self, token: u64) -> bool {
        self.state().waiting.iter().any(|waiting| waiting.token == token)
    }

    pub(crate) fn take_all(&self) -> Vec<Waiting> {
        let mut state = self.state();
        self.count.store(0, Ordering::Release);
        std::mem::take(&mut state.waiting)
    }

    /// Notes a response of `principal`: the JSON text of its result with what it costs, or what its
    /// error says. At most `limit` bytes of answers are kept. Nobody answers for somebody else.
    pub(crate) fn hear(
        &self,
        id: u64,
        principal: Option<&str>,
        response: Result<(&str, Option<Charge>), String>,
        limit: usize,
    ) -> Heard {
        let mut state = self.state();
        // Most of those that wait need only one look: a client may answer nothing, and often.
        let is_asked = |waiting: &Waiting| {
            waiting.ids.contains(&id) && waiting.open.iter().any(|(own, _)| *own == id)
        };
        let Some(position) = state.waiting.iter().position(is_asked) else {
            return Heard::Unknown;
        };
        let waiting = state.waiting.get_mut(position);
        let Some(waiting) = waiting.filter(|it| it.call.principal() == principal) else {
            return Heard::Unknown;
        };
        let open = waiting.open.iter().position(|(own, _)| *own == id);
        let key = open.map(|open| waiting.open.swap_remove(open).1).unwrap_or_default();
        match response {
            Ok((_, None)) => return Heard::TooMuch(self.take(&mut state, position)),
            Ok((json, charge)) => {
                waiting.history.hear(&key, json);
                waiting.charges.extend(charge);
            }
            Err(error) => return Heard::Refused(self.take(&mut state, position), error),
        }
        if waiting.history.len() > limit {
            return Heard::TooMuch(self.take(&mut state, position));
        }
        if !waiting.open.is_empty() {
            return Heard::More;
        }
        Heard::All(self.take(&mut state, position))
    }

    fn take(&self, state: &mut State, position: usize) -> Box<Waiting> {
        self.count.fetch_sub(1, Ordering::Release);
        Box::new(state.waiting.swap_remove(position))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
