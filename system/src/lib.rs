//! What a server has from the operating system unless its host brings something else. The engine itself asks
//! for nothing.

#![forbid(unsafe_code)]

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use mcplite_core::{Clock, Entropy, Server};

/// The system's clock and entropy.
#[derive(Clone, Copy, Debug)]
pub struct System {
    start: Instant,
}

impl System {
    /// A clock that begins now.
    pub fn new() -> System {
        System { start: Instant::now() }
    }

    /// Gives a server both.
    pub fn provide(server: &Server) {
        server.set_clock(System::new());
        server.set_entropy(System::new());
    }
}

impl Default for System {
    fn default() -> System {
        System::new()
    }
}

impl Clock for System {
    fn now_ms(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn unix_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    fn now_us(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}

impl Entropy for System {
    fn fill(&self, out: &mut [u8]) -> bool {
        getrandom::fill(out).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_goes_on() {
        let system = System::new();
        let (before, unix) = (system.now_us(), system.unix_ms());
        while system.now_us() == before {}
        assert!(system.now_ms() < 60_000);
        // The first of January 2025.
        assert!(unix > 1_735_689_600_000);
    }

    #[test]
    fn no_two_draws_are_the_same() {
        let (mut first, mut second) = ([0; 32], [0; 32]);
        assert!(System::new().fill(&mut first) && System::new().fill(&mut second));
        assert_ne!(first, second);
    }
}
