//! Where the requests of an ASGI application are taken, on one event loop.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};

use crate::error::OrRaise;
use crate::exchange::{Exchange, each_header};
use crate::http::Http;
use crate::input::Input;
use crate::pool::Pool;
use crate::row::{PAUSE, Row};

/// What the requests on one loop have in common.
#[pyclass(frozen, module = "mcplite._native")]
pub(crate) struct Desk {
    http: Py<Http>,
    row: Arc<Row>,
    /// Has somebody call `look` now and then.
    watch: Py<PyAny>,
    /// Nobody else keeps the time.
    is_alone: bool,
    last: Mutex<Last>,
}

/// Who has asked last.
#[derive(Default)]
struct Last {
    client: Option<Py<PyAny>>,
    /// How many others have to ask before it counts as the only one.
    doubts: usize,
}

#[pymethods]
impl Desk {
    /// For an endpoint and the running loop. `watch` is called when somebody has to call `look`.
    #[new]
    #[pyo3(signature = (http, event_loop, watch, /))]
    fn new(
        http: &Bound<'_, Http>,
        event_loop: &Bound<'_, PyAny>,
        watch: Py<PyAny>,
    ) -> PyResult<Desk> {
        let pool = http.get().server.get().pool();
        let is_alone = pool.is_none();
        let pool = pool.map_or_else(Weak::<Pool>::new, |pool| Arc::downgrade(&pool));
        let row = Row::new(event_loop, pool)?;
        Ok(Desk { http: http.clone().unbind(), row, watch, is_alone, last: Mutex::default() })
    }

    /// A request arrives. Gives the two messages of its answer if the head alone decides about it, else
    /// the exchange.
    #[pyo3(signature = (method, target, headers, state, /))]
    fn begin<'py>(
        &self,
        py: Python<'py>,
        method: &str,
        target: &str,
        headers: &Bound<'py, PyAny>,
        state: Py<PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let http = self.http.get();
        let server = &http.server.get().core;
        if self.is_alone && server.timeout_ms() == Some(0) {
            py.detach(|| server.tick());
        }
        let mut arrival = http.core.arrive(method, target);
        each_header(headers, |name, value| {
            arrival.header(name, value);
            Ok(())
        })?;
        let exchange = Exchange::new(py, arrival.open().or_raise()?, &http.server);
        exchange.set_state(py, state);
        exchange.core.body(b"").or_raise()?;
        match exchange.answer(py)? {
            Some(answer) => Ok(answer.into_any()),
            None => Ok(Bound::new(py, exchange)?.into_any()),
        }
    }

    /// The request is complete with this piece of its body. Gives the two messages of its answer if it is
    /// there, `None` if it is a stream, else a future that is done when there is something to look at.
    #[pyo3(signature = (exchange, data, client, /))]
    fn finish<'py>(
        &self,
        py: Python<'py>,
        exchange: &Bound<'py, Exchange>,
        data: &Bound<'py, PyAny>,
        client: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let own = exchange.get();
        let core = &own.core;
        let input = Input::new(data, "a body is bytes")?;
        let pool = self.row.pool();
        match &pool {
            None => {
                input.feed(py, |bytes| core.body(bytes)).or_raise()?;
                core.end().or_raise()?;
            }
            Some(pool) if !self.is_only(client) || self.row.is_paused() => {
                input.feed(py, |bytes| core.body(bytes)).or_raise()?;
                // Workers are told when there is somebody who waits, or nothing to wait for.
                let ended = pool.holding(|| core.end());
                if ended.is_err() {
                    pool.release();
                }
                ended.or_raise()?;
            }
            Some(pool) => {
                let bytes = input.bytes();
                // Without the interpreter, which whoever runs the handler is to find free.
                let is_waiting = py.detach(|| {
                    core.body(bytes)?;
                    core.end()?;
                    Ok(core.status().is_none() && pool.is_busy())
                });
                if is_waiting.or_raise()? {
                    self.row.lend(py, pool, || core.status().is_some());
                }
            }
        }
        let is_answered = core.status().is_some();
        let server = self.http.get().server.get();
        if is_answered || server.shared.is_interrupted() {
            pool.iter().for_each(|pool| pool.release());
            server.raise_interrupt(py)?;
        }
        if is_answered {
            return Ok(own.answer(py)?.map(Bound::into_any));
        }
        let (future, is_first) = self.row.enter(py, |waiter| own.wait_with(waiter))?;
        if is_first {
            self.watch.bind(py).call0()?;
        }
        Ok(Some(future))
    }

    /// Lets those see to themselves who have waited for some time; says whether to look again.
    fn look(&self, py: Python<'_>) -> bool {
        self.row.look(py)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.http)?;
        visit.call(&self.watch)?;
        self.row.traverse(&visit)?;
        let Ok(last) = self.last.try_lock() else { return Ok(()) };
        visit.call(&last.client)
    }

    fn __clear__(&self) {
        let gone = self.last().client.take();
        drop(gone);
    }
}

impl Desk {
    /// Whether nobody else has asked for some time: then the loop has nothing to read while it waits.
    fn is_only(&self, client: &Bound<'_, PyAny>) -> bool {
        let last = self.last().client.as_ref().map(|last| last.clone_ref(client.py()));
        // Clients that have no name may be one or many.
        let is_known = !client.is_none()
            && last.is_some_and(|last| client.is(&last) || client.eq(last).unwrap_or(false));
        let mut last = self.last();
        if is_known {
            last.doubts = last.doubts.saturating_sub(1);
            return last.doubts == 0;
        }
        last.doubts = PAUSE;
        let gone = last.client.replace(client.clone().unbind());
        drop(last);
        drop(gone);
        false
    }

    fn last(&self) -> MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
