//! A server, and what its sessions, calls and threads share.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcplite_core::{Attendant, Kind, SealKey};
use mcplite_system::System;
use pyo3::exceptions::{PyKeyboardInterrupt, PySystemExit, PyValueError};
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};

use crate::attached::{attached, call};
use crate::call::Call;
use crate::error::OrRaise;
use crate::hooks::{self, PythonHook};
use crate::http::Http;
use crate::pool::Pool;
use crate::register::listed_kind;
use crate::roots::{Hook, Roots};
use crate::serving::Serving;
use crate::session::Session;

/// What is offered, to everybody who connects.
#[pyclass(frozen, weakref, module = "mcplite._native")]
pub(crate) struct Server {
    pub(crate) core: Arc<mcplite_core::Server>,
    pub(crate) shared: Arc<Shared>,
    attending: Mutex<Attending>,
}

/// What sessions, calls and threads share with their server. It holds nothing of Python's but the roots,
/// which belong to the server.
#[derive(Default)]
pub(crate) struct Shared {
    pub(crate) roots: Arc<Roots>,
    masks_errors: AtomicBool,
    /// Whoever waits for the end of the server, to be told of interrupts.
    waiting: Mutex<Vec<Box<dyn Fn() + Send + Sync>>>,
}

/// Who runs handlers while nobody feeds them inline.
#[derive(Default)]
struct Attending {
    pool: Option<Arc<Pool>>,
    /// Handlers wait for [`Server::run`], and the loop is told.
    by_loop: Option<Attendant>,
}

impl Shared {
    pub(crate) fn masks_errors(&self) -> bool {
        self.masks_errors.load(Ordering::Relaxed)
    }

    pub(crate) fn mask_errors(&self, mask: bool) {
        self.masks_errors.store(mask, Ordering::Relaxed);
    }

    /// Keeps an exception that belongs to whoever runs the server, and tells them. Gives back any other.
    pub(crate) fn pass_on(&self, py: Python<'_>, raised: PyErr) -> Option<PyErr> {
        if !raised.is_instance_of::<PyKeyboardInterrupt>(py)
            && !raised.is_instance_of::<PySystemExit>(py)
        {
            return Some(raised);
        }
        drop(self.roots.set(Hook::Pending, Some(raised.into_value(py).into_any())));
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.iter().for_each(|tell| tell());
        None
    }

    /// The exception that was kept, if there is one.
    pub(crate) fn take_interrupt(&self, py: Python<'_>) -> Option<PyErr> {
        if !self.roots.has(Hook::Pending) {
            return None;
        }
        let raised = self.roots.set(Hook::Pending, None)?;
        Some(PyErr::from_value(raised.into_bound(py)))
    }

    pub(crate) fn is_interrupted(&self) -> bool {
        self.roots.has(Hook::Pending)
    }

    pub(crate) fn tell_of_interrupts(&self, tell: impl Fn() + Send + Sync + 'static) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push(Box::new(tell));
    }

    /// Tells the loop that calls wait.
    fn wake_loop(&self) {
        if self.roots.has(Hook::CallWake) {
            let wake = attached(|py| self.roots.get(py, Hook::CallWake));
            wake.flatten().iter().for_each(call);
        }
    }
}

#[pymethods]
impl Server {
    #[new]
    #[pyo3(signature = (name, version, /))]
    fn new(name: &str, version: &str) -> PyResult<Server> {
        let core = mcplite_core::Server::new(name, version).or_raise()?;
        System::provide(&core);
        Ok(Server { core: Arc::new(core), shared: Arc::default(), attending: Mutex::default() })
    }

    #[pyo3(signature = (maker, /))]
    fn set_context_class(&self, maker: Option<Py<PyAny>>) {
        drop(self.shared.roots.set(Hook::Context, maker));
    }

    #[pyo3(signature = (reporter, /))]
    fn set_reporter(&self, reporter: Option<Py<PyAny>>) {
        drop(self.shared.roots.set(Hook::Reporter, reporter));
    }

