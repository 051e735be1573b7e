//! Who drives an event loop.
//!
//! ```text
//!        a thread that runs handlers                     the relief (the event thread)
//!   ┌─▶ drives: reads, feeds, writes                           │ sleeps
//!   │       │ a handler waits                                  │
//!   │   lets go of the wheel ─────────────────────────────────▶│ watches
//!   │   runs the handler                                       │
//!   └────── in time                                            │
//!           or it takes longer ───────────────────────────────▶│ drives, and calls other threads to work,
//!   ┌─▶ waits for more ◀───────────────────────────────────────┤ until nobody is at work
//! ```
//!
//! To pass a request to another thread and its answer back takes longer than most handlers do. So whoever
//! runs handlers drives the loop while it has none to run, and somebody else stands by.

use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::error::ServeError;
use crate::threads::Ended;

/// An event loop that waits for somebody to drive it.
pub(crate) trait Wheel {
    /// Drives it on this thread to its end, or until `is_called` is set. Whoever sets that also gets the loop
    /// out of its sleep.
    fn drive(&mut self, is_called: &AtomicBool) -> Option<Ended>;
}

/// Where the wheel of one loop is passed from thread to thread.
pub(crate) struct Wheelhouse<W> {
    state: Mutex<State<W>>,
    /// For the relief: somebody has let go of the wheel, or all is over.
    noted: Condvar,
    /// For somebody else: the relief has let go of the wheel.
    freed: Condvar,
    /// For the next one who drives, if it is not the relief: it may have been about to when it was called.
    called_away: AtomicBool,
    /// The same for the relief, which has done its part once somebody is called.
    stood_down: AtomicBool,
}

struct State<W> {
    /// There while nobody drives.
    wheel: Option<W>,
    /// How the loop has ended, with what is left of it.
    ended: Option<(Ended, W)>,
    /// How often somebody has let go of the wheel.
    turns: u64,
    /// The relief looks by itself, now and then.
    is_watched: bool,
    /// The relief drives.
    is_relieved: bool,
    /// Somebody waits for the relief to let go.
    is_awaited: bool,
}

/// How long nobody may drive before the relief does.
const PATIENCE: Duration = Duration::from_millis(1);
/// How often the relief finds that nothing has happened before it goes to sleep.
const YAWNS: u32 = 20;
/// Where a client that is gone raises a signal, only a thread that is deaf to it may write.
const CAN_LEND: bool = cfg!(any(target_os = "linux", target_os = "android"));

