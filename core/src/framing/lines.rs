//! Newline framing, as on stdio: one message a line, whatever pieces the bytes come in.

use crate::jsonrpc::{Rescue, Rescued};

/// The part of a line that has arrived, kept until its end does.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    partial: Vec<u8>,
    /// Reads on in constant memory when a line has passed the limit, or there is no room for it.
    overlong: Option<Box<Overlong>>,
}

/// What a piece of input completed.
#[derive(Debug)]
pub(crate) enum Line {
    /// Nothing yet; everything was taken.
    Incomplete,
    /// A line whose bytes are `input[..length]`.
    InInput {
        length: usize,
    },
    /// A line that was put together from pieces.
    Assembled(Vec<u8>),
    TooLong {
        rescued: Rescued,
        lacks_room: bool,
    },
}

#[derive(Debug)]
struct Overlong {
    rescue: Rescue,
    lacks_room: bool,
}

/// Buffers up to this size are kept for the next line.
const KEEP: usize = 16 * 1024;

impl Lines {
    /// Takes input up to the end of the first line; gives how much was used and what it made.
    /// A line may have `limit` bytes, of which `room` more than now can be kept.
    pub(crate) fn take(
        &mut self,
        input: &[u8],
        limit: usize,
        room: usize,
        max_id: usize,
    ) -> (usize, Line) {
        let Some(length) = find_newline(input) else {
            self.keep(input, limit, room, max_id);
            return (input.len(), Line::Incomplete);
        };
        let used = length + 1;
        let piece = input.get(..length).unwrap_or_default();
        if self.partial.is_empty() && self.overlong.is_none() && length <= limit {
            return (used, Line::InInput { length });
        }
        self.keep(piece, limit, room, max_id);
        (used, self.end_of_line())
    }

    /// The input has ended: the last line, if it lacked its newline.
    pub(crate) fn end(&mut self) -> Line {
        self.end_of_line()
    }

    /// Gives back the buffer of an assembled line, for the next one.
    pub(crate) fn reuse(&mut self, mut buffer: Vec<u8>) {
        if self.partial.capacity() == 0 && buffer.capacity() <= KEEP {
            buffer.clear();
            self.partial = buffer;
        }
    }

    /// Bytes held for the line that has not ended.
    pub(crate) fn held(&self) -> usize {
        self.partial.len()
    }

    fn keep(&mut self, piece: &[u8], limit: usize, room: usize, max_id: usize) {
        if let Some(overlong) = &mut self.overlong {
            return overlong.rescue.feed(piece);
        }
        let is_too_long = self.partial.len() + piece.len() > limit;
        if !is_too_long && piece.len() <= room {
            return self.partial.extend_from_slice(piece);
        }
        let mut rescue = Rescue::new(max_id);
        rescue.feed(&std::mem::take(&mut self.partial));
        rescue.feed(piece);
        self.overlong = Some(Box::new(Overlong { rescue, lacks_room: !is_too_long }));
    }

    fn end_of_line(&mut self) -> Line {
        if let Some(overlong) = self.overlong.take() {
            let Overlong { rescue, lacks_room } = *overlong;
            return Line::TooLong { rescued: rescue.finish(), lacks_room };
        }
        if self.partial.is_empty() {
            return Line::Incomplete;
        }
        Line::Assembled(std::mem::take(&mut self.partial))
    }
}

/// Offset of the first newline, looked for eight bytes at a time.
fn find_newline(input: &[u8]) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let (words, tail) = input.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let other = u64::from_le_bytes(*word) ^ (ONES * b'\n' as u64);
        let hit = other.wrapping_sub(ONES) & !other & HIGHS;
        if hit != 0 {
            return Some(index * 8 + (hit.trailing_zeros() / 8) as usize);
        }
    }
    tail.iter().position(|byte| *byte == b'\n').map(|at| words.len() * 8 + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(pieces: &[&[u8]], limit: usize) -> Vec<String> {
        let mut lines = Lines::default();
        let mut out = Vec::new();
        let mut note = |line: Line, piece: &[u8]| match line {
            Line::Incomplete => {}
            Line::InInput { length } => {
                out.push(String::from_utf8_lossy(&piece[..length]).into_owned())
            }
            Line::Assembled(bytes) => out.push(String::from_utf8_lossy(&bytes).into_owned()),
            Line::TooLong { rescued, .. } => {
                out.push(format!("too long {:?}", rescued.id().is_some()))
            }
        };
        for piece in pieces {
            let mut rest = *piece;
            while !rest.is_empty() {
                let (used, line) = lines.take(rest, limit, usize::MAX, 16);
                note(line, rest);
                rest = &rest[used..];
            }
        }
        note(lines.end(), b"");
        out.retain(|line| !line.is_empty());
        out
    }

    #[test]
    fn any_split_gives_the_same_lines() {
        let stream = b"one\n\n{\"id\":7,\"x\":\"aaaaaaaaaaaaaaaaaaaaaaaaaa\"}\r\ntwo is ok\nlast";
        let whole = lines(&[stream], 20);
        assert_eq!(whole, ["one", "too long true", "two is ok", "last"]);
        for at in 0..stream.len() {
            assert_eq!(lines(&[&stream[..at], &stream[at..]], 20), whole);
        }
        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        assert_eq!(lines(&bytes, 20), whole);
    }
}
