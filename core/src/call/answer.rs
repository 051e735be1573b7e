//! Ending a call: with a result, with an error, or without a word.

use std::sync::Arc;

use super::Call;
use super::build::check_open;
use super::draft::{Draft, cache_of, push_draft};
use super::state::{Bound, CallState, OnCancel, Progress};
use crate::batch::Outlet;
use crate::dispatch::engine_answer;
use crate::error::Error;
use crate::failure::Failure;
use crate::fault;
use crate::hooks::{ErrorContext, Event, Outcome, Outgoing};
use crate::json::{Str, find_member};
use crate::jsonrpc::{MetaKey, write_result_head, write_text_head};
use crate::kind::ErrorKind;
use crate::lane::Weight;
use crate::model::definition::check_object;
use crate::model::result::ResultEnd;
use crate::outgoing;
use crate::registry::Entry;
use crate::revision::Method;
use crate::schema::Violation;

/// Whether a call can still be answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    #[default]
    Open,
    Answered,
    Cancelled,
}

impl Call {
    /// Answers with what has been added.
    pub fn reply(&self) -> Result<(), Error> {
        self.state.answer_with(|out, draft, bound| {
            check_draft(bound, draft)?;
            push_draft(out, draft, bound);
            Ok(Outcome::Ok)
        })
    }

    /// Adds text and answers.
    pub fn reply_text(&self, text: &str) -> Result<(), Error> {
        if self.state.answer_text(text)? {
            return Ok(());
        }
        fault::point(text, "while answering");
        self.state.answer_with(|out, draft, bound| {
            bound.check_room(text.len())?;
            draft.add(bound, |out, bound| self.push_text_block(out, bound, text))?;
            check_draft(bound, draft)?;
            push_draft(out, draft, bound);
            Ok(Outcome::Ok)
        })
    }

    /// Answers a tool call with structured content, and its text unless content has been added.
    pub fn reply_json(&self, json: &str) -> Result<(), Error> {
        self.set_structured(json)?;
        self.reply()
    }

    /// Answers with a whole result object, as the specification writes it. Members that the engine
    /// adds (`resultType`, cache hints, identity) are added here too.
    pub fn reply_result(&self, json: &str) -> Result<(), Error> {
        self.state.bound().map_or(Ok(()), |bound| bound.check_room(json.len()))?;
        let json = check_object(json, self.max_depth())?;
        self.state.answer_with(|out, _, bound| {
            let end = ResultEnd::plain(&bound.catalog, bound.revision).with_cache(cache_of(bound));
            end.push_host_result(out, json, bound.method)?;
            let failed = find_member(json, "isError") == Some("true");
            if failed && bound.method == Some(Method::ToolsCall) {
                return Ok(Outcome::ToolError);
            }
            check_output(bound, find_member(json, "structuredContent").unwrap_or_default())?;
            Ok(Outcome::Ok)
        })
    }

    /// What the engine would answer to a request that came to [`Item::around`](crate::Item::around):
    /// the result object as JSON text, for [`Call::reply_result`], or the error. Done is what the request
    /// asks for, such as subscribing, as often as this is called.
    ///
    /// `subscriptions/listen` is not answered but opened: then the stream has taken the place of the
    /// call, which is over, and the result is `{}`.
    pub fn engine_answer(&self) -> Result<String, Failure> {
        self.check_open()?;
        engine_answer(&self.state)
    }

    /// Answers with an error. What has been added so far is dropped.
    pub fn fail(&self, failure: Failure) -> Result<(), Error> {
        self.state.fail(failure, None)
    }

    /// Runs `code` when the call is cancelled, times out, or its session ends; at once if that has
    /// happened. One at a time: a second takes the place of the first.
    pub fn on_cancel(&self, code: impl FnOnce() + Send + 'static) {
        let mut progress = self.state.progress();
        match progress.phase {
            Phase::Open => {
                let old = progress.on_cancel.replace(OnCancel(Box::new(code)));
                drop(progress);
                drop(old);
            }
            Phase::Answered => {}
            Phase::Cancelled => {
                drop(progress);
                code();
            }
        }
    }

