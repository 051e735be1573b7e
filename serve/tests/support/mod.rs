//! Clients, and what they meet in tools.

#![allow(dead_code, reason = "each test program uses its part")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that finds something else than it expects has failed"
)]

pub(crate) mod client;
#[cfg(feature = "http")]
pub(crate) mod http;
pub(crate) mod listening;
pub(crate) mod meeting;
pub(crate) mod program;
pub(crate) mod tools;
pub(crate) mod watchdog;
