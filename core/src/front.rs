//! What connects clients to a server besides sessions.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::error::Error;

/// It is told of the end of the server, and of what concerns one client that it may have.
pub(crate) trait Front: Send + Sync {
    /// Lets open calls finish and says goodbye to listeners.
    fn shutdown(&self);

    /// Cancels everything.
    fn close(&self);

    /// Tells a client that was sent to a page that the user is done there.
    fn complete_elicitation(&self, id: &str, limit: usize) -> Result<(), Error>;
}

/// Those of one server.
#[derive(Default)]
pub(crate) struct Fronts(Mutex<Vec<Weak<dyn Front>>>);

impl Fronts {
    pub(crate) fn add(&self, front: Weak<dyn Front>) {
        let mut fronts = self.lock();
        fronts.retain(|known| known.strong_count() > 0);
        fronts.push(front);
    }

    /// All that are still there.
    pub(crate) fn all(&self) -> Vec<Arc<dyn Front>> {
        self.lock().iter().filter_map(Weak::upgrade).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Weak<dyn Front>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Fronts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fronts")
    }
}
