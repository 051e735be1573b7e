//! Everything that Python has handed in, at one place where its collector sees it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};

/// References that a server holds to objects of Python's, by number. The engine holds only numbers:
/// a reference that the collector cannot see would keep a cycle alive for ever.
#[derive(Default)]
pub(crate) struct Roots {
    slots: Mutex<Slots>,
    /// Which of the hooks are set, for whoever asks often.
    hooks: AtomicU32,
}

#[derive(Default)]
struct Slots {
    hooks: [Option<Py<PyAny>>; Hook::COUNT],
    items: Vec<Option<Py<PyAny>>>,
    free: Vec<usize>,
}

/// What a server has at most one of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hook {
    /// Makes the context of a call.
    Context,
    /// Is told of exceptions that handlers raise.
    Reporter,
    Observer,
    Errors,
    Clock,
    Entropy,
    /// Is told that calls wait for a loop.
    CallWake,
    /// An exception that belongs to whoever runs the server, such as a keyboard interrupt.
    Pending,
}

impl Hook {
    const COUNT: usize = 8;

    fn bit(self) -> u32 {
        1 << self as u32
    }
}

impl Roots {
    /// Sets a hook or takes it away; gives the old one.
    pub(crate) fn set(&self, hook: Hook, object: Option<Py<PyAny>>) -> Option<Py<PyAny>> {
        match object.is_some() {
            true => self.hooks.fetch_or(hook.bit(), Ordering::SeqCst),
            false => self.hooks.fetch_and(!hook.bit(), Ordering::SeqCst),
        };
        let mut slots = self.lock();
        let slot = slots.hooks.get_mut(hook as usize)?;
        std::mem::replace(slot, object)
    }

    pub(crate) fn get(&self, py: Python<'_>, hook: Hook) -> Option<Py<PyAny>> {
        if !self.has(hook) {
            return None;
        }
        let slots = self.lock();
        slots.hooks.get(hook as usize)?.as_ref().map(|object| object.clone_ref(py))
    }

    pub(crate) fn has(&self, hook: Hook) -> bool {
        self.hooks.load(Ordering::SeqCst) & hook.bit() != 0
    }

    fn add(&self, object: Py<PyAny>) -> usize {
        let mut slots = self.lock();
        match slots.free.pop() {
            Some(index) => {
                if let Some(slot) = slots.items.get_mut(index) {
                    *slot = Some(object);
                }
                index
            }
            None => {
                slots.items.push(Some(object));
                slots.items.len() - 1
            }
        }
    }

    fn remove(&self, index: usize) -> Option<Py<PyAny>> {
        let mut slots = self.lock();
        let object = slots.items.get_mut(index)?.take();
        slots.free.push(index);
        object
    }

    /// Shows the collector everything. While another thread is at work here nothing is shown, which keeps
    /// it all alive for this time.
    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(slots) = self.slots.try_lock() else { return Ok(()) };
        slots.hooks.iter().chain(&slots.items).flatten().try_for_each(|object| visit.call(object))
    }

    /// Lets go of everything: the collector has found that nobody else needs it.
    pub(crate) fn clear(&self) {
        let gone = std::mem::take(&mut *self.lock());
        self.hooks.store(0, Ordering::SeqCst);
        drop(gone);
    }

    fn lock(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A reference that the engine holds: a number in the roots, given back when it is dropped.
pub(crate) struct Root {
    roots: Arc<Roots>,
    index: usize,
}

impl Root {
    pub(crate) fn new(roots: &Arc<Roots>, object: Py<PyAny>) -> Root {
        Root { roots: Arc::clone(roots), index: roots.add(object) }
    }

    /// The object, unless the server is gone.
    pub(crate) fn get(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        let slots = self.roots.lock();
        slots.items.get(self.index)?.as_ref().map(|object| object.clone_ref(py))
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        let gone = self.roots.remove(self.index);
        drop(gone);
    }
}
