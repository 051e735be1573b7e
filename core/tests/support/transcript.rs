//! Reading and playing transcripts; `tests/transcripts/README.md` has the format.

use std::fs;
use std::path::{Path, PathBuf};

use mcplite_core::Session;
use serde_json::{Value, json};

use super::drain;
use super::stage::{Stage, options_of};
use super::states::States;

/// Where the shared files of the tests are.
pub(crate) fn tests_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests")
}

/// Path and text of every transcript in a folder of the tests.
#[expect(clippy::disallowed_methods, reason = "transcripts are files")]
pub(crate) fn in_folder(name: &str) -> Vec<(String, String)> {
    let mut found: Vec<_> = fs::read_dir(tests_dir().join(name))
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
#[expect(clippy::disallowed_methods, reason = "fixtures are files")]
pub(crate) fn fixtures() -> Value {
    let read = |file| -> Value {
        let text = fs::read_to_string(tests_dir().join("transcripts").join(file)).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    json!({"": read("fixture.json"), "asking": read("fixture-asking.json")})
}

/// The first line in which two transcripts differ.
pub(crate) fn first_difference(expected: &str, played: &str) -> Option<String> {
    let pairs = expected.lines().zip(played.lines()).enumerate();
    let different = pairs.into_iter().find(|(_, (have, got))| have != got);
    if let Some((index, (have, got))) = different {
        return Some(format!("line {}\n  expected {have}\n  got      {got}", index + 1));
    }
    (expected != played).then(|| "one is longer than the other".to_owned())
}

/// One transcript in the middle of being played.
pub(crate) struct Player {
    stage: Stage,
    session: Session,
    /// How a client line is handed in.
    feed: fn(&Session, &[u8]),
    states: States,
}

/// A whole message at once.
pub(crate) fn feed_message(session: &Session, line: &[u8]) {
    session.handle_message(line).unwrap();
}

/// Byte by byte, through the framer.
pub(crate) fn feed_bytes(session: &Session, line: &[u8]) {
    for byte in line.iter().chain(b"\n") {
        session.receive_all(&[*byte]).unwrap();
    }
}

/// The text with its server lines replaced by what the engine says. `fixtures` is as in [`Stage::new`].
pub(crate) fn play(text: &str, fixtures: &Value, feed: fn(&Session, &[u8])) -> String {
    let mut player = Player::new(text, fixtures, feed);
    let mut out = String::new();
    let mut gap = false;
    for line in text.lines() {
        let (mark, rest) = line.split_once(' ').unwrap_or((line, ""));
        if mark == "<" {
            continue;
        }
        gap |= line.is_empty();
        if !line.is_empty() {
            if std::mem::take(&mut gap) {
                out.push('\n');
            }
            out.push_str(line);
            out.push('\n');
        }
        match mark {
            ">" => (player.feed)(&player.session, player.states.fill_in(rest).as_bytes()),
            ">>" => (player.feed)(&player.session, &bytes_of(rest)),
            "!" => player.act(rest),
            _ => continue,
        }
        for answer in drain(&player.session) {
            player.states.note(&answer);
            out.push_str("< ");
            out.push_str(&answer);
            out.push('\n');
        }
    }
    out
}

/// What a JSON string says in which every character stands for the byte of its number.
pub(crate) fn bytes_of(json: &str) -> Vec<u8> {
    let text: String = serde_json::from_str(json).unwrap();
    text.chars().map(|c| u8::try_from(c).unwrap()).collect()
}

impl Player {
    fn new(text: &str, fixtures: &Value, feed: fn(&Session, &[u8])) -> Player {
        let stage = Stage::new(&options_of(text), fixtures);
        let session = connect(&stage);
        Player { stage, session, feed, states: States::default() }
    }

    fn act(&mut self, action: &str) {
        let mut words = action.splitn(3, ' ');
        let verb = words.next().unwrap_or_default();
        let (one, two) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        match verb {
            "connect" => self.session = connect(&self.stage),
            "notify" => self.session.notify(one, two).unwrap(),
            "principal" => self.session.set_principal((!one.is_empty()).then_some(one)),
            "end" => self.session.end().unwrap(),
            _ => self.stage.act(action),
        }
    }
}

fn connect(stage: &Stage) -> Session {
    let session = Session::new(&stage.server).unwrap();
    session.set_principal(Some("somebody"));
    session
}
