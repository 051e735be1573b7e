//! Asking the client from inside a call.
//!
//! ```text
//!   attempt 1            ask("when", …) ─▶ None ─▶ reply_asked
//!                                                      │
//!        modern: "input_required" with the questions   │   legacy: our own requests on the lane
//!        and the history, sealed, as requestState      │   of the call; the history waits here
//!                                                      │
//!        the client tries again with its answers       │   its responses arrive
//!                                                      ▼
//!   attempt 2, a new call   ask("when", …) ─▶ Some(answer) ─▶ reply
//! ```

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use super::answer::Phase;
use super::build::check_open;
use super::state::{Bound, CallState};
use super::{Call, Pool, SharedState};
use crate::ask::{
    Answer, Asked, Binding, History, Kept, Question, SealError, Topic, Topics, Waiting,
};
use crate::error::Error;
use crate::failure::Failure;
use crate::hooks::{Event, Outcome};
use crate::json::{elements, find_member, push_key, push_quoted, push_u64};
use crate::jsonrpc::write_cancelled;
use crate::kind::ErrorKind;
use crate::limits::MAX_QUESTIONS;
use crate::model::result::ResultEnd;
use crate::revision::{Feature, Method};

/// What a call has asked so far, and found that it cannot ask.
#[derive(Debug, Default)]
pub(crate) struct Round {
    questions: Vec<Question>,
    /// Questions that the client had answered before they were asked.
    foreseen: Vec<Asked>,
    refused: Topics,
    state: Option<String>,
    kept: Option<Kept>,
}

impl Call {
    /// Asks the client, and gives the answer if there is one: the JSON text of its result.
    ///
    /// Without an answer, ask whatever else is needed and then end the attempt with
    /// [`Call::reply_asked`]. The handler runs again from the top when the client has answered, in a
    /// new call that has the same arguments, the answers so far, and [`Call::state`]. Answers that do
    /// not fit their question are asked for again; an answer belongs to its key *and* its question.
    ///
    /// `method` is `elicitation/create`, `sampling/createMessage` or `roots/list`, with the `params` of
    /// the newest revision; older ones get what they know. A client that cannot be asked this gets the
    /// error that says so; see [`Call::can_ask`] for doing without. Tools, prompts and resources
    /// can ask.
    pub fn ask(&self, key: &str, method: &str, params: &str) -> Result<Option<&str>, Error> {
        self.state.ask(key, method, params)
    }

    /// Whether the client can be asked this. `params` may be empty for the plain form of a question.
    pub fn can_ask(&self, method: &str, params: &str) -> bool {
        let topic = Topic::of(method, params);
        topic.is_some_and(|topic| self.state.can_ask(topic))
    }

    /// Keeps a text for the next attempt, which finds it in [`Call::state`]. In the modern era it
    /// leaves the process, sealed.
    pub fn set_state(&self, state: &str) -> Result<(), Error> {
        let mut progress = self.state.progress();
        check_open(&progress)?;
        progress.round.state = Some(state.to_owned());
        Ok(())
    }

    /// What the attempts before this one kept.
    pub fn state(&self) -> Option<&str> {
        self.state.history()?.state.as_deref()
    }

    /// Leaves something of the host's to the next attempt, which finds it in [`Call::kept`] if it takes
    /// place in this process: before 2026-07-28, where the engine waits for the client. Else, and when the
    /// next attempt never comes, it is dropped.
    ///
    /// For hosts that suspend a handler while its client is asked, instead of running it again.
    pub fn keep(&self, kept: Arc<dyn Any + Send + Sync>) -> Result<(), Error> {
        let old = {
            let mut progress = self.state.progress();
            check_open(&progress)?;
            progress.round.kept.replace(Kept(kept))
        };
        drop(old);
        Ok(())
    }

    /// What the attempt before this one has kept.
    pub fn kept(&self) -> Option<&Arc<dyn Any + Send + Sync>> {
        Some(&self.state.kept()?.0)
    }

    /// Ends this attempt: the client is asked, and the handler runs again when it has answered.
    ///
    /// Letting go of a call that has asked does the same.
    pub fn reply_asked(&self) -> Result<(), Error> {
        self.state.reply_asked()
    }
}

impl Round {
    pub(super) fn has_asked(&self) -> bool {
        !self.questions.is_empty() || !self.refused.is_empty()
    }

    /// Whether there is nothing in it.
    pub(super) fn is_untouched(&self) -> bool {
        !self.has_asked() && self.foreseen.is_empty() && self.state.is_none() && self.kept.is_none()
    }
}

