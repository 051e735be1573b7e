//! What you may plug in: an observer, a clock, a source of random bytes. They run in the middle of things:
//! from inside of them no message can be fed and no handler run (MCP_E_BUSY).

use std::ffi::{CString, c_char, c_void};

use mcplite_core::{Clock, Entropy, Event, Hook, Observer, Outcome};
use mcplite_system::System;

use crate::boundary;
use crate::callback::{Callback, UserData};
use crate::server::{mcp_destroy, mcp_server};
use crate::status::{MCP_OK, mcp_status};

/// A request has arrived: method, id, time_ms.
pub const MCP_EVENT_RECEIVED: i32 = 1;
/// A request is over: method, id, duration_us, outcome, code.
pub const MCP_EVENT_COMPLETED: i32 = 2;
/// A call of a tool is over: name, duration_us, outcome, code, traceparent.
pub const MCP_EVENT_TOOL: i32 = 3;
/// A session was made.
pub const MCP_EVENT_OPENED: i32 = 4;
/// A session was closed or freed.
pub const MCP_EVENT_CLOSED: i32 = 5;
/// A serve function listens; text is the address, for HTTP a URL without a path.
pub const MCP_EVENT_LISTENING: i32 = 6;
/// A mistake of the host's, such as a handler that returned without an answer; text says what.
pub const MCP_EVENT_DIAGNOSTIC: i32 = 7;
/// An HTTP exchange is over: method and name (the path), code (the status; 0 if there was none), duration_us.
/// Neither headers nor the query are told: they may be secrets.
pub const MCP_EVENT_EXCHANGE: i32 = 8;

/// It ended with a result.
pub const MCP_OUTCOME_OK: i32 = 0;
/// With a JSON-RPC error; code is its code.
pub const MCP_OUTCOME_ERROR: i32 = 1;
/// With a tool result that says isError.
pub const MCP_OUTCOME_TOOL_ERROR: i32 = 2;
/// Cancelled, or the client is gone.
pub const MCP_OUTCOME_CANCELLED: i32 = 3;
/// The client is asked for more; another attempt follows.
pub const MCP_OUTCOME_ASKED: i32 = 4;

/// Something that happened. Made by the library only; later versions may append members, and struct_size
/// says how many bytes there are. Texts are NULL where they do not apply, or contain a NUL character.
#[repr(C)]
pub struct mcp_event {
    /// sizeof(mcp_event) of the library.
    pub struct_size: u32,
    /// One of MCP_EVENT_...
    pub kind: i32,
    /// One of MCP_OUTCOME_...
    pub outcome: i32,
    /// The JSON-RPC code of an error.
    pub code: i32,
    /// When, by the monotonic clock.
    pub time_ms: i64,
    /// How long it took.
    pub duration_us: i64,
    /// The method.
    pub method: *const c_char,
    /// The tool.
    pub name: *const c_char,
    /// JSON text of the request's id.
    pub id: *const c_char,
    /// The W3C traceparent of the request.
    pub traceparent: *const c_char,
    /// See the kind.
    pub text: *const c_char,
}

/// Told what happens, on any thread that uses the library. event and its texts live until it returns.
pub type mcp_observer =
    Option<unsafe extern "C-unwind" fn(user_data: *mut c_void, event: *const mcp_event)>;

type ObserverFunction =
    unsafe extern "C-unwind" fn(user_data: *mut c_void, event: *const mcp_event);

/// Sets who is told what happens. A NULL observer takes it away.
///
/// Returns: MCP_OK.
/// Ownership: destroy runs exactly once, after the last run of the old observer, also on failure.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_set_observer(
    server: *mut mcp_server,
    observer: mcp_observer,
    user_data: *mut c_void,
    destroy: mcp_destroy,
) -> mcp_status {
    let data = UserData::new(user_data, destroy);
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::status(server, |server| {
            match Callback::new(observer, data) {
                Some(callback) => server.core.set_observer(CObserver(callback)),
                None => server.core.unset(Hook::Observer),
            }
            Ok(())
        })
    }
}

/// Microseconds since any fixed moment; never goes back.
pub const MCP_CLOCK_MONOTONIC: i32 = 0;
/// Microseconds since 1970: by it expires what clients carry between processes that share seal keys.
pub const MCP_CLOCK_UNIX: i32 = 1;

/// Tells the time; which is MCP_CLOCK_MONOTONIC or MCP_CLOCK_UNIX.
pub type mcp_clock = Option<unsafe extern "C-unwind" fn(user_data: *mut c_void, which: i32) -> i64>;

type ClockFunction = unsafe extern "C-unwind" fn(user_data: *mut c_void, which: i32) -> i64;

/// Sets your clock, for tests and simulations. A NULL clock is the system's, which is the default.
///
/// Returns: MCP_OK.
/// Ownership: destroy runs exactly once, after the last run of the old clock, also on failure.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_set_clock(
    server: *mut mcp_server,
    clock: mcp_clock,
    user_data: *mut c_void,
    destroy: mcp_destroy,
) -> mcp_status {
    let data = UserData::new(user_data, destroy);
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::status(server, |server| {
            match Callback::new(clock, data) {
                Some(callback) => server.core.set_clock(CClock(callback)),
                None => server.core.set_clock(System::new()),
            }
            Ok(())
        })
    }
}

/// Fills out with len bytes that nobody can guess. Returns MCP_OK, or a negative status if it cannot.
pub type mcp_entropy = Option<
    unsafe extern "C-unwind" fn(user_data: *mut c_void, out: *mut u8, len: usize) -> mcp_status,
