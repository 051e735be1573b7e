//! What the program attaches to a connection, for handlers to find.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};

/// An object of the program's. The engine holds it too, and only whoever attached it shows it to the
/// collector.
#[derive(Default)]
pub(crate) struct State(Mutex<Option<Py<PyAny>>>);

impl State {
    pub(crate) fn new(state: Py<PyAny>) -> Arc<State> {
        Arc::new(State(Mutex::new(Some(state))))
    }

    /// As the engine takes it.
    pub(crate) fn attachment(self: &Arc<State>) -> Arc<dyn Any + Send + Sync> {
        Arc::clone(self) as _
    }

    pub(crate) fn get(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.lock().as_ref().map(|state| state.clone_ref(py))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Py<PyAny>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where a connection keeps what was attached to it last.
#[derive(Default)]
pub(crate) struct Attached(Mutex<Option<Arc<State>>>);

impl Attached {
    /// Takes the object, if there is one; gives what the engine is to hold.
    pub(crate) fn set(
        &self,
        py: Python<'_>,
        state: Py<PyAny>,
    ) -> Option<Arc<dyn Any + Send + Sync>> {
        let state = (!state.is_none(py)).then(|| State::new(state));
        let attachment = state.as_ref().map(State::attachment);
        let old = std::mem::replace(&mut *self.lock(), state);
        drop(old);
        attachment
    }

    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(attached) = self.0.try_lock() else { return Ok(()) };
        let Some(state) = attached.as_ref() else { return Ok(()) };
        let Ok(state) = state.0.try_lock() else { return Ok(()) };
        visit.call(&*state)
    }

    pub(crate) fn clear(&self) {
        let attached = self.lock().take();
        let state = attached.and_then(|state| state.lock().take());
        drop(state);
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<State>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
