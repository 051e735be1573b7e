//! A host that keeps the calls it gets, and counts what it is told.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use mcplite_core::{Call, Failure, Item, Server, Session};

use super::{ManualClock, drain, exchange, initialize};

/// A server whose tool `hold` keeps its calls, and a client of it.
pub(crate) struct Host {
    pub(crate) server: Server,
    pub(crate) session: Option<Session>,
    pub(crate) clock: ManualClock,
    pub(crate) held: Arc<Mutex<Vec<Call>>>,
}

impl Host {
    pub(crate) fn new() -> Host {
        let server = Server::new("calls", "1.0").unwrap();
        let clock = ManualClock::default();
        server.set_clock(clock.clone());
        let session = Session::new(&server).unwrap();
        session.set_principal(Some("ada"));
        initialize(&session, "2025-11-25");
        let host = Host { server, session: Some(session), clock, held: Arc::default() };
        host.hold_calls_of(Item::tool("hold"));
        host
    }

    /// Registers an item whose calls are kept.
    pub(crate) fn hold_calls_of(&self, item: Item) {
        let held = Arc::clone(&self.held);
        let keep = move |call: &Call| {
            held.lock().unwrap().push(call.clone());
            Ok(())
        };
        self.server.register(item.on_call(keep)).unwrap();
    }

    pub(crate) fn tool(
        &self,
        name: &str,
        does: impl Fn(&Call) -> Result<(), Failure> + Send + Sync + 'static,
    ) {
        self.server.register(Item::tool(name).on_call(does)).unwrap();
    }

    pub(crate) fn session(&self) -> &Session {
        self.session.as_ref().unwrap()
    }

    /// What is sent when the client calls a tool.
    pub(crate) fn ask(&self, id: u32, tool: &str) -> Vec<String> {
        exchange(self.session(), &request(id, tool))
    }

    /// A call of `hold` that nobody else holds.
    pub(crate) fn hold(&self, id: u32) -> Call {
        assert_eq!(self.ask(id, "hold"), [""; 0]);
        self.take_held()
    }

    /// The call that came last.
    pub(crate) fn take_held(&self) -> Call {
        self.held.lock().unwrap().pop().unwrap()
    }

    /// Everything that waits for the client.
    pub(crate) fn sent(&self) -> Vec<String> {
        drain(self.session())
    }

    /// The client cancels.
    pub(crate) fn cancel(&self, id: u32) {
        let params = format!(r#"{{"requestId":{id},"reason":"no longer needed"}}"#);
        let start = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":"#;
        self.session().handle_message(format!("{start}{params}}}").as_bytes()).unwrap();
    }

    /// Lets time pass.
    pub(crate) fn pass_ms(&self, now: u64) {
        self.clock.set_ms(now);
        self.server.tick();
    }
}

pub(crate) fn request(id: u32, tool: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{"key":"v"}},"_meta":{{"progressToken":7}}}}}}"#
    )
}

pub(crate) fn text_answer(id: u32, text: &str) -> String {
    let content = format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{content}}}"#)
}

/// Counts how often it is called.
#[derive(Clone, Default)]
pub(crate) struct Counter(Arc<AtomicUsize>);

impl Counter {
    pub(crate) fn up(&self) -> impl Fn() + Send + Sync + 'static {
        let count = Arc::clone(&self.0);
        move || {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}
