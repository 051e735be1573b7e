//! What a handler reads from its call, tells its client and asks it.

use std::sync::Arc;

use mcplite_core::json::push_quoted;
use mcplite_core::{ErrorTable, LogLevel, Preset};
use napi_derive::napi;

use crate::calls::Continuation;
use crate::engine::Engine;
use crate::error::{OrThrow, Result, misuse};

#[napi]
impl Engine {
    /// Reads something from a call by its name: text, or JSON text.
    #[napi(catch_unwind)]
    pub fn read(&self, number: u32, what: String) -> Result<Option<String>> {
        let call = self.calls.get(number)?;
        let own = |text: &str| Some(text.to_owned());
        Ok(match what.as_str() {
            "method" => own(call.method()),
            "name" => own(call.name()),
            "id" => call.id().map(str::to_owned),
            "arguments" => own(call.arguments()),
            "meta" => call.meta().map(str::to_owned),
            "revision" => own(call.revision().name()),
            "clientInfo" => call.client_info().map(str::to_owned),
            "clientCapabilities" => own(call.client_capabilities()),
            "principal" => call.principal().map(str::to_owned),
            "sessionId" => call.session_id().map(str::to_owned),
            "headers" => Some(headers_of(&call)),
            "kept" => call.state().map(str::to_owned),
            "cancelReason" => call.cancel_reason().map(|reason| reason.to_string()),
            _ => return Err(misuse("there is nothing of that name to read")),
        })
    }

    /// Whether the call is written in a revision without handshakes.
    #[napi(catch_unwind)]
    pub fn is_modern(&self, number: u32) -> Result<bool> {
        Ok(self.calls.get(number)?.revision().is_modern())
    }

    /// Tells the client how far the work has come.
    #[napi(catch_unwind)]
    pub fn progress(
        &self,
        number: u32,
        done: f64,
        total: Option<f64>,
        message: Option<String>,
    ) -> Result<()> {
        self.calls.get(number)?.progress(done, total, message.as_deref()).or_throw()
    }

    /// Sends the client a log message: JSON text.
    #[napi(catch_unwind)]
    pub fn log(
        &self,
        number: u32,
        level: String,
        json: String,
        logger: Option<String>,
    ) -> Result<()> {
        let Some(level) = LogLevel::parse(&level) else {
            return Err(misuse(format!(
                "{level:?} is no level; those are debug, info, notice, warning, error, critical, alert, emergency"
            )));
        };
        self.calls.get(number)?.log_json(level, logger.as_deref(), &json).or_throw()
    }

    /// Ends the stream on which the client waits.
    #[napi(catch_unwind)]
    pub fn close_stream(&self, number: u32) -> Result<()> {
        self.calls.get(number)?.close_stream().or_throw()
    }

    /// Asks the client; gives the JSON text of its answer if it has given one.
    #[napi(catch_unwind)]
    pub fn ask(
        &self,
        number: u32,
        key: String,
        method: String,
        params: String,
    ) -> Result<Option<String>> {
        let call = self.calls.get(number)?;
        Ok(call.ask(&key, &method, &params).or_throw()?.map(str::to_owned))
    }

    /// Whether the client can be asked this.
    #[napi(catch_unwind)]
    pub fn can_ask(&self, number: u32, method: String, params: String) -> Result<bool> {
        Ok(self.calls.get(number)?.can_ask(&method, &params))
    }

    /// Keeps a text for the next attempt.
    #[napi(catch_unwind)]
    pub fn keep_text(&self, number: u32, text: String) -> Result<()> {
        self.calls.get(number)?.set_state(&text).or_throw()
    }

    /// Ends an attempt that has asked its client. The next one goes on with the suspended handler of that number,
    /// if it takes place here.
    #[napi(catch_unwind)]
    pub fn suspend(&self, number: u32, continuation: u32) -> Result<()> {
        let call = self.calls.get(number)?;
        let signals = Arc::clone(&self.signals);
        call.keep(Arc::new(Continuation { number: continuation, signals })).or_throw()?;
        call.reply_asked().or_throw()?;
        drop(self.calls.remove(number));
        Ok(())
    }

    /// What the engine would answer, of calls that came to what stands around it: the JSON text of an object with
    /// `result` or `error`.
    #[napi(catch_unwind)]
    pub fn engine_answer(&self, number: u32) -> Result<String> {
        let call = self.calls.get(number)?;
        let mut out = Vec::new();
        match call.engine_answer() {
            Ok(json) => {
                out.extend_from_slice(b"{\"result\":");
                out.extend_from_slice(json.as_bytes());
            }
            Err(failure) => {
                let kind = failure.kind().unwrap_or(mcplite_core::ErrorKind::Internal);
                let code = ErrorTable::new(Preset::Spec).rule(kind, call.revision()).code;
                out.extend_from_slice(b"{\"error\":{\"kind\":");
                push_quoted(&mut out, kind.name());
                out.extend_from_slice(format!(",\"code\":{code},\"message\":").as_bytes());
                push_quoted(&mut out, failure.text());
                if let Some(data) = failure.data() {
                    out.extend_from_slice(b",\"data\":");
                    out.extend_from_slice(data.as_bytes());
                }
                out.push(b'}');
            }
        }
        out.push(b'}');
        String::from_utf8(out).map_err(|_| misuse("the engine's answer is no text"))
    }

    /// Lets go of a call. If it has no answer, the engine answers.
    #[napi(catch_unwind)]
    pub fn release(&self, number: u32) {
        drop(self.calls.remove(number));
    }
}

/// All headers as JSON text. Several of one name are joined as HTTP allows it.
fn headers_of(call: &mcplite_core::Call) -> String {
    let mut joined: Vec<(&str, String)> = Vec::new();
    for (name, value) in call.headers() {
        match joined.iter_mut().find(|(own, _)| *own == name) {
            Some((_, first)) => {
                first.push_str(", ");
                first.push_str(value);
            }
            None => joined.push((name, value.to_owned())),
        }
    }
    let mut out = vec![b'{'];
    for (name, value) in &joined {
        if out.len() > 1 {
            out.push(b',');
        }
        push_quoted(&mut out, name);
        out.push(b':');
        push_quoted(&mut out, value);
    }
    out.push(b'}');
    String::from_utf8(out).unwrap_or_default()
}
