//! Running a handler: arguments in, the value or the exception out.

use std::sync::Arc;

use mcplite_core::json::{MAX_DEPTH, Reader};
use mcplite_core::{Call, Error, ErrorKind, Failure};
use pyo3::exceptions::{PyException, PyKeyError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};

use crate::ask::Asked;
use crate::attached::{invoke as call_python, invoke_with};
use crate::call::Call as PyCall;
use crate::error;
use crate::handler::Handler;
use crate::read::value_noting;
use crate::roots::Hook;
use crate::server::Shared;
use crate::write::{json_of, json_of_member};

/// Runs a handler and answers with what it gives.
pub(crate) fn answer(
    shared: &Arc<Shared>,
    handler: &Bound<'_, Handler>,
    call: &Call,
) -> Result<(), Failure> {
    let py = handler.py();
    let given = invoke(shared, handler, call, None);
    let given = given.and_then(|value| match handler.get().pass_call {
        // It has answered itself, or keeps the call.
        true => Ok(()),
        false => finish(shared, handler.get(), call, &value),
    });
    match given {
        Ok(()) => Ok(()),
        Err(error) => fail(py, shared, call, &error),
    }
}

/// Calls the function with the arguments of the call, and gives what it returns. `context` is made here
/// unless it is given.
pub(crate) fn invoke<'py>(
    shared: &Arc<Shared>,
    handler: &Bound<'py, Handler>,
    call: &Call,
    context: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = handler.py();
    let own = handler.get();
    let function = own.function.bind(py);
    if own.pass_call {
        let call = match context {
            Some(context) => context,
            None => Bound::new(py, PyCall::new(call.clone(), shared))?.into_any(),
        };
        return invoke_with(function, call);
    }
    let arguments = PyDict::new(py);
    read_arguments(own, &arguments, call.arguments())?;
    let places = own.complete(&arguments)?;
    if let Some(name) = &own.context {
        let context = context.map_or_else(|| make_context(py, shared, call), Ok)?;
        arguments.set_item(name, context)?;
    }
    call_python(function, places, Some(&arguments))
}

/// What handlers know of their call.
fn make_context<'py>(
    py: Python<'py>,
    shared: &Arc<Shared>,
    call: &Call,
) -> PyResult<Bound<'py, PyAny>> {
    let call = Bound::new(py, PyCall::new(call.clone(), shared))?.into_any();
    match shared.roots.get(py, Hook::Context) {
        Some(maker) => invoke_with(maker.bind(py), call),
        None => Ok(call),
    }
}

fn read_arguments(handler: &Handler, arguments: &Bound<'_, PyDict>, json: &str) -> PyResult<()> {
    let py = arguments.py();
    // They were read strictly when the call came in, so that there is nothing left to find fault with.
    let mut reader = Reader::new(json, MAX_DEPTH);
    let mut key = reader.first_key().unwrap_or_default();
    while let Some(name) = key {
        let (name, mut has_floats) = (name.decode(), false);
        let mut value = value_noting(py, &mut reader, &mut has_floats)?;
        if has_floats {
            value = handler.with_integers(&name, value)?;
        }
        handler.put(arguments, &name, value)?;
        key = reader.next_key().unwrap_or_default();
    }
    Ok(())
}

/// Answers with what a handler has returned.
pub(crate) fn finish(
    shared: &Arc<Shared>,
    handler: &Handler,
    call: &Call,
    given: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let py = given.py();
    let is_tool = call.method() == "tools/call";
    if is_tool && handler.structured && (is_plain(given) || !is_content(given)) {
        return finish_structured(handler, call, given);
    }
    if let Ok(text) = given.cast_exact::<PyString>() {
        if matches!(call.method(), "tools/call" | "resources/read") {
            return over(call.reply_text(text.to_str()?));
        }
    } else if is_tool && given.is_none() {
        return over(call.reply());
    }
    static ANSWER: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let answer = ANSWER.get_or_try_init(py, || {
        py.import("mcplite._results")?.getattr("answer").map(Bound::unbind)
    })?;
    let call = Bound::new(py, PyCall::new(call.clone(), shared))?;
    let arguments = (call, given).into_pyobject(py)?;
    call_python(answer.bind(py), arguments, None).map(drop)
}

fn finish_structured(handler: &Handler, call: &Call, given: &Bound<'_, PyAny>) -> PyResult<()> {
    if !handler.wrap {
        return over(call.reply_json(&json_of(given)?));
    }
    // The text is the value itself; the structure around it is for programs.
    let structured = json_of_member("result", given)?;
    match given.cast_exact::<PyString>() {
        Ok(text) => over(call.add_text(text.to_str()?))?,
        Err(_) => {
            let inner = structured.strip_prefix("{\"result\":").and_then(|it| it.strip_suffix('}'));
            over(call.add_text(inner.unwrap_or(&structured)))?;
        }
    }
    over(call.reply_json(&structured))
}

