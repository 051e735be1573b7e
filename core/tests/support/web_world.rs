//! A server behind an endpoint, with tools that the tests of HTTP share.

use std::sync::{Arc, Mutex};

use mcplite_core::{Call, Exchange, Failure, Http, Item, Server};
use serde_json::{Value, json};

use super::web::{Client, Reply, post, post_modern, take};
use super::{CountingEntropy, ManualClock};

/// A server whose tool `hold` waits for the test, and its endpoint.
pub(crate) struct World {
    pub(crate) server: Server,
    pub(crate) http: Http,
    pub(crate) clock: ManualClock,
    held: Arc<Mutex<Vec<Call>>>,
}

impl World {
    pub(crate) fn new() -> World {
        let server = Server::new("web", "1").unwrap();
        let clock = ManualClock::default();
        server.set_clock(clock.clone());
        server.set_entropy(CountingEntropy::default());
        server.register(Item::tool("echo").on_call(echo)).unwrap();
        server
            .register(Item::tool("report").on_call(|call: &Call| {
                call.progress(1.0, None, None)?;
                Ok(call.reply_text("reported")?)
            }))
            .unwrap();
        let held = Arc::new(Mutex::new(Vec::new()));
        let keep = Arc::clone(&held);
        server
            .register(Item::tool("hold").on_call(move |call: &Call| {
                keep.lock().unwrap().push(call.clone());
                Ok(())
            }))
            .unwrap();
        let http = Http::new(&server, "/mcp").unwrap();
        World { server, http, clock, held }
    }

    pub(crate) fn client(&self, revision: &str) -> Client<'_> {
        Client::new(&self.http, revision, json!({"elicitation": {}}))
    }

    /// The last call of `hold`.
    pub(crate) fn held(&self) -> Call {
        self.held.lock().unwrap().pop().unwrap()
    }

    /// Calls a tool as a client of 2026-07-28 that wants to know of its progress.
    pub(crate) fn call(&self, id: i64, tool: &str) -> Exchange {
        let meta = json!({"progressToken": 1});
        let params = json!({"name": tool, "arguments": {"text": "x"}, "_meta": meta});
        post_modern(&self.http, json!(id), "tools/call", params)
    }

    /// What a request with these headers besides the usual ones gets.
    pub(crate) fn with(&self, headers: &[(&str, &str)], body: &Value) -> Reply {
        take(&post(&self.http, headers, body))
    }
}

/// Says what the argument `text` says.
pub(crate) fn echo(call: &Call) -> Result<(), Failure> {
    Ok(call.reply_text(&call.arg_str("text").unwrap_or_default())?)
}
