//! MCP over HTTP without the socket: requests in by pieces, responses out by poll.
//!
//! ```text
//!            Http ── Mount ── Server          a path, and the server there
//!              │        └── Sessions          clients before 2026-07-28, found by their id
//!   open ──▶ Exchange                         one request and its response; Arrival, if its head is whole
//!   header     │  gate, media, authorize      who may come in, and with what
//!   body       │
//!   end ───────┼─▶ post ─▶ dispatch ─▶ Lane   a request of 2026-07-28 is a peer of its own; an older one
//!   poll ◀─────┴── flow ◀────────────────┘    belongs to the peer of its session
//! ```
//!
//! Nothing of a response is settled before it has to be: if the first message that leaves is the answer,
//! it is the body, with the status that suits it; if it is anything else, the response is a stream of
//! events. Streams of sessions can be followed over several connections.

mod arrival;
mod authorize;
mod endpoint;
mod exchange;
mod exchange_state;
mod flow;
mod gate;
mod get;
mod head;
mod intake;
mod known;
mod media;
mod mount;
mod octets;
mod options;
mod post;
mod replay;
mod request;
mod response;
mod session;
mod sessions;
mod sse;

pub use arrival::Arrival;
pub use authorize::{Authorizer, Verdict};
pub use endpoint::{Http, HttpAttendant};
pub use exchange::{Exchange, Whole};
pub(crate) use head::{Field, Head, decode_mirrored};
pub(crate) use known::Known;
pub use options::HttpOptions;
pub use request::HttpRequest;
