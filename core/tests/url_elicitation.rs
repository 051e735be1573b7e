//! Sending users to pages, in every revision.

mod support;

use std::sync::{Arc, Mutex};

use mcplite_core::{Call, Error, ErrorKind, Failure, Item, Reference, Session};
use serde_json::json;
use support::drain;
use support::interview::*;

#[test]
fn url_elicitation_is_an_error_a_question_or_out_of_reach() {
    let urls = || {
        Failure::new(ErrorKind::UrlElicitationRequired, "log in first").with_data(
            r#"{"elicitations":[{"mode":"url","elicitationId":"e1","url":"https://x.example/","message":"Log in"}]}"#,
        )
    };
    let mut case = Case::new("2025-11-25", everything());
    case.tool("t", move |_| Err(urls()));
    let heard = case.call("t");
    assert_eq!(heard[0]["error"]["code"], -32042);
    assert_eq!(heard[0]["error"]["data"]["elicitations"][0]["elicitationId"], "e1");
    assert_eq!(case.server.notify_elicitation_complete("other"), Err(Error::NotFound));
    case.server.notify_elicitation_complete("e1").unwrap();
    let heard = case.heard();
    assert_eq!(heard[0]["method"], "notifications/elicitation/complete");
    assert_eq!(heard[0]["params"], json!({"elicitationId": "e1"}));
    assert_eq!(case.server.notify_elicitation_complete("e1"), Err(Error::NotFound));

    let mut case = Case::new("2026-07-28", everything());
    let done = Arc::new(Mutex::new(false));
    let is_done = Arc::clone(&done);
    case.tool(
        "t",
        move |call| {
            if *is_done.lock().unwrap() { Ok(call.reply_text("in")?) } else { Err(urls()) }
        },
    );
    let asked = case.call("t");
    let questions = case.questions(&asked);
    let params = &questions[0].1["params"];
    assert_eq!(params, &json!({"mode": "url", "url": "https://x.example/", "message": "Log in"}));
    let again = case.answer("t", &asked, |_| json!({"action": "accept"}));
    assert_eq!(case.questions(&again).len(), 1, "the user is not done yet");
    let declined = case.answer("t", &again, |_| json!({"action": "decline"}));
    assert!(text_of(&declined).contains("does not want"), "{declined:?}");
    *done.lock().unwrap() = true;
    assert_eq!(text_of(&case.answer("t", &again, |_| json!({"action": "accept"}))), "in");

    for revision in ["2025-06-18", "2025-11-25"] {
        let mut case = Case::new(revision, json!({"elicitation": {}}));
        case.tool("t", move |_| Err(urls()));
        let heard = case.call("t");
        assert!(text_of(&heard).contains("elicitation.url"), "{heard:?}");
    }
}

#[test]
fn a_url_question_gets_an_id_where_one_is_needed() {
    let ask = |call: &Call| {
        let params = r#"{"mode":"url","message":"Pay","url":"https://x.example/"}"#;
        match call.ask("pay", "elicitation/create", params)? {
            Some(_) => Ok(call.reply_text("paid")?),
            None => Ok(call.reply_asked()?),
        }
    };
    let mut case = Case::new("2025-11-25", everything());
    case.tool("t", ask);
    let asked = case.call("t");
    let id = asked[0]["params"]["elicitationId"].as_str().unwrap().to_owned();
    case.server.notify_elicitation_complete(&id).unwrap();
    assert_eq!(case.heard()[0]["params"]["elicitationId"], id);
    assert_eq!(text_of(&case.answer("t", &asked, |_| json!({"action": "accept"}))), "paid");
}

#[test]
fn only_tools_prompts_and_resources_require_input() {
    let server = server();
    let fail = |_: &Call| {
        let data = r#"{"elicitations":[{"mode":"url","elicitationId":"e","url":"https://x.test/","message":"m"}]}"#;
        Err(Failure::new(ErrorKind::UrlElicitationRequired, "log in").with_data(data))
    };
    server
        .register(Item::prompt("p").arguments(r#"[{"name":"a"}]"#).on_call(|_: &Call| Ok(())))
        .unwrap();
    server.register(Item::completion(Reference::Prompt("p"), "a").on_call(fail)).unwrap();
    server.register(Item::method("acme/do").on_call(fail)).unwrap();
    let session = Session::new(&server).unwrap();
    let complete = modern(
        1,
        "completion/complete",
        json!({"ref":{"type":"ref/prompt","name":"p"},
        "argument":{"name":"a","value":""}}),
    );
    for message in [complete, modern(2, "acme/do", json!({}))] {
        let answer = say(&session, &message);
        assert_ne!(answer[0]["result"]["resultType"], "input_required", "{answer:?}");
    }
}

#[test]
fn a_url_that_is_required_is_not_a_form() {
    let server = server();
    let fail = |_: &Call| {
        let data = format!(r#"{{"elicitations":[{FORM}]}}"#);
        Err(Failure::new(ErrorKind::UrlElicitationRequired, "log in").with_data(data))
    };
    server.register(Item::tool("t").on_call(fail)).unwrap();
    let session = Session::new(&server).unwrap();
    let mut message = modern(1, "tools/call", json!({"name":"t"}));
    message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
        json!({"elicitation":{"url":{}}});
    let answer = say(&session, &message);
    assert_ne!(answer[0]["result"]["resultType"], "input_required", "{answer:?}");
}

#[test]
fn a_host_that_gives_a_wrong_elicitation_id_is_told() {
    let server = server();
    let seen = Arc::new(Mutex::new(None));
    let own = Arc::clone(&seen);
    server
        .register(Item::tool("t").on_call(move |call: &Call| {
            let params =
                r#"{"mode":"url","url":"https://x.test/","message":"m","elicitationId":7}"#;
            let asked = call.ask("k", "elicitation/create", params);
            *own.lock().unwrap() = Some(asked.is_err());
            Ok(())
        }))
        .unwrap();
    let session = legacy(&server, "2025-11-25");
    session.handle_message(call(1, "t").to_string().as_bytes()).unwrap();
    let sent = drain(&session);
    assert!(sent[0].matches("elicitationId").count() <= 1, "{sent:?}");
}
