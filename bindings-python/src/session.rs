//! A session: one duplex pipe, bytes in and bytes out.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcplite_core::Error;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use pyo3::{PyTraverseError, PyVisit};

use crate::bell::{Bell, deadline, wait_or_tick};
use crate::error::OrRaise;
use crate::hooks::Quiet;
use crate::input::Input;
use crate::server::Server;
use crate::state::Attached;

/// One connection.
#[pyclass(frozen, module = "mcplite._native")]
pub(crate) struct Session {
    core: mcplite_core::Session,
    server: Py<Server>,
    bell: Arc<Bell>,
    state: Attached,
    output: Mutex<Output>,
}

#[derive(Default)]
struct Output {
    buffer: Vec<u8>,
    /// Messages that `wait` has found, and nobody has taken yet.
    found: VecDeque<Vec<u8>>,
}

/// Buffers larger than this are not kept.
const KEEP: usize = 64 * 1024;

impl Session {
    pub(crate) fn new(server: &Bound<'_, Server>) -> PyResult<Session> {
        let core = mcplite_core::Session::new(&server.get().core).or_raise()?;
        Ok(Session {
            core,
            server: server.clone().unbind(),
            bell: Arc::default(),
            state: Attached::default(),
            output: Mutex::default(),
        })
    }

    fn output(&self) -> MutexGuard<'_, Output> {
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes all of the bytes, message by message, and output in between where it would be too much else.
    fn receive_all(&self, bytes: &[u8]) -> Result<Vec<u8>, Error> {
        let (mut rest, mut taken) = (bytes, Vec::new());
        while !rest.is_empty() {
            match self.core.receive(rest) {
                Ok(used) => rest = rest.get(used..).unwrap_or_default(),
                Err(Error::Limit(_)) if self.core.drain_into(&mut taken) > 0 => {}
                Err(error) => return Err(error),
            }
        }
        Ok(taken)
    }

    /// Everything that waits, after what was `taken` already, as `finish` wants it.
    fn take_all<T>(&self, taken: Vec<u8>, finish: impl FnOnce(&[u8]) -> T) -> T {
        let mut output = self.output();
        let output = &mut *output;
        output.buffer.clear();
        for message in output.found.drain(..) {
            output.buffer.extend_from_slice(&message);
            output.buffer.push(b'\n');
        }
        output.buffer.extend_from_slice(&taken);
        self.core.drain_into(&mut output.buffer);
        let finished = finish(&output.buffer);
        output.buffer.clear();
        output.buffer.shrink_to(KEEP);
        finished
    }

    /// Runs handlers that wait for somebody, if this thread may as well do it: whoever feeds by hand
    /// expects its answer.
    fn help(&self, py: Python<'_>) -> PyResult<()> {
        let server = self.server.get();
        if server.is_attended() && self.core.open_calls() > 0 {
            // Inside a handler nobody else's can be run; the pool does.
            drop(server.core.run(0));
        }
        server.raise_interrupt(py)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Nobody who holds it is left to be told, and what the function needs may be gone too.
        self.core.set_wake(None);
        self.bell.set_wake(None);
        let _quiet = Quiet::enter();
        self.core.close();
    }
}

#[pymethods]
impl Session {
    /// Takes one whole message; gives all messages that wait, separated by newlines, or `None`.
    #[pyo3(signature = (message, /))]
    fn handle<'py>(
        &self,
        py: Python<'py>,
        message: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let input = Input::new(message, "a message is bytes")?;
        input.feed(py, |bytes| self.core.handle_message(bytes)).or_raise()?;
        self.help(py)?;
        Ok(self.take_all(Vec::new(), |out| {
            out.split_last().map(|(_, messages)| PyBytes::new(py, messages))
        }))
    }

    /// Takes bytes of a stream whose messages end with newlines; gives what is to be written.
    #[pyo3(signature = (data, /))]
    fn receive<'py>(
        &self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let input = Input::new(data, "a stream is bytes")?;
        let taken = input.feed(py, |bytes| self.receive_all(bytes)).or_raise()?;
        self.help(py)?;
        Ok(self.take_all(taken, |out| PyBytes::new(py, out)))
    }

    /// The input has ended; a last line without a newline counts. Output and open calls go on.
    fn end(&self, py: Python<'_>) -> PyResult<()> {
        self.core.end().or_raise()?;
        self.help(py)
    }

    /// The next message that waits, or `None`.
    fn poll<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        let mut output = self.output();
        if let Some(message) = output.found.pop_front() {
            return Some(PyBytes::new(py, &message));
        }
        let was_one = self.core.poll_into(&mut output.buffer);
        let message = was_one.then(|| PyBytes::new(py, &output.buffer));
        output.buffer.clear();
        output.buffer.shrink_to(KEEP);
        message
    }

    /// All messages that wait, each with a newline.
    fn drain<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        self.take_all(Vec::new(), |out| PyBytes::new(py, out))
    }

    /// Waits until there is output, or the session is finished or closed; says whether there is output.
    #[pyo3(signature = (timeout=None, /))]
    fn wait(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<bool> {
        let deadline = deadline(timeout);
        self.core.set_wake(Some(self.bell.wake()));
        loop {
            let heard = self.bell.rings();
            {
                let mut output = self.output();
                if !output.found.is_empty() {
                    return Ok(true);
                }
                let mut message = Vec::new();
                if self.core.poll_into(&mut message) {
                    output.found.push_back(message);
                    return Ok(true);
                }
            }
            if self.core.is_finished() || self.core.is_closed() {
                return Ok(false);
            }
            self.server.get().raise_interrupt(py)?;
            if !wait_or_tick(py, &self.bell, &self.server.get().core, heard, deadline)? {
                return Ok(false);
            }
        }
    }

    /// Sets who is told that there is output, on whatever thread made it.
    #[pyo3(signature = (wake, /))]
    fn set_wake(&self, wake: Option<Py<PyAny>>) {
        self.bell.set_wake(wake);
        self.core.set_wake(Some(self.bell.wake()));
    }

    /// Attaches something that handlers find as `ctx.state`.
    #[pyo3(signature = (state, /))]
    fn set_state(&self, py: Python<'_>, state: Py<PyAny>) {
        self.core.set_context(self.state.set(py, state));
    }

    /// Says who the client is.
    #[pyo3(signature = (principal, /))]
    fn set_principal(&self, principal: Option<&str>) {
        self.core.set_principal(principal);
    }

    /// Sends a notification of your own; the params are JSON text.
    #[pyo3(signature = (method, params="", /))]
    fn notify(&self, method: &str, params: &str) -> PyResult<()> {
        self.core.notify(method, params).or_raise()
    }

    /// Cancels open calls, discards output, and refuses everything from now on.
    fn close(&self, py: Python<'_>) {
        py.detach(|| self.core.close());
    }

    /// Whether the input has ended, every call is answered and all output taken.
    #[getter]
    fn is_finished(&self) -> bool {
        self.core.is_finished() && self.output().found.is_empty()
    }

    /// Whether the session was closed.
    #[getter]
    fn is_closed(&self) -> bool {
        self.core.is_closed()
    }

    /// How many requests wait for an answer.
    #[getter]
    fn open_calls(&self) -> usize {
        self.core.open_calls()
    }

    fn __enter__(slf: Bound<'_, Session>) -> Bound<'_, Session> {
        slf
    }

    #[pyo3(signature = (*_args))]
    fn __exit__(&self, py: Python<'_>, _args: &Bound<'_, PyAny>) {
        self.close(py);
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