impl<W: Wheel> Wheelhouse<W> {
    /// Drives the loop on this thread until [`Wheelhouse::call_away`]. Gives false, at once, if that cannot
    /// be: if another thread drives, or there is no loop, or not yet, or not any more.
    pub(crate) fn drive(&self) -> bool {
        if !CAN_LEND {
            return false;
        }
        let mut state = self.lock();
        // Whoever was called by the relief can be done before the relief is. To leave the wheel to nobody
        // would cost its patience.
        while state.is_relieved && self.stood_down.load(Ordering::SeqCst) {
            state.is_awaited = true;
            state = self.freed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let wheel = state.wheel.take();
        drop(state);
        let has_driven = wheel.map(|wheel| self.turn(wheel, &self.called_away)).is_some();
        if has_driven {
            // Whoever called afterwards has done so for what this thread goes to look for now.
            self.called_away.store(false, Ordering::SeqCst);
        }
        has_driven
    }

    /// Has whoever drives let go of the wheel, or the next one to try: there are handlers to run. If it is
    /// the relief that drives, it stands by again. The caller gets the loop out of its sleep afterwards.
    pub(crate) fn call_away(&self) {
        self.called_away.store(true, Ordering::SeqCst);
        self.stood_down.store(true, Ordering::SeqCst);
    }

    /// Puts a loop in place, drives it, and stands by while somebody else does, until the loop is over. What
    /// connections have left goes before this ends.
    pub(crate) fn relieve(&self, wheel: W) -> Ended {
        let mut state = self.lock();
        state.wheel = Some(wheel);
        let (mut seen, mut yawns) = (Some(state.turns), 0);
        loop {
            if let Some((ended, wheel)) = state.ended.take() {
                drop(state);
                drop(wheel);
                return ended;
            }
            let is_new = seen.replace(state.turns) != Some(state.turns);
            yawns = if is_new { 0 } else { yawns + 1 };
            if !is_new && let Some(wheel) = state.wheel.take() {
                state.is_relieved = true;
                // Whoever was called before has not come.
                self.stood_down.store(false, Ordering::SeqCst);
                drop(state);
                self.turn(wheel, &self.stood_down);
                state = self.lock();
                continue;
            }
            state.is_watched = yawns < YAWNS;
            state = if state.is_watched {
                let waited = self.noted.wait_timeout(state, PATIENCE);
                waited.unwrap_or_else(PoisonError::into_inner).0
            } else {
                self.noted.wait(state).unwrap_or_else(PoisonError::into_inner)
            };
        }
    }

    /// Drives until it is called, or to the end of the loop.
    fn turn(&self, mut wheel: W, is_called: &AtomicBool) {
        // A wheel that is lost would be waited for in vain.
        let ended = catch_unwind(AssertUnwindSafe(|| wheel.drive(is_called)));
        let ended = ended.unwrap_or_else(|_| {
            let error = io::Error::other("the event loop has panicked");
            Some(Ended { result: Err(ServeError::Io(error)), deadline: Instant::now() })
        });
        let mut state = self.lock();
        state.turns += 1;
        state.is_relieved = false;
        if std::mem::take(&mut state.is_awaited) {
            self.freed.notify_all();
        }
        match ended {
            Some(ended) => state.ended = Some((ended, wheel)),
            None => state.wheel = Some(wheel),
        }
        if state.ended.is_some() || !state.is_watched {
            state.is_watched = true;
            self.noted.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<W>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W> Default for Wheelhouse<W> {
    fn default() -> Wheelhouse<W> {
        let state = State {
            wheel: None,
            ended: None,
            turns: 0,
            is_watched: false,
            is_relieved: false,
            is_awaited: false,
        };
        Wheelhouse {
            state: Mutex::new(state),
            noted: Condvar::new(),
            freed: Condvar::new(),
            called_away: AtomicBool::new(false),
            stood_down: AtomicBool::new(false),
        }
    }
}

impl<W> fmt::Debug for Wheelhouse<W> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Wheelhouse").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, mpsc};
    use std::thread::{self, ThreadId};

    use super::*;

    /// A loop that does nothing but tell who drives it, and ends when it is told to.
    struct Idle {
        drivers: mpsc::Sender<ThreadId>,
        orders: mpsc::Receiver<Order>,
    }

    enum Order {
        LookUp,
        End,
        Panic,
    }

    impl Wheel for Idle {
        fn drive(&mut self, is_called: &AtomicBool) -> Option<Ended> {
            self.drivers.send(thread::current().id()).unwrap();
            loop {
                match self.orders.recv().unwrap() {
                    Order::LookUp if is_called.load(Ordering::SeqCst) => return None,
                    Order::LookUp => {}
                    Order::End => return Some(Ended { result: Ok(()), deadline: Instant::now() }),
                    Order::Panic => panic!("as ordered"),
                }
            }
        }
    }

    /// A loop with its relief, and what a test needs of it.
    struct Ship {
        house: Arc<Wheelhouse<Idle>>,
        drivers: mpsc::Receiver<ThreadId>,
        orders: mpsc::Sender<Order>,
        relief: thread::JoinHandle<Ended>,
    }

    impl Ship {
        /// Gives it when the relief drives.
        fn new() -> Ship {
            let (drivers_to, drivers) = mpsc::channel();
            let (orders, orders_from) = mpsc::channel();
            let house = Arc::new(Wheelhouse::default());
            let own = Arc::clone(&house);
            let wheel = Idle { drivers: drivers_to, orders: orders_from };
            let relief = thread::spawn(move || own.relieve(wheel));
            let ship = Ship { house, drivers, orders, relief };
            assert_eq!(ship.next_driver(), ship.relief.thread().id());
            ship
        }

        fn next_driver(&self) -> ThreadId {
            self.drivers.recv().unwrap()
        }

        /// Calls away whoever drives, who notices only when told to look up.
        fn call(&self) {
            self.house.call_away();
        }

        fn order(&self, order: Order) {
            self.orders.send(order).unwrap();
        }
    }

    #[test]
    fn whoever_is_called_waits_for_the_relief_to_let_go() {
        let ship = Ship::new();
        assert!(!ship.house.drive(), "the relief drives, and nobody was called");
        // On a machine that is busy otherwise, the relief may lose its patience first.
        let has_come = (0..100).any(|_| {
            ship.call();
            let house = Arc::clone(&ship.house);
            let called = thread::spawn(move || house.drive());
            while !ship.house.lock().is_awaited {
                thread::yield_now();
            }
            // One for the relief, and one for who was called, whose own flag is set as well.
            ship.order(Order::LookUp);
            ship.order(Order::LookUp);
            called.join().unwrap()
        });
        assert!(has_come);
        // Nobody drives any more, and so the relief does.
        ship.order(Order::End);
        assert!(ship.relief.join().unwrap().result.is_ok());
        assert!(!ship.house.drive(), "there is no loop any more");
    }

    #[test]
    fn the_relief_drives_when_nobody_else_does() {
        let ship = Ship::new();
        for _ in 0..3 {
            ship.call();
            ship.order(Order::LookUp);
            assert_eq!(ship.next_driver(), ship.relief.thread().id());
        }
        ship.order(Order::End);
        assert!(ship.relief.join().unwrap().result.is_ok());
    }

    #[test]
    fn a_panic_ends_the_loop_with_an_error() {
        let ship = Ship::new();
        ship.order(Order::Panic);
        assert!(matches!(ship.relief.join().unwrap().result, Err(ServeError::Io(_))));
    }
}
