//! The sessions of one mount, found by what only their clients know.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};

use crate::base64::BASE64URL_NOPAD;
use crate::hooks::{Event, Hooks};

use super::session::HttpSession;

/// Sessions by the digest of their id. Whoever guesses ids learns nothing from how long a look takes: what
/// is compared is not what was sent.
#[derive(Debug, Default)]
pub(super) struct Sessions(Mutex<BTreeMap<[u8; 32], Arc<HttpSession>>>);

/// Random bytes of an id.
const ID_BYTES: usize = 24;

impl Sessions {
    pub(super) fn find(&self, id: &str, principal: Option<&str>) -> Option<Arc<HttpSession>> {
        let session = self.lock().get(&digest(id)).cloned();
        session.filter(|session| session.is_of(principal))
    }

    /// Adds a session, unless there are `limit` already, or one of that id, which only bad entropy can make.
    pub(super) fn add(&self, session: &Arc<HttpSession>, limit: usize) -> bool {
        let mut sessions = self.lock();
        let has_room = sessions.len() < limit;
        match sessions.entry(digest(&session.id)) {
            Entry::Vacant(place) if has_room => {
                place.insert(Arc::clone(session));
                true
            }
            _ => false,
        }
    }

    pub(super) fn remove(&self, id: &str) -> Option<Arc<HttpSession>> {
        self.lock().remove(&digest(id))
    }

    pub(super) fn all(&self) -> Vec<Arc<HttpSession>> {
        self.lock().values().cloned().collect()
    }

    pub(super) fn take_all(&self) -> Vec<Arc<HttpSession>> {
        std::mem::take(&mut *self.lock()).into_values().collect()
    }

    pub(super) fn len(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<[u8; 32], Arc<HttpSession>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A new id that nobody can guess; `None` if the host has no entropy.
pub(super) fn new_id(hooks: &Hooks) -> Option<Arc<str>> {
    let mut bytes = [0; ID_BYTES];
    if !hooks.draw(&mut bytes) {
        let text = "sessions over HTTP need Server::set_entropy";
        hooks.tell(&Event::Diagnostic { text });
        return None;
    }
    Some(BASE64URL_NOPAD.encode(&bytes).into())
}

fn digest(id: &str) -> [u8; 32] {
    Sha256::digest(id.as_bytes()).into()
}