    /// Moves the deadline to so many milliseconds from now. Needs a clock.
    pub fn set_deadline_ms(&self, from_now: u64) -> Result<(), Error> {
        let Some(bound) = self.state.bound() else {
            return Err(Error::Closed);
        };
        check_open(&self.state.progress())?;
        if self.state.is_notification() {
            return Err(Error::Invalid("nobody waits for the answer to a notification"));
        }
        let at_ms = bound.catalog.hooks.now_ms().saturating_add(from_now);
        bound.server.set_deadline(self, at_ms);
        Ok(())
    }

    /// Takes the deadline away.
    pub fn clear_deadline(&self) {
        if let Some(bound) = self.state.bound() {
            bound.server.timers.remove(bound.token, &self.state);
        }
    }

    /// The last holder is letting go: nobody will answer any more.
    pub(super) fn answer_if_abandoned(&self) {
        if self.state.has_ended() {
            return;
        }
        if self.state.is_notification() {
            return self.state.end_notification();
        }
        if self.state.progress().round.has_asked() && self.state.reply_asked().is_ok() {
            return;
        }
        if let Some(bound) = self.state.bound() {
            let text = "a call was let go without an answer";
            bound.catalog.hooks.tell(&Event::Diagnostic { text });
        }
        // If somebody else was quicker, there is an answer already.
        drop(self.fail(Failure::new(ErrorKind::Internal, "the handler gave no answer")));
    }
}

/// Whether what has been added is what the tool promised.
fn check_draft(bound: &Bound, draft: &mut Draft) -> Result<(), Error> {
    if bound.has_output_schema() { check_output(bound, draft.structured()) } else { Ok(()) }
}

/// Whether the structured content, empty for none, is what the tool promised.
fn check_output(bound: &Bound, structured: &str) -> Result<(), Error> {
    if bound.method != Some(Method::ToolsCall) {
        return Ok(());
    }
    let Some(schema) = bound.entry().and_then(Entry::output_schema) else { return Ok(()) };
    if structured.is_empty() {
        let text = "structuredContent is missing, which the output schema promises";
        return Err(Error::Output(text.to_owned()));
    }
    schema.validate(structured).map_err(|violations| {
        let texts: Vec<_> = violations.iter().map(Violation::to_string).collect();
        Error::Output(texts.join("; "))
    })
}

impl CallState {
    /// Answers a tool call with nothing but a text, which is what most tools do: written where it waits for
    /// the client. Gives `false` if it takes more than that.
    #[inline]
    fn answer_text(&self, text: &str) -> Result<bool, Error> {
        let Some(bound) = self.bound() else {
            return Err(Error::Closed);
        };
        let mut progress = self.progress();
        check_open(&progress)?;
        let is_simple = bound.method == Some(Method::ToolsCall)
            && progress.draft.is_empty()
            && !bound.has_output_schema()
            && bound.peer.waiting.is_empty();
        let id = self.request().id().filter(|_| is_simple);
        let (Some(id), Outlet::Lane(lane)) = (id, bound.outlet()) else {
            return Ok(false);
        };
        bound.check_room(text.len())?;
        let sent = lane.push(Weight::Answer, bound.catalog.options.limits.output_bytes, |out| {
            write_text_head(out, id, text);
            fault::point(text, "while answering");
            ResultEnd::push_usual(&bound.catalog, bound.revision, out);
            out.push(b'}');
            // Nobody can see it before this returns, and if it does not get here the call is still open.
            self.end_locked(&mut progress, bound);
        });
        if sent.is_err() {
            // The lane is closed, which leaves nobody to tell.
            self.end_locked(&mut progress, bound);
        }
        // It may hold this very call, and would keep it for ever.
        let unneeded = progress.on_cancel.take();
        drop(progress);
        drop(unneeded);
        bound.server.timers.remove(bound.token, self);
        lane.ring();
        bound.server.note_cancelled(bound.peer.close_if_overrun());
        self.complete(bound, Outcome::Ok);
        Ok(true)
    }

