//! A response as an ASGI application sends it.

use mcplite_core::Whole;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

/// The start of the response and its body.
pub(crate) fn messages<'py>(py: Python<'py>, whole: &Whole) -> PyResult<Bound<'py, PyTuple>> {
    let headers = header_list(py, &whole.headers)?;
    // A response that has no body says nothing of its length.
    if whole.status != 204 {
        headers.append(length_of(py, whole.body.len())?)?;
    }
    let start = PyDict::new(py);
    start.set_item(intern!(py, "type"), intern!(py, "http.response.start"))?;
    start.set_item(intern!(py, "status"), whole.status)?;
    start.set_item(intern!(py, "headers"), headers)?;
    let body = PyDict::new(py);
    body.set_item(intern!(py, "type"), intern!(py, "http.response.body"))?;
    body.set_item(intern!(py, "body"), PyBytes::new(py, &whole.body))?;
    (start, body).into_pyobject(py)
}

/// Headers as pairs of bytes, with names in lower case.
pub(crate) fn header_list<'py>(
    py: Python<'py>,
    headers: &[(&'static str, impl AsRef<str>)],
) -> PyResult<Bound<'py, PyList>> {
    // What nearly all responses say, made once.
    static JSON: PyOnceLock<Py<PyTuple>> = PyOnceLock::new();
    let list = PyList::empty(py);
    for (name, value) in headers {
        let value = value.as_ref();
        if (*name, value) == ("Content-Type", "application/json") {
            list.append(JSON.get_or_try_init(py, || pair(py, name, value).map(Bound::unbind))?)?;
        } else {
            list.append(pair(py, name, value)?)?;
        }
    }
    Ok(list)
}

fn pair<'py>(py: Python<'py>, name: &str, value: &str) -> PyResult<Bound<'py, PyTuple>> {
    let name = name.to_ascii_lowercase();
    (PyBytes::new(py, name.as_bytes()), PyBytes::new(py, value.as_bytes())).into_pyobject(py)
}

fn length_of(py: Python<'_>, length: usize) -> PyResult<Bound<'_, PyTuple>> {
    static NAME: PyOnceLock<Py<PyBytes>> = PyOnceLock::new();
    let name = NAME.get_or_init(py, || PyBytes::new(py, b"content-length").unbind());
    (name, PyBytes::new(py, length.to_string().as_bytes())).into_pyobject(py)
}
