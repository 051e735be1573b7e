//! Calls that JavaScript has, by number.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcplite_core::Call;
use mcplite_core::json::push_u64;

use crate::error::{Code, Result};
use crate::signals::{Note, Signals};

/// How many calls, and how many bytes of arguments, are taken at once. What is taken is answered before its
/// answers are written, so that a batch should not take long.
const BATCH_CALLS: usize = 64;
const BATCH_BYTES: usize = 256 * 1024;

/// Calls that have been taken and are not over.
#[derive(Default)]
pub(crate) struct Calls(Mutex<Table>);

#[derive(Default)]
struct Table {
    calls: HashMap<u32, Call>,
    last: u32,
}

/// Numbers stay small integers to JavaScript.
const MAX_NUMBER: u32 = 1 << 30;

impl Calls {
    fn insert(&self, call: Call) -> u32 {
        let mut table = self.table();
        loop {
            table.last = table.last % MAX_NUMBER + 1;
            let number = table.last;
            if let Entry::Vacant(place) = table.calls.entry(number) {
                place.insert(call);
                return number;
            }
        }
    }

    /// The call of that number. One that is over has none.
    pub(crate) fn get(&self, number: u32) -> Result<Call> {
        let found = self.table().calls.get(&number).cloned();
        found.ok_or_else(|| napi::Error::new(Code::Answered, "the call is over".to_owned()))
    }

    /// Lets go of a call, which is given back.
    pub(crate) fn remove(&self, number: u32) -> Option<Call> {
        self.table().calls.remove(&number)
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A handler of JavaScript's, as the engine keeps it at an item.
pub(crate) struct Handler {
    pub(crate) number: u32,
    pub(crate) signals: Arc<Signals>,
}

impl Drop for Handler {
    fn drop(&mut self) {
        self.signals.note(Note::Handler, self.number);
    }
}

/// What a suspended handler leaves for the attempt that goes on with it.
pub(crate) struct Continuation {
    pub(crate) number: u32,
    pub(crate) signals: Arc<Signals>,
}

impl Drop for Continuation {
    fn drop(&mut self) {
        self.signals.note(Note::Dropped, self.number);
    }
}

/// Takes calls that wait: for each its number, its handler's, and its arguments. The handler of a call that goes
/// on with a suspended one is the negative number of that.
pub(crate) fn take(server: &mcplite_core::Server, calls: &Calls) -> Option<String> {
    let first = server.next_call()?;
    let mut out = vec![b'['];
    let mut next = Some(first);
    let mut count = 0;
    while let Some(call) = next {
        if out.len() > 1 {
            out.push(b',');
        }
        push_call(&mut out, call, calls);
        count += 1;
        let is_full = count == BATCH_CALLS || out.len() > BATCH_BYTES;
        next = if is_full { None } else { server.next_call() };
    }
    out.push(b']');
    String::from_utf8(out).ok()
}

fn push_call(out: &mut Vec<u8>, call: Call, calls: &Calls) {
    let kept = call.kept().and_then(|kept| kept.downcast_ref::<Continuation>());
    let kept = kept.map(|kept| kept.number);
    let handler = call.attachment().and_then(|own| own.downcast_ref::<Handler>());
    let handler = handler.map_or(0, |handler| handler.number);
    let context = call.context().and_then(|own| own.downcast_ref::<u32>()).copied();
    let number = calls.insert(call.clone());
    push_u64(out, u64::from(number));
    out.push(b',');
    match kept {
        Some(kept) => {
            out.push(b'-');
            push_u64(out, u64::from(kept));
        }
        None => push_u64(out, u64::from(handler)),
    }
    out.push(b',');
    push_u64(out, u64::from(context.unwrap_or_default()));
    out.push(b',');
    match call.arguments() {
        "" => out.extend_from_slice(b"null"),
        arguments => out.extend_from_slice(arguments.as_bytes()),
    }
}
