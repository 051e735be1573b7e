//! The loop for HTTP: hyper reads and writes heads and framing, the engine everything in between.

mod answer;
mod bell;
mod connection;
mod driver;
mod helm;
mod listener;
mod request;
mod seat;
mod service;
mod switchboard;
mod wheel;
mod wire;

pub use helm::Helm;
pub(crate) use service::http;
