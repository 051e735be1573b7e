//! The places of connections, and how long each may keep us waiting.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mcplite_core::HttpOptions;

use super::bell::Bell;
use super::driver::TASK;
use super::switchboard::Switchboard;

/// All connections of a loop.
#[derive(Debug)]
pub(crate) struct Seats {
    taken: Mutex<BTreeMap<u64, Arc<Seat>>>,
    is_closing: AtomicBool,
    /// Rung when somebody leaves while all are asked to.
    driver: Arc<Bell>,
    switchboard: Arc<Switchboard>,
}

/// One connection, as others see it.
///
/// It has no timer, which would have to be set with every request: the driver sweeps through all seats, as
/// often as the shortest patience demands.
///
/// Its state is written and read by whoever drives the loop, and by nobody else.
#[derive(Debug)]
pub(crate) struct Seat {
    number: u64,
    pub(crate) bell: Arc<Bell>,
    patience: Patience,
    /// From when on times are counted.
    since: Instant,
    phase: AtomicU8,
    /// For how long from now on the client may be silent, if that has changed since the connection was polled.
    given: AtomicU64,
    /// When the client must have said what it is to say.
    input_until: Moment,
    /// When it must have taken some of the output that waits.
    output_until: Moment,
    is_evicted: AtomicBool,
}

/// How long clients may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    head: Duration,
    pub(crate) body: Duration,
    idle: Duration,
    output: Duration,
}

/// Nanoseconds since a connection has come, or 0 for no time.
#[derive(Debug, Default)]
struct Moment(AtomicU64);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Phase {
    /// Before the first request, or between two.
    Idle,
    /// In the head of a request.
    Head,
    /// A request is being read or answered.
    Request,
    /// A request was refused before all of it was read, so that the connection cannot go on.
    Refused,
    /// The last word is said, and the client may stop at its own pace.
    Lingering,
}

/// However long a head may take, a client that was refused is not heard for longer.
const LONGEST_LINGER: Duration = Duration::from_secs(30);
/// A patience that never ends.
const FOREVER: Duration = Duration::from_secs(365 * 86_400);

impl Seats {
    pub(crate) fn new(driver: &Arc<Bell>, switchboard: &Arc<Switchboard>) -> Seats {
        Seats {
            taken: Mutex::default(),
            is_closing: AtomicBool::new(false),
            driver: Arc::clone(driver),
            switchboard: Arc::clone(switchboard),
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.taken().len()
    }

    /// A place for a new connection.
    pub(crate) fn take(&self, patience: Patience) -> Arc<Seat> {
        let mut taken = self.taken();
        let number = taken.last_key_value().map_or(TASK, |(number, _)| *number) + 1;
        let seat = Arc::new(Seat {
            number,
            bell: Bell::new(number, &self.switchboard),
            patience,
            since: Instant::now(),
            phase: AtomicU8::new(Phase::Idle as u8),
            given: AtomicU64::new(0),
            input_until: Moment::default(),
            output_until: Moment::default(),
            is_evicted: AtomicBool::new(false),
        });
        seat.input_until.set(Some(patience.head));
        taken.insert(number, Arc::clone(&seat));
        seat
    }

    pub(crate) fn leave(&self, seat: &Seat) {
        self.taken().remove(&seat.number);
        if self.is_closing() {
            self.driver.ring();
        }
    }

    /// Asks everybody to go when what they wait for has come.
    pub(crate) fn close(&self) {
        self.is_closing.store(true, Ordering::SeqCst);
        self.taken().values().for_each(|seat| seat.ring());
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::SeqCst)
    }

    /// Evicts those who keep us waiting for too long. Says when to come again, if there is anybody: when
    /// the next one is due, or could be who begins to be waited for right after this.
    pub(crate) fn sweep(&self, now: Instant) -> Option<Instant> {
        self.taken().values().filter_map(|seat| seat.check(now)).min()
    }

