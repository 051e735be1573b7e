//! A server at a path of an endpoint.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::error::Error;
use crate::front::Front;
use crate::jsonrpc::MetaCache;
use crate::listen::Ending;
use crate::options::Dispatch;
use crate::peer::Peer;
use crate::server::Server;

use super::endpoint::HttpState;
use super::exchange_state::ExchangeState;
use super::options::HttpOptions;
use super::sessions::Sessions;

/// One server, with its sessions and the exchanges under way.
pub(super) struct Mount {
    pub(super) path: String,
    pub(super) server: Server,
    pub(super) sessions: Sessions,
    /// The last `_meta` of all clients: requests of 2026-07-28 have no peer that could remember it.
    pub(super) meta_cache: MetaCache,
    exchanges: Mutex<BTreeMap<u64, Weak<ExchangeState>>>,
    /// How many those are, for each request that comes in.
    exchange_count: AtomicUsize,
    http: Weak<HttpState>,
}

impl Mount {
    pub(super) fn new(path: &str, server: &Server, http: &Weak<HttpState>) -> Arc<Mount> {
        let mount = Arc::new(Mount {
            path: path.to_owned(),
            server: server.clone(),
            sessions: Sessions::default(),
            meta_cache: MetaCache::default(),
            exchanges: Mutex::default(),
            exchange_count: AtomicUsize::new(0),
            http: Weak::clone(http),
        });
        let front: Weak<Mount> = Arc::downgrade(&mount);
        server.state().fronts.add(front);
        mount
    }

    /// The settings of the endpoint.
    pub(super) fn options(&self) -> Arc<HttpOptions> {
        self.http.upgrade().map(|http| http.options()).unwrap_or_default()
    }

    pub(super) fn add_exchange(&self, token: u64, exchange: &Arc<ExchangeState>) {
        let mut exchanges = self.exchanges();
        exchanges.insert(token, Arc::downgrade(exchange));
        self.exchange_count.store(exchanges.len(), Ordering::Release);
    }

    /// How many exchanges are under way.
    pub(super) fn exchange_count(&self) -> usize {
        self.exchange_count.load(Ordering::Acquire)
    }

    pub(super) fn remove_exchange(&self, token: u64) {
        let mut exchanges = self.exchanges();
        exchanges.remove(&token);
        self.exchange_count.store(exchanges.len(), Ordering::Release);
    }

    pub(super) fn close_sessions(&self) {
        self.sessions.take_all().iter().for_each(|session| session.close());
    }

    fn peers(&self) -> Vec<Arc<Peer>> {
        let exchanges: Vec<_> = self.exchanges().values().filter_map(Weak::upgrade).collect();
        let alone = exchanges.iter().filter_map(|exchange| exchange.own_peer());
        let sessions = self.sessions.all();
        alone.chain(sessions.iter().map(|session| Arc::clone(&session.peer))).collect()
    }

    fn exchanges(&self) -> MutexGuard<'_, BTreeMap<u64, Weak<ExchangeState>>> {
        self.exchanges.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Mount {
    /// Whether its server is about to end, or has ended.
    pub(super) fn is_ending(&self) -> bool {
        self.server.is_closed() || self.server.is_draining()
    }

    /// Ends a peer that came while its server was about to end.
    pub(super) fn end_if_over(&self, peer: &Peer) {
        if self.server.is_closed() {
            self.server.state().note_cancelled(peer.close());
        } else if self.server.is_draining() {
            drain(peer);
        }
    }

    /// Whether handlers run wherever messages are fed, or wherever somebody attends.
    pub(super) fn runs_inline(&self) -> bool {
        self.server.state().peek(|catalog| catalog.options.dispatch) == Dispatch::Inline
    }

    /// Whether nobody may come any more.
    pub(super) fn is_over(&self) -> bool {
        self.server.is_closed() || self.http.upgrade().is_none_or(|http| http.is_closed())
    }
}

/// Lets open calls finish and says goodbye to listeners.
fn drain(peer: &Peer) {
    for listen in peer.drain() {
        listen.end(Ending::Graceful);
    }
    peer.release();
    // Streams that wait for nothing in particular end now.
    peer.lane.nudge();
}

impl Front for Mount {
    fn shutdown(&self) {
        self.peers().iter().for_each(|peer| drain(peer));
    }

    fn close(&self) {
        self.close_sessions();
        for peer in self.peers() {
            self.server.state().note_cancelled(peer.close());
        }
    }

    fn complete_elicitation(&self, id: &str, limit: usize) -> Result<(), Error> {
        let sessions = self.sessions.all();
        let mut tried = sessions.iter().map(|session| session.peer.complete_elicitation(id, limit));
        tried.find(|tried| *tried != Err(Error::NotFound)).unwrap_or(Err(Error::NotFound))
    }
}

impl fmt::Debug for Mount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mount").field("path", &self.path).finish_non_exhaustive()
    }
}
