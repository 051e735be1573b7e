//! What becomes of one call: answered once, cancelled, timed out, or let go.

mod support;

use std::sync::{Arc, Mutex};

use mcplite_core::{Call, Dispatch, Error, Event, Item, LogLevel, Observer, Server, Session};
use support::host::{Counter, Host, request, text_answer};
use support::{MODERN, drain, exchange, initialize};

#[test]
fn the_second_answer_is_refused_and_the_first_stands() {
    let host = Host::new();
    let call = host.hold(1);
    assert_eq!(call.clone().reply_text("first"), Ok(()));
    assert_eq!(call.reply_text("second"), Err(Error::Answered));
    assert_eq!(call.fail("third".into()), Err(Error::Answered));
    assert_eq!(host.sent(), [text_answer(1, "first")]);
    assert_eq!(host.session().open_calls(), 0);
}

#[test]
fn an_answer_that_nobody_waits_for_is_refused_and_sends_nothing_but_reading_goes_on() {
    type End = fn(&mut Host);
    let ends: [(&str, End); 6] = [
        ("cancel", |host| host.cancel(1)),
        ("timeout", |host| {
            host.pass_ms(50);
            assert!(host.sent().first().unwrap().contains("deadline"));
        }),
        ("close", |host| host.session().close()),
        ("drop", |host| host.session = None),
        ("server close", |host| host.server.close()),
        ("server and session drop", |host| {
            let gone = std::mem::replace(host, Host::new());
            drop(gone);
        }),
    ];
    for (name, end) in ends {
        let mut host = Host::new();
        let call = host.hold(1);
        call.set_deadline_ms(50).unwrap();
        assert!(!call.is_cancelled());
        end(&mut host);
        assert!(call.is_cancelled(), "{name}");
        let refused = [
            call.reply_text("late"),
            call.reply(),
            call.reply_json("{}"),
            call.reply_result("{\"content\":[]}"),
            call.fail("late".into()),
            call.progress(1.0, None, None),
            call.log(LogLevel::Error, None, "late"),
            call.add_text("late"),
            call.set_deadline_ms(1),
        ];
        assert!(
            refused.iter().all(|result| *result == Err(Error::Cancelled)),
            "{name} {refused:?}"
        );
        assert_eq!((call.method(), call.id(), call.name()), ("tools/call", Some("1"), "hold"));
        assert_eq!(call.arg_str("key").unwrap(), "v");
        assert_eq!(call.principal(), Some("ada"));
        assert_eq!(host.session.as_ref().map_or(vec![], drain), [""; 0], "{name}");
        drop(call);
        assert_eq!(host.session.as_ref().map_or(vec![], drain), [""; 0], "{name}");
    }
}

