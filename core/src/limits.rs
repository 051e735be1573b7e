//! Every bound of the engine, with its default.

use crate::json::MAX_DEPTH;

/// How much of everything the engine accepts. Exceeding one is a precise error, never a crash.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one message. Default 4 MiB.
    pub message_bytes: usize,
    /// Nested arrays and objects in a message or in JSON from the host. Default 64, at most 512.
    pub depth: u32,
    /// Requests of one session that wait for an answer. Default 1,024.
    pub open_calls: usize,
    /// Bytes of output that wait in one lane before input is refused. Answers to requests that were
    /// accepted may still come to twice as much; beyond that the session closes. No part of an answer may
    /// be larger than that either. Default 16 MiB.
    pub output_bytes: usize,
    /// Bytes of the JSON text of a request id. Default 1,024.
    pub id_bytes: usize,
    /// Bytes of a tool or prompt name. Default 128.
    pub name_bytes: usize,
    /// Bytes of a definition, schemas included. Default 1 MiB.
    pub definition_bytes: usize,
    /// Steps of validating one value against a schema, beyond reading it once; see
    /// [`SchemaLimits::steps`](crate::schema::SchemaLimits::steps). Default 1,000,000.
    pub schema_steps: u64,
    /// Messages in one batch. Default 1,024.
    pub batch_messages: usize,
    /// Resources that one client, or one of its listen streams, may watch. Default 1,024.
    pub subscriptions: usize,
    /// Listen streams of one client. Default 64.
    pub listen_streams: usize,
    /// How often one request may ask its client. Default 16.
    pub ask_rounds: u32,
    /// Bytes of what is remembered of a request while its client is asked: answers, and what the
    /// handler keeps; as text, where the client carries it. Default 64 KiB.
    pub state_bytes: usize,
    /// Unreadable messages in a row that are answered; the rest is ignored until a readable one
    /// arrives. Default 16.
    pub unreadable_answers: u32,
    /// Bytes that the engine holds for one server: definitions, sessions and what their clients say of
    /// themselves, unfinished lines, open calls, output and the buffers for it. Not counted are up to
    /// 16 KiB a session and 11 MiB a server that are kept for the next message, and the lists made of
    /// the definitions. Default 256 MiB.
    pub memory_bytes: usize,
}

/// How many messages may be handed in from inside handlers of one another.
pub const MAX_NESTED_MESSAGES: u8 = 8;

/// How many questions one attempt may ask.
pub const MAX_QUESTIONS: usize = 64;

/// How many values a completion may have; the specification says so.
pub const MAX_COMPLETION_VALUES: usize = 100;

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            message_bytes: 4 << 20,
            depth: 64,
            open_calls: 1024,
            output_bytes: 16 << 20,
            id_bytes: 1024,
            name_bytes: 128,
            definition_bytes: 1 << 20,
            schema_steps: 1_000_000,
            batch_messages: 1024,
            subscriptions: 1024,
            listen_streams: 64,
            ask_rounds: 16,
            state_bytes: 64 << 10,
            unreadable_answers: 16,
            memory_bytes: 256 << 20,
        }
    }
}

impl Limits {
    /// The same limits with absurd values brought to what the engine can keep.
    pub(crate) fn clamped(mut self) -> Limits {
        self.depth = self.depth.clamp(4, MAX_DEPTH);
        // Offsets in a message are kept in 32 bits.
        self.message_bytes = self.message_bytes.clamp(1024, i32::MAX as usize);
        self.output_bytes = self.output_bytes.max(1024);
        self.id_bytes = self.id_bytes.max(64);
        self
    }
}
