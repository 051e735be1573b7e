//! What one thread at a time may use, while all others are refused.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};

/// A lock that nobody waits for, which makes it cheaper to let go of.
#[derive(Default)]
pub(crate) struct Solo<T> {
    is_used: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached through a `Turn`, of which there is one at a time.
unsafe impl<T: Send> Sync for Solo<T> {}

impl<T> Solo<T> {
    /// `None` while another thread, or this one further up, uses it.
    #[inline]
    pub(crate) fn enter(&self) -> Option<Turn<'_, T>> {
        (!self.is_used.swap(true, Ordering::Acquire)).then_some(Turn(self))
    }
}

/// The use of it, until this is dropped.
pub(crate) struct Turn<'a, T>(&'a Solo<T>);

impl<T> Deref for Turn<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: this is the only one that uses the value.
        unsafe { &*self.0.value.get() }
    }
}

impl<T> DerefMut for Turn<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this is the only one that uses the value.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<T> Drop for Turn<'_, T> {
    fn drop(&mut self) {
        self.0.is_used.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_user_at_a_time() {
        let solo = Solo::<u32>::default();
        let mut turn = solo.enter().unwrap();
        *turn += 1;
        assert!(solo.enter().is_none());
        drop(turn);
        assert_eq!(*solo.enter().unwrap(), 1);
    }
}
