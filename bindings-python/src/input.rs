//! Bytes that Python hands in.

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// Bytes that nobody can change while they are read: those of a `bytes`, or a copy of another buffer's.
pub(crate) enum Input<'a> {
    Bytes(&'a [u8]),
    Copy(Vec<u8>),
}

/// From this size on the interpreter's lock is let go while the engine works.
pub(crate) const LARGE: usize = 64 * 1024;

impl<'a> Input<'a> {
    /// The bytes of a contiguous buffer. `usage` says what is expected, for text that was not encoded.
    pub(crate) fn new(data: &'a Bound<'_, PyAny>, usage: &str) -> PyResult<Input<'a>> {
        // The exact type first: that is a look at a pointer.
        if let Ok(bytes) = data.cast_exact::<PyBytes>().or_else(|_| data.cast::<PyBytes>()) {
            return Ok(Input::Bytes(bytes.as_bytes()));
        }
        if data.is_instance_of::<PyString>() {
            let text = format!("{usage}, not str: encode it as UTF-8 first");
            return Err(PyTypeError::new_err(text));
        }
        let buffer = PyBuffer::<u8>::get(data).map_err(|error| {
            let given = data.get_type().name().map(|name| name.to_string());
            let text = format!("{usage}, not {}", given.unwrap_or_default());
            let refusal = PyTypeError::new_err(text);
            refusal.set_cause(data.py(), Some(error));
            refusal
        })?;
        Ok(Input::Copy(buffer.to_vec(data.py())?))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Input::Bytes(bytes) => bytes,
            Input::Copy(bytes) => bytes,
        }
    }

    /// Runs the engine on them, and lets other threads of Python run meanwhile if that takes long.
    pub(crate) fn feed<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&[u8]) -> T + Send) -> T {
        let bytes = self.bytes();
        if bytes.len() < LARGE { work(bytes) } else { py.detach(|| work(bytes)) }
    }
}
