//! From a message to whoever answers it.
//!
//! The order of checks is fixed: JSON, JSON-RPC shape, era and lifecycle, method, params, tool input,
//! handler, output. Each stage has its error kind, and the first that fails answers.

mod around;
mod calls;
mod headers;
mod lifecycle;
mod lists;
mod notification;
mod request;
mod response;
mod subscribe;

pub(crate) use around::engine_answer;

use std::cell::Cell;
use std::ops::Deref;
use std::sync::Arc;

use crate::batch::{Batch, Outlet, Sink};
use crate::error::Error;
use crate::failure::Failure;
use crate::hooks::{ErrorContext, Outgoing, guarded};
use crate::json::{Fault, FaultKind, MAX_DEPTH, Reader, elements};
use crate::jsonrpc::{Class, Envelope, Id, Rescue, Rescued};
use crate::kind::ErrorKind;
use crate::lane::Weight;
use crate::model::result::ResultEnd;
use crate::origin::Origin;
use crate::outgoing;
use crate::revision::{Feature, Method};

/// A message that has arrived, with where it came from and what it works on.
#[derive(Debug)]
pub(crate) struct Incoming {
    pub(crate) origin: Arc<Origin>,
    pub(crate) sink: Sink,
    /// Whether its headers must say what its body says, as 2026-07-28 demands.
    pub(crate) mirrors: bool,
    /// Whether the request at hand has been answered, or taken by a call that will be.
    pub(crate) settled: Cell<bool>,
    /// Whether the engine broke down over it.
    pub(crate) panicked: Cell<bool>,
}

impl Incoming {
    #[inline]
    pub(crate) fn new(origin: Arc<Origin>, sink: Sink, mirrors: bool) -> Incoming {
        Incoming { origin, sink, mirrors, settled: Cell::new(false), panicked: Cell::new(false) }
    }

