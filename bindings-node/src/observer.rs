//! Events, noted for the observer of the program.

use std::sync::Arc;

use mcplite_core::json::{push_quoted, push_u64};
use mcplite_core::{Event, Observer, Outcome};

use crate::signals::Signals;

/// Notes what happens.
pub(crate) struct Events(pub(crate) Arc<Signals>);

impl Observer for Events {
    fn event(&self, event: &Event<'_>) {
        if let Some(described) = described(event) {
            self.0.event(|out| out.extend_from_slice(&described));
        }
    }
}

fn described(event: &Event<'_>) -> Option<Vec<u8>> {
    let mut out = Vec::from(&b"{\"event\":"[..]);
    let own = &mut out;
    match *event {
        Event::RequestReceived { method, id, .. } => {
            push_quoted(own, "request-received");
            push_text(own, "method", method);
            push_raw(own, "id", id);
        }
        Event::RequestCompleted { method, id, duration_us, outcome } => {
            push_quoted(own, "request-completed");
            push_text(own, "method", method);
            push_raw(own, "id", id);
            push_end(own, duration_us, outcome);
        }
        Event::ToolInvoked { name, duration_us, outcome, traceparent } => {
            push_quoted(own, "tool-invoked");
            push_text(own, "name", name);
            if let Some(traceparent) = traceparent {
                push_text(own, "traceparent", traceparent);
            }
            push_end(own, duration_us, outcome);
        }
        Event::SessionOpened => push_quoted(own, "session-opened"),
        Event::SessionClosed => push_quoted(own, "session-closed"),
        Event::ExchangeEnded { method, path, status, duration_us } => {
            push_quoted(own, "exchange-ended");
            push_text(own, "method", method);
            push_text(own, "path", path);
            push_number(own, "status", u64::from(status));
            push_number(own, "durationUs", duration_us);
        }
        Event::Diagnostic { text } => {
            push_quoted(own, "diagnostic");
            push_text(own, "text", text);
        }
        _ => return None,
    }
    out.push(b'}');
    Some(out)
}

fn push_end(out: &mut Vec<u8>, duration_us: u64, outcome: Outcome) {
    push_number(out, "durationUs", duration_us);
    let (name, code) = match outcome {
        Outcome::Ok => ("ok", None),
        Outcome::Error(code) => ("error", Some(code)),
        Outcome::ToolError => ("tool-error", None),
        Outcome::Cancelled => ("cancelled", None),
        Outcome::Asked => ("asked", None),
        _ => ("other", None),
    };
    push_text(out, "outcome", name);
    if let Some(code) = code {
        push_raw(out, "code", &code.to_string());
    }
}

fn push_name(out: &mut Vec<u8>, name: &str) {
    out.push(b',');
    push_quoted(out, name);
    out.push(b':');
}

fn push_text(out: &mut Vec<u8>, name: &str, text: &str) {
    push_name(out, name);
    push_quoted(out, text);
}

fn push_number(out: &mut Vec<u8>, name: &str, number: u64) {
    push_name(out, name);
    push_u64(out, number);
}

fn push_raw(out: &mut Vec<u8>, name: &str, json: &str) {
    push_name(out, name);
    out.extend_from_slice(json.as_bytes());
}
