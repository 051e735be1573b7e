//! A clock that stands still and random bytes that are known, for tests that compare bytes.

use std::sync::atomic::{AtomicU8, Ordering};

use mcplite_core::{Clock, Entropy};
use napi_derive::napi;

use crate::engine::Engine;

struct Standing(u32);

impl Clock for Standing {
    fn now_ms(&self) -> u64 {
        u64::from(self.0)
    }
}

/// The bytes 0, 1, 2, … 255, 0, 1, …
#[derive(Default)]
struct Counted(AtomicU8);

impl Entropy for Counted {
    fn fill(&self, out: &mut [u8]) -> bool {
        out.fill_with(|| self.0.fetch_add(1, Ordering::Relaxed));
        true
    }
}

struct Nothing;

impl Entropy for Nothing {
    fn fill(&self, _: &mut [u8]) -> bool {
        false
    }
}

#[napi]
impl Engine {
    /// Has the clock stand at so many milliseconds.
    #[napi(catch_unwind)]
    pub fn set_clock(&self, now_ms: u32) {
        self.core.set_clock(Standing(now_ms));
    }

    /// Has random bytes count up from 0, or has none.
    #[napi(catch_unwind)]
    pub fn set_entropy(&self, is_there: bool) {
        match is_there {
            true => self.core.set_entropy(Counted::default()),
            false => self.core.set_entropy(Nothing),
        }
    }
}
