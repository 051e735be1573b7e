//! A lane: one ordered, bounded queue of messages on their way out, with its wake.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::Error;
use crate::memory::Memory;
use crate::subscriptions::Subscriber;
use crate::wake::{Bell, Wake};

mod unfinished;
mod weight;

pub(crate) use unfinished::Unfinished;
pub(crate) use weight::Weight;

/// Where messages wait for the host to take them. Each ends with a newline. Alone on its stretch of memory,
/// because neighbours may be of other sessions, on other threads.
#[repr(align(64))]
pub(crate) struct Lane {
    state: Mutex<State>,
    /// Bytes that wait, for a glance without the lock, under which it is written. Whoever has to be sure asks
    /// under the lock, so that no message pays for that order.
    waiting: AtomicUsize,
    has_due: AtomicBool,
    /// The host has been told since it last found the lane empty. Cleared only under the lock, where it is
    /// known to be empty.
    told: AtomicBool,
    closed: AtomicBool,
    /// Of a lane that is for one request only: whether nothing more will come, answer or not.
    over: AtomicBool,
    /// Whether the lane is for one request only, as over HTTP. It ends with the answer.
    is_of_request: bool,
    /// Whether the client could come back for the rest.
    can_hang_up: bool,
    /// Somebody wants it to.
    hang_up: AtomicBool,
    bell: Bell,
    memory: Arc<Memory>,
}

#[derive(Default)]
struct State {
    bytes: Vec<u8>,
    messages: VecDeque<Message>,
    taken: usize,
    /// Bytes that the host has and has not passed on yet; they wait like the others.
    lent: usize,
    /// Bytes of the messages that tell of changes, lent ones included.
    change_bytes: usize,
    /// Who has changes to tell; they become messages when output is taken.
    due: Vec<Arc<Subscriber>>,
    /// Bytes on the server's account.
    charged: usize,
}

/// One message among the bytes, with its newline.
struct Message {
    length: usize,
    weight: Weight,
}

impl State {
    /// Bytes that the client has not got yet.
    fn waiting(&self) -> usize {
        self.bytes.len() - self.taken + self.lent
    }

    /// Appends the next message to `buffer`, without its newline.
    fn copy_out(&mut self, length: usize, buffer: &mut Vec<u8>) {
        let start = self.taken;
        let message = self.bytes.get(start..start + length - 1).unwrap_or_default();
        buffer.extend_from_slice(message);
        self.taken += length;
        if self.taken * 2 > self.bytes.len() {
            let taken = std::mem::take(&mut self.taken);
            self.bytes.drain(..taken);
        }
    }
}

/// Writes one message; called at most once.
pub(crate) type Write<'a> = &'a mut dyn FnMut(&mut Vec<u8>);

/// An empty buffer is kept up to the first size in any case, up to the second while there is memory.
const KEEP: usize = 4 * 1024;
const KEEP_IN_PLENTY: usize = 256 * 1024;
const KIBIBYTE: usize = 1024;
/// Room that a new buffer begins with, rather than to grow several times for the first message.
const USUAL_MESSAGE: usize = 256;

impl Lane {
    pub(crate) fn new(memory: Arc<Memory>) -> Lane {
        Lane::with_scope(memory, false, false)
    }

    /// A lane for the messages that belong to one request, on which the host may hang up or not.
    pub(crate) fn for_request(memory: Arc<Memory>, can_hang_up: bool) -> Lane {
        Lane::with_scope(memory, true, can_hang_up)
    }

    fn with_scope(memory: Arc<Memory>, is_of_request: bool, can_hang_up: bool) -> Lane {
        Lane {
            state: Mutex::default(),
            waiting: AtomicUsize::new(0),
            has_due: AtomicBool::new(false),
            told: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            over: AtomicBool::new(false),
            is_of_request,
            can_hang_up,
            hang_up: AtomicBool::new(false),
            bell: Bell::default(),
            memory,
        }
    }

