//! Somebody who runs a server's handlers on the host's behalf.

use std::fmt;
use std::sync::Arc;

use crate::server::{Server, ServerState};
use crate::wake::Wake;

/// While one lives, handlers that would run in the feeding call ([`Dispatch::Inline`](crate::Dispatch))
/// wait for [`Server::run`] instead, so that whoever feeds is free to read on while they work.
///
/// For loops that serve a connection with threads of their own. Several may attend to one server.
pub struct Attendant {
    server: Arc<ServerState>,
    token: u64,
}

impl Server {
    /// Begins to attend. `wake` is told what the server's own wake is told: that handlers wait, or that
    /// [`Server::timeout_ms`] got shorter; and that the server shuts down or closes.
    pub fn attend(&self, wake: Wake) -> Attendant {
        let server = Arc::clone(self.state());
        let token = server.next_token();
        server.queue().add_attendant(token, wake);
        Attendant { server, token }
    }
}

impl Drop for Attendant {
    fn drop(&mut self) {
        drop(self.server.queue().remove_attendant(self.token));
        // What waited for somebody to attend would wait for ever.
        self.server.run_left_over();
    }
}

impl fmt::Debug for Attendant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attendant").field("token", &self.token).finish_non_exhaustive()
    }
}
