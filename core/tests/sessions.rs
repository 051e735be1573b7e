//! A session: bytes in, messages out, and every way in which that ends.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use std::sync::{Arc, Mutex};

use mcplite_core::{Call, Dispatch, Error, Item, MAX_NESTED_MESSAGES, Server, Session};
use support::host::{Counter, Host, request, text_answer};
use support::{drain, exchange, initialize};

const PING: &str = r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#;
const PONG: &str = r#"{"jsonrpc":"2.0","id":"p","result":{}}"#;

/// A host whose session can be reached from its own handlers.
fn shared() -> (Host, Arc<Session>) {
    let mut host = Host::new();
    let session = Arc::new(host.session.take().unwrap());
    (host, session)
}

#[test]
fn a_session_is_finished_when_all_is_read_answered_and_taken() {
    let host = Host::new();
    let (call, session) = (host.hold(1), host.session());
    assert!(!session.is_finished());
    session.end().unwrap();
    assert!(!session.is_finished());
    assert_eq!(session.open_calls(), 1);
    call.reply_text("done").unwrap();
    assert_eq!(session.open_calls(), 0);
    assert!(!session.is_finished());
    assert_eq!(host.sent(), [text_answer(1, "done")]);
    assert!(session.is_finished() && !session.is_closed());
}

#[test]
fn the_last_line_needs_no_newline() {
    let host = Host::new();
    host.session().receive_all(PING.as_bytes()).unwrap();
    assert_eq!(host.sent(), [""; 0]);
    host.session().end().unwrap();
    assert_eq!(host.sent(), [PONG]);
    assert_eq!(host.session().end(), Ok(()));
    assert_eq!(host.sent(), [""; 0]);
}

#[test]
fn receiving_takes_one_message_at_most_and_says_how_much() {
    let host = Host::new();
    let session = host.session();
    let line = format!("{PING}\n");
    let stream = format!("\n \r\n{line}{line}half");
    assert_eq!(session.receive(b""), Ok(0));
    assert_eq!(session.receive(stream.as_bytes()), Ok(4 + line.len()));
    assert_eq!(host.sent(), [PONG]);
    let rest = format!("{line}half");
    assert_eq!(session.receive(rest.as_bytes()), Ok(line.len()));
    assert_eq!(session.receive(b"half"), Ok(4));
    assert_eq!(session.receive(b" a line\nmore"), Ok(8));
    assert_eq!(host.sent().len(), 2);
}

#[test]
fn full_output_refuses_input_without_taking_any_and_goes_on_when_it_was_taken() {
    let host = Host::new();
    let session = host.session();
    host.server.configure(|options| options.limits.output_bytes = 1024).unwrap();
    let full = Error::Limit("output_bytes");
    let mut sent = 0;
    while session.notify("notifications/acme", r#"{"text":"........"}"#).is_ok() {
        sent += 1;
    }
    assert_eq!(session.notify("notifications/acme", ""), Err(full.clone()));
    assert_eq!(session.receive(PING.as_bytes()), Err(full.clone()));
    assert_eq!(session.receive(b"\n"), Err(full.clone()));
    assert_eq!(session.handle_message(PING.as_bytes()), Err(full));
    assert_eq!(host.sent().len(), sent);
    assert_eq!(session.receive(b"\n"), Ok(1));
    assert_eq!(host.sent(), [""; 0], "of what was refused nothing is left");
    assert_eq!(exchange(session, PING), [PONG]);
}

#[test]
fn receiving_all_cannot_push_back_and_closes_instead() {
    let host = Host::new();
    host.server.configure(|options| options.limits.output_bytes = 1024).unwrap();
    let call = host.hold(1);
    let flood = format!("{PING}\n").repeat(100);
    assert_eq!(host.session().receive_all(flood.as_bytes()), Err(Error::Closed));
    assert!(host.session().is_closed() && host.session().is_finished());
    assert!(call.is_cancelled());
    assert_eq!(host.sent(), [""; 0]);
}

#[test]
fn a_session_whose_answers_nobody_takes_closes_by_itself() {
    let (host, told) = (Host::new(), Counter::default());
    host.server.configure(|options| options.limits.output_bytes = 1024).unwrap();
    let calls: Vec<_> = (1..=5).map(|id| host.hold(id)).collect();
    host.session().set_wake(Some(Arc::new(told.up())));
    let answered: Vec<_> =
        calls.iter().take(4).map(|call| call.reply_text(&"x".repeat(2048))).collect();
    assert_eq!(answered.first(), Some(&Ok(())));
    assert!(host.session().is_closed());
    assert!(calls.last().unwrap().is_cancelled());
    assert_eq!(host.sent(), [""; 0]);
    assert!(host.session().is_finished() && told.count() > 0);
}

