//! Where messages come from and what they work on.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::http::Head;
use crate::peer::{Handshake, Peer};
use crate::registry::Catalog;
use crate::server::ServerState;

/// What the messages of a client have in common until something about the server or the client changes.
///
/// A session keeps one and its calls hold it, so that threads with sessions of their own write to nothing
/// that they share.
pub(crate) struct Origin {
    pub(crate) server: Arc<ServerState>,
    pub(crate) peer: Arc<Peer>,
    pub(crate) catalog: Arc<Catalog>,
    /// What the host attached to the session.
    pub(crate) context: Option<Arc<dyn Any + Send + Sync>>,
    pub(crate) principal: Option<Arc<str>>,
    /// What came over HTTP, the head of its request.
    pub(crate) head: Option<Arc<Head>>,
}

/// By which rules a request is read and answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Terms {
    /// By what it says of itself.
    Own,
    /// By what `initialize` settled.
    Handshake,
}

impl Origin {
    /// What `initialize` settled, for a request on these terms.
    pub(crate) fn handshake(&self, terms: Terms) -> Option<&Handshake> {
        match terms {
            Terms::Own => None,
            Terms::Handshake => self.peer.handshake(),
        }
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Origin").field("peer", &self.peer).finish_non_exhaustive()
    }
}
