//! Who drives the loop of a socket: whoever runs handlers, and somebody else while they do.
#![cfg(any(target_os = "linux", target_os = "android"))]

use std::sync::mpsc;
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use mcplite_core::{Call, Event, Item, Observer};
use mcplite_serve::Settings;
use serde_json::json;

mod support;

use support::listening::Listening;
use support::meeting::{Folder, Meeting};

/// Tells on which thread each request is read.
struct Reader(mpsc::Sender<ThreadId>);

impl Observer for Reader {
    fn event(&self, event: &Event<'_>) {
        if matches!(event, Event::RequestReceived { .. }) {
            // The test may have seen enough.
            let _ = self.0.send(thread::current().id());
        }
    }
}

fn start(folder: &Folder, workers: usize) -> Listening {
    let settings = Settings { workers, ..Settings::default() };
    Listening::start(&folder.file("socket"), settings)
}

#[test]
fn who_runs_handlers_reads_messages_too() {
    for workers in [0, 1, 3] {
        let folder = Folder::new();
        let listening = start(&folder, workers);
        let (sender, read) = mpsc::channel();
        listening.server.set_observer(Reader(sender));
        let (sender, ran) = mpsc::channel();
        let tool = Item::tool("where").on_call(move |call: &Call| {
            sender.send(thread::current().id()).unwrap();
            Ok(call.reply_text("here")?)
        });
        listening.server.register(tool).unwrap();
        let mut client = listening.connect();
        while read.try_recv().is_ok() {}
        // The first may find the relief there, and any of them a machine that is busy otherwise.
        let is_one_thread = (0..10_000).any(|id| {
            client.call(id, "where", &json!({}));
            client.expect_text(id, "here");
            read.recv() == ran.recv()
        });
        assert!(is_one_thread, "{workers} workers");
        listening.stop();
    }
}

#[test]
fn handlers_that_take_their_time_keep_pings_waiting_for_little() {
    for workers in [0, 1, 2] {
        let folder = Folder::new();
        let listening = start(&folder, workers);
        let mut other = listening.connect();
        // The shortest of many waits: any of them may meet a machine that is busy otherwise.
        let shortest = (0..20).map(|id| {
            let meetings: Vec<_> = (0..workers.max(1)).map(|_| Meeting::new()).collect();
            let mut clients: Vec<_> = meetings.iter().map(|_| listening.connect()).collect();
            for (client, meeting) in clients.iter_mut().zip(&meetings) {
                client.call(1, "hold", &meeting.arguments());
            }
            let tools: Vec<_> = meetings.iter().map(Meeting::wait).collect();
            let asked = Instant::now();
            other.ping(id);
            other.expect_pong(id);
            let waited = asked.elapsed();
            drop(tools);
            clients.iter_mut().for_each(|client| client.expect_text(1, "released"));
            waited
        });
        let shortest = shortest.min().unwrap();
        assert!(shortest < Duration::from_millis(20), "{workers} workers: {shortest:?}");
        listening.stop();
    }
}

#[test]
fn all_workers_work_although_one_of_them_drives() {
    let folder = Folder::new();
    let listening = start(&folder, 3);
    let mut client = listening.connect();
    for round in 0..20 {
        let meetings = [Meeting::new(), Meeting::new(), Meeting::new()];
        for (number, meeting) in (0..).zip(&meetings) {
            client.call(3 * round + number, "hold", &meeting.arguments());
        }
        // All at the same time: none is released before all are there.
        let tools = meetings.each_ref().map(Meeting::wait);
        drop(tools);
        let mut ids = [0; 3].map(|_| client.receive()["id"].as_i64().unwrap());
        ids.sort_unstable();
        assert_eq!(ids, [3 * round, 3 * round + 1, 3 * round + 2]);
    }
    listening.stop();
}
