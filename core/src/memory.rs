//! Counting what the engine holds, against the host's cap.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::Error;

/// The account of one server.
#[derive(Debug)]
pub(crate) struct Memory {
    used: AtomicUsize,
    cap: AtomicUsize,
}

/// A number of bytes on the account, given back on drop.
#[derive(Debug)]
pub(crate) struct Charge {
    memory: Arc<Memory>,
    bytes: usize,
}

/// The same for as long as a function runs, which need not hold the account for it.
#[derive(Debug)]
pub(crate) struct Held<'m> {
    memory: &'m Memory,
    bytes: usize,
}

impl Memory {
    pub(crate) fn new(cap: usize) -> Memory {
        Memory { used: AtomicUsize::new(0), cap: AtomicUsize::new(cap) }
    }

    pub(crate) fn set_cap(&self, cap: usize) {
        self.cap.store(cap, Ordering::Relaxed);
    }

    pub(crate) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Whether more is held than the cap allows, because something could not be refused.
    pub(crate) fn is_full(&self) -> bool {
        self.used() > self.cap.load(Ordering::Relaxed)
    }

    /// Whether `bytes` for mere comfort would leave half of the cap free.
    pub(crate) fn has_plenty(&self, bytes: usize) -> bool {
        self.used().saturating_add(bytes) <= self.cap.load(Ordering::Relaxed) / 2
    }

    /// Takes `bytes`, unless that would exceed the cap.
    pub(crate) fn take(&self, bytes: usize) -> Result<(), Error> {
        let before = self.used.fetch_add(bytes, Ordering::Relaxed);
        if before.saturating_add(bytes) > self.cap.load(Ordering::Relaxed) {
            self.give_back(bytes);
            return Err(Error::Limit("memory_bytes"));
        }
        Ok(())
    }

    /// Takes `bytes` for something that cannot be refused any more, such as an answer.
    pub(crate) fn take_anyway(&self, bytes: usize) {
        if bytes != 0 {
            self.used.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    pub(crate) fn give_back(&self, bytes: usize) {
        if bytes != 0 {
            self.used.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    /// Takes `bytes` for as long as the account is looked at.
    pub(crate) fn hold(&self, bytes: usize) -> Result<Held<'_>, Error> {
        self.take(bytes)?;
        Ok(Held { memory: self, bytes })
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.memory.give_back(self.bytes);
    }
}

impl Charge {
    pub(crate) fn new(memory: &Arc<Memory>, bytes: usize) -> Result<Charge, Error> {
        memory.take(bytes)?;
        Ok(Charge { memory: Arc::clone(memory), bytes })
    }

    /// Takes so many more, which must be of the same account; or takes nothing and says that it is another.
    pub(crate) fn grow(&mut self, memory: &Arc<Memory>, bytes: usize) -> Result<bool, Error> {
        let is_same = Arc::ptr_eq(&self.memory, memory);
        if is_same {
            memory.take(bytes)?;
            self.bytes += bytes;
        }
        Ok(is_same)
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.memory.give_back(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cap_holds_and_everything_comes_back() {
        let memory = Arc::new(Memory::new(100));
        let mut first = Charge::new(&memory, 60).unwrap();
        assert_eq!(Charge::new(&memory, 41).unwrap_err(), Error::Limit("memory_bytes"));
        let second = Charge::new(&memory, 40).unwrap();
        memory.take_anyway(10);
        assert_eq!(memory.used(), 110);
        memory.give_back(10);
        drop(second);
        assert_eq!(first.grow(&memory, 41).unwrap_err(), Error::Limit("memory_bytes"));
        assert_eq!(first.grow(&memory, 20), Ok(true));
        assert_eq!(first.grow(&Arc::new(Memory::new(100)), 20), Ok(false));
        let held = memory.hold(20).unwrap();
        assert_eq!(memory.used(), 100);
        drop((first, held));
        assert_eq!(memory.used(), 0);
    }
}
