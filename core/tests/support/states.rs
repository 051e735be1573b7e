//! The request states that a server sent, and the `$STATE` that stands for them.

use serde_json::Value;

/// Every `requestState`, behind the JSON text of its message's id.
#[derive(Default)]
pub(crate) struct States(Vec<(String, String)>);

impl States {
    /// Remembers the state in a message of the server, if it has one in its result.
    pub(crate) fn note(&mut self, message: &str) {
        let message: Value = serde_json::from_str(message).unwrap();
        if let Some(state) = message["result"]["requestState"].as_str() {
            self.0.push((message["id"].to_string(), state.to_owned()));
        }
    }

    /// The line with every `$STATE` replaced by what it stands for.
    pub(crate) fn fill_in(&self, line: &str) -> String {
        let mut parts = line.split("$STATE");
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (id, rest) = match part.strip_prefix('[') {
                Some(part) => part.split_once(']').map(|(id, rest)| (Some(id), rest)).unwrap(),
                None => (None, part),
            };
            let is_meant = |(own, _): &&(String, String)| id.is_none_or(|id| id == own);
            let (_, state) = self.0.iter().rfind(is_meant).unwrap();
            match rest.strip_prefix('!') {
                Some(rest) => out.extend([&changed(state), rest]),
                None => out.extend([state, rest]),
            }
        }
        out
    }
}

/// The state with the character in its middle replaced: by `A`, or by `B` if it is that.
fn changed(state: &str) -> String {
    let middle = state.len() / 2;
    let replace = |(index, own)| match own {
        own if index != middle => own,
        'A' => 'B',
        _ => 'A',
    };
    state.chars().enumerate().map(replace).collect()
}
