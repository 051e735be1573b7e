//! Plays every transcript and compares bytes. `UPDATE=1` rewrites the server lines instead.

#![expect(clippy::disallowed_methods, reason = "the test reads files and its environment")]

mod support;

use std::fs;

use support::transcript::{feed_bytes, feed_message, first_difference, fixtures, in_folder, play};

#[test]
fn every_transcript_is_played_to_the_byte() {
    let (fixtures, update) = (fixtures(), std::env::var_os("UPDATE").is_some());
    let mut wrong = Vec::new();
    for (path, text) in in_folder("transcripts") {
        let played = play(&text, &fixtures, feed_message);
        if update {
            fs::write(&path, &played).unwrap();
        } else if let Some(line) = first_difference(&text, &played) {
            wrong.push(format!("{path}: {line}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn byte_by_byte_feeding_gives_the_same_bytes() {
    if std::env::var_os("UPDATE").is_some() {
        return;
    }
    let fixtures = fixtures();
    for (path, text) in in_folder("transcripts") {
        let played = play(&text, &fixtures, feed_bytes);
        assert_eq!(first_difference(&text, &played), None, "{path}");
    }
}