    /// Ends the call and frees its id, under the lock of its progress.
    #[inline]
    fn end_locked(&self, progress: &mut Progress, bound: &Bound) {
        self.enter_phase(progress, Phase::Answered);
        bound.peer.forget_call(bound.token);
    }

    /// Writes an answer, at most once. `write` appends the result object.
    pub(super) fn answer_with(
        &self,
        write: impl FnOnce(&mut Vec<u8>, &mut Draft, &Bound) -> Result<Outcome, Error>,
    ) -> Result<(), Error> {
        let Some(bound) = self.bound() else {
            return Err(Error::Closed);
        };
        let mut progress = self.progress();
        check_open(&progress)?;
        let Some(id) = self.request().id() else {
            drop(progress);
            self.end_notification();
            return Ok(());
        };
        let mut message = std::mem::take(&mut progress.draft.message);
        write_result_head(&mut message, id);
        let written = write(&mut message, &mut progress.draft, bound);
        message.push(b'}');
        let outcome = match written {
            Ok(outcome) => outcome,
            Err(error) => {
                message.clear();
                progress.draft.message = message;
                return Err(error);
            }
        };
        self.enter_phase(&mut progress, Phase::Answered);
        // It may hold this very call, and would keep it for ever.
        let unneeded = progress.on_cancel.take();
        drop(progress);
        drop(unneeded);
        self.release_and_send(bound, Weight::Answer, |out| out.extend_from_slice(&message));
        message.clear();
        self.progress().draft.message = message;
        self.complete(bound, outcome);
        Ok(())
    }

    /// Writes an error, at most once. A timeout also tells the host's code to stop.
    pub(crate) fn fail(&self, failure: Failure, reason: Option<&str>) -> Result<(), Error> {
        let Some(bound) = self.bound() else {
            return Err(Error::Closed);
        };
        check_open(&self.progress())?;
        let request = self.request();
        let Some(id) = request.id() else {
            self.end_notification();
            return Ok(());
        };
        let Some(failure) = self.require_urls(bound, failure) else {
            return Ok(());
        };
        let context = ErrorContext {
            method: self.method(),
            name: self.name(),
            id: Some(&request.id),
            revision: Some(bound.revision),
        };
        // The error hook is the host's code, so no lock is held before it has run.
        let error = Outgoing::compose(&bound.catalog, failure, &context);
        let on_cancel = {
            let mut progress = self.progress();
            check_open(&progress)?;
            let phase = if reason.is_some() { Phase::Cancelled } else { Phase::Answered };
            self.enter_phase(&mut progress, phase);
            progress.cancel_reason = reason.map(Arc::from);
            if reason.is_some() {
                self.set_cancelled();
            }
            progress.on_cancel.take()
        };
        let mut outcome = Outcome::Ok;
        // What refuses in the engine's place does so with the engine's status.
        let is_of_handler = !bound.entry().is_some_and(Entry::is_around);
        let weight = outgoing::weight(&error, bound.revision, is_of_handler);
        self.release_and_send(bound, weight, |out| {
            let end = ResultEnd::plain(&bound.catalog, bound.revision);
            outcome = outgoing::write(out, Ok(id), &error, bound.method, &end);
        });
        self.complete(bound, outcome);
        if let Some(on_cancel) = on_cancel.filter(|_| reason.is_some()) {
            bound.server.run_cancel(&bound.catalog, on_cancel);
        }
        Ok(())
    }

    /// Ends the call without an answer, and says so to the host's code. Gives `false` if it was over.
    pub(crate) fn cancel(&self, reason: Option<&str>) -> bool {
        let Some(bound) = self.bound() else { return false };
        let on_cancel = {
            let mut progress = self.progress();
            if check_open(&progress).is_err() {
                return false;
            }
            self.enter_phase(&mut progress, Phase::Cancelled);
            progress.cancel_reason = reason.map(Arc::from);
            self.set_cancelled();
            progress.on_cancel.take()
        };
        bound.peer.hold();
        bound.peer.forget_call(bound.token);
        self.withdraw_questions();
        bound.server.timers.remove(bound.token, self);
        bound.outlet().end(bound.catalog.options.limits.output_bytes);
        self.complete(bound, Outcome::Cancelled);
        bound.peer.release();
        if let Some(on_cancel) = on_cancel {
            bound.server.run_cancel(&bound.catalog, on_cancel);
        }
        true
    }

