//! The loop, from the first to the last.

use std::sync::Arc;

use mcplite_core::{Error, Http, Wake};
use tokio::runtime::Builder;

use super::bell::Bell;
use super::driver::{Driver, TASK};
use super::helm::Helm;
use super::listener::{Bound, Listener};
use super::seat::Seats;
use super::wheel::Wheel;
use crate::address::Address;
use crate::crew::{Crew, Work};
use crate::error::ServeError;
use crate::settings::Settings;
use crate::threads;

/// What workers do for a loop.
#[derive(Debug)]
struct Duty {
    http: Http,
    helm: Helm,
}

impl Work for Duty {
    fn waiting(&self) -> usize {
        self.http.waiting()
    }

    fn run(&self, max: usize) -> Result<usize, Error> {
        self.http.run(max)
    }

    fn stand_in(&self) -> bool {
        self.helm.drive()
    }

    fn call_away(&self) {
        self.helm.call_away();
    }
}

pub(crate) fn http(
    http: &Http,
    address: &Address,
    settings: &Settings,
    helm: &Helm,
    listening: &mut dyn FnMut(&str),
) -> Result<(), ServeError> {
    if http.is_closed() || http.is_draining() {
        return Err(ServeError::Closed);
    }
    let crew = Arc::new(Crew::new(Duty { http: http.clone(), helm: helm.clone() }));
    let bell = Bell::new(TASK, helm.switchboard());
    let _attendant = http.attend(wake(&crew, &bell));
    let bound = Bound::new(address)?;
    listening(&bound.address()?);
    let driver = |listener| {
        let seats = Seats::new(&bell, helm.switchboard());
        let grace = threads::grace(settings);
        Driver::new(http, &crew, &bell, helm.switchboard(), seats, listener, grace)
    };
    let wheel = wheel(helm, bound, driver)?;
    let relief = helm.clone();
    // Workers unless the host has its own: whether a server wants its handlers run by us can change, and one be
    // mounted later.
    let ended =
        threads::run(&crew, settings, !settings.host_attends, move || relief.relieve(wheel));
    // Calls of sessions outlive their exchanges. What still waits must not run here when nobody attends.
    if http.is_draining() {
        http.end_sessions();
    }
    ended
}

/// A loop with its own task, ready to be driven.
fn wheel(
    helm: &Helm,
    bound: Bound,
    driver: impl FnOnce(Listener) -> Driver,
) -> Result<Wheel, ServeError> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let driver = {
        let _inside = runtime.enter();
        driver(bound.listen()?)
    };
    Ok(helm.wheel(runtime, driver))
}

/// For the engine: there are handlers to run, deadlines to keep, or an end to see.
fn wake(crew: &Arc<Crew>, bell: &Arc<Bell>) -> Wake {
    let (crew, bell) = (Arc::clone(crew), Arc::clone(bell));
    Arc::new(move || {
        crew.tell();
        bell.ring();
    })
}
