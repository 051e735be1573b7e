//! A batch of 2025-03-26: its answers leave together, in one array.

use std::sync::{Arc, Mutex, PoisonError};

use crate::lane::{Lane, Unfinished, Weight, Write};
use crate::peer::Peer;

/// Where the answer to a request goes, and messages that belong to it.
#[derive(Clone, Debug)]
pub(crate) enum Sink {
    /// To the lane of the peer itself.
    Peer,
    Lane(Arc<Lane>),
    Batch(Arc<Batch>),
}

/// A sink whose lane is known.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Outlet<'a> {
    Lane(&'a Arc<Lane>),
    Batch(&'a Arc<Batch>),
}

/// The answers collected so far.
#[derive(Debug)]
pub(crate) struct Batch {
    lane: Arc<Lane>,
    /// Who waits for them: the batch counts like a call of its own.
    peer: Arc<Peer>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    answers: Vec<u8>,
    /// Messages of the batch that are not settled, and one for the batch while it is being read.
    unsettled: usize,
    /// Whether the answers are on their way.
    is_over: bool,
}

impl Sink {
    /// The sink of a request of `peer`.
    #[inline]
    pub(crate) fn outlet<'a>(&'a self, peer: &'a Peer) -> Outlet<'a> {
        match self {
            Sink::Peer => Outlet::Lane(&peer.lane),
            Sink::Lane(lane) => Outlet::Lane(lane),
            Sink::Batch(batch) => Outlet::Batch(batch),
        }
    }
}

impl<'a> Outlet<'a> {
    /// Sends the answer to the request.
    pub(crate) fn answer(self, limit: usize, write: impl FnOnce(&mut Vec<u8>)) {
        self.send(Weight::Answer, limit, write);
    }

    /// Sends a message that ends the request.
    pub(crate) fn send(self, weight: Weight, limit: usize, write: impl FnOnce(&mut Vec<u8>)) {
        match self {
            Outlet::Lane(lane) => {
                // A lane that is closed has nobody left to tell.
                drop(lane.push(weight, limit, write));
                lane.ring();
            }
            Outlet::Batch(batch) => {
                let mut write = Some(write);
                batch.settle(
                    limit,
                    Some(&mut |out| write.take().into_iter().for_each(|it| it(out))),
                );
            }
        }
    }

    /// The request has ended without an answer, and there will be none.
    pub(crate) fn end(self, limit: usize) {
        match self {
            Outlet::Lane(lane) => lane.end_request(),
            Outlet::Batch(_) => self.skip(limit),
        }
    }

    /// The message gets no answer.
    pub(crate) fn skip(self, limit: usize) {
        if let Outlet::Batch(batch) = self {
            batch.settle(limit, None);
        }
    }

    /// Queues a notification that belongs to the request; [`Outlet::ring`] must follow as soon as no
    /// lock is held. Dropped when the lane is full or closed: a report that a slow client does not
    /// get is no reason for a handler to stop.
    pub(crate) fn notify(self, limit: usize, write: impl FnOnce(&mut Vec<u8>)) {
        drop(self.lane().push(Weight::Notification, limit, write));
    }

    /// Queues a request of ours that belongs to the client's; [`Outlet::ring`] must follow.
    pub(crate) fn request(self, limit: usize, write: impl FnOnce(&mut Vec<u8>)) {
        // A lane that is closed has nobody left to ask.
        drop(self.lane().push(Weight::Owed, limit, write));
    }

    /// Tells the host that there is output.
    pub(crate) fn ring(self) {
        self.lane().ring();
    }

    /// The lane on which messages leave that belong to the request.
    pub(crate) fn lane(self) -> &'a Arc<Lane> {
        match self {
            Outlet::Lane(lane) => lane,
            Outlet::Batch(batch) => &batch.lane,
        }
    }
}

impl Batch {
    /// A batch of so many messages of `peer`.
    pub(crate) fn new(lane: Arc<Lane>, peer: Arc<Peer>, messages: usize) -> Batch {
        peer.hold();
        let state = State { unsettled: messages + 1, ..State::default() };
        Batch { lane, peer, state: Mutex::new(state) }
    }

    /// Everything of the batch has been handed in.
    pub(crate) fn end_of_input(&self, limit: usize) {
        self.settle(limit, None);
    }

    // The same code for whatever is written: batches are rare.
    #[inline(never)]
    fn settle(&self, limit: usize, write: Option<Write<'_>>) {
        let (answers, was_over) = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let before = state.answers.len();
            if let Some(write) = write.filter(|_| !self.lane.is_closed()) {
                let separator = if before == 0 { b'[' } else { b',' };
                let unfinished = Unfinished::new(&mut state.answers);
                unfinished.bytes.push(separator);
                write(unfinished.bytes);
                self.lane.memory().take_anyway(unfinished.finish());
            }
            state.unsettled = state.unsettled.saturating_sub(1);
            let is_overrun = state.answers.len() > limit.saturating_mul(2);
            if state.unsettled > 0 && !is_overrun {
                return;
            }
            (std::mem::take(&mut state.answers), std::mem::replace(&mut state.is_over, true))
        };
        self.send(limit, answers);
        if !was_over {
            self.peer.release();
        }
    }

    fn send(&self, limit: usize, answers: Vec<u8>) {
        if answers.is_empty() {
            return self.lane.end_request();
        }
        self.lane.memory().give_back(answers.len());
        if answers.len() > limit.saturating_mul(2) {
            // As in a lane: what cannot be refused and is not taken ends the session.
            return self.lane.close();
        }
        let sent = self.lane.push(Weight::Answer, limit, |out| {
            out.extend_from_slice(&answers);
            out.push(b']');
        });
        // A lane that is closed has nobody left to tell.
        drop(sent);
        self.lane.ring();
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        self.lane.memory().give_back(state.answers.len());
        if !state.is_over {
            self.peer.release();
        }
    }
}
