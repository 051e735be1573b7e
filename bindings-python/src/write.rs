//! Python values into JSON text.

use mcplite_core::json::{push_f64, push_quoted};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::attached::invoke_with;

/// How deep values may be nested. The engine's own limit is lower by default; this one stops values that
/// contain themselves.
const MAX_DEPTH: u32 = 512;

/// Writes JSON, compact. What JSON has no word for is written as `mcplite._hints.plain` says.
#[pyfunction]
#[pyo3(signature = (value, /))]
pub(crate) fn dumps(value: &Bound<'_, PyAny>) -> PyResult<String> {
    json_of(value)
}

/// JSON text that is written as it stands, wherever a value can be.
#[pyclass(frozen, module = "mcplite._native")]
pub(crate) struct Raw {
    #[pyo3(get)]
    text: String,
}

#[pymethods]
impl Raw {
    #[new]
    #[pyo3(signature = (text, /))]
    fn new(text: String) -> Raw {
        Raw { text }
    }
}

/// The JSON text of a value.
pub(crate) fn json_of(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let mut out = Vec::new();
    push(&mut out, value, 0)?;
    String::from_utf8(out).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The JSON text of an object with one member.
pub(crate) fn json_of_member(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    let mut out = vec![b'{'];
    push_quoted(&mut out, name);
    out.push(b':');
    push(&mut out, value, 1)?;
    out.push(b'}');
    String::from_utf8(out).map_err(|error| PyValueError::new_err(error.to_string()))
}

fn push(out: &mut Vec<u8>, value: &Bound<'_, PyAny>, depth: u32) -> PyResult<()> {
    if depth > MAX_DEPTH {
        return Err(PyValueError::new_err("the value is nested too deeply, or contains itself"));
    }
    if let Ok(text) = value.cast::<PyString>() {
        push_quoted(out, text.to_str()?);
    } else if value.is_none() {
        out.extend_from_slice(b"null");
    } else if let Ok(value) = value.cast::<PyBool>() {
        out.extend_from_slice(if value.is_true() { b"true" } else { b"false" });
    } else if let Ok(value) = value.cast::<PyInt>() {
        push_int(out, value)?;
    } else if let Ok(value) = value.cast::<PyFloat>() {
        push_float(out, value.value())?;
    } else if let Ok(dict) = value.cast::<PyDict>() {
        push_dict(out, dict, depth)?;
    } else if let Ok(list) = value.cast::<PyList>() {
        push_all(out, list.iter(), depth)?;
    } else if let Some(tuple) = value.cast::<PyTuple>().ok().filter(|_| is_exact_tuple(value)) {
        push_all(out, tuple.iter(), depth)?;
    } else if let Ok(raw) = value.cast::<Raw>() {
        // Whoever takes the whole reads it strictly.
        out.extend_from_slice(raw.get().text.as_bytes());
    } else {
        push(out, &plain(value)?, depth + 1)?;
    }
    Ok(())
}

/// A named tuple has names that count.
fn is_exact_tuple(value: &Bound<'_, PyAny>) -> bool {
    value.is_exact_instance_of::<PyTuple>()
}

fn push_int(out: &mut Vec<u8>, value: &Bound<'_, PyInt>) -> PyResult<()> {
    match value.extract::<i64>() {
        Ok(small) => out.extend_from_slice(small.to_string().as_bytes()),
        // `int.__repr__`, since a subclass may write itself in words.
        Err(_) => {
            let int = value.py().get_type::<PyInt>();
            let digits = int.call_method1("__repr__", (value,))?;
            out.extend_from_slice(digits.cast::<PyString>()?.to_str()?.as_bytes());
        }
    }
    Ok(())
}

fn push_float(out: &mut Vec<u8>, value: f64) -> PyResult<()> {
    if !value.is_finite() {
        return Err(PyValueError::new_err(format!("JSON has no word for {value}")));
    }
    push_f64(out, value);
    Ok(())
}

fn push_dict(out: &mut Vec<u8>, dict: &Bound<'_, PyDict>, depth: u32) -> PyResult<()> {
    out.push(b'{');
    // All at once: writing a member may run code that changes the dict.
    let members: Vec<_> = dict.iter().collect();
    for (index, (key, value)) in members.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        if let Ok(key) = key.cast::<PyString>() {
            push_quoted(out, key.to_str()?);
        } else {
            push_key(out, &key)?;
        }
        out.push(b':');
        push(out, &value, depth + 1)?;
    }
    out.push(b'}');
    Ok(())
}

/// Keys that are no strings are written as JSON in quotes where that is plain, as elsewhere in Python.
fn push_key(out: &mut Vec<u8>, key: &Bound<'_, PyAny>) -> PyResult<()> {
    let is_scalar =
        key.is_none() || key.is_instance_of::<PyInt>() || key.is_instance_of::<PyFloat>();
    if !is_scalar {
        let plain = plain(key)?;
        let Ok(text) = plain.cast::<PyString>() else {
            let name = key.get_type().name()?;
            return Err(PyTypeError::new_err(format!("keys of objects are strings, not {name}")));
        };
        push_quoted(out, text.to_str()?);
        return Ok(());
    }
    out.push(b'"');
    push(out, key, 0)?;
    out.push(b'"');
    Ok(())
}

fn push_all<'py>(
    out: &mut Vec<u8>,
    values: impl Iterator<Item = Bound<'py, PyAny>>,
    depth: u32,
) -> PyResult<()> {
    out.push(b'[');
    for (index, value) in values.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        push(out, &value, depth + 1)?;
    }
    out.push(b']');
    Ok(())
}

/// A value that JSON has no word for, in values that it has one for.
fn plain<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    static PLAIN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = value.py();
    let plain = PLAIN
        .get_or_try_init(py, || py.import("mcplite._hints")?.getattr("plain").map(Bound::unbind))?;
    invoke_with(plain.bind(py), value)
}
