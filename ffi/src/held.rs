//! What C holds of a call: the engine's call, and the texts that were read from it.

use std::ffi::c_char;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use mcplite_core::{Call, ErrorKind, Failure};

use crate::boundary::broken;
use crate::failure::Refusal;
use crate::handle::{Health, Shared, lock};
use crate::status::{MCP_E_OUTPUT, mcp_status, words};
use crate::text;
use crate::texts::Texts;

/// One attempt at answering one request.
#[derive(Default)]
pub struct mcp_call {
    holders: AtomicUsize,
    /// `None` only while nobody holds it.
    core: Option<Call>,
    share: Option<Arc<Share>>,
    pub(crate) health: Health,
    texts: Mutex<Texts>,
    notes: Mutex<Notes>,
}

/// What functions have to tell one another.
#[derive(Default)]
pub(crate) struct Notes {
    /// The last refusal, for a handler that returns its status.
    refusal: Option<Refusal>,
    /// Why a question could not be asked, for a handler that returns MCP_PENDING.
    pub(crate) not_asked: Option<Refusal>,
    /// What goes along with an error.
    pub(crate) data: Option<String>,
    pub(crate) stacktrace: Option<String>,
}

impl Notes {
    fn is_empty(&self) -> bool {
        let Notes { refusal, not_asked, data, stacktrace } = self;
        refusal.is_none() && not_asked.is_none() && data.is_none() && stacktrace.is_none()
    }
}

impl mcp_call {
    pub(crate) fn core(&self) -> Option<&Call> {
        self.core.as_ref()
    }

    pub(crate) fn notes(&self) -> std::sync::MutexGuard<'_, Notes> {
        lock(&self.notes)
    }

    /// Gives a text to C. `source` is where it stands in the call, by which it is found again, so that
    /// reading the same thing often costs memory once.
    ///
    /// # Safety
    /// `out_len` is NULL or points to memory for a length.
    #[inline]
    pub(crate) unsafe fn lend(
        &self,
        source: &str,
        value: &str,
        out_len: *mut usize,
    ) -> *const c_char {
        // SAFETY: the caller's promise is the same.
        unsafe { self.lend_found((source.as_ptr() as usize, source.len()), value, out_len) }
    }

    /// The same for a text that stands nowhere, and is known by a number.
    ///
    /// # Safety
    /// As for [`mcp_call::lend`].
    pub(crate) unsafe fn lend_as(
        &self,
        number: i32,
        value: &str,
        out_len: *mut usize,
    ) -> *const c_char {
        // SAFETY: the caller's promise is the same.
        unsafe { self.lend_found((0, usize::try_from(number).unwrap_or_default()), value, out_len) }
    }

    /// # Safety
    /// As for [`mcp_call::lend`].
    #[inline(always)]
    unsafe fn lend_found(
        &self,
        source: (usize, usize),
        value: &str,
        out_len: *mut usize,
    ) -> *const c_char {
        if out_len.is_null() && value.as_bytes().contains(&0) {
            return std::ptr::null();
        }
        // SAFETY: the caller's promise is the same.
        unsafe { text::put(out_len, value.len()) };
        lock(&self.texts).keep(source, value)
    }

    /// Remembers why something was refused.
    pub(crate) fn note(&self, refusal: &Refusal) {
        self.notes().refusal = Some(refusal.clone());
        if let Some(shared) = self.share.as_ref().and_then(|share| share.shared.upgrade()) {
            shared.report(refusal);
        }
    }

    /// What the client is told when the handler returns a negative status.
    pub(crate) fn failure(&self, status: mcp_status) -> Failure {
        let noted = self.notes().refusal.take().filter(|refusal| refusal.status == status);
        match noted {
            Some(refusal) if status == MCP_E_OUTPUT => {
                Failure::new(ErrorKind::InvalidOutput, refusal.text)
            }
            _ => {
                let words = words(status).to_string_lossy();
                Failure::new(ErrorKind::Internal, format!("the handler failed: {words}"))
            }
        }
    }

    /// The engine broke down in this call: it is answered, if that still works, and given up.
    pub(crate) fn break_down(&self, core: &Call) {
        self.health.poison();
        self.note(&broken());
        let failure = Failure::new(ErrorKind::Internal, "the engine failed");
        drop(catch_unwind(AssertUnwindSafe(|| core.fail(failure))));
    }

    /// What is left of it for the next call, and what it held.
    fn take_apart(&mut self) -> (Option<Call>, Option<Arc<Share>>) {
        self.health.heal();
        self.texts.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        let notes = self.notes.get_mut().unwrap_or_else(PoisonError::into_inner);
        if !notes.is_empty() {
            *notes = Notes::default();
        }
        (self.core.take(), self.share.take())
    }
}

