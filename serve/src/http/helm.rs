//! The wheel of the loop for HTTP, also for threads of the host's.

use std::fmt;
use std::sync::Arc;
#[cfg(unix)]
use std::sync::{Mutex, PoisonError};

use tokio::runtime::{Handle, Runtime};

use super::driver::Driver;
use super::switchboard::Switchboard;
use super::wheel::Wheel;
use crate::threads::Ended;
use crate::wheelhouse::Wheelhouse;

/// The right to drive the event loop of [`http_at`](crate::http_at), for threads that run its handlers.
///
/// Clones are the same helm. It is for one loop.
#[derive(Clone, Default)]
pub struct Helm(Arc<Inner>);

#[derive(Default)]
struct Inner {
    wheelhouse: Wheelhouse<Wheel>,
    switchboard: Arc<Switchboard>,
    #[cfg(unix)]
    watched: Mutex<Option<(std::os::unix::net::UnixStream, Told)>>,
}

#[cfg(unix)]
type Told = Box<dyn FnMut() + Send>;

impl Helm {
    /// Drives the loop on this thread until [`Helm::call_away`]. Gives false, at once, if that cannot be: if
    /// another thread drives, or there is no loop, or not yet, or not any more.
    pub fn drive(&self) -> bool {
        // A loop inside a loop is nothing that the runtime could do.
        Handle::try_current().is_err() && self.0.wheelhouse.drive()
    }

    /// Has whoever drives let go of the wheel, or the next one to try: there are handlers to run. If it is
    /// the relief that drives, it stands by again.
    pub fn call_away(&self) {
        self.0.wheelhouse.call_away();
        self.0.switchboard.wake();
    }

    /// Tells of every byte that comes, while the loop is there, and calls whoever drives away: so a signal
    /// can interrupt them. To be called before there is a loop.
    #[cfg(unix)]
    pub fn watch(
        &self,
        bytes: std::os::unix::net::UnixStream,
        told: impl FnMut() + Send + 'static,
    ) {
        let mut watched = self.0.watched.lock().unwrap_or_else(PoisonError::into_inner);
        *watched = Some((bytes, Box::new(told)));
    }

    /// Where tasks of its loop are woken.
    pub(crate) fn switchboard(&self) -> &Arc<Switchboard> {
        &self.0.switchboard
    }

    /// A wheel for this helm.
    pub(crate) fn wheel(&self, runtime: Runtime, driver: Driver) -> Wheel {
        #[cfg(unix)]
        {
            let mut watched = self.0.watched.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((bytes, told)) = watched.take() {
                drop(runtime.spawn(pass_on(bytes, told, self.clone())));
            }
        }
        Wheel::new(runtime, driver, &self.0.switchboard)
    }

    /// Puts a loop in place, and sees to it that somebody drives it, until it is over.
    pub(crate) fn relieve(&self, wheel: Wheel) -> Ended {
        self.0.wheelhouse.relieve(wheel)
    }
}

impl fmt::Debug for Helm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Helm").finish_non_exhaustive()
    }
}

#[cfg(unix)]
async fn pass_on(bytes: std::os::unix::net::UnixStream, mut told: Told, helm: Helm) {
    let Ok(bytes) = tokio::net::UnixStream::from_std(bytes) else { return };
    let mut piece = [0; 64];
    while bytes.readable().await.is_ok() {
        match bytes.try_read(&mut piece) {
            Ok(0) => return,
            Ok(_) => {
                told();
                helm.call_away();
            }
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(_) => return,
        }
    }
}
