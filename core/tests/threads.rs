//! Many threads on one server: nothing is lost, nothing comes twice, nothing stays behind.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::disallowed_methods, reason = "the test is the host, which has threads")]

mod support;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;

use mcplite_core::{Call, Dispatch, Error, Item, Kind, Server, Session};
use serde_json::Value;
use support::host::{Counter, Host, request};
use support::{drain, initialize};

/// How many answers each id has in these lines.
fn answers(lines: &[String]) -> BTreeMap<u64, usize> {
    let mut count = BTreeMap::new();
    for line in lines {
        let message: Value = serde_json::from_str(line).unwrap();
        if let Some(id) = message.get("id").and_then(Value::as_u64) {
            *count.entry(id).or_default() += 1;
        }
    }
    count
}

/// A server whose calls go down a channel.
fn sending() -> (Server, Receiver<Call>) {
    let server = Server::new("threads", "1.0").unwrap();
    let (sender, calls) = channel();
    let send = move |call: &Call| {
        // When nobody works any more, the call is let go.
        drop(sender.send(call.clone()));
        Ok(())
    };
    server.register(Item::tool("work").on_call(send)).unwrap();
    (server, calls)
}

fn connect(server: &Server) -> Session {
    let session = Session::new(server).unwrap();
    initialize(&session, "2025-11-25");
    session
}

/// The wake of a host with a loop: it sends a note.
fn note(sender: Sender<()>) -> mcplite_core::Wake {
    // Whoever waited may have seen the end already.
    Arc::new(move || sender.send(()).unwrap_or_default())
}

#[test]
fn many_threads_feed_one_session() {
    let host = Host::new();
    host.tool("echo", |call: &Call| Ok(call.reply_text(call.arguments())?));
    let session = host.session();
    thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || {
                for number in 0..100 {
                    let text = request(thread * 100 + number, "echo");
                    session.handle_message(text.as_bytes()).unwrap();
                }
            });
        }
    });
    let answers = answers(&host.sent());
    assert_eq!(answers.len(), 800);
    assert!(answers.values().all(|count| *count == 1));
    assert_eq!(session.open_calls(), 0);
}

/// Answers calls until one comes whose id says that it is the last; gives the ids it answered.
fn work(calls: &Mutex<Receiver<Call>>) -> Vec<u64> {
    let mut answered = Vec::new();
    loop {
        let call = calls.lock().unwrap().recv().unwrap();
        let id: u64 = call.id().unwrap().parse().unwrap();
        if id > LAST {
            return answered;
        }
        // Every fifth is let go without an answer.
        if !id.is_multiple_of(5) {
            drop(call.progress(0.5, None, None));
            match call.reply_text("done") {
                Ok(()) => answered.push(id),
                Err(error) => assert_eq!(error, Error::Cancelled),
            }
        }
    }
}

const LAST: u64 = 1000;

#[test]
fn calls_are_answered_by_workers_while_others_cancel_change_and_take() {
    let (server, calls) = sending();
    let session = connect(&server);
    let (calls, done, used) = (Mutex::new(calls), AtomicBool::new(false), server.memory_used());
    let feed = |text: String| session.handle_message(text.as_bytes()).unwrap();
    let cancel = |id| {
        let start = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"#;
        feed(format!("{start}{id}}}}}"));
    };
    let change = || {
        server.replace(Item::tool("other")).unwrap();
        server.tick();
        server.unregister(Kind::Tool, "other").unwrap();
    };
    let (answered, mut lines) = thread::scope(|scope| {
        let workers = [(); 3].map(|()| scope.spawn(|| work(&calls)));
        let taker = scope.spawn(|| {
            let mut lines = Vec::new();
            while !done.load(Ordering::Acquire) {
                lines.extend(drain(&session));
            }
            lines
        });
        let others = [
            scope.spawn(|| (1..=LAST as u32).for_each(|id| feed(request(id, "work")))),
            scope.spawn(|| (1..=LAST).step_by(3).for_each(cancel)),
            scope.spawn(|| (0..200).for_each(|_| change())),
        ];
        others.into_iter().for_each(|other| other.join().unwrap());
        (1..4).for_each(|more| feed(request(LAST as u32 + more, "work")));
        let answered = workers.into_iter().flat_map(|worker| worker.join().unwrap());
        let answered: Vec<_> = answered.collect();
        done.store(true, Ordering::Release);
        (answered, taker.join().unwrap())
    });
    lines.extend(drain(&session));
    let answers = answers(&lines);
    assert!(answers.values().all(|count| *count == 1));
    let lost: Vec<_> = answered.iter().filter(|id| !answers.contains_key(id)).collect();
    assert!(lost.is_empty(), "answered, and nothing was sent: {lost:?}");
    let mut kept = (1..=LAST).filter(|id| id % 3 != 1);
    assert!(kept.all(|id| answers.contains_key(&id)), "not cancelled, and not answered");
    assert_eq!((session.open_calls(), server.memory_used()), (0, used));
}

