//! The last `_meta` of a peer: most modern clients send the same bytes with every request.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::params::{MetaKey, Span};
use crate::json::Reader;

/// The text of a `_meta` that was read strictly, and where its members stand in it.
#[derive(Debug, Default)]
pub(crate) struct MetaCache(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    text: String,
    members: [Span; MetaKey::COUNT],
}

/// Longer ones are read each time.
const MAX_BYTES: usize = 1024;

impl MetaCache {
    /// Passes over the value at the reader if it has the known bytes; says where its members stand,
    /// counted from the start of the value.
    pub(super) fn take(&self, reader: &mut Reader<'_>) -> Option<[Span; MetaKey::COUNT]> {
        let state = self.state();
        // The known text is one whole value, so that nothing can follow it that belongs to it.
        (!state.text.is_empty() && reader.take(&state.text)).then_some(state.members)
    }

    /// Notes a value that the reader has accepted.
    pub(super) fn put(&self, text: &str, members: &[Span; MetaKey::COUNT]) {
        if text.len() > MAX_BYTES {
            return;
        }
        let mut state = self.state();
        state.text.clear();
        state.text.push_str(text);
        state.members = *members;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
