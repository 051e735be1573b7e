//! What the host may plug in: a clock, entropy, an observer, a last look at errors, a seal.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::ask::{Entropy, SealKey, Sealer};
use crate::kind::{ErrorKind, Form};
use crate::nesting::Seclusion;
use crate::revision::Revision;

/// The host's monotonic clock. Without one, time stands still: deadlines never pass.
pub trait Clock: Send + Sync {
    /// Milliseconds since some fixed moment.
    fn now_ms(&self) -> u64;

    /// Milliseconds since 1970, by which what clients carry expires. Only hosts whose processes share
    /// seal keys need it; else the clock above does as well.
    fn unix_ms(&self) -> u64 {
        self.now_ms()
    }

    /// The same in microseconds, for durations that are told to the observer.
    fn now_us(&self) -> u64 {
        self.now_ms().saturating_mul(1000)
    }
}

/// Is told what happens. Runs on any thread that uses the engine, with no lock held. Feeding messages
/// or running handlers from inside it is refused with [`Error::Busy`](crate::Error::Busy).
pub trait Observer: Send + Sync {
    /// One thing happened.
    fn event(&self, event: &Event<'_>);
}

/// Something that happened.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A request has arrived.
    RequestReceived {
        /// Its method.
        method: &'a str,
        /// The JSON text of its id.
        id: &'a str,
        /// When, by the host's clock.
        time_ms: u64,
    },
    /// A request is over.
    RequestCompleted {
        /// Its method.
        method: &'a str,
        /// The JSON text of its id.
        id: &'a str,
        /// How long it took.
        duration_us: u64,
        /// How it ended.
        outcome: Outcome,
    },
    /// A call of a tool is over.
    ToolInvoked {
        /// The tool's name.
        name: &'a str,
        /// How long it took.
        duration_us: u64,
        /// How it ended.
        outcome: Outcome,
        /// The `traceparent` of the request.
        traceparent: Option<&'a str>,
    },
    /// A session was made.
    SessionOpened,
    /// A session was closed, or its handle dropped.
    SessionClosed,
    /// An HTTP exchange is over. Neither headers nor the query are told: they may be secrets.
    ExchangeEnded {
        /// The method of the request.
        method: &'a str,
        /// The path of the request.
        path: &'a str,
        /// The status of the response; 0 if the client was gone before there was one.
        status: u16,
        /// How long it took.
        duration_us: u64,
    },
    /// A server listens; told by whoever listens, see [`Server::observe`](crate::Server::observe).
    Listening {
        /// Where.
        address: &'a str,
    },
    /// A mistake of the host's, such as a handler that returned without an answer.
    Diagnostic {
        /// What it was.
        text: &'a str,
    },
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// With a result.
    Ok,
    /// With a JSON-RPC error of this code.
    Error(i32),
    /// With a tool result that says `isError`.
    ToolError,
    /// Cancelled, or the client is gone.
    Cancelled,
    /// The client is asked for more; another attempt follows.
    Asked,
}

/// An error on its way out; an error hook may change everything about it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outgoing {
    /// What went wrong; `None` if a handler gave a code of its own.
    pub kind: Option<ErrorKind>,
    /// The JSON-RPC code.
    pub code: i32,
    /// Error or tool result.
    pub form: Form,
    /// The message, or the text of the tool result.
    pub message: String,
    /// JSON text of `data`.
    pub data: Option<String>,
}

/// Which request an error answers.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct ErrorContext<'a> {
    /// The method, if it could be read.
    pub method: &'a str,
    /// Tool, prompt or URI; empty if there is none.
    pub name: &'a str,
    /// The JSON text of the id, if it could be read.
    pub id: Option<&'a str>,
    /// The revision that the answer is written in.
    pub revision: Option<Revision>,
}

