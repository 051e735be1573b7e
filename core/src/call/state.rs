//! What a call is made of, and the pool that such states come from.

use std::fmt;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::answer::Phase;
use super::ask::Round;
use super::companion::Companion;
use super::draft::Draft;
use crate::ask::{History, Kept};
use crate::batch::{Outlet, Sink};
use crate::error::Error;
use crate::json::Member;
use crate::jsonrpc::{Id, MetaKey, ParamKey, Params, Span};
use crate::memory::Charge;
use crate::origin::{Origin, Terms};
use crate::registry::{Detail, Entry, Place};
use crate::revision::{Method, Revision};

/// The shared part of a call. Its buffers are used again by later calls. Alone on its stretch of memory, because
/// it is written to all the time.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct CallState {
    holders: AtomicUsize,
    cancelled: AtomicBool,
    /// Whether it can no longer be answered, for the last holder, who need not know how it ended.
    ended: AtomicBool,
    /// When the call times out, as the server's timers have it; 0 for never.
    deadline_ms: AtomicU64,
    request: Request,
    bound: Option<Bound>,
    /// The attempts before this one; set before anybody sees the call.
    history: OnceLock<(History, Vec<Charge>)>,
    /// What the attempt before this one has left in this process.
    kept: OnceLock<Kept>,
    progress: Mutex<Progress>,
    /// The shell's part; stays for the next call.
    pub(super) companion: OnceLock<Box<dyn Companion>>,
}

/// The request's own texts.
#[derive(Debug, Default)]
pub(crate) struct Request {
    /// The method, unless it is one of the protocol, which the call is bound to.
    pub(crate) method: String,
    /// JSON text of the id; empty for a notification.
    pub(crate) id: String,
    /// What ids are compared by first.
    pub(crate) id_digest: u64,
    /// Prompt or URI; empty for a tool, whose name the item has.
    pub(crate) name: String,
    /// The text of `params`.
    pub(crate) text: String,
    pub(crate) params: Params,
    pub(crate) arguments: Arguments,
}

impl Request {
    /// The id; `None` for a notification.
    #[inline]
    pub(crate) fn id(&self) -> Option<Id<'_>> {
        if self.id.is_empty() { None } else { Some(Id::from_known(&self.id)) }
    }
}

/// Where the arguments of the call are.
#[derive(Debug)]
pub(crate) enum Arguments {
    /// A stretch of `params`.
    Within(Span),
    /// Put together by the engine: template variables, or what is to be completed.
    Own(String),
}

/// What the request came from and works on.
pub(crate) struct Bound {
    pub(crate) token: u64,
    pub(crate) origin: Arc<Origin>,
    pub(crate) sink: Sink,
    /// The item that answers, in the catalog of the origin.
    pub(crate) place: Place,
    /// The method, if it is one of the protocol.
    pub(crate) method: Option<Method>,
    pub(crate) revision: Revision,
    pub(crate) terms: Terms,
    pub(crate) received_us: u64,
    /// Bytes on the server's account.
    pub(crate) charged: usize,
}

/// What a call costs besides its texts.
pub(crate) const OVERHEAD: usize = 1024;

impl Bound {
    /// Refuses a piece of an answer that no answer has room for, before anything is written of it.
    #[inline]
    pub(super) fn check_room(&self, bytes: usize) -> Result<(), Error> {
        let limits = &self.catalog.options.limits;
        let most = limits.output_bytes.saturating_mul(2).min(limits.memory_bytes);
        if bytes > most { Err(Error::Limit("output_bytes")) } else { Ok(()) }
    }

    /// The item that answers.
    #[inline]
    pub(crate) fn entry(&self) -> Option<&Entry> {
        self.catalog.entry(self.place)
    }

    /// Whether the structured content of the answer must match something.
    #[inline]
    pub(super) fn has_output_schema(&self) -> bool {
        self.entry().is_some_and(|entry| entry.output_schema().is_some())
    }

    /// Where the answer goes, and messages that belong to it.
    #[inline]
    pub(crate) fn outlet(&self) -> Outlet<'_> {
        self.sink.outlet(&self.peer)
    }

    /// The same for the next attempt, which costs `charged` bytes.
    pub(super) fn again(&self, token: u64, charged: usize) -> Bound {
        Bound {
            token,
            origin: Arc::clone(&self.origin),
            sink: self.sink.clone(),
            place: self.place,
            method: self.method,
            revision: self.revision,
            terms: self.terms,
            received_us: self.received_us,
            charged,
        }
    }
}

impl Deref for Bound {
    type Target = Origin;