    /// Appends one message. `limit` is the lane's bound in bytes. The host is told by
    /// [`Lane::ring`], which must follow as soon as no lock is held.
    pub(crate) fn push(
        &self,
        weight: Weight,
        limit: usize,
        write: impl FnOnce(&mut Vec<u8>),
    ) -> Result<(), Error> {
        let mut write = Some(write);
        self.push_by(weight, limit, &mut |out| {
            if let Some(write) = write.take() {
                write(out);
            }
        })
    }

    // The same code for whatever is written, of which there is much.
    #[inline(never)]
    fn push_by(&self, weight: Weight, limit: usize, write: Write<'_>) -> Result<(), Error> {
        let mut state = self.lock();
        if self.is_closed() {
            return Err(Error::Closed);
        }
        let waiting = state.waiting();
        if weight == Weight::Notification && waiting >= limit {
            return Err(Error::Limit("output_bytes"));
        }
        let answers = waiting.saturating_sub(state.change_bytes);
        self.append(&mut state, weight, write);
        // What tells of changes does not count here: it came when output was taken, all at once.
        if answers > limit.saturating_mul(2) {
            // Nobody takes the output, and answers cannot be refused: give the session up.
            self.close_locked(&mut state);
        }
        Ok(())
    }

    /// Notes that `subscriber` has changes to tell. [`Lane::ring`] must follow.
    pub(crate) fn add_due(&self, subscriber: Arc<Subscriber>) {
        let mut state = self.lock();
        if !self.is_closed() {
            state.due.push(subscriber);
            self.has_due.store(true, Ordering::SeqCst);
        }
    }

    /// Makes messages of the changes that wait.
    pub(crate) fn flush_due(&self) {
        self.flush(&mut self.lock());
    }

    /// Replaces the contents of `buffer` with the next message, without its newline.
    pub(crate) fn poll_into(&self, buffer: &mut Vec<u8>) -> bool {
        buffer.clear();
        self.poll_onto(buffer).is_some()
    }

    /// What the next message is, if there is one.
    pub(crate) fn front(&self) -> Option<Weight> {
        // Most who look come too early, and have nothing to forget either.
        if self.seems_empty() && !self.told.load(Ordering::SeqCst) {
            return None;
        }
        let mut state = self.lock();
        self.flush(&mut state);
        let front = state.messages.front().map(|message| message.weight);
        if front.is_none() {
            self.forget_telling();
        }
        front
    }

    /// Appends the next message to `buffer`, without its newline; says what it is.
    pub(crate) fn poll_onto(&self, buffer: &mut Vec<u8>) -> Option<Weight> {
        let mut state = self.lock();
        self.flush(&mut state);
        let Some(Message { length, weight }) = state.messages.pop_front() else {
            self.forget_telling();
            return None;
        };
        if state.taken == 0 && state.messages.is_empty() && buffer.is_empty() {
            // The only one: the buffers change places.
            std::mem::swap(buffer, &mut state.bytes);
            buffer.truncate(length - 1);
        } else {
            state.copy_out(length, buffer);
        }
        if weight == Weight::Change {
            state.change_bytes = state.change_bytes.saturating_sub(length);
        }
        self.note_taken(&mut state);
        self.rearm(&state);
        if weight.is_last() && self.is_of_request {
            // Nothing follows that the buffer could be for, and the lane may be kept for a while.
            state.bytes = Vec::new();
            self.account(&mut state);
        }
        Some(weight)
    }

    /// Appends everything that waits to `out`, each message with its newline; says how many.
    pub(crate) fn drain_into(&self, out: &mut Vec<u8>) -> usize {
        let mut state = self.lock();
        self.flush(&mut state);
        self.forget_telling();
        let count = state.messages.len();
        if out.is_empty() && state.taken == 0 {
            std::mem::swap(out, &mut state.bytes);
        } else {
            out.extend_from_slice(state.bytes.get(state.taken..).unwrap_or_default());
        }
        state.bytes.clear();
        state.taken = 0;
        state.change_bytes = state.change_bytes.min(state.lent);
        state.messages.clear();
        self.note_taken(&mut state);
        count
    }

