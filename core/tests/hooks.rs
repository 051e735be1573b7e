//! What the host plugs in: the observer, the clock's durations, the last look at errors.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use mcplite_core::{
    Call, Error, ErrorContext, ErrorHook, ErrorKind, ErrorTable, Event, Failure, Form, Item,
    Observer, Outgoing, Preset, Rule, Session,
};
use support::host::{Host, request};
use support::{MODERN, exchange};

/// Writes everything down, in a few words each.
#[derive(Clone, Default)]
struct Diary(Arc<Mutex<Vec<String>>>);

impl Observer for Diary {
    fn event(&self, event: &Event<'_>) {
        let entry = match event {
            Event::RequestReceived { method, id, time_ms } => {
                format!("{id} {method} at {time_ms}")
            }
            Event::RequestCompleted { method, id, duration_us, outcome } => {
                format!("{id} {method} took {duration_us}: {outcome:?}")
            }
            Event::ToolInvoked { name, duration_us, outcome, traceparent } => {
                format!("tool {name} took {duration_us}: {outcome:?} {traceparent:?}")
            }
            Event::Diagnostic { .. } => "diagnostic".to_owned(),
            other => format!("{other:?}"),
        };
        self.0.lock().unwrap().push(entry);
    }
}

impl Diary {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

fn observed() -> (Host, Diary) {
    let (host, diary) = (Host::new(), Diary::default());
    host.server.set_observer(diary.clone());
    (host, diary)
}

const INITIALIZE: &str =
    r#"{"protocolVersion":"x","capabilities":{},"clientInfo":{"name":"test","version":"1"}}"#;

#[test]
fn every_request_is_told_of_when_it_comes_and_when_it_ends_also_if_it_is_refused() {
    let (host, diary) = observed();
    host.clock.set_ms(3);
    let _open = host.hold(7);
    assert_eq!(diary.take(), ["7 tools/call at 3"]);
    for (id, method, params, outcome) in [
        ("1", "ping", "{}", "Ok"),
        ("\"a\"", "tools/list", "{}", "Ok"),
        ("2", "no/such", "{}", "Error(-32601)"),
        ("3", "tools/call", r#"{"name":"no-such"}"#, "Error(-32602)"),
        ("4", "tools/call", "[]", "Error(-32602)"),
        ("5", "initialize", INITIALIZE, "Error(-32600)"),
        ("7", "ping", "{}", "Error(-32600)"),
        (
            "8",
            "tools/list",
            r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"x"}}"#,
            "Error(-32022)",
        ),
    ] {
        let text =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
        assert_eq!(exchange(host.session(), &text).len(), 1);
        let told = [format!("{id} {method} at 3"), format!("{id} {method} took 0: {outcome}")];
        assert_eq!(diary.take(), told);
    }
    let stranger = Session::new(&host.server).unwrap();
    assert_eq!(diary.take(), ["SessionOpened"]);
    exchange(&stranger, r#"{"jsonrpc":"2.0","id":9,"method":"tools/list"}"#);
    assert_eq!(diary.take(), ["9 tools/list at 3", "9 tools/list took 0: Error(-32602)"]);
    exchange(&stranger, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    exchange(&stranger, r#"{"jsonrpc":"2.0","id":9,"result":{}}"#);
    assert_eq!(diary.take(), [""; 0], "neither is a request");
    stranger.close();
    drop(stranger);
    assert_eq!(diary.take(), ["SessionClosed"], "told once");
}

#[test]
fn tools_are_told_of_with_their_outcome_their_time_and_their_trace() {
    let (host, diary) = observed();
    host.tool("own-code", |_: &Call| Err(Failure::code(-5, "own")));
    host.tool("silent", |_: &Call| Ok(()));
    host.clock.set_ms(10);
    let calls: Vec<_> = (1..=5).map(|id| host.hold(id)).collect();
    diary.take();
    host.clock.set_ms(12);
    let tool = |outcome| format!("tool hold took 2000: {outcome} None");
    let ended = |id, outcome| format!("{id} tools/call took 2000: {outcome}");
    let mut calls = calls.into_iter();
    let mut next = || calls.next().unwrap();
    next().reply().unwrap();
    assert_eq!(diary.take(), [tool("Ok"), ended(1, "Ok")]);
    next().fail("no".into()).unwrap();
    assert_eq!(diary.take(), [tool("ToolError"), ended(2, "ToolError")]);
    next().reply_result(r#"{"content":[],"isError":true}"#).unwrap();
    assert_eq!(diary.take(), [tool("ToolError"), ended(3, "ToolError")]);
    host.cancel(4);
    assert_eq!(diary.take(), [tool("Cancelled"), ended(4, "Cancelled")]);
    next();
    next().set_deadline_ms(0).unwrap();
    assert_eq!(
        diary.take(),
        ["diagnostic".to_owned(), tool("Error(-32603)"), ended(5, "Error(-32603)")]
    );
    host.sent();
    assert_eq!(host.ask(6, "own-code").len(), 1);
    assert!(diary.take().contains(&"tool own-code took 0: Error(-5) None".to_owned()));
    let trace = r#""_meta":{"traceparent":"00-ab\u002dcd-01""#;
    exchange(
        host.session(),
        &request(7, "own-code").replace(r#""_meta":{"progressToken":7"#, trace),
    );
    let told = r#"tool own-code took 0: Error(-5) Some("00-ab-cd-01")"#;
    assert!(diary.take().contains(&told.to_owned()));
}

#[test]
fn an_observer_may_look_at_the_server_and_take_output() {
    struct Nosy(mcplite_core::Server, Mutex<usize>);
    impl Observer for Nosy {
        fn event(&self, _: &Event<'_>) {
            *self.1.lock().unwrap() += self.0.memory_used().min(1);
            self.0.replace(Item::tool("by-observer")).unwrap();
            assert_eq!(self.0.timeout_ms(), None);
            drop(self.0.next_call());
        }
    }
    let host = Host::new();
    host.server.set_observer(Nosy(host.server.clone(), Mutex::new(0)));
    assert!(host.ask(1, "no-such").concat().contains("Unknown tool"));
    drop(host.hold(2));
    assert_eq!(host.sent().len(), 1);
    host.server.set_observer(Diary::default());
}

#[test]
fn an_observer_that_feeds_or_runs_is_told_that_the_engine_is_busy() {
    struct Feeds(std::sync::Weak<Session>, mcplite_core::Server, Arc<Mutex<Vec<Error>>>);
    impl Observer for Feeds {
        fn event(&self, _: &Event<'_>) {
            let session = self.0.upgrade().unwrap();
            let feed = session.handle_message(request(2, "no-such").as_bytes());
            let receive = session.receive(b"\n").map(drop);
            let run = self.1.run(1).map(drop);
            self.2.lock().unwrap().extend([feed, receive, run].into_iter().filter_map(Result::err));
        }
    }
    let mut host = Host::new();
    let (session, told) = (Arc::new(host.session.take().unwrap()), Arc::default());
    let own = Arc::downgrade(&session);
    host.server.set_observer(Feeds(own, host.server.clone(), Arc::clone(&told)));
    assert_eq!(exchange(&session, &request(1, "no-such")).len(), 1);
    assert_eq!(*told.lock().unwrap(), vec![Error::Busy; 6], "three times for each of two events");
    host.server.set_observer(Diary::default());
}

#[test]
fn a_request_whose_session_is_closed_while_it_is_told_of_does_not_start() {
    struct Closes(std::sync::Weak<Session>);
    impl Observer for Closes {
        fn event(&self, event: &Event<'_>) {
            if let Event::RequestReceived { .. } = event {
                self.0.upgrade().unwrap().close();
            }
        }
    }
    for tool in ["hold", "pull"] {
        let mut host = Host::new();
        let session = Arc::new(host.session.take().unwrap());
        host.server.register(Item::tool("pull")).unwrap();
        host.server.set_observer(Closes(Arc::downgrade(&session)));
        // The message was taken; there is nobody to tell what became of it.
        drop(session.handle_message(request(1, tool).as_bytes()));
        assert!(host.held.lock().unwrap().is_empty(), "the handler started");
        assert!(host.server.next_call().is_none(), "the call waits");
        assert_eq!((session.open_calls(), session.is_finished()), (0, true));
    }
}

#[test]
fn a_panic_in_a_hook_does_not_take_the_answer_away() {
    struct Panics(&'static str);
    impl Observer for Panics {
        fn event(&self, event: &Event<'_>) {
            assert!(!format!("{event:?}").starts_with(self.0), "on purpose");
        }
    }
    impl ErrorHook for Panics {
        fn rewrite(&self, _: &ErrorContext<'_>, _: &mut Outgoing) {
            assert_eq!(self.0, "", "on purpose");
        }
    }
    type Plug = fn(&Host);
    let plugs: [(&str, Plug); 5] = [
        ("received", |host| host.server.set_observer(Panics("RequestReceived"))),
        ("completed", |host| host.server.set_observer(Panics("RequestCompleted"))),
        ("tool", |host| host.server.set_observer(Panics("ToolInvoked"))),
        ("diagnostic", |host| host.server.set_observer(Panics("Diagnostic"))),
        ("error hook", |host| host.server.set_error_hook(Panics("errors"))),
    ];
    let mut wrong = Vec::new();
    for (name, plug) in plugs {
        let host = Host::new();
        host.tool("silent", |_: &Call| Ok(()));
        plug(&host);
        let used = host.server.memory_used();
        for (id, tool) in [(1, "silent"), (2, "no-such")] {
            let feed = || host.session().handle_message(request(id, tool).as_bytes());
            let crossed = catch_unwind(AssertUnwindSafe(feed)).is_err();
            let sent = host.sent().len();
            if crossed || sent != 1 {
                wrong.push(format!("{name}, {tool}: crossed {crossed}, {sent} answers"));
            }
        }
        if host.session().open_calls() > 0 || host.server.memory_used() > used {
            wrong.push(format!("{name}: a call is left behind"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Rewrites everything it can, and notes what it saw.
#[derive(Clone, Default)]
struct Rewriter(Arc<Mutex<Vec<String>>>);

impl ErrorHook for Rewriter {
    fn rewrite(&self, context: &ErrorContext<'_>, error: &mut Outgoing) {
        let ErrorContext { method, name, id, .. } = context;
        self.0
            .lock()
            .unwrap()
            .push(format!("{method} {name} {id:?} {:?} {}", error.kind, error.code));
        error.code = -32042;
        error.message = "rewritten\n".to_owned();
        error.data = Some("[ \"data\" ]".to_owned());
        error.form = Form::Error;
    }
}

#[test]
fn the_error_hook_rewrites_every_error() {
    let (host, hook) = (Host::new(), Rewriter::default());
    host.server.set_error_hook(hook.clone());
    host.tool("fail", |_: &Call| Err("broken".into()));
    host.tool("own-code", |_: &Call| Err(Failure::code(-5, "own")));
    let error = r#""error":{"code":-32042,"message":"rewritten\n","data":[ "data" ]}}"#;
    let unreadable = [format!(r#"{{"jsonrpc":"2.0",{error}"#)];
    assert_eq!(exchange(host.session(), "not json"), unreadable);
    assert_eq!(exchange(host.session(), "7"), unreadable);
    let wrong = |id| [format!(r#"{{"jsonrpc":"2.0","id":{id},{error}"#)];
    assert_eq!(host.ask(1, "fail"), wrong(1));
    assert_eq!(host.ask(2, "own-code"), wrong(2));
    assert_eq!(host.ask(3, "no-such"), wrong(3));
    let saw = [
        "  None Some(Parse) -32700",
        "  None Some(InvalidRequest) -32600",
        "tools/call fail Some(\"1\") Some(ToolFailed) -32603",
        "tools/call own-code Some(\"2\") None -5",
        "tools/call no-such Some(\"3\") Some(UnknownTool) -32602",
    ];
    assert_eq!(*hook.0.lock().unwrap(), saw);
    let modern = request(4, "no-such").replace(r#""_meta":{"progressToken":7}"#, MODERN);
    let allowed = exchange(host.session(), &modern).concat();
    assert!(allowed.contains(r#""code":-32603"#), "-32042 is not for 2026-07-28: {allowed}");
}

#[test]
fn the_error_hook_may_turn_an_error_into_a_tool_result() {
    struct AsResult;
    impl ErrorHook for AsResult {
        fn rewrite(&self, _: &ErrorContext<'_>, error: &mut Outgoing) {
            error.form = Form::ToolResult;
            error.data = Some("not json".to_owned());
        }
    }
    let (host, diary) = observed();
    host.server.set_error_hook(AsResult);
    let text = r#"{"content":[{"type":"text","text":"Unknown tool: no-such"}],"isError":true}"#;
    assert_eq!(host.ask(1, "no-such"), [format!(r#"{{"jsonrpc":"2.0","id":1,"result":{text}}}"#)]);
    assert!(diary.take().concat().contains("ToolError"));
    let other = exchange(host.session(), r#"{"jsonrpc":"2.0","id":2,"method":"no/such"}"#);
    assert!(other.concat().contains(r#""code":-32601"#), "only tools have results: {other:?}");
    assert!(other.concat().contains(r#""data":"not json""#), "{other:?}");
}

#[test]
fn the_host_sets_codes_and_forms_of_its_own_on_top_of_a_preset() {
    let host = Host::new();
    host.tool("fail", |_: &Call| Err("broken".into()));
    let code = |id, tool| {
        let answer = host.ask(id, tool).concat();
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        answer.pointer("/error/code").and_then(serde_json::Value::as_i64)
    };
    let set = |errors: &ErrorTable| {
        host.server.configure(|options| options.errors = errors.clone()).unwrap();
    };
    assert_eq!((code(1, "no-such"), code(2, "fail")), (Some(-32602), None));
    set(&ErrorTable::new(Preset::Classic));
    assert_eq!((code(3, "no-such"), code(4, "fail")), (Some(-32000), Some(-32001)));
    set(&ErrorTable::new(Preset::Gateway));
    assert_eq!((code(5, "no-such"), code(6, "fail")), (Some(-32602), Some(-32002)));
    let mut own = ErrorTable::new(Preset::Classic);
    own.set(ErrorKind::UnknownTool, Rule { code: 1, form: Form::Error });
    own.set(ErrorKind::ToolFailed, Rule { code: 2, form: Form::ToolResult });
    set(&own);
    assert_eq!((code(7, "no-such"), code(8, "fail")), (Some(1), None));
}
