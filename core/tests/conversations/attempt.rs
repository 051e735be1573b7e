//! Attempts at answering a request as the model knows them, and what is remembered between them.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::plan::Attempt;
use crate::question::{Abilities, Question, Revision, Topic, fits};
use crate::words::Target;

/// An attempt that can still be answered.
#[derive(Clone, Debug)]
pub(crate) struct Open {
    pub(crate) client: usize,
    pub(crate) id: Value,
    pub(crate) target: Target,
    pub(crate) revision: Revision,
    pub(crate) abilities: Abilities,
    pub(crate) principal: Option<&'static str>,
    pub(crate) past: History,
    pub(crate) asked: Vec<Question>,
    /// Questions that the client had answered before they were asked.
    pub(crate) foreseen: Vec<(Question, String)>,
    pub(crate) refused: BTreeSet<Topic>,
    pub(crate) note: Option<String>,
    pub(crate) deadline: Option<u64>,
}

/// What the attempts before left.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    pub(crate) rounds: usize,
    pub(crate) state: Option<String>,
    pub(crate) answers: Vec<(Question, String)>,
    pub(crate) asked: Vec<Question>,
    /// Answers that came without a state, by key.
    pub(crate) offered: Vec<(String, Value)>,
}

/// What a modern client carries.
#[derive(Debug)]
pub(crate) struct Sealed {
    /// How it looked, once it was seen.
    pub(crate) text: Option<String>,
    pub(crate) target: Target,
    pub(crate) principal: Option<&'static str>,
    pub(crate) issued_ms: u64,
    pub(crate) history: History,
}

/// A call that waits for a legacy client.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) call: u64,
    /// Our requests that have no response: their ids, and the keys of the questions.
    pub(crate) open: Vec<(u64, &'static str)>,
    pub(crate) left_ms: Option<u64>,
}

/// What a modern client brings along: a state of ours, one that we did not make or none, and answers by key.
pub(crate) struct Brought {
    pub(crate) has_state: bool,
    pub(crate) sealed: Option<usize>,
    pub(crate) answers: Vec<(String, Value)>,
}

impl Sealed {
    pub(crate) fn keys(&self) -> impl Iterator<Item = (&'static str, Topic)> {
        self.history.asked.iter().map(|question| (question.key, question.topic))
    }
}

impl History {
    pub(crate) fn hear(&mut self, key: &str, said: &Value) {
        if let Some(position) = self.asked.iter().position(|asked| asked.key == key) {
            let question = self.asked.remove(position);
            self.answers.retain(|(answered, _)| answered.key != key);
            self.answers.push((question, said.to_string()));
        }
    }
}

impl Attempt for Open {
    fn state(&self) -> Option<String> {
        self.past.state.clone()
    }

    fn set_state(&mut self, state: &str) {
        self.note = Some(state.to_owned());
    }

    fn ask(&mut self, question: &Question) -> Option<String> {
        let known = self.past.answers.iter().find(|(known, _)| known == question);
        let is_answer = |json: &str| fits(question.topic, &serde_json::from_str(json).unwrap());
        if let Some((_, json)) = known.filter(|(_, json)| is_answer(json)) {
            return Some(json.clone());
        }
        let offer = self.past.offered.iter().find(|(key, _)| key == question.key);
        if let Some((_, said)) = offer.filter(|(_, said)| fits(question.topic, said)) {
            let foreseen = (question.clone(), said.to_string());
            if !self.foreseen.contains(&foreseen) {
                self.foreseen.push(foreseen);
            }
            return Some(said.to_string());
        }
        if !self.abilities.include(question.topic, self.revision) {
            self.refused.insert(question.topic);
        } else if !self.asked.contains(question) {
            self.asked.push(question.clone());
        }
        None
    }
}

impl Open {
    pub(crate) fn has_asked(&self) -> bool {
        !self.asked.is_empty() || !self.refused.is_empty()
    }

    /// What the next attempt has to know.
    pub(crate) fn history(&self) -> History {
        let is_asked = |key| self.asked.iter().any(|question| question.key == key);
        let answers = self.past.answers.iter().chain(&self.foreseen);
        let answers = answers.filter(|(question, _)| !is_asked(question.key));
        History {
            rounds: self.past.rounds + 1,
            state: self.note.clone().or(self.past.state.clone()),
            answers: answers.cloned().collect(),
            asked: self.asked.clone(),
            offered: Vec::new(),
        }
    }
}
