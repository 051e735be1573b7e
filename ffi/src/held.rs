//! What C holds of a call: the engine's call, and the texts that were read from it.

use std::cell::UnsafeCell;
use std::ffi::c_char;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use mcplite_core::{Call, Companion, ErrorKind, Failure};

use crate::boundary::broken;
use crate::failure::Refusal;
use crate::handle::{Health, Shared, lock};
use crate::status::{MCP_E_OUTPUT, mcp_status, words};
use crate::text;
use crate::texts::Texts;

/// One attempt at answering one request: the companion of the engine's call, which owns it.
pub struct mcp_call {
    holders: AtomicUsize,
    /// The thread on which its handler runs.
    lent_to: AtomicUsize,
    /// `None` only while nobody holds it; written to only then, or by the last holder.
    core: UnsafeCell<Option<ManuallyDrop<Call>>>,
    /// What the server has in common, whose calls these are from the first to the last.
    shared: Weak<Shared>,
    pub(crate) health: Health,
    texts: Mutex<Texts>,
    notes: Mutex<Notes>,
}

// SAFETY: all but `core` is guarded by types that can be shared. That is only read as long as somebody holds
// the call, and written to by whoever is the only one to see it: before the first holder, and by the last.
unsafe impl Sync for mcp_call {}

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
    fn new(shared: &Arc<Shared>) -> mcp_call {
        mcp_call {
            holders: AtomicUsize::new(0),
            lent_to: AtomicUsize::new(NO_THREAD),
            core: UnsafeCell::new(None),
            shared: Arc::downgrade(shared),
            health: Health::default(),
            texts: Mutex::default(),
            notes: Mutex::default(),
        }
    }

    /// The companion of a call that C does not hold yet, with its first reference. `None` if C holds it
    /// already, which the engine never lets happen.
    ///
    /// # Safety
    /// A copy of `core` is kept, whose owner says what becomes of it.
    #[inline(always)]
    unsafe fn occupy(core: &Call, shared: &Arc<Shared>) -> Option<NonNull<mcp_call>> {
        let call = core.companion(|| mcp_call::new(shared))?;
        if call.holders.load(Ordering::Acquire) != 0 {
            return None;
        }
        // SAFETY: nobody else sees the place, because C holds no reference to it. The rest is the caller's.
        unsafe { *call.core.get() = Some(ManuallyDrop::new(std::ptr::read(core))) };
        call.holders.store(1, Ordering::Relaxed);
        Some(NonNull::from(call))
    }

    pub(crate) fn core(&self) -> Option<&Call> {
        // SAFETY: nobody writes to it while the call is held, which it is for whoever asks.
        unsafe { &*self.core.get() }.as_deref()
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
        if let Some(shared) = self.shared.upgrade() {
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
}

impl Companion for mcp_call {
    fn clear(&mut self, keep: usize) {
        self.health.heal();
        self.texts.get_mut().unwrap_or_else(PoisonError::into_inner).clear(keep);
        let notes = self.notes.get_mut().unwrap_or_else(PoisonError::into_inner);
        if !notes.is_empty() {
            *notes = Notes::default();
        }
    }
}

/// A reference to a call that is held; lets go when it is dropped.
pub(crate) struct Held(NonNull<mcp_call>);

impl Held {
    /// A call of the engine's as C sees it; `None` as for [`mcp_call::occupy`].
    pub(crate) fn new(core: Call, shared: &Arc<Shared>) -> Option<Held> {
        // SAFETY: the call is not dropped here, but by the last holder.
        let call = unsafe { mcp_call::occupy(&core, shared) }?;
        std::mem::forget(core);
        Some(Held(call))
    }

    /// One more reference; `None` for NULL, or if nobody holds the call any more.
    ///
    /// # Safety
    /// `call` is NULL, or came from [`Held::into_raw`] or [`Lent::as_ptr`] and is still held by somebody.
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

    /// What keeps the call from being taken apart, whoever lets go of it meanwhile: one more reference, unless
    /// its handler runs further up on this very thread, which holds it until that returns. `None` as for
    /// [`Held::retain`].
    ///
    /// # Safety
    /// As for [`Held::retain`]; what is given goes no further than this thread, and is dropped before the
    /// function of the host's returns to the engine.
    #[inline]
    pub(crate) unsafe fn keep(call: *const mcp_call) -> Option<Kept> {
        // SAFETY: it is NULL, or held by somebody.
        let lent_to = unsafe { call.as_ref() }?.lent_to.load(Ordering::Relaxed);
        // SAFETY: the caller's promise is the same.
        let held = unsafe {
            match lent_to != NO_THREAD && lent_to == this_thread() {
                true => Held(NonNull::new(call.cast_mut())?),
                false => return Held::retain(call).map(Kept::Retained),
            }
        };
        Some(Kept::Lent(ManuallyDrop::new(held)))
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

    /// The reference is C's from here on.
    pub(crate) fn into_raw(self) -> *mut mcp_call {
        let pointer = self.0.as_ptr();
        std::mem::forget(self);
        pointer
    }
}

/// See [`Held::keep`].
pub(crate) enum Kept {
    Retained(Held),
    Lent(ManuallyDrop<Held>),
}

impl Deref for Kept {
    type Target = mcp_call;

    fn deref(&self) -> &mcp_call {
        match self {
            Kept::Retained(held) => held,
            Kept::Lent(held) => held,
        }
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
    /// The last holder lets go of the engine's call: it may answer, and so run the host's wake.
    #[inline(never)]
    fn let_go(&mut self) {
        // SAFETY: this was the last reference, so that nobody else can see it.
        let core = unsafe { (*self.core.get()).take() };
        // The memory of this call goes with the engine's, and is not looked at afterwards.
        drop(catch_unwind(AssertUnwindSafe(|| drop(core.map(ManuallyDrop::into_inner)))));
    }
}

/// A call while its handler runs, which the engine holds meanwhile: C's first reference to it, that costs
/// nothing unless the host makes more of them.
pub(crate) struct Lent(NonNull<mcp_call>);

impl Lent {
    /// A call of the engine's as C sees it; `None` as for [`mcp_call::occupy`].
    ///
    /// # Safety
    /// The engine's call is held until this is dropped.
    #[inline(always)]
    pub(crate) unsafe fn new(core: &Call, shared: &Arc<Shared>) -> Option<Lent> {
        // SAFETY: the copy is dropped by nobody, or by the last holder after it has been made one of its own.
        let lent = Lent(unsafe { mcp_call::occupy(core, shared) }?);
        lent.lent_to.store(this_thread(), Ordering::Relaxed);
        Some(lent)
    }

    pub(crate) fn as_ptr(&self) -> *mut mcp_call {
        self.0.as_ptr()
    }
}

impl Deref for Lent {
    type Target = mcp_call;

    fn deref(&self) -> &mcp_call {
        // SAFETY: the engine's call is held as long as this is there, and its companion with it.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for Lent {
    #[inline]
    fn drop(&mut self) {
        self.lent_to.store(NO_THREAD, Ordering::Relaxed);
        // Only holders make more of them.
        if self.holders.load(Ordering::Acquire) == 1 {
            // SAFETY: this is the last reference, so that nobody else can see the place.
            unsafe { *self.core.get() = None };
            self.holders.store(0, Ordering::Relaxed);
            return;
        }
        // The host keeps it: from here on C has a call of its own.
        if let Some(core) = self.core() {
            std::mem::forget(core.clone());
        }
        drop(Held(self.0));
    }
}

/// Stands for no thread.
const NO_THREAD: usize = 0;

/// A number that no other thread has that lives at the same time.
fn this_thread() -> usize {
    std::thread_local! {
        static PLACE: u8 = const { 0 };
    }
    // Nothing of the kind is to be had on a thread that is ending.
    PLACE.try_with(|place| std::ptr::from_ref(place) as usize).unwrap_or(NO_THREAD)
}
