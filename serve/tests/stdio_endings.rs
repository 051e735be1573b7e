//! Standard input and output of a real process: how it ends.
#![cfg(unix)]

use std::io::Read;

use serde_json::json;

mod support;

use support::meeting::Meeting;
use support::program::Program;

/// A grace time that no test waits for.
const LONG: &str = "grace=600000";

#[test]
fn the_grace_time_lets_a_call_finish() {
    for workers in ["workers=0", "workers=1"] {
        let meeting = Meeting::new();
        let mut program = Program::start(&[workers, LONG]);
        program.call(1, "hold", &meeting.arguments());
        let tool = meeting.wait();
        program.hang_up();
        drop(tool);
        program.expect_text(1, "released");
        assert_eq!(program.wait().errors, "ended: Ok(())\n");
    }
}

#[test]
fn the_end_of_input_ends_it_although_a_tool_blocks() {
    let meeting = Meeting::new();
    let mut program = Program::start(&["grace=20"]);
    program.call(1, "hold", &meeting.arguments());
    let tool = meeting.wait();
    program.hang_up();
    let ended = program.wait();
    assert_eq!((ended.output.as_str(), ended.errors.as_str()), ("", "ended: Ok(())\n"));
    drop(tool);
}

#[test]
fn without_workers_a_tool_learns_that_the_grace_time_is_over() {
    let meeting = Meeting::new();
    let mut program = Program::start(&["workers=0", "grace=20"]);
    program.call(1, "notice", &meeting.arguments());
    let mut tool = meeting.wait();
    program.hang_up();
    let mut said = String::new();
    tool.read_to_string(&mut said).unwrap();
    assert_eq!(said, "cancelled");
    assert_eq!(program.wait().errors, "ended: Ok(())\n");
}

#[test]
fn a_client_that_does_not_read_any_more_ends_it_without_a_signal() {
    for workers in ["workers=0", "workers=1"] {
        let ended = Program::start(&[workers, LONG]).stop_reading();
        assert_eq!(ended.errors, "ended: Ok(())\n");
        assert!(ended.succeeded);
    }
}

#[test]
fn a_client_that_vanishes_in_the_middle_of_an_answer_ends_it_without_a_signal() {
    let mut program = Program::start(&[LONG]);
    program.call(1, "big", &json!({"size": 1_000_000}));
    program.reader.read_exact(&mut [0; 1000]).unwrap();
    let ended = program.stop_reading();
    assert_eq!(ended.errors, "ended: Ok(())\n");
    assert!(ended.succeeded);
}

#[test]
fn a_busy_tool_learns_that_the_client_has_vanished() {
    let meeting = Meeting::new();
    let mut program = Program::start(&[LONG]);
    program.call(1, "notice", &meeting.arguments());
    let mut tool = meeting.wait();
    let ended = program.stop_reading();
    let mut said = String::new();
    tool.read_to_string(&mut said).unwrap();
    assert_eq!(said, "cancelled");
    assert!(ended.succeeded);
}

#[test]
fn a_handler_can_shut_down() {
    for workers in ["workers=0", "workers=1"] {
        let mut program = Program::start(&[workers, LONG]);
        program.call(1, "shut_down", &json!({}));
        program.expect_text(1, "bye");
        let ended = program.wait();
        assert_eq!((ended.output.as_str(), ended.errors.as_str()), ("", "ended: Ok(())\n"));
    }
}

#[test]
fn a_shutdown_waits_for_open_calls() {
    let meeting = Meeting::new();
    let mut program = Program::start(&["workers=2", LONG]);
    program.call(1, "hold", &meeting.arguments());
    let tool = meeting.wait();
    program.call(2, "shut_down", &json!({}));
    program.expect_text(2, "bye");
    drop(tool);
    program.expect_text(1, "released");
    assert!(program.wait().succeeded);
}

#[test]
fn a_handler_can_close_the_server() {
    for workers in ["workers=0", "workers=1"] {
        let mut program = Program::start(&[workers, LONG]);
        program.call(1, "close", &json!({}));
        let ended = program.wait();
        assert_eq!(
            (ended.output.as_str(), ended.errors.lines().next()),
            ("", Some("ended: Err(Closed)"))
        );
        assert!(!ended.succeeded);
    }
}
