//! Code of Python's on threads that are not Python's, and what becomes of them when the interpreter ends.
//!
//! Before 3.14, a thread that comes back to an interpreter which is ending is ended by unwinding its stack,
//! from wherever it waits for the lock: inside a function of Python's that has slept, for example. Rust's
//! frames cannot be unwound like that. So whatever runs Python code goes through [`invoke`], where such a
//! thread comes to rest, and ends with the process.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// Runs code that uses Python, on any thread; `None` while the interpreter ends.
pub(crate) fn attached<T>(code: impl FnOnce(Python<'_>) -> T) -> Option<T> {
    Python::try_attach(code)
}

/// Calls a function of Python's, on any thread. What it raises is told as Python tells of exceptions that
/// nobody can catch.
pub(crate) fn call(function: &Py<PyAny>) {
    attached(|py| {
        let function = function.bind(py);
        if let Err(error) = invoke(function, PyTuple::empty(py), None) {
            error.write_unraisable(py, Some(function));
        }
    });
}

/// Calls a function of Python's with one argument.
pub(crate) fn invoke_with<'py>(
    function: &Bound<'py, PyAny>,
    argument: impl IntoPyObject<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    invoke(function, (argument,).into_pyobject(function.py())?, None)
}

/// Calls a function of Python's.
pub(crate) fn invoke<'py>(
    function: &Bound<'py, PyAny>,
    arguments: Bound<'py, PyTuple>,
    named: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    struct Rest;
    impl Drop for Rest {
        fn drop(&mut self) {
            // Only reached when the stack is unwound, which no panic does here.
            loop {
                std::thread::park();
            }
        }
    }
    let rest = Rest;
    let given = unwinding::call(function, &arguments, named);
    std::mem::forget(rest);
    given
}

/// The one place with unsafe code of ours: PyO3 declares what it calls as if it never unwound.
#[expect(
    unsafe_code,
    reason = "only so can a thread that is ended be caught before it reaches Rust"
)]
mod unwinding {
    use pyo3::ffi::PyObject;
    use pyo3::prelude::*;
    use pyo3::types::{PyDict, PyTuple};

    type Call =
        unsafe extern "C-unwind" fn(*mut PyObject, *mut PyObject, *mut PyObject) -> *mut PyObject;

    pub(super) fn call<'py>(
        function: &Bound<'py, PyAny>,
        arguments: &Bound<'py, PyTuple>,
        named: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let named = named.map_or(std::ptr::null_mut(), |named| named.as_ptr());
        // By way of a pointer that the compiler knows nothing about: as long as it sees which function that
        // is, it remembers what PyO3 has said of it.
        let known = std::hint::black_box(pyo3::ffi::PyObject_Call as *const ());
        // SAFETY: a function that never unwinds may be called as one that does; the rest of its type is the
        // same. The pointers are those of live objects of the types that it asks for, or null where that is
        // allowed, and this thread is attached, as having them shows. It gives a new reference, or null
        // with an exception set.
        unsafe {
            let call: Call = std::mem::transmute(known);
            let given = call(function.as_ptr(), arguments.as_ptr(), named);
            Bound::from_owned_ptr_or_err(function.py(), given)
        }
    }
}
