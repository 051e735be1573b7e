//! What becomes of calls, as the model knows it: how they start, ask, wait and end.

use std::collections::BTreeSet;

use mcplite_core::Error;
use serde_json::{Map, Value, json};

use crate::attempt::{Brought, History, Open, Sealed, Waiting};
use crate::model::{Expected, Model};
use crate::operation::Deed;
use crate::plan::{Attempt, Ending};
use crate::question::{EXTRA, PAGE_FIRST, Question, Revision, Topic, page};
use crate::words::{self, Called, Fault, Target};

impl Model {
    /// A request that calls an item, with what a modern client brings along.
    pub(crate) fn call(
        &mut self,
        client: usize,
        id: &Value,
        modern: bool,
        target: &Target,
        brought: Option<&Brought>,
    ) {
        let called = target.called;
        if called == Called::Prompt && !self.offers_prompts {
            let legacy = self.peers[client].revision;
            let revision = if modern { Revision::Modern } else { legacy.unwrap() };
            return self.refuse(client, id, revision, &Fault::UnknownMethod, target.method());
        }
        let Some(revision) = self.admit(client, id, modern) else { return };
        if called != Called::Resource && !self.has_item(called, target.name) {
            let is_tool = called == Called::Tool;
            let fault = if is_tool { Fault::UnknownTool } else { Fault::UnknownPrompt };
            return self.refuse(client, id, revision, &fault, target.name);
        }
        let past = match brought.map(|brought| self.unseal(client, target, brought)) {
            None => History::default(),
            Some(Ok(history)) => history,
            Some(Err(text)) => return self.refuse(client, id, revision, &Fault::BadState, text),
        };
        if self.is_draining {
            let text = "the server takes no more requests";
            return self.refuse(client, id, revision, &Fault::Internal, text);
        }
        let limit = self.settings.open_calls;
        if self.open_calls(client) >= limit {
            let text = format!("{limit} requests are open");
            return self.refuse(client, id, revision, &Fault::Limit, &text);
        }
        let is_brief = called == Called::Tool && target.name == "brief";
        let deadline = if is_brief { Some(BRIEF_MS) } else { self.settings.deadline_ms };
        let peer = &self.peers[client];
        let call = Open {
            client,
            id: id.clone(),
            target: target.clone(),
            revision,
            abilities: peer.abilities,
            principal: peer.principal,
            past,
            asked: Vec::new(),
            foreseen: Vec::new(),
            refused: BTreeSet::new(),
            note: None,
            deadline: deadline.map(|deadline| self.now_ms + deadline),
        };
        let call = self.add(call);
        self.dispatch(call);
    }

