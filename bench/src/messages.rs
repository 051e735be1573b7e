//! The messages that clients send, and the answers that they must get, byte for byte.

/// The name and version under which the servers of the workloads go.
pub(crate) const SERVER: (&str, &str) = ("bench", "1.0");

pub(crate) const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
pub(crate) const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;

/// The handshake of a legacy session.
pub(crate) const HANDSHAKE: [&str; 2] = [
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{},"sampling":{},"elicitation":{}},"clientInfo":{"name":"bench-client","version":"1.0.0"}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
];

/// All the members of `_meta` that the specification of 2026-07-28 asks of a client, with values as
/// clients send them.
pub(crate) const MODERN_META: &str = r#","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench-client","version":"1.0.0"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"sampling":{}}}"#;

/// What the small calls say.
pub(crate) const SMALL_TEXT: &str = "a sentence of usual length for a tool";

/// What the calls with twenty properties say.
pub(crate) const SLUG: &str = "a-morning-at-the-harbour";

/// The arguments of a call with twenty properties, in the order of their schema.
const TWENTY: [(&str, &str); 20] = [
    ("title", r#""A morning at the harbour""#),
    ("slug", r#""a-morning-at-the-harbour""#),
    ("status", r#""published""#),
    ("priority", "3"),
    ("score", "0.875"),
    ("author", r#""Ingrid Solberg""#),
    ("email", r#""ingrid@example.com""#),
    ("language", r#""en""#),
    ("created", r#""2026-03-01T08:30:00Z""#),
    ("updated", r#""2026-03-02T17:45:10Z""#),
    ("tags", r#"["harbour","morning","boats","north-sea"]"#),
    ("address", r#"{"street":"Strandgaten 12","city":"Bergen","zip":"5013","country":"NO"}"#),
    ("visible", "true"),
    ("pinned", "false"),
    ("views", "15234"),
    ("ratio", "1.618"),
    ("category", r#""story""#),
    (
        "summary",
        r#""Fishing boats come in before dawn, and the market on the quay opens with the first crates.""#,
    ),
    ("parent", "null"),
    ("channel", r#""weekend""#),
];

/// Arguments with one text and a number.
pub(crate) fn small_arguments() -> String {
    format!(r#"{{"text":"{SMALL_TEXT}","count":3}}"#)
}

/// Twenty arguments in the order of their schema.
pub(crate) fn twenty_arguments() -> String {
    join_members(TWENTY.into_iter())
}

/// The same arguments in an order in which none follows the one that the schema puts before it.
pub(crate) fn shuffled_arguments() -> String {
    join_members((1..=20).filter_map(|step| TWENTY.get(step * 7 % 20).copied()))
}

/// 64 KiB of text with nothing in it that JSON escapes.
pub(crate) fn plain_text() -> String {
    long_text(' ')
}

/// 64 KiB of text: lines of 64 characters, whose last is a newline, which JSON escapes.
pub(crate) fn escaped_text() -> String {
    long_text('\n')
}

/// The JSON of a text in which a newline is all that has to be escaped.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\n', "\\n"))
}

/// A request to call the tool `name`; `meta` is empty, or a member with the comma before it.
pub(crate) fn call(name: &str, arguments: &str, meta: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}","arguments":{arguments}{meta}}}}}"#
    )
}

/// The answer of a legacy session whose result has these members.
pub(crate) fn answer(members: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{{members}}}}}"#)
}

/// The answer to a request of 2026-07-28 whose result has these members.
pub(crate) fn modern_answer(members: &str) -> String {
    let (name, version) = SERVER;
    answer(&format!(
        r#"{members},"resultType":"complete","_meta":{{"io.modelcontextprotocol/serverInfo":{{"name":"{name}","version":"{version}"}}}}"#
    ))
}

/// The content of a tool's answer: one text.
pub(crate) fn text_content(text: &str) -> String {
    format!(r#""content":[{{"type":"text","text":{}}}]"#, quoted(text))
}

fn join_members<'a>(members: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let members: Vec<String> = members.map(|(name, value)| format!("\"{name}\":{value}")).collect();
    format!("{{{}}}", members.join(","))
}

fn long_text(end: char) -> String {
    let line = format!("All work is done on one line of sixty-four characters, no more.{end}");
    line.repeat(1024)
}
