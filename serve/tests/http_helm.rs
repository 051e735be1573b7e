//! Who drives the loop for HTTP: whoever runs handlers, and somebody else while they do.
#![cfg(all(any(target_os = "linux", target_os = "android"), feature = "http"))]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, ThreadId};

use mcplite_core::{Authorizer, Call, Http, HttpRequest, Item, Verdict};
use mcplite_serve::{Helm, Settings, http_at};
use serde_json::json;

mod support;

use support::http::{Client, Endpoint, modern};
use support::meeting::Meeting;
use support::{tools, watchdog};

/// Tells on which thread each request is read.
struct Reader(mpsc::Sender<ThreadId>);

impl Authorizer for Reader {
    fn authorize(&self, _: &HttpRequest) -> Verdict {
        self.0.send(thread::current().id()).unwrap();
        Verdict::Granted
    }
}

/// Has an endpoint tell where requests are read and where the tool `where` runs.
fn follow(endpoint: &Endpoint) -> (mpsc::Receiver<ThreadId>, mpsc::Receiver<ThreadId>) {
    let (sender, read) = mpsc::channel();
    endpoint.http.set_authorizer(Some(Arc::new(Reader(sender))));
    let (sender, ran) = mpsc::channel();
    let tool = Item::tool("where").on_call(move |call: &Call| {
        sender.send(thread::current().id()).unwrap();
        Ok(call.reply_text("here")?)
    });
    endpoint.server.register(tool).unwrap();
    (read, ran)
}

fn start(workers: usize) -> Endpoint {
    let settings = Settings { workers, ..Settings::default() };
    Endpoint::start_at("127.0.0.1:0", settings, |_| {}).unwrap()
}

#[test]
fn who_runs_handlers_reads_requests_too() {
    for workers in [0, 1, 3] {
        let endpoint = start(workers);
        let (read, ran) = follow(&endpoint);
        let mut client = endpoint.connect();
        // The first may find the relief there, and any of them a machine that is busy otherwise.
        let is_one_thread = (0..10_000).any(|_| {
            assert_eq!(client.call("where", &json!({})).text(), "here");
            read.recv() == ran.recv()
        });
        assert!(is_one_thread, "{workers} workers");
        endpoint.stop();
    }
}

#[test]
fn somebody_reads_while_all_who_could_are_at_work() {
    for workers in [0, 1, 2] {
        let endpoint = start(workers);
        let meetings: Vec<_> = (0..workers.max(1)).map(|_| Meeting::new()).collect();
        let blocked: Vec<_> = meetings
            .iter()
            .map(|meeting| {
                let mut client = endpoint.connect();
                let params = json!({"name": "hold", "arguments": meeting.arguments()});
                client.write(modern(1, "tools/call", params));
                (client, meeting.wait())
            })
            .collect();
        let mut others = [endpoint.connect(), endpoint.connect()];
        for _ in 0..20 {
            others.iter_mut().for_each(|other| {
                assert_eq!(other.ask("tools/list", json!({})).status, 200);
            });
        }
        // Calls wait, and are answered when somebody has time.
        for (number, other) in others.iter_mut().enumerate() {
            let params = json!({"name": "echo", "arguments": {"text": number.to_string()}});
            other.write(modern(1, "tools/call", params));
        }
        for (mut client, tool) in blocked {
            drop(tool);
            assert_eq!(client.receive().text(), "released");
        }
        for (number, mut other) in others.into_iter().enumerate() {
            assert_eq!(other.receive().text(), number.to_string());
        }
        endpoint.stop();
    }
}

#[test]
fn all_workers_work_although_one_of_them_drives() {
    let endpoint = start(3);
    for _ in 0..20 {
        let meetings = [Meeting::new(), Meeting::new(), Meeting::new()];
        let mut clients = meetings.each_ref().map(|meeting| {
            let mut client = endpoint.connect();
            let params = json!({"name": "hold", "arguments": meeting.arguments()});
            client.write(modern(1, "tools/call", params));
            client
        });
        // All at the same time: none is released before all are there.
        let tools = meetings.each_ref().map(Meeting::wait);
        drop(tools);
        clients.iter_mut().for_each(|client| assert_eq!(client.receive().text(), "released"));
    }
    endpoint.stop();
}

#[test]
fn it_can_be_served_from_inside_another_runtime() {
    watchdog::watch();
    let server = tools::server().unwrap();
    let endpoint = Http::new(&server, "/mcp").unwrap();
    let (sender, address) = mpsc::channel();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let serving = thread::spawn(move || {
        let settings = Settings { workers: 0, ..Settings::default() };
        runtime.block_on(async {
            http_at(&Helm::default(), &endpoint, "127.0.0.1:0", &settings, &mut |address| {
                sender.send(address.to_owned()).unwrap();
            })
        })
    });
    let address = address.recv().unwrap();
    let mut client = Client::to(&address);
    assert_eq!(client.call("echo", &json!({"text": "on"})).text(), "on");
    server.shutdown();
    serving.join().unwrap().unwrap();
}

#[test]
fn a_host_can_drive_and_is_called_away_by_whoever_has_something_for_it() {
    watchdog::watch();
    let server = tools::server().unwrap();
    let endpoint = Http::new(&server, "/mcp").unwrap();
    let helm = Helm::default();
    assert!(!helm.drive(), "there is no loop yet");
    let signals = Arc::new(AtomicUsize::new(0));
    let (heard, mut told) = UnixStream::pair().unwrap();
    heard.set_nonblocking(true).unwrap();
    let counter = Arc::clone(&signals);
    helm.watch(heard, move || {
        counter.fetch_add(1, Ordering::SeqCst);
    });
    let called = helm.clone();
    let _attendant = server.attend(Arc::new(move || called.call_away()));
    let (sender, address) = mpsc::channel();
    let (own, at) = (endpoint.clone(), helm.clone());
    let serving = thread::spawn(move || {
        let settings = Settings { host_attends: true, ..Settings::default() };
        http_at(&at, &own, "127.0.0.1:0", &settings, &mut |address| {
            sender.send(address.to_owned()).unwrap();
        })
    });
    let address = address.recv().unwrap();
    let stopper = server.clone();
    let visitor = thread::spawn(move || {
        let mut client = Client::to(&address);
        for number in 0..100 {
            let text = number.to_string();
            assert_eq!(client.call("echo", &json!({"text": text})).text(), text);
        }
        told.write_all(b"!").unwrap();
        told
    });
    let mut driven = 0;
    while signals.load(Ordering::SeqCst) == 0 {
        // It is not there yet, or the relief has it, which leaves when there is something to do.
        driven += usize::from(helm.drive());
        while server.run(1) == Ok(1) {}
    }
    assert!(driven > 0);
    let _told = visitor.join().unwrap();
    stopper.shutdown();
    serving.join().unwrap().unwrap();
    assert!(!helm.drive(), "there is no loop any more");
}
