//! Cancellation: the host's code hears of it once, where it runs, and not after an answer.

mod support;

use mcplite_core::{Call, Dispatch, Item};
use support::exchange;
use support::host::{Counter, Host, request, text_answer};

#[test]
fn a_client_says_why_it_cancels() {
    let host = Host::new();
    let call = host.hold(1);
    assert_eq!(call.cancel_reason(), None);
    host.cancel(1);
    assert_eq!(call.cancel_reason().as_deref(), Some("no longer needed"));
}

#[test]
fn on_cancel_runs_once_for_every_way_to_end() {
    let ends: [fn(&mut Host); 4] = [
        |host| host.cancel(1),
        |host| host.pass_ms(50),
        |host| host.session = None,
        |host| host.server.close(),
    ];
    for end in ends {
        let (mut host, told) = (Host::new(), Counter::default());
        let call = host.hold(1);
        call.set_deadline_ms(50).unwrap();
        call.on_cancel(told.up());
        end(&mut host);
        assert_eq!(told.count(), 1);
        host.server.close();
        host.pass_ms(500);
        drop((host, call));
        assert_eq!(told.count(), 1);
    }
}

#[test]
fn on_cancel_runs_at_once_when_it_comes_too_late_and_the_second_replaces_the_first() {
    let (host, first, second) = (Host::new(), Counter::default(), Counter::default());
    let call = host.hold(1);
    call.on_cancel(first.up());
    call.on_cancel(second.up());
    host.cancel(1);
    host.cancel(1);
    assert_eq!((first.count(), second.count()), (0, 1));
    call.on_cancel(first.up());
    assert_eq!((first.count(), second.count()), (1, 1));
}

#[test]
fn on_cancel_does_not_run_after_an_answer() {
    let (host, told) = (Host::new(), Counter::default());
    let (answered, failed) = (host.hold(1), host.hold(2));
    answered.on_cancel(told.up());
    failed.on_cancel(told.up());
    answered.reply().unwrap();
    failed.fail("no".into()).unwrap();
    answered.on_cancel(told.up());
    host.cancel(1);
    assert_eq!(host.sent().len(), 2);
    host.server.close();
    drop((answered, failed));
    assert_eq!(told.count(), 0);
}

#[test]
fn on_cancel_follows_the_handler_to_where_it_runs_and_may_do_anything() {
    let (host, told) = (Host::new(), Counter::default());
    let (call, other) = (host.hold(1), host.hold(2));
    host.server.configure(|options| options.dispatch = Dispatch::Queued).unwrap();
    let queued = {
        host.session().handle_message(request(3, "hold").as_bytes()).unwrap();
        assert_eq!(host.server.run(0), Ok(1));
        host.take_held()
    };
    queued.on_cancel(told.up());
    host.cancel(3);
    assert_eq!(told.count(), 0, "not on the thread that feeds");
    assert_eq!(host.server.run(0), Ok(1));
    assert_eq!(told.count(), 1);
    let server = host.server.clone();
    call.on_cancel(move || {
        server.register(Item::tool("new")).unwrap();
        other.reply_text("instead").unwrap();
        panic!("which stays here");
    });
    host.cancel(1);
    assert_eq!(host.sent(), [text_answer(2, "instead")]);
}

#[test]
fn on_cancel_that_waits_for_its_thread_runs_after_the_server_was_closed() {
    let (host, told) = (Host::new(), Counter::default());
    let call = host.hold(1);
    call.on_cancel(told.up());
    host.server.configure(|options| options.dispatch = Dispatch::Queued).unwrap();
    let queued = {
        host.session().handle_message(request(2, "hold").as_bytes()).unwrap();
        assert_eq!(host.server.run(0), Ok(1));
        host.take_held()
    };
    queued.on_cancel(told.up());
    host.server.close();
    assert_eq!(told.count(), 1, "the one that is not queued");
    assert_eq!(host.server.run(0), Ok(1));
    assert_eq!(told.count(), 2);
}

#[test]
fn what_on_cancel_holds_is_let_go_when_it_is_not_needed_any_more() {
    let host = Host::new();
    host.hold_calls_of(Item::method("notifications/acme"));
    let used = host.server.memory_used();
    let hold_itself = |call: &Call| {
        let own = call.clone();
        call.on_cancel(move || drop(own));
    };
    let replied = host.hold(1);
    hold_itself(&replied);
    replied.reply().unwrap();
    drop(replied);
    assert_eq!(host.sent().len(), 1);
    let failed = host.hold(2);
    hold_itself(&failed);
    failed.fail("no".into()).unwrap();
    drop(failed);
    assert_eq!(host.sent().len(), 1);
    let cancelled = host.hold(3);
    hold_itself(&cancelled);
    host.cancel(3);
    drop(cancelled);
    exchange(host.session(), r#"{"jsonrpc":"2.0","method":"notifications/acme"}"#);
    let notification = host.take_held();
    hold_itself(&notification);
    notification.reply().unwrap();
    drop(notification);
    assert_eq!(host.server.memory_used(), used);
}

#[test]
fn code_that_waits_for_a_thread_that_never_comes_keeps_nothing_alive() {
    struct Dropped(Counter);
    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.up()();
        }
    }
    let (host, dropped) = (Host::new(), Counter::default());
    let token = Dropped(dropped.clone());
    host.server.configure(|options| options.dispatch = Dispatch::Queued).unwrap();
    let item = Item::tool("own").on_call(move |call: &Call| {
        let (_own, kept) = (&token, call.clone());
        call.on_cancel(move || drop(kept));
        Ok(())
    });
    host.server.register(item).unwrap();
    assert_eq!(host.ask(1, "own"), [""; 0]);
    assert_eq!(host.server.run(0), Ok(1));
    drop(host);
    assert_eq!(dropped.count(), 1);
}
