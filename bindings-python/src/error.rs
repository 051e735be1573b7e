//! What the engine refuses, as exceptions of `mcplite.errors`; and kinds of errors by name.

use mcplite_core::{Error, ErrorKind, ErrorTable, Failure, Preset, Revision};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::read::value_of;

/// What the host did wrong.
pub(crate) fn refused(error: Error) -> PyErr {
    let class = match &error {
        Error::Definition(_) | Error::Json { .. } | Error::Name(_) => "DefinitionError",
        Error::Exists => "ExistsError",
        Error::NotFound => "UnknownItemError",
        Error::Limit(_) => "LimitError",
        Error::Busy => "BusyError",
        Error::Closed => "ClosedError",
        Error::Cancelled => "CallCancelledError",
        Error::Answered => "AnsweredError",
        _ => "MisuseError",
    };
    Python::attach(|py| named(py, class, error.to_string()))
}

/// An exception of that class of `mcplite.errors`.
pub(crate) fn named(py: Python<'_>, class: &str, text: String) -> PyErr {
    let class = py.import("mcplite.errors").and_then(|errors| errors.getattr(class));
    match class.and_then(|class| Ok(class.cast_into::<PyType>()?)) {
        Ok(class) => PyErr::from_type(class, (text,)),
        Err(error) => error,
    }
}

/// What the engine refuses a client, as the exception that is answered in the same way.
pub(crate) fn raised(py: Python<'_>, failure: &Failure, revision: Revision) -> PyErr {
    let kind = failure.kind().unwrap_or(ErrorKind::Internal);
    let code = ErrorTable::new(Preset::Spec).rule(kind, revision).code;
    let make = || {
        let data = failure.data().map(|json| value_of(py, json)).transpose()?;
        let made = py.import("mcplite.errors")?.getattr("_of_engine")?;
        made.call1((kind.name(), code, failure.text(), data))
    };
    make().map_or_else(|error| error, PyErr::from_value)
}

/// Lets the results of the engine pass with `?`.
pub(crate) trait OrRaise<T> {
    fn or_raise(self) -> PyResult<T>;
}

impl<T> OrRaise<T> for Result<T, Error> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(refused)
    }
}

/// The kind of that name.
pub(crate) fn kind(name: &str) -> PyResult<ErrorKind> {
    ErrorKind::parse(name).ok_or_else(|| {
        let names = ErrorKind::ALL.map(ErrorKind::name).join(", ");
        PyValueError::new_err(format!("{name:?} is no kind of error; those are {names}"))
    })
}