impl CallState {
    fn ask(&self, key: &str, method: &str, params: &str) -> Result<Option<&str>, Error> {
        let Some(bound) = self.bound() else {
            return Err(Error::Closed);
        };
        let limits = &bound.catalog.options.limits;
        if !may_ask(bound.method) || self.is_notification() {
            return Err(Error::Invalid("only tools, prompts and resources can ask the client"));
        }
        if key.is_empty() || key.len() > limits.name_bytes {
            return Err(Error::Name("a key has 1 to name_bytes bytes"));
        }
        let mut question = Question::new(key, method, params, limits.depth)?;
        let known = self.history().and_then(|history| history.answer(key));
        let known = known.filter(|answer| answer.question == question.digest);
        if let Some(answer) = known.filter(|answer| question.accepts(&answer.json)) {
            return Ok(Some(&answer.json));
        }
        let offer = self.history().and_then(|history| history.offer(key));
        if let Some(json) = offer.filter(|json| question.accepts(json)) {
            let foreseen = Asked { key: key.to_owned(), question: question.digest };
            let mut progress = self.progress();
            if !progress.round.foreseen.contains(&foreseen) {
                progress.round.foreseen.push(foreseen);
            }
            return Ok(Some(json));
        }
        question.complete(bound.revision, bound.token);
        let is_possible = self.can_ask(question.topic);
        let mut progress = self.progress();
        check_open(&progress)?;
        let round = &mut progress.round;
        if !is_possible {
            round.refused.add(question.topic);
            return Ok(None);
        }
        match round.questions.iter().find(|asked| asked.key == key) {
            Some(asked) if asked.digest == question.digest => return Ok(None),
            Some(_) => return Err(Error::Exists),
            None if round.questions.len() >= MAX_QUESTIONS => {
                return Err(Error::Limit("questions of one attempt"));
            }
            None => round.questions.push(question),
        }
        Ok(None)
    }

    fn can_ask(&self, topic: Topic) -> bool {
        let Some(bound) = self.bound() else { return false };
        topic.is_open_to(self.client_capabilities(), bound.revision)
    }

    pub(super) fn reply_asked(&self) -> Result<(), Error> {
        let Some(bound) = self.bound() else {
            return Err(Error::Closed);
        };
        let round = {
            let mut progress = self.progress();
            check_open(&progress)?;
            if !progress.round.has_asked() {
                return Err(Error::State("nothing has been asked"));
            }
            std::mem::take(&mut progress.round)
        };
        if !round.refused.is_empty() {
            return self.fail(missing_capabilities(round.refused), None);
        }
        let limits = &bound.catalog.options.limits;
        let history = self.continue_history(&round);
        if history.rounds > limits.ask_rounds {
            let text = format!("asked {} times without an end", limits.ask_rounds);
            return self.fail(Failure::new(ErrorKind::Unanswered, text), None);
        }
        if history.len() > limits.state_bytes {
            let text = "the answers so far are more than state_bytes";
            return self.fail(Failure::new(ErrorKind::Limit, text), None);
        }
        if bound.revision.is_modern() {
            self.require_input(bound, &round.questions, &history)
        } else {
            self.wait_for_client(bound, round.questions, history, round.kept)
        }
    }

    /// What the next attempt has to know.
    fn continue_history(&self, round: &Round) -> History {
        let past = self.history();
        let is_asked_again = |key: &str| round.questions.iter().any(|asked| asked.key == key);
        let answers = past.map_or(&[][..], |past| &past.answers).iter();
        let answers = answers.filter(|answer| !is_asked_again(&answer.key)).map(|answer| Answer {
            key: answer.key.clone(),
            question: answer.question,
            json: answer.json.clone(),
        });
        let foreseen = round.foreseen.iter().filter(|it| !is_asked_again(&it.key));
        let foreseen = foreseen.filter_map(|it| {
            let json = past?.offer(&it.key)?.to_owned();
            Some(Answer { key: it.key.clone(), question: it.question, json })
        });
        let asked = round.questions.iter();
        History {
            rounds: past.map_or(0, |past| past.rounds).saturating_add(1),
            state: round.state.clone().or_else(|| past?.state.clone()),
            answers: answers.chain(foreseen).collect(),
            offered: Vec::new(),
            asked: asked.map(|it| Asked { key: it.key.clone(), question: it.digest }).collect(),
        }
    }

