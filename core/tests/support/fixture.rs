//! The server that the transcripts talk to, made from `tests/transcripts/fixture.json`.
//!
//! Every language that plays the transcripts has one of these; each behaviour is a few lines.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use mcplite_core::{
    Cache, CacheScope, Call, ErrorKind, Failure, Item, Kind, LogLevel, Reference, Role, Server,
};
use serde_json::Value;

use super::asking;

/// What handlers share with one another and with the player.
#[derive(Clone, Default)]
pub(crate) struct Memory {
    /// Calls that wait to be answered, by their key.
    pub(crate) held: Arc<Mutex<BTreeMap<String, Call>>>,
    /// What the notification that `remember` is for said last.
    pub(crate) last: Arc<Mutex<String>>,
    /// The ids of the pages where the user is done.
    pub(crate) elicited: Arc<Mutex<BTreeSet<String>>>,
    /// The questions of the fixture file, by their names.
    pub(crate) questions: Arc<Value>,
}

impl Memory {
    pub(crate) fn hold(&self, call: &Call) {
        let key = call.arg_str("key").unwrap_or("held".into()).into_owned();
        self.held.lock().unwrap().insert(key, call.clone());
    }
}

pub(crate) const PNG: &[u8] = b"\x89PNG";
pub(crate) const WAV: &[u8] = b"RIFF";

/// A server with everything that the fixture file has.
pub(crate) fn server(fixture: &Value, memory: &Memory) -> Server {
    let options = &fixture["options"];
    let text = |name: &str| options[name].as_str().map(str::to_owned);
    let json = |name: &str| options.get(name).map(Value::to_string);
    let server = Server::new(&text("name").unwrap(), &text("version").unwrap()).unwrap();
    server
        .configure(|options| {
            options.title = text("title");
            options.description = text("description");
            options.website_url = text("websiteUrl");
            options.icons = json("icons");
            options.instructions = text("instructions");
            options.declared.experimental = json("experimental");
            options.declared.extensions = json("extensions");
        })
        .unwrap();
    for item in fixture["items"].as_array().unwrap() {
        server.register(make_item(item, memory)).unwrap_or_else(|e| panic!("{item}: {e}"));
    }
    server
}

/// One item of the fixture file.
pub(crate) fn make_item(item: &Value, memory: &Memory) -> Item {
    let text = |name: &str| item[name].as_str().unwrap_or_default();
    let definition = item["definition"].to_string();
    let from_json = |kind| Item::from_json(kind, &definition).unwrap();
    let mut made = match text("kind") {
        "tool" => from_json(Kind::Tool),
        "resource" => from_json(Kind::Resource),
        "template" => from_json(Kind::Template),
        "prompt" => from_json(Kind::Prompt),
        "completion" if item["prompt"].is_string() => {
            Item::completion(Reference::Prompt(text("prompt")), text("argument"))
        }
        "completion" => Item::completion(Reference::Template(text("template")), text("argument")),
        "method" => Item::method(text("method")),
        other => panic!("unknown kind {other}"),
    };
    if let Some(contents) = item["contents"].as_str() {
        made = made.contents(contents.as_bytes());
    }
    if let Some(deadline) = item["deadlineMs"].as_u64() {
        made = made.deadline_ms(deadline);
    }
    if item["hidden"] == true {
        made = made.hidden();
    }
    if let Some(cache) = item["cache"].as_object() {
        let public = cache["scope"] == "public";
        let scope = if public { CacheScope::Public } else { CacheScope::Private };
        made = made.cache(Cache { ttl_ms: cache["ttlMs"].as_u64().unwrap(), scope });
    }
    match text("does") {
        "" | "pull" => made,
        _ => {
            let (item, memory) = (item.clone(), memory.clone());
            made.on_call(move |call: &Call| behave(&item, call, &memory))
        }
    }
}

