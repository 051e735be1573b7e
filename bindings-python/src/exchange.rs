//! An exchange: one HTTP request and its response.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use pyo3::{PyTraverseError, PyVisit};

use crate::bell::{Bell, deadline, wait_or_tick};
use crate::error::OrRaise;
use crate::hooks::Quiet;
use crate::input::Input;
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

/// Status, headers and body of a response.
type Whole<'py> = (u16, Bound<'py, PyList>, Bound<'py, PyBytes>);

/// One request and its response.
#[pyclass(frozen, module = "mcplite._native")]
pub(crate) struct Exchange {
    core: mcplite_core::Exchange,
    server: Py<Server>,
    bell: Arc<Bell>,
    state: Attached,
    /// Pieces that `wait` has found, and nobody has taken yet.
    found: Mutex<VecDeque<Vec<u8>>>,
}

impl Exchange {
    pub(crate) fn new(core: mcplite_core::Exchange, server: &Py<Server>) -> Exchange {
        let server = Python::attach(|py| server.clone_ref(py));
        Exchange {
            core,
            server,
            bell: Arc::default(),
            state: Attached::default(),
            found: Mutex::default(),
        }
    }

    /// Takes the headers and what handlers are to find; settles what can be settled without a body.
    pub(crate) fn begin(
        &self,
        py: Python<'_>,
        headers: &Bound<'_, PyAny>,
        state: Py<PyAny>,
    ) -> PyResult<()> {
        self.set_state(py, state);
        self.headers(headers)?;
        self.core.body(b"").or_raise()
    }

    /// The whole response, if it is there and no stream.
    fn whole<'py>(&self, py: Python<'py>) -> PyResult<Option<Whole<'py>>> {
        let Some(status) = self.core.status().filter(|_| !self.core.is_stream()) else {
            return Ok(None);
        };
        let mut body = Vec::new();
        self.core.poll_into(&mut body);
        Ok(Some((status, self.response_headers(py)?, PyBytes::new(py, &body))))
    }

    fn found(&self) -> MutexGuard<'_, VecDeque<Vec<u8>>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        // Nobody who holds it is left to be told, and what the function needs may be gone too.
        self.core.set_wake(None);
        self.bell.set_wake(None);
        let _quiet = Quiet::enter();
        self.core.close();
    }
}

#[pymethods]
impl Exchange {
    #[pyo3(signature = (headers, /))]
    fn headers(&self, headers: &Bound<'_, PyAny>) -> PyResult<()> {
        for header in headers.try_iter()? {
            let header = header?;
            let (name, value) = (header.get_item(0)?, header.get_item(1)?);
            let name = Input::new(&name, "the name of a header is bytes")?;
            let value = Input::new(&value, "the value of a header is bytes")?;
            self.core.header(name.bytes(), value.bytes()).or_raise()?;
        }
        Ok(())
    }

    #[pyo3(signature = (data, /))]
    fn body(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let input = Input::new(data, "a body is bytes")?;
        input.feed(py, |bytes| self.core.body(bytes)).or_raise()
    }

    /// The request is complete with this piece of its body. Gives the whole response (status, headers, body)
    /// if it is there, else `None`.
    ///
    /// Where a handler on another thread has to answer, this one waits for it so many seconds at most, and
    /// lends it the interpreter meanwhile.
    #[pyo3(signature = (data, moment, /))]
    fn finish<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
        moment: f64,
    ) -> PyResult<Option<Whole<'py>>> {
        let server = self.server.get();
        let input = Input::new(data, "a body is bytes")?;
        let bytes = input.bytes();
        match server.pool().filter(|_| moment > 0.0) {
            None => {
                input.feed(py, |bytes| self.core.body(bytes)).or_raise()?;
                self.core.end().or_raise()?;
            }
            Some(pool) => {
                self.core.set_wake(Some(self.bell.wake()));
                py.detach(|| {
                    let heard = self.bell.rings();
                    self.core.body(bytes)?;
                    self.core.end()?;
                    if self.core.status().is_none() && pool.is_busy() {
                        self.bell.wait_a_moment(heard, moment);
                    }
                    Ok(())
                })
                .or_raise()?;
            }
        }
        server.raise_interrupt(py)?;
        self.whole(py)
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
        let headers = self.core.response_headers();
        let pairs = headers.iter().map(|(name, value)| {
            let name = name.to_ascii_lowercase();
            (PyBytes::new(py, name.as_bytes()), PyBytes::new(py, value.as_bytes()))
        });
        PyList::new(py, pairs.collect::<Vec<_>>())
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
        self.core.set_wake(Some(self.bell.wake()));
        let server = self.server.get();
        loop {
            let heard = self.bell.rings();
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
            if !wait_or_tick(py, &self.bell, &self.server.get().core, heard, deadline)? {
                return Ok(false);
            }
        }
    }

    #[pyo3(signature = (wake, /))]
    fn set_wake(&self, wake: Option<Py<PyAny>>) {
        self.bell.set_wake(wake);
        self.core.set_wake(Some(self.bell.wake()));
    }

    #[pyo3(signature = (state, /))]
    fn set_state(&self, py: Python<'_>, state: Py<PyAny>) {
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
        self.bell.traverse(&visit)
    }

    fn __clear__(&self) {
        self.state.clear();
        self.bell.set_wake(None);
    }
}
