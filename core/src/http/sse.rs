//! Server-sent events. Messages have no line breaks, so that one line of data holds one.

use crate::json::push_u64;

/// Appends a message as an event. `id` is the number of its stream and its own, where it can be asked for
/// again.
pub(super) fn push_message(out: &mut Vec<u8>, id: Option<(u64, u64)>, message: &[u8]) {
    if let Some(id) = id {
        push_id(out, id);
    }
    push_event(out, "message", message);
}

/// Appends an event of that name.
pub(super) fn push_event(out: &mut Vec<u8>, name: &str, data: &[u8]) {
    out.extend_from_slice(b"event: ");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\ndata: ");
    out.extend_from_slice(data);
    out.extend_from_slice(b"\n\n");
}

/// Appends the event by which a client can come back before it got anything, and when it should.
pub(super) fn push_priming(out: &mut Vec<u8>, id: (u64, u64), retry_ms: u64) {
    push_id(out, id);
    out.extend_from_slice(b"retry: ");
    push_u64(out, retry_ms);
    out.extend_from_slice(b"\ndata: \n\n");
}

/// Appends a sign of life, which clients pass over.
pub(super) fn push_comment(out: &mut Vec<u8>) {
    out.extend_from_slice(b":\n\n");
}

fn push_id(out: &mut Vec<u8>, (stream, event): (u64, u64)) {
    out.extend_from_slice(b"id: ");
    push_u64(out, stream);
    out.push(b'-');
    push_u64(out, event);
    out.push(b'\n');
}

/// What [`push_message`] wrote as the id of an event.
pub(super) fn parse_id(id: &str) -> Option<(u64, u64)> {
    let (stream, event) = id.split_once('-')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    if !is_number(stream) || !is_number(event) {
        return None;
    }
    Some((stream.parse().ok()?, event.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_written_and_their_ids_read() {
        let mut out = Vec::new();
        push_priming(&mut out, (3, 0), 500);
        push_message(&mut out, Some((3, 1)), b"{}");
        push_comment(&mut out);
        push_event(&mut out, "endpoint", b"/messages");
        let text = "id: 3-0\nretry: 500\ndata: \n\nid: 3-1\nevent: message\ndata: {}\n\n:\n\n\
                    event: endpoint\ndata: /messages\n\n";
        assert_eq!(String::from_utf8(out).unwrap(), text);
        assert_eq!(parse_id("3-1"), Some((3, 1)));
        for bad in ["", "3", "3-", "-1", "+3-1", "3-1-2", "../../x", "99999999999999999999-1"] {
            assert_eq!(parse_id(bad), None, "{bad}");
        }
    }
}