/// Sees every error before it leaves and may rewrite it. Runs in the call that makes the error.
pub trait ErrorHook: Send + Sync {
    /// Changes `error`, or leaves it alone.
    fn rewrite(&self, context: &ErrorContext<'_>, error: &mut Outgoing);
}

/// What a host can plug in, to take it away again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hook {
    /// The [`Clock`].
    Clock,
    /// The [`Entropy`].
    Entropy,
    /// The [`Sealer`].
    Sealer,
    /// The [`Observer`].
    Observer,
    /// The [`ErrorHook`].
    Errors,
}

/// What is plugged in.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    pub(crate) clock: Option<Arc<dyn Clock>>,
    pub(crate) observer: Option<Arc<dyn Observer>>,
    pub(crate) errors: Option<Arc<dyn ErrorHook>>,
    pub(crate) entropy: Option<Arc<dyn Entropy>>,
    pub(crate) sealer: Option<Arc<dyn Sealer>>,
    /// The first seals, all open.
    pub(crate) seal_keys: Arc<[SealKey]>,
}

impl Hooks {
    /// Takes a hook away. What it was must be dropped when no lock is held: it is the host's.
    pub(crate) fn take(&mut self, hook: Hook) -> Hooks {
        let mut taken = Hooks::default();
        match hook {
            Hook::Clock => taken.clock = self.clock.take(),
            Hook::Entropy => taken.entropy = self.entropy.take(),
            Hook::Sealer => taken.sealer = self.sealer.take(),
            Hook::Observer => taken.observer = self.observer.take(),
            Hook::Errors => taken.errors = self.errors.take(),
        }
        taken
    }

    pub(crate) fn now_ms(&self) -> u64 {
        let clock = self.clock.as_ref();
        clock.and_then(|clock| secluded(|| clock.now_ms())).unwrap_or_default()
    }

    pub(crate) fn now_us(&self) -> u64 {
        let clock = self.clock.as_ref();
        clock.and_then(|clock| secluded(|| clock.now_us())).unwrap_or_default()
    }

    pub(crate) fn unix_ms(&self) -> u64 {
        let clock = self.clock.as_ref();
        clock.and_then(|clock| secluded(|| clock.unix_ms())).unwrap_or_default()
    }

    /// Fills `out` with random bytes; says whether it could.
    pub(crate) fn draw(&self, out: &mut [u8]) -> bool {
        let entropy = self.entropy.as_ref();
        entropy.and_then(|entropy| secluded(|| entropy.fill(out))).unwrap_or(false)
    }

    pub(crate) fn has_sealer(&self) -> bool {
        self.sealer.is_some()
    }

    /// Seals with the host's sealer; `None` if there is none.
    pub(crate) fn seal(&self, plain: &[u8]) -> Option<Option<Vec<u8>>> {
        let sealer = self.sealer.as_ref()?;
        Some(secluded(|| sealer.seal(plain)).flatten())
    }

    /// Opens with the host's sealer.
    pub(crate) fn open(&self, sealed: &[u8]) -> Option<Vec<u8>> {
        let sealer = self.sealer.as_ref()?;
        secluded(|| sealer.open(sealed)).flatten()
    }

    pub(crate) fn tell(&self, event: &Event<'_>) {
        if let Some(observer) = &self.observer {
            secluded(|| observer.event(event));
        }
    }

    pub(crate) fn rewrite(&self, context: &ErrorContext<'_>, error: Outgoing) -> Outgoing {
        let Some(hook) = &self.errors else { return error };
        let mut rewritten = error.clone();
        match secluded(|| hook.rewrite(context, &mut rewritten)) {
            Some(()) => rewritten,
            None => error,
        }
    }
}

/// Runs the host's code; a panic in it stays there.
#[inline(always)]
pub(crate) fn guarded<T>(code: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(code)).ok()
}

/// Runs the host's code that is called in the middle of things: from inside of it no message can be fed
/// and no handler run ([`Error::Busy`](crate::Error::Busy)), and a panic in it stays there, as `None`.
///
/// The engine runs all hooks like this. It is public for shells around the engine, whose destructors run
/// the host's code too.
pub fn secluded<T>(hook: impl FnOnce() -> T) -> Option<T> {
    let _seclusion = Seclusion::enter();
    guarded(hook)
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").finish_non_exhaustive()
    }
}
