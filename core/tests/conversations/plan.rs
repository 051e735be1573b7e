//! What a handler does: what it asks in which round, and how its attempts end.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, json};

use crate::question::{Question, any_key};

/// The behaviour of a handler, the same in every attempt.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    rounds: Vec<Round>,
    /// When everything is answered.
    last: Ending,
}

#[derive(Clone, Debug)]
struct Round {
    keys: Vec<&'static str>,
    /// Whether it keeps a note of having had to ask here.
    takes_note: bool,
    /// When something is not answered.
    ending: Ending,
}

/// How an attempt ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The client is asked.
    Ask,
    /// The handler returns without a word.
    LetGo,
    /// The host keeps the call for later.
    Hold,
    Reply,
    Fail,
    Panic,
    /// The user has to visit a page first.
    SendToPage,
}

/// One run of a handler, of the engine's or of the model's.
pub(crate) trait Attempt {
    fn state(&self) -> Option<String>;
    fn set_state(&mut self, state: &str);
    /// The JSON text of the answer, if there is one.
    fn ask(&mut self, question: &Question) -> Option<String>;
}

impl Plan {
    /// Runs the handler; says how the attempt ends, and what a reply would say: everything that the
    /// handler has seen.
    pub(crate) fn run(&self, attempt: &mut impl Attempt) -> (Ending, String) {
        let state = attempt.state();
        let mut answers = Map::new();
        let mut ending = self.last;
        for (number, round) in self.rounds.iter().enumerate() {
            let mut is_complete = true;
            for key in &round.keys {
                match attempt.ask(&Question::new(key, state.as_deref())) {
                    Some(answer) => drop(answers.insert((*key).to_owned(), json!(answer))),
                    None => is_complete = false,
                }
            }
            if !is_complete {
                if round.takes_note {
                    attempt.set_state(&format!("{}{number}", state.as_deref().unwrap_or("")));
                }
                ending = round.ending;
                break;
            }
        }
        (ending, json!({"answers": answers, "state": state}).to_string())
    }
}

pub(crate) fn any_plan() -> impl Strategy<Value = Plan> {
    let asking = prop_oneof![
        10 => Just(Ending::Ask),
        3 => Just(Ending::LetGo),
        3 => Just(Ending::Hold),
        1 => Just(Ending::Reply),
        1 => Just(Ending::Fail),
        1 => Just(Ending::Panic),
        1 => Just(Ending::SendToPage),
    ];
    let last = prop_oneof![
        8 => Just(Ending::Reply),
        3 => Just(Ending::Hold),
        1 => Just(Ending::LetGo),
        1 => Just(Ending::Fail),
        1 => Just(Ending::Panic),
        1 => Just(Ending::Ask),
        1 => Just(Ending::SendToPage),
    ];
    let keys = vec(any_key(), 1..4);
    let round = (keys, any::<bool>(), asking).prop_map(|(keys, takes_note, ending)| Round {
        keys,
        takes_note,
        ending,
    });
    (vec(round, 0..5), last).prop_map(|(rounds, last)| Plan { rounds, last })
}