/// A reference to a call that is held; lets go when it is dropped.
pub(crate) struct Held(NonNull<mcp_call>);

impl Held {
    /// A call of the engine's as C sees it.
    #[inline(always)]
    pub(crate) fn new(core: Call, shared: &Arc<Shared>) -> Held {
        let share = shared.share(&core);
        let mut call = share.take();
        call.core = Some(core);
        call.share = Some(Arc::clone(share));
        *call.holders.get_mut() = 1;
        Held(NonNull::from(Box::leak(call)))
    }

    /// One more reference; `None` for NULL, or if nobody holds the call any more.
    ///
    /// # Safety
    /// `call` is NULL, or came from [`Held::into_raw`] or [`Held::as_ptr`] and is still held by somebody.
    pub(crate) unsafe fn retain(call: *const mcp_call) -> Option<Held> {
        let call = NonNull::new(call.cast_mut())?;
        // SAFETY: somebody holds it, so it has not been taken apart.
        let holders = unsafe { &(*call.as_ptr()).holders };
        if holders.fetch_add(1, Ordering::Relaxed) == 0 {
            // A mistake of the host's that could be noticed, because the memory is still the pool's.
            holders.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        Some(Held(call))
    }

    /// The call, without a reference of one's own; `None` as for [`Held::retain`].
    ///
    /// # Safety
    /// As for [`Held::retain`], and the caller holds it as long as the result is used.
    pub(crate) unsafe fn look<'a>(call: *const mcp_call) -> Option<&'a mcp_call> {
        // SAFETY: it is NULL, or held by the caller.
        let call = unsafe { call.as_ref() }?;
        (call.holders.load(Ordering::Relaxed) > 0).then_some(call)
    }

    /// Gives up a reference that C owned.
    ///
    /// # Safety
    /// As for [`Held::retain`]; the reference is the caller's own.
    pub(crate) unsafe fn release(call: *mut mcp_call) {
        let Some(call) = NonNull::new(call) else { return };
        // SAFETY: somebody holds it, so it has not been taken apart.
        let holders = unsafe { &(*call.as_ptr()).holders };
        if holders.load(Ordering::Relaxed) > 0 {
            drop(Held(call));
        }
    }

    pub(crate) fn as_ptr(&self) -> *mut mcp_call {
        self.0.as_ptr()
    }

    /// The reference is C's from here on.
    pub(crate) fn into_raw(self) -> *mut mcp_call {
        let pointer = self.as_ptr();
        std::mem::forget(self);
        pointer
    }
}

impl Deref for Held {
    type Target = mcp_call;

    fn deref(&self) -> &mcp_call {
        // SAFETY: this reference keeps it from being taken apart, and only that needs it for itself.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for Held {
    #[inline]
    fn drop(&mut self) {
        if self.holders.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.let_go();
        }
    }
}

impl Held {
    /// Keeps what is left of a call that nobody holds any more.
    #[inline(never)]
    fn let_go(&mut self) {
        // SAFETY: this was the last reference, so that nobody else can see it. It was leaked by `new`.
        let mut call = unsafe { Box::from_raw(self.0.as_ptr()) };
        let (core, share) = call.take_apart();
        if let Some(share) = share {
            share.put_back(call);
        }
        // The last holder lets go of the engine's call: it may answer, and so run the host's wake.
        drop(catch_unwind(AssertUnwindSafe(|| drop(core))));
    }
}

/// Calls that nobody holds, so that the steady state allocates nothing. There are several for a server, each
/// alone on its stretch of memory, so that threads seldom meet at one.
#[repr(align(128))]
#[expect(clippy::vec_box, reason = "C has their addresses, so that they must not move")]
pub(crate) struct Share {
    calls: Mutex<Vec<Box<mcp_call>>>,
    shared: Weak<Shared>,
}

/// How many are kept.
const KEEP: usize = 16;

impl Share {
    pub(crate) fn new(shared: &Weak<Shared>) -> Share {
        Share { calls: Mutex::default(), shared: Weak::clone(shared) }
    }

    #[inline(always)]
    fn take(&self) -> Box<mcp_call> {
        lock(&self.calls).pop().unwrap_or_default()
    }

    fn put_back(&self, call: Box<mcp_call>) {
        let mut calls = lock(&self.calls);
        if calls.len() < KEEP {
            calls.push(call);
        }
    }
}
