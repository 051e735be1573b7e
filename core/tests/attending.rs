//! Somebody who runs handlers on the host's behalf, and what shells around the engine change on it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcplite_core::{Call, Dispatch, Error, Event, Hook, Item, ItemPolicy, Kind, Observer, Wake};
use support::drain;
use support::host::Host;

fn says(host: &Host, word: &'static str) {
    host.server
        .register(Item::tool(word).on_call(move |call: &Call| Ok(call.reply_text(word)?)))
        .unwrap();
}

fn counter() -> (Arc<AtomicUsize>, Wake) {
    let told = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&told);
    let wake: Wake = Arc::new(move || {
        count.fetch_add(1, Ordering::Relaxed);
    });
    (told, wake)
}

#[test]
fn while_somebody_attends_handlers_wait_for_them() {
    let host = Host::new();
    says(&host, "one");
    let (told, wake) = counter();
    let attendant = host.server.attend(wake);
    assert_eq!(host.ask(1, "one"), [""; 0]);
    assert_eq!((host.server.waiting(), told.load(Ordering::Relaxed)), (1, 1));
    assert_eq!(host.server.run(0).unwrap(), 1);
    assert_eq!(drain(host.session()).len(), 1);
    drop(attendant);
    assert_eq!(host.ask(2, "one").len(), 1, "the feeding call runs them again");
}

#[test]
fn what_waits_when_the_last_attendant_goes_is_run() {
    let host = Host::new();
    says(&host, "one");
    let (first, second) = (host.server.attend(counter().1), host.server.attend(counter().1));
    assert_eq!(host.ask(1, "one"), [""; 0]);
    drop(first);
    assert_eq!(host.server.waiting(), 1);
    drop(second);
    assert_eq!(host.server.waiting(), 0);
    assert_eq!(drain(host.session()).len(), 1);
}

#[test]
fn a_host_that_queues_itself_is_left_alone() {
    let host = Host::new();
    says(&host, "one");
    host.server.configure(|options| options.dispatch = Dispatch::Queued).unwrap();
    let attendant = host.server.attend(counter().1);
    assert_eq!(host.ask(1, "one"), [""; 0]);
    drop(attendant);
    assert_eq!(host.server.waiting(), 1);
}

#[test]
fn an_attendant_is_told_of_the_end() {
    let host = Host::new();
    let (told, wake) = counter();
    let _attendant = host.server.attend(wake);
    assert!(!host.server.is_draining() && !host.server.is_closed());
    host.server.shutdown();
    assert_eq!((host.server.is_draining(), told.load(Ordering::Relaxed)), (true, 1));
    host.server.close();
    assert_eq!((host.server.is_closed(), told.load(Ordering::Relaxed)), (true, 2));
}

#[test]
fn a_cancelled_call_is_told_at_once_although_its_handler_is_queued_elsewhere() {
    let host = Host::new();
    let _attendant = host.server.attend(counter().1);
    assert_eq!(host.ask(1, "hold"), [""; 0]);
    host.server.run(0).unwrap();
    let call = host.held.lock().unwrap().pop().unwrap();
    let (told, wake) = counter();
    call.on_cancel(move || wake());
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    host.session().handle_message(cancel.as_bytes()).unwrap();
    assert_eq!((told.load(Ordering::Relaxed), host.server.waiting()), (1, 0));
    assert_eq!(call.check_open(), Err(Error::Cancelled));
}

#[test]
fn the_policy_of_an_item_changes_by_itself() {
    let host = Host::new();
    let adjust = |change: fn(Item) -> Item| host.server.adjust(Kind::Tool, "hold", change);
    adjust(|item| item.deadline_ms(100)).unwrap();
    assert_eq!(host.ask(1, "hold"), [""; 0]);
    assert_eq!(host.server.timeout_ms(), Some(100));
    host.clock.set_ms(100);
    host.server.tick();
    assert_eq!(drain(host.session()).len(), 1);
    adjust(|item| item.without_policy(ItemPolicy::Deadline)).unwrap();
    assert_eq!(host.ask(2, "hold"), [""; 0]);
    assert_eq!(host.server.timeout_ms(), None);
    adjust(|item| item.hidden()).unwrap();
    let list = r#"{"jsonrpc":"2.0","id":3,"method":"tools/list"}"#;
    let told = support::exchange(host.session(), list).concat();
    assert!(told.contains("\"tools\":[]"), "{told}");
    assert_eq!(host.server.adjust(Kind::Tool, "none", |item| item), Err(Error::NotFound));
    let renamed = host.server.adjust(Kind::Tool, "hold", |_| Item::tool("other"));
    assert_eq!(renamed, Err(Error::Invalid("an item keeps its name")));
}

#[test]
fn an_observer_can_be_taken_away() {
    struct Counts(Arc<AtomicUsize>);
    impl Observer for Counts {
        fn event(&self, _: &Event<'_>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let (host, seen) = (Host::new(), Arc::new(AtomicUsize::new(0)));
    host.server.set_observer(Counts(Arc::clone(&seen)));
    host.server.observe(&Event::Listening { address: "here" });
    assert_eq!(seen.load(Ordering::Relaxed), 1);
    host.server.unset(Hook::Observer);
    host.server.observe(&Event::Listening { address: "there" });
    assert_eq!((seen.load(Ordering::Relaxed), Arc::strong_count(&seen)), (1, 1));
}

#[test]
fn a_piece_that_no_answer_has_room_for_is_refused_before_it_is_written() {
    let host = Host::new();
    host.server.configure(|options| options.limits.output_bytes = 1024).unwrap();
    let call = host.hold(1);
    let (fits, huge) = ("x".repeat(2048), "x".repeat(2049));
    assert_eq!(call.add_text(&huge), Err(Error::Limit("output_bytes")));
    assert_eq!(call.reply_text(&huge), Err(Error::Limit("output_bytes")));
    assert_eq!(call.put_str("a", &huge), Err(Error::Limit("output_bytes")));
    assert_eq!(call.reply_text(&fits), Ok(()));
    assert_eq!(drain(host.session()).len(), 1);
}

#[test]
fn handlers_of_a_client_that_takes_no_output_wait_until_it_does() {
    let host = Host::new();
    host.server
        .configure(|options| {
            options.dispatch = Dispatch::Queued;
            options.limits.output_bytes = 1024;
        })
        .unwrap();
    host.tool("long", |call: &Call| Ok(call.reply_text(&"x".repeat(900))?));
    for id in 1..=9 {
        let text = support::host::request(id, "long");
        host.session().handle_message(text.as_bytes()).unwrap();
    }
    let (told, wake) = counter();
    host.server.set_wake(Some(wake));
    assert_eq!(host.server.run(0).unwrap(), 2, "then the output is full");
    assert_eq!((host.server.run(0).unwrap(), host.server.waiting()), (0, 0));
    let mut answered = 0;
    while answered < 9 {
        let taken = drain(host.session()).len();
        assert!(taken > 0 && !host.session().is_closed());
        answered += taken;
        assert!(answered == 9 || told.swap(0, Ordering::Relaxed) > 0, "the host is told");
        host.server.run(0).unwrap();
    }
    for id in 11..=13 {
        let text = support::host::request(id, "long");
        host.session().handle_message(text.as_bytes()).unwrap();
    }
    host.server.run(0).unwrap();
    host.session().close();
    assert_eq!(host.server.run(0).unwrap(), 0, "nobody waits for the third any more");
}
