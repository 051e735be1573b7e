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

use std::collections::{BTreeMap, BTreeSet};

use case::Case;
use player::{Feed, play};

/// Cases that need what the engine does not have yet. One that passes must leave this list.
const WAITING: &[(&str, &str)] = &[
    ("sub.ack-first@mod", NO_SUBSCRIPTIONS),
    ("sub.missing-filter@mod", NO_SUBSCRIPTIONS),
    ("sub.filter-string@mod", NO_SUBSCRIPTIONS),
    ("sub.duplicate-live-id@mod", NO_SUBSCRIPTIONS),
    ("sub.cancel@mod", NO_SUBSCRIPTIONS),
    ("sub.cancel-twice@mod", NO_SUBSCRIPTIONS),
    ("sub.leak-1000@mod", NO_SUBSCRIPTIONS),
];

const NO_SUBSCRIPTIONS: &str = "subscriptions/listen is not served yet";

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
    let ids: BTreeSet<_> = cases.iter().map(|case| case.id.as_str()).collect();
    let unknown: Vec<_> = WAITING.iter().filter(|(id, _)| !ids.contains(id)).collect();
    assert!(unknown.is_empty(), "waiting for cases that do not exist: {unknown:?}");

    let mut tally = Tally::default();
    let mut wrong = Vec::new();
    for case in cases.iter().filter(|case| feed.takes(case)) {
        let verdict = play(case, feed).and_then(|played| expect::judge(case, &played));
        let reason = WAITING.iter().find(|(id, _)| *id == case.id).map(|(_, reason)| *reason);
        tally.add(case, verdict.is_ok());
        match (verdict, reason) {
            (Err(what), None) => wrong.push(format!("{} [{}]: {what}", case.id, case.level)),
            (Ok(()), Some(reason)) => {
                wrong.push(format!("{} passes, but waits because {reason}", case.id));
            }
            _ => {}
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
