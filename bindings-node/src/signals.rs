//! What happened, noted until JavaScript asks.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcplite_core::Wake;
use mcplite_core::json::push_u64;

/// What JavaScript has to be told when it asks next. The engine notes it from wherever it is, which is why
/// this can be shared between threads, although there is only one.
#[derive(Default)]
pub(crate) struct Signals {
    flags: AtomicU32,
    noted: Mutex<Noted>,
}

#[derive(Default)]
struct Noted {
    /// Calls that nobody waits for any more.
    cancelled: Vec<u32>,
    /// Connections that have output, or are finished.
    output: Vec<u32>,
    /// Suspended handlers that no attempt will go on with.
    dropped: Vec<u32>,
    /// Handlers that the engine knows no more.
    handlers: Vec<u32>,
    /// Events for the observer: JSON objects with commas between them.
    events: Vec<u8>,
}

/// Calls wait to be taken.
pub(crate) const CALLS: u32 = 1;
/// There is something to take from here.
pub(crate) const NOTED: u32 = 2;
/// The time of the next deadline may have changed.
pub(crate) const TIME: u32 = 4;

/// Kinds of numbers that are noted.
#[derive(Clone, Copy)]
pub(crate) enum Note {
    Cancelled,
    Output,
    Dropped,
    Handler,
}

impl Signals {
    pub(crate) fn raise(&self, flags: u32) {
        self.flags.fetch_or(flags, Ordering::Relaxed);
    }

    pub(crate) fn flags(&self) -> u32 {
        self.flags.load(Ordering::Relaxed)
    }

    pub(crate) fn lower(&self, flags: u32) {
        self.flags.fetch_and(!flags, Ordering::Relaxed);
    }

    pub(crate) fn note(&self, note: Note, number: u32) {
        let mut noted = self.noted();
        let list = match note {
            Note::Cancelled => &mut noted.cancelled,
            Note::Output => &mut noted.output,
            Note::Dropped => &mut noted.dropped,
            Note::Handler => &mut noted.handlers,
        };
        list.push(number);
        drop(noted);
        self.raise(NOTED);
    }

    /// Notes an event, as the JSON text that `write` makes.
    pub(crate) fn event(&self, write: impl FnOnce(&mut Vec<u8>)) {
        let mut noted = self.noted();
        if !noted.events.is_empty() {
            noted.events.push(b',');
        }
        write(&mut noted.events);
        drop(noted);
        self.raise(NOTED);
    }

    /// Everything that was noted, as JSON text; `None` if there was nothing.
    pub(crate) fn take(&self) -> Option<String> {
        if self.flags() & NOTED == 0 {
            return None;
        }
        self.lower(NOTED);
        let noted = std::mem::take(&mut *self.noted());
        let mut out = Vec::from(&b"{\"cancelled\":"[..]);
        push_numbers(&mut out, &noted.cancelled);
        out.extend_from_slice(b",\"output\":");
        push_numbers(&mut out, &noted.output);
        out.extend_from_slice(b",\"dropped\":");
        push_numbers(&mut out, &noted.dropped);
        out.extend_from_slice(b",\"handlers\":");
        push_numbers(&mut out, &noted.handlers);
        out.extend_from_slice(b",\"events\":[");
        out.extend_from_slice(&noted.events);
        out.extend_from_slice(b"]}");
        String::from_utf8(out).ok()
    }

    /// A wake that notes the output of a connection.
    pub(crate) fn output_wake(self: &Arc<Signals>, token: u32) -> Wake {
        let signals = Arc::clone(self);
        Arc::new(move || signals.note(Note::Output, token))
    }

    fn noted(&self) -> MutexGuard<'_, Noted> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn push_numbers(out: &mut Vec<u8>, numbers: &[u32]) {
    out.push(b'[');
    for (place, number) in numbers.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        push_u64(out, u64::from(*number));
    }
    out.push(b']');
}
