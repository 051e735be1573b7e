//! States of calls that are not in use, so that the steady state allocates nothing.

use std::fmt;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use triomphe::UniqueArc;

use super::lease::SharedState;
use super::state::{Bound, CallState, Request};
use crate::error::Error;
use crate::server::ServerState;

/// The states that a server keeps, in shares: peers that work on threads of their own seldom meet at one.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    shares: [Share; Pool::SHARES],
}

/// One part of it, alone on its stretch of memory.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Share {
    stock: Mutex<Stock>,
}

#[derive(Default)]
struct Stock {
    states: Vec<UniqueArc<CallState>>,
    /// Numbers for calls that begin.
    tokens: Range<u64>,
    /// Bytes on the server's account for calls that begin, so that it is not asked for each of them.
    credit: usize,
}

impl fmt::Debug for Stock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stock").field("states", &self.states.len()).finish_non_exhaustive()
    }
}

/// How many states, and how large a text buffer in each, are kept in a share: a few that may be large, and
/// more for hosts that hold many calls at a time.
const KEEP_STATES: usize = 64;
const KEEP_LARGE_STATES: usize = 8;
const KEEP_LARGE: usize = 128 * 1024;
const KEEP: usize = 1024;

/// Credit that is kept, and taken at once.
const CREDIT: usize = 8 * 1024;

impl Pool {
    const SHARES: usize = 4;

    /// A state for a new call of a peer that has `number`, held once. `bound` makes what it belongs to,
    /// given its token and what it costs, and `fill` fills in the request, which costs `bytes`.
    #[inline(always)]
    pub(crate) fn take(
        server: &ServerState,
        number: u64,
        bytes: usize,
        bound: impl FnOnce(u64, usize) -> Bound,
        fill: impl FnOnce(&mut Request),
    ) -> Result<SharedState, Error> {
        let share = server.pool.share(number);
        let (pooled, token) = {
            let mut stock = share.stock();
            stock.pay(server, bytes)?;
            let token = stock.tokens.next().unwrap_or_else(|| stock.renew_tokens(server));
            (stock.states.pop(), token)
        };
        let mut state = pooled.unwrap_or_else(fresh);
        state.begin(|| bound(token, bytes), fill);
        Ok(state.shareable())
    }

    /// Keeps the state of a call that nobody holds any more. One that somebody still looks at goes
    /// away by itself.
    pub(crate) fn put_back(state: SharedState) {
        let Ok(mut own) = SharedState::try_unique(state) else { return };
        let Some(mut bound) = own.clear() else { return };
        own.shrink(KEEP_LARGE);
        let bytes = std::mem::take(&mut bound.charged);
        let mut stock = bound.server.pool.share(bound.peer.number).stock();
        stock.earn(&bound.server, bytes);
        if stock.states.len() >= KEEP_STATES {
            return;
        }
        if stock.states.len() >= KEEP_LARGE_STATES {
            own.shrink(KEEP);
        }
        stock.states.push(own);
    }

    /// Bytes on the server's account that no call uses.
    pub(crate) fn credit(&self) -> usize {
        self.shares.iter().map(|share| share.stock().credit).sum()
    }

    #[inline]
    #[expect(clippy::indexing_slicing, reason = "the remainder is less than the number of shares")]
    fn share(&self, number: u64) -> &Share {
        &self.shares[number as usize % Pool::SHARES]
    }
}

impl Share {
    #[inline(always)]
    fn stock(&self) -> MutexGuard<'_, Stock> {
        self.stock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stock {
    #[inline]
    fn pay(&mut self, server: &ServerState, bytes: usize) -> Result<(), Error> {
        if self.credit < bytes {
            self.borrow(server, bytes)?;
        }
        self.credit -= bytes;
        Ok(())
    }

    #[cold]
    fn borrow(&mut self, server: &ServerState, bytes: usize) -> Result<(), Error> {
        let lacking = bytes - self.credit;
        let comfort = if server.memory.has_plenty(lacking + CREDIT) { CREDIT } else { 0 };
        server.memory.take(lacking + comfort)?;
        self.credit += lacking + comfort;
        Ok(())
    }

    #[inline]
    fn earn(&mut self, server: &ServerState, bytes: usize) {
        self.credit += bytes;
        let has_plenty = server.memory.has_plenty(0);
        if self.credit > 2 * CREDIT || !has_plenty {
            let surplus = self.credit.saturating_sub(if has_plenty { CREDIT } else { 0 });
            self.credit -= surplus;
            server.memory.give_back(surplus);
        }
    }

    #[cold]
    fn renew_tokens(&mut self, server: &ServerState) -> u64 {
        self.tokens = server.next_tokens(TOKENS);
        self.tokens.next().unwrap_or_default()
    }
}

/// A state for when the pool has none. Apart from those who take one, because it is made on the stack.
#[cold]
#[inline(never)]
fn fresh() -> UniqueArc<CallState> {
    UniqueArc::new(CallState::default())
}

/// How many numbers are taken at once.
const TOKENS: u64 = 1024;