    #[inline]
    fn deref(&self) -> &Origin {
        &self.origin
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        if self.charged > 0 {
            self.server.memory.give_back(self.charged);
        }
    }
}

/// How far the answer has come.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    pub(super) phase: Phase,
    pub(super) draft: Draft,
    pub(super) round: Round,
    /// What this attempt reported last.
    pub(super) last_progress: Option<f64>,
    /// What the client was told last, by this attempt or one before it.
    pub(super) told_progress: Option<f64>,
    pub(super) on_cancel: Option<OnCancel>,
    pub(super) cancel_reason: Option<Arc<str>>,
}

/// The host's code that wants to know of a cancellation.
pub(crate) struct OnCancel(pub(crate) Box<dyn FnOnce() + Send>);

impl CallState {
    pub(crate) fn request(&self) -> &Request {
        &self.request
    }

    /// The method.
    pub(crate) fn method(&self) -> &str {
        let known = self.bound().and_then(|bound| bound.method);
        known.map_or(&self.request.method, |method| method.name())
    }

    /// Tool, prompt or URI.
    pub(crate) fn name(&self) -> &str {
        match self.bound().and_then(Bound::entry) {
            Some(Entry { key, detail: Detail::Tool(_), .. }) => key,
            _ => &self.request.name,
        }
    }

    /// `None` only for a state that lies in the pool.
    pub(crate) fn bound(&self) -> Option<&Bound> {
        self.bound.as_ref()
    }

    /// What the attempts before this one left; `None` for the first.
    pub(crate) fn history(&self) -> Option<&History> {
        self.history.get().map(|(history, _)| history)
    }

    /// Says what the attempts before this one left, and on which accounts it is.
    pub(crate) fn remember(&self, history: History, charges: Vec<Charge>) {
        // Only a call that nobody has seen yet is told.
        drop(self.history.set((history, charges)));
    }

    /// What the attempt before this one has left in this process.
    pub(crate) fn kept(&self) -> Option<&Kept> {
        self.kept.get()
    }

    /// Passes on what the attempt before this one has left in this process.
    pub(crate) fn inherit(&self, kept: Kept) {
        // As above.
        drop(self.kept.set(kept));
    }

    /// The arguments as JSON text.
    pub(crate) fn arguments(&self) -> &str {
        match &self.request.arguments {
            Arguments::Within(span) => span.of(&self.request.text).unwrap_or("{}"),
            Arguments::Own(text) => text,
        }
    }

    /// What is known of an argument without a search: where it stands in the text of `params`.
    #[inline(always)]
    pub(super) fn noted_argument(&self, name: &str) -> Member {
        let Request { text, params, arguments, .. } = &self.request;
        match arguments {
            // Of a method that the host answers itself, all of `params` are its arguments.
            Arguments::Within(span) if *span == params.span(ParamKey::Arguments) => {
                params.arguments.find(text, name)
            }
            _ => Member::Unknown,
        }
    }

    /// The arguments by which the request is known, also where the host gets to see all of `params`.
    pub(super) fn own_arguments(&self) -> &str {
        match &self.request.arguments {
            Arguments::Own(text) => text,
            Arguments::Within(_) => {
                let params = &self.request.params;
                params.member(&self.request.text, ParamKey::Arguments).unwrap_or("{}")
            }
        }
    }

    /// JSON text of what the client can do.
    pub(crate) fn client_capabilities(&self) -> &str {
        let is_modern = self.bound().is_some_and(|bound| bound.revision.is_modern());
        let own = self.request.params.meta(&self.request.text, MetaKey::ClientCapabilities);
        let own = own.filter(|_| is_modern);
        let handshake = || {
            let bound = self.bound()?;
            Some(bound.handshake(bound.terms)?.capabilities.as_str())
        };
        own.or_else(handshake).unwrap_or("{}")
    }

    /// Bytes of the request's texts.
    pub(super) fn size(&self) -> usize {
        let own = match &self.request.arguments {
            Arguments::Within(_) => 0,
            Arguments::Own(text) => text.len(),
        };
        OVERHEAD + self.request.text.len() + own
    }

    /// Fills in the request of the next attempt.
    pub(super) fn repeat(&self, request: &mut Request) {
        request.method.push_str(&self.request.method);
        request.id.push_str(&self.request.id);
        request.id_digest = self.request.id_digest;
        request.name.push_str(&self.request.name);
        request.text.push_str(&self.request.text);
        request.params = self.request.params.clone();
        request.arguments = match &self.request.arguments {
            Arguments::Within(span) => Arguments::Within(*span),
            Arguments::Own(text) => Arguments::Own(text.clone()),
        };
    }