/// Whether it is of a type that JSON has a word for.
fn is_plain(given: &Bound<'_, PyAny>) -> bool {
    given.is_none()
        || given.is_exact_instance_of::<PyString>()
        || given.is_exact_instance_of::<PyInt>()
        || given.is_exact_instance_of::<PyFloat>()
        || given.is_exact_instance_of::<PyBool>()
        || given.is_exact_instance_of::<PyDict>()
}

/// Whether it says itself how it is to be shown: content of ours, alone or in a list.
fn is_content(given: &Bound<'_, PyAny>) -> bool {
    let is_ours = |value: &Bound<'_, PyAny>| {
        value.get_type().hasattr(pyo3::intern!(value.py(), "__mcp_content__")).unwrap_or(false)
    };
    match given.cast::<PyList>() {
        Ok(list) => list.iter().any(|element| is_ours(&element)),
        Err(_) => is_ours(given),
    }
}

/// An answer that comes too late is nobody's mistake; one that does not fit is the handler's.
fn over(answered: Result<(), Error>) -> PyResult<()> {
    match answered {
        Err(Error::Cancelled | Error::Answered | Error::Closed) => Ok(()),
        other => other.map_err(error::refused),
    }
}

/// Answers with an exception, and says who else should hear of it.
pub(crate) fn fail(
    py: Python<'_>,
    shared: &Arc<Shared>,
    call: &Call,
    raised: &PyErr,
) -> Result<(), Failure> {
    if raised.is_instance_of::<Asked>(py) {
        // If there is nothing to ask any more, somebody has answered.
        drop(call.reply_asked());
        return Ok(());
    }
    let value = raised.value(py);
    if let Some(traceback) = raised.traceback(py) {
        // Python has it at the exception; where it is kept apart, the exception does not know it yet.
        drop(value.setattr(pyo3::intern!(py, "__traceback__"), traceback));
    }
    if let Some(failure) = told(value) {
        return Err(failure);
    }
    if shared.pass_on(py, raised.clone_ref(py)).is_none() {
        return Err(Failure::new(ErrorKind::Internal, "the program that answers is ending"));
    }
    let stacktrace = report(shared, call, raised);
    let text = if shared.masks_errors() && raised.is_instance_of::<PyException>(py) {
        "the handler failed".to_owned()
    } else {
        text_of(value)
    };
    let kind = match call.method() {
        "tools/call" => ErrorKind::ToolFailed,
        _ => ErrorKind::Internal,
    };
    let failure = Failure::new(kind, text);
    Err(match stacktrace {
        Some(stacktrace) => failure.with_stacktrace(stacktrace),
        None => failure,
    })
}

/// What an exception of `mcplite.errors` says: those are raised to be told to the client.
fn told(raised: &Bound<'_, PyAny>) -> Option<Failure> {
    let py = raised.py();
    static BASE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let base = BASE.get_or_try_init(py, || {
        py.import("mcplite.errors")?.getattr("McpError").map(Bound::unbind)
    });
    if !raised.is_instance(base.ok()?.bind(py)).ok()? {
        return None;
    }
    // A mistake in the use of the library is the developer's to hear of.
    let misuse =
        py.import("mcplite.errors").and_then(|errors| errors.getattr("MisuseError")).ok()?;
    if raised.is_instance(&misuse).unwrap_or(false) {
        return None;
    }
    let text = raised.getattr("message").and_then(|text| Ok(text.str()?.to_string())).ok()?;
    let kind = raised.getattr("_kind").ok().and_then(|kind| kind.extract::<String>().ok());
    let kind = kind.and_then(|kind| error::kind(&kind).ok());
    let failure = match kind {
        Some(kind) => Failure::new(kind, text),
        None => Failure::code(raised.getattr("code").ok()?.extract().ok()?, text),
    };
    match raised.getattr("data").ok().filter(|data| !data.is_none()) {
        Some(data) => Some(failure.with_data(json_of(&data).ok()?)),
        None => Some(failure),
    }
}

/// Tells the developer; gives the stack trace, if clients may see it.
pub(crate) fn report(shared: &Arc<Shared>, call: &Call, raised: &PyErr) -> Option<String> {
    Python::attach(|py| {
        let reporter = shared.roots.get(py, Hook::Reporter)?;
        let call = Bound::new(py, PyCall::new(call.clone(), shared)).ok()?;
        let arguments = (raised.value(py), call).into_pyobject(py).ok()?;
        match call_python(reporter.bind(py), arguments, None) {
            Ok(stacktrace) => stacktrace.extract().ok(),
            Err(error) => {
                error.write_unraisable(py, None);
                None
            }
        }
    })
}

/// What an exception says, or what it is if it says nothing.
fn text_of(raised: &Bound<'_, PyAny>) -> String {
    let py = raised.py();
    let text = invoke_with(py.get_type::<PyString>().as_any(), raised);
    let text = text.and_then(|text| Ok(text.cast::<PyString>()?.to_string_lossy().into_owned()));
    let text = text.unwrap_or_default();
    let name = || raised.get_type().name().map(|name| name.to_string()).unwrap_or_default();
    if text.is_empty() {
        return name();
    }
    // Its text is a key and nothing else.
    if raised.is_instance_of::<PyKeyError>() { format!("{}: {text}", name()) } else { text }
}