    fn taken(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Seat>>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    /// Has the connection polled, from any thread.
    pub(crate) fn ring(&self) {
        self.bell.ring();
    }

    /// Bytes have come from the client.
    pub(crate) fn hear(&self) {
        if self.is_in(Phase::Idle) {
            self.expect(Phase::Head, self.patience.head);
        }
    }

    /// The head of a request is there; its body has a timer of its own.
    pub(crate) fn begin(&self) {
        self.phase.store(Phase::Request as u8, Ordering::Relaxed);
        self.given.store(0, Ordering::Relaxed);
        self.input_until.set(None);
    }

    /// The request is answered, but for output that waits. Unless `is_read`, the client may still be
    /// sending the rest of it.
    pub(crate) fn end(&self, is_read: bool) {
        let phase = if is_read { Phase::Idle } else { Phase::Refused };
        self.expect(phase, self.patience.idle);
    }

    /// The last word is said. If the client may be sending what nobody will read, says so and gives it a
    /// while to stop.
    pub(crate) fn linger(&self) -> bool {
        let is_talked_at = self.is_in(Phase::Head) || self.is_in(Phase::Refused);
        if is_talked_at {
            self.expect(Phase::Lingering, self.patience.head.min(LONGEST_LINGER));
        }
        is_talked_at
    }

    pub(crate) fn is_lingering(&self) -> bool {
        self.is_in(Phase::Lingering)
    }

    /// Output waits for the client, or does no longer.
    pub(crate) fn set_output_waits(&self, waits: bool) {
        if waits != self.output_until.get().is_some() {
            self.output_until.set(waits.then(|| self.since.elapsed() + self.patience.output));
            // Only now it is the client's turn to speak.
            if !waits && self.is_in(Phase::Idle) {
                self.expect(Phase::Idle, self.patience.idle);
            }
        }
    }

    /// The connection was polled. The clock is asked now only, since most of what is expected has come by then.
    pub(crate) fn note_time(&self) {
        let given = self.given.load(Ordering::Relaxed);
        if given != 0 {
            self.given.store(0, Ordering::Relaxed);
            self.input_until.set(Some(self.since.elapsed() + Duration::from_nanos(given)));
        }
    }

    pub(crate) fn patience(&self) -> &Patience {
        &self.patience
    }

    pub(crate) fn is_evicted(&self) -> bool {
        self.is_evicted.load(Ordering::SeqCst)
    }

    /// Evicts the connection if it is time; else says when to look again.
    fn check(&self, now: Instant) -> Option<Instant> {
        let due = self.output_until.get().or(self.input_until.get());
        let due = due.map(|due| self.since + due);
        if due.is_some_and(|due| due <= now) {
            self.is_evicted.store(true, Ordering::SeqCst);
            self.ring();
            return None;
        }
        due.into_iter().chain([now + self.patience.shortest()]).min()
    }

    fn is_in(&self, phase: Phase) -> bool {
        self.phase.load(Ordering::Relaxed) == phase as u8
    }

    fn expect(&self, phase: Phase, patience: Duration) {
        self.phase.store(phase as u8, Ordering::Relaxed);
        self.given.store(nanoseconds(patience), Ordering::Relaxed);
    }
}

impl Moment {
    fn set(&self, time: Option<Duration>) {
        self.0.store(time.map_or(0, nanoseconds), Ordering::Relaxed);
    }

    fn get(&self) -> Option<Duration> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            time => Some(Duration::from_nanos(time)),
        }
    }
}

/// Not 0, which would be no time.
fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).max(1)
}

impl Patience {
    pub(crate) fn new(options: &HttpOptions) -> Patience {
        let read = |ms| if ms == 0 { FOREVER } else { Duration::from_millis(ms).min(FOREVER) };
        Patience {
            head: read(options.header_timeout_ms),
            body: read(options.body_timeout_ms),
            idle: read(options.idle_timeout_ms),
            output: read(options.write_timeout_ms),
        }
    }

    pub(crate) fn shortest(&self) -> Duration {
        self.head.min(self.idle).min(self.output)
    }
}