    /// Moves everything that waits into `out`, which is empty, each message with its newline; says how
    /// many bytes. They count as waiting until [`Lane::settle`] says that they are gone.
    pub(crate) fn lend_into(&self, out: &mut Vec<u8>) -> usize {
        let mut state = self.lock();
        self.flush(&mut state);
        let length = state.bytes.len() - state.taken;
        if length == 0 {
            if state.lent == 0 {
                self.forget_telling();
            }
            return 0;
        }
        if out.is_empty() && state.taken == 0 {
            std::mem::swap(out, &mut state.bytes);
        } else {
            out.extend_from_slice(state.bytes.get(state.taken..).unwrap_or_default());
        }
        state.bytes.clear();
        state.taken = 0;
        state.messages.clear();
        state.lent += length;
        self.keep_buffer(&mut state);
        length
    }

    /// So many of the bytes that were lent have been passed on.
    pub(crate) fn settle(&self, bytes: usize) {
        let mut state = self.lock();
        // A lane that was closed meanwhile has nothing lent any more.
        let bytes = bytes.min(state.lent);
        state.lent -= bytes;
        state.change_bytes = state.change_bytes.min(state.waiting());
        self.account(&mut state);
        self.note_waiting(&state);
        self.rearm(&state);
    }

    /// The host found nothing, or took everything: it is told of what comes next. Under the lock, so that
    /// whoever adds something afterwards sees it.
    fn forget_telling(&self) {
        if self.told.load(Ordering::Relaxed) {
            self.told.store(false, Ordering::Release);
        }
    }

    /// Under the lock.
    fn note_waiting(&self, state: &State) {
        self.waiting.store(state.waiting(), Ordering::Release);
    }

    /// Whoever took everything need not look once more to be told of what comes next.
    fn rearm(&self, state: &State) {
        if state.waiting() == 0 {
            self.forget_telling();
        }
    }

    /// The account on which waiting output is counted.
    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Whether the lane held as much as input may produce a moment ago.
    pub(crate) fn seems_full(&self, limit: usize) -> bool {
        self.waiting.load(Ordering::Acquire) >= limit
    }

    /// The same for whoever has said before that it waits for the end of that: whoever takes output
    /// afterwards knows of it.
    pub(crate) fn is_full(&self, limit: usize) -> bool {
        self.lock().waiting() >= limit
    }

    /// Whether nothing waited a moment ago.
    pub(crate) fn seems_empty(&self) -> bool {
        // In this order: what is due becomes messages before it is no longer due.
        !self.has_due.load(Ordering::SeqCst) && self.waiting.load(Ordering::Acquire) == 0
    }

    /// The same for whoever has said before that it wants to be told: whoever adds something afterwards knows
    /// of it.
    pub(crate) fn is_empty(&self) -> bool {
        self.is_empty_while(|| true)
    }

    /// Whether nothing waits, nor is something else on its way that holds off from the lane meanwhile.
    pub(crate) fn is_empty_while(&self, nothing_comes: impl FnOnce() -> bool) -> bool {
        let state = self.lock();
        state.waiting() == 0 && state.due.is_empty() && nothing_comes()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    /// Drops what waits and refuses what comes.
    pub(crate) fn close(&self) {
        self.close_locked(&mut self.lock());
        // Whoever waits until it can write would wait for ever, so that it is told once more.
        self.nudge();
    }

    /// The request of the lane is over, and nothing more will be said of it.
    pub(crate) fn end_request(&self) {
        if self.is_of_request {
            self.over.store(true, Ordering::SeqCst);
            self.nudge();
        }
    }

    /// Whether the lane is for one request only.
    pub(crate) fn is_of_request(&self) -> bool {
        self.is_of_request
    }

    /// Whether nothing more will come than what is there.
    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }

    /// Wants the client to come back for the rest; says whether it could.
    pub(crate) fn hang_up(&self) -> bool {
        if self.can_hang_up {
            self.hang_up.store(true, Ordering::SeqCst);
            self.nudge();
        }
        self.can_hang_up
    }

    pub(crate) fn wants_hang_up(&self) -> bool {
        self.hang_up.load(Ordering::SeqCst)
    }

    /// The client has been hung up on, or is back.
    pub(crate) fn clear_hang_up(&self) {
        self.hang_up.store(false, Ordering::SeqCst);
    }

    /// Runs the wake, whatever the host has been told.
    pub(crate) fn nudge(&self) {
        self.told.store(true, Ordering::SeqCst);
        self.bell.ring();
    }

    /// Sets the wake without running it.
    pub(crate) fn connect(&self, wake: Option<Wake>) {
        self.bell.set(wake);
        self.told.store(false, Ordering::SeqCst);
    }

    pub(crate) fn set_wake(&self, wake: Option<Wake>) {
        self.connect(wake);
        if !self.is_empty() {
            self.ring();
        }
    }

    /// Runs the wake unless the host has been told since it last found the lane empty.
    #[inline]
    pub(crate) fn ring(&self) {
        // Whoever sets a wake looks for messages afterwards, so that this one is told in any case.
        if self.bell.is_set() && !self.told.swap(true, Ordering::SeqCst) {
            self.bell.ring();
        }
    }

    #[inline]
    fn append(&self, state: &mut State, weight: Weight, write: Write<'_>) {
        if state.bytes.capacity() == 0 {
            state.bytes.reserve(USUAL_MESSAGE);
        }
        let unfinished = Unfinished::new(&mut state.bytes);
        write(unfinished.bytes);
        unfinished.bytes.push(b'\n');
        let length = unfinished.finish();
        self.account(state);
        state.messages.push_back(Message { length, weight });
        state.change_bytes += if weight == Weight::Change { length } else { 0 };
        self.note_waiting(state);
    }

    fn flush(&self, state: &mut State) {
        if state.due.is_empty() {
            return;
        }
        for subscriber in std::mem::take(&mut state.due) {
            subscriber.write_due(|write| self.append(state, Weight::Change, write));
        }
        self.has_due.store(false, Ordering::SeqCst);
    }

    fn close_locked(&self, state: &mut State) {
        state.due = Vec::new();
        self.has_due.store(false, Ordering::SeqCst);
        self.closed.store(true, Ordering::SeqCst);
        state.bytes = Vec::new();
        state.messages = VecDeque::new();
        state.taken = 0;
        state.lent = 0;
        state.change_bytes = 0;
        self.note_taken(state);
    }

    #[inline]
    fn note_taken(&self, state: &mut State) {
        self.note_waiting(state);
        self.keep_buffer(state);
    }

    /// Keeps an empty buffer for the next message, or gives it up where memory is short.
    #[inline]
    fn keep_buffer(&self, state: &mut State) {
        let capacity = state.bytes.capacity();
        if capacity > KEEP && state.bytes.is_empty() {
            let has_plenty = capacity <= KEEP_IN_PLENTY && self.memory.has_plenty(0);
            if !has_plenty {
                state.bytes = Vec::new();
            }
        }
        self.account(state);
    }

    /// Brings the server's account up to date: what waits, or the buffer that is kept for what comes, in whole
    /// kibibytes, so that short messages change nothing.
    #[inline]
    fn account(&self, state: &mut State) {
        let buffer = match state.bytes.len() {
            0 => state.bytes.capacity(),
            length => length,
        };
        let held = buffer.next_multiple_of(KIBIBYTE) + state.lent;
        if held != state.charged {
            self.memory.take_anyway(held);
            self.memory.give_back(std::mem::replace(&mut state.charged, held));
        }
    }

    #[inline]
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        self.memory.give_back(self.lock().charged);
    }
}

impl fmt::Debug for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lane").field("waiting", &self.waiting).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
