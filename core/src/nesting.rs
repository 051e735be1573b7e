//! How deep handlers feed messages from inside one another on this thread.

use std::cell::Cell;
use std::marker::PhantomData;

use crate::error::Error;
use crate::limits::MAX_NESTED_MESSAGES;

/// One frame of the engine that may run handlers.
#[derive(Debug)]
pub(crate) struct Nesting(ThisThread);

/// Does not go to other threads.
type ThisThread = PhantomData<*const ()>;

impl Nesting {
    /// Enters a frame, unless too many are on the stack already.
    pub(crate) fn enter() -> Result<Nesting, Error> {
        let entered = with_depth(|depth| {
            if depth.get() >= MAX_NESTED_MESSAGES {
                return Err(Error::Busy);
            }
            depth.set(depth.get() + 1);
            Ok(Nesting(PhantomData))
        });
        entered.unwrap_or(Err(Error::Busy))
    }
}

/// How many frames of the engine that may run handlers are on this thread's stack. Not 0 inside
/// handlers, hooks, and wakes that those cause.
pub fn nesting() -> u8 {
    with_depth(Cell::get).unwrap_or_default()
}

/// A stretch of the stack in which no such frame may be entered.
#[derive(Debug)]
pub(crate) struct Seclusion(u8);

impl Seclusion {
    pub(crate) fn enter() -> Seclusion {
        let before = with_depth(|depth| depth.replace(MAX_NESTED_MESSAGES));
        Seclusion(before.unwrap_or(MAX_NESTED_MESSAGES))
    }
}

impl Drop for Seclusion {
    fn drop(&mut self) {
        with_depth(|depth| depth.set(self.0));
    }
}

impl Drop for Nesting {
    fn drop(&mut self) {
        with_depth(|depth| depth.set(depth.get().saturating_sub(1)));
    }
}

/// The count of this thread's frames; `None` on a thread that is ending.
///
/// The only thing in this crate outside the objects that the host holds: it describes the thread's
/// stack, which is the thread's and nobody else's.
fn with_depth<T>(use_depth: impl FnOnce(&Cell<u8>) -> T) -> Option<T> {
    std::thread_local! {
        static DEPTH: Cell<u8> = const { Cell::new(0) };
    }
    DEPTH.try_with(use_depth).ok()
}
