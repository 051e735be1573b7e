//! How a call ends while its client is being asked.

mod support;

use std::sync::{Arc, Mutex};

use mcplite_core::{Call, Item};
use serde_json::{Value, json};
use support::interview::*;

#[test]
fn a_legacy_call_that_is_cancelled_while_it_asks_withdraws_its_questions() {
    let mut case = Case::new("2025-11-25", everything());
    case.tool("t", |call| {
        call.ask("a", "roots/list", "")?;
        call.ask("b", "elicitation/create", FORM)?;
        Ok(call.reply_asked()?)
    });
    let asked = case.call("t");
    assert_eq!(asked.len(), 2);
    assert_eq!(case.session.open_calls(), 1);
    let first = asked[0]["id"].clone();
    assert_eq!(
        case.say(json!({"jsonrpc": "2.0", "id": first, "result": {"roots": []}})),
        [Value::Null; 0]
    );
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": case.next_id}});
    let heard = case.say(cancel);
    assert_eq!(heard.len(), 1, "{heard:?}");
    assert_eq!(heard[0]["method"], "notifications/cancelled");
    assert_eq!(heard[0]["params"]["requestId"], asked[1]["id"]);
    assert_eq!(case.session.open_calls(), 0);
    // The answer comes too late and starts nothing.
    let late = json!({"jsonrpc": "2.0", "id": asked[1]["id"], "result": good(&asked[1])});
    assert_eq!(case.say(late), [Value::Null; 0]);
    case.session.end().unwrap();
    assert!(case.session.is_finished());
}

#[test]
fn the_deadline_stops_while_the_client_is_asked_and_the_question_has_its_own() {
    let mut case = Case::new("2025-11-25", everything());
    case.server.configure(|options| options.deadline_ms = Some(100)).unwrap();
    let held: Arc<Mutex<Vec<Call>>> = Arc::default();
    let keep = Arc::clone(&held);
    case.tool("t", move |call| {
        match call.ask("a", "roots/list", "")? {
            Some(_) => keep.lock().unwrap().push(call.clone()),
            None => call.reply_asked()?,
        }
        Ok(())
    });
    let asked = case.call("t");
    case.clock.set_ms(5_000);
    case.server.tick();
    assert_eq!(case.heard(), [Value::Null; 0], "the client may take its time");
    assert_eq!(case.answer("t", &asked, good), [Value::Null; 0]);
    case.clock.set_ms(5_099);
    case.server.tick();
    assert_eq!(case.heard(), [Value::Null; 0]);
    case.clock.set_ms(5_100);
    case.server.tick();
    assert!(text_of(&case.heard()).contains("deadline"));
    held.lock().unwrap().clear();

    let asked = case.call("t");
    case.clock.set_ms(605_100);
    case.server.tick();
    let heard = case.heard();
    assert_eq!(heard[0]["method"], "notifications/cancelled");
    assert_eq!(heard[0]["params"]["requestId"], asked[0]["id"]);
    assert!(text_of(&heard).contains("did not answer in time"), "{heard:?}");
}

#[test]
fn an_error_or_the_end_of_the_client_ends_the_call() {
    let mut case = Case::new("2025-11-25", everything());
    case.tool("t", |call| {
        call.ask("a", "roots/list", "")?;
        call.ask("b", "roots/list", "{}")?;
        Ok(call.reply_asked()?)
    });
    let asked = case.call("t");
    let error = json!({"jsonrpc": "2.0", "id": asked[0]["id"],
        "error": {"code": -1, "message": "User rejected"}});
    let heard = case.say(error);
    assert_eq!(heard.len(), 2, "{heard:?}");
    assert_eq!(heard[0]["params"]["requestId"], asked[1]["id"]);
    assert!(text_of(&heard).contains("User rejected"));
    case.call("t");
    case.session.end().unwrap();
    let heard = case.heard();
    assert!(text_of(&heard).contains("ended the connection"), "{heard:?}");
    assert!(case.session.is_finished());
}

#[test]
fn a_client_that_has_ended_its_input_is_not_waited_for() {
    let mut case = Case::new("2025-11-25", everything());
    let held: Arc<Mutex<Vec<Call>>> = Arc::default();
    let keep = Arc::clone(&held);
    case.tool("t", move |call| {
        keep.lock().unwrap().push(call.clone());
        Ok(())
    });
    assert_eq!(case.call("t"), [Value::Null; 0]);
    case.session.end().unwrap();
    let call = held.lock().unwrap().pop().unwrap();
    assert_eq!(call.ask("a", "roots/list", ""), Ok(None));
    call.reply_asked().unwrap();
    drop(call);
    let heard = case.heard();
    assert_eq!(heard.len(), 1, "nothing is asked: {heard:?}");
    assert!(text_of(&heard).contains("ended the connection"), "{heard:?}");
    assert!(case.session.is_finished());
}

#[test]
fn questions_that_nobody_takes_close_the_session_not_only_its_lane() {
    let server = server();
    server.configure(|options| options.limits.output_bytes = 1024).unwrap();
    let held = Arc::new(Mutex::new(Vec::new()));
    let own = Arc::clone(&held);
    let keep = move |call: &Call| {
        own.lock().unwrap().push(call.clone());
        Ok(())
    };
    server.register(Item::tool("keep").on_call(keep)).unwrap();
    let session = legacy(&server, "2025-11-25");
    for id in 0..30 {
        say(&session, &call(id, "keep"));
    }
    let calls = std::mem::take(&mut *held.lock().unwrap());
    for call in &calls {
        if ask_form(call).is_err() {
            break;
        }
    }
    drop(calls);
    let lost = heard(&session).len() < 30;
    assert_eq!(lost, session.is_closed(), "output is lost, so the session is closed");
}

#[test]
fn an_answer_that_breaks_a_limit_ends_the_call() {
    let mut case = Case::new("2025-11-25", everything());
    case.server.configure(|options| options.limits.message_bytes = 4096).unwrap();
    case.tool("t", |call| {
        call.ask("where", "roots/list", "")?;
        Ok(call.reply_asked()?)
    });
    for result in ["[".repeat(70) + &"]".repeat(70), format!("\"{}\"", "x".repeat(5000))] {
        let asked = case.call("t");
        let answer = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, asked[0]["id"]);
        case.session.handle_message(answer.as_bytes()).unwrap();
        let heard = case.heard();
        assert_eq!(heard[0]["result"]["isError"], true, "{heard:?}");
        assert_eq!(case.session.open_calls(), 0);
    }
}
