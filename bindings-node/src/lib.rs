//! The addon: the engine as JavaScript sees it. `lib/` is the public layer on top of it.
//!
//! ```text
//!   program ── lib/ (JavaScript) ── addon ── core    registry, sessions, calls
//!
//!   bytes ──▶ Session.receive ──▶ engine ──▶ takeCalls ──▶ handlers of the program
//!   bytes ◀── Session.drain ◀─── engine ◀─── answer ◀───── what they gave
//! ```
//!
//! # One thread, and nothing of JavaScript's
//!
//! The addon never calls JavaScript, and holds no reference to anything of it: handlers are numbers, and so are
//! calls. Calls wait in the engine until they are taken, and what happens meanwhile is noted in
//! [`signals::Signals`] until it is asked for. So there is no thread-safe function that could outlive its
//! environment, nothing for two collectors to disagree about, and nothing that runs inside of a borrowed buffer.
//!
//! Calls travel in batches of text, once in and once out, because a value of JavaScript's is cheaper to make by
//! its own JSON reader than member by member from here.

#![deny(unsafe_code)]
#![cfg_attr(
    test,
    allow(
        dead_code,
        reason = "its tests are in JavaScript, and nothing is exported to tests in Rust"
    )
)]

mod answer;
mod call;
mod calls;
mod engine;
mod error;
mod exchange;
mod fixed;
mod hot;
mod http;
mod names;
mod observer;
mod options;
mod register;
mod session;
mod signals;
mod standard;
mod watchdog;

use mcplite_core::Revisions;
use napi_derive::napi;

/// The version of the engine and of the package.
#[napi(catch_unwind)]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// The revisions of the protocol, the oldest first.
#[napi(catch_unwind)]
pub fn revisions() -> Vec<&'static str> {
    Revisions::ALL.iter().map(|revision| revision.name()).collect()
}
