//! Plays the hostile cases of `tests/adversarial` and judges the answers; see its README.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that finds something else than it expects has failed"
)]

mod case;
mod expect;
mod message;
mod player;

use std::collections::BTreeMap;

use case::Case;
use player::{Feed, play};

#[test]
fn hostile_messages_are_answered_as_they_must_be() {
    check(Feed::Messages);
}

#[test]
fn hostile_streams_are_answered_as_they_must_be() {
    check(Feed::Lines);
}

#[test]
fn hostile_streams_in_pieces_of_seven_bytes_are_answered_as_they_must_be() {
    check(Feed::Pieces(7));
}

#[test]
fn hostile_streams_byte_by_byte_are_answered_as_they_must_be() {
    check(Feed::Pieces(1));
}

fn check(feed: Feed) {
    let cases = case::load();
    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    for case in cases.iter().filter(|case| feed.takes(case)) {
        let verdict = play(case, feed).and_then(|played| expect::judge(case, &played));
        tally.add(case, verdict.is_ok());
        if let Err(what) = verdict {
            wrong.push(format!("{} [{}]: {what}", case.id, case.level));
        }
    }
    tally.print(feed);
    assert!(wrong.is_empty(), "{feed:?}: {} cases\n{}", wrong.len(), wrong.join("\n"));
}

/// How many cases of each class and level passed, of how many.
#[derive(Default)]
struct Tally(BTreeMap<String, BTreeMap<String, (usize, usize)>>);

impl Tally {
    fn add(&mut self, case: &Case, passed: bool) {
        for class in [case.class.as_str(), "total"] {
            let levels = self.0.entry(class.to_owned()).or_default();
            let (good, all) = levels.entry(case.level.clone()).or_default();
            *good += usize::from(passed);
            *all += 1;
        }
    }

    #[expect(
        clippy::print_stdout,
        clippy::disallowed_macros,
        reason = "the counts are for whoever runs the test with --nocapture"
    )]
    fn print(&self, feed: Feed) {
        let mut table = format!("{feed:?}: passed/all\n");
        for (class, levels) in &self.0 {
            let counts: Vec<_> =
                levels.iter().map(|(level, (good, all))| format!("{level} {good}/{all}")).collect();
            table.push_str(&format!("  {class:<14}{}\n", counts.join("  ")));
        }
        print!("{table}");
    }
}