    #[pyo3(signature = (clock, /))]
    fn set_clock(&self, clock: Option<Py<PyAny>>) {
        let is_own = clock.is_some();
        drop(self.shared.roots.set(Hook::Clock, clock));
        match is_own {
            true => self.core.set_clock(PythonHook::new(&self.shared)),
            false => self.core.set_clock(System::new()),
        }
    }

    #[pyo3(signature = (entropy, /))]
    fn set_entropy(&self, entropy: Option<Py<PyAny>>) {
        let is_own = entropy.is_some();
        drop(self.shared.roots.set(Hook::Entropy, entropy));
        match is_own {
            true => self.core.set_entropy(PythonHook::new(&self.shared)),
            false => self.core.set_entropy(System::new()),
        }
    }

    #[pyo3(signature = (observer, /))]
    fn set_observer(&self, observer: Option<Py<PyAny>>) {
        let is_own = observer.is_some();
        drop(self.shared.roots.set(Hook::Observer, observer));
        match is_own {
            true => self.core.set_observer(PythonHook::new(&self.shared)),
            false => self.core.unset(mcplite_core::Hook::Observer),
        }
    }

    #[pyo3(signature = (hook, /))]
    fn set_error_hook(&self, hook: Option<Py<PyAny>>) {
        let is_own = hook.is_some();
        drop(self.shared.roots.set(Hook::Errors, hook));
        match is_own {
            true => self.core.set_error_hook(PythonHook::new(&self.shared)),
            false => self.core.unset(mcplite_core::Hook::Errors),
        }
    }

    #[pyo3(signature = (keys, /))]
    fn set_seal_keys(&self, keys: Vec<Vec<u8>>) -> PyResult<()> {
        let keys = keys.iter().map(|key| {
            let key: Result<SealKey, _> = key.as_slice().try_into();
            key.map_err(|_| PyValueError::new_err("a seal key is 32 bytes"))
        });
        self.core.set_seal_keys(&keys.collect::<PyResult<Vec<_>>>()?);
        Ok(())
    }

    fn session(slf: &Bound<'_, Server>) -> PyResult<Session> {
        Session::new(slf)
    }

    #[pyo3(signature = (path, /))]
    fn http(slf: &Bound<'_, Server>, path: &str) -> PyResult<Http> {
        Http::new(slf, path)
    }

    #[pyo3(signature = (uri, /))]
    fn notify_resource_updated(&self, py: Python<'_>, uri: &str) {
        py.detach(|| self.core.notify_resource_updated(uri));
    }

    #[pyo3(signature = (kind, /))]
    fn notify_list_changed(&self, py: Python<'_>, kind: &str) -> PyResult<()> {
        let kind: Kind = listed_kind(kind)?;
        py.detach(|| self.core.notify_list_changed(kind)).or_raise()
    }

    #[pyo3(signature = (elicitation_id, /))]
    fn notify_elicitation_complete(&self, py: Python<'_>, elicitation_id: &str) -> PyResult<()> {
        py.detach(|| self.core.notify_elicitation_complete(elicitation_id)).or_raise()
    }

    fn shutdown(&self, py: Python<'_>) {
        py.detach(|| self.core.shutdown());
    }

    fn close(&self, py: Python<'_>) {
        py.detach(|| self.core.close());
        self.dismiss(py);
    }

    #[getter]
    fn is_draining(&self) -> bool {
        self.core.is_draining()
    }

    #[getter]
    fn is_closed(&self) -> bool {
        self.core.is_closed()
    }

    #[getter]
    fn memory_used(&self) -> usize {
        self.core.memory_used()
    }

    /// Runs handlers that wait, on this thread; all that wait now for 0. Says how many.
    #[pyo3(signature = (maximum=0, /))]
    fn run(&self, py: Python<'_>, maximum: usize) -> PyResult<usize> {
        let ran = self.core.run(maximum).or_raise()?;
        self.raise_interrupt(py)?;
        Ok(ran)
    }