#[test]
fn a_byte_stream_has_one_reader_at_a_time() {
    let (host, session) = shared();
    let own = Arc::downgrade(&session);
    host.tool("nest", move |call: &Call| {
        let session = own.upgrade().unwrap();
        assert_eq!(session.receive(b"\n"), Err(Error::Busy));
        assert_eq!(session.receive_all(b"\n"), Err(Error::Busy));
        assert_eq!(session.end(), Err(Error::Busy));
        assert_eq!(session.handle_message(PING.as_bytes()), Ok(()));
        Ok(call.reply()?)
    });
    session.receive_all(format!("{}\n{PING}\n", request(1, "nest")).as_bytes()).unwrap();
    let sent = drain(&session);
    assert_eq!(sent.len(), 3);
    assert_eq!((sent.first().unwrap().as_str(), sent.last().unwrap().as_str()), (PONG, PONG));
}

#[test]
fn messages_nest_eight_deep_and_then_the_session_is_busy() {
    let (host, session) = shared();
    let (own, ran) = (Arc::downgrade(&session), Counter::default());
    let (count, results) = (ran.clone(), Arc::new(Mutex::new(Vec::new())));
    let noted = Arc::clone(&results);
    let server = host.server.clone();
    host.tool("nest", move |call: &Call| {
        count.up()();
        let next = request(u32::try_from(count.count()).unwrap() + 1, "nest");
        let session = own.upgrade().unwrap();
        let result = session.handle_message(next.as_bytes());
        noted.lock().unwrap().push(result);
        if count.count() == usize::from(MAX_NESTED_MESSAGES) {
            assert_eq!(server.run(0), Err(Error::Busy));
            assert_eq!(session.receive(b"\n"), Err(Error::Busy));
        }
        Ok(call.reply()?)
    });
    session.handle_message(request(1, "nest").as_bytes()).unwrap();
    assert_eq!((ran.count(), drain(&session).len()), (8, 8));
    let results = std::mem::take(&mut *results.lock().unwrap());
    assert_eq!(results.first(), Some(&Err(Error::Busy)));
    assert!(results.iter().skip(1).all(Result::is_ok));
    assert_eq!(exchange(&session, PING), [PONG], "and all of it is over");
}

#[test]
fn a_handler_may_close_its_session_or_its_server() {
    let closers: [fn(&Server, &Session); 2] =
        [|_, session| session.close(), |server, _| server.close()];
    for close in closers {
        let (host, session) = shared();
        let (own, server) = (Arc::downgrade(&session), host.server.clone());
        host.tool("close", move |call: &Call| {
            call.progress(1.0, None, None)?;
            close(&server, &own.upgrade().unwrap());
            assert!(call.is_cancelled());
            assert_eq!(call.reply(), Err(Error::Cancelled));
            Ok(())
        });
        let stream = format!("{}\n{PING}\n", request(1, "close"));
        assert_eq!(session.receive_all(stream.as_bytes()), Err(Error::Closed));
        assert_eq!(drain(&session), [""; 0]);
        assert!(session.is_closed() && session.is_finished());
        assert_eq!(session.notify("notifications/acme", ""), Err(Error::Closed));
        assert_eq!(session.handle_message(PING.as_bytes()), Err(Error::Closed));
        assert_eq!(session.end(), Ok(()));
    }
}

#[test]
fn a_handler_may_drop_its_session() {
    let (mut host, dropped) = (Host::new(), Counter::default());
    host.server.configure(|options| options.dispatch = Dispatch::Queued).unwrap();
    let session = host.session.take().unwrap();
    session.handle_message(request(1, "drop").as_bytes()).unwrap();
    let slot = Arc::new(Mutex::new(Some(session)));
    let (own, count) = (Arc::clone(&slot), dropped.clone());
    host.tool("drop", move |call: &Call| {
        drop(own.lock().unwrap().take());
        assert_eq!(call.reply_text("too late"), Err(Error::Cancelled));
        count.up()();
        Ok(())
    });
    slot.lock().unwrap().as_ref().unwrap().handle_message(request(2, "drop").as_bytes()).unwrap();
    assert_eq!(host.server.run(0), Ok(1));
    assert_eq!(dropped.count(), 1);
}

