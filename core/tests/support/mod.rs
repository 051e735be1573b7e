//! What several test programs share.

#![allow(dead_code, reason = "each test program uses its part")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that finds something else than it expects has failed"
)]

pub(crate) mod asking;
pub(crate) mod fixture;
pub(crate) mod host;
pub(crate) mod http_endpoint;
pub(crate) mod http_transcript;
pub(crate) mod interview;
pub(crate) mod stage;
pub(crate) mod states;
pub(crate) mod transcript;
pub(crate) mod web;
pub(crate) mod web_world;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mcplite_core::{Clock, Entropy, Session};

/// A clock that stands still until it is moved.
#[derive(Clone, Default)]
pub(crate) struct ManualClock(Arc<AtomicU64>);

impl ManualClock {
    pub(crate) fn set_ms(&self, ms: u64) {
        self.0.store(ms, Ordering::Relaxed);
    }
}

impl Clock for ManualClock {
    fn now_ms(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Everything that waits, line by line.
pub(crate) fn drain(session: &Session) -> Vec<String> {
    let mut out = Vec::new();
    session.drain_into(&mut out);
    let text = String::from_utf8(out).expect("output is UTF-8");
    text.lines().map(str::to_owned).collect()
}

/// Feeds one message and gives what comes of it.
pub(crate) fn exchange(session: &Session, message: &str) -> Vec<String> {
    session.handle_message(message.as_bytes()).expect("the session takes messages");
    drain(session)
}

/// A legacy handshake.
pub(crate) fn initialize(session: &Session, revision: &str) {
    let message = format!(
        r#"{{"jsonrpc":"2.0","id":"init","method":"initialize","params":{{"protocolVersion":"{revision}","capabilities":{{}},"clientInfo":{{"name":"test","version":"1"}}}}}}"#
    );
    assert_eq!(exchange(session, &message).len(), 1);
}

/// The `_meta` that makes a request a modern one.
pub(crate) const MODERN: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// Random bytes that are the same in every run: 0, 1, 2, …
#[derive(Clone, Default)]
pub(crate) struct CountingEntropy(Arc<AtomicU64>);

impl Entropy for CountingEntropy {
    fn fill(&self, out: &mut [u8]) -> bool {
        out.fill_with(|| self.0.fetch_add(1, Ordering::Relaxed) as u8);
        true
    }
}
