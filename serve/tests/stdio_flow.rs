//! Standard input and output of a real process: more than fits into a pipe.
#![cfg(unix)]

use std::io::{BufRead, Read, Write};

use serde_json::{Value, json};

mod support;

use support::client::call;
use support::program::Program;

#[test]
fn a_huge_answer_arrives_whole_at_a_client_that_reads_single_bytes() {
    let mut program = Program::start(&[]);
    let size = 200_000;
    program.call(1, "big", &json!({"size": size}));
    program.ping(2);
    program.hang_up();
    let mut bytes = Vec::new();
    // The first half one by one, with as many system calls.
    let mut byte = [0];
    while bytes.len() < size / 2 {
        program.reader.get_mut().read_exact(&mut byte).unwrap();
        bytes.push(byte[0]);
    }
    program.reader.read_to_end(&mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let mut messages: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    messages.sort_by_key(|message| message["id"].as_i64());
    assert_eq!(messages.len(), 2);
    assert_eq!(messages[0]["result"]["content"][0]["text"].as_str().unwrap().len(), size);
    assert!(program.wait().succeeded);
}

#[test]
fn a_client_that_floods_and_reads_later_loses_nothing() {
    const COUNT: i64 = 1_500;
    for workers in ["workers=0", "workers=1", "workers=3"] {
        let mut program = Program::start(&[workers, "output=1048576"]);
        let mut stdin = program.writer.take().unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        let writer = std::thread::spawn(move || {
            let text = "x".repeat(4000);
            for id in 0..COUNT {
                let message = call(id, "echo", &json!({"text": text}));
                writeln!(stdin, "{message}").unwrap();
                // By then more is on its way than a pipe holds.
                if id == 150 {
                    sender.send(()).unwrap();
                }
            }
        });
        receiver.recv().unwrap();
        let mut seen = vec![false; COUNT as usize];
        for _ in 0..COUNT {
            let answer = program.receive();
            let id = answer["id"].as_i64().unwrap() as usize;
            let text = answer["result"]["content"][0]["text"].as_str();
            assert_eq!(text.map(str::len), Some(4000), "{answer}");
            assert!(!std::mem::replace(&mut seen[id], true));
        }
        writer.join().unwrap();
        assert_eq!(program.try_receive(), None);
        assert!(program.wait().succeeded);
    }
}

#[test]
fn what_is_sent_while_output_is_full_waits_and_is_answered() {
    const COUNT: i64 = 1_800;
    let mut program = Program::start(&["output=1048576"]);
    program.call(COUNT, "big", &json!({"size": 1_500_000}));
    // Its answer is there, and nearly all of it has to wait for us.
    program.reader.fill_buf().unwrap();
    // More than a pipe holds: when it is written, some of it has been read.
    let pings: String = (0..COUNT)
        .map(|id| format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": "ping"})))
        .collect();
    program.write(pings.as_bytes());
    program.hang_up();
    let answer = program.receive();
    assert_eq!(answer["result"]["content"][0]["text"].as_str().unwrap().len(), 1_500_000);
    for id in 0..COUNT {
        program.expect_pong(id);
    }
    assert!(program.wait().succeeded);
}

#[test]
fn a_client_that_writes_ahead_is_held_back_rather_than_refused() {
    const COUNT: i64 = 500;
    for workers in ["workers=0", "workers=1", "workers=3"] {
        let mut program = Program::start(&[workers, "open=4"]);
        let calls = (0..COUNT).map(|id| format!("{}\n", call(id, "echo", &json!({"text": "on"}))));
        program.write(calls.collect::<String>().as_bytes());
        program.hang_up();
        for _ in 0..COUNT {
            let answer = program.receive();
            assert_eq!(answer["result"]["content"][0]["text"], "on", "{answer}");
        }
        assert!(program.wait().succeeded);
    }
}
