//! A message on its way into a buffer.

/// A message that is being written. If that ends in a panic, nothing of it is left.
pub(crate) struct Unfinished<'a> {
    pub(crate) bytes: &'a mut Vec<u8>,
    keep: usize,
}

impl<'a> Unfinished<'a> {
    pub(crate) fn new(bytes: &'a mut Vec<u8>) -> Unfinished<'a> {
        Unfinished { keep: bytes.len(), bytes }
    }

    /// It is written; says how long it is.
    pub(crate) fn finish(mut self) -> usize {
        let before = std::mem::replace(&mut self.keep, self.bytes.len());
        self.bytes.len() - before
    }
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        self.bytes.truncate(self.keep);
    }
}