>;

type EntropyFunction =
    unsafe extern "C-unwind" fn(user_data: *mut c_void, out: *mut u8, len: usize) -> mcp_status;

/// Sets your source of random bytes. A NULL entropy is the system's, which is the default.
///
/// Returns: MCP_OK.
/// Ownership: destroy runs exactly once, after the last run of the old source, also on failure.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_server_set_entropy(
    server: *mut mcp_server,
    entropy: mcp_entropy,
    user_data: *mut c_void,
    destroy: mcp_destroy,
) -> mcp_status {
    let data = UserData::new(user_data, destroy);
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::status(server, |server| {
            match Callback::new(entropy, data) {
                Some(callback) => server.core.set_entropy(CEntropy(callback)),
                None => server.core.set_entropy(System::new()),
            }
            Ok(())
        })
    }
}

struct CObserver(Callback<ObserverFunction>);

impl Observer for CObserver {
    fn event(&self, event: &Event<'_>) {
        let mut texts = EventTexts::default();
        let event = translate(event, &mut texts);
        // SAFETY: the host registered the two together; the event and its texts live until this returns.
        unsafe { (self.0.function)(self.0.data.pointer(), &raw const event) };
    }
}

/// Owns the texts of an event while it is told.
#[derive(Default)]
struct EventTexts(Vec<CString>);

impl EventTexts {
    fn keep(&mut self, text: &str) -> *const c_char {
        // One that contains a NUL is told as absent: cut short, it could pass for another.
        let Ok(text) = CString::new(text) else { return std::ptr::null() };
        let pointer = text.as_ptr();
        self.0.push(text);
        pointer
    }
}

fn translate(event: &Event<'_>, texts: &mut EventTexts) -> mcp_event {
    let none = std::ptr::null();
    let mut told = mcp_event {
        struct_size: size_of::<mcp_event>() as u32,
        kind: 0,
        outcome: MCP_OUTCOME_OK,
        code: 0,
        time_ms: 0,
        duration_us: 0,
        method: none,
        name: none,
        id: none,
        traceparent: none,
        text: none,
    };
    match event {
        Event::RequestReceived { method, id, time_ms } => {
            told.kind = MCP_EVENT_RECEIVED;
            told.time_ms = i64::try_from(*time_ms).unwrap_or(i64::MAX);
            (told.method, told.id) = (texts.keep(method), texts.keep(id));
        }
        Event::RequestCompleted { method, id, duration_us, outcome } => {
            told.kind = MCP_EVENT_COMPLETED;
            told.duration_us = i64::try_from(*duration_us).unwrap_or(i64::MAX);
            (told.outcome, told.code) = outcome_of(*outcome);
            (told.method, told.id) = (texts.keep(method), texts.keep(id));
        }
        Event::ToolInvoked { name, duration_us, outcome, traceparent } => {
            told.kind = MCP_EVENT_TOOL;
            told.duration_us = i64::try_from(*duration_us).unwrap_or(i64::MAX);
            (told.outcome, told.code) = outcome_of(*outcome);
            told.name = texts.keep(name);
            told.traceparent = traceparent.map_or(none, |text| texts.keep(text));
        }
        Event::SessionOpened => told.kind = MCP_EVENT_OPENED,
        Event::SessionClosed => told.kind = MCP_EVENT_CLOSED,
        Event::Listening { address } => {
            told.kind = MCP_EVENT_LISTENING;
            told.text = texts.keep(address);
        }
        Event::Diagnostic { text } => {
            told.kind = MCP_EVENT_DIAGNOSTIC;
            told.text = texts.keep(text);
        }
        Event::ExchangeEnded { method, path, status, duration_us } => {
            told.kind = MCP_EVENT_EXCHANGE;
            told.duration_us = i64::try_from(*duration_us).unwrap_or(i64::MAX);
            told.code = i32::from(*status);
            (told.method, told.name) = (texts.keep(method), texts.keep(path));
        }
        // The engine's list may grow before this one does.
        _ => {}
    }
    told
}

fn outcome_of(outcome: Outcome) -> (i32, i32) {
    match outcome {
        Outcome::Error(code) => (MCP_OUTCOME_ERROR, code),
        Outcome::ToolError => (MCP_OUTCOME_TOOL_ERROR, 0),
        Outcome::Cancelled => (MCP_OUTCOME_CANCELLED, 0),
        Outcome::Asked => (MCP_OUTCOME_ASKED, 0),
        _ => (MCP_OUTCOME_OK, 0),
    }
}

struct CClock(Callback<ClockFunction>);

impl CClock {
    fn read(&self, which: i32) -> u64 {
        // SAFETY: the host registered the two together.
        let time = unsafe { (self.0.function)(self.0.data.pointer(), which) };
        u64::try_from(time).unwrap_or_default()
    }
}

impl Clock for CClock {
    fn now_ms(&self) -> u64 {
        self.now_us() / 1000
    }

    fn unix_ms(&self) -> u64 {
        self.read(MCP_CLOCK_UNIX) / 1000
    }

    fn now_us(&self) -> u64 {
        self.read(MCP_CLOCK_MONOTONIC)
    }
}

struct CEntropy(Callback<EntropyFunction>);

impl Entropy for CEntropy {
    fn fill(&self, out: &mut [u8]) -> bool {
        // SAFETY: the host registered the two together, and there is room for so many bytes.
        let status =
            unsafe { (self.0.function)(self.0.data.pointer(), out.as_mut_ptr(), out.len()) };
        status == MCP_OK
    }
}
