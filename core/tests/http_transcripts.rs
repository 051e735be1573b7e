//! Plays every HTTP transcript and compares statuses, headers and bytes. `UPDATE=1` rewrites what the
//! server says instead.

#![expect(clippy::disallowed_methods, reason = "the test reads files and its environment")]

mod support;

use std::fs;

use support::http_transcript::{feed_bytes, feed_whole, play};
use support::transcript::{first_difference, fixtures, in_folder};

#[test]
fn every_http_transcript_is_played_to_the_byte() {
    let (fixtures, update) = (fixtures(), std::env::var_os("UPDATE").is_some());
    let mut wrong = Vec::new();
    for (path, text) in in_folder("http/transcripts") {
        let played = play(&text, &fixtures, feed_whole);
        if update {
            fs::write(&path, &played).unwrap();
        } else if let Some(line) = first_difference(&text, &played) {
            wrong.push(format!("{path}: {line}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn bodies_that_come_byte_by_byte_get_the_same_answers() {
    if std::env::var_os("UPDATE").is_some() {
        return;
    }
    let fixtures = fixtures();
    for (path, text) in in_folder("http/transcripts") {
        let played = play(&text, &fixtures, feed_bytes);
        assert_eq!(first_difference(&text, &played), None, "{path}");
    }
}
