//! Standard input and output of a real process: what is answered, and when.
#![cfg(unix)]

use std::io::Read;

use serde_json::json;

mod support;

use support::client::call;
use support::meeting::Meeting;
use support::program::Program;

/// Tests that hold for handlers on the caller's thread and on a worker.
fn with_and_without_workers(test: impl Fn(&str)) {
    test("workers=0");
    test("workers=1");
    test("workers=4");
}

#[test]
fn calls_are_answered_in_order_and_the_end_of_input_ends_it() {
    with_and_without_workers(|workers| {
        let mut program = Program::start(&[workers]);
        program.ping(1);
        program.expect_pong(1);
        program.call(2, "echo", &json!({"text": "hello"}));
        program.expect_text(2, "hello");
        program.hang_up();
        let ended = program.wait();
        assert_eq!(ended.output, "");
        assert_eq!(ended.errors, "ended: Ok(())\n");
        assert!(ended.succeeded);
    });
}

#[test]
fn a_last_line_without_a_newline_is_answered() {
    let mut program = Program::start(&[]);
    program.write(br#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#);
    program.hang_up();
    program.expect_pong(7);
    assert!(program.wait().succeeded);
}

#[test]
fn a_ping_is_answered_while_a_tool_is_busy() {
    with_and_without_workers(|workers| {
        let meeting = Meeting::new();
        let mut program = Program::start(&[workers]);
        program.call(1, "hold", &meeting.arguments());
        let tool = meeting.wait();
        program.ping(2);
        program.expect_pong(2);
        program.send(&json!({"jsonrpc": "2.0", "id": 3, "method": "tools/list"}));
        assert_eq!(program.receive()["id"], 3);
        drop(tool);
        program.expect_text(1, "released");
        program.hang_up();
        assert!(program.wait().succeeded);
    });
}

#[test]
fn a_busy_tool_learns_that_its_call_was_cancelled() {
    with_and_without_workers(|workers| {
        let meeting = Meeting::new();
        let mut program = Program::start(&[workers]);
        program.call(1, "notice", &meeting.arguments());
        let mut tool = meeting.wait();
        let params = json!({"requestId": 1});
        let method = "notifications/cancelled";
        program.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
        let mut said = String::new();
        tool.read_to_string(&mut said).unwrap();
        assert_eq!(said, "cancelled");
        program.ping(2);
        program.expect_pong(2);
        program.hang_up();
        assert!(program.wait().succeeded);
    });
}

#[test]
fn a_deadline_is_answered_while_the_tool_blocks() {
    with_and_without_workers(|workers| {
        let meeting = Meeting::new();
        let mut program = Program::start(&[workers]);
        let mut arguments = meeting.arguments();
        arguments["deadline_ms"] = json!(1);
        program.call(1, "hold", &arguments);
        let tool = meeting.wait();
        let answer = program.receive();
        assert_eq!(answer["id"], 1);
        assert!(answer.to_string().contains("Timed out"), "{answer}");
        drop(tool);
        program.hang_up();
        assert!(program.wait().succeeded);
    });
}

#[test]
fn several_workers_run_several_handlers() {
    let (first, second) = (Meeting::new(), Meeting::new());
    let mut program = Program::start(&["workers=2"]);
    let calls = [call(1, "hold", &first.arguments()), call(2, "hold", &second.arguments())];
    program.write(format!("{}\n{}\n", calls[0], calls[1]).as_bytes());
    let (one, two) = (first.wait(), second.wait());
    drop(two);
    program.expect_text(2, "released");
    drop(one);
    program.expect_text(1, "released");
    program.hang_up();
    assert!(program.wait().succeeded);
}

#[test]
fn what_is_printed_goes_to_standard_error_and_nobody_reads_messages_away() {
    let mut program = Program::start(&["goodbye"]);
    // The ping waits in the pipe, perhaps, when the tool's program looks for input.
    program.call(1, "print", &json!({}));
    program.ping(2);
    let mut answers = [program.receive(), program.receive()];
    answers.sort_by_key(|answer| answer["id"].as_i64());
    assert_eq!(answers[0]["result"]["content"][0]["text"], "printed");
    assert_eq!(answers[1]["result"], json!({}));
    program.hang_up();
    let ended = program.wait();
    assert_eq!(ended.output, "standard output is back\n");
    let printed = "printed by the handler\nprinted to the device\nprinted by a program\n";
    assert_eq!(ended.errors, format!("{printed}ended: Ok(())\n"));
}

#[test]
fn there_is_one_at_a_time() {
    let mut program = Program::start(&[]);
    program.call(1, "serve_again", &json!({}));
    program.expect_text(1, "Ok(Err(Busy))");
    program.hang_up();
    assert!(program.wait().succeeded);
}
