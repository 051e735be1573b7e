//! How a server is served.

/// Settings of the loops. [`Settings::default`] is what most programs want.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Threads that run handlers. Default 1. With 0 they run on the thread that called, which then
    /// cannot return before the handler that it runs does. Not used by a server whose host runs
    /// handlers itself ([`Dispatch::Queued`](mcplite_core::Dispatch)).
    pub workers: usize,
    /// Whether the host attends to the server itself ([`Server::attend`](mcplite_core::Server::attend)) and
    /// runs handlers on threads of its own. Then there are no workers. Default: no.
    pub host_attends: bool,
    /// For how many milliseconds calls may go on after the client has said its last word, or after
    /// [`Server::shutdown`](mcplite_core::Server::shutdown). Default 5,000.
    pub grace_ms: u64,
    /// Connections of a socket at any one time. Default 64. Whoever comes beyond them is accepted and
    /// hung up on at once, so that they know.
    pub connections: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { workers: 1, host_attends: false, grace_ms: 5000, connections: 64 }
    }
}
