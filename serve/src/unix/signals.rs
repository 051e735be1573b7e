//! What the threads of one loop tell each other.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mcplite_core::{Error, Server, Wake};

use super::driver::Driver;
use super::waker::Waker;
use crate::crew::{Crew, Work};
use crate::wheelhouse::Wheelhouse;

/// Shared by the event thread, the workers, and the wakes that the engine runs on any thread.
#[derive(Debug)]
pub(crate) struct Signals {
    pub(crate) waker: Arc<Waker>,
    pub(crate) crew: Arc<Crew>,
    pub(crate) wheelhouse: Arc<Wheelhouse<Driver>>,
    /// Something of the server may have changed: its next deadline, or whether it goes on.
    news: AtomicBool,
}

/// What workers do for a loop.
#[derive(Debug)]
struct Duty {
    server: Server,
    wheelhouse: Arc<Wheelhouse<Driver>>,
    waker: Arc<Waker>,
}

/// Whether a connection may have output, or be finished.
#[derive(Debug, Default)]
pub(crate) struct Mark(AtomicBool);

impl Signals {
    pub(crate) fn new(server: &Server) -> io::Result<Signals> {
        let (waker, wheelhouse) = (Arc::new(Waker::new()?), Arc::default());
        let crew = Crew::new(Duty {
            server: server.clone(),
            wheelhouse: Arc::clone(&wheelhouse),
            waker: Arc::clone(&waker),
        });
        Ok(Signals { waker, crew: Arc::new(crew), wheelhouse, news: AtomicBool::new(false) })
    }

    /// For the server: there are handlers to run, deadlines to keep, or an end to see.
    pub(crate) fn server_wake(self: &Arc<Self>) -> Wake {
        let signals = Arc::clone(self);
        Arc::new(move || {
            // To look costs less than to set it again for each of many messages.
            if !signals.has_news() {
                signals.news.store(true, Ordering::SeqCst);
            }
            signals.crew.tell();
            signals.waker.wake();
        })
    }

    /// For a session: there is output.
    pub(crate) fn session_wake(self: &Arc<Self>, mark: &Arc<Mark>) -> Wake {
        let (signals, mark) = (Arc::clone(self), Arc::clone(mark));
        Arc::new(move || {
            mark.0.store(true, Ordering::SeqCst);
            signals.waker.wake();
        })
    }

    /// Says whether there was news of the server since the last time.
    pub(crate) fn take_news(&self) -> bool {
        self.news.swap(false, Ordering::SeqCst)
    }

    pub(crate) fn has_news(&self) -> bool {
        self.news.load(Ordering::SeqCst)
    }
}

impl Work for Duty {
    fn waiting(&self) -> usize {
        self.server.waiting()
    }

    fn run(&self, max: usize) -> Result<usize, Error> {
        self.server.run(max)
    }

    fn stand_in(&self) -> bool {
        self.wheelhouse.drive()
    }

    fn call_away(&self) {
        self.wheelhouse.call_away();
        self.waker.wake();
    }
}

impl Mark {
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    pub(crate) fn take(&self) -> bool {
        self.is_set() && self.0.swap(false, Ordering::SeqCst)
    }
}
