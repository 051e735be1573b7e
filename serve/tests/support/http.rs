//! A server over HTTP in a thread of this process, and clients that write requests by hand.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use mcplite_core::{Http, HttpOptions, Server};
use mcplite_serve::{ServeError, Settings, http};
use serde_json::{Value, json};

use super::{tools, watchdog};

/// The server, and how it ends.
pub(crate) struct Endpoint {
    pub(crate) server: Server,
    pub(crate) http: Http,
    /// What the loop said where it listens.
    pub(crate) address: String,
    thread: JoinHandle<Result<(), ServeError>>,
}

impl Endpoint {
    /// Starts to serve at a port of the system's choice, and waits until clients can connect.
    pub(crate) fn start(configure: impl Fn(&mut HttpOptions)) -> Endpoint {
        Endpoint::start_at("127.0.0.1:0", Settings::default(), configure).unwrap()
    }

    pub(crate) fn start_at(
        address: &str,
        settings: Settings,
        configure: impl Fn(&mut HttpOptions),
    ) -> Result<Endpoint, ServeError> {
        watchdog::watch();
        let server = tools::server().unwrap();
        let endpoint = Http::new(&server, "/mcp").unwrap();
        endpoint.configure(configure).unwrap();
        let (sender, receiver) = mpsc::channel();
        let (own, address) = (endpoint.clone(), address.to_owned());
        let thread = std::thread::spawn(move || {
            http(&own, &address, &settings, &mut |address| sender.send(address.into()).unwrap())
        });
        match receiver.recv() {
            Ok(address) => Ok(Endpoint { server, http: endpoint, address, thread }),
            // It has ended without listening.
            Err(_) => Err(thread.join().unwrap().unwrap_err()),
        }
    }

    pub(crate) fn connect(&self) -> Client<TcpStream> {
        Client::to(&self.address)
    }

    /// Waits for its end.
    pub(crate) fn wait(self) -> Result<(), ServeError> {
        self.thread.join().unwrap()
    }

    /// Shuts it down and waits for its end.
    pub(crate) fn stop(self) {
        self.server.shutdown();
        self.wait().unwrap();
    }
}

/// One connection.
pub(crate) struct Client<S: Read + Write> {
    pub(crate) stream: BufReader<S>,
}

/// A response, with as much of its body as was read.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// Names in lower case.
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Client<TcpStream> {
    /// Connects to an address as the loop says it.
    pub(crate) fn to(address: &str) -> Client<TcpStream> {
        let stream = TcpStream::connect(address.strip_prefix("http://").unwrap()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        Client::new(stream)
    }
}

impl<S: Read + Write> Client<S> {
    pub(crate) fn new(stream: S) -> Client<S> {
        Client { stream: BufReader::new(stream) }
    }

    pub(crate) fn write(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.get_mut().write_all(bytes.as_ref()).unwrap();
    }

    /// The next response, whole.
    pub(crate) fn receive(&mut self) -> Response {
        let mut response = self.receive_head();
        if let Some(length) = response.header("content-length") {
            response.body.resize(length.parse().unwrap(), 0);
            self.stream.read_exact(&mut response.body).unwrap();
        } else if response.header("transfer-encoding") == Some("chunked") {
            while let Some(chunk) = self.receive_chunk() {
                response.body.extend(chunk);
            }
        }
        response
    }

    pub(crate) fn receive_head(&mut self) -> Response {
        let status_line = self.line().expect("the server has hung up");
        let status = status_line.split(' ').nth(1).unwrap().parse().unwrap();
        let mut headers = Vec::new();
        while let Some(line) = self.line().filter(|line| !line.is_empty()) {
            let (name, value) = line.split_once(": ").unwrap();
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        Response { status, headers, body: Vec::new() }
    }

    /// The next chunk of a body; `None` at its end.
    pub(crate) fn receive_chunk(&mut self) -> Option<Vec<u8>> {
        let length = usize::from_str_radix(&self.line().expect("cut off"), 16).unwrap();
        let mut chunk = vec![0; length];
        self.stream.read_exact(&mut chunk).unwrap();
        assert_eq!(self.line().as_deref(), Some(""));
        (length > 0).then_some(chunk)
    }

    /// The next message of a stream of events; `None` at its end. Expects each event in a chunk of its own.
    pub(crate) fn receive_event(&mut self) -> Option<Value> {
        loop {
            let chunk = String::from_utf8(self.receive_chunk()?).unwrap();
            if let Some(data) = chunk.lines().find_map(|line| line.strip_prefix("data: ")) {
                return Some(serde_json::from_str(data).unwrap());
            }
        }
    }

    /// All that the server sends until it hangs up.
    pub(crate) fn receive_all(&mut self) -> String {
        let mut bytes = Vec::new();
        // A reset is an end too.
        drop(self.stream.read_to_end(&mut bytes));
        String::from_utf8(bytes).unwrap()
    }

    /// Sends a request of 2026-07-28 and takes its answer.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Response {
        self.write(modern(1, method, params));
        self.receive()
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Response {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// Asks for something small; says the status, or nothing if the server hangs up.
    pub(crate) fn try_ask(&mut self) -> Option<u16> {
        let request = modern(1, "tools/list", json!({}));
        self.stream.get_mut().write_all(request.as_bytes()).ok()?;
        let mut line = String::new();
        self.stream.read_line(&mut line).ok()?;
        line.split(' ').nth(1)?.parse().ok()
    }

    /// Waits until there is something to read, or the end.
    pub(crate) fn wait(&mut self) {
        self.stream.fill_buf().unwrap();
    }

    /// Whether there is an end, rather than another byte.
    pub(crate) fn has_ended(&mut self) -> bool {
        // A reset is an end too.
        self.stream.fill_buf().map_or(true, <[u8]>::is_empty)
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        line.strip_suffix("\r\n").map(str::to_owned)
    }
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{self:?}"))
    }

    /// The text of an answered call.
    pub(crate) fn text(&self) -> String {
        let json = self.json();
        json["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{json}")).into()
    }
}

/// The status of a response as it was sent; 0 if there was none.
pub(crate) fn status(response: &str) -> u16 {
    response.split(' ').nth(1).map_or(0, |status| status.parse().unwrap())
}

/// A request of 2026-07-28.
pub(crate) fn modern(id: i64, method: &str, mut params: Value) -> String {
    let own = "io.modelcontextprotocol";
    params["_meta"] = json!({
        format!("{own}/protocolVersion"): "2026-07-28",
        format!("{own}/clientCapabilities"): {},
        format!("{own}/clientInfo"): {"name": "test", "version": "1"},
        "progressToken": id,
    });
    let name = params["name"].as_str().map(|name| format!("Mcp-Name: {name}\r\n"));
    let headers = format!(
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n{}",
        name.unwrap_or_default()
    );
    let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    post(&headers, &message)
}

/// A request of a client before 2026-07-28.
pub(crate) fn legacy(session: Option<&str>, message: &Value) -> String {
    let session = session.map(|id| format!("Mcp-Session-Id: {id}\r\n")).unwrap_or_default();
    post(&format!("MCP-Protocol-Version: 2025-11-25\r\n{session}"), message)
}

/// A message as it is posted, with these headers more.
pub(crate) fn post(headers: &str, message: &Value) -> String {
    let body = message.to_string();
    let length = body.len();
    format!("{HEAD}{headers}Content-Length: {length}\r\n\r\n{body}")
}

/// How every request to the endpoint begins.
pub(crate) const HEAD: &str = "POST /mcp HTTP/1.1\r\nHost: localhost\r\n\
     Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
