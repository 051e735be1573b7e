//! An exchange: one HTTP request and its response.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};
use pyo3::{PyTraverseError, PyVisit};

use crate::bell::{Bell, deadline, wait_or_tick};
use crate::error::OrRaise;
use crate::hooks::Quiet;
use crate::input::Input;
use crate::messages::{header_list, messages};
use crate::row::Waiter;
use crate::server::Server;
use crate::state::{Attached, State};

/// What a request says, for those who decide about it.
#[pyclass(frozen, module = "mcplite._native")]
pub(crate) struct HttpRequest(pub(crate) mcplite_core::HttpRequest);

#[pymethods]
impl HttpRequest {
    #[getter]
    fn method(&self) -> String {
        self.0.method()
    }

    #[getter]
    fn path(&self) -> String {
        self.0.path()
    }

    #[pyo3(signature = (name, /))]
    fn header(&self, name: &str) -> Option<String> {
        self.0.header(name)
    }

    #[pyo3(signature = (principal, /))]
    fn set_principal(&self, principal: Option<&str>) {
        self.0.set_principal(principal);
    }

    #[pyo3(signature = (state, /))]
    fn set_state(&self, py: Python<'_>, state: Py<PyAny>) {
        let state = (!state.is_none(py)).then(|| State::new(state).attachment());
        self.0.set_context(state);
    }

    #[pyo3(signature = (parameters, /))]
    fn set_challenge(&self, parameters: &str) -> PyResult<()> {
        self.0.set_challenge(parameters).or_raise()
    }
}

/// One request and its response.
#[pyclass(frozen, module = "mcplite._native")]
pub(crate) struct Exchange {
    pub(crate) core: mcplite_core::Exchange,
    server: Py<Server>,
    /// Made for those who wait: most requests are over before anybody does.
    bell: OnceLock<Arc<Bell>>,
    /// The place in the row of whoever waits on a loop.
    waiter: OnceLock<Arc<Waiter>>,
    state: Attached,
    /// Pieces that `wait` has found, and nobody has taken yet.
    found: Mutex<VecDeque<Vec<u8>>>,
}

impl Exchange {
    pub(crate) fn new(
        py: Python<'_>,
        core: mcplite_core::Exchange,
        server: &Py<Server>,
    ) -> Exchange {
        Exchange {
            core,
            server: server.clone_ref(py),
            bell: OnceLock::new(),
            waiter: OnceLock::new(),
            state: Attached::default(),
            found: Mutex::default(),
        }
    }

    /// Has a waiter told of the response. There is one at most.
    pub(crate) fn wait_with(&self, waiter: &Arc<Waiter>) {
        if self.waiter.set(Arc::clone(waiter)).is_ok() {
            self.core.set_wake(Some(waiter.wake()));
        }
    }

    fn bell(&self) -> &Arc<Bell> {
        self.bell.get_or_init(Arc::default)
    }

    fn found(&self) -> MutexGuard<'_, VecDeque<Vec<u8>>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        // Nobody who holds it is left to be told, and what the observer needs may be gone too.
        let _quiet = Quiet::enter();
        self.core.close();
    }
}

#[pymethods]
impl Exchange {
    #[pyo3(signature = (headers, /))]
    fn headers(&self, headers: &Bound<'_, PyAny>) -> PyResult<()> {
        each_header(headers, |name, value| self.core.header(name, value).or_raise())
    }

    #[pyo3(signature = (data, /))]
    fn body(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let input = Input::new(data, "a body is bytes")?;
        input.feed(py, |bytes| self.core.body(bytes)).or_raise()
    }

    /// The request is complete.
    fn end(&self, py: Python<'_>) -> PyResult<()> {
        self.core.end().or_raise()?;
        self.server.get().raise_interrupt(py)
    }

    #[getter]
    fn status(&self) -> Option<u16> {
        self.core.status()
    }

