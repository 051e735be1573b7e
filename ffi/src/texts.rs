//! Texts that C reads from a call: NUL-terminated, and at one place as long as the call is held.

use std::ffi::c_char;

/// Copies in blocks that never move.
#[derive(Default)]
pub(crate) struct Texts {
    blocks: Vec<Vec<u8>>,
    known: Vec<Known>,
}

/// A text that is here already.
struct Known {
    /// Where it came from.
    source: (usize, usize),
    length: usize,
    block: usize,
    start: usize,
}

/// The smallest block.
const BLOCK: usize = 1024;
/// How many texts are known without a shrink afterwards.
const MANY: usize = 64;

impl Texts {
    /// A copy of `text` with a NUL behind it, made once for each source.
    #[inline(always)]
    pub(crate) fn keep(&mut self, source: (usize, usize), text: &str) -> *const c_char {
        let is_known = |known: &&Known| known.source == source && known.length == text.len();
        if let Some(known) = self.known.iter().find(is_known) {
            let block = self.blocks.get(known.block).and_then(|block| block.get(known.start..));
            return block.unwrap_or_default().as_ptr().cast();
        }
        let needed = text.len() + 1;
        let has_room = |block: &Vec<u8>| block.capacity() - block.len() >= needed;
        if !self.blocks.last().is_some_and(has_room) {
            self.add_block(needed);
        }
        let place = self.blocks.len() - 1;
        let Some(block) = self.blocks.last_mut() else { return std::ptr::null() };
        let start = block.len();
        block.extend_from_slice(text.as_bytes());
        block.push(0);
        self.known.push(Known { source, length: text.len(), block: place, start });
        block.get(start..).unwrap_or_default().as_ptr().cast()
    }

    #[cold]
    fn add_block(&mut self, needed: usize) {
        self.blocks.push(Vec::with_capacity(needed.max(BLOCK)));
    }

    /// Looks everything up anew from now on; what was given out stays where it is.
    pub(crate) fn forget(&mut self) {
        self.known.clear();
    }

    /// Forgets everything; the largest block of no more than `keep` bytes serves the next call.
    pub(crate) fn clear(&mut self, keep: usize) {
        self.known.clear();
        match self.blocks.as_mut_slice() {
            [] => {}
            [block] if block.capacity() <= keep && self.known.capacity() <= MANY => block.clear(),
            _ => self.clear_far(keep),
        }
    }

    #[cold]
    fn clear_far(&mut self, keep: usize) {
        self.known.shrink_to(MANY);
        self.blocks.retain(|block| block.capacity() <= keep);
        let largest = self.blocks.iter().map(Vec::capacity).max().unwrap_or_default();
        if let Some(place) = self.blocks.iter().position(|block| block.capacity() == largest) {
            self.blocks.swap(0, place);
        }
        self.blocks.truncate(1);
        self.blocks.iter_mut().for_each(Vec::clear);
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    fn read(pointer: *const c_char) -> String {
        // SAFETY: the texts end with a NUL, and `Texts` is still there.
        unsafe { CStr::from_ptr(pointer) }.to_str().unwrap().to_owned()
    }

    #[test]
    fn texts_stay_where_they_are() {
        let mut texts = Texts::default();
        let kept: Vec<_> =
            (0..5000).map(|number| texts.keep((number, 1), &format!("text {number}"))).collect();
        for (number, pointer) in kept.iter().enumerate() {
            assert_eq!(read(*pointer), format!("text {number}"));
            assert_eq!(texts.keep((number, 1), &format!("text {number}")), *pointer);
        }
    }

    #[test]
    fn the_largest_block_that_is_not_huge_is_kept() {
        let mut texts = Texts::default();
        texts.keep((1, 0), "small");
        texts.keep((2, 0), &"x".repeat(70_000));
        texts.keep((3, 0), &"x".repeat(1 << 20));
        texts.clear(128 * 1024);
        assert_eq!(texts.blocks.len(), 1);
        assert_eq!(texts.blocks[0].capacity(), 70_001);
        assert!(texts.known.is_empty() && texts.blocks[0].is_empty());
    }
}
