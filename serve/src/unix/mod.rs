//! The loops on Unix.

mod connection;
mod driver;
mod ends;
mod listener;
mod outlet;
mod service;
mod signals;
mod socket;
mod socket_file;
mod standard;
mod stdio;
mod throttle;
mod waker;

pub(crate) use socket::socket;
#[cfg(feature = "http")]
pub(crate) use socket_file::SocketFile;
pub(crate) use stdio::stdio;