fn behave(item: &Value, call: &Call, memory: &Memory) -> Result<(), Failure> {
    let missing = |name: &str| {
        Failure::new(ErrorKind::InvalidArguments, format!("{name} is missing or of the wrong type"))
    };
    match item["does"].as_str().unwrap_or_default() {
        "echo" => {
            let text = call.arg_str("text").ok_or_else(|| missing("text"))?;
            call.reply_text(&text)?;
        }
        "add" => {
            let a = call.arg_f64("a").ok_or_else(|| missing("a"))?;
            let b = call.arg_f64("b").ok_or_else(|| missing("b"))?;
            if !(a + b).is_finite() {
                return Err("the sum is too large".into());
            }
            call.put_f64("sum", a + b)?;
            call.add_text(&(a + b).to_string())?;
            call.reply()?;
        }
        "list" => call.reply_json("[1,2,3]")?,
        "fail" => return Err(Failure::tool("it broke").with_stacktrace("at fail (fixture)")),
        "fail-as" => return Err(chosen_failure(call)),
        "content" => {
            call.add_text("text \u{e9} \u{1F600} \"quoted\"\n")?;
            call.add_media("image/png", PNG)?;
            call.add_media("audio/wav", WAV)?;
            call.add_media("application/pdf", b"%PDF")?;
            call.add_resource("test://embedded", Some("text/plain"), b"embedded")?;
            call.add_link("test://static", "static", Some("text/plain"))?;
            call.set_meta(r#"{"com.example/own": [1, 2]}"#)?;
            call.reply()?;
        }
        "blocks" => {
            call.add_json(
                r#"{"type":"text","text":"a","annotations":{"audience":["user"],"priority":1,"lastModified":"2026-01-01T00:00:00Z"},"_meta":{"com.example/a":1}}"#,
            )?;
            call.add_json("{\"type\":\"audio\",\n\"data\":\"AA==\",\"mimeType\":\"audio/wav\"}")?;
            call.add_json(r#"{"type":"resource_link","uri":"test://static","name":"static","title":"Static","size":11,"icons":[{"src":"https://example.com/i.png"}]}"#)?;
            call.add_json(r#"{"type":"resource","resource":{"uri":"test://e","mimeType":"text/plain","text":"e","_meta":{"com.example/e":1}}}"#)?;
            call.reply()?;
        }
        "result" => call.reply_result(
            r#"{"content":[{"type":"text","text":"whole"}],"structuredContent":{"n":1},"isError":false,"_meta":{"com.example/own":true}}"#,
        )?,
        "progress" => {
            call.progress(0.0, Some(100.0), Some("starting"))?;
            call.progress(50.0, Some(100.0), None)?;
            call.progress(100.0, None, Some("done"))?;
            call.reply_text("progressed")?;
        }
        "log" => {
            call.log(LogLevel::Debug, Some("fixture"), "in detail")?;
            call.log(LogLevel::Info, None, "in general")?;
            call.log_json(LogLevel::Error, Some("fixture"), r#"{"code": 7}"#)?;
            call.reply_text("logged")?;
        }
        "hold" => memory.hold(call),
        "silent" => {}
        "whoami" => {
            call.put_str("method", call.method())?;
            call.put_str("name", call.name())?;
            call.put_str("revision", call.revision().name())?;
            call.put_json("client", call.client_info().unwrap_or("null"))?;
            call.put_json("capabilities", call.client_capabilities())?;
            call.put_str("traceparent", &call.traceparent().unwrap_or_default())?;
            call.put_str("principal", call.principal().unwrap_or_default())?;
            call.reply()?;
        }
        "read" => call.reply_text(&format!("{} {}", call.name(), call.arguments()))?,
        "gone" => return Err(Failure::new(ErrorKind::ResourceNotFound, "it is gone")),
        "greet" => {
            let name = call.arg_str("name").unwrap_or_default();
            let style = call.arg_str("style").unwrap_or("Hello".into());
            call.set_description("A greeting")?;
            call.reply_text(&format!("{style}, {name}!"))?;
        }
        "talk" => {
            call.add_text("What is this?")?;
            call.add_media("image/png", PNG)?;
            call.set_role(Role::Assistant)?;
            call.add_link("test://static", "static", None)?;
            call.add_media("audio/wav", WAV)?;
            call.reply()?;
        }
        "styles" => {
            let start = call.arg_str("value").unwrap_or_default().into_owned();
            let styles = ["hello", "hey", "hi"].into_iter().filter(|style| style.starts_with(&start));
            styles.clone().try_for_each(|style| call.add_text(style))?;
            call.set_total(styles.count() as u64)?;
            call.set_has_more(false)?;
            call.reply()?;
        }
        "ids" => {
            call.add_text(&call.arg_str("/arguments/prefix").unwrap_or("none".into()))?;
            (0..120).try_for_each(|id: u32| call.add_text(&id.to_string()))?;
            call.reply()?;
        }
        "reflect" => call.reply_result(&format!(r#"{{"params":{}}}"#, call.arguments()))?,
        "nothing" => call.reply_result("{}")?,
        "no-tools" => call.reply_result(r#"{"tools":[]}"#)?,
        "remember" => *memory.last.lock().unwrap() = call.arguments().to_owned(),
        "recall" => {
            let last = memory.last.lock().unwrap().clone();
            call.reply_result(&format!(r#"{{"last":{last}}}"#))?;
        }
        _ => asking::behave(item, call, memory)?,
    }
    Ok(())
}

fn chosen_failure(call: &Call) -> Failure {
    if let Some(code) = call.arg_i64("code") {
        return Failure::code(i32::try_from(code).unwrap(), "own words")
            .with_data(r#"{"elicitations":[]}"#);
    }
    let kind = match call.arg_str("kind").unwrap_or_default().as_ref() {
        "internal" => ErrorKind::Internal,
        "invalid-params" => ErrorKind::InvalidParams,
        "invalid-arguments" => ErrorKind::InvalidArguments,
        "tool-failed" => ErrorKind::ToolFailed,
        "invalid-output" => ErrorKind::InvalidOutput,
        "resource-not-found" => ErrorKind::ResourceNotFound,
        "unknown-tool" => ErrorKind::UnknownTool,
        "unknown-prompt" => ErrorKind::UnknownPrompt,
        "unknown-method" => ErrorKind::UnknownMethod,
        "invalid-request" => ErrorKind::InvalidRequest,
        "not-initialized" => ErrorKind::NotInitialized,
        "not-authorised" => ErrorKind::NotAuthorised,
        "missing-capability" => {
            return Failure::new(ErrorKind::MissingCapability, "sampling is needed")
                .with_data(r#"{"requiredCapabilities":{"sampling":{}}}"#);
        }
        "unsupported-revision" => {
            return Failure::new(ErrorKind::UnsupportedRevision, "")
                .with_data(r#"{"supported":["2026-07-28"],"requested":"1999-01-01"}"#);
        }
        "header-mismatch" => ErrorKind::HeaderMismatch,
        "timeout" => ErrorKind::Timeout,
        "limit" => ErrorKind::Limit,
        "bad-state" => ErrorKind::BadState,
        "parse" => ErrorKind::Parse,
        other => panic!("unknown kind {other}"),
    };
    Failure::new(kind, "own words")
}
