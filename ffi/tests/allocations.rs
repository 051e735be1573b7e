//! Through the C ABI too, the steady state of `ping` and `tools/call` allocates nothing.

#![expect(clippy::print_stdout, reason = "the counts are worth seeing")]

use std::ffi::{c_char, c_void};
use std::ptr::{null, null_mut};

use mcplite::answer::mcp_reply_text;
use mcplite::call::{mcp_arg_int, mcp_arg_str, mcp_call};
use mcplite::register::mcp_register_tool;
use mcplite::server::{mcp_server_free, mcp_server_new};
use mcplite::session::{
    mcp_handle_message, mcp_session, mcp_session_consume, mcp_session_free, mcp_session_new,
    mcp_session_peek, mcp_session_poll,
};
use mcplite::status::{MCP_E_INVALID, MCP_OK, mcp_status};
use mcplite_bench::allocations::{CountingAllocator, counted};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;

const MESSAGES: [(&str, &str); 4] = [
    ("ping", r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#),
    (
        "call",
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"say","arguments":{"text":"plain","count":3}}}"#,
    ),
    (
        "modern call",
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"say","arguments":{"text":"plain","count":3},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
    ),
    ("list", r#"{"jsonrpc":"2.0","id":4,"method":"tools/list"}"#),
];

unsafe extern "C-unwind" fn say(_: *mut c_void, call: *mut mcp_call) -> mcp_status {
    let mut length = 0;
    // SAFETY: the call is held while this runs, and the texts are NUL-terminated.
    unsafe {
        let text = mcp_arg_str(call, c"text".as_ptr(), &raw mut length);
        if mcp_arg_int(call, c"count".as_ptr(), 0) != 3 {
            return MCP_E_INVALID;
        }
        mcp_reply_text(call, text, length)
    }
}

/// One message in, and its answer out by either way.
fn exchange(session: *mut mcp_session, message: &str, polled: bool) {
    let mut length = 0;
    // SAFETY: the session is live, and the message as long as it says.
    unsafe {
        let status = mcp_handle_message(session, message.as_ptr().cast::<c_char>(), message.len());
        assert_eq!(status, MCP_OK);
        if polled {
            assert!(!mcp_session_poll(session, &raw mut length).is_null());
            assert!(mcp_session_poll(session, &raw mut length).is_null());
        } else {
            assert!(!mcp_session_peek(session, &raw mut length).is_null());
            assert_eq!(mcp_session_consume(session, length), MCP_OK);
            assert!(mcp_session_peek(session, &raw mut length).is_null());
        }
    }
}

#[test]
fn the_steady_state_allocates_nothing() {
    let schema = c"{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\"},\"count\":{\"type\":\"integer\"}}}";
    // SAFETY: the texts are NUL-terminated, and the handles are live until they are freed.
    unsafe {
        let server = mcp_server_new(c"counted".as_ptr(), c"1".as_ptr());
        let (name, handler) = (c"say".as_ptr(), Some(say as _));
        let status =
            mcp_register_tool(server, name, null(), schema.as_ptr(), handler, null_mut(), None);
        assert_eq!(status, MCP_OK);
        let session = mcp_session_new(server);
        exchange(session, INITIALIZE, true);
        for (what, message) in MESSAGES {
            for polled in [true, false] {
                (0..50).for_each(|_| exchange(session, message, polled));
                let before = counted();
                (0..100).for_each(|_| exchange(session, message, polled));
                let allocations = counted() - before;
                println!("{what}, {}: {allocations}", if polled { "polled" } else { "peeked" });
                assert_eq!(allocations, 0, "{what}");
            }
        }
        let before = counted();
        drop(std::hint::black_box(Box::new(0_u8)));
        assert_eq!(counted(), before + 1, "this program counts");
        mcp_session_free(session);
        mcp_server_free(server);
    }
}
