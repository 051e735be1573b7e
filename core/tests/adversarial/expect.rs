//! Whether what the engine said is what a case demands, and what holds for every case.

use serde_json::Value;

use crate::case::Case;
use crate::message::{Message, clip};
use crate::player::Played;

/// What an expectation may say. Anything else would be passed over in silence.
const KNOWN: &[&str] = &[
    "kind",
    "code",
    "id",
    "alt",
    "text",
    "text_any_of",
    "is_error",
    "contains",
    "check",
    "check_all",
    "batch",
    "answered",
    "id_any_of",
    "id_token",
    "answered_id",
    "max_replies",
    "first",
    "forbid_methods",
    "no_output_after_response",
    "note",
    "level_note",
];

/// Judges a case that was played.
pub(crate) fn judge(case: &Case, played: &Played) -> Result<(), String> {
    check_known(&case.expect)?;
    check_always(case, played)?;
    let replies: Vec<_> = played.new.iter().filter(|message| message.is_reply()).collect();
    check_counts(&case.expect, &played.new, &replies)?;
    match case.expect["kind"].as_str() {
        Some("none") => match played.new.first() {
            None => Ok(()),
            Some(message) => Err(format!("unexpected {}", shown(message))),
        },
        Some("any_but_alive") => check_free(&case.expect, played, &replies),
        Some("error" | "result") => match case.expect["batch"].as_array() {
            Some(batch) => check_batch(batch, &replies),
            None => check_reply(&case.expect, played, &replies),
        },
        _ => Err("the case expects an unknown kind".to_owned()),
    }
}

fn check_known(expect: &Value) -> Result<(), String> {
    let mut names = expect.as_object().unwrap().keys();
    match names.find(|name| !KNOWN.contains(&name.as_str())) {
        Some(name) => Err(format!("the case expects {name}, which nobody checks")),
        None => Ok(()),
    }
}

/// What holds whatever the input was.
fn check_always(case: &Case, played: &Played) -> Result<(), String> {
    match played.probe.as_slice() {
        [probe] if probe.value.get("result").is_some() => {}
        [probe] => return Err(format!("the probe got {}", shown(probe))),
        probes => return Err(format!("the probe got {} answers", probes.len())),
    }
    let replies = |messages: &[Message]| messages.iter().filter(|it| it.is_reply()).count();
    if replies(&played.setup) > case.setup.len() {
        return Err("more answers than messages in the setup".to_owned());
    }
    let (answers, messages) = (replies(&played.new), messages_in(&case.input));
    if answers > messages {
        return Err(format!("{answers} answers to {messages} messages"));
    }
    if case.is_modern {
        let said = played.setup.iter().chain(&played.new).chain(&played.probe);
        said.into_iter().try_for_each(|message| check_modern(case, message))?;
    }
    Ok(())
}

/// How many messages the input may count as: each line, and in a batch each element.
fn messages_in(input: &[u8]) -> usize {
    let count = |line: &[u8]| match serde_json::from_slice::<Vec<Value>>(line) {
        Ok(batch) => batch.len().max(1),
        Err(_) => usize::from(!line.trim_ascii().is_empty()),
    };
    input.split(|byte| *byte == b'\n').map(count).sum()
}

fn check_modern(case: &Case, message: &Message) -> Result<(), String> {
    if message.is_request() {
        return Err(format!("a request of the server's own: {}", shown(message)));
    }
    let code = message.code().unwrap_or_default();
    let reserved = (-32099..=-32020).contains(&code) && !(-32022..=-32020).contains(&code);
    if reserved || code == -32002 {
        return Err(format!("code {code} is forbidden"));
    }
    let is_bare = message.value.get("result").is_some_and(|it| it.get("resultType").is_none());
    if is_bare && !case.id.contains("initialize") {
        return Err(format!("a result without resultType: {}", shown(message)));
    }
    Ok(())
}

fn check_counts(expect: &Value, new: &[Message], replies: &[&Message]) -> Result<(), String> {
    if expect["max_replies"].as_u64().is_some_and(|max| replies.len() as u64 > max) {
        return Err(format!("{} answers", replies.len()));
    }
    let forbidden = |message: &&Message| {
        let method = message.value.get("method");
        method.is_some_and(|method| listed(&expect["forbid_methods"]).any(|it| it == method))
    };
    match new.iter().find(forbidden) {
        Some(message) => Err(format!("forbidden {}", shown(message))),
        None => Ok(()),
    }
}