    #[getter]
    fn response_headers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        header_list(py, &self.core.response_headers())
    }

    /// The whole response as ASGI has it, two messages, if it is there and no stream.
    pub(crate) fn answer<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.core.take_whole().map(|whole| messages(py, &whole)).transpose()
    }

    #[getter]
    fn is_stream(&self) -> bool {
        self.core.is_stream()
    }

    fn poll<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        if let Some(piece) = self.found().pop_front() {
            return Some(PyBytes::new(py, &piece));
        }
        let mut piece = Vec::new();
        self.core.poll_into(&mut piece).then(|| PyBytes::new(py, &piece))
    }

    /// Waits until there is more of the response, or the end of it; runs handlers that wait for somebody
    /// meanwhile. Says whether there is anything new.
    #[pyo3(signature = (timeout=None, /))]
    fn wait(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<bool> {
        let deadline = deadline(timeout);
        let bell = self.bell();
        self.core.set_wake(Some(bell.wake()));
        let server = self.server.get();
        loop {
            let heard = bell.rings();
            if !self.found().is_empty() || self.core.is_finished() {
                return Ok(true);
            }
            let mut piece = Vec::new();
            if self.core.poll_into(&mut piece) {
                self.found().push_back(piece);
                return Ok(true);
            }
            if self.core.is_finished() {
                return Ok(true);
            }
            server.raise_interrupt(py)?;
            if server.is_attended() && server.core.run(1).is_ok_and(|ran| ran > 0) {
                continue;
            }
            if !wait_or_tick(py, bell, &self.server.get().core, heard, deadline)? {
                return Ok(false);
            }
        }
    }

    #[pyo3(signature = (wake, /))]
    fn set_wake(&self, wake: Option<Py<PyAny>>) {
        let bell = self.bell();
        bell.set_wake(wake);
        self.core.set_wake(Some(bell.wake()));
    }

    #[pyo3(signature = (state, /))]
    pub(crate) fn set_state(&self, py: Python<'_>, state: Py<PyAny>) {
        self.core.set_context(self.state.set(py, state));
    }

    #[pyo3(signature = (principal, /))]
    fn set_principal(&self, principal: Option<&str>) {
        self.core.set_principal(principal);
    }

    #[getter]
    fn is_finished(&self) -> bool {
        self.core.is_finished() && self.found().is_empty()
    }

    fn close(&self, py: Python<'_>) {
        // What is over takes no time to close, and its session begins to be idle.
        match self.core.is_finished() {
            true => self.core.close(),
            false => py.detach(|| self.core.close()),
        }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.server)?;
        self.state.traverse(&visit)?;
        self.bell.get().map_or(Ok(()), |bell| bell.traverse(&visit))?;
        self.waiter.get().map_or(Ok(()), |waiter| waiter.traverse(&visit))
    }

    fn __clear__(&self) {
        self.state.clear();
        self.bell.get().into_iter().for_each(|bell| bell.set_wake(None));
        self.waiter.get().into_iter().for_each(|waiter| drop(waiter.leave()));
    }
}

/// Hands on the headers of a request: pairs of bytes.
pub(crate) fn each_header(
    headers: &Bound<'_, PyAny>,
    mut take: impl FnMut(&[u8], &[u8]) -> PyResult<()>,
) -> PyResult<()> {
    let mut take_one = |header: &Bound<'_, PyAny>| -> PyResult<()> {
        // What servers mostly have, read without making numbers of places.
        let pair = header.cast_exact::<PyTuple>().ok().filter(|pair| pair.len() == 2);
        let (name, value) = match pair {
            Some(pair) => (pair.get_item(0)?, pair.get_item(1)?),
            None => (header.get_item(0)?, header.get_item(1)?),
        };
        let name = Input::new(&name, "the name of a header is bytes")?;
        let value = Input::new(&value, "the value of a header is bytes")?;
        take(name.bytes(), value.bytes())
    };
    match headers.cast_exact::<PyList>() {
        Ok(list) => list.iter().try_for_each(|header| take_one(&header)),
        Err(_) => headers.try_iter()?.try_for_each(|header| take_one(&header?)),
    }
}