    pub(crate) fn has_id(&self, id: Id<'_>) -> bool {
        self.request.id().is_some_and(|own| own.matches(id))
    }

    pub(crate) fn is_notification(&self) -> bool {
        self.request.id.is_empty()
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Acquire)
    }

    /// Ends the call, under the lock of its progress.
    pub(super) fn enter_phase(&self, progress: &mut Progress, phase: Phase) {
        progress.phase = phase;
        self.ended.store(true, Ordering::Release);
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    pub(super) fn set_cancelled(&self) {
        self.cancelled.store(true, Ordering::Release);
    }

    pub(crate) fn has_deadline(&self) -> bool {
        self.deadline_ms.load(Ordering::Acquire) != 0
    }

    pub(super) fn deadline_ms(&self) -> Option<u64> {
        self.deadline_ms.load(Ordering::Acquire).checked_sub(1)
    }

    /// For the server's timers: notes the deadline and gives the old one.
    pub(crate) fn swap_deadline(&self, at_ms: Option<u64>) -> Option<u64> {
        // Kept one higher, so that the moment 0 is not "never".
        let new = at_ms.map_or(0, |at_ms| at_ms.saturating_add(1));
        self.deadline_ms.swap(new, Ordering::AcqRel).checked_sub(1)
    }

    pub(super) fn hold(&self) {
        self.holders.fetch_add(1, Ordering::Relaxed);
    }

    /// Says whether that was the last holder.
    #[inline]
    pub(super) fn let_go(&self) -> bool {
        // Only holders make more of them, so that the only one is the last without counting.
        self.holders.load(Ordering::Acquire) == 1
            || self.holders.fetch_sub(1, Ordering::AcqRel) == 1
    }

    #[inline]
    pub(super) fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a state that lies in the pool one of a call, with a first holder.
    #[inline(always)]
    pub(super) fn begin(&mut self, bound: impl FnOnce() -> Bound, fill: impl FnOnce(&mut Request)) {
        fill(&mut self.request);
        self.bound = Some(bound());
        *self.holders.get_mut() = 1;
    }

    /// Makes it one for another call. Gives what the call was bound to, which must be dropped when no lock is
    /// held.
    pub(super) fn clear(&mut self) -> Option<Bound> {
        *self.cancelled.get_mut() = false;
        *self.ended.get_mut() = false;
        *self.deadline_ms.get_mut() = 0;
        if self.history.get().is_some() {
            self.history = OnceLock::new();
        }
        if self.kept.get().is_some() {
            self.kept = OnceLock::new();
        }
        let request = &mut self.request;
        request.method.clear();
        request.id.clear();
        request.name.clear();
        request.text.clear();
        if let Arguments::Own(_) = request.arguments {
            request.arguments = Arguments::default();
        }
        let progress = self.progress.get_mut().unwrap_or_else(PoisonError::into_inner);
        progress.phase = Phase::default();
        progress.draft.clear();
        if !progress.round.is_untouched() {
            progress.round = Round::default();
        }
        progress.last_progress = None;
        progress.told_progress = None;
        progress.on_cancel = None;
        progress.cancel_reason = None;
        self.bound.take()
    }

    /// Lets no buffer of a cleared state be larger than `keep`.
    #[inline]
    pub(super) fn shrink(&mut self, keep: usize) {
        let request = &self.request;
        let progress = self.progress.get_mut().unwrap_or_else(PoisonError::into_inner);
        // No less than the largest.
        let bits = request.method.capacity()
            | request.id.capacity()
            | request.name.capacity()
            | request.text.capacity()
            | progress.draft.capacity_bits();
        if bits > keep {
            self.shrink_buffers(keep);
        }
        if let Some(companion) = self.companion.get_mut() {
            companion.clear(keep);
        }
    }

    #[cold]
    fn shrink_buffers(&mut self, keep: usize) {
        let request = &mut self.request;
        for text in [&mut request.method, &mut request.id, &mut request.name, &mut request.text] {
            if text.capacity() > keep {
                text.shrink_to(keep);
            }
        }
        let progress = self.progress.get_mut().unwrap_or_else(PoisonError::into_inner);
        progress.draft.shrink(keep);
    }
}

impl Default for Arguments {
    fn default() -> Arguments {
        Arguments::Within(Span::default())
    }
}

impl fmt::Debug for CallState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallState").field("bound", &self.bound).finish_non_exhaustive()
    }
}

impl fmt::Debug for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bound").field("token", &self.token).finish_non_exhaustive()
    }
}

impl fmt::Debug for OnCancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnCancel")
    }
}
