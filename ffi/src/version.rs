//! Which library this is.

use std::ffi::c_char;

use crate::boundary;

/// The ABI that this header describes; also the number in the name of the shared library. It changes only
/// when a program would have to be compiled again.
pub const MCP_ABI_VERSION: i32 = 0;

/// The version of the library at run time, as MCP_VERSION_STRING is at compile time.
///
/// Returns: a text that lives for ever.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub extern "C" fn mcp_version() -> *const c_char {
    boundary::plain(std::ptr::null(), || {
        concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast::<c_char>()
    })
}

/// The version of the library at run time, as MCP_VERSION_NUMBER is at compile time.
///
/// Returns: major * 1000000 + minor * 1000 + patch.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub extern "C" fn mcp_version_number() -> i32 {
    boundary::plain(0, || {
        let parts = env!("CARGO_PKG_VERSION").split('.').map(|part| part.parse().unwrap_or(0));
        parts.fold(0, |number: i32, part: i32| number * 1000 + part)
    })
}

/// The ABI of the library at run time. A program that loads the library itself compares it with
/// MCP_ABI_VERSION; for others the linker does.
///
/// Returns: the number.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub extern "C" fn mcp_abi_version() -> i32 {
    boundary::plain(0, || MCP_ABI_VERSION)
}
