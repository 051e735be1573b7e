//! Asking the client, from the handler's and from the client's side, in both eras.

mod support;

use std::sync::{Arc, Mutex};

use mcplite_core::{Call, Error, Event, Item, Outcome, Revision, Revisions};
use serde_json::{Value, json};
use support::drain;
use support::interview::*;

#[test]
fn one_handler_serves_both_eras() {
    for era in ERAS {
        let mut case = Case::new(era, everything());
        let runs = Arc::new(Mutex::new(0));
        let count = Arc::clone(&runs);
        case.tool("greet", move |call| {
            *count.lock().unwrap() += 1;
            let Some(answer) = call.ask("who", "elicitation/create", FORM)? else {
                return Ok(call.reply_asked()?);
            };
            let name = mcplite_core::json::find(answer, "/content/name").unwrap();
            Ok(call.reply_text(name)?)
        });
        let asked = case.call("greet");
        let questions = case.questions(&asked);
        assert_eq!(questions.len(), 1, "{era}");
        assert_eq!(questions[0].1["params"]["message"], "Who?");
        let done = case.answer("greet", &asked, good);
        assert_eq!(text_of(&done), "\"Ada\"", "{era}");
        assert_eq!(*runs.lock().unwrap(), 2);
        assert_eq!(case.session.open_calls(), 0);
    }
}