    fn unseal(
        &self,
        client: usize,
        target: &Target,
        brought: &Brought,
    ) -> Result<History, &'static str> {
        if !brought.has_state {
            return Ok(History { offered: brought.answers.clone(), ..History::default() });
        }
        let sealed = brought.sealed.map(|index| &self.sealed[index]);
        let principal = self.peers[client].principal;
        let is_ours = |it: &&Sealed| it.target == *target && it.principal == principal;
        let sealed =
            sealed.filter(is_ours).ok_or("this server did not make it for this request")?;
        let age_ms = self.now_ms - sealed.issued_ms;
        if self.settings.state_ttl_ms.is_some_and(|ttl| age_ms >= ttl) {
            return Err("it has expired");
        }
        let mut history = sealed.history.clone();
        for (key, said) in &brought.answers {
            history.hear(key, said);
        }
        Ok(history)
    }

    fn add(&mut self, call: Open) -> u64 {
        self.last_call += 1;
        self.calls.insert(self.last_call, call);
        self.last_call
    }

    fn dispatch(&mut self, call: u64) {
        match self.settings.is_queued {
            true => self.jobs.push_back(call),
            false => self.run_handler(call),
        }
    }

    /// Runs one handler that waits; says whether there was one.
    pub(crate) fn run_one(&mut self) -> bool {
        let is_open = |call: &u64| self.calls.contains_key(call);
        let next = self.jobs.iter().position(is_open);
        self.jobs.drain(..next.unwrap_or(self.jobs.len()));
        let next = self.jobs.pop_front();
        next.inspect(|call| self.run_handler(*call)).is_some()
    }

    fn run_handler(&mut self, call: u64) {
        let open = self.calls.get_mut(&call).unwrap();
        let (ending, text) = self.plans[open.target.plan].run(open);
        let (called, has_asked) = (open.target.called, open.has_asked());
        match ending {
            Ending::Ask | Ending::LetGo if has_asked => self.ask_client(call),
            Ending::Ask => self.fail(call, &Fault::Internal, "nothing has been asked"),
            Ending::LetGo => self.fail(call, &Fault::Internal, "the handler gave no answer"),
            Ending::Hold => self.held.push(call),
            Ending::Reply => self.reply(call, &text),
            Ending::Fail => self.fail(call, &Fault::ToolFailed, "it broke"),
            Ending::Panic if called == Called::Tool => {
                self.fail(call, &Fault::ToolFailed, "the handler panicked");
            }
            Ending::Panic => self.fail(call, &Fault::Internal, "the handler panicked"),
            Ending::SendToPage => self.send_to_page(call),
        }
    }

    fn send_to_page(&mut self, call: u64) {
        let open = self.calls.get_mut(&call).unwrap();
        if !open.abilities.include(Topic::Url, open.revision) {
            let missing = Fault::Missing(BTreeSet::from([Topic::Url]));
            return self.fail(call, &missing, "");
        }
        if open.revision != Revision::Modern {
            let data = json!({"elicitations": [page(PAGE_FIRST)]});
            return self.fail(call, &Fault::PageFirst(data), "go there first");
        }
        let question = Question::new(PAGE_FIRST, None);
        let said = open.past.answers.iter().find(|(asked, _)| *asked == question);
        let said = said.map(|(_, said)| serde_json::from_str::<Value>(said).unwrap());
        if said.is_some_and(|said| said["action"] == "decline" || said["action"] == "cancel") {
            let text = "the user does not want to visit the page";
            return self.fail(call, &Fault::Unanswered, text);
        }
        open.asked = vec![question];
        open.refused.clear();
        self.ask_client(call);
    }

    /// The attempt ends with questions.
    fn ask_client(&mut self, call: u64) {
        let open = self.calls[&call].clone();
        let history = open.history();
        let limit = self.settings.ask_rounds;
        if !open.refused.is_empty() {
            self.fail(call, &Fault::Missing(open.refused), "");
        } else if history.rounds > limit {
            let text = format!("asked {limit} times without an end");
            self.fail(call, &Fault::Unanswered, &text);
        } else if open.revision == Revision::Modern {
            self.require_input(call, open, history);
        } else if self.peers[open.client].is_ended {
            self.fail(call, &Fault::Unanswered, GONE);
        } else {
            self.wait_for_client(call, open, history);
        }
    }

    fn require_input(&mut self, call: u64, open: Open, history: History) {
        let requests = open
            .asked
            .iter()
            .map(|question| (question.key.to_owned(), question.written(Revision::Modern)));
        let message = words::input_required(&open.id, Map::from_iter(requests));
        let sealed = Some(self.sealed.len());
        self.sealed.push(Sealed {
            text: None,
            target: open.target,
            principal: open.principal,
            issued_ms: self.now_ms,
            history,
        });
        self.end(call, Error::Answered);
        self.peers[open.client].out.push_back(Expected { message, sealed });
    }

    fn wait_for_client(&mut self, call: u64, open: Open, history: History) {
        let now = self.now_ms;
        let left_ms = open.deadline.map(|deadline| deadline.saturating_sub(now));
        let deadline = self.settings.state_ttl_ms.map(|ttl| now + ttl);
        self.end(call, Error::Answered);
        let peer = &mut self.peers[open.client];
        let mut questions = Vec::new();
        for question in &open.asked {
            peer.last_question += 1;
            questions.push((peer.last_question, question.key));
            let mut message = question.written(open.revision);
            message["jsonrpc"] = json!("2.0");
            message["id"] = json!(peer.last_question);
            peer.say(message);
        }
        let (asked, refused) = Default::default();
        let client = open.client;
        let call = self.add(Open { past: history, asked, refused, note: None, deadline, ..open });
        self.peers[client].waiting.push(Waiting { call, open: questions, left_ms });
    }

    /// A response of a legacy client: a result, or what its error says.
    pub(crate) fn hear(&mut self, client: usize, id: u64, response: Result<&Value, &str>) {
        let (now_ms, principal) = (self.now_ms, self.peers[client].principal);
        let waiting = &mut self.peers[client].waiting;
        let is_asked = |waiting: &Waiting| waiting.open.iter().any(|(own, _)| *own == id);
        let Some(position) = waiting.iter().position(is_asked) else { return };
        let asked = &mut waiting[position];
        // Nobody answers for somebody else.
        if self.calls[&asked.call].principal != principal {
            return;
        }
        let question = asked.open.iter().position(|(own, _)| *own == id).unwrap();
        let (_, key) = asked.open.swap_remove(question);
        let call = asked.call;
        match response {
            Err(text) => return self.fail(call, &Fault::Unanswered, text),
            Ok(said) => self.calls.get_mut(&call).unwrap().past.hear(key, said),
        }
        if asked.open.is_empty() {
            let Waiting { left_ms, .. } = waiting.swap_remove(position);
            let deadline = left_ms.map(|left| now_ms + left);
            self.calls.get_mut(&call).unwrap().deadline = deadline;
            self.dispatch(call);
        }
    }

    /// The host does something with a call that it keeps.
    pub(crate) fn deed(&mut self, call: u64, deed: Deed) -> Result<Option<String>, Error> {
        let Some(open) = self.calls.get_mut(&call) else {
            let (error, extra) = &self.over[&call];
            return match (deed, extra) {
                (Deed::LetGo, _) => Ok(None),
                (Deed::AskMore, Some(answer)) => Ok(Some(answer.clone())),
                _ => Err(error.clone()),
            };
        };
        match deed {
            Deed::Reply => self.reply(call, "at last"),
            Deed::Fail => self.fail(call, &Fault::ToolFailed, "at last"),
            Deed::AskMore => return Ok(open.ask(&Question::new(EXTRA, None))),
            Deed::ReplyAsked | Deed::LetGo if open.has_asked() => self.ask_client(call),
            Deed::ReplyAsked => return Err(Error::State("nothing has been asked")),
            Deed::LetGo => self.fail(call, &Fault::Internal, "the handler gave no answer"),
        }
        Ok(None)
    }

    /// The client wants no answer to the request of that id, or no more of the stream.
    pub(crate) fn cancel(&mut self, client: usize, id: &Value) {
        let is_meant = |call: &Open| call.client == client && call.id == *id;
        match self.calls.iter().find(|(_, call)| is_meant(call)).map(|(call, _)| *call) {
            Some(call) => self.end(call, Error::Cancelled),
            None => self.peers[client].streams.cancel(id),
        }
    }

    /// `Server::tick`: answers what has run out of time, the oldest deadline first.
    pub(crate) fn tick(&mut self) {
        loop {
            let deadlines = self.calls.iter().filter_map(|(call, it)| Some((it.deadline?, *call)));
            let Some((_, call)) = deadlines.min().filter(|(at_ms, _)| *at_ms <= self.now_ms) else {
                return;
            };
            let open = self.calls[&call].clone();
            let is_asked = self.peers[open.client].waiting.iter().any(|it| it.call == call);
            let text = match is_asked {
                true => "the client did not answer in time",
                false => "the deadline has passed",
            };
            self.end(call, Error::Cancelled);
            self.say_error(&open, &Fault::Timeout, text);
        }
    }

    /// The client says no more.
    pub(crate) fn end_input(&mut self, client: usize) {
        let peer = &mut self.peers[client];
        peer.is_ended = true;
        peer.streams.stop();
        for waiting in std::mem::take(&mut peer.waiting) {
            self.fail(waiting.call, &Fault::Unanswered, GONE);
        }
    }

    /// The session is closed, and its output gone.
    pub(crate) fn close(&mut self, client: usize) {
        let own = self.calls.iter().filter(|(_, call)| call.client == client);
        for call in own.map(|(call, _)| *call).collect::<Vec<_>>() {
            self.end(call, Error::Cancelled);
        }
        let peer = &mut self.peers[client];
        peer.is_closed = true;
        peer.streams.close();
        peer.out.clear();
    }

    fn reply(&mut self, call: u64, text: &str) {
        let open = self.calls[&call].clone();
        self.end(call, Error::Answered);
        let message = words::reply(&open.id, open.revision, &open.target, text);
        self.peers[open.client].say(message);
    }

    fn fail(&mut self, call: u64, fault: &Fault, text: &str) {
        let open = self.calls[&call].clone();
        self.end(call, Error::Answered);
        self.say_error(&open, fault, text);
    }

    fn say_error(&mut self, open: &Open, fault: &Fault, text: &str) {
        let called = Some(open.target.called);
        let message = words::error(&open.id, open.revision, called, fault, text);
        self.peers[open.client].say(message);
    }

    /// The call can not be answered any more; questions of it that are open are withdrawn.
    fn end(&mut self, call: u64, over: Error) {
        let mut open = self.calls.remove(&call).unwrap();
        self.over.insert(call, (over, open.ask(&Question::new(EXTRA, None))));
        let peer = &mut self.peers[open.client];
        if let Some(position) = peer.waiting.iter().position(|waiting| waiting.call == call) {
            for (id, _) in peer.waiting.swap_remove(position).open {
                peer.say(words::cancelled(&json!(id), "the request is over"));
            }
        }
    }
}

/// The deadline of the tool `brief`.
pub(crate) const BRIEF_MS: u64 = 300;

const GONE: &str = "the client has ended the connection";
