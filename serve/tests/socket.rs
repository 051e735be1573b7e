//! Clients of a socket: many at a time, and none in another's way.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::sync::{Arc, mpsc};

use mcplite_serve::{ServeError, Settings, socket};
use nix::sys::signal::Signal;
use serde_json::json;

mod support;

use support::client::Client;
use support::listening::Listening;
use support::meeting::{Folder, Meeting};
use support::{program, tools};

fn start(folder: &Folder) -> Listening {
    Listening::start(&folder.file("s"), Settings::default())
}

#[test]
fn many_clients_are_served_side_by_side() {
    let folder = Folder::new();
    let listening = start(&folder);
    let mut clients: Vec<_> = (0..50).map(|_| listening.connect()).collect();
    for round in 0..3 {
        for (number, client) in clients.iter_mut().enumerate() {
            client.call(round, "echo", &json!({"text": format!("{number}")}));
        }
        for (number, client) in clients.iter_mut().enumerate().rev() {
            client.expect_text(round, &number.to_string());
        }
    }
    drop(clients);
    listening.stop();
}

#[test]
fn a_client_that_has_said_all_gets_its_answers_and_then_the_end() {
    let folder = Folder::new();
    let listening = start(&folder);
    let meeting = Meeting::new();
    let mut client = listening.connect();
    client.call(1, "hold", &meeting.arguments());
    let tool = meeting.wait();
    client.writer.as_ref().unwrap().shutdown(Shutdown::Write).unwrap();
    drop(tool);
    client.expect_text(1, "released");
    assert_eq!(client.try_receive(), None);
    listening.stop();
}

#[test]
fn a_busy_tool_learns_that_its_client_is_gone() {
    let folder = Folder::new();
    // Nobody waits for the end of calls that nobody waits for.
    let settings = Settings { grace_ms: 600_000, ..Settings::default() };
    let listening = Listening::start(&folder.file("s"), settings);
    let meeting = Meeting::new();
    let mut client = listening.connect();
    client.call(1, "notice", &meeting.arguments());
    let mut tool = meeting.wait();
    drop(client);
    let mut said = String::new();
    tool.read_to_string(&mut said).unwrap();
    assert_eq!(said, "cancelled");
    listening.connect();
    listening.stop();
}

#[test]
fn half_a_line_and_an_unread_answer_stop_nobody_else() {
    let folder = Folder::new();
    let listening = start(&folder);
    let mut half = listening.connect();
    half.write(br#"{"jsonrpc":"2.0","id":1,"me"#);
    let mut slow = listening.connect();
    // More than the socket and the buffers of both sides hold.
    slow.call(1, "big", &json!({"size": 8_000_000}));
    let mut other = listening.connect();
    for id in 0..100 {
        other.call(id, "echo", &json!({"text": "on"}));
        other.expect_text(id, "on");
    }
    half.write(b"thod\":\"ping\"}\n");
    half.expect_pong(1);
    let answer = slow.receive();
    assert_eq!(answer["result"]["content"][0]["text"].as_str().unwrap().len(), 8_000_000);
    listening.stop();
}

#[test]
fn whoever_is_too_many_is_hung_up_on_until_there_is_room() {
    let folder = Folder::new();
    let settings = Settings { connections: 2, ..Settings::default() };
    let listening = Listening::start(&folder.file("s"), settings);
    let (first, mut second) = (listening.connect(), listening.connect());
    assert_eq!(listening.connect_only().try_receive(), None);
    second.ping(1);
    second.expect_pong(1);
    drop(first);
    // The server notices at its own pace.
    let mut third = listening.connect_only();
    while third.try_send_ping().is_none() {
        third = listening.connect_only();
    }
    listening.stop();
}

#[test]
fn for_want_of_descriptors_clients_wait_until_others_leave() {
    let folder = Folder::new();
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -n 12; exec \"$0\" \"$1\""]).arg(program::path());
    command.arg(format!("socket={}", folder.file("s"))).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "listening\n");

    let connect = || {
        let stream = UnixStream::connect(folder.file("s")).unwrap();
        Client::new(stream.try_clone().unwrap(), stream)
    };
    let mut first = connect();
    first.initialize();
    let crowd: Vec<_> = (0..12).map(|_| connect()).collect();
    let mut last = connect();
    first.ping(1);
    first.expect_pong(1);
    drop(crowd);
    last.initialize();
    last.call(1, "shut_down", &json!({}));
    last.expect_text(1, "bye");
    assert!(child.wait().unwrap().success());
}

