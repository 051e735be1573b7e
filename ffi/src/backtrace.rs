//! Keeps the symbolizer of the Rust runtime out of what ships, a fifth of its size.
//!
//! The runtime can print the stack of a panic, and for that brings readers of debug files along. The only way
//! to them is `_Unwind_Backtrace`: defined here as "there are no frames", the linker finds that nobody needs
//! the rest. Panics are still told with their place, and still unwind, which is another function.
//! `scripts/build-library`, which asks for this, hides the name, so that the host keeps its own.

use std::ffi::{c_int, c_void};

// Not exported: it stands in for a function of the platform, within this library only.
#[unsafe(export_name = "_Unwind_Backtrace")]
extern "C" fn unwind_backtrace(_each_frame: *const c_void, _argument: *mut c_void) -> c_int {
    0
}
