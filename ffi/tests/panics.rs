//! A defect of the engine becomes an error answer, poisons the smallest object, and goes no further.
//!
//! Needs the feature `fault-injection`, which makes the engine break down on request.

#![cfg(feature = "fault-injection")]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that finds something else than it expects has failed, and one handler panics"
)]

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut};

use mcplite::answer::mcp_reply_text;
use mcplite::call::mcp_call;
use mcplite::register::{mcp_register_method, mcp_register_tool};
use mcplite::server::*;
use mcplite::session::*;
use mcplite::status::*;

struct Host {
    server: *mut mcp_server,
    session: *mut mcp_session,
}

impl Host {
    fn new() -> Host {
        // SAFETY: the texts are NUL-terminated, and the handles are live.
        unsafe {
            let server = mcp_server_new(c"host".as_ptr(), c"1".as_ptr());
            let (tool, handler) = (c"say".as_ptr(), Some(say as _));
            let status = mcp_register_tool(server, tool, null(), null(), handler, null_mut(), None);
            assert_eq!(status, MCP_OK);
            let session = mcp_session_new(server);
            let host = Host { server, session };
            host.feed(
                r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
            );
            host.heard();
            host
        }
    }

    fn feed(&self, message: &str) -> mcp_status {
        // SAFETY: the session is live, and the message as long as it says.
        unsafe {
            mcp_handle_message(self.session, message.as_ptr().cast::<c_char>(), message.len())
        }
    }

    fn heard(&self) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            // SAFETY: the session is live, and the text NUL-terminated until the next poll.
            unsafe {
                let line = mcp_session_poll(self.session, null_mut());
                if line.is_null() {
                    return lines;
                }
                lines.push(CStr::from_ptr(line).to_str().unwrap().trim_end().to_owned());
            }
        }
    }

    fn call(&self, id: u32, text: &str) -> mcp_status {
        self.feed(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"say","arguments":{{"text":"{text}"}}}}}}"#
        ))
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // SAFETY: both are live, and not used afterwards.
        unsafe {
            mcp_session_free(self.session);
            mcp_server_free(self.server);
        }
    }
}

unsafe extern "C-unwind" fn say(_: *mut c_void, call: *mut mcp_call) -> mcp_status {
    // SAFETY: the call is held while this runs.
    unsafe {
        let text = mcplite::call::mcp_arg_str(call, c"text".as_ptr(), null_mut());
        let status = mcp_reply_text(call, text, usize::MAX);
        if status == MCP_E_PANIC {
            // The call is given up, and says so from now on.
            assert_eq!(mcp_reply_text(call, c"again".as_ptr(), usize::MAX), MCP_E_POISONED);
        }
        status
    }
}

unsafe extern "C-unwind" fn panics(_: *mut c_void, _: *mut mcp_call) -> mcp_status {
    panic!("a handler in Rust")
}

#[test]
fn on_arrival_the_request_is_answered_and_the_session_given_up() {
    let host = Host::new();
    let message = r#"{"jsonrpc":"2.0","id":7,"method":"mcplite/break/on arrival"}"#;
    assert_eq!(host.feed(message), MCP_E_PANIC);
    assert_eq!(host.feed(message), MCP_E_POISONED);
    let heard = host.heard();
    assert_eq!(heard.len(), 1);
    assert!(heard[0].contains(r#""id":7"#) && heard[0].contains("-32603"), "{}", heard[0]);
    // SAFETY: the session is live.
    let status = unsafe { mcp_session_end(host.session) };
    assert_eq!(status, MCP_E_POISONED);
    let mut error = mcp_error { status: 0, offset: 0, text: [0; 248] };
    // SAFETY: the server is live, and there is room for the error.
    unsafe {
        assert_eq!(mcp_server_last_error(host.server, &raw mut error), MCP_OK);
        let other = mcp_session_new(host.server);
        assert!(!other.is_null(), "other sessions are not concerned");
        mcp_session_free(other);
    }
    assert_eq!(error.status, MCP_E_PANIC);
}

#[test]
fn with_an_open_call_the_client_still_gets_one_answer() {
    let host = Host::new();
    let method = CString::new("mcplite/break/with an open call").unwrap();
    // SAFETY: the server is live, and the text NUL-terminated.
    let status =
        unsafe { mcp_register_method(host.server, method.as_ptr(), Some(say), null_mut(), None) };
    assert_eq!(status, MCP_OK);
    let message = r#"{"jsonrpc":"2.0","id":8,"method":"mcplite/break/with an open call"}"#;
    assert_eq!(host.feed(message), MCP_E_PANIC);
    let heard = host.heard();
    assert_eq!(heard.len(), 1);
    assert!(heard[0].contains(r#""id":8"#) && heard[0].contains("-32603"), "{}", heard[0]);
}

#[test]
fn while_answering_only_the_call_is_given_up() {
    let host = Host::new();
    assert_eq!(host.call(1, "mcplite/break/while answering"), MCP_OK);
    let heard = host.heard();
    assert_eq!(heard.len(), 1);
    assert!(heard[0].contains("the engine failed"), "{}", heard[0]);
    assert_eq!(host.call(2, "fine"), MCP_OK);
    assert!(host.heard()[0].contains(r#""text":"fine""#));
}

#[test]
fn a_handler_in_rust_that_panics_is_an_error_answer() {
    let host = Host::new();
    // SAFETY: the server is live, and the text NUL-terminated.
    let status = unsafe {
        mcp_register_tool(
            host.server,
            c"panics".as_ptr(),
            null(),
            null(),
            Some(panics),
            null_mut(),
            None,
        )
    };
    assert_eq!(status, MCP_OK);
    host.heard();
    let message = r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"panics"}}"#;
    assert_eq!(host.feed(message), MCP_OK);
    assert!(host.heard()[0].contains("the handler panicked"));
    assert_eq!(host.call(10, "still here"), MCP_OK);
    assert!(host.heard()[0].contains("still here"));
}
