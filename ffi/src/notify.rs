//! Telling clients of changes, each in the way of its revision, and once for a burst of them.

use std::ffi::c_char;

use crate::register::kind_of;
use crate::server::mcp_server;
use crate::status::mcp_status;
use crate::{boundary, text};

/// Tells everybody who watches it that a resource has changed.
///
/// Returns: MCP_OK; MCP_E_UTF8, MCP_E_INVALID.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_notify_resource_updated(
    server: *mut mcp_server,
    uri: *const c_char,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::status(server, |server| {
            server.core.notify_resource_updated(text::required(uri)?);
            Ok(())
        })
    }
}

/// Tells everybody who watches it that a list has changed. Registering does so by itself; this is for hosts
/// that answer list requests with handlers of their own.
///
/// Returns: MCP_OK; MCP_E_INVALID for a kind without a list.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_notify_list_changed(server: *mut mcp_server, kind: i32) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::status(server, |server| Ok(server.core.notify_list_changed(kind_of(kind)?)?))
    }
}

/// Tells the client that was sent to a page by this elicitationId that the user is done there.
///
/// Returns: MCP_OK; MCP_E_NOT_FOUND if no client was sent there; MCP_E_UTF8, MCP_E_INVALID.
/// Threads: any. Since: 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_notify_elicitation_complete(
    server: *mut mcp_server,
    elicitation_id: *const c_char,
) -> mcp_status {
    // SAFETY: the caller keeps the rules at the top of the header.
    unsafe {
        boundary::status(server, |server| {
            Ok(server.core.notify_elicitation_complete(text::required(elicitation_id)?)?)
        })
    }
}
