//! What stands around the engine: every answer of its own, seen and changed by the host.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use std::sync::{Arc, Mutex};

use mcplite_core::{Call, Dispatch, Error, ErrorKind, Failure, Item, Kind, Reference};
use serde_json::json;
use support::host::Host;
use support::transcript::{feed_message, first_difference, fixtures, in_folder, play};
use support::web::{post_modern, take};
use support::web_world::World;
use support::{MODERN, drain, exchange, http_transcript, initialize, stage::AROUND};

/// Where requests that the engine answers count as calls, which transcripts can tell.
const LIKE_CALLS: [&str; 3] =
    ["queued.txt", "the server takes no more requests", "2 requests are open"];

/// What a transcript has in its way when everything is passed on.
fn difference(path: &str, text: &str, play: impl Fn(&str) -> String) -> Option<String> {
    let text = format!("@ {} {}\n{text}", AROUND.0, AROUND.1);
    let found = format!("{path}: {}", first_difference(&text, &play(&text))?);
    (!LIKE_CALLS.iter().any(|excuse| found.contains(excuse))).then_some(found)
}

#[test]
fn passing_on_what_the_engine_answers_changes_not_a_byte() {
    let fixtures = fixtures();
    let mut wrong = Vec::new();
    for (path, text) in in_folder("transcripts") {
        wrong.extend(difference(&path, &text, |text| play(text, &fixtures, feed_message)));
    }
    for (path, text) in in_folder("http/transcripts") {
        wrong.extend(difference(&path, &text, |text| {
            http_transcript::play(text, &fixtures, http_transcript::feed_whole)
        }));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A host with something of everything, which notes what comes by and passes it on.
fn watched() -> (Host, Arc<Mutex<Vec<String>>>) {
    let host = Host::new();
    let seen = Arc::<Mutex<Vec<String>>>::default();
    for item in [
        Item::resource("a:b", "b").contents("b"),
        Item::template("a:{x}", "x"),
        Item::prompt("p"),
        Item::completion(Reference::Prompt("p"), "known"),
    ] {
        host.server.register(item).unwrap();
    }
    let notes = Arc::clone(&seen);
    let pass = move |call: &Call| {
        notes.lock().unwrap().push(format!("{} {}", call.method(), call.name()));
        Ok(call.reply_result(&call.engine_answer()?)?)
    };
    host.server.register(Item::around().on_call(pass)).unwrap();
    (host, seen)
}

fn ask(host: &Host, id: u32, method: &str, params: &str) -> String {
    let text =
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}}}}}"#);
    exchange(host.session(), &text).concat()
}