    /// Modern: the answer is that input is required.
    fn require_input(
        &self,
        bound: &Bound,
        questions: &[Question],
        history: &History,
    ) -> Result<(), Error> {
        let hooks = &bound.catalog.hooks;
        let bytes = history.encode(&self.binding(bound), hooks.unix_ms());
        let sealed = match bound.server.seal.seal(hooks, &bytes) {
            Ok(sealed) if sealed.len() <= bound.catalog.options.limits.state_bytes => sealed,
            Ok(_) => {
                let text = "the answers so far are more than state_bytes";
                return self.fail(Failure::new(ErrorKind::Limit, text), None);
            }
            Err(error) => {
                let text = match error {
                    SealError::NoEntropy => "asking a modern client needs Server::set_entropy",
                    SealError::Sealer => "the host's sealer failed",
                };
                hooks.tell(&Event::Diagnostic { text });
                let failure = Failure::new(ErrorKind::Internal, "the request cannot be continued");
                return self.fail(failure, None);
            }
        };
        self.answer_with(|out, _, bound| {
            out.extend_from_slice(b"{\"inputRequests\":{");
            for question in questions {
                push_key(out, &question.key);
                out.push(b'{');
                question.write(out, bound.revision);
                out.push(b'}');
            }
            out.extend_from_slice(b"},\"requestState\":");
            push_quoted(out, &sealed);
            let end = ResultEnd {
                kind: "\"input_required\"",
                ..ResultEnd::plain(&bound.catalog, bound.revision)
            };
            end.push(out);
            Ok(Outcome::Asked)
        })
    }

    /// Legacy: the engine asks, and the next attempt waits until everything is answered.
    fn wait_for_client(
        &self,
        bound: &Bound,
        questions: Vec<Question>,
        history: History,
        kept: Option<Kept>,
    ) -> Result<(), Error> {
        let (server, peer) = (&bound.server, &bound.peer);
        let size = history.len() + questions.iter().map(Question::len).sum::<usize>();
        let mut token = 0;
        let again = |fresh, charged| {
            token = fresh;
            bound.again(fresh, charged)
        };
        let bytes = self.size() + size;
        let next = Pool::take(server, peer.number, bytes, again, |request| self.repeat(request));
        let Ok(next) = next else {
            return self.fail(Failure::new(ErrorKind::Limit, "out of memory for questions"), None);
        };
        next.progress().told_progress = self.progress().told_progress;
        let call = Call::first(SharedState::clone(&next));
        let unneeded = {
            // In one step: who ends the request ends the one attempt or the other, and never both.
            let mut progress = self.progress();
            let is_open = check_open(&progress).and_then(|()| {
                let is_replaced = peer.replace_call(bound.token, token, &next);
                if is_replaced { Ok(()) } else { Err(Error::Cancelled) }
            });
            if let Err(error) = is_open {
                drop(progress);
                next.end_silently();
                return Err(error);
            }
            self.enter_phase(&mut progress, Phase::Answered);
            progress.on_cancel.take()
        };
        drop(unneeded);
        let now = bound.catalog.hooks.now_ms();
        let left_ms = self.deadline_ms().map(|at_ms| at_ms.saturating_sub(now));
        server.timers.remove(bound.token, self);
        if let Some(ttl) = bound.catalog.options.state_ttl_ms {
            server.set_deadline(&call, now.saturating_add(ttl));
        }
        let ids = peer.waiting.take_ids(questions.len());
        let keys = questions.iter().map(|question| question.key.clone());
        let open = ids.clone().zip(keys).collect();
        let charges = Vec::new();
        let waiting =
            Waiting { token, call, history, charges, ids: ids.clone(), open, left_ms, kept };
        let mut is_gone = false;
        peer.waiting.add(waiting, || {
            // The end of input fails what is on the list; whoever comes later finds it here.
            is_gone = peer.has_ended();
            if !is_gone {
                send_questions(bound, ids, &questions);
            }
        });
        // If the call ended before it was on the list, nobody has withdrawn the questions.
        if !next.is_open() {
            next.withdraw_questions();
        }
        self.tell_attempt(bound, Outcome::Asked);
        if is_gone && let Some(waiting) = peer.waiting.remove(token) {
            waiting.give_up();
        }
        bound.outlet().ring();
        server.note_cancelled(peer.close_if_overrun());
        Ok(())
    }

