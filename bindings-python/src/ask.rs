//! Asking the client from Python.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;

use crate::attached::call;
use crate::call::Call;
use crate::error::OrRaise;

pyo3::create_exception!(
    mcplite._native,
    Asked,
    PyBaseException,
    "Ends an attempt that has asked its client; the handler runs again when there is an answer."
);

/// What a suspended handler leaves for the attempt that goes on with it.
struct Continuation {
    continuation: Py<PyAny>,
    /// Called if no attempt ever goes on with it.
    dropped: Py<PyAny>,
    taken: AtomicBool,
}

impl Drop for Continuation {
    fn drop(&mut self) {
        if self.taken.load(Ordering::SeqCst) {
            return;
        }
        call(&self.dropped);
    }
}

#[pymethods]
impl Call {
    #[pyo3(signature = (key, method, params="", /))]
    fn ask(&self, key: &str, method: &str, params: &str) -> PyResult<Option<String>> {
        let call = self.call()?;
        Ok(call.ask(key, method, params).or_raise()?.map(str::to_owned))
    }

    #[pyo3(signature = (method, params="", /))]
    fn can_ask(&self, method: &str, params: &str) -> PyResult<bool> {
        Ok(self.call()?.can_ask(method, params))
    }

    fn reply_asked(&self) -> PyResult<()> {
        self.call()?.reply_asked().or_raise()
    }

    #[pyo3(signature = (text, /))]
    fn keep_text(&self, text: &str) -> PyResult<()> {
        self.call()?.set_state(text).or_raise()
    }

    #[getter]
    fn kept_text(&self) -> PyResult<Option<String>> {
        Ok(self.call()?.state().map(str::to_owned))
    }

    #[pyo3(signature = (continuation, dropped, /))]
    fn keep(&self, continuation: Py<PyAny>, dropped: Py<PyAny>) -> PyResult<()> {
        let kept = Continuation { continuation, dropped, taken: AtomicBool::new(false) };
        let kept: Arc<dyn Any + Send + Sync> = Arc::new(kept);
        self.call()?.keep(kept).or_raise()
    }

    /// Takes what the attempt before this one has left; once.
    fn take_kept(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let call = self.call()?;
        let kept = call.kept().and_then(|kept| kept.downcast_ref::<Continuation>());
        let kept = kept.filter(|kept| !kept.taken.swap(true, Ordering::SeqCst));
        Ok(kept.map(|kept| kept.continuation.clone_ref(py)))
    }
}
