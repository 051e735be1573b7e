//! The system's clock and entropy, and those of the program's own.

use std::cell::Cell;
use std::sync::Arc;

use mcplite_core::{
    Clock, Entropy, ErrorContext, ErrorHook, ErrorKind, Event, Form, Observer, Outcome, Outgoing,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::attached::{attached, invoke, invoke_with};
use crate::error::named;
use crate::read::value_of;
use crate::roots::Hook;
use crate::server::Shared;
use crate::write::json_of;

/// While one lives, exceptions of hooks on this thread are told to nobody: a connection that is dropped
/// rather than closed may be in the hands of the collector or of the end of the program, and what its
/// observers need may be gone already.
pub(crate) struct Quiet(bool);

std::thread_local! {
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
}

impl Quiet {
    pub(crate) fn enter() -> Quiet {
        Quiet(IS_QUIET.replace(true))
    }

    fn report(py: Python<'_>, error: PyErr, function: &Bound<'_, PyAny>) {
        if !IS_QUIET.get() {
            error.write_unraisable(py, Some(function));
        }
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        IS_QUIET.set(self.0);
    }
}

/// A function of Python's in the place of a hook.
pub(crate) struct PythonHook {
    shared: Arc<Shared>,
}

impl PythonHook {
    pub(crate) fn new(shared: &Arc<Shared>) -> PythonHook {
        PythonHook { shared: Arc::clone(shared) }
    }

    /// Calls it. What it raises is told as Python tells of exceptions that nobody can catch, unless whoever
    /// runs the server can.
    fn call<T>(
        &self,
        hook: Hook,
        use_it: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>,
    ) -> Option<T> {
        attached(|py| {
            let function = self.shared.roots.get(py, hook)?.into_bound(py);
            let report = |error| Quiet::report(py, error, &function);
            use_it(&function).map_err(|error| self.shared.pass_on(py, error).map(report)).ok()
        })
        .flatten()
    }
}

impl Clock for PythonHook {
    fn now_ms(&self) -> u64 {
        self.call(Hook::Clock, |clock| invoke(clock, PyTuple::empty(clock.py()), None)?.extract())
            .unwrap_or_default()
    }
}

impl Entropy for PythonHook {
    fn fill(&self, out: &mut [u8]) -> bool {
        let drawn = self
            .call(Hook::Entropy, |entropy| invoke_with(entropy, out.len())?.extract::<Vec<u8>>());
        match drawn {
            Some(bytes) if bytes.len() == out.len() => {
                out.copy_from_slice(&bytes);
                true
            }
            _ => false,
        }
    }
}

impl Observer for PythonHook {
    fn event(&self, event: &Event<'_>) {
        self.call(Hook::Observer, |observer| match described(observer.py(), event)? {
            Some(event) => invoke_with(observer, event).map(drop),
            None => Ok(()),
        });
    }
}

fn described<'py>(py: Python<'py>, event: &Event<'_>) -> PyResult<Option<Bound<'py, PyDict>>> {
    let dict = PyDict::new(py);
    let end = |duration_us: u64, outcome: Outcome| -> PyResult<()> {
        dict.set_item("duration_us", duration_us)?;
        let (outcome, code) = match outcome {
            Outcome::Ok => ("ok", None),
            Outcome::Error(code) => ("error", Some(code)),
            Outcome::ToolError => ("tool-error", None),
            Outcome::Cancelled => ("cancelled", None),
            Outcome::Asked => ("asked", None),
            _ => ("other", None),
        };
        dict.set_item("outcome", outcome)?;
        code.map_or(Ok(()), |code| dict.set_item("code", code))
    };
    let name = match *event {
        Event::RequestReceived { method, id, .. } => {
            dict.set_item("method", method)?;
            dict.set_item("id", value_of(py, id)?)?;
            "request-received"
        }
        Event::RequestCompleted { method, id, duration_us, outcome } => {
            dict.set_item("method", method)?;
            dict.set_item("id", value_of(py, id)?)?;
            end(duration_us, outcome)?;
            "request-completed"
        }
        Event::ToolInvoked { name, duration_us, outcome, traceparent } => {
            dict.set_item("name", name)?;
            dict.set_item("traceparent", traceparent)?;
            end(duration_us, outcome)?;
            "tool-invoked"
        }
        Event::SessionOpened => "session-opened",
        Event::SessionClosed => "session-closed",
        Event::ExchangeEnded { method, path, status, duration_us } => {
            dict.set_item("method", method)?;
            dict.set_item("path", path)?;
            dict.set_item("status", status)?;
            dict.set_item("duration_us", duration_us)?;
            "exchange-ended"
        }
        Event::Listening { address } => {
            dict.set_item("address", address)?;
            "listening"
        }
        Event::Diagnostic { text } => {
            dict.set_item("text", text)?;
            "diagnostic"
        }
        _ => return Ok(None),
    };
    dict.set_item("event", name)?;
    Ok(Some(dict))
}

impl ErrorHook for PythonHook {
    fn rewrite(&self, context: &ErrorContext<'_>, error: &mut Outgoing) {
        self.call(Hook::Errors, |hook| {
            let py = hook.py();
            let dict = PyDict::new(py);
            dict.set_item("kind", error.kind.map(ErrorKind::name))?;
            dict.set_item("code", error.code)?;
            dict.set_item("message", &error.message)?;
            dict.set_item(
                "data",
                error.data.as_deref().map(|data| value_of(py, data)).transpose()?,
            )?;
            dict.set_item("as_result", error.form == Form::ToolResult)?;
            dict.set_item("method", context.method)?;
            dict.set_item("name", context.name)?;
            dict.set_item("id", context.id.map(|id| value_of(py, id)).transpose()?)?;
            let given = invoke_with(hook, dict)?;
            let Ok(given) = given.cast_into::<PyDict>() else { return Ok(()) };
            let missing = |name: &str| {
                let text =
                    format!("an error handler gives back the dict it was given; {name} is missing");
                named(py, "MisuseError", text)
            };
            let item = |name: &str| given.get_item(name)?.ok_or_else(|| missing(name));
            let code = item("code")?.extract()?;
            let message = item("message")?.extract()?;
            let data = given.get_item("data")?.filter(|data| !data.is_none());
            let data = data.map(|data| json_of(&data)).transpose()?;
            let as_result: bool = item("as_result")?.extract()?;
            (error.code, error.message, error.data) = (code, message, data);
            error.form = if as_result { Form::ToolResult } else { Form::Error };
            Ok(())
        });
    }
}

/// Takes hooks away that would call what is gone.
pub(crate) fn let_go(core: &mcplite_core::Server) {
    core.unset(mcplite_core::Hook::Observer);
    core.unset(mcplite_core::Hook::Errors);
    core.set_wake(None);
}
