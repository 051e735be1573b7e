//! What was sent on the streams of a session, for clients that lost it on the way.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::memory::Memory;

/// The last messages of all streams of one session, oldest first.
#[derive(Debug)]
pub(super) struct Replay {
    events: VecDeque<Sent>,
    bytes: usize,
    memory: Arc<Memory>,
}

#[derive(Debug)]
struct Sent {
    stream: u64,
    event: u64,
    message: Box<[u8]>,
}

/// What an event costs besides its text.
const OVERHEAD: usize = 64;

impl Replay {
    pub(super) fn new(memory: Arc<Memory>) -> Replay {
        Replay { events: VecDeque::new(), bytes: 0, memory }
    }

    /// Keeps a message; old ones make room, so that no more than `limit` bytes are kept.
    pub(super) fn keep(&mut self, stream: u64, event: u64, message: &[u8], limit: usize) {
        let cost = message.len() + OVERHEAD;
        while self.bytes + cost > limit {
            let Some(oldest) = self.events.pop_front() else { return };
            self.give_back(&oldest);
        }
        if self.memory.take(cost).is_ok() {
            self.bytes += cost;
            self.events.push_back(Sent { stream, event, message: message.into() });
        }
    }

    /// What was sent on a stream behind an event, up to the event `last`; `None` if not all of it is there.
    pub(super) fn since(&self, stream: u64, event: u64, last: u64) -> Option<Vec<(u64, Vec<u8>)>> {
        let missed = last.checked_sub(event)?;
        let is_missed = |sent: &&Sent| sent.stream == stream && sent.event > event;
        let sent = self.events.iter().filter(is_missed);
        let sent: Vec<_> = sent.map(|sent| (sent.event, sent.message.to_vec())).collect();
        (sent.len() as u64 == missed).then_some(sent)
    }

    /// Nobody will ask for this stream.
    pub(super) fn forget(&mut self, stream: u64) {
        let events = std::mem::take(&mut self.events);
        for sent in events {
            if sent.stream == stream {
                self.give_back(&sent);
            } else {
                self.events.push_back(sent);
            }
        }
    }

    fn give_back(&mut self, sent: &Sent) {
        let cost = sent.message.len() + OVERHEAD;
        self.bytes -= cost;
        self.memory.give_back(cost);
    }
}

impl Drop for Replay {
    fn drop(&mut self) {
        self.memory.give_back(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_whole_is_sent_again() {
        let memory = Arc::new(Memory::new(1 << 20));
        let mut replay = Replay::new(Arc::clone(&memory));
        let limit = 4 * (OVERHEAD + 1);
        replay.keep(1, 1, b"a", limit);
        replay.keep(2, 1, b"x", limit);
        replay.keep(1, 2, b"b", limit);
        replay.keep(1, 3, b"c", limit);
        assert_eq!(replay.since(1, 1, 3).unwrap(), [(2, b"b".to_vec()), (3, b"c".to_vec())]);
        assert_eq!(replay.since(1, 0, 3).unwrap().len(), 3);
        assert_eq!(replay.since(1, 3, 3).unwrap(), []);
        assert_eq!(replay.since(1, 4, 3), None, "not sent yet");
        replay.keep(2, 2, b"y", limit);
        assert_eq!(replay.since(1, 0, 3), None, "the first is gone");
        assert_eq!(replay.since(1, 1, 3).unwrap().len(), 2);
        replay.forget(1);
        assert_eq!(replay.since(2, 0, 2).unwrap().len(), 2);
        assert_eq!(memory.used(), 2 * (OVERHEAD + 1));
        replay.keep(2, 3, &[b'z'; 1000], limit);
        assert_eq!(replay.since(2, 2, 3), None, "too large to be kept");
        drop(replay);
        assert_eq!(memory.used(), 0);
    }
}