#[test]
fn a_batch_is_answered_when_its_last_member_is_answered_or_cancelled() {
    let mut host = Host::new();
    let session = Session::new(&host.server).unwrap();
    initialize(&session, "2025-03-26");
    host.session = Some(session);
    let members = [request(1, "hold"), request(2, "hold"), PING.to_owned()];
    assert_eq!(exchange(host.session(), &format!("[{}]", members.join(","))), [""; 0]);
    let (second, first) = (host.take_held(), host.take_held());
    second.progress(1.0, None, None).unwrap();
    assert_eq!(host.sent().len(), 1, "progress does not wait");
    second.reply_text("second").unwrap();
    assert_eq!(host.sent(), [""; 0]);
    host.cancel(1);
    assert_eq!(host.sent(), [format!("[{PONG},{}]", text_answer(2, "second"))]);
    assert_eq!((first.is_cancelled(), host.session().open_calls()), (true, 0));
}

#[test]
fn after_a_batch_member_closed_the_session_no_other_starts() {
    let closers: [fn(&Server, &Session); 2] =
        [|_, session| session.close(), |server, _| server.close()];
    for close in closers {
        let (host, started) = (Host::new(), Counter::default());
        let session = Arc::new(Session::new(&host.server).unwrap());
        initialize(&session, "2025-03-26");
        let (own, server, count) = (Arc::downgrade(&session), host.server.clone(), started.clone());
        host.tool("close", move |_: &Call| {
            close(&server, &own.upgrade().unwrap());
            Ok(())
        });
        host.tool("next", move |call: &Call| {
            count.up()();
            Ok(call.reply()?)
        });
        host.server.register(Item::tool("pull")).unwrap();
        let members = [request(1, "close"), request(2, "next"), request(3, "pull")];
        session.handle_message(format!("[{}]", members.join(",")).as_bytes()).unwrap();
        assert_eq!(started.count(), 0);
        assert!(host.server.next_call().is_none());
        assert_eq!((session.open_calls(), session.is_finished()), (0, true));
    }
}

#[test]
fn a_closed_server_takes_no_sessions() {
    let host = Host::new();
    host.server.close();
    assert_eq!(Session::new(&host.server).unwrap_err(), Error::Closed);
    host.server.close();
}

#[test]
fn a_host_sends_notifications_of_its_own() {
    let host = Host::new();
    let session = host.session();
    session.notify("notifications/acme", "").unwrap();
    session.notify("notifications/\"acme\"", " {\n\"a\": [1]} ").unwrap();
    for (params, offset) in [("[]", 0), ("{\"a\":}", 5), ("{} {}", 3)] {
        let refused = session.notify("notifications/acme", params);
        assert!(matches!(refused, Err(Error::Json { offset: at, .. }) if at == offset), "{params}");
    }
    let sent = [
        r#"{"jsonrpc":"2.0","method":"notifications/acme"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/\"acme\"","params":{ "a": [1]}}"#,
    ];
    assert_eq!(host.sent(), sent);
}

#[test]
fn sessions_of_one_server_do_not_know_of_each_other() {
    let host = Host::new();
    let other = Session::new(&host.server).unwrap();
    assert!(exchange(&other, &request(1, "hold")).concat().contains("not initialized"));
    initialize(&other, "2024-11-05");
    let mine = host.hold(1);
    assert_eq!(exchange(&other, &request(1, "hold")), [""; 0]);
    let theirs = host.take_held();
    assert_ne!(mine.revision(), theirs.revision());
    host.session().close();
    assert!(mine.is_cancelled() && !theirs.is_cancelled());
    theirs.reply_text("alive").unwrap();
    assert_eq!(drain(&other), [text_answer(1, "alive")]);
}

#[test]
fn input_after_its_end_is_refused_because_finished_is_final() {
    let host = Host::new();
    host.session().end().unwrap();
    let ended = Err(Error::State("the input has ended"));
    assert_eq!(host.session().handle_message(request(1, "hold").as_bytes()), ended);
    assert_eq!(host.session().receive(b"x").map(drop), ended);
    assert_eq!(host.session().end(), Ok(()));
    assert!(host.session().is_finished());
}
