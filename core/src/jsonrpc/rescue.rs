//! Finding the id of a message that is too deep or too long to be read.
//!
//! A byte-at-a-time machine in constant memory. It counts brackets and follows strings; it does not
//! check grammar.

use super::id::Id;
use crate::json::Reader;

/// The machine. Feed it the message in any pieces, then call [`Rescue::finish`].
#[derive(Debug, Default)]
pub(crate) struct Rescue {
    depth: usize,
    in_string: bool,
    after_backslash: bool,
    expects_key: bool,
    closed: bool,
    is_object: bool,
    key: Vec<u8>,
    value: Vec<u8>,
    id: Vec<u8>,
    has_id: bool,
    id_is_usable: bool,
    has_method: bool,
    has_outcome: bool,
    max_id: usize,
}

/// What could be saved from an unreadable message.
#[derive(Debug, Default)]
pub(crate) struct Rescued {
    /// Every bracket and string was closed.
    pub(crate) complete: bool,
    pub(crate) has_method: bool,
    /// It has `result` or `error` and no `method`.
    pub(crate) looks_like_response: bool,
    /// There is an id member, whatever its value.
    pub(crate) has_id: bool,
    id: Option<String>,
}

/// No member name that matters is longer.
const MAX_KEY: usize = 8;

impl Rescue {
    pub(crate) fn new(max_id: usize) -> Rescue {
        Rescue { max_id, ..Rescue::default() }
    }

    /// What can be saved from a message that is all there.
    pub(crate) fn whole(message: &[u8], max_id: usize) -> Rescued {
        let mut rescue = Rescue::new(max_id);
        rescue.feed(message);
        rescue.finish()
    }

    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.step(byte);
        }
    }

    pub(crate) fn finish(self) -> Rescued {
        let id = String::from_utf8(self.id).ok().filter(|_| self.id_is_usable);
        let id = id.map(|id| id.trim().to_owned());
        let id = id.filter(|id| {
            let mut reader = Reader::new(id, 1);
            reader.skip().is_ok() && reader.end().is_ok() && Id::from_json(id).is_some()
        });
        Rescued {
            complete: self.closed && self.depth == 0,
            has_method: self.has_method,
            looks_like_response: self.has_outcome && !self.has_method,
            has_id: self.has_id,
            id,
        }
    }

    fn step(&mut self, byte: u8) {
        let top = self.depth == 1 && self.is_object;
        if self.in_string {
            self.keep(byte, top);
            if self.after_backslash {
                self.after_backslash = false;
            } else if byte == b'\\' {
                self.after_backslash = true;
            } else if byte == b'"' {
                self.in_string = false;
            }
            return;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                if top && self.expects_key {
                    self.key.clear();
                }
                self.keep(byte, top);
            }
            b'{' | b'[' => {
                if self.depth == 0 {
                    self.is_object = byte == b'{';
                    self.expects_key = true;
                } else {
                    self.keep(byte, top);
                }
                self.depth += 1;
            }
            b'}' | b']' => {
                if top {
                    self.end_member();
                }
                self.depth = self.depth.saturating_sub(1);
                self.closed |= self.depth == 0;
            }
            b':' if top && self.expects_key => {
                self.expects_key = false;
                self.value.clear();
                self.note_member();
            }
            b',' if top => {
                self.end_member();
                self.expects_key = true;
            }
            _ => self.keep(byte, top),
        }
    }

    fn keep(&mut self, byte: u8, top: bool) {
        if !top {
            return;
        }
        let (buffer, limit) = if self.expects_key {
            (&mut self.key, MAX_KEY + 2)
        } else {
            (&mut self.value, self.max_id)
        };
        // One byte beyond the limit is kept to tell "too long" from "just fits".
        if buffer.len() <= limit {
            buffer.push(byte);
        }
    }

    /// A member has been named; what follows may be cut off.
    fn note_member(&mut self) {
        match self.key.trim_ascii_end() {
            b"\"id\"" => self.has_id = true,
            b"\"method\"" => self.has_method = true,
            b"\"result\"" | b"\"error\"" => self.has_outcome = true,
            _ => {}
        }
    }

    fn end_member(&mut self) {
        if self.key.trim_ascii_end() == b"\"id\"" {
            self.id_is_usable = self.value.len() <= self.max_id;
            self.id = std::mem::take(&mut self.value);
        }
        self.key.clear();
        self.value.clear();
    }
}

impl Rescued {
    pub(crate) fn id(&self) -> Option<Id<'_>> {
        self.id.as_deref().and_then(Id::from_json)
    }
}
