//! What is remembered from one attempt to the next: answers, open questions, and the handler's own
//! state. As bytes, it is what a `requestState` holds.

use super::binding::{Binding, Digest};

/// The attempts before this one.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct History {
    /// How often the client has been asked.
    pub(crate) rounds: u32,
    /// What the handler wants to find again.
    pub(crate) state: Option<String>,
    pub(crate) answers: Vec<Answer>,
    /// What was asked last.
    pub(crate) asked: Vec<Asked>,
    /// Answers that came before their question, by key: JSON text. They stay with their attempt.
    pub(crate) offered: Vec<(String, String)>,
}

/// What the client said to a question. Whether it is an answer is found out when it is needed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) key: String,
    pub(crate) question: Digest,
    /// JSON text.
    pub(crate) json: String,
}

/// A question that was sent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) key: String,
    pub(crate) question: Digest,
}

/// Of the bytes that follow.
const VERSION: u8 = 1;

impl History {
    /// Notes what the client says to the question `key`, if that was asked.
    pub(crate) fn hear(&mut self, key: &str, json: &str) {
        let Some(position) = self.asked.iter().position(|asked| asked.key == key) else {
            return;
        };
        let Asked { key, question } = self.asked.swap_remove(position);
        self.answers.retain(|answer| answer.key != key);
        self.answers.push(Answer { key, question, json: json.to_owned() });
    }

    /// What the client said under `key` before anybody asked.
    pub(crate) fn offer(&self, key: &str) -> Option<&str> {
        let offer = self.offered.iter().find(|(own, _)| own == key);
        offer.map(|(_, json)| json.as_str())
    }

    pub(crate) fn answer(&self, key: &str) -> Option<&Answer> {
        self.answers.iter().find(|answer| answer.key == key)
    }

    /// Bytes held.
    pub(crate) fn len(&self) -> usize {
        let answers = self.answers.iter().map(|answer| answer.key.len() + answer.json.len() + 32);
        let asked = self.asked.iter().map(|asked| asked.key.len() + 32);
        let offered = self.offered.iter().map(|(key, json)| key.len() + json.len() + 32);
        let texts = answers.chain(asked).chain(offered).sum::<usize>();
        self.state.as_ref().map_or(0, String::len) + texts
    }

    pub(crate) fn encode(&self, binding: &Binding, issued_ms: u64) -> Vec<u8> {
        let mut out = vec![VERSION];
        out.extend_from_slice(&issued_ms.to_le_bytes());
        out.extend_from_slice(&binding.0);
        out.extend_from_slice(&self.rounds.to_le_bytes());
        out.push(u8::from(self.state.is_some()));
        push_text(&mut out, self.state.as_deref().unwrap_or_default());
        push_length(&mut out, self.answers.len());
        for answer in &self.answers {
            push_text(&mut out, &answer.key);
            out.extend_from_slice(&answer.question);
            push_text(&mut out, &answer.json);
        }
        push_length(&mut out, self.asked.len());
        for asked in &self.asked {
            push_text(&mut out, &asked.key);
            out.extend_from_slice(&asked.question);
        }
        out
    }

    /// The history, what it belongs to and when it was written; `None` for bytes of another making.
    pub(crate) fn decode(bytes: &[u8]) -> Option<(History, Binding, u64)> {
        let mut rest = bytes.strip_prefix(&[VERSION])?;
        let issued_ms = u64::from_le_bytes(take(&mut rest)?);
        let binding = Binding(take(&mut rest)?);
        let rounds = u32::from_le_bytes(take(&mut rest)?);
        let [has_state] = take::<1>(&mut rest)?;
        let state = take_text(&mut rest)?;
        let state = (has_state == 1).then_some(state);
        let mut history = History { rounds, state, ..History::default() };
        for _ in 0..take_length(&mut rest)? {
            let (key, question) = (take_text(&mut rest)?, take(&mut rest)?);
            history.answers.push(Answer { key, question, json: take_text(&mut rest)? });
        }
        for _ in 0..take_length(&mut rest)? {
            let (key, question) = (take_text(&mut rest)?, take(&mut rest)?);
            history.asked.push(Asked { key, question });
        }
        rest.is_empty().then_some((history, binding, issued_ms))
    }
}

fn push_length(out: &mut Vec<u8>, length: usize) {
    out.extend_from_slice(&u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
}

fn push_text(out: &mut Vec<u8>, text: &str) {
    push_length(out, text.len());
    out.extend_from_slice(text.as_bytes());
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, left) = rest.split_first_chunk()?;
    *rest = left;
    Some(*taken)
}

fn take_length(rest: &mut &[u8]) -> Option<usize> {
    usize::try_from(u32::from_le_bytes(take(rest)?)).ok()
}

fn take_text(rest: &mut &[u8]) -> Option<String> {
    let length = take_length(rest)?;
    let (taken, left) = rest.split_at_checked(length)?;
    *rest = left;
    String::from_utf8(taken.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn histories() -> impl Strategy<Value = History> {
        let answers = prop::collection::vec((".{0,9}", any::<Digest>(), ".{0,30}"), 0..4);
        let asked = prop::collection::vec((".{0,9}", any::<Digest>()), 0..4);
        (any::<u32>(), prop::option::of(".{0,40}"), answers, asked).prop_map(
            |(rounds, state, answers, asked)| History {
                rounds,
                state,
                answers: answers
                    .into_iter()
                    .map(|(key, question, json)| Answer { key, question, json })
                    .collect(),
                asked: asked.into_iter().map(|(key, question)| Asked { key, question }).collect(),
                offered: Vec::new(),
            },
        )
    }

    proptest! {
        #[test]
        fn what_was_written_is_read_back(history in histories(), binding: [u8; 32], issued: u64) {
            let bytes = history.encode(&Binding(binding), issued);
            prop_assert_eq!(History::decode(&bytes), Some((history, Binding(binding), issued)));
        }

        #[test]
        fn a_part_or_more_than_the_whole_is_refused(history in histories(), cut in 0..200usize) {
            let bytes = history.encode(&Binding([7; 32]), 1);
            let part = bytes.get(..cut.min(bytes.len() - 1)).unwrap();
            prop_assert_eq!(History::decode(part), None);
            let mut more = bytes;
            more.push(0);
            prop_assert_eq!(History::decode(&more), None);
        }

        #[test]
        fn arbitrary_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            drop(History::decode(&bytes));
        }
    }
}
