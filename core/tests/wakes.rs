//! The wake: told once that there is output, told again when that was found to be all.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use std::sync::{Arc, Mutex};

use mcplite_core::{Call, Item, Session};
use support::drain;
use support::host::{Counter, Host, request, text_answer};

const PING: &[u8] = br#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#;
const PONG: &str = r#"{"jsonrpc":"2.0","id":"p","result":{}}"#;

/// A host whose session can be reached from its own wake and handlers.
fn shared() -> (Host, Arc<Session>) {
    let mut host = Host::new();
    let session = Arc::new(host.session.take().unwrap());
    (host, session)
}

/// A wake that takes everything there is.
fn draining(session: &Arc<Session>) -> Arc<Mutex<Vec<u8>>> {
    let taken = Arc::new(Mutex::new(Vec::new()));
    let (own, sink) = (Arc::downgrade(session), Arc::clone(&taken));
    session.set_wake(Some(Arc::new(move || {
        own.upgrade().unwrap().drain_into(&mut sink.lock().unwrap());
    })));
    taken
}

fn lines(taken: &Mutex<Vec<u8>>) -> Vec<String> {
    let bytes = std::mem::take(&mut *taken.lock().unwrap());
    String::from_utf8(bytes).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn one_wake_is_enough_until_all_output_was_taken_or_none_found() {
    let (host, told) = (Host::new(), Counter::default());
    let (session, mut buffer) = (host.session(), Vec::new());
    session.set_wake(Some(Arc::new(told.up())));
    assert_eq!(told.count(), 0, "there is nothing yet");
    session.handle_message(PING).unwrap();
    session.handle_message(PING).unwrap();
    assert_eq!(told.count(), 1);
    assert!(session.poll_into(&mut buffer));
    session.handle_message(PING).unwrap();
    assert_eq!(told.count(), 1, "some is left");
    assert!(session.poll_into(&mut buffer) && session.poll_into(&mut buffer));
    session.handle_message(PING).unwrap();
    assert_eq!(told.count(), 2, "all was taken");
    assert!(session.poll_into(&mut buffer) && !session.poll_into(&mut buffer));
    session.handle_message(PING).unwrap();
    assert_eq!(told.count(), 3);
    assert_eq!(host.sent(), [PONG]);
    session.notify("notifications/acme", "").unwrap();
    assert_eq!(told.count(), 4, "draining sees the end by itself");
}

#[test]
fn a_wake_that_comes_late_is_told_of_what_waits_and_one_that_is_gone_is_not() {
    let (host, told) = (Host::new(), Counter::default());
    host.session().handle_message(PING).unwrap();
    host.session().set_wake(Some(Arc::new(told.up())));
    assert_eq!(told.count(), 1);
    host.session().set_wake(None);
    assert_eq!(host.sent(), [PONG]);
    host.session().handle_message(PING).unwrap();
    assert_eq!(told.count(), 1);
}

#[test]
fn a_wake_may_drain_right_there() {
    let (host, session) = shared();
    let taken = draining(&session);
    session.handle_message(PING).unwrap();
    session.handle_message(request(1, "hold").as_bytes()).unwrap();
    assert_eq!(lines(&taken), [PONG]);
    host.take_held().reply_text("later").unwrap();
    assert_eq!(lines(&taken), [text_answer(1, "later")]);
}

#[test]
fn progress_leaves_before_the_handler_returns() {
    let (host, session) = shared();
    let taken = draining(&session);
    let seen = Arc::clone(&taken);
    host.tool("work", move |call: &Call| {
        call.progress(1.0, None, None)?;
        assert!(lines(&seen).concat().contains("notifications/progress"));
        call.progress(2.0, None, None)?;
        assert!(lines(&seen).concat().contains("notifications/progress"));
        Ok(call.reply_text("done")?)
    });
    session.handle_message(request(1, "work").as_bytes()).unwrap();
    assert_eq!(lines(&taken), [text_answer(1, "done")]);
}

#[test]
fn a_wake_that_sends_is_not_entered_again_and_loses_nothing() {
    let (_host, session) = shared();
    let (taken, alone) = (Arc::new(Mutex::new(Vec::new())), Mutex::new(()));
    let (own, sink) = (Arc::downgrade(&session), Arc::clone(&taken));
    session.set_wake(Some(Arc::new(move || {
        let _alone = alone.try_lock().unwrap();
        let session = own.upgrade().unwrap();
        let mut out = sink.lock().unwrap();
        session.drain_into(&mut out);
        if out.len() < 1000 {
            session.notify("notifications/acme", "").unwrap();
        }
    })));
    session.handle_message(PING).unwrap();
    let sent = lines(&taken);
    let line = r#"{"jsonrpc":"2.0","method":"notifications/acme"}"#;
    assert_eq!(sent.len(), 1 + (1000 - PONG.len() - 1).div_ceil(line.len() + 1));
    assert!(sent.iter().skip(1).all(|sent| sent == line));
}

#[test]
fn the_host_is_woken_when_the_session_becomes_finished_without_output() {
    let (host, told) = (Host::new(), Counter::default());
    let held = Arc::clone(&host.held);
    let keep = move |call: &Call| {
        held.lock().unwrap().push(call.clone());
        Ok(())
    };
    host.server.register(Item::method("notifications/kept").on_call(keep)).unwrap();
    let notification = br#"{"jsonrpc":"2.0","method":"notifications/kept"}"#;
    host.session().handle_message(notification).unwrap();
    let call = host.take_held();
    host.session().set_wake(Some(Arc::new(told.up())));
    host.session().end().unwrap();
    assert_eq!((told.count(), host.session().is_finished()), (0, false));
    drop(call);
    assert_eq!((told.count(), host.session().is_finished()), (1, true));
}

#[test]
fn the_host_is_woken_when_the_input_ends_and_nothing_is_open() {
    let (host, told) = (Host::new(), Counter::default());
    host.session().set_wake(Some(Arc::new(told.up())));
    host.session().end().unwrap();
    assert_eq!((told.count(), host.session().is_finished()), (1, true));
}

#[test]
fn the_host_is_woken_when_somebody_else_closes_the_session() {
    let (host, told) = (Host::new(), Counter::default());
    host.session().set_wake(Some(Arc::new(told.up())));
    host.server.close();
    assert_eq!((told.count(), host.session().is_finished()), (1, true));
}

#[test]
fn a_wake_that_panics_once_is_called_the_next_time() {
    let (host, told) = (Host::new(), Counter::default());
    let count = told.clone();
    host.session().set_wake(Some(Arc::new(move || {
        count.up()();
        assert!(count.count() > 1, "on purpose");
    })));
    let fed = || host.session().handle_message(PING);
    // Whether the panic goes further is not the point here.
    drop(std::panic::catch_unwind(std::panic::AssertUnwindSafe(fed)));
    assert_eq!(host.sent(), [PONG]);
    fed().unwrap();
    assert_eq!(told.count(), 2);
}

#[test]
fn the_wake_of_a_dropped_session_is_dropped() {
    let mut host = Host::new();
    let alive = Arc::new(());
    let held = Arc::clone(&alive);
    host.session().set_wake(Some(Arc::new(move || assert_eq!(Arc::strong_count(&held), 2))));
    host.session = None;
    assert_eq!(Arc::strong_count(&alive), 1);
}

#[test]
fn a_wake_is_dropped_with_its_session_even_if_a_call_is_still_held() {
    let mut host = Host::new();
    let alive = Arc::new(());
    let held = Arc::clone(&alive);
    let call = host.hold(1);
    host.session().set_wake(Some(Arc::new(move || assert_eq!(Arc::strong_count(&held), 2))));
    host.session = None;
    assert_eq!(Arc::strong_count(&alive), 1);
    drop(call);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test is the host, which has threads")]
fn the_end_and_the_last_answer_at_the_same_moment_are_told_of() {
    for _ in 0..2000 {
        let mut host = Host::new();
        let call = host.hold(1);
        let session = Arc::new(host.session.take().unwrap());
        let told = Counter::default();
        let (own, up) = (Arc::downgrade(&session), told.up());
        session.set_wake(Some(Arc::new(move || {
            let Some(session) = own.upgrade() else { return };
            drop(drain(&session));
            if session.is_finished() {
                up();
            }
        })));
        std::thread::scope(|scope| {
            scope.spawn(|| session.end().unwrap());
            scope.spawn(|| call.reply_text("last").unwrap());
        });
        assert!(session.is_finished());
        assert!(told.count() > 0, "finished, and nobody was told");
    }
}

#[test]
fn whoever_asks_late_is_told_that_it_is_finished() {
    let (host, told) = (Host::new(), Counter::default());
    host.session().end().unwrap();
    host.session().set_wake(Some(Arc::new(told.up())));
    assert_eq!(told.count(), 1);
}
