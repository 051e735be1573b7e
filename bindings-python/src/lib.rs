//! `mcplite._native`: the engine as Python sees it. `_native.pyi` beside the Python files describes it.
//!
//! ```text
//!   Python program ── mcplite (Python) ── _native ─┬─ core    registry, sessions, calls
//!                                                  └─ serve   standard input and output, HTTP
//! ```
//!
//! # The interpreter's lock
//!
//! Whoever feeds a session from Python holds it, and lets go of it for large messages only. Threads that
//! serve never take it, except to run hooks; `pool.rs` has the threads that run handlers, which keep it
//! from one handler to the next.
//!
//! # References
//!
//! What Python hands in (functions, hooks) is held in one place, `roots.rs`, and the engine knows it by
//! number, so that Python's collector can see all of it and break cycles.

#![deny(unsafe_code)]

mod answer;
mod ask;
mod attached;
mod bell;
mod call;
mod desk;
mod error;
mod exchange;
mod handler;
mod hooks;
mod http;
mod input;
mod messages;
mod options;
mod pool;
mod read;
mod register;
mod roots;
mod row;
mod run;
mod server;
mod serving;
mod session;
mod state;
mod waker;
mod write;

/// The engine. Private: `mcplite` is the public layer.
#[pyo3::pymodule(gil_used = true)]
mod _native {
    use mcplite_core::Revisions;
    use pyo3::prelude::*;
    use pyo3::types::PyTuple;

    #[pymodule_export]
    use crate::call::Call;
    #[pymodule_export]
    use crate::desk::Desk;
    #[pymodule_export]
    use crate::exchange::{Exchange, HttpRequest};
    #[pymodule_export]
    use crate::handler::Handler;
    #[pymodule_export]
    use crate::http::Http;
    #[pymodule_export]
    use crate::read::loads;
    #[pymodule_export]
    use crate::server::Server;
    #[pymodule_export]
    use crate::serving::Serving;
    #[pymodule_export]
    use crate::session::Session;
    #[pymodule_export]
    use crate::write::{Raw, dumps};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("Asked", module.py().get_type::<crate::ask::Asked>())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        let revisions = Revisions::ALL.iter().map(|revision| revision.name());
        module.add("PROTOCOL_VERSIONS", PyTuple::new(module.py(), revisions.collect::<Vec<_>>())?)
    }
}
