//! Bringing your own allocator. Only a static library that was built with the feature host-allocator can:
//! an allocator is a matter of the whole program.

use std::ffi::c_void;

use crate::boundary;
use crate::status::mcp_status;

/// Gives size bytes at an address that is a multiple of align, or NULL.
pub type mcp_alloc = Option<unsafe extern "C" fn(size: usize, align: usize) -> *mut c_void>;
/// Makes memory smaller or larger and keeps its contents, or gives NULL and leaves it as it was.
pub type mcp_resize = Option<
    unsafe extern "C" fn(
        memory: *mut c_void,
        old_size: usize,
        new_size: usize,
        align: usize,
    ) -> *mut c_void,
>;
/// Takes memory back.
pub type mcp_release = Option<unsafe extern "C" fn(memory: *mut c_void, size: usize, align: usize)>;

/// Sets the allocator of the library, before any other function of it is used in the process. The three
/// functions may be called on any thread that uses the library. An allocator that gives NULL ends the
/// process: use MCP_LIMIT_MEMORY_BYTES for a bound that is refused politely.
///
/// Returns: MCP_OK; MCP_E_INVALID for a NULL function, MCP_E_STATE if memory has been allocated already,
/// MCP_E_UNSUPPORTED in other builds.
/// Threads: one, before any other use. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_set_allocator(
    alloc: mcp_alloc,
    resize: mcp_resize,
    release: mcp_release,
) -> mcp_status {
    boundary::plain_status(|| {
        let (Some(alloc), Some(resize), Some(release)) = (alloc, resize, release) else {
            return Err(crate::failure::Refusal::invalid("a function is NULL"));
        };
        chosen::set(alloc, resize, release)
    })
}

#[cfg(not(feature = "host-allocator"))]
mod chosen {
    use std::ffi::c_void;

    use crate::failure::Refusal;

    pub(super) fn set(
        _: unsafe extern "C" fn(usize, usize) -> *mut c_void,
        _: unsafe extern "C" fn(*mut c_void, usize, usize, usize) -> *mut c_void,
        _: unsafe extern "C" fn(*mut c_void, usize, usize),
    ) -> Result<(), Refusal> {
        Err(Refusal::unsupported("built without the feature host-allocator"))
    }
}

#[cfg(feature = "host-allocator")]
mod chosen {
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::ffi::c_void;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, Ordering};

    use crate::failure::Refusal;
    use crate::status::MCP_E_STATE;

    #[global_allocator]
    static ALLOCATOR: Chosen = Chosen;

    /// The only state of the library that belongs to the process: so does an allocator.
    static FUNCTIONS: OnceLock<Functions> = OnceLock::new();
    static USED: AtomicBool = AtomicBool::new(false);

    struct Chosen;

    #[derive(Clone, Copy)]
    struct Functions {
        alloc: unsafe extern "C" fn(usize, usize) -> *mut c_void,
        resize: unsafe extern "C" fn(*mut c_void, usize, usize, usize) -> *mut c_void,
        release: unsafe extern "C" fn(*mut c_void, usize, usize),
    }

    pub(super) fn set(
        alloc: unsafe extern "C" fn(usize, usize) -> *mut c_void,
        resize: unsafe extern "C" fn(*mut c_void, usize, usize, usize) -> *mut c_void,
        release: unsafe extern "C" fn(*mut c_void, usize, usize),
    ) -> Result<(), Refusal> {
        let too_late = || Refusal::new(MCP_E_STATE, "memory has been allocated already");
        if USED.load(Ordering::SeqCst) {
            return Err(too_late());
        }
        FUNCTIONS.set(Functions { alloc, resize, release }).map_err(|_| too_late())
    }

    // SAFETY: the functions are the system's, or those that the host promised to behave like them. They
    // change only before the first allocation, so that memory goes back to where it came from.
    unsafe impl GlobalAlloc for Chosen {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            USED.store(true, Ordering::Relaxed);
            match FUNCTIONS.get() {
                // SAFETY: the host's promise.
                Some(own) => unsafe { (own.alloc)(layout.size(), layout.align()) }.cast(),
                // SAFETY: the caller's promise is the same.
                None => unsafe { System.alloc(layout) },
            }
        }

        unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
            match FUNCTIONS.get() {
                // SAFETY: the host's promise.
                Some(own) => unsafe { (own.release)(memory.cast(), layout.size(), layout.align()) },
                // SAFETY: the caller's promise is the same.
                None => unsafe { System.dealloc(memory, layout) },
            }
        }

        unsafe fn realloc(&self, memory: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
            match FUNCTIONS.get() {
                // SAFETY: the host's promise.
                Some(own) => {
                    unsafe { (own.resize)(memory.cast(), layout.size(), new_size, layout.align()) }
                        .cast()
                }
                // SAFETY: the caller's promise is the same.
                None => unsafe { System.realloc(memory, layout, new_size) },
            }
        }
    }
}
