//! Holding a client back that asks faster than handlers answer.

use std::time::{Duration, Instant};

use mcplite_core::Limits;

/// Decides whether a session with so many open calls is fed more messages.
///
/// The engine refuses calls beyond its limit, which is right for calls that hang, but not for a client
/// that merely writes ahead. So input waits a moment when many calls are open. It never waits for
/// long: behind the calls there may be a ping, a cancellation, or the answer that a call waits for.
#[derive(Debug)]
pub(crate) struct Throttle {
    /// As many calls as the engine allows.
    limit: usize,
    /// How many open calls keep workers busy enough. Each time that waiting was in vain, so many more
    /// may be open.
    step: usize,
    /// With fewer open calls than this, there is no waiting.
    allowance: usize,
    paused_until: Option<Instant>,
    /// The calls hang: the engine is to refuse the next ones, which keeps the client going.
    has_given_up: bool,
}

/// The most that a step can be.
const MAX_STEP: usize = 128;
/// How much of the room for output one open call is good for. What calls answer that wait when the room is
/// full comes on top of it, and far too much of that would end the session.
const ROOM_PER_CALL: usize = 128 * 1024;
/// How long input waits for calls to end.
const PATIENCE: Duration = Duration::from_millis(10);
/// The same where the next call would be refused.
const LAST_PATIENCE: Duration = Duration::from_secs(1);

impl Throttle {
    pub(crate) fn new(limits: &Limits) -> Throttle {
        let limit = limits.open_calls.max(1);
        let step = (limits.output_bytes / ROOM_PER_CALL).clamp(1, MAX_STEP).min(limit);
        Throttle { limit, step, allowance: step, paused_until: None, has_given_up: false }
    }

    /// How many messages may be handed in while so many calls are open; then ask again.
    pub(crate) fn admits(&mut self, open: usize, now: impl FnOnce() -> Instant) -> usize {
        self.has_given_up &= open >= self.limit;
        match self.paused_until {
            None if self.has_given_up => return 1,
            None if open < self.allowance => return self.allowance - open,
            None => {
                let patience = if open < self.limit { PATIENCE } else { LAST_PATIENCE };
                self.paused_until = Some(now() + patience);
                return 0;
            }
            Some(_) if open <= self.allowance / 2 => {}
            Some(until) if now() < until => return 0,
            Some(_) if self.allowance < self.limit => {
                self.allowance = self.limit.min(self.allowance + self.step);
            }
            Some(_) => self.has_given_up = open >= self.limit,
        }
        self.paused_until = None;
        if open <= self.step / 2 {
            self.allowance = self.step;
        }
        self.allowance.saturating_sub(open).max(1)
    }

    /// When to ask again even if nothing has happened.
    pub(crate) fn retry_at(&self) -> Option<Instant> {
        self.paused_until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn throttle(open_calls: usize, output_bytes: usize) -> Throttle {
        let mut limits = Limits::default();
        (limits.open_calls, limits.output_bytes) = (open_calls, output_bytes);
        Throttle::new(&limits)
    }

    #[test]
    fn a_writer_ahead_waits_until_half_of_its_calls_are_done() {
        let now = Instant::now();
        let mut throttle = throttle(1024, 16 << 20);
        assert_eq!(throttle.admits(0, || now), 128);
        assert_eq!(throttle.admits(127, || now), 1);
        assert_eq!(throttle.admits(128, || now), 0);
        assert_eq!(throttle.admits(65, || now), 0);
        assert_eq!(throttle.retry_at(), Some(now + PATIENCE));
        assert_eq!(throttle.admits(64, || now), 64);
        assert_eq!(throttle.admits(100, || now), 28);
    }

    #[test]
    fn calls_that_hang_hold_nothing_back_for_long() {
        let mut now = Instant::now();
        let mut throttle = throttle(300, 16 << 20);
        let (mut waited, mut open) = (Duration::ZERO, 0);
        while open < 300 {
            let admitted = throttle.admits(open, || now);
            open += admitted;
            if admitted == 0 {
                waited += PATIENCE;
                now += PATIENCE;
            }
        }
        assert_eq!((open, waited), (300, 2 * PATIENCE));
        assert_eq!(throttle.admits(300, || now), 0);
        now += LAST_PATIENCE;
        assert_eq!(throttle.admits(300, || now), 1, "the engine refuses it");
        assert_eq!(throttle.admits(300, || now), 1, "and the next");
        assert_eq!(throttle.retry_at(), None);
        assert_eq!(throttle.admits(299, || now), 1);
        assert_eq!(throttle.admits(300, || now), 0, "a call has ended: there is hope again");
    }

    #[test]
    fn few_calls_wait_where_there_is_little_room_or_few_are_allowed() {
        let now = Instant::now();
        for mut throttle in [throttle(0, 16 << 20), throttle(1024, 1024)] {
            assert_eq!(throttle.admits(0, || now), 1);
            assert_eq!(throttle.admits(1, || now), 0);
            assert_eq!(throttle.admits(0, || now), 1);
        }
    }
}
