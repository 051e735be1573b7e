//! Deadlines: the host asks when, ticks, and calls that took too long are answered for it.

mod support;

use std::sync::Arc;

use mcplite_core::{Call, Dispatch, Error, Item};
use support::exchange;
use support::host::{Counter, Host};

#[test]
fn a_deadline_passes_when_the_host_ticks_and_not_before() {
    let host = Host::new();
    host.server.configure(|options| options.deadline_ms = Some(100)).unwrap();
    assert_eq!(host.server.timeout_ms(), None);
    host.clock.set_ms(1000);
    let call = host.hold(1);
    assert_eq!(host.server.timeout_ms(), Some(100));
    host.pass_ms(1099);
    assert_eq!(host.server.timeout_ms(), Some(1));
    host.clock.set_ms(1200);
    assert_eq!(host.server.timeout_ms(), Some(0));
    assert!(!call.is_cancelled());
    host.server.tick();
    assert!(call.is_cancelled());
    assert_eq!(host.server.timeout_ms(), None);
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Timed out: the deadline has passed"}],"isError":true}}"#;
    assert_eq!(host.sent(), [answer]);
    assert_eq!(call.reply(), Err(Error::Cancelled));
}

#[test]
fn an_answer_takes_its_deadline_along() {
    let host = Host::new();
    host.server.configure(|options| options.deadline_ms = Some(100)).unwrap();
    let calls = [host.hold(1), host.hold(2), host.hold(3), host.hold(4)];
    assert_eq!(host.server.timeout_ms(), Some(100));
    let [answered, failed, cancelled, released] = calls;
    answered.reply().unwrap();
    failed.fail("no".into()).unwrap();
    host.cancel(3);
    drop(released);
    assert_eq!(host.server.timeout_ms(), None);
    assert_eq!(host.sent().len(), 3);
    host.pass_ms(1000);
    assert_eq!(host.sent(), [""; 0]);
    drop((answered, failed, cancelled));
}

#[test]
fn the_items_own_deadline_goes_before_the_servers() {
    let host = Host::new();
    host.server.configure(|options| options.deadline_ms = Some(100)).unwrap();
    host.server.register(Item::tool("quick").deadline_ms(10)).unwrap();
    host.server.register(Item::tool("slow").deadline_ms(1000)).unwrap();
    assert_eq!(host.ask(1, "slow"), [""; 0]);
    assert_eq!(host.server.timeout_ms(), Some(1000));
    assert_eq!(host.ask(2, "quick"), [""; 0]);
    assert_eq!(host.server.timeout_ms(), Some(10));
    host.pass_ms(500);
    assert!(host.sent().concat().contains(r#""id":2"#));
    assert_eq!(host.server.timeout_ms(), Some(500));
}

#[test]
fn a_call_may_move_its_deadline_or_do_without() {
    let host = Host::new();
    let call = host.hold(1);
    call.clear_deadline();
    call.set_deadline_ms(100).unwrap();
    host.pass_ms(50);
    call.set_deadline_ms(100).unwrap();
    host.pass_ms(149);
    assert!(!call.is_cancelled());
    call.clear_deadline();
    assert_eq!(host.server.timeout_ms(), None);
    host.pass_ms(1000);
    assert!(!call.is_cancelled());
    call.set_deadline_ms(u64::MAX).unwrap();
    host.server.tick();
    call.reply().unwrap();
    assert_eq!(call.set_deadline_ms(1), Err(Error::Answered));
    assert_eq!(host.server.timeout_ms(), None);
}

#[test]
fn the_host_is_woken_when_the_next_deadline_came_nearer() {
    let (host, rung) = (Host::new(), Counter::default());
    host.server.set_wake(Some(Arc::new(rung.up())));
    let (first, second) = (host.hold(1), host.hold(2));
    assert_eq!(rung.count(), 0);
    first.set_deadline_ms(100).unwrap();
    assert_eq!(rung.count(), 1);
    second.set_deadline_ms(200).unwrap();
    assert_eq!(rung.count(), 1, "the first comes first");
    second.set_deadline_ms(50).unwrap();
    assert_eq!(rung.count(), 2);
}

#[test]
fn whoever_sees_that_a_call_timed_out_finds_it_cancelled() {
    let (host, seen) = (Host::new(), Counter::default());
    let call = host.hold(1);
    call.set_deadline_ms(10).unwrap();
    let (watched, count) = (call.clone(), seen.clone());
    host.session().set_wake(Some(Arc::new(move || {
        count.up()();
        assert_eq!(watched.reply(), Err(Error::Cancelled));
        if watched.is_cancelled() {
            count.up()();
        }
    })));
    host.pass_ms(10);
    assert_eq!(seen.count(), 2);
    host.session().set_wake(None);
}

#[test]
fn a_call_that_waits_in_the_queue_times_out_and_its_handler_does_not_start() {
    let (host, ran) = (Host::new(), Counter::default());
    let count = ran.clone();
    let item = Item::tool("queued").deadline_ms(10).on_call(move |_: &Call| {
        count.up()();
        Ok(())
    });
    host.server.register(item).unwrap();
    host.server.configure(|options| options.dispatch = Dispatch::Queued).unwrap();
    assert_eq!(host.ask(1, "queued"), [""; 0]);
    host.pass_ms(10);
    assert_eq!(host.sent().len(), 1);
    host.server.run(0).unwrap();
    assert_eq!((ran.count(), host.sent().len()), (0, 0));
}

#[test]
fn a_handler_that_ticks_may_time_itself_out() {
    let host = Host::new();
    let (server, clock) = (host.server.clone(), host.clock.clone());
    host.tool("tick", move |call: &Call| {
        call.set_deadline_ms(10)?;
        clock.set_ms(10);
        server.tick();
        assert_eq!(call.reply(), Err(Error::Cancelled));
        Ok(())
    });
    let answers = host.ask(1, "tick");
    assert!(answers.concat().contains("Timed out"));
    assert_eq!(answers.len(), 1);
}

#[test]
fn without_a_clock_no_deadline_passes() {
    let server = mcplite_core::Server::new("timeless", "1.0").unwrap();
    server.register(Item::tool("pull").deadline_ms(10)).unwrap();
    let session = mcplite_core::Session::new(&server).unwrap();
    support::initialize(&session, "2025-11-25");
    assert_eq!(exchange(&session, &support::host::request(1, "pull")), [""; 0]);
    server.tick();
    assert_eq!(support::drain(&session), [""; 0]);
    assert!(server.next_call().is_some_and(|call| call.reply().is_ok()));
}

#[test]
fn a_notification_leaves_no_deadline_behind() {
    let host = Host::new();
    let own = Item::method("notifications/acme").on_call(|call: &Call| {
        call.set_deadline_ms(1_000_000)?;
        Ok(())
    });
    host.server.register(own).unwrap();
    let used = host.server.memory_used();
    let text = r#"{"jsonrpc":"2.0","method":"notifications/acme"}"#;
    assert_eq!(exchange(host.session(), text), [""; 0]);
    assert_eq!(host.server.timeout_ms(), None);
    assert_eq!(host.server.memory_used(), used);
}