#[test]
fn a_call_let_go_without_an_answer_is_an_internal_error_and_a_diagnostic() {
    struct Diagnostics(Counter);
    impl Observer for Diagnostics {
        fn event(&self, event: &Event<'_>) {
            if let Event::Diagnostic { text } = event {
                assert!(text.contains("without an answer"));
                self.0.up()();
            }
        }
    }
    let (host, seen) = (Host::new(), Counter::default());
    host.server.set_observer(Diagnostics(seen.clone()));
    host.tool("silent", |_: &Call| Ok(()));
    let wrong = r#""error":{"code":-32603,"message":"Internal error: the handler gave no answer"}"#;
    assert_eq!(host.ask(1, "silent"), [format!(r#"{{"jsonrpc":"2.0","id":1,{wrong}}}"#)]);
    let call = host.hold(2);
    let other = call.clone();
    drop(call);
    assert_eq!(host.sent(), [""; 0]);
    drop(other);
    assert_eq!(host.sent(), [format!(r#"{{"jsonrpc":"2.0","id":2,{wrong}}}"#)]);
    assert_eq!(seen.count(), 2);
}

#[test]
fn a_handler_that_fails_after_its_answer_has_answered() {
    let host = Host::new();
    host.tool("both", |call: &Call| {
        call.reply_text("done")?;
        Err("and broke".into())
    });
    host.tool("panics-late", |call: &Call| {
        call.reply_text("done")?;
        panic!("after the answer")
    });
    assert_eq!(host.ask(1, "both"), [text_answer(1, "done")]);
    assert_eq!(host.ask(2, "panics-late"), [text_answer(2, "done")]);
}

#[test]
fn a_panic_is_a_failed_tool_and_the_engine_goes_on() {
    let host = Host::new();
    host.tool("panics", |_: &Call| panic!("on purpose"));
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"the handler panicked"}],"isError":true}}"#;
    assert_eq!(host.ask(1, "panics"), [answer]);
    let used = host.server.memory_used();
    assert_eq!(host.ask(2, "panics").len(), 1);
    assert_eq!(host.server.memory_used(), used);
    host.hold(3).reply_text("still here").unwrap();
    assert_eq!(host.sent(), [text_answer(3, "still here")]);
}

#[test]
fn progress_grows_is_finite_and_ends_with_the_answer() {
    let host = Host::new();
    let call = host.hold(1);
    let shrink = Err(Error::Invalid("progress must increase"));
    assert_eq!(call.progress(1.0, Some(3.0), Some("one")), Ok(()));
    assert_eq!(call.progress(1.0, None, None), shrink);
    assert_eq!(call.progress(0.5, None, None), shrink);
    for wrong in [f64::NAN, f64::INFINITY] {
        assert!(matches!(call.progress(wrong, None, None), Err(Error::Invalid(_))));
        assert!(matches!(call.progress(2.0, Some(wrong), None), Err(Error::Invalid(_))));
    }
    assert_eq!(call.progress(1.5, None, None), Ok(()));
    call.reply_text("done").unwrap();
    assert_eq!(call.progress(2.0, None, None), Err(Error::Answered));
    let start =
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"#;
    let sent = [
        format!(r#"{start}"progress":1,"total":3,"message":"one"}}}}"#),
        format!(r#"{start}"progress":1.5}}}}"#),
        text_answer(1, "done"),
    ];
    assert_eq!(host.sent(), sent);
}

#[test]
fn a_log_message_is_sent_from_the_wanted_level_on_and_not_after_the_answer() {
    let host = Host::new();
    let level =
        r#"{"jsonrpc":"2.0","id":9,"method":"logging/setLevel","params":{"level":"error"}}"#;
    assert_eq!(exchange(host.session(), level).len(), 1);
    let call = host.hold(1);
    assert_eq!(call.log(LogLevel::Warning, None, "unwanted"), Ok(()));
    assert_eq!(call.log(LogLevel::Error, Some("me"), "wanted"), Ok(()));
    assert!(matches!(call.log_json(LogLevel::Error, None, "{"), Err(Error::Json { .. })));
    call.reply_text("done").unwrap();
    assert_eq!(call.log(LogLevel::Error, None, "late"), Err(Error::Answered));
    let log = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","logger":"me","data":"wanted"}}"#;
    assert_eq!(host.sent(), [log.to_owned(), text_answer(1, "done")]);
}

#[test]
fn progress_that_nobody_asked_for_is_not_sent() {
    let host = Host::new();
    let plain = request(1, "hold").replace(r#""progressToken":7"#, "");
    assert_eq!(exchange(host.session(), &plain), [""; 0]);
    let call = host.take_held();
    assert_eq!(call.progress(1.0, None, None), Ok(()));
    assert_eq!(host.sent(), [""; 0]);
}

#[test]
fn context_and_principal_are_those_of_the_time_the_message_came_in() {
    let host = Host::new();
    host.server.configure(|options| options.dispatch = Dispatch::Queued).unwrap();
    for (id, who) in [(1, "ada"), (2, "bob")] {
        host.session().set_principal(Some(who));
        host.session().set_context(Some(Arc::new(who)));
        host.session().handle_message(request(id, "hold").as_bytes()).unwrap();
    }
    host.session().set_principal(None);
    host.session().set_context(None);
    assert_eq!(host.server.run(0), Ok(2));
    for who in ["bob", "ada"] {
        let call = host.take_held();
        assert_eq!(call.principal(), Some(who));
        assert_eq!(call.context().unwrap().downcast_ref::<&str>(), Some(&who));
    }
    assert_eq!(host.ask(3, "hold").len(), 2);
    assert_eq!(host.server.run(0), Ok(1));
    let anonymous = host.take_held();
    assert!(anonymous.principal().is_none() && anonymous.context().is_none());
}

#[test]
fn a_notification_has_no_id_and_its_answer_goes_nowhere() {
    let (host, ran) = (Host::new(), Counter::default());
    let count = ran.clone();
    let own = Item::method("notifications/acme").on_call(move |call: &Call| {
        count.up()();
        assert_eq!((call.id(), call.arg_i64("n")), (None, Some(1)));
        call.reply()?;
        assert_eq!(call.reply(), Err(Error::Answered));
        Ok(())
    });
    host.server.register(own).unwrap();
    let silent = Item::method("notifications/silent").on_call(|_: &Call| Err("unheard".into()));
    host.server.register(silent).unwrap();
    for method in ["acme", "silent", "unknown"] {
        let text =
            format!(r#"{{"jsonrpc":"2.0","method":"notifications/{method}","params":{{"n":1}}}}"#);
        assert_eq!(exchange(host.session(), &text), [""; 0]);
    }
    assert_eq!((ran.count(), host.session().open_calls()), (1, 0));
}

#[test]
fn a_call_without_a_handler_waits_to_be_taken() {
    let (host, rung) = (Host::new(), Counter::default());
    host.server.register(Item::tool("pull")).unwrap();
    host.server.set_wake(Some(Arc::new(rung.up())));
    assert!(host.server.next_call().is_none());
    assert_eq!(host.ask(1, "pull"), [""; 0]);
    assert_eq!(rung.count(), 1);
    let call = host.server.next_call().unwrap();
    assert!(host.server.next_call().is_none());
    call.reply_text("by hand").unwrap();
    assert_eq!(host.sent(), [text_answer(1, "by hand")]);
}

#[test]
fn a_notification_belongs_to_the_era_of_its_client() {
    let server = Server::new("eras", "1.0").unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let own = Arc::clone(&seen);
    let item = Item::method("notifications/x").on_call(move |call: &Call| {
        own.lock().unwrap().push(call.revision().name());
        call.progress(1.0, None, None)?;
        Ok(call.log(LogLevel::Error, None, "unasked")?)
    });
    server.register(item).unwrap();
    let notification = |params: &str| {
        format!(r#"{{"jsonrpc":"2.0","method":"notifications/x","params":{{{params}}}}}"#)
    };
    let modern = Session::new(&server).unwrap();
    let discover = r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"#;
    assert_eq!(exchange(&modern, &format!("{discover}{MODERN}}}}}")).len(), 1);
    assert_eq!(exchange(&modern, &notification("")), [""; 0]);
    let legacy = Session::new(&server).unwrap();
    initialize(&legacy, "2025-06-18");
    assert_eq!(exchange(&legacy, &notification(r#""_meta":{"progressToken":1}"#)).len(), 1);
    assert_eq!(exchange(&legacy, &notification(MODERN)), [""; 0]);
    assert_eq!(*seen.lock().unwrap(), ["2026-07-28", "2025-06-18", "2026-07-28"]);
}
