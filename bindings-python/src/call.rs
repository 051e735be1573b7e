//! A call, as handlers and contexts read it.

use std::sync::{Arc, Mutex, PoisonError};

use mcplite_core::LogLevel;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::attached::call;
use crate::error::{OrRaise, named};
use crate::handler::{Attached, Handler};
use crate::read::value_of;
use crate::run;
use crate::server::Shared;
use crate::state::State;
use crate::write::json_of;

/// One attempt at answering one request.
#[pyclass(frozen, module = "mcplite._native")]
pub(crate) struct Call {
    call: Mutex<Option<mcplite_core::Call>>,
    shared: Arc<Shared>,
}

impl Call {
    pub(crate) fn new(call: mcplite_core::Call, shared: &Arc<Shared>) -> Call {
        Call { call: Mutex::new(Some(call)), shared: Arc::clone(shared) }
    }

    /// Another hold on the call, unless it was released.
    pub(crate) fn call(&self) -> PyResult<mcplite_core::Call> {
        let call = self.call.lock().unwrap_or_else(PoisonError::into_inner).clone();
        call.ok_or_else(|| {
            Python::attach(|py| named(py, "AnsweredError", "the call was released".to_owned()))
        })
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }
}

fn optional<'py>(py: Python<'py>, json: Option<&str>) -> PyResult<Option<Bound<'py, PyAny>>> {
    json.map(|json| value_of(py, json)).transpose()
}

#[pymethods]
impl Call {
    #[getter]
    fn method<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        Ok(PyString::intern(py, self.call()?.method()))
    }

    #[getter]
    fn id(&self) -> PyResult<Option<String>> {
        Ok(self.call()?.id().map(str::to_owned))
    }

    #[getter]
    fn name(&self) -> PyResult<String> {
        Ok(self.call()?.name().to_owned())
    }

    #[getter]
    fn arguments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let call = self.call()?;
        match call.arguments() {
            "" => Ok(PyDict::new(py).into_any()),
            json => value_of(py, json),
        }
    }

    #[getter]
    fn arguments_json(&self) -> PyResult<String> {
        Ok(self.call()?.arguments().to_owned())
    }

    #[getter]
    fn meta<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        optional(py, self.call()?.meta())
    }

    #[getter]
    fn revision(&self) -> PyResult<&'static str> {
        Ok(self.call()?.revision().name())
    }

    #[getter]
    fn is_modern(&self) -> PyResult<bool> {
        Ok(self.call()?.revision().is_modern())
    }

    #[getter]
    fn client_info<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        optional(py, self.call()?.client_info())
    }

    #[getter]
    fn client_capabilities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.call()?.client_capabilities() {
            "" => Ok(PyDict::new(py).into_any()),
            json => value_of(py, json),
        }
    }

    #[getter]
    fn principal(&self) -> PyResult<Option<String>> {
        Ok(self.call()?.principal().map(str::to_owned))
    }

    #[getter]
    fn session_id(&self) -> PyResult<Option<String>> {
        Ok(self.call()?.session_id().map(str::to_owned))
    }

    #[pyo3(signature = (name, /))]
    fn header(&self, name: &str) -> PyResult<Option<String>> {
        Ok(self.call()?.header(name).map(str::to_owned))
    }

    /// All headers. Several of one name are joined as HTTP allows it.
    #[getter]
    fn headers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let headers = PyDict::new(py);
        for (name, value) in self.call()?.headers() {
            match headers.get_item(name)? {
                Some(first) => headers.set_item(name, format!("{first}, {value}"))?,
                None => headers.set_item(name, value)?,
            }
        }
        Ok(headers)
    }

    /// What the host attached to the connection.
    #[getter]
    fn state(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let call = self.call()?;
        let state = call.context().and_then(|state| state.downcast_ref::<State>());
        Ok(state.and_then(|state| state.get(py)))
    }

    /// The handler, of calls that wait for a loop.
    #[getter]
    fn handler(&self, py: Python<'_>) -> PyResult<Option<Py<Handler>>> {
        Ok(Attached::of(py, &self.call()?))
    }

    #[getter]
    fn is_cancelled(&self) -> PyResult<bool> {
        Ok(self.call()?.is_cancelled())
    }

    #[getter]
    fn is_open(&self) -> bool {
        self.call().is_ok_and(|call| call.check_open().is_ok())
    }

    #[getter]
    fn cancel_reason(&self) -> PyResult<Option<String>> {
        Ok(self.call()?.cancel_reason().map(|reason| reason.to_string()))
    }

    #[pyo3(signature = (callback, /))]
    fn on_cancel(&self, callback: Py<PyAny>) -> PyResult<()> {
        self.call()?.on_cancel(move || call(&callback));
        Ok(())
    }

    #[pyo3(signature = (from_now, /))]
    fn set_deadline_ms(&self, from_now: Option<u64>) -> PyResult<()> {
        let call = self.call()?;
        match from_now {
            Some(from_now) => call.set_deadline_ms(from_now).or_raise(),
            None => {
                call.clear_deadline();
                Ok(())
            }
        }
    }

    #[pyo3(signature = (progress, total=None, message=None, /))]
    fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) -> PyResult<()> {
        self.call()?.progress(progress, total, message).or_raise()
    }

    #[pyo3(signature = (level, data, logger=None, /))]
    fn log(&self, level: &str, data: &Bound<'_, PyAny>, logger: Option<&str>) -> PyResult<()> {
        let Some(level) = LogLevel::parse(level) else {
            let text = format!(
                "{level:?} is no level; those are debug, info, notice, warning, error, critical, alert, emergency"
            );
            return Err(PyValueError::new_err(text));
        };
        match data.cast::<PyString>() {
            Ok(text) => self.call()?.log(level, logger, text.to_str()?).or_raise(),
            Err(_) => self.call()?.log_json(level, logger, &json_of(data)?).or_raise(),
        }
    }

    fn close_stream(&self) -> PyResult<()> {
        self.call()?.close_stream().or_raise()
    }

    /// Calls the function of a call that waits for a loop, with this context; gives what it returns, which
    /// is a coroutine.
    #[pyo3(signature = (context, /))]
    fn invoke<'py>(
        &self,
        py: Python<'py>,
        context: Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let call = self.call()?;
        match Attached::of(py, &call) {
            Some(handler) => run::invoke(&self.shared, handler.bind(py), &call, Some(context)),
            None => Err(PyValueError::new_err("the call has no handler")),
        }
    }

    /// Answers with what the handler has returned.
    #[pyo3(signature = (given, /))]
    fn finish(&self, py: Python<'_>, given: &Bound<'_, PyAny>) -> PyResult<()> {
        let call = self.call()?;
        match Attached::of(py, &call) {
            Some(handler) => run::finish(&self.shared, handler.get(), &call, given),
            None => Err(PyValueError::new_err("the call has no handler")),
        }
    }

    /// Lets go of the call. If nobody else holds it and it has no answer, the engine answers.
    fn release(&self) {
        let gone = self.call.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(gone);
    }

    fn __repr__(&self) -> String {
        match self.call() {
            Ok(call) => format!("<Call {} {}>", call.method(), call.id().unwrap_or("-")),
            Err(_) => "<Call released>".to_owned(),
        }
    }
}
