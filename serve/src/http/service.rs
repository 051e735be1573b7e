//! The loop, from the first to the last.

use std::sync::Arc;
use std::time::Instant;

use mcplite_core::{Error, Http, Wake};
use tokio::runtime::Builder;

use super::bell::Bell;
use super::driver::Driver;
use super::listener::Bound;
use crate::address::Address;
use crate::crew::{Crew, Work};
use crate::error::ServeError;
use crate::settings::Settings;
use crate::threads::{self, Ended};

impl Work for Http {
    fn waiting(&self) -> usize {
        self.waiting()
    }

    fn run(&self, max: usize) -> Result<usize, Error> {
        self.run(max)
    }
}

pub(crate) fn http(
    http: &Http,
    address: &Address,
    settings: &Settings,
    listening: &mut dyn FnMut(&str),
) -> Result<(), ServeError> {
    if http.is_closed() || http.is_draining() {
        return Err(ServeError::Closed);
    }
    let crew = Arc::new(Crew::new(http.clone()));
    let bell = Arc::new(Bell::default());
    let _attendant = http.attend(wake(&crew, &bell));
    let bound = Bound::new(address)?;
    listening(&bound.address()?);
    let (own, helpers, grace) = (http.clone(), Arc::clone(&crew), threads::grace(settings));
    // Workers unless the host has its own: whether a server wants its handlers run by us can change, and one be
    // mounted later.
    let ended = threads::run(&crew, settings, !settings.host_attends, move || {
        // Whatever connections have left goes with the runtime, and so before the end is told.
        Builder::new_current_thread().enable_all().build().map_or_else(failed, |runtime| {
            runtime.block_on(async {
                let listener = match bound.listen() {
                    Ok(listener) => listener,
                    Err(error) => return failed(error),
                };
                // As a task, unlike what is blocked on, it is woken without a system call.
                let driver = tokio::spawn(Driver::new(&own, &helpers, &bell, listener, grace));
                driver.await.unwrap_or_else(|error| failed(error.into()))
            })
        })
    });
    // Calls of sessions outlive their exchanges. What still waits must not run here when nobody attends.
    if http.is_draining() {
        http.end_sessions();
    }
    ended
}

/// For the engine: there are handlers to run, deadlines to keep, or an end to see.
fn wake(crew: &Arc<Crew>, bell: &Arc<Bell>) -> Wake {
    let (crew, bell) = (Arc::clone(crew), Arc::clone(bell));
    Arc::new(move || {
        crew.tell();
        bell.ring();
    })
}

fn failed(error: std::io::Error) -> Ended {
    Ended { result: Err(ServeError::Io(error)), deadline: Instant::now() }
}
