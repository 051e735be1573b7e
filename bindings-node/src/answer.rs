//! Answers, as JavaScript hands them in: one line each.

use std::borrow::Cow;

use mcplite_core::json::{Str, elements, find_member, members, push_quoted};
use mcplite_core::{Call, Error, ErrorKind, Failure, Role};

use crate::calls::Calls;
use crate::signals::{Note, Signals};
use std::sync::Arc;

/// Answers that are longer make room for others.
const LARGE: usize = 64 * 1024;

/// Answers calls. Each line is the number of a call, the form of its answer, and JSON, with a space in between.
/// Gives what could not be sent as a JSON array of objects; `None` if everything could. `make_room` is told of the
/// connections of large answers.
pub(crate) fn answer(
    calls: &Calls,
    signals: &Arc<Signals>,
    batch: &str,
    make_room: impl Fn(u32),
) -> Option<String> {
    let mut problems = Vec::new();
    for line in batch.split('\n') {
        let Some((number, form, payload)) = parts(line) else { continue };
        let is_pending = form == "pending";
        let call = if is_pending { calls.get(number).ok() } else { calls.remove(number) };
        let Some(call) = call else { continue };
        if is_pending {
            watch(&call, number, signals);
            continue;
        }
        // An answer that comes too late is nobody's mistake; one that does not fit is the handler's.
        match reply(&call, form, payload) {
            Ok(()) | Err(Error::Cancelled | Error::Answered | Error::Closed) => {}
            Err(error) => give_up(&call, &error, &mut problems),
        }
        if payload.len() > LARGE {
            let connection = call.context().and_then(|own| own.downcast_ref::<u32>());
            connection.copied().into_iter().for_each(&make_room);
        }
    }
    if problems.is_empty() {
        return None;
    }
    problems.insert(0, b'[');
    problems.push(b']');
    String::from_utf8(problems).ok()
}

fn parts(line: &str) -> Option<(u32, &str, &str)> {
    let (number, rest) = line.split_once(' ')?;
    let (form, payload) = rest.split_once(' ')?;
    Some((number.parse().ok()?, form, payload))
}

/// Has JavaScript told when nobody waits for the call any more.
fn watch(call: &Call, number: u32, signals: &Arc<Signals>) {
    let signals = Arc::clone(signals);
    call.on_cancel(move || signals.note(Note::Cancelled, number));
}

fn reply(call: &Call, form: &str, payload: &str) -> Result<(), Error> {
    match form {
        "text" => call.reply_text(&text(payload)),
        "nothing" => call.reply(),
        "data" => call.reply_json(payload),
        "content" => {
            elements(payload).try_for_each(|block| call.add_json(block))?;
            call.reply()
        }
        "tool" => reply_tool(call, payload),
        "prompt" => reply_prompt(call, payload),
        "completion" => reply_completion(call, payload),
        "result" => call.reply_result(payload),
        "asked" => call.reply_asked(),
        "failed" => call.fail(failure(payload)),
        _ => Err(Error::Invalid("there is no such form of answers")),
    }
}

/// A whole result of a tool. What is not an error is put together from its parts, each of them as the client's
/// revision writes it.
fn reply_tool(call: &Call, payload: &str) -> Result<(), Error> {
    if find_member(payload, "isError") == Some("true") {
        return call.reply_result(payload);
    }
    for (name, value) in members(payload) {
        match name.decode().as_ref() {
            "content" => elements(value).try_for_each(|block| call.add_json(block))?,
            "structuredContent" => call.set_structured(value)?,
            "_meta" => call.set_meta(value)?,
            _ => {}
        }
    }
    call.reply()
}

fn reply_prompt(call: &Call, payload: &str) -> Result<(), Error> {
    for (name, value) in members(payload) {
        match name.decode().as_ref() {
            "description" => call.set_description(&text(value))?,
            "_meta" => call.set_meta(value)?,
            "messages" => elements(value).try_for_each(|message| add_message(call, message))?,
            _ => {}
        }
    }
    call.reply()
}

fn add_message(call: &Call, message: &str) -> Result<(), Error> {
    let role = match find_member(message, "role") {
        Some("\"user\"") => Role::User,
        Some("\"assistant\"") => Role::Assistant,
        _ => return Err(Error::Invalid("the role of a message is \"user\" or \"assistant\"")),
    };
    call.set_role(role)?;
    let content = find_member(message, "content");
    let content = content.ok_or(Error::Invalid("a message has content"))?;
    match content.starts_with('[') {
        true => elements(content).try_for_each(|block| call.add_json(block)),
        false => call.add_json(content),
    }
}

fn reply_completion(call: &Call, payload: &str) -> Result<(), Error> {
    for (name, value) in members(payload) {
        match name.decode().as_ref() {
            "values" => elements(value).try_for_each(|value| call.add_text(&text(value)))?,
            "total" => call.set_total(value.parse().unwrap_or_default())?,
            "hasMore" => call.set_has_more(value == "true")?,
            _ => {}
        }
    }
    call.reply()
}

fn failure(payload: &str) -> Failure {
    let message = find_member(payload, "message").map(text).unwrap_or_default();
    let kind = find_member(payload, "kind").map(text).and_then(|kind| ErrorKind::parse(&kind));
    let code = find_member(payload, "code").and_then(|code| code.parse().ok());
    let mut failure = match (kind, code) {
        (Some(kind), _) => Failure::new(kind, message),
        (None, Some(code)) => Failure::code(code, message),
        (None, None) => Failure::new(ErrorKind::Internal, message),
    };
    if let Some(data) = find_member(payload, "data") {
        failure = failure.with_data(data);
    }
    if let Some(stack) = find_member(payload, "stack") {
        failure = failure.with_stacktrace(text(stack));
    }
    failure
}

/// The text of a JSON string.
pub(crate) fn text(json: &str) -> Cow<'_, str> {
    Str::from_json(json).map(Str::decode).unwrap_or_default()
}

/// Answers a call whose answer cannot be sent with an error, and tells the program.
fn give_up(call: &Call, error: &Error, problems: &mut Vec<u8>) {
    let kind = match error {
        Error::Output(_) => ErrorKind::InvalidOutput,
        _ => ErrorKind::Internal,
    };
    let said = error.to_string();
    drop(call.fail(Failure::new(kind, said.clone())));
    if !problems.is_empty() {
        problems.push(b',');
    }
    problems.extend_from_slice(b"{\"method\":");
    push_quoted(problems, call.method());
    problems.extend_from_slice(b",\"name\":");
    push_quoted(problems, call.name());
    problems.extend_from_slice(b",\"message\":");
    push_quoted(problems, &said);
    problems.push(b'}');
}
