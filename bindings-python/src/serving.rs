//! Loops that serve on threads of their own, and waiting for their end.

#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use mcplite_core::Attendant;
use mcplite_serve::{Helm, ServeError, Settings};
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::attached::call;
use crate::error::named;
use crate::pool::Pool;
use crate::server::{Server, Shared};
use crate::waker::Waker;

/// A loop that serves until it is over.
#[pyclass(frozen, module = "mcplite._native")]
pub(crate) struct Serving {
    core: mcplite_core::Server,
    shared: Arc<Shared>,
    progress: Arc<Progress>,
    pool: Option<Arc<Pool>>,
    /// Handlers run in [`Serving::wait`].
    inline: Mutex<Option<Attendant>>,
    /// The loop, which [`Serving::wait`] drives if it runs handlers.
    helm: Option<Helm>,
    /// Where a signal writes a byte while [`Serving::wait`] drives.
    #[cfg(unix)]
    signals: Option<UnixStream>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// What the thread of a loop tells.
#[derive(Debug)]
struct Progress {
    waker: Waker,
    /// A handler runs in [`Serving::wait`].
    is_busy: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    address: Option<String>,
    ended: Option<Result<(), Trouble>>,
    on_end: Vec<Py<PyAny>>,
}

/// Why a loop has not ended well.
#[derive(Clone, Debug)]
enum Trouble {
    Closed,
    Io(Option<i32>, String),
    Other(String),
}

impl Progress {
    fn new() -> PyResult<Arc<Progress>> {
        Ok(Arc::new(Progress {
            waker: Waker::new()?,
            is_busy: AtomicBool::new(false),
            state: Mutex::default(),
        }))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_over(&self) -> bool {
        self.lock().ended.is_some()
    }

    /// There are handlers for [`Serving::wait`] to run, which may be driving a loop.
    fn call(&self, helm: Option<&Helm>) {
        self.waker.ring();
        if let Some(helm) = helm
            && !self.is_busy.load(Ordering::SeqCst)
        {
            helm.call_away();
        }
    }

    fn end(&self, result: Result<(), ServeError>) {
        let callbacks = {
            let mut state = self.lock();
            state.ended = Some(result.map_err(|error| match error {
                ServeError::Closed => Trouble::Closed,
                ServeError::Io(error) => Trouble::Io(error.raw_os_error(), error.to_string()),
                other => Trouble::Other(other.to_string()),
            }));
            std::mem::take(&mut state.on_end)
        };
        self.waker.ring();
        callbacks.iter().for_each(call);
    }
}

impl Serving {
    pub(crate) fn stdio(server: &Server, inline: bool, grace_ms: u64) -> PyResult<Serving> {
        let serving = Serving::new(server, inline, None)?;
        let (core, progress) = (serving.core.clone(), Arc::clone(&serving.progress));
        let settings = settings(grace_ms);
        serving.spawn(move || progress.end(mcplite_serve::stdio(&core, &settings)))?;
        Ok(serving)
    }

    pub(crate) fn http(
        py: Python<'_>,
        server: &Server,
        http: mcplite_core::Http,
        address: &str,
        workers: Option<usize>,
        grace_ms: u64,
    ) -> PyResult<Serving> {
        if let Some(workers) = workers.filter(|workers| *workers > 0) {
            server.attend_with(workers)?;
        }
        let helm = Helm::default();
        let serving = Serving::new(server, workers == Some(0), Some(&helm))?;
        let (progress, address) = (Arc::clone(&serving.progress), address.to_owned());
        let settings = settings(grace_ms);
        serving.spawn(move || {
            let listening = Arc::clone(&progress);
            let result = mcplite_serve::http_at(&helm, &http, &address, &settings, &mut |url| {
                listening.lock().address = Some(url.to_owned());
                listening.waker.ring();
            });
            progress.end(result);
        })?;
        let progress = &serving.progress;
        // Short: it listens, or it says why it cannot.
        py.detach(|| {
            while progress.lock().address.is_none() && !progress.is_over() {
                progress.waker.sleep();
            }
        });
        if progress.lock().address.is_none() {
            serving.result(py)?;
        }
        Ok(serving)
    }

    /// Somebody must run handlers: [`Serving::wait`], if that is `inline`, or else the pool. Whoever does can
    /// drive the loop as well.
    fn new(server: &Server, inline: bool, helm: Option<&Helm>) -> PyResult<Serving> {
        let (core, progress, pool) = (server.core.as_ref(), Progress::new()?, server.pool());
        if let (Some(pool), Some(helm)) = (&pool, helm) {
            pool.lend_a_hand(helm);
        }
        let helm = helm.filter(|_| inline).cloned();
        let (woken, driven) = (Arc::clone(&progress), helm.clone());
        server.shared.tell_of_interrupts(move || {
            woken.waker.ring();
            driven.iter().for_each(Helm::call_away);
        });
        #[cfg(unix)]
        let signals = helm.as_ref().map(|helm| watch_signals(helm, &progress)).transpose()?;
        let attendant = inline.then(|| {
            let (woken, helm) = (Arc::clone(&progress), helm.clone());
            core.attend(Arc::new(move || woken.call(helm.as_ref())))
        });
        Ok(Serving {
            core: core.clone(),
            shared: Arc::clone(&server.shared),
            progress,
            pool,
            inline: Mutex::new(attendant),
            helm,
            #[cfg(unix)]
            signals,
            thread: Mutex::default(),
        })
    }

