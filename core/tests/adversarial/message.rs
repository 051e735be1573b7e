//! What the engine says, read by a parser that is not the engine's own.

use mcplite_core::json::{elements, find_member};
use serde_json::Value;

/// One message of the engine.
pub(crate) struct Message {
    pub(crate) value: Value,
    /// The id as it was written; empty for none.
    pub(crate) id_text: String,
}

impl Message {
    pub(crate) fn is_reply(&self) -> bool {
        self.value.get("result").is_some() || self.value.get("error").is_some()
    }

    pub(crate) fn is_request(&self) -> bool {
        self.value.get("method").is_some() && self.value.get("id").is_some()
    }

    /// The id, which is null if there is none.
    pub(crate) fn id(&self) -> &Value {
        &self.value["id"]
    }

    pub(crate) fn code(&self) -> Option<i64> {
        self.value["error"]["code"].as_i64()
    }

    fn read(text: &str) -> Result<Message, String> {
        let id_text = find_member(text, "id").unwrap_or_default();
        // The parser has no integers as long as ids may be; the text of the id is kept aside.
        let is_long = id_text.len() > 18 && !id_text.starts_with('"');
        let readable = if is_long { text.replacen(id_text, "0", 1) } else { text.to_owned() };
        let value: Value =
            serde_json::from_str(&readable).map_err(|e| format!("output is not JSON: {e}"))?;
        if value["jsonrpc"] != "2.0" {
            return Err(format!("not a JSON-RPC object: {}", clip(text)));
        }
        Ok(Message { value, id_text: id_text.to_owned() })
    }
}

/// The messages of one frame: one, or those of a batch.
pub(crate) fn read_frame(frame: &[u8]) -> Result<Vec<Message>, String> {
    let text = std::str::from_utf8(frame).map_err(|_| "output is not UTF-8")?;
    if text.contains(['\n', '\r']) {
        return Err(format!("output of more than one line: {}", clip(text)));
    }
    if !text.starts_with('[') {
        return Ok(vec![Message::read(text)?]);
    }
    let batch: Vec<Value> =
        serde_json::from_str(text).map_err(|e| format!("output is not JSON: {e}"))?;
    let messages: Vec<_> = elements(text).map(Message::read).collect::<Result<_, _>>()?;
    if messages.is_empty() || messages.len() != batch.len() {
        return Err(format!("a batch of {} messages: {}", batch.len(), clip(text)));
    }
    Ok(messages)
}

/// The start of a text that may be long.
pub(crate) fn clip(text: &str) -> String {
    text.chars().take(160).collect()
}
