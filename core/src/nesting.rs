//! How deep handlers feed messages from inside one another on this thread.

use std::cell::Cell;

use crate::error::Error;
use crate::limits::MAX_NESTED_MESSAGES;

#[expect(
    clippy::disallowed_macros,
    reason = "counts frames of this thread's stack, which is the thread's and nobody else's"
)]
mod depth {
    use std::cell::Cell;

    std::thread_local! {
        pub(super) static DEPTH: Cell<u8> = const { Cell::new(0) };
    }
}

/// One frame of the engine that may run handlers.
#[derive(Debug)]
pub(crate) struct Nesting(());

impl Nesting {
    /// Enters a frame, unless too many are on the stack already.
    pub(crate) fn enter() -> Result<Nesting, Error> {
        let enter = |depth: &Cell<u8>| {
            if depth.get() >= MAX_NESTED_MESSAGES {
                return Err(Error::Busy);
            }
            depth.set(depth.get() + 1);
            Ok(Nesting(()))
        };
        depth::DEPTH.try_with(enter).unwrap_or(Err(Error::Busy))
    }
}

impl Drop for Nesting {
    fn drop(&mut self) {
        // A thread that is ending has no frames left to count.
        let _ = depth::DEPTH.try_with(|depth| depth.set(depth.get().saturating_sub(1)));
    }
}