    /// Where the answer to the message goes.
    #[inline]
    pub(crate) fn outlet(&self) -> Outlet<'_> {
        self.sink.outlet(&self.peer)
    }

    /// Handles one message, which may be a batch. Says whether there was anything but white space.
    pub(crate) fn message(&self, bytes: &[u8]) -> bool {
        self.measured(bytes, |bytes| {
            std::str::from_utf8(bytes).map_err(|error| error.valid_up_to())
        })
    }

    /// The same for what is known to be UTF-8.
    pub(crate) fn text(&self, text: &str) -> bool {
        self.measured(text.as_bytes(), |bytes| {
            // Without a mark at its start, it may be shorter.
            Ok(text.get(text.len() - bytes.len()..).unwrap_or_default())
        })
    }

    #[inline(always)]
    fn measured<'b>(
        &self,
        bytes: &'b [u8],
        text: impl FnOnce(&'b [u8]) -> Result<&'b str, usize>,
    ) -> bool {
        let limits = &self.catalog.options.limits;
        let (bytes, first) = match bytes.first() {
            Some(b'{') => (bytes, b'{'),
            _ => {
                let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
                let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
                let Some(first) = bytes.iter().find(|byte| !is_space(byte)) else { return false };
                (bytes, *first)
            }
        };
        if bytes.len() > limits.message_bytes {
            self.too_long(&Rescue::whole(bytes, limits.id_bytes), false);
            return true;
        }
        match text(bytes) {
            Err(at) => self.unreadable(bytes, "not UTF-8", at),
            Ok(text) if first == b'[' => self.batch(text),
            Ok(text) => self.one(text),
        }
        true
    }

    /// A lane that gave up because nobody takes its output takes the peer with it.
    #[inline]
    pub(crate) fn close_if_overrun(&self) {
        self.server.note_cancelled(self.peer.close_if_overrun());
    }

    /// What the host is told of it. Nobody need know what became of a session that has been closed meanwhile.
    pub(crate) fn outcome(&self) -> Result<(), Error> {
        let matters = self.panicked.get() && !self.peer.is_closed();
        if matters { Err(Error::Panicked) } else { Ok(()) }
    }

    /// Handles one message that is not a batch. A defect of the engine costs this message only: a request
    /// that nobody else will answer is answered here.
    fn one(&self, text: &str) {
        self.guard(text, || self.single(text));
    }

    /// The same for a message that was read already.
    pub(crate) fn scanned(&self, text: &str, envelope: &Envelope<'_>, class: Class<'_>) {
        self.guard(text, || self.classified(envelope, class));
    }

    fn guard(&self, text: &str, handle: impl FnOnce()) {
        self.settled.set(false);
        if guarded(handle).is_some() {
            return;
        }
        self.panicked.set(true);
        let rescued = Rescue::whole(text.as_bytes(), self.catalog.options.limits.id_bytes);
        let is_request = rescued.has_id && rescued.has_method;
        if is_request && !self.settled.get() {
            let failure = Failure::new(ErrorKind::Internal, "the engine failed");
            guarded(|| self.refuse_with(rescued.id(), failure));
        }
    }

    /// A message beyond the limit, or for which there is no room: answered if there is an id.
    pub(crate) fn too_long(&self, rescued: &Rescued, lacks_room: bool) {
        let limit = self.catalog.options.limits.message_bytes;
        let text = match lacks_room {
            true => "there is no memory for a message of this size now".to_owned(),
            false => format!("the message is longer than {limit} bytes"),
        };
        self.refuse(rescued, text);
    }

    fn single(&self, text: &str) {
        let limits = &self.catalog.options.limits;
        let mut envelope = Envelope::default();
        if let Err(fault) = envelope.scan(text, limits.depth, &self.catalog, &self.peer.meta_cache)
        {
            self.faulty(text, fault);
            return;
        }
        self.peer.note_readable();
        match envelope.usual_call(limits.id_bytes) {
            Some(id) => self.request(id, Method::ToolsCall.name(), &envelope),
            None => self.classified(&envelope, envelope.classify(limits.id_bytes)),
        }
    }

    fn classified(&self, envelope: &Envelope<'_>, class: Class<'_>) {
        let limits = &self.catalog.options.limits;
        match class {
            Class::Request { id, method } => self.request(id, &method.decode(), envelope),
            Class::Notification { method } => {
                self.notification(&method.decode(), envelope);
                self.outlet().skip(limits.output_bytes);
            }
            Class::Response { id, outcome } => {
                self.response(id, outcome);
                self.outlet().skip(limits.output_bytes);
            }
            Class::Invalid { id, reason } => {
                self.refuse_with(id, Failure::new(ErrorKind::InvalidRequest, reason));
            }
            Class::IdTooLong => {
                let text = format!("the id is longer than {} bytes", limits.id_bytes);
                self.refuse_with(None, Failure::new(ErrorKind::Limit, text));
            }
        }
    }

    fn batch(&self, text: &str) {
        let limits = &self.catalog.options.limits;
        // Only the grammar of the whole: each message answers for its own depth.
        let mut reader = Reader::new(text, MAX_DEPTH);
        if let Err(fault) = reader.skip().and_then(|_| reader.end()) {
            self.faulty(text, fault);
            return;
        }
        self.peer.note_readable();
        let allowed = self.peer.handshake().is_some_and(|own| own.revision.has(Feature::Batch));
        let count = elements(text).count();
        let invalid = |text: &str| Failure::new(ErrorKind::InvalidRequest, text);
        let refusal = if !allowed {
            invalid("batches belong to 2025-03-26 only")
        } else if count == 0 {
            invalid("the batch is empty")
        } else if count > limits.batch_messages {
            let text = format!("the batch has more than {} messages", limits.batch_messages);
            Failure::new(ErrorKind::Limit, text)
        } else {
            let lane = self.outlet().lane();
            let batch = Arc::new(Batch::new(Arc::clone(lane), Arc::clone(&self.peer), count));
            let sink = Sink::Batch(Arc::clone(&batch));
            let member = Incoming::new(Arc::clone(&self.origin), sink, self.mirrors);
            let messages = elements(text).take_while(|_| !lane.is_closed());
            messages.for_each(|message| member.one(message));
            self.panicked.set(member.panicked.get());
            batch.end_of_input(limits.output_bytes);
            return;
        };
        self.refuse_with(None, refusal);
    }

    pub(crate) fn faulty(&self, text: &str, fault: Fault) {
        let limits = &self.catalog.options.limits;
        if fault.kind != FaultKind::TooDeep {
            return self.unreadable(text.as_bytes(), fault.kind.describe(), fault.at);
        }
        let rescued = Rescue::whole(text.as_bytes(), limits.id_bytes);
        if rescued.complete {
            self.refuse(&rescued, format!("nesting is deeper than {}", limits.depth));
        } else {
            self.unreadable(text.as_bytes(), FaultKind::UnexpectedEnd.describe(), text.len());
        }
    }

    /// A message that is not JSON. Answered, but neither for ever nor if it looks like a response:
    /// two peers that complain about each other's complaints would never stop.
    pub(crate) fn unreadable(&self, bytes: &[u8], reason: &str, at: usize) {
        let limits = &self.catalog.options.limits;
        let rescued = Rescue::whole(bytes, limits.id_bytes);
        let answered = self.peer.note_unreadable(limits.unreadable_answers);
        if rescued.looks_like_response || !answered {
            return self.outlet().skip(limits.output_bytes);
        }
        let text = format!("{reason} at byte {at}");
        self.refuse_with(None, Failure::new(ErrorKind::Parse, text));
    }

    /// A message that breaks a limit before it could be read.
    fn refuse(&self, rescued: &Rescued, text: String) {
        let is_request = rescued.has_id || !rescued.has_method;
        if rescued.looks_like_response || !is_request {
            if let Some(id) = rescued.id().filter(|_| rescued.looks_like_response) {
                self.unusable_response(id, text);
            }
            return self.outlet().skip(self.catalog.options.limits.output_bytes);
        }
        self.refuse_with(rescued.id(), Failure::new(ErrorKind::Limit, text));
    }

    /// Answers something that never became a request.
    pub(crate) fn refuse_with(&self, id: Option<Id<'_>>, failure: Failure) {
        let revision = self.peer.handshake().map(|handshake| handshake.revision);
        let context = ErrorContext { id: id.map(Id::as_json), revision, ..ErrorContext::default() };
        let error = Outgoing::compose(&self.catalog, failure, &context);
        let end = ResultEnd::plain(&self.catalog, self.catalog.usual_revision());
        let id = id.ok_or_else(|| self.peer.missing_id());
        let limit = self.catalog.options.limits.output_bytes;
        self.outlet().send(Weight::Refusal(400), limit, |out| {
            outgoing::write(out, id, &error, None, &end);
        });
        self.settled.set(true);
    }
}

impl Deref for Incoming {
    type Target = Origin;

    #[inline]
    fn deref(&self) -> &Origin {
        &self.origin
    }
}