#[test]
fn everything_that_the_engine_answers_comes_by() {
    let (host, seen) = watched();
    let complete = r#""ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}"#;
    for (id, (method, params, is_seen)) in [
        ("ping", "", true),
        ("tools/list", "", true),
        ("resources/list", "", true),
        ("resources/templates/list", "", true),
        ("prompts/list", "", true),
        ("logging/setLevel", r#""level":"error""#, true),
        ("resources/subscribe", r#""uri":"a:b""#, true),
        ("resources/unsubscribe", r#""uri":"a:b""#, true),
        ("resources/read", r#""uri":"a:b""#, true),
        ("completion/complete", complete, true),
        ("server/discover", MODERN, true),
        ("tools/list", MODERN, true),
        // What nobody answers, and what handlers do.
        ("server/discover", "", false),
        ("acme/unknown", "", false),
        ("prompts/get", r#""name":"unknown""#, false),
        ("tools/call", r#""name":"hold""#, false),
        ("tools/list", r#""_meta":5"#, false),
    ]
    .into_iter()
    .enumerate()
    {
        let answer = ask(&host, u32::try_from(id).unwrap(), method, params);
        let noted = std::mem::take(&mut *seen.lock().unwrap());
        let subject = if params.contains("a:b") { "a:b" } else { "" };
        let subject = if method.starts_with("completion") { "p" } else { subject };
        let expected = if is_seen { vec![format!("{method} {subject}")] } else { vec![] };
        assert_eq!(noted, expected);
        assert!(!is_seen || answer.contains(r#""result":{"#), "{answer}");
    }
}

#[test]
fn the_handshake_does_not_wait_for_anybody() {
    let (host, seen) = watched();
    let session = mcplite_core::Session::new(&host.server).unwrap();
    initialize(&session, "2025-11-25");
    assert!(seen.lock().unwrap().is_empty());
}

#[test]
fn a_list_can_be_changed_or_refused() {
    let host = Host::new();
    let around = |call: &Call| match call.method() {
        "tools/list" => Ok(call.reply_result(r#"{"tools":[]}"#)?),
        _ => Err(Failure::new(ErrorKind::NotAuthorised, "not you")),
    };
    host.server.register(Item::around().on_call(around)).unwrap();
    assert_eq!(
        ask(&host, 1, "tools/list", ""),
        r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}"#
    );
    let answer = ask(&host, 2, "tools/list", MODERN);
    assert!(answer.contains(r#""tools":[],"ttlMs":0,"cacheScope":"private""#), "{answer}");
    assert!(ask(&host, 3, "ping", "").contains("not you"));
    // Hidden is not forbidden.
    assert!(host.ask(4, "hold").is_empty());
    host.server.unregister(Kind::Around, "*").unwrap();
    assert_eq!(ask(&host, 5, "ping", ""), r#"{"jsonrpc":"2.0","id":5,"result":{}}"#);
}

#[test]
fn there_is_one_and_a_method_of_the_hosts_own_goes_before_it() {
    let (host, seen) = watched();
    assert_eq!(host.server.register(Item::around()), Err(Error::Exists));
    let own = |call: &Call| {
        let refused = call.engine_answer().unwrap_err();
        Ok(call.reply_result(&json!({"tools": [], "x": refused.text()}).to_string())?)
    };
    host.server.register(Item::method("tools/list").on_call(own)).unwrap();
    let answer = ask(&host, 1, "tools/list", "");
    assert!(answer.contains("the engine does not answer this call"), "{answer}");
    assert!(seen.lock().unwrap().is_empty());
}

#[test]
fn nothing_happens_before_it_is_passed_on() {
    let (host, _) = watched();
    host.server.unregister(Kind::Around, "*").unwrap();
    host.hold_calls_of(Item::around());
    let updates = || {
        host.server.notify_resource_updated("a:b");
        host.sent().len()
    };
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(exchange(host.session(), initialized), [""; 0]);
    assert_eq!(ask(&host, 1, "resources/subscribe", r#""uri":"a:b""#), "");
    let call = host.take_held();
    assert_eq!(updates(), 0);
    assert_eq!(call.engine_answer(), Ok("{}".to_owned()));
    assert_eq!(updates(), 1);
    call.reply_result("{}").unwrap();
    assert_eq!(host.sent(), [r#"{"jsonrpc":"2.0","id":1,"result":{}}"#]);
    let refused = call.engine_answer().unwrap_err();
    assert_eq!(refused.kind(), Some(ErrorKind::Internal));
}

#[test]
fn what_waits_is_cancelled_and_timed_out_like_calls() {
    let host = Host::new();
    host.hold_calls_of(Item::around().deadline_ms(100));
    assert_eq!(ask(&host, 1, "ping", ""), "");
    host.cancel(1);
    assert!(host.take_held().is_cancelled());
    assert_eq!(ask(&host, 2, "ping", ""), "");
    host.pass_ms(100);
    assert!(host.sent().concat().contains("the deadline has passed"));
    host.server.configure(|options| options.limits.open_calls = 1).unwrap();
    assert_eq!(ask(&host, 3, "ping", ""), "");
    assert!(ask(&host, 4, "ping", "").contains("1 requests are open"));
}

#[test]
fn it_runs_where_handlers_run() {
    let (host, seen) = watched();
    host.server.configure(|options| options.dispatch = Dispatch::Queued).unwrap();
    assert_eq!(ask(&host, 1, "ping", ""), "");
    assert_eq!(host.server.run(0), Ok(1));
    assert_eq!(seen.lock().unwrap().len(), 1);
    assert_eq!(host.sent().len(), 1);
    // Without a handler they wait for `next_call`, as calls do.
    host.server.replace(Item::around()).unwrap();
    assert_eq!(ask(&host, 2, "ping", ""), "");
    let call = host.server.next_call().unwrap();
    call.reply_result(&call.engine_answer().unwrap()).unwrap();
    assert_eq!(host.sent().len(), 1);
}

fn listen(id: u32) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"subscriptions/listen","params":{{"notifications":{{"toolsListChanged":true}},{MODERN}}}}}"#
    )
}

#[test]
fn a_stream_takes_the_place_of_its_call() {
    let host = Host::new();
    host.hold_calls_of(Item::around());
    assert_eq!(exchange(host.session(), &listen(1)), [""; 0]);
    let call = host.take_held();
    host.server.notify_list_changed(Kind::Tool).unwrap();
    assert_eq!(host.sent(), [""; 0]);
    assert_eq!(call.engine_answer(), Ok("{}".to_owned()));
    assert!(host.sent().concat().contains("notifications/subscriptions/acknowledged"));
    assert_eq!(call.reply_result("{}"), Err(Error::Answered));
    drop(call);
    host.server.notify_list_changed(Kind::Tool).unwrap();
    assert!(host.sent().concat().contains("notifications/tools/list_changed"));
    let twice = exchange(host.session(), &listen(1)).concat();
    assert!(twice.contains("still open"), "{twice}");
    host.cancel(1);
    host.server.notify_list_changed(Kind::Tool).unwrap();
    assert_eq!(host.sent(), [""; 0]);
    host.session().end().unwrap();
    assert!(host.session().is_finished());
}

#[test]
fn a_stream_can_be_refused_or_cancelled_before_it_is_open() {
    let host = Host::new();
    host.hold_calls_of(Item::around());
    assert_eq!(exchange(host.session(), &listen(1)), [""; 0]);
    host.take_held().fail(Failure::new(ErrorKind::NotAuthorised, "not you")).unwrap();
    assert!(host.sent().concat().contains("not you"));
    assert_eq!(exchange(host.session(), &listen(2)), [""; 0]);
    let call = host.take_held();
    host.cancel(2);
    assert!(call.engine_answer().is_err());
    host.server.notify_list_changed(Kind::Tool).unwrap();
    assert_eq!(drain(host.session()), [""; 0]);
}

#[test]
fn a_refusal_over_http_has_the_status_of_the_engines_own() {
    let world = World::new();
    let around = |call: &Call| match call.method() {
        "tools/list" => Err(Failure::new(ErrorKind::InvalidRequest, "not now")),
        _ => Ok(call.reply_result(&call.engine_answer()?)?),
    };
    world.server.register(Item::around().on_call(around)).unwrap();
    let reply = take(&post_modern(&world.http, json!(1), "tools/list", json!({})));
    assert_eq!(reply.status, 400);
    let reply = take(&post_modern(&world.http, json!(2), "server/discover", json!({})));
    assert_eq!(reply.status, 200);
    assert_eq!(reply.json()["result"]["supportedVersions"], json!(["2026-07-28"]));
}