    fn spawn(&self, code: impl FnOnce() + Send + 'static) -> PyResult<()> {
        let thread = thread::Builder::new().name("mcplite-run".into()).spawn(code)?;
        *self.thread.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread);
        Ok(())
    }

    /// Runs what waits, if that is to happen here.
    fn run_inline(&self) {
        let is_inline = self.inline.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        while is_inline && !self.shared.is_interrupted() && self.core.waiting() > 0 {
            self.progress.is_busy.store(true, Ordering::SeqCst);
            let ran = self.core.run(64);
            // Before the next look at what waits, so that whoever comes now is seen, or sees this.
            self.progress.is_busy.store(false, Ordering::SeqCst);
            if !ran.is_ok_and(|ran| ran > 0) {
                return;
            }
        }
    }

    /// Waits until there is something to do, or to look at.
    fn sleep(&self) {
        if !self.helm.as_ref().is_some_and(Helm::drive) {
            self.progress.waker.sleep();
        }
    }

    fn signal_fd(&self) -> i64 {
        #[cfg(unix)]
        if let Some(signals) = &self.signals {
            return std::os::fd::AsRawFd::as_raw_fd(signals).into();
        }
        self.progress.waker.signal_fd()
    }

    fn wait_for_end(&self, py: Python<'_>) -> PyResult<()> {
        loop {
            self.run_inline();
            if let Some(raised) = self.shared.take_interrupt(py) {
                return Err(raised);
            }
            py.check_signals()?;
            if self.progress.is_over() {
                return Ok(());
            }
            py.detach(|| self.sleep());
        }
    }
}

/// Has signals call whoever drives a loop, and whoever sleeps because another thread does. Gives the end that
/// they are to write to.
#[cfg(unix)]
fn watch_signals(helm: &Helm, progress: &Arc<Progress>) -> PyResult<UnixStream> {
    let (heard, told) = UnixStream::pair()?;
    heard.set_nonblocking(true)?;
    told.set_nonblocking(true)?;
    let woken = Arc::clone(progress);
    helm.watch(heard, move || woken.waker.ring());
    Ok(told)
}

fn settings(grace_ms: u64) -> Settings {
    Settings { host_attends: true, grace_ms, ..Settings::default() }
}

#[pymethods]
impl Serving {
    /// Waits for the end. An interrupt shuts the server down and is raised when open calls have ended,
    /// at the latest after the grace time; a second one at once.
    fn wait(&self, py: Python<'_>) -> PyResult<()> {
        let _signals = SignalFd::install(py, self.signal_fd());
        let waited = self.wait_for_end(py);
        if waited.is_err() {
            py.detach(|| self.core.shutdown());
            let second = self.wait_for_end(py);
            if second.is_ok() {
                // Whatever it was, it has been told.
                drop(self.result(py));
            }
        }
        let inline = self.inline.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (pool, deadline) = (self.pool.clone(), Instant::now() + NOTICE);
        py.detach(|| {
            drop(inline);
            // The grace time is over; handlers whose calls were cancelled have a moment to notice.
            pool.into_iter().for_each(|pool| pool.settle(deadline));
        });
        waited?;
        self.result(py)
    }

    /// Calls a function when it is over, on another thread; at once if it is.
    #[pyo3(signature = (callback, /))]
    fn on_end(&self, callback: Py<PyAny>) {
        let mut state = self.progress.lock();
        if state.ended.is_some() {
            drop(state);
            call(&callback);
        } else {
            state.on_end.push(callback);
        }
    }

    /// Where it listens.
    #[getter]
    fn address(&self) -> Option<String> {
        self.progress.lock().address.clone()
    }

    #[getter]
    fn is_over(&self) -> bool {
        self.progress.is_over()
    }

    /// Raises what went wrong, if it is over and something did.
    fn result(&self, py: Python<'_>) -> PyResult<()> {
        let ended = self.progress.lock().ended.clone();
        if ended.is_some() {
            // It may still be about to tell somebody, which must not outlive the interpreter.
            let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
            py.detach(|| thread.map(JoinHandle::join));
        }
        match ended {
            None | Some(Ok(())) => Ok(()),
            Some(Err(Trouble::Closed)) => {
                Err(named(py, "ClosedError", "the server is closed or shutting down".to_owned()))
            }
            Some(Err(Trouble::Io(Some(number), text))) => Err(PyOSError::new_err((number, text))),
            Some(Err(Trouble::Io(None, text))) => Err(PyOSError::new_err(text)),
            Some(Err(Trouble::Other(text))) => Err(PyRuntimeError::new_err(text)),
        }
    }
}

/// How long handlers whose calls were cancelled have to notice.
const NOTICE: Duration = Duration::from_millis(100);

/// While one lives, signals wake the main thread out of its sleep.
struct SignalFd<'py> {
    py: Python<'py>,
    before: i64,
}

impl<'py> SignalFd<'py> {
    /// `None` on other threads, which signals do not concern.
    fn install(py: Python<'py>, fd: i64) -> Option<SignalFd<'py>> {
        let before = set_wakeup_fd(py, fd).ok()?;
        Some(SignalFd { py, before })
    }
}

impl Drop for SignalFd<'_> {
    fn drop(&mut self) {
        // It was set before, and can be set again.
        drop(set_wakeup_fd(self.py, self.before));
    }
}

fn set_wakeup_fd(py: Python<'_>, fd: i64) -> PyResult<i64> {
    static SET: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let set = SET.get_or_try_init(py, || {
        // The part of `signal` that costs nothing to import.
        py.import("_signal")?.getattr("set_wakeup_fd").map(Bound::unbind)
    })?;
    set.bind(py).call1((fd,))?.extract()
}
