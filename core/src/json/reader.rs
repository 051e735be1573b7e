//! The strict reader: a cursor over JSON text that refuses whatever RFC 8259 does not allow.
//!
//! It has no token memory. A caller either walks a value with `first_key`/`next_key` and
//! `first_element`/`next_element`, or passes over it with `skip`; both check every byte, so a schema
//! validator that walks a value has also checked its grammar and needs no second pass.

use super::fault::{Fault, FaultKind};
use super::number::scan_number;
use super::short::Short;
use super::special::find_special;
use super::string::{Str, scan_string};

/// The deepest nesting that any limit can allow.
pub const MAX_DEPTH: u32 = 512;

/// A strict cursor over one JSON text.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    text: &'a str,
    pub(super) pos: usize,
    pub(super) depth: u32,
    max_depth: u32,
    /// Whether any string so far had an escape.
    met_escapes: bool,
}

/// A place in a text that the reader of it can return to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mark {
    pos: usize,
    depth: u32,
}

/// What a word of JSON says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    True,
    False,
    Null,
}

impl Mark {
    /// Byte offset of the place.
    pub(crate) fn offset(self) -> usize {
        self.pos
    }
}

impl<'a> Reader<'a> {
    /// A reader at the start of `text` that allows `max_depth` nested containers.
    pub fn new(text: &'a str, max_depth: u32) -> Reader<'a> {
        Reader { text, pos: 0, depth: 0, max_depth: max_depth.min(MAX_DEPTH), met_escapes: false }
    }

    /// The byte at which the next value, comma or bracket starts, after white space.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        match self.byte() {
            Some(byte) if byte > b' ' => Some(byte),
            _ => self.peek_far(),
        }
    }

    #[inline(never)]
    fn peek_far(&mut self) -> Option<u8> {
        loop {
            match self.byte() {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.pos += 1,
                other => return other,
            }
        }
    }

    /// Passes over `token` if the text goes on with exactly these bytes. A name, its quotes and the
    /// colon make a token that can be nothing else where a name is due.
    #[inline]
    pub(crate) fn take(&mut self, token: &str) -> bool {
        let rest = self.text.as_bytes().get(self.pos..).unwrap_or_default();
        let found = rest.starts_with(token.as_bytes());
        if found {
            self.pos += token.len();
        }
        found
    }

    /// Goes back over `token`, which has been taken.
    #[inline]
    pub(crate) fn give_back(&mut self, token: &str) {
        self.pos = self.pos.saturating_sub(token.len());
    }

    /// The byte behind the next one, by which names are told apart.
    #[inline]
    pub(crate) fn second_byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.pos + 1).copied()
    }

    /// Offset of the next unread byte.
    pub fn position(&self) -> usize {
        self.pos
    }

    /// Whether a string or name that was read had an escape in it.
    #[inline]
    pub(crate) fn has_met_escapes(&self) -> bool {
        self.met_escapes
    }

    /// This place, after white space.
    #[inline(always)]
    pub(crate) fn mark(&mut self) -> Mark {
        self.peek();
        Mark { pos: self.pos, depth: self.depth }
    }

    /// Goes to a place where this reader has been, so that a value can be read once more.
    #[inline]
    pub(crate) fn return_to(&mut self, mark: Mark) {
        self.pos = mark.pos;
        self.depth = mark.depth;
    }

    /// The place of the opening quote of a string that this reader has read at the present depth,
    /// given what stands between its quotes.
    pub(crate) fn mark_of(&self, string: &'a [u8]) -> Mark {
        let start = (string.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        Mark { pos: start.saturating_sub(1), depth: self.depth }
    }

    /// The text between two offsets; empty when they do not bound characters.
    #[inline]
    pub fn slice(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or("")
    }

    /// Reads a string.
    #[inline]
    pub fn string(&mut self) -> Result<Str<'a>, Fault> {
        match self.peek() {
            Some(b'"') => self.string_body(),
            _ => Err(self.unexpected()),
        }
    }

    /// Enters an object: its first member name, or `None` for `{}`.
    #[inline]
    pub fn first_key(&mut self) -> Result<Option<Str<'a>>, Fault> {
        if self.first_member()? { self.key().map(Some) } else { Ok(None) }
    }

    /// Enters an object: whether it has a first member, whose name is next.
    #[inline]
    pub(crate) fn first_member(&mut self) -> Result<bool, Fault> {
        self.enter(b'{')?;
        if self.peek() == Some(b'}') {
            self.leave();
            return Ok(false);
        }
        Ok(true)
    }

    /// After a member's value: whether another one follows, whose name is next.
    #[inline]
    pub(crate) fn next_member(&mut self) -> Result<bool, Fault> {
        let more = self.next_comma()?;
        if more {
            self.peek();
        }
        Ok(more)
    }

    /// The same, where white space may come before the name.
    #[inline(always)]
    pub(crate) fn next_comma(&mut self) -> Result<bool, Fault> {
        match self.byte() {
            Some(b',') => {
                self.pos += 1;
                Ok(true)
            }
            Some(b'}') => {
                self.leave();
                Ok(false)
            }
            _ => self.next_comma_far(),
        }
    }

    #[inline(never)]
    fn next_comma_far(&mut self) -> Result<bool, Fault> {
        match self.peek() {
            Some(b',') => {
                self.pos += 1;
                Ok(true)
            }
            Some(b'}') => {
                self.leave();
                Ok(false)
            }
            _ => Err(self.unexpected()),
        }
    }

    /// After a member's value: the next member name, or `None` at the end of the object.
    #[inline]
    pub fn next_key(&mut self) -> Result<Option<Str<'a>>, Fault> {
        if self.next_member()? { self.key().map(Some) } else { Ok(None) }
    }

    /// Enters an array: whether it has a first element.
    #[inline]
    pub fn first_element(&mut self) -> Result<bool, Fault> {
        self.enter(b'[')?;
        if self.peek() == Some(b']') {
            self.leave();
            return Ok(false);
        }
        Ok(true)
    }

    /// After an element: whether another one follows.
    #[inline]
    pub fn next_element(&mut self) -> Result<bool, Fault> {
        match self.peek() {
            Some(b',') => {
                self.pos += 1;
                Ok(true)
            }
            Some(b']') => {
                self.leave();
                Ok(false)
            }
            _ => Err(self.unexpected()),
        }
    }

    /// Checks that only white space is left.
    #[inline]
    pub fn end(&mut self) -> Result<(), Fault> {
        if self.pos == self.text.len() {
            return Ok(());
        }
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.fault(FaultKind::TrailingBytes)),
        }
    }

    /// Reads a number, `true`, `false` or `null` and gives its text.
    pub fn scalar(&mut self) -> Result<&'a str, Fault> {
        let first = self.peek();
        let start = self.pos;
        match first {
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't' | b'f' | b'n') => self.word().map(drop),
            _ => return Err(self.unexpected()),
        }?;
        Ok(self.slice(start, self.pos))
    }

    /// Passes over an integer as it is usually written: without a sign, and followed by a comma or the end of
    /// an object. `None` for everything else: then nothing was read.
    #[inline]
    pub(crate) fn digits(&mut self) -> Option<&'a str> {
        let start = self.pos;
        let first = self.byte()?;
        let mut end = start;
        while let Some(b'0'..=b'9') = self.text.as_bytes().get(end) {
            end += 1;
        }
        let ends = matches!(self.text.as_bytes().get(end), Some(b',' | b'}'));
        if end == start || !ends || (first == b'0' && end > start + 1) {
            return None;
        }
        self.pos = end;
        Some(self.slice(start, end))
    }

    #[inline]
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    /// The next byte, white space or not.
    #[inline]
    pub(crate) fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.pos).copied()
    }

    /// Reads a number that is written shortly. `None` if it is not, or is wrong: then nothing was read.
    #[inline]
    pub(crate) fn short_number(&mut self) -> Option<Short> {
        let (short, length) = Short::scan(self.bytes().get(self.pos..)?)?;
        self.pos += length;
        Some(short)
    }

    /// Reads `true`, `false` or `null`, of which the first letter was peeked at.
    #[inline]
    pub(crate) fn word(&mut self) -> Result<Word, Fault> {
        match self.byte() {
            Some(b't') => self.letters("true").map(|()| Word::True),
            Some(b'f') => self.letters("false").map(|()| Word::False),
            _ => self.letters("null").map(|()| Word::Null),
        }
    }

    /// Reads the name of a member and its colon.
    #[inline]
    pub(crate) fn key(&mut self) -> Result<Str<'a>, Fault> {
        let key = self.string()?;
        self.colon()?;
        Ok(key)
    }

    /// Passes over the name of a member and its colon.
    pub(super) fn pass_key(&mut self) -> Result<(), Fault> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected());
        }
        self.pass_string()?;
        self.colon()
    }

    #[inline]
    fn colon(&mut self) -> Result<(), Fault> {
        match self.peek() {
            Some(b':') => {
                self.pos += 1;
                Ok(())
            }
            _ => Err(self.unexpected()),
        }
    }

    /// Passes over a string whose opening quote comes next.
    pub(crate) fn pass_string(&mut self) -> Result<(), Fault> {
        match scan_string(self.text.as_bytes(), self.pos + 1) {
            Ok((end, escaped)) => {
                self.pos = end + 1;
                self.met_escapes |= escaped;
                Ok(())
            }
            Err(at) => Err(self.bad_string(at)),
        }
    }

    /// Reads a string whose opening quote comes next.
    #[inline]
    pub(crate) fn string_body(&mut self) -> Result<Str<'a>, Fault> {
        let start = self.pos + 1;
        let bytes = self.text.as_bytes();
        let end = find_special(bytes, start);
        if bytes.get(end) == Some(&b'"') {
            self.pos = end + 1;
            return Ok(Str::new(self.slice(start, end), false));
        }
        self.string_with_escapes(start, end)
    }

    /// The rest of a string that began at `start`, from its first special character on.
    #[inline(never)]
    fn string_with_escapes(&mut self, start: usize, special: usize) -> Result<Str<'a>, Fault> {
        match scan_string(self.text.as_bytes(), special) {
            Ok((end, escaped)) => {
                self.pos = end + 1;
                self.met_escapes |= escaped;
                Ok(Str::new(self.slice(start, end), escaped))
            }
            Err(at) => Err(self.bad_string(at)),
        }
    }

    #[cold]
    fn bad_string(&mut self, at: usize) -> Fault {
        self.pos = at;
        let ended = at >= self.text.len();
        self.fault(if ended { FaultKind::UnexpectedEnd } else { FaultKind::BadString })
    }

    #[inline]
    fn enter(&mut self, bracket: u8) -> Result<(), Fault> {
        if self.peek() != Some(bracket) {
            return Err(self.unexpected());
        }
        if self.depth >= self.max_depth {
            return Err(self.fault(FaultKind::TooDeep));
        }
        self.depth += 1;
        self.pos += 1;
        Ok(())
    }

    #[inline(always)]
    fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.pos += 1;
    }

    #[inline(always)]
    fn letters(&mut self, word: &str) -> Result<(), Fault> {
        let rest = self.text.as_bytes().get(self.pos..).unwrap_or_default();
        if rest.starts_with(word.as_bytes()) {
            self.pos += word.len();
            return Ok(());
        }
        Err(self.wrong_word(word))
    }

    #[cold]
    fn wrong_word(&mut self, word: &str) -> Fault {
        let rest = self.text.as_bytes().get(self.pos..).unwrap_or_default();
        let right = rest.iter().zip(word.bytes()).take_while(|(have, want)| *have == want).count();
        self.pos += right;
        self.unexpected()
    }

    #[inline]
    fn number(&mut self) -> Result<(), Fault> {
        match scan_number(self.text.as_bytes(), self.pos) {
            Ok(end) => {
                self.pos = end;
                Ok(())
            }
            Err(at) => {
                self.pos = at;
                Err(self.bad_number())
            }
        }
    }

    #[cold]
    fn bad_number(&self) -> Fault {
        let ended = self.pos >= self.text.len();
        self.fault(if ended { FaultKind::UnexpectedEnd } else { FaultKind::BadNumber })
    }

    #[cold]
    fn unexpected(&self) -> Fault {
        let ended = self.pos >= self.text.len();
        self.fault(if ended { FaultKind::UnexpectedEnd } else { FaultKind::UnexpectedByte })
    }

    fn fault(&self, kind: FaultKind) -> Fault {
        Fault { at: self.pos, kind }
    }
}