/// Where the specification leaves the outcome open.
fn check_free(expect: &Value, played: &Played, replies: &[&Message]) -> Result<(), String> {
    if expect["answered"] == true {
        let reply = only(replies)?;
        if expect["id_any_of"].is_array()
            && !listed(&expect["id_any_of"]).any(|id| id == reply.id())
        {
            return Err(format!("the wrong id: {}", shown(reply)));
        }
        // Compared as text: the engine gives ids back as they came.
        let token = expect["id_token"].as_str().unwrap_or(&reply.id_text);
        if reply.value.get("result").is_some() && reply.id_text != token {
            return Err(format!("the id {} came back as {}", clip(token), clip(&reply.id_text)));
        }
    }
    if let Some(id) = expect.get("answered_id")
        && !replies.iter().any(|reply| reply.id() == id)
    {
        return Err(format!("{id} is not answered"));
    }
    if let Some(first) = expect.get("first") {
        let message = played.new.first().ok_or("nothing was said")?;
        let meta = &message.value["params"]["_meta"];
        let subscription = &meta["io.modelcontextprotocol/subscriptionId"];
        if message.value["method"] != first["method"] || *subscription != first["subscriptionId"] {
            return Err(format!("the first message is {}", shown(message)));
        }
    }
    Ok(())
}

/// Each expected reply once, in any order, and nothing else.
fn check_batch(batch: &[Value], replies: &[&Message]) -> Result<(), String> {
    let mut left = replies.to_vec();
    for expect in batch {
        let found = left.iter().position(|message| check_message(expect, message).is_ok());
        left.remove(found.ok_or_else(|| format!("missing {expect}"))?);
    }
    match left.first() {
        Some(message) => Err(format!("one too many: {}", shown(message))),
        None => Ok(()),
    }
}

fn check_reply(expect: &Value, played: &Played, replies: &[&Message]) -> Result<(), String> {
    let reply = only(replies)?;
    let is_other = || listed(&expect["alt"]).any(|other| check_message(other, reply).is_ok());
    if let Err(what) = check_message(expect, reply)
        && !is_other()
    {
        return Err(what);
    }
    let is_last = played.new.last().is_some_and(Message::is_reply);
    if expect["no_output_after_response"] == true && !is_last {
        return Err("output after the answer".to_owned());
    }
    Ok(())
}

/// One reply against one expectation.
fn check_message(expect: &Value, message: &Message) -> Result<(), String> {
    let fail = |what: &str| Err(format!("{what}: {}", shown(message)));
    let kind = expect["kind"].as_str().unwrap();
    let Some(body) = message.value.get(kind) else {
        return fail(&format!("no {kind}"));
    };
    if !id_fits(expect.get("id").unwrap_or(&Value::Null), message.id()) {
        return fail(&format!("not the id {}", expect["id"]));
    }
    if kind == "error" && !is_or_contains(&expect["code"], &body["code"]) {
        return fail(&format!("not the code {}", expect["code"]));
    }
    let wants = |name: &str, is: &dyn Fn(&Value) -> bool| expect.get(name).is_none_or(is);
    let (text, is_error) = (&body["content"][0]["text"], body["isError"] == true);
    if !wants("is_error", &|want| *want == is_error) {
        return fail("isError is wrong");
    }
    if !wants("text", &|want| want == text) || !wants("text_any_of", &|any| has(any, text)) {
        return fail("another text");
    }
    if !wants("contains", &|part| body.to_string().contains(part.as_str().unwrap())) {
        return fail("the literal is not there");
    }
    listed(&expect["check_all"]).chain(expect.get("check")).try_for_each(|it| check_path(it, body))
}

fn check_path(check: &Value, body: &Value) -> Result<(), String> {
    let value = listed(&check["path"]).fold(body, |value, name| &value[name.as_str().unwrap()]);
    let has_type = match check["type"].as_str() {
        None => true,
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        Some("nonneg-int") => value.is_u64(),
        Some(other) => return Err(format!("the case expects the unknown type {other}")),
    };
    let equals = check.get("eq").is_none_or(|want| want == value);
    if has_type && equals && check.get("in").is_none_or(|any| has(any, value)) {
        return Ok(());
    }
    Err(format!("{value} does not fit {check}"))
}

/// An expected null stands for null or none.
fn id_fits(want: &Value, id: &Value) -> bool {
    match want.get("any_of") {
        Some(any) => has(any, id),
        None => want == id,
    }
}

fn is_or_contains(want: &Value, value: &Value) -> bool {
    want == value || has(want, value)
}

fn has(list: &Value, value: &Value) -> bool {
    listed(list).any(|it| it == value)
}

fn listed(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn only<'m>(replies: &[&'m Message]) -> Result<&'m Message, String> {
    match replies {
        [reply] => Ok(reply),
        [] => Err("no answer: the caller would hang".to_owned()),
        more => Err(format!("{} answers", more.len())),
    }
}

fn shown(message: &Message) -> String {
    clip(&message.value.to_string())
}