    #[getter]
    fn waiting(&self) -> usize {
        self.core.waiting()
    }

    fn next_call(&self) -> Option<Call> {
        self.core.next_call().map(|call| Call::new(call, &self.shared))
    }

    #[pyo3(signature = (wake, /))]
    fn set_call_wake(&self, wake: Option<Py<PyAny>>) {
        let is_set = wake.is_some();
        drop(self.shared.roots.set(Hook::CallWake, wake));
        let wake: Option<mcplite_core::Wake> = is_set.then(|| {
            let shared = Arc::clone(&self.shared);
            // The engine holds the wake, so that this must not hold the engine.
            let core = Arc::downgrade(&self.core);
            // Rung for deadlines and for handlers of the pool too, which are not the loop's business.
            let wake = move || {
                if core.upgrade().is_some_and(|core| core.has_calls()) {
                    shared.wake_loop();
                }
            };
            Arc::new(wake) as mcplite_core::Wake
        });
        self.core.set_wake(wake);
    }

    #[getter]
    fn timeout_ms(&self) -> Option<u64> {
        self.core.timeout_ms()
    }

    fn tick(&self, py: Python<'_>) {
        py.detach(|| self.core.tick());
    }

    /// From now on handlers run on at most so many threads, whoever feeds. With 0 they wait for `run`,
    /// and the loop is told.
    #[pyo3(signature = (workers, /))]
    fn attend(&self, workers: usize) -> PyResult<()> {
        self.attend_with(workers)
    }

    /// Handlers run where they are fed again.
    fn dismiss(&self, py: Python<'_>) {
        let gone = std::mem::take(&mut *self.attending());
        py.detach(|| drop(gone));
    }

    /// Serves standard input and output. With 0 workers handlers run in `Serving.wait`; with none given,
    /// somebody attends already.
    #[pyo3(signature = (*, workers=None, grace_ms=5000))]
    fn serve_stdio(&self, workers: Option<usize>, grace_ms: u64) -> PyResult<Serving> {
        if let Some(workers) = workers.filter(|workers| *workers > 0) {
            self.attend_with(workers)?;
        }
        Serving::stdio(self, workers == Some(0), grace_ms)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.shared.roots.traverse(&visit)
    }

    fn __clear__(&self) {
        self.shared.roots.clear();
    }
}

impl Server {
    pub(crate) fn attend_with(&self, workers: usize) -> PyResult<()> {
        let mut attending = self.attending();
        if workers == 0 {
            if attending.by_loop.is_none() && attending.pool.is_none() {
                let shared = Arc::clone(&self.shared);
                attending.by_loop = Some(self.core.attend(Arc::new(move || shared.wake_loop())));
            }
            return Ok(());
        }
        if attending.pool.as_ref().is_none_or(|pool| !pool.is_of_this_process()) {
            let old = attending.pool.replace(Pool::new(&self.core, workers)?);
            // Its threads are those of the process that made this one: nothing of it can be waited for.
            std::mem::forget(old);
        }
        Ok(())
    }

    /// Raises what belongs to whoever runs the server.
    pub(crate) fn raise_interrupt(&self, py: Python<'_>) -> PyResult<()> {
        self.shared.take_interrupt(py).map_or(Ok(()), Err)
    }

    /// Whether handlers wait for somebody instead of running where they are fed.
    pub(crate) fn is_attended(&self) -> bool {
        let attending = self.attending();
        attending.pool.is_some() || attending.by_loop.is_some()
    }

    pub(crate) fn pool(&self) -> Option<Arc<Pool>> {
        self.attending().pool.clone()
    }

    fn attending(&self) -> MutexGuard<'_, Attending> {
        self.attending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let gone = std::mem::take(&mut *self.attending());
        drop(gone);
        hooks::let_go(&self.core);
    }
}
