//! A loop around one server, from the first to the last.

use std::sync::Arc;

use mcplite_core::{Dispatch, Server};

use super::driver::Driver;
use super::signals::Signals;
use crate::error::ServeError;
use crate::settings::Settings;
use crate::threads;

/// Serves until it is over. `prepare` gives the driver what it serves.
pub(crate) fn serve(
    server: &Server,
    settings: &Settings,
    prepare: impl FnOnce(&mut Driver) -> Result<(), ServeError>,
) -> Result<(), ServeError> {
    let signals = Arc::new(Signals::new(server)?);
    let mut driver = Driver::new(server, &signals, threads::grace(settings));
    let _attendant = server.attend(signals.server_wake());
    prepare(&mut driver)?;
    // A host that runs handlers itself has its reasons, such as a thread that must do it.
    let is_ours = server.options().dispatch == Dispatch::Inline && !settings.host_attends;
    let wheelhouse = Arc::clone(&signals.wheelhouse);
    threads::run(&signals.crew, settings, is_ours, move || wheelhouse.relieve(driver))
}