    /// Nobody waits for the answer to a notification.
    fn end_notification(&self) {
        let Some(bound) = self.bound() else { return };
        let unneeded = {
            let mut progress = self.progress();
            if check_open(&progress).is_err() {
                return;
            }
            self.enter_phase(&mut progress, Phase::Answered);
            progress.on_cancel.take()
        };
        drop(unneeded);
        bound.peer.forget_call(bound.token);
        bound.peer.tell_if_finished();
    }

    /// Something else answers from now on, such as a stream. Gives `false` if the call was over.
    pub(crate) fn hand_over(&self) -> bool {
        let Some(bound) = self.bound() else { return false };
        let unneeded = {
            let mut progress = self.progress();
            if check_open(&progress).is_err() {
                return false;
            }
            self.enter_phase(&mut progress, Phase::Answered);
            progress.on_cancel.take()
        };
        drop(unneeded);
        bound.peer.forget_call(bound.token);
        self.withdraw_questions();
        bound.server.timers.remove(bound.token, self);
        bound.peer.tell_if_finished();
        true
    }

    /// The attempt never began: nobody gets to know of it.
    pub(super) fn end_silently(&self) {
        self.enter_phase(&mut self.progress(), Phase::Answered);
    }

    /// Why the call ends when its time has come.
    pub(crate) fn timeout_text(&self) -> &'static str {
        let is_asked = |bound: &Bound| bound.peer.waiting.contains(bound.token);
        match self.bound().is_some_and(is_asked) {
            true => "the client did not answer in time",
            false => "the deadline has passed",
        }
    }

    /// Whether the call can still be answered.
    pub(crate) fn is_open(&self) -> bool {
        check_open(&self.progress()).is_ok()
    }

    /// The id is free before the answer can be seen, so that a quick client may use it again; and not before
    /// the answer is there, so that the client counts as one that waits.
    fn release_and_send(&self, bound: &Bound, weight: Weight, write: impl FnOnce(&mut Vec<u8>)) {
        self.withdraw_questions();
        bound.server.timers.remove(bound.token, self);
        let mut is_written = false;
        bound.outlet().send(weight, bound.catalog.options.limits.output_bytes, |out| {
            write(out);
            bound.peer.forget_call(bound.token);
            is_written = true;
        });
        if !is_written {
            // There is nobody left to be answered.
            bound.peer.forget_call(bound.token);
        }
        bound.server.note_cancelled(bound.peer.close_if_overrun());
    }

    #[inline]
    fn complete(&self, bound: &Bound, outcome: Outcome) {
        bound.peer.tell_if_finished();
        if bound.catalog.hooks.observer.is_some() && !self.is_notification() {
            self.tell_completion(bound, outcome);
        }
    }

    /// Tells the observer of the end of the call.
    #[inline(never)]
    fn tell_completion(&self, bound: &Bound, outcome: Outcome) {
        let hooks = &bound.catalog.hooks;
        self.tell_attempt(bound, outcome);
        let request = self.request();
        hooks.tell(&Event::RequestCompleted {
            method: self.method(),
            id: &request.id,
            duration_us: hooks.now_us().saturating_sub(bound.received_us),
            outcome,
        });
    }

    /// Tells the observer of one run of a tool.
    pub(super) fn tell_attempt(&self, bound: &Bound, outcome: Outcome) {
        let hooks = &bound.catalog.hooks;
        if hooks.observer.is_none() {
            return;
        }
        let request = self.request();
        if bound.method == Some(Method::ToolsCall) {
            let traceparent = request.params.meta(&request.text, MetaKey::Traceparent);
            let traceparent = traceparent.and_then(Str::from_json);
            let traceparent = traceparent.map(|text| text.decode());
            hooks.tell(&Event::ToolInvoked {
                name: self.name(),
                duration_us: hooks.now_us().saturating_sub(bound.received_us),
                outcome,
                traceparent: traceparent.as_deref(),
            });
        }
    }
}
