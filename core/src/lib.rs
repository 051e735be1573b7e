//! A complete Model Context Protocol server that lives inside your program: bytes in, bytes out.
//!
//! ```
//! use mcplite_core::{Item, Server, Session};
//!
//! let server = Server::new("hello", "1.0")?;
//! server.register(
//!     Item::tool("greet")
//!         .description("Greets someone by name.")
//!         .input_schema(r#"{"type": "object", "properties": {"name": {"type": "string"}}}"#)
//!         .on_call(|call: &mcplite_core::Call| {
//!             let name = call.arg_str("name").unwrap_or("you".into());
//!             Ok(call.reply_text(&format!("Hello, {name}!"))?)
//!         }),
//! )?;
//!
//! let session = Session::new(&server)?;
//! session.handle_message(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)?;
//! let mut answer = Vec::new();
//! assert!(session.poll_into(&mut answer));
//! assert_eq!(answer, br#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
//! # Ok::<(), mcplite_core::Error>(())
//! ```
//!
//! # The contract
//!
//! Feed a [`Session`] messages or raw bytes, then take output until there is none; a wake says when
//! there is more. Nothing here reads, writes, waits, starts a thread, looks at a clock or rolls dice:
//! time comes from the host's [`Clock`], and moves deadlines only in [`Server::tick`].
//!
//! ```text
//!   bytes ──▶ Session ──▶ scan ──▶ era ──▶ method ──▶ Handler(&Call) ─┐
//!                                                                     │
//!   bytes ◀── Lane ◀────────────── answer, progress, log ◀────────────┘
//! ```
//!
//! # Threads
//!
//! Everything may be used from any thread, also from inside handlers. No lock is held while the
//! host's code runs. The byte end of a session ([`Session::receive`]) has one user at a time.

#![forbid(unsafe_code)]

mod alarms;
mod ask;
mod attend;
mod base64;
mod batch;
mod call;
mod dispatch;
#[cfg(test)]
mod documentation;
mod error;
mod failure;
mod fault;
mod framing;
mod front;
mod handler;
mod hooks;
mod http;
pub mod json;
mod jsonrpc;
mod kind;
mod lane;
mod limits;
mod listen;
mod memory;
mod model;
mod nesting;
mod options;
mod order;
mod origin;
mod outgoing;
mod pattern;
mod peer;
mod queue;
mod registry;
mod revision;
mod running;
pub mod schema;
mod server;
mod session;
mod subscriptions;
mod timers;
mod uri_template;
mod wake;

pub use ask::{Entropy, SealKey, Sealer};
pub use attend::Attendant;
pub use call::{Call, Companion, Role};
pub use error::Error;
pub use failure::Failure;
pub use handler::Handler;
pub use hooks::{
    Clock, ErrorContext, ErrorHook, Event, Hook, Observer, Outcome, Outgoing, secluded,
};
pub use http::{
    Arrival, Authorizer, Exchange, Http, HttpAttendant, HttpOptions, HttpRequest, Verdict, Whole,
};
pub use kind::{ErrorKind, ErrorTable, Form, Preset, Rule};
pub use limits::{Limits, MAX_COMPLETION_VALUES, MAX_NESTED_MESSAGES, MAX_QUESTIONS};
pub use model::logging::LogLevel;
pub use nesting::nesting;
pub use options::{Cache, CacheScope, Declared, Dispatch, Options};
pub use registry::{Item, ItemPolicy, Kind, Reference};
pub use revision::{Era, Revision, Revisions};
pub use server::Server;
pub use session::{Delivery, Session};
pub use uri_template::{TemplateError, UriTemplate};
pub use wake::Wake;
