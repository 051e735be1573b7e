//! What answers the calls of one item: a function of Python's, and how to call it.

use std::sync::Arc;

use mcplite_core::{ErrorKind, Failure};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyString, PyTuple};
use pyo3::{PyTraverseError, PyVisit};

use crate::attached::{attached, invoke, invoke_with};
use crate::roots::Root;
use crate::run;
use crate::server::Shared;

/// What answers the calls of one registered item.
#[pyclass(frozen, module = "mcplite._native")]
pub(crate) struct Handler {
    #[pyo3(get)]
    pub(crate) function: Py<PyAny>,
    parameters: Vec<Parameter>,
    /// How many parameters are passed by place.
    positional: usize,
    /// Makes integers of the numbers in an argument that are written as `5.0` and should be some.
    integers: Option<Py<PyAny>>,
    pub(crate) context: Option<Py<PyString>>,
    pub(crate) pass_call: bool,
    pub(crate) structured: bool,
    pub(crate) wrap: bool,
    pub(crate) is_async: bool,
}

/// One parameter that clients can fill.
struct Parameter {
    name: String,
    /// Interned, so that calling the function compares pointers.
    key: Py<PyString>,
    converter: Converter,
    /// What is passed when the client says nothing; `None` leaves it to the function.
    default: Option<Py<PyAny>>,
}

enum Converter {
    None,
    /// JSON has one kind of numbers: `5.0` is an integer, and `5` a number.
    Int,
    Custom(Py<PyAny>),
}

#[pymethods]
impl Handler {
    #[new]
    #[pyo3(signature = (function, /, *, names=Vec::new(), pass_call=false, positional=0, converters=None, defaults=None,
        integers=None, context=None, structured=false, wrap=false, is_async=false))]
    #[expect(clippy::too_many_arguments, reason = "they have names where they are given")]
    fn new(
        py: Python<'_>,
        function: Py<PyAny>,
        names: Vec<String>,
        pass_call: bool,
        positional: usize,
        converters: Option<&Bound<'_, PyDict>>,
        defaults: Option<&Bound<'_, PyDict>>,
        integers: Option<Py<PyAny>>,
        context: Option<&str>,
        structured: bool,
        wrap: bool,
        is_async: bool,
    ) -> PyResult<Handler> {
        let parameters = names.into_iter().map(|name| {
            let converter = match find(converters, &name)? {
                None => Converter::None,
                Some(converter) if is_int(&converter) => Converter::Int,
                Some(converter) => Converter::Custom(converter.unbind()),
            };
            let default = find(defaults, &name)?.map(Bound::unbind);
            let key = PyString::intern(py, &name).unbind();
            Ok(Parameter { name, key, converter, default })
        });
        Ok(Handler {
            function,
            parameters: parameters.collect::<PyResult<_>>()?,
            positional,
            integers,
            context: context.map(|name| PyString::intern(py, name).unbind()),
            pass_call,
            structured,
            wrap,
            is_async,
        })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.function)?;
        visit.call(&self.integers)?;
        for parameter in &self.parameters {
            if let Converter::Custom(converter) = &parameter.converter {
                visit.call(converter)?;
            }
            visit.call(&parameter.default)?;
        }
        Ok(())
    }
}

fn find<'py>(dict: Option<&Bound<'py, PyDict>>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    dict.map_or(Ok(None), |dict| dict.get_item(name))
}

fn is_int(converter: &Bound<'_, PyAny>) -> bool {
    converter.is(converter.py().get_type::<PyInt>())
}

impl Handler {
    /// Puts an argument among those of the call, as the function wants it.
    pub(crate) fn put<'py>(
        &self,
        arguments: &Bound<'py, PyDict>,
        name: &str,
        value: Bound<'py, PyAny>,
    ) -> PyResult<()> {
        let py = arguments.py();
        let Some(parameter) = self.parameters.iter().find(|it| it.name == name) else {
            return arguments.set_item(name, value);
        };
        let key = parameter.key.bind(py);
        match &parameter.converter {
            Converter::None => arguments.set_item(key, value),
            Converter::Int
                if value.is_instance_of::<PyFloat>() || value.is_instance_of::<PyString>() =>
            {
                arguments.set_item(key, py.get_type::<PyInt>().call1((value,))?)
            }
            Converter::Int => arguments.set_item(key, value),
            Converter::Custom(converter) => {
                arguments.set_item(key, invoke_with(converter.bind(py), value)?)
            }
        }
    }

    /// An argument in which numbers have a point, with integers where the function wants some.
    pub(crate) fn with_integers<'py>(
        &self,
        name: &str,
        value: Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Some(integers) = &self.integers else { return Ok(value) };
        let py = value.py();
        invoke(integers.bind(py), (name, value).into_pyobject(py)?, None)
    }

    /// Fills in what the client left out and the function has no default for; gives those that are
    /// passed by place.
    pub(crate) fn complete<'py>(
        &self,
        arguments: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let py = arguments.py();
        for parameter in &self.parameters {
            let Some(default) = &parameter.default else { continue };
            let key = parameter.key.bind(py);
            if !arguments.contains(key)? {
                arguments.set_item(key, default)?;
            }
        }
        let mut places = Vec::with_capacity(self.positional);
        for parameter in self.parameters.iter().take(self.positional) {
            let key = parameter.key.bind(py);
            let Some(value) = arguments.get_item(key)? else { break };
            arguments.del_item(key)?;
            places.push(value);
        }
        PyTuple::new(py, places)
    }
}

/// A handler as the engine sees it.
pub(crate) struct PythonHandler {
    pub(crate) shared: Arc<Shared>,
    pub(crate) root: Arc<Root>,
}

impl mcplite_core::Handler for PythonHandler {
    fn handle(&self, call: &mcplite_core::Call) -> Result<(), Failure> {
        let answered = attached(|py| {
            let handler = self.root.get(py)?;
            let handler = handler.bind(py).cast::<Handler>().ok()?;
            Some(run::answer(&self.shared, handler, call))
        });
        answered.flatten().unwrap_or_else(|| {
            Err(Failure::new(ErrorKind::Internal, "the program that answers is ending"))
        })
    }
}

/// The handler of a call that waits for a loop, as the engine keeps it.
pub(crate) struct Attached(pub(crate) Arc<Root>);

impl Attached {
    /// The handler of a call, if it was registered as one that a loop runs.
    pub(crate) fn of(py: Python<'_>, call: &mcplite_core::Call) -> Option<Py<Handler>> {
        let attached = call.attachment()?.downcast_ref::<Attached>()?;
        Some(attached.0.get(py)?.bind(py).cast::<Handler>().ok()?.clone().unbind())
    }
}
