//! Plays every transcript and compares bytes. `UPDATE=1` rewrites the server lines instead.

#![expect(clippy::disallowed_methods, reason = "the test reads files and its environment")]
#![expect(clippy::unwrap_used, reason = "a test that cannot read its files has failed")]

mod support;

use std::fs;

use serde_json::{Value, json};
use support::transcript::{feed_bytes, feed_message, play, tests_dir};

fn transcripts() -> Vec<(String, String)> {
    let mut found: Vec<_> = fs::read_dir(tests_dir().join("transcripts"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .map(|path| (path.to_str().unwrap().to_owned(), fs::read_to_string(&path).unwrap()))
        .collect();
    found.sort();
    assert!(found.len() > 10, "the transcripts are there");
    found
}

/// The fixture files by their names in `@ fixture`.
fn fixtures() -> Value {
    let read = |file| -> Value {
        let text = fs::read_to_string(tests_dir().join("transcripts").join(file)).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    json!({"": read("fixture.json"), "asking": read("fixture-asking.json")})
}

#[test]
fn every_transcript_is_played_to_the_byte() {
    let (fixtures, update) = (fixtures(), std::env::var_os("UPDATE").is_some());
    let mut wrong = Vec::new();
    for (path, text) in transcripts() {
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
    for (path, text) in transcripts() {
        let played = play(&text, &fixtures, feed_bytes);
        assert_eq!(first_difference(&text, &played), None, "{path}");
    }
}

fn first_difference(expected: &str, played: &str) -> Option<String> {
    let pairs = expected.lines().zip(played.lines()).enumerate();
    let different = pairs.into_iter().find(|(_, (have, got))| have != got);
    if let Some((index, (have, got))) = different {
        return Some(format!("line {}\n  expected {have}\n  got      {got}", index + 1));
    }
    (expected != played).then(|| "one is longer than the other".to_owned())
}