#[test]
fn tcp_is_served_at_the_port_that_the_system_chose() {
    for address in ["127.0.0.1:0", "localhost:0"] {
        let listening = Listening::start(address, Settings::default());
        assert!(!listening.address.ends_with(":0"));
        let mut client = listening.connect_tcp();
        client.initialize();
        client.call(1, "echo", &json!({"text": "hello"}));
        client.expect_text(1, "hello");
        let again = Listening::try_start(&listening.address, Settings::default());
        assert!(matches!(again.err(), Some(ServeError::InUse)));
        listening.stop();
        assert_eq!(client.try_receive(), None);
    }
}

#[test]
fn a_web_page_cannot_make_a_browser_talk_to_it() {
    let listening = Listening::start("127.0.0.1:0", Settings::default());
    let mut browser = listening.connect_tcp();
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    browser.write(format!("POST / HTTP/1.1\r\nHost: localhost\r\n\r\n{body}\n").as_bytes());
    // Either end, or a reset because it was not read: but no answer.
    let mut answer = Vec::new();
    drop(browser.reader.read_to_end(&mut answer));
    assert_eq!(answer, b"");
    let mut client = listening.connect_tcp();
    client.write(b"\n  \n");
    client.initialize();
    listening.stop();
}

#[test]
fn a_shutdown_waits_for_open_calls_and_closing_does_not() {
    let folder = Folder::new();
    let meeting = Meeting::new();
    let listening = start(&folder);
    let mut client = listening.connect();
    client.call(1, "hold", &meeting.arguments());
    let tool = meeting.wait();
    listening.server.shutdown();
    drop(tool);
    client.expect_text(1, "released");
    assert_eq!(client.try_receive(), None);
    listening.wait().unwrap();

    let listening = start(&folder);
    let mut client = listening.connect();
    client.call(1, "hold", &meeting.arguments());
    let tool = meeting.wait();
    listening.server.close();
    assert_eq!(client.try_receive(), None);
    assert!(matches!(listening.wait(), Err(ServeError::Closed)));
    drop(tool);
}

#[test]
fn handlers_run_where_the_host_wants_them() {
    let folder = Folder::new();
    let server = tools::server().unwrap();
    server.configure(|options| options.dispatch = mcplite_core::Dispatch::Queued).unwrap();
    let (sender, jobs) = mpsc::channel();
    server.set_wake(Some(Arc::new(move || sender.send(()).unwrap())));
    let (own, path) = (server.clone(), folder.file("s"));
    let (sender, receiver) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        let listening = &mut |_: &str| sender.send(()).unwrap();
        socket(&own, &path, &Settings::default(), listening)
    });
    receiver.recv().unwrap();
    let stream = UnixStream::connect(folder.file("s")).unwrap();
    let mut client = Client::new(stream.try_clone().unwrap(), stream);
    client.initialize();
    client.call(1, "echo", &json!({"text": "mine"}));
    client.ping(2);
    client.expect_pong(2);
    jobs.recv().unwrap();
    assert_eq!(server.run(0), Ok(1));
    client.expect_text(1, "mine");
    server.shutdown();
    thread.join().unwrap().unwrap();
}

#[test]
#[cfg(target_os = "linux")]
fn only_the_event_thread_is_deaf_to_signals_and_not_to_faults_of_its_own() {
    let folder = Folder::new();
    let listening = start(&folder);
    // Threads have their names when they have done something.
    let mut client = listening.connect();
    client.call(1, "echo", &json!({"text": "on"}));
    client.expect_text(1, "on");
    let mut seen = BTreeSet::new();
    for task in std::fs::read_dir("/proc/self/task").unwrap() {
        // Threads of other tests may end meanwhile.
        let Ok(status) = std::fs::read_to_string(task.unwrap().path().join("status")) else {
            continue;
        };
        let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        let name = field("Name:\t");
        if name.starts_with("mcplite-") {
            let blocked = u64::from_str_radix(field("SigBlk:\t"), 16).unwrap();
            let is_blocked = |signal: Signal| blocked >> (signal as u32 - 1) & 1 == 1;
            for signal in [Signal::SIGPIPE, Signal::SIGINT, Signal::SIGTERM, Signal::SIGALRM] {
                assert_eq!(is_blocked(signal), name == "mcplite-serve", "{name}: {signal}");
            }
            for fault in [Signal::SIGSEGV, Signal::SIGBUS, Signal::SIGFPE, Signal::SIGABRT] {
                assert!(!is_blocked(fault), "{name}: {fault}");
            }
            seen.insert(name.to_owned());
        }
    }
    assert!(seen.contains("mcplite-serve") && seen.contains("mcplite-worker"), "{seen:?}");
    listening.stop();
}