#[test]
fn several_questions_are_asked_at_once_and_letting_go_asks() {
    for era in ERAS {
        let mut case = Case::new(era, everything());
        case.tool("all", |call| {
            let form = call.ask("who", "elicitation/create", FORM)?;
            let sample = call.ask("what", "sampling/createMessage", SAMPLE)?;
            let roots = call.ask("where", "roots/list", "")?;
            match (form, sample, roots) {
                (Some(_), Some(_), Some(roots)) => Ok(call.reply_text(roots)?),
                _ => Ok(()),
            }
        });
        let asked = case.call("all");
        let methods: Vec<_> =
            case.questions(&asked).iter().map(|(_, it)| it["method"].clone()).collect();
        assert_eq!(methods, ["elicitation/create", "sampling/createMessage", "roots/list"]);
        let done = case.answer("all", &asked, good);
        assert_eq!(text_of(&done), r#"{"roots":[{"uri":"file:///home"}]}"#, "{era}");
    }
}

#[test]
fn invalid_and_missing_answers_are_asked_for_again() {
    for era in ERAS {
        let mut case = Case::new(era, everything());
        case.tool("two", |call| {
            let one = call.ask("one", "elicitation/create", FORM)?;
            let two = call.ask("two", "roots/list", "")?;
            match (one, two) {
                (Some(_), Some(_)) => Ok(call.reply_text("done")?),
                _ => Ok(call.reply_asked()?),
            }
        });
        let asked = case.call("two");
        assert_eq!(case.questions(&asked).len(), 2);
        // A string is no answer; the other one is kept and not asked for again.
        let again = case.answer("two", &asked, |request| match request["method"].as_str() {
            Some("elicitation/create") => json!("x"),
            _ => good(request),
        });
        let questions = case.questions(&again);
        assert_eq!(questions.len(), 1, "{era} {again:?}");
        assert_eq!(questions[0].1["method"], "elicitation/create");
        let done = case.answer("two", &again, good);
        assert_eq!(text_of(&done), "done", "{era}");
    }
}

#[test]
fn state_survives_and_rounds_end() {
    for era in ERAS {
        let mut case = Case::new(era, everything());
        case.server.configure(|options| options.limits.ask_rounds = 3).unwrap();
        case.tool("count", |call| {
            let count: u32 = call.state().map_or(0, |state| state.parse().unwrap());
            call.set_state(&(count + 1).to_string())?;
            let key = format!("round {count}");
            if call.ask(&key, "roots/list", "")?.is_none() {
                return Ok(call.reply_asked()?);
            }
            Ok(call.reply_text("never")?)
        });
        let mut heard = case.call("count");
        for _ in 0..3 {
            assert_eq!(case.questions(&heard).len(), 1, "{era} {heard:?}");
            heard = case.answer("count", &heard, good);
        }
        assert_eq!(heard[0]["result"]["isError"], true, "{heard:?}");
        assert!(text_of(&heard).contains("3 times"), "{heard:?}");
    }
}

#[test]
fn progress_grows_from_attempt_to_attempt_without_the_handlers_care() {
    for era in ERAS {
        let case = Case::new(era, everything());
        case.tool("t", |call| {
            call.progress(1.0, None, None)?;
            assert!(matches!(call.progress(1.0, None, None), Err(Error::Invalid(_))));
            if call.ask("where", "roots/list", "")?.is_none() {
                return Ok(call.reply_asked()?);
            }
            call.progress(2.0, None, None)?;
            Ok(call.reply_text("done")?)
        });
        let mut meta = json!({"progressToken": "p"});
        if case.modern {
            meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
            meta["io.modelcontextprotocol/clientCapabilities"] = everything();
        }
        let request = |id: u32, more: Value| {
            let mut params = json!({"name": "t", "arguments": {}, "_meta": meta});
            params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
        };
        let first = case.say(request(90, json!({})));
        assert_eq!(first[0]["params"]["progress"], 1.0, "{era} {first:?}");
        let last = match case.modern {
            true => {
                let state = &first[1]["result"]["requestState"];
                let answers = json!({"where": {"roots": []}});
                case.say(request(91, json!({"inputResponses": answers, "requestState": state})))
            }
            false => {
                case.say(json!({"jsonrpc": "2.0", "id": first[1]["id"], "result": {"roots": []}}))
            }
        };
        let told: Vec<_> = last.iter().filter_map(|it| it["params"]["progress"].as_f64()).collect();
        // A modern attempt is a request of its own, whose client has been told nothing.
        assert_eq!(told, if case.modern { vec![1.0, 2.0] } else { vec![2.0] }, "{era}");
        assert_eq!(text_of(&last), "done", "{era}");
    }
}

#[test]
fn what_the_client_cannot_answer_is_not_asked() {
    for era in ERAS {
        let mut case = Case::new(era, json!({"sampling": {}}));
        case.tool("form", |call| {
            assert!(call.can_ask("sampling/createMessage", ""));
            assert!(!call.can_ask("elicitation/create", ""));
            assert!(!call.can_ask("sampling/createMessage", r#"{"tools":[]}"#));
            call.ask("what", "sampling/createMessage", SAMPLE)?;
            call.ask("who", "elicitation/create", FORM)?;
            Ok(call.reply_asked()?)
        });
        case.tool("without", |call| {
            let name = call.ask("who", "elicitation/create", FORM)?;
            assert_eq!(name, None);
            Ok(call.reply_text("anonymous")?)
        });
        let refused = case.call("form");
        assert_eq!(refused.len(), 1);
        if case.modern {
            assert_eq!(refused[0]["error"]["code"], -32021);
            let data = &refused[0]["error"]["data"];
            assert_eq!(data, &json!({"requiredCapabilities": {"elicitation": {"form": {}}}}));
        } else {
            assert_eq!(refused[0]["result"]["isError"], true);
            assert!(text_of(&refused).contains("elicitation"), "{refused:?}");
        }
        assert_eq!(text_of(&case.call("without")), "anonymous");
    }
}

#[test]
fn old_revisions_have_no_elicitation() {
    for revision in ["2024-11-05", "2025-03-26"] {
        let mut case = Case::new(revision, everything());
        case.tool("form", |call| {
            call.ask("who", "elicitation/create", FORM)?;
            Ok(call.reply_asked()?)
        });
        case.tool("sample", |call| match call.ask("what", "sampling/createMessage", SAMPLE)? {
            Some(_) => Ok(call.reply_text("sampled")?),
            None => Ok(call.reply_asked()?),
        });
        assert_eq!(case.call("form")[0]["result"]["isError"], true);
        let asked = case.call("sample");
        assert_eq!(text_of(&case.answer("sample", &asked, good)), "sampled");
    }
}

#[test]
fn prompts_and_resources_ask_too() {
    for era in ERAS {
        let mut case = Case::new(era, everything());
        let ask = |call: &Call| match call.ask("where", "roots/list", "")? {
            Some(roots) => Ok(call.reply_text(roots)?),
            None => Ok(call.reply_asked()?),
        };
        case.server.register(Item::prompt("p").on_call(ask)).unwrap();
        case.server.register(Item::template("r://{x}", "r").on_call(ask)).unwrap();
        drain(&case.session);
        for (method, params) in
            [("prompts/get", json!({"name": "p"})), ("resources/read", json!({"uri": "r://1"}))]
        {
            let asked = case.send(method, params.clone());
            let questions = case.questions(&asked);
            let done = if case.modern {
                let mut params = params;
                params["inputResponses"] = json!({"where": good(&questions[0].1)});
                params["requestState"] = asked[0]["result"]["requestState"].clone();
                case.send(method, params)
            } else {
                let result = good(&questions[0].1);
                case.say(json!({"jsonrpc": "2.0", "id": questions[0].0, "result": result}))
            };
            assert!(done[0]["result"].to_string().contains("file:///home"), "{done:?}");
        }
    }
}

#[test]
fn a_question_that_changed_is_asked_again() {
    for era in ERAS {
        let mut case = Case::new(era, everything());
        let message = Arc::new(Mutex::new("One?"));
        let now = Arc::clone(&message);
        case.tool("t", move |call| {
            let form = FORM.replace("Who?", *now.lock().unwrap());
            match call.ask("who", "elicitation/create", &form)? {
                Some(_) => Ok(call.reply_text("done")?),
                None => Ok(call.reply_asked()?),
            }
        });
        let asked = case.call("t");
        *message.lock().unwrap() = "Two?";
        let again = case.answer("t", &asked, good);
        assert_eq!(case.questions(&again)[0].1["params"]["message"], "Two?");
        assert_eq!(text_of(&case.answer("t", &again, good)), "done", "{era}");
    }
}

#[test]
fn mistakes_of_the_host_are_told_to_the_host() {
    let mut case = Case::new("2026-07-28", everything());
    case.tool("t", |call| {
        let ask =
            |key: &str, method: &str, params: &str| call.ask(key, method, params).unwrap_err();
        assert!(matches!(ask("", "roots/list", ""), Error::Name(_)));
        assert!(matches!(ask("k", "tools/list", ""), Error::Invalid(_)));
        assert!(matches!(ask("k", "roots/list", "[]"), Error::Json { .. }));
        assert!(matches!(ask("k", "elicitation/create", "{}"), Error::Definition(_)));
        assert!(matches!(
            ask("k", "elicitation/create", r#"{"message":"x"}"#),
            Error::Definition(_)
        ));
        assert!(matches!(ask("k", "sampling/createMessage", "{}"), Error::Definition(_)));
        assert!(matches!(call.reply_asked(), Err(Error::State(_))));
        call.ask("k", "roots/list", "")?;
        call.ask("k", "roots/list", "")?;
        assert_eq!(ask("k", "elicitation/create", FORM), Error::Exists);
        call.reply_asked()?;
        assert_eq!(call.reply_text("late"), Err(Error::Answered));
        assert_eq!(call.reply_asked(), Err(Error::Answered));
        Ok(())
    });
    let asked = case.call("t");
    assert_eq!(case.questions(&asked).len(), 1);
}

#[test]
fn the_observer_sees_every_attempt() {
    struct Notes(Arc<Mutex<Vec<String>>>);
    impl mcplite_core::Observer for Notes {
        fn event(&self, event: &Event<'_>) {
            let note = match event {
                Event::ToolInvoked { outcome: Outcome::Asked, .. } => "tool asked",
                Event::ToolInvoked { .. } => "tool",
                Event::RequestCompleted { outcome: Outcome::Asked, .. } => "request asked",
                Event::RequestCompleted { .. } => "request",
                _ => return,
            };
            self.0.lock().unwrap().push(note.to_owned());
        }
    }
    for era in ERAS {
        let mut case = Case::new(era, everything());
        let notes = Arc::new(Mutex::new(Vec::new()));
        case.server.set_observer(Notes(Arc::clone(&notes)));
        case.tool("t", |call| match call.ask("where", "roots/list", "")? {
            Some(_) => Ok(call.reply_text("done")?),
            None => Ok(call.reply_asked()?),
        });
        let asked = case.call("t");
        case.answer("t", &asked, good);
        let expected: &[_] = match case.modern {
            true => &["tool asked", "request asked", "tool", "request"],
            false => &["tool asked", "tool", "request"],
        };
        assert_eq!(*notes.lock().unwrap(), expected, "{era}");
    }
}

#[test]
fn a_host_that_answers_tool_calls_itself_can_ask() {
    for era in ERAS {
        let mut case = Case::new(era, everything());
        let answer = |call: &Call| match call.ask("where", "roots/list", "")? {
            Some(roots) => Ok(call.reply_text(roots)?),
            None => Ok(call.reply_asked()?),
        };
        case.server.register(Item::method("tools/call").on_call(answer)).unwrap();
        let asked = case.call("any");
        assert_eq!(
            text_of(&case.answer("any", &asked, good)),
            r#"{"roots":[{"uri":"file:///home"}]}"#
        );
    }
}

#[test]
fn an_answer_that_says_a_member_twice_is_no_answer() {
    for answer in [
        r#"{"action":"accept","content":{"name":"Ada"},"content":{"name":42}}"#,
        r#"{"action":"decline","action":"accept","content":{"name":42}}"#,
    ] {
        let server = server();
        server.register(Item::tool("ask").on_call(ask_form)).unwrap();
        let session = legacy(&server, "2025-11-25");
        let asked = say(&session, &call(1, "ask"));
        let response = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{answer}}}"#, asked[0]["id"]);
        session.handle_message(response.as_bytes()).unwrap();
        let heard = heard(&session);
        assert_eq!(heard[0]["method"], "elicitation/create", "{heard:?}");
    }
}

#[test]
fn an_answer_counts_only_from_whoever_was_asked() {
    let server = server();
    server.register(Item::tool("ask").on_call(ask_form)).unwrap();
    let session = legacy(&server, "2025-11-25");
    session.set_principal(Some("ada"));
    let asked = say(&session, &call(1, "ask"));
    session.set_principal(Some("bob"));
    let answer = json!({"jsonrpc":"2.0","id":asked[0]["id"],"result":{"action":"accept","content":{"name":"bob"}}});
    assert_eq!(say(&session, &answer), [Value::Null; 0]);
    session.set_principal(Some("ada"));
    assert_eq!(say(&session, &answer).len(), 1);
}

#[test]
fn answers_that_come_before_their_question_count_if_they_fit() {
    let mut case = Case::new("2026-07-28", everything());
    case.tool("two", |call| {
        let who = call.ask("who", "elicitation/create", FORM)?;
        let roots = call.ask("where", "roots/list", "")?;
        match (who, roots) {
            (Some(who), Some(_)) => Ok(call.reply_text(who)?),
            _ => Ok(()),
        }
    });
    let form = json!({"method": "elicitation/create"});
    let foreseen = json!({"who": good(&form), "nobody_asked": {}});
    let params = json!({"name": "two", "arguments": {}, "inputResponses": foreseen});
    let asked = case.send("tools/call", params);
    assert_eq!(case.questions(&asked).len(), 1, "only what is missing");
    let done = case.answer("two", &asked, good);
    assert_eq!(text_of(&done), good(&form).to_string(), "it was carried along");
    let unfit = json!({"name": "two", "inputResponses": {"who": 12345}});
    let asked = case.send("tools/call", unfit);
    assert_eq!(case.questions(&asked).len(), 2);
    let long = json!({"name": "two", "inputResponses": {"who": "x".repeat(70_000)}});
    assert_eq!(case.send("tools/call", long)[0]["error"]["code"], -32600);
}

#[test]
fn a_legacy_request_has_the_capabilities_of_its_handshake() {
    let mut case = Case::new("2025-11-25", json!({}));
    case.tool("t", |call| {
        assert_eq!(call.client_capabilities(), "{}");
        Ok(call.reply_text(&call.can_ask("roots/list", "").to_string())?)
    });
    case.server.configure(|options| options.revisions = legacy_only()).unwrap();
    let heard = case.send(
        "tools/call",
        json!({"name": "t", "_meta": {"io.modelcontextprotocol/clientCapabilities": {"roots": {}}}}),
    );
    assert_eq!(text_of(&heard), "false");
}

fn legacy_only() -> Revisions {
    Revisions::of(&[Revision::V2025_11_25])
}

#[test]
fn what_an_attempt_keeps_passes_to_the_next_one_in_this_process() {
    for era in ERAS {
        let mut case = Case::new(era, everything());
        let kept = Arc::new(Mutex::new(Vec::<u8>::new()));
        let own = Arc::clone(&kept);
        case.tool("greet", move |call| {
            let found = call.kept().and_then(|it| it.downcast_ref::<Mutex<Vec<u8>>>());
            if let Some(found) = found {
                found.lock().unwrap().push(1);
            }
            match call.ask("who", "elicitation/create", FORM)? {
                Some(_) => Ok(call.reply_text("done")?),
                None => {
                    call.keep(Arc::clone(&own) as _)?;
                    Ok(call.reply_asked()?)
                }
            }
        });
        let asked = case.call("greet");
        // The tool has one, this test another; the third waits with the call.
        let is_modern = era == "2026-07-28";
        let waits = if is_modern { 2 } else { 3 };
        assert_eq!(Arc::strong_count(&kept), waits, "{era}");
        assert_eq!(text_of(&case.answer("greet", &asked, good)), "done");
        assert_eq!(kept.lock().unwrap().len(), usize::from(!is_modern), "{era}");
        assert_eq!(Arc::strong_count(&kept), 2, "{era}");
    }
}

#[test]
fn what_is_kept_is_dropped_when_the_next_attempt_never_comes() {
    let mut case = Case::new("2025-11-25", everything());
    let kept = Arc::new(());
    let own = Arc::clone(&kept);
    case.tool("greet", move |call| {
        assert_eq!(call.ask("who", "elicitation/create", FORM)?, None);
        call.keep(Arc::clone(&own) as _)?;
        Ok(call.reply_asked()?)
    });
    drop(case.call("greet"));
    assert_eq!(Arc::strong_count(&kept), 3);
    case.session.close();
    assert_eq!(Arc::strong_count(&kept), 2);
}
