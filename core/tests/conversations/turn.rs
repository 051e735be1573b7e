//! What a client does when it is its turn: it calls, answers, tries again, cancels, watches.

use proptest::sample::Index;
use serde_json::{Map, Value, json};

use crate::attempt::Brought;
use crate::operation::Operation::{self, *};
use crate::operation::{Filter, Question, Reply, Request, Says, Twist, Which, callable};
use crate::plan::Plan;
use crate::question::{Topic, fitting, sayings};
use crate::streams::LISTS;
use crate::words::{Called, Target};
use crate::world::World;

impl World {
    /// What only a client can do whose session takes messages.
    pub(crate) fn act(&mut self, who: usize, operation: &Operation) {
        let has_shaken_hands = self.clients[who].revision.is_some();
        let may_be_modern = !has_shaken_hands || self.model.settings.is_mixed;
        match operation {
            Call { id, modern, called, name, plan, other } => {
                let modern = !has_shaken_hands || (*modern && may_be_modern);
                let name = *name.get(&callable(*called));
                let target = self.target(*called, name, plan, *other);
                self.model.call(who, id, modern, &target, None);
                self.clients[who].request(id, target.method(), target.params(), modern);
            }
            Answer { reads, which, reply } if has_shaken_hands => {
                if *reads {
                    self.take(who, true);
                }
                for (id, topic) in self.meant(who, which) {
                    self.answer(who, id, topic, reply);
                }
            }
            Retry { reads, id, which, says, twist } if may_be_modern => {
                if *reads {
                    self.take(who, true);
                }
                self.retry(who, id, which, says, twist);
            }
            Cancel(which) => {
                let open = self.model.open_requests(who);
                let id = match which {
                    Request::Open(_) if open.is_empty() => return,
                    Request::Open(index) => index.get(&open),
                    Request::Any(id) => id,
                };
                if self.model.is_open(who, id) {
                    self.clients[who].expect_no_answer(id);
                }
                self.clients[who].notify("notifications/cancelled", json!({"requestId": id}));
                self.model.cancel(who, id);
            }
            Subscribe { id, uri } if has_shaken_hands => {
                self.model.subscribe(who, id, uri);
                self.clients[who].request(id, "resources/subscribe", json!({"uri": uri}), false);
            }
            Unsubscribe { id, uri } if has_shaken_hands => {
                let Some(uri) = uri.or_else(|| self.model.subscribed(who)) else { return };
                self.model.unsubscribe(who, id, uri);
                self.clients[who].request(id, "resources/unsubscribe", json!({"uri": uri}), false);
            }
            Listen { id, filter } if may_be_modern => {
                self.model.listen(who, id, filter);
                let params = json!({"notifications": written(filter)});
                self.clients[who].request(id, "subscriptions/listen", params, true);
            }
            Initialized if has_shaken_hands => self.initialized(who),
            Identify(principal) => {
                self.clients[who].session.set_principal(*principal);
                self.model.peers[who].principal = *principal;
            }
            End => self.end(who),
            _ => {}
        }
    }

    fn target(&mut self, called: Called, name: &'static str, plan: &Plan, other: u8) -> Target {
        self.model.plans.push(plan.clone());
        self.host.shared.plans.lock().unwrap().push(plan.clone());
        Target { called, name, plan: self.model.plans.len() - 1, other }
    }

    /// Questions that the client has seen.
    fn meant(&self, who: usize, which: &Question) -> Vec<(u64, Topic)> {
        let open = self.model.open_questions(who);
        let seen = &self.clients[who].questions;
        let open = seen.iter().filter(|(id, _)| open.contains(id)).copied().collect();
        let pick = |index: &Index, from: &[_]| match from {
            [] => Vec::new(),
            _ => vec![*index.get(from)],
        };
        match which {
            Question::AllOpen => open,
            Question::Open(index) => pick(index, &open),
            Question::Any(index) => pick(index, seen),
        }
    }

    fn answer(&mut self, who: usize, id: u64, topic: Topic, reply: &Reply) {
        let message = match reply {
            Reply::Fitting => json!({"id": id, "result": fitting(topic)}),
            Reply::Any(index) => json!({"id": id, "result": index.get(&sayings())}),
            Reply::Error => json!({"id": id, "error": {"code": -1, "message": "I will not"}}),
            Reply::Muddle => json!({"id": id, "result": fitting(topic), "error": {}}),
            Reply::UnknownId(id) => json!({"id": id, "result": fitting(topic)}),
        };
        self.clients[who].send(&message);
        match reply {
            Reply::Fitting | Reply::Any(_) => self.model.hear(who, id, Ok(&message["result"])),
            Reply::Error => self.model.hear(who, id, Err("I will not")),
            Reply::Muddle => self.model.hear(who, id, Ok(&Value::Null)),
            Reply::UnknownId(_) => {}
        }
    }

    fn retry(&mut self, who: usize, id: &Value, which: &Which, says: &[Says], twist: &Twist) {
        let seen = |index: &usize| self.model.sealed[*index].text.is_some();
        let seen: Vec<_> = (0..self.model.sealed.len()).filter(seen).collect();
        let Some(last) = seen.last() else { return };
        let index = match which {
            Which::Last => *last,
            Which::Any(index) => *index.get(&seen),
        };
        let sealed = &self.model.sealed[index];
        let mut target = sealed.target.clone();
        let said = sealed.keys().zip(says.iter().cycle());
        let said = said.map(|((key, topic), says)| Some((key.to_owned(), says_to(topic, says)?)));
        let mut answers: Vec<_> = said.flatten().collect();
        let mut text = sealed.text.clone().unwrap();
        let mut brought = Some(index);
        match twist {
            Twist::Nothing | Twist::NoState => {}
            Twist::Extra => {
                answers.push(("extra".to_owned(), fitting(Topic::Roots)));
                answers.push(("no such key".to_owned(), fitting(Topic::Roots)));
            }
            Twist::Tampered(at) => {
                let at = at.index(text.len());
                let other = if text.as_bytes()[at] == b'A' { "B" } else { "A" };
                text.replace_range(at..=at, other);
                brought = None;
            }
            Twist::OtherArgument => target.other += 1,
            Twist::OtherTarget(index) => {
                target = self.model.sealed[*index.get(&seen)].target.clone();
            }
        }
        let mut params = target.params();
        // What is said twice to one key counts once: the last.
        let said = Map::from_iter(answers);
        let answers = said.clone().into_iter().collect();
        params["inputResponses"] = Value::Object(said);
        let has_state = !matches!(twist, Twist::NoState);
        if has_state {
            params["requestState"] = json!(text);
        }
        let brought = Brought { has_state, sealed: brought, answers };
        self.model.call(who, id, true, &target, Some(&brought));
        self.clients[who].request(id, target.method(), params, true);
    }
}

fn says_to(topic: Topic, says: &Says) -> Option<Value> {
    match says {
        Says::Fitting => Some(fitting(topic)),
        Says::Any(index) => Some(index.get(&sayings()).clone()),
        Says::Nothing => None,
    }
}

fn written(filter: &Filter) -> Value {
    let mut written = Map::new();
    for (list, asked) in LISTS.iter().zip(filter.lists) {
        written.extend(asked.map(|asked| (format!("{list}ListChanged"), json!(asked))));
    }
    let uris = filter.uris.as_ref();
    written.extend(uris.map(|uris| ("resourceSubscriptions".to_owned(), json!(uris))));
    Value::Object(written)
}