#[test]
fn a_pool_of_threads_runs_queued_handlers_and_the_host_sees_the_end() {
    let host = Host::new();
    let ran = AtomicUsize::new(0);
    host.server.configure(|options| options.dispatch = Dispatch::Queued).unwrap();
    host.tool("echo", |call: &Call| {
        call.progress(1.0, None, None)?;
        Ok(call.reply_text(call.arguments())?)
    });
    let (work, rung) = channel();
    let (output, woken) = channel();
    host.server.set_wake(Some(note(work)));
    host.session().set_wake(Some(note(output)));
    let rung = Mutex::new(rung);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let note = rung.lock().unwrap().recv();
                    ran.fetch_add(host.server.run(1).unwrap(), Ordering::Relaxed);
                    if note.is_err() {
                        return;
                    }
                }
            });
        }
        scope.spawn(|| {
            for id in 0..500 {
                host.session().handle_message(request(id, "echo").as_bytes()).unwrap();
            }
            host.session().end().unwrap();
        });
        // What a program on a pipe does: take, look for the end, wait to be told.
        let mut lines = Vec::new();
        while !host.session().is_finished() {
            woken.recv().unwrap();
            lines.extend(host.sent());
        }
        host.server.set_wake(None);
        let answers = answers(&lines);
        assert_eq!(answers.len(), 500);
        assert!(answers.values().all(|count| *count == 1));
    });
    assert_eq!(ran.into_inner(), 500);
}

#[test]
fn sessions_are_freed_under_fire() {
    let (server, calls) = sending();
    let (calls, used) = (Mutex::new(calls), server.memory_used());
    let come_and_go = || {
        let session = connect(&server);
        session.set_wake(Some(Arc::new(|| {})));
        for id in 1..5 {
            session.handle_message(request(id, "work").as_bytes()).unwrap();
        }
    };
    thread::scope(|scope| {
        let workers = [(); 2].map(|()| scope.spawn(|| work(&calls)));
        let clients = [(); 2].map(|()| scope.spawn(|| (0..100).for_each(|_| come_and_go())));
        clients.into_iter().for_each(|client| client.join().unwrap());
        for _ in &workers {
            let session = connect(&server);
            session.handle_message(request(LAST as u32 + 1, "work").as_bytes()).unwrap();
        }
    });
    assert_eq!(server.memory_used(), used);
}

#[test]
fn of_several_answers_at_once_one_is_sent() {
    let host = Host::new();
    for id in 0..200 {
        let (call, start) = (host.hold(id), Barrier::new(3));
        let sent: usize = thread::scope(|scope| {
            let answer = |text| {
                let (call, start) = (call.clone(), &start);
                scope.spawn(move || {
                    start.wait();
                    usize::from(call.reply_text(text).is_ok())
                })
            };
            let threads = [answer("one"), answer("two"), answer("three")];
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!((sent, host.sent().len()), (1, 1));
    }
}

#[test]
fn of_equal_ids_at_once_one_is_taken() {
    let host = Host::new();
    for id in 0..200 {
        let start = Barrier::new(2);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    start.wait();
                    host.session().handle_message(request(id, "hold").as_bytes()).unwrap();
                });
            }
        });
        assert_eq!((host.held.lock().unwrap().len(), host.sent().len()), (1, 1));
        host.take_held().reply().unwrap();
        host.sent();
    }
}

#[test]
fn options_set_by_several_threads_all_hold() {
    let server = Server::new("threads", "1.0").unwrap();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                (0..100).for_each(|_| server.configure(|options| options.page_size += 1).unwrap());
            });
        }
    });
    assert_eq!(server.options().page_size, 400);
}

#[test]
fn the_wake_of_a_server_never_runs_beside_itself() {
    let host = Host::new();
    host.server.register(Item::tool("pull")).unwrap();
    let other = connect(&host.server);
    let (entered, is_inside) = channel();
    let (let_go, may_go) = channel::<()>();
    let (all, beside) = (Counter::default(), Counter::default());
    let (count, noted) = (all.clone(), beside.clone());
    let (inside, may_go) = (AtomicBool::new(false), Mutex::new(may_go));
    host.server.set_wake(Some(Arc::new(move || {
        count.up()();
        if inside.swap(true, Ordering::AcqRel) {
            return noted.up()();
        }
        // The first one stays inside until it is told to go.
        if entered.send(()).is_ok() {
            assert!(may_go.lock().unwrap().recv().is_err());
        }
        inside.store(false, Ordering::Release);
    })));
    thread::scope(|scope| {
        scope.spawn(|| host.session().handle_message(request(1, "pull").as_bytes()).unwrap());
        is_inside.recv().unwrap();
        drop(is_inside);
        other.handle_message(request(1, "pull").as_bytes()).unwrap();
        drop(let_go);
    });
    assert_eq!(beside.count(), 0);
    assert_eq!(all.count(), 2, "of the second call it is told when it is done with the first");
}
