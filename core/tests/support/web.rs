//! An HTTP client without a network: requests to an endpoint, and what comes back.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use mcplite_core::{Exchange, Http};
use serde_json::{Value, json};

/// What a request got, as far as it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, Cow<'static, str>)>,
    pub(crate) body: String,
    pub(crate) is_finished: bool,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map(|(_, value)| &**value)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("the body is JSON")
    }

    /// The messages of a stream.
    pub(crate) fn messages(&self) -> Vec<Value> {
        let data = self.body.lines().filter_map(|line| line.strip_prefix("data: "));
        let data = data.filter(|data| data.starts_with(['{', '[']));
        data.map(|data| serde_json::from_str(data).expect("an event has JSON")).collect()
    }

    /// The ids of the events of a stream.
    pub(crate) fn event_ids(&self) -> Vec<&str> {
        self.body.lines().filter_map(|line| line.strip_prefix("id: ")).collect()
    }

    pub(crate) fn code(&self) -> Value {
        self.json()["error"]["code"].clone()
    }
}

/// Hands in the head of a request.
pub(crate) fn open(http: &Http, method: &str, target: &str, headers: &[(&str, &str)]) -> Exchange {
    let exchange = http.open(method, target).expect("the endpoint is open");
    for (name, value) in headers {
        exchange.header(name.as_bytes(), value.as_bytes()).unwrap();
    }
    exchange
}

/// Hands in the rest of a request.
pub(crate) fn finish(exchange: &Exchange, body: &str) {
    exchange.body(body.as_bytes()).unwrap();
    exchange.end().unwrap();
}

/// Hands in a whole request.
pub(crate) fn send(
    http: &Http,
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Exchange {
    let exchange = open(http, method, target, headers);
    finish(&exchange, body);
    exchange
}

/// Takes what there is now.
pub(crate) fn take(exchange: &Exchange) -> Reply {
    let status = exchange.status().unwrap_or_default();
    let headers = exchange.response_headers();
    let (mut body, mut piece) = (Vec::new(), Vec::new());
    while exchange.poll_into(&mut piece) {
        body.extend_from_slice(&piece);
    }
    let body = String::from_utf8(body).expect("responses are UTF-8");
    Reply { status, headers, body, is_finished: exchange.is_finished() }
}

/// Counts how often the host is told.
pub(crate) fn count_wakes(exchange: &Exchange) -> Arc<AtomicUsize> {
    let told = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&told);
    exchange.set_wake(Some(Arc::new(move || {
        count.fetch_add(1, Ordering::SeqCst);
    })));
    told
}

/// Takes the body whenever the host is told that there is some.
pub(crate) fn take_by_wake(exchange: &Arc<Exchange>) -> Arc<Mutex<String>> {
    let taken = Arc::new(Mutex::new(String::new()));
    let (own, sink) = (Arc::downgrade(exchange), Arc::clone(&taken));
    exchange.set_wake(Some(Arc::new(move || {
        let Some(own) = own.upgrade() else { return };
        let body = take(&own).body;
        sink.lock().unwrap().push_str(&body);
    })));
    taken
}

/// The headers of every POST.
pub(crate) const POST: [(&str, &str); 3] = [
    ("Host", "localhost:8080"),
    ("Content-Type", "application/json"),
    ("Accept", "application/json, text/event-stream"),
];

/// The headers of every GET.
pub(crate) const GET: [(&str, &str); 2] =
    [("Host", "localhost:8080"), ("Accept", "text/event-stream")];

/// Posts to `/mcp` with further headers.
pub(crate) fn post(http: &Http, headers: &[(&str, &str)], body: &Value) -> Exchange {
    let headers: Vec<_> = POST.iter().chain(headers).copied().collect();
    send(http, "POST", "/mcp", &headers, &body.to_string())
}

/// A request of 2026-07-28.
pub(crate) fn modern(id: Value, method: &str, mut params: Value) -> Value {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    if params["_meta"]["io.modelcontextprotocol/clientCapabilities"].is_null() {
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    }
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// Posts a request of 2026-07-28 with the headers that it must have.
pub(crate) fn post_modern(http: &Http, id: Value, method: &str, params: Value) -> Exchange {
    let name = params["name"].as_str().or(params["uri"].as_str()).unwrap_or_default().to_owned();
    let mut headers = vec![("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method)];
    if !name.is_empty() {
        headers.push(("Mcp-Name", &name));
    }
    post(http, &headers, &modern(id, method, params))
}

/// A session of a client before 2026-07-28.
pub(crate) struct Client<'h> {
    pub(crate) http: &'h Http,
    pub(crate) id: String,
    revision: String,
}

impl<'h> Client<'h> {
    pub(crate) fn new(http: &'h Http, revision: &str, capabilities: Value) -> Client<'h> {
        let reply = take(&initialize(http, revision, capabilities));
        assert_eq!(reply.status, 200, "{reply:?}");
        let id = reply.header("Mcp-Session-Id").expect("there is a session").to_owned();
        let client = Client { http, id, revision: revision.to_owned() };
        let body = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(take(&client.post(&body)).status, 202);
        client
    }

    pub(crate) fn post(&self, body: &Value) -> Exchange {
        let own = [("Mcp-Session-Id", &*self.id), ("MCP-Protocol-Version", &*self.revision)];
        post(self.http, &own, body)
    }

    pub(crate) fn request(&self, id: i64, method: &str, params: Value) -> Exchange {
        let body = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.post(&body)
    }

    /// Calls a tool and wants to know of its progress.
    pub(crate) fn call(&self, id: i64, tool: &str) -> Exchange {
        let meta = json!({"progressToken": "p"});
        let params = json!({"name": tool, "arguments": {"text": "x"}, "_meta": meta});
        self.request(id, "tools/call", params)
    }

    pub(crate) fn get(&self, last_event: Option<&str>) -> Exchange {
        self.bare("GET", last_event)
    }

    pub(crate) fn delete(&self) -> Exchange {
        self.bare("DELETE", None)
    }

    fn bare(&self, method: &str, last_event: Option<&str>) -> Exchange {
        let exchange = self.open(method, last_event);
        finish(&exchange, "");
        exchange
    }

    /// Hands in the head of a request without a body.
    pub(crate) fn open(&self, method: &str, last_event: Option<&str>) -> Exchange {
        let own = [("Mcp-Session-Id", &*self.id), ("MCP-Protocol-Version", &*self.revision)];
        let last_event = last_event.map(|id| ("Last-Event-ID", id));
        let headers: Vec<_> = GET.into_iter().chain(own).chain(last_event).collect();
        open(self.http, method, "/mcp", &headers)
    }
}

/// Posts `initialize`.
pub(crate) fn initialize(http: &Http, revision: &str, capabilities: Value) -> Exchange {
    let params = json!({"protocolVersion": revision, "capabilities": capabilities,
        "clientInfo": {"name": "test", "version": "1"}});
    let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
    post(http, &[], &body)
}