    /// The call has ended while the client was being asked: it need not answer any more.
    pub(crate) fn withdraw_questions(&self) {
        let Some(bound) = self.bound() else { return };
        let Some(waiting) = bound.peer.waiting.remove(bound.token) else { return };
        for (id, _) in &waiting.open {
            bound.outlet().notify(bound.catalog.options.limits.output_bytes, |out| {
                write_cancelled(out, &id.to_string(), "the request is over");
            });
        }
        bound.outlet().ring();
    }

    /// What the state of this request belongs to.
    fn binding(&self, bound: &Bound) -> Binding {
        let server = &bound.catalog.options.name;
        let principal = bound.principal.as_deref();
        let arguments = self.own_arguments();
        Binding::new(server, self.method(), self.name(), arguments, principal)
    }

    /// Whether the user has been asked this before, and does not want it.
    fn is_declined(&self, question: &Question) -> bool {
        let answer = self.history().and_then(|history| history.answer(&question.key));
        let answer = answer.filter(|answer| answer.question == question.digest);
        let action = answer.and_then(|answer| find_member(&answer.json, "action"));
        matches!(action, Some("\"decline\"" | "\"cancel\""))
    }

    /// A page that the user must visit first: asked in the modern era, an error in the revision that
    /// has one, and a missing capability where neither is possible.
    pub(super) fn require_urls(&self, bound: &Bound, failure: Failure) -> Option<Failure> {
        if failure.kind() != Some(ErrorKind::UrlElicitationRequired) {
            return Some(failure);
        }
        if !self.can_ask(Topic::Url) {
            let mut needed = Topics::default();
            needed.add(Topic::Url);
            return Some(missing_capabilities(needed));
        }
        let data = failure.data.as_deref().unwrap_or_default();
        let elicitations = find_member(data, "elicitations").unwrap_or_default();
        if !are_pages(elicitations) {
            let text = "UrlElicitationRequired needs data with elicitations of the mode url";
            bound.catalog.hooks.tell(&Event::Diagnostic { text });
            return Some(Failure::new(ErrorKind::Internal, "the page to visit is not known"));
        }
        if bound.revision.has(Feature::ElicitationId) {
            for elicitation in elements(elicitations) {
                let id = crate::model::definition::text_member(elicitation, "elicitationId");
                id.into_iter().for_each(|id| bound.peer.note_elicitation(id));
            }
            return Some(failure);
        }
        if !may_ask(bound.method) {
            return Some(failure);
        }
        let depth = bound.catalog.options.limits.depth;
        let questions = elements(elicitations).enumerate().map(|(index, params)| {
            let key = format!("elicitation-{index}");
            Question::new(&key, Topic::Url.method(), params, depth)
        });
        let questions: Vec<_> = questions.flatten().take(MAX_QUESTIONS).collect();
        if questions.is_empty() {
            return Some(failure);
        }
        if questions.iter().any(|question| self.is_declined(question)) {
            let text = "the user does not want to visit the page";
            return Some(Failure::new(ErrorKind::Unanswered, text));
        }
        {
            let mut progress = self.progress();
            progress.round.questions = questions;
            progress.round.refused = Topics::default();
        }
        // Whatever that answers with, the request is answered.
        drop(self.reply_asked());
        None
    }
}

/// Whether there are elicitations, and all of them by URL: a client that can be sent to a page may not be
/// able to show a form.
fn are_pages(elicitations: &str) -> bool {
    let is_page = |page: &str| Topic::of(Topic::Url.method(), page) == Some(Topic::Url);
    elements(elicitations).next().is_some() && elements(elicitations).all(is_page)
}

/// Whether the protocol lets requests of this method ask.
fn may_ask(method: Option<Method>) -> bool {
    matches!(method, Some(Method::ToolsCall | Method::PromptsGet | Method::ResourcesRead))
}

/// Queues requests of ours, which belong to the client's.
fn send_questions(bound: &Bound, ids: Range<u64>, questions: &[Question]) {
    for (id, question) in ids.zip(questions) {
        if let Some(elicitation) = question.elicitation_id() {
            bound.peer.note_elicitation(elicitation);
        }
        bound.outlet().request(bound.catalog.options.limits.output_bytes, |out| {
            out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
            push_u64(out, id);
            out.push(b',');
            question.write(out, bound.revision);
            out.push(b'}');
        });
    }
}

fn missing_capabilities(topics: Topics) -> Failure {
    let (names, data) = topics.describe();
    Failure::new(ErrorKind::MissingCapability, names).with_data(data)
}
