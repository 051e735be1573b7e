//! What the host registers: a function, its pointer, and how to get rid of that.

use std::ffi::c_void;

use mcplite_core::secluded;

use crate::server::mcp_destroy;

/// The host's pointer. Its `destroy` runs once, when the last user of the pointer is gone.
pub(crate) struct UserData {
    pointer: *mut c_void,
    destroy: mcp_destroy,
}

// SAFETY: the library never looks at what the pointer points to. The header says on which threads
// callbacks run, and makes it the host's duty that its data can be used there.
unsafe impl Send for UserData {}
// SAFETY: as above; the fields are only read.
unsafe impl Sync for UserData {}

impl UserData {
    /// Made before anything else is looked at, so that `destroy` runs whatever is refused.
    pub(crate) fn new(pointer: *mut c_void, destroy: mcp_destroy) -> UserData {
        UserData { pointer, destroy }
    }

    pub(crate) fn pointer(&self) -> *mut c_void {
        self.pointer
    }
}

impl Drop for UserData {
    fn drop(&mut self) {
        if let Some(destroy) = self.destroy {
            // From inside of it nothing is fed or run, and a panic of a host in Rust stays there.
            // SAFETY: the host registered the two together, and this runs once.
            secluded(|| unsafe { destroy(self.pointer) });
        }
    }
}

/// A function of the host's with its pointer.
pub(crate) struct Callback<F> {
    pub(crate) function: F,
    pub(crate) data: UserData,
}

impl<F> Callback<F> {
    /// `None` without a function; then `destroy` has run.
    pub(crate) fn new(function: Option<F>, data: UserData) -> Option<Callback<F>> {
        Some(Callback { function: function?, data })
    }
}
