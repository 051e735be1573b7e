//! Whether an answer says what it should, in whatever words.

use serde_json::Value;

use crate::{Deed, Stop, Workload};

/// Fails unless `answer` is the right one.
pub fn check(workload: &Workload, answer: &[u8]) -> Result<(), Stop> {
    let message: Value = serde_json::from_slice(answer)?;
    let result = &message["result"];
    let right = message["id"] == 1
        && match workload.deed {
            Deed::Ping => result.is_object(),
            Deed::List => result["tools"] == tools(workload)?,
            Deed::Say => result["content"][0]["text"] == workload.text.as_str(),
            Deed::Splice => result["structuredContent"] == arguments(workload)?,
        };
    if right {
        return Ok(());
    }
    let start: String = String::from_utf8_lossy(answer).chars().take(400).collect();
    Err(format!("a wrong answer: {start}").into())
}

fn tools(workload: &Workload) -> Result<Value, Stop> {
    Ok(serde_json::from_str(&workload.tools)?)
}

fn arguments(workload: &Workload) -> Result<Value, Stop> {
    let request: Value = serde_json::from_slice(&workload.request)?;
    Ok(request["params"]["arguments"].clone())
}
