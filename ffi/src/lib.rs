//! The C ABI of mcplite. `include/mcplite.h` is made of the documentation here; see `docs/abi.md`.
//!
//! Each public module is a chapter of the header, in the order of [`CHAPTERS`]. Each exported function is
//! a line or two around the engine: `boundary` checks the handle, keeps it alive while the engine works,
//! and lets no panic out; `text` turns pointers into slices; `callback` holds what the host registers.

#![expect(non_camel_case_types, reason = "these are the names that C sees")]
#![expect(
    clippy::missing_safety_doc,
    reason = "the obligations of callers are the same for all functions, and stand at the top of the header"
)]
#![allow(
    rustdoc::bare_urls,
    rustdoc::broken_intra_doc_links,
    reason = "the comments are documentation for readers of C, where brackets are no links, and a URL is a value"
)]
#![deny(unsafe_op_in_unsafe_fn)]

#[cfg(not(feature = "exchange"))]
#[allow(dead_code, reason = "it says what there would be")]
mod absent;
#[cfg(mcplite_without_backtrace)]
mod backtrace;
mod boundary;
mod callback;
mod failure;
mod handle;
mod handler;
mod held;
mod solo;
mod text;
mod texts;

pub mod allocator;
pub mod answer;
pub mod ask;
pub mod call;
pub mod error;
#[cfg_attr(
    not(feature = "exchange"),
    allow(unreachable_code, unused_variables, reason = "there can be no exchange")
)]
pub mod exchange;
pub mod hooks;
pub mod http;
pub mod json;
pub mod notify;
pub mod option;
pub mod register;
pub mod seal;
pub mod serve;
pub mod server;
pub mod session;
pub mod status;
pub mod version;

/// The chapters of the header: the module, and its title.
pub const CHAPTERS: [(&str, &str); 18] = [
    ("version", "Version"),
    ("status", "Status"),
    ("server", "Server"),
    ("register", "What is offered"),
    ("notify", "Telling of changes"),
    ("serve", "Serving: the comfortable way"),
    ("session", "Session: one duplex pipe"),
    ("http", "HTTP: an endpoint"),
    ("exchange", "HTTP: one request and its response"),
    ("call", "Call: reading"),
    ("answer", "Call: answering"),
    ("ask", "Asking the client"),
    ("json", "Small JSON help"),
    ("option", "Options and limits"),
    ("error", "Errors that clients see"),
    ("hooks", "Observation, time and entropy"),
    ("seal", "Secrets"),
    ("allocator", "Allocator"),
];
