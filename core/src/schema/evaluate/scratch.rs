//! A stack that needs no heap while it is small.

/// A stack whose first `N` entries are kept in place.
#[derive(Debug)]
pub(super) struct Scratch<T, const N: usize> {
    /// Made when something is put there, which is seldom.
    near: Option<[T; N]>,
    far: Vec<T>,
    length: usize,
}

impl<T: Copy + Default, const N: usize> Scratch<T, N> {
    pub(super) fn new() -> Scratch<T, N> {
        Scratch { near: None, far: Vec::new(), length: 0 }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.length
    }

    pub(super) fn push(&mut self, value: T) {
        if self.length == N && self.far.is_empty() {
            // From here on everything is on the heap, so that a range stays one slice.
            self.far.extend(self.near.iter().flatten());
        }
        if self.far.is_empty() {
            if let Some(slot) =
                self.near.get_or_insert_with(|| [T::default(); N]).get_mut(self.length)
            {
                *slot = value;
            }
        } else {
            self.far.truncate(self.length);
            self.far.push(value);
        }
        self.length += 1;
    }

    #[inline]
    pub(super) fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
    }

    /// The entries from `start` on.
    pub(super) fn since(&mut self, start: usize) -> &mut [T] {
        let near = self.near.as_mut().map(|near| near.as_mut_slice()).unwrap_or_default();
        let all = if self.far.is_empty() { near } else { &mut self.far };
        all.get_mut(start..self.length).unwrap_or_default()
    }
}
