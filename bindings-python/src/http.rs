//! An endpoint: a server that is reached over HTTP.

use std::sync::{Arc, Mutex, PoisonError};

use mcplite_core::{Authorizer, Verdict};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt};
use pyo3::{PyTraverseError, PyVisit};

use crate::attached::{attached, invoke_with};
use crate::error::OrRaise;
use crate::exchange::{Exchange, HttpRequest};
use crate::options::set_http_option;
use crate::server::{Server, Shared};
use crate::serving::Serving;

/// A server at a path.
#[pyclass(frozen, module = "mcplite._native")]
pub(crate) struct Http {
    pub(crate) core: mcplite_core::Http,
    pub(crate) server: Py<Server>,
    authorizer: Arc<Slot>,
}

/// The function that decides about requests, where the collector sees it.
#[derive(Default)]
struct Slot(Mutex<Option<Py<PyAny>>>);

impl Slot {
    fn get(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        let slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        slot.as_ref().map(|function| function.clone_ref(py))
    }

    fn set(&self, function: Option<Py<PyAny>>) {
        let old = std::mem::replace(
            &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner),
            function,
        );
        drop(old);
    }
}

impl Http {
    pub(crate) fn new(server: &Bound<'_, Server>, path: &str) -> PyResult<Http> {
        let core = mcplite_core::Http::new(&server.get().core, path).or_raise()?;
        Ok(Http { core, server: server.clone().unbind(), authorizer: Arc::default() })
    }
}

#[pymethods]
impl Http {
    /// Sets options by name, all of them or none.
    #[pyo3(signature = (options, /))]
    fn configure(&self, options: &Bound<'_, PyDict>) -> PyResult<()> {
        let mut own = self.core.options();
        for (name, value) in options.iter() {
            set_http_option(&mut own, &name.extract::<String>()?, &value)?;
        }
        self.core.configure(|options| options.clone_from(&own)).or_raise()
    }

    /// Sets who decides about requests. The function gets an `HttpRequest` and gives `True`, the name of
    /// the principal, or 401 or 403; `False` and `None` are 401.
    #[pyo3(signature = (authorizer, /))]
    fn set_authorizer(&self, authorizer: Option<Py<PyAny>>) {
        let is_set = authorizer.is_some();
        self.authorizer.set(authorizer);
        let shared = Arc::clone(&self.server.get().shared);
        let decides = PythonAuthorizer { function: Arc::clone(&self.authorizer), shared };
        self.core.set_authorizer(is_set.then(|| Arc::new(decides) as Arc<dyn Authorizer>));
    }

    /// Puts another server at another path.
    #[pyo3(signature = (path, server, /))]
    fn mount(&self, path: &str, server: &Bound<'_, Server>) -> PyResult<()> {
        self.core.mount(path, &server.get().core).or_raise()
    }

    #[pyo3(signature = (path, /))]
    fn unmount(&self, py: Python<'_>, path: &str) -> PyResult<()> {
        py.detach(|| self.core.unmount(path)).or_raise()
    }

    #[pyo3(signature = (method, target, /))]
    fn open(&self, py: Python<'_>, method: &str, target: &str) -> PyResult<Exchange> {
        Ok(Exchange::new(py, self.core.open(method, target).or_raise()?, &self.server))
    }

    #[getter]
    fn sessions(&self) -> usize {
        self.core.sessions()
    }

    fn close(&self, py: Python<'_>) {
        py.detach(|| self.core.close());
    }

    /// Listens at an address and serves whoever comes; see `Server.serve_stdio` for the workers.
    #[pyo3(signature = (address, /, *, workers=None, grace_ms=5000))]
    fn serve(
        &self,
        py: Python<'_>,
        address: &str,
        workers: Option<usize>,
        grace_ms: u64,
    ) -> PyResult<Serving> {
        let server = self.server.get();
        Serving::http(py, server, self.core.clone(), address, workers, grace_ms)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.server)?;
        let Ok(slot) = self.authorizer.0.try_lock() else { return Ok(()) };
        visit.call(&*slot)
    }

    fn __clear__(&self) {
        self.authorizer.set(None);
    }
}

struct PythonAuthorizer {
    function: Arc<Slot>,
    shared: Arc<Shared>,
}

impl Authorizer for PythonAuthorizer {
    fn authorize(&self, request: &mcplite_core::HttpRequest) -> Verdict {
        let decided = attached(|py| {
            let Some(function) = self.function.get(py) else { return Verdict::Unauthorized };
            let decided = Bound::new(py, HttpRequest(request.clone()))
                .and_then(|request| invoke_with(function.bind(py), request))
                .and_then(|given| verdict(request, &given));
            decided.unwrap_or_else(|error| {
                // Whoever cannot decide lets nobody in.
                if let Some(error) = self.shared.pass_on(py, error) {
                    error.write_unraisable(py, Some(function.bind(py)));
                }
                Verdict::Forbidden
            })
        });
        decided.unwrap_or(Verdict::Forbidden)
    }
}

fn verdict(request: &mcplite_core::HttpRequest, given: &Bound<'_, PyAny>) -> PyResult<Verdict> {
    if given.is_none() {
        return Ok(Verdict::Unauthorized);
    }
    if let Ok(granted) = given.cast::<PyBool>() {
        return Ok(if granted.is_true() { Verdict::Granted } else { Verdict::Unauthorized });
    }
    if let Ok(status) = given.cast::<PyInt>() {
        return match status.extract::<i64>() {
            Ok(401) => Ok(Verdict::Unauthorized),
            Ok(403) => Ok(Verdict::Forbidden),
            _ => Err(PyValueError::new_err("a request is refused with 401 or 403")),
        };
    }
    request.set_principal(Some(&given.extract::<String>()?));
    Ok(Verdict::Granted)
}
