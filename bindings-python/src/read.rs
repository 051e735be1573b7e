//! JSON text into Python values.

use mcplite_core::json::{Fault, MAX_DEPTH, Reader, parse_f64};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};

use crate::input::Input;

/// Reads one JSON value, strictly; ValueError says where it is wrong.
#[pyfunction]
#[pyo3(signature = (text, /))]
pub(crate) fn loads<'py>(py: Python<'py>, text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if let Ok(text) = text.cast::<PyString>() {
        return value_of(py, text.to_str()?);
    }
    let input = Input::new(text, "loads() takes str or bytes")?;
    let text = std::str::from_utf8(input.bytes());
    value_of(py, text.map_err(|error| PyValueError::new_err(error.to_string()))?)
}

/// The value of a JSON text.
pub(crate) fn value_of<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let mut reader = Reader::new(text, MAX_DEPTH);
    let value = value(py, &mut reader)?;
    reader.end().map_err(invalid)?;
    Ok(value)
}

/// The value that comes next.
pub(crate) fn value<'py>(py: Python<'py>, reader: &mut Reader<'_>) -> PyResult<Bound<'py, PyAny>> {
    value_noting(py, reader, &mut false)
}

/// The same; notes whether a number in it is written with a fraction or an exponent.
pub(crate) fn value_noting<'py>(
    py: Python<'py>,
    reader: &mut Reader<'_>,
    has_floats: &mut bool,
) -> PyResult<Bound<'py, PyAny>> {
    match reader.peek() {
        Some(b'"') => {
            let text = reader.string().map_err(invalid)?;
            Ok(PyString::new(py, &text.decode()).into_any())
        }
        Some(b'{') => {
            let object = PyDict::new(py);
            let mut key = reader.first_key().map_err(invalid)?;
            while let Some(name) = key {
                let member = value_noting(py, reader, has_floats)?;
                object.set_item(PyString::new(py, &name.decode()), member)?;
                key = reader.next_key().map_err(invalid)?;
            }
            Ok(object.into_any())
        }
        Some(b'[') => {
            let list = PyList::empty(py);
            let mut more = reader.first_element().map_err(invalid)?;
            while more {
                list.append(value_noting(py, reader, has_floats)?)?;
                more = reader.next_element().map_err(invalid)?;
            }
            Ok(list.into_any())
        }
        _ => scalar(py, reader.scalar().map_err(invalid)?, has_floats),
    }
}

fn scalar<'py>(py: Python<'py>, text: &str, has_floats: &mut bool) -> PyResult<Bound<'py, PyAny>> {
    match text {
        "true" => Ok(PyBool::new(py, true).to_owned().into_any()),
        "false" => Ok(PyBool::new(py, false).to_owned().into_any()),
        "null" => Ok(py.None().into_bound(py)),
        number if number.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) => {
            *has_floats = true;
            // What is beyond the largest float is infinite, as Python reads it elsewhere.
            let infinite = if number.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY };
            Ok(PyFloat::new(py, parse_f64(number).unwrap_or(infinite)).into_any())
        }
        number => match number.parse::<i64>() {
            Ok(value) => Ok(PyInt::new(py, value).into_any()),
            // Python has a limit on digits, and says so.
            Err(_) => py.get_type::<PyInt>().call1((number,)),
        },
    }
}

fn invalid(fault: Fault) -> PyErr {
    PyValueError::new_err(format!("invalid JSON at byte {}: {}", fault.at, fault.kind.describe()))
}
