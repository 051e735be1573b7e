//! What a call sends on the way to its answer: progress and log messages.

use super::Call;
use super::build::check_open;
use crate::error::Error;
use crate::json::{Str, is_integer, push_checked, push_f64, push_json, push_quoted};
use crate::jsonrpc::MetaKey;
use crate::model::logging::LogLevel;
use crate::revision::Feature;

impl Call {
    /// Tells how far the work has come. Sent only if the client asked for it and takes its output;
    /// `progress` must grow from one report to the next. What an attempt before this one has told
    /// already (see [`Call::ask`]) is not told again.
    pub fn progress(
        &self,
        progress: f64,
        total: Option<f64>,
        message: Option<&str>,
    ) -> Result<(), Error> {
        let Some(bound) = self.state.bound() else {
            return Err(Error::Closed);
        };
        bound.check_room(message.map_or(0, str::len))?;
        if !progress.is_finite() || total.is_some_and(|total| !total.is_finite()) {
            return Err(Error::Invalid("progress and total are finite numbers"));
        }
        // Locked until the notification is in the lane, so that none can follow the answer.
        let mut state = self.state.progress();
        check_open(&state)?;
        if state.last_progress.is_some_and(|last| progress <= last) {
            return Err(Error::Invalid("progress must increase"));
        }
        let request = self.state.request();
        let token = request.params.meta(&request.text, MetaKey::ProgressToken);
        let token = token.filter(|_| !self.state.is_notification());
        let Some(token) =
            token.filter(|token| is_integer(token) || Str::from_json(token).is_some())
        else {
            return Ok(());
        };
        state.last_progress = Some(progress);
        if state.told_progress.is_some_and(|told| progress <= told) {
            return Ok(());
        }
        let message = message.filter(|_| bound.revision.has(Feature::ProgressMessage));
        bound.outlet().notify(bound.catalog.options.limits.output_bytes, |out| {
            out.extend_from_slice(
                b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":",
            );
            push_checked(out, token);
            out.extend_from_slice(b",\"progress\":");
            push_f64(out, progress);
            if let Some(total) = total {
                out.extend_from_slice(b",\"total\":");
                push_f64(out, total);
            }
            if let Some(message) = message {
                out.extend_from_slice(b",\"message\":");
                push_quoted(out, message);
            }
            out.extend_from_slice(b"}}");
        });
        state.told_progress = Some(progress);
        drop(state);
        bound.outlet().ring();
        Ok(())
    }

    /// Ends the connection on which the client waits for this answer, and lets it come back for the rest:
    /// for calls that take long. Only over HTTP, in sessions of 2025-11-25 whose messages are kept; else [`Error::State`], and
    /// nothing happens.
    pub fn close_stream(&self) -> Result<(), Error> {
        let Some(bound) = self.state.bound() else {
            return Err(Error::Closed);
        };
        check_open(&self.state.progress())?;
        match bound.revision.has(Feature::StreamPolling) && bound.outlet().lane().hang_up() {
            true => Ok(()),
            false => Err(Error::State("the client could not come back")),
        }
    }

    /// Sends a log message, if the client wants messages of this level and takes its output.
    ///
    /// Logging is deprecated in 2026-07-28, and served there for requests that ask for it.
    pub fn log(&self, level: LogLevel, logger: Option<&str>, text: &str) -> Result<(), Error> {
        self.push_log(level, logger, text.len(), |out| {
            push_quoted(out, text);
            Ok(())
        })
    }

    /// Sends a log message whose data is a JSON value.
    pub fn log_json(&self, level: LogLevel, logger: Option<&str>, json: &str) -> Result<(), Error> {
        let depth = self.max_depth();
        self.push_log(level, logger, json.len(), |out| {
            push_json(out, json, depth).map_err(Error::from_fault)
        })
    }

    fn push_log(
        &self,
        level: LogLevel,
        logger: Option<&str>,
        bytes: usize,
        push_data: impl FnOnce(&mut Vec<u8>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let Some(bound) = self.state.bound() else {
            return Err(Error::Closed);
        };
        bound.check_room(bytes)?;
        let mut state = self.state.progress();
        check_open(&state)?;
        let wanted = self.wanted_log_level().filter(|_| bound.catalog.options.logging);
        if wanted.is_none_or(|wanted| level < wanted) {
            return Ok(());
        }
        let out = &mut state.draft.message;
        out.extend_from_slice(
            b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":",
        );
        push_quoted(out, level.name());
        if let Some(logger) = logger {
            out.extend_from_slice(b",\"logger\":");
            push_quoted(out, logger);
        }
        out.extend_from_slice(b",\"data\":");
        let pushed = push_data(out);
        out.extend_from_slice(b"}}");
        let limit = bound.catalog.options.limits.output_bytes;
        if pushed.is_ok() {
            bound.outlet().notify(limit, |lane| lane.extend_from_slice(out));
        }
        out.clear();
        drop(state);
        bound.outlet().ring();
        pushed
    }

    /// From which level on the client wants messages; `None` for none at all.
    fn wanted_log_level(&self) -> Option<LogLevel> {
        let bound = self.state.bound()?;
        if !bound.revision.is_modern() {
            return Some(bound.peer.log_level());
        }
        let request = self.state.request();
        LogLevel::from_json(request.params.meta(&request.text, MetaKey::LogLevel)?)
    }
}
