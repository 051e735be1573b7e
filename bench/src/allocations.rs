//! Counting heap allocations.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt;
use std::str::FromStr;

use crate::Error;
use crate::stage::Stage;

/// The system's allocator, which counts what the thread asks of it. A program that counts makes it
/// its `#[global_allocator]`.
#[derive(Debug)]
pub struct CountingAllocator;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

#[inline]
fn count() {
    // A thread that is ending has no count any more, and is not the one that is measured.
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
}

#[expect(unsafe_code, reason = "there is no other way to see allocations")]
// SAFETY: every call goes on to the system's allocator as it came.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `alloc`, which is the same one.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `alloc_zeroed`, which is the same one.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `realloc`, which is the same one.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`, which is the same one.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// How many allocations this thread has made in a program that counts.
pub fn counted() -> u64 {
    COUNT.get()
}

/// Allocations a message, to the hundredth: what a hundred messages need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Allocations(u64);

const ROUNDS: u64 = 100;

impl Allocations {
    /// Counts what `stage` needs in its steady state. Fails in a program that does not count.
    pub fn count(stage: &mut Stage) -> Result<Allocations, Error> {
        let before = COUNT.get();
        drop(std::hint::black_box(Box::new(0_u8)));
        if COUNT.get() != before + 1 {
            return Err("this program does not count allocations".into());
        }
        stage.play(ROUNDS)?;
        let before = COUNT.get();
        stage.play(ROUNDS)?;
        Ok(Allocations(COUNT.get() - before))
    }
}

impl fmt::Display for Allocations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0 / ROUNDS, self.0 % ROUNDS) {
            (whole, 0) => f.pad(&whole.to_string()),
            (whole, hundredths) => f.pad(&format!("{whole}.{hundredths:02}")),
        }
    }
}

impl FromStr for Allocations {
    type Err = Error;

    /// Reads what `Display` writes, and nothing else.
    fn from_str(text: &str) -> Result<Allocations, Error> {
        let (whole, hundredths) = text.split_once('.').unwrap_or((text, "0"));
        let sum = whole.parse::<u64>()?.checked_mul(ROUNDS);
        let sum = sum.and_then(|sum| sum.checked_add(hundredths.parse().ok()?));
        sum.map(Allocations)
            .filter(|allocations| allocations.to_string() == text)
            .ok_or_else(|| format!("{text} is not a number of allocations").into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() -> Result<(), Error> {
        for (count, text) in [(0, "0"), (100, "1"), (105, "1.05"), (1250, "12.50")] {
            assert_eq!(Allocations(count).to_string(), text);
            assert_eq!(text.parse::<Allocations>()?, Allocations(count));
        }
        for text in ["", "-", "1.5", "1.500", "1.00", "x", "01", "1.-1"] {
            assert!(text.parse::<Allocations>().is_err(), "{text}");
        }
        Ok(())
    }

    #[test]
    fn a_program_that_does_not_count_says_so() -> Result<(), Error> {
        let ping = crate::workload::Workload::named("ping").ok_or("no such workload")?;
        assert!(Allocations::count(&mut ping.set_up()?).is_err());
        Ok(())
    }
}
