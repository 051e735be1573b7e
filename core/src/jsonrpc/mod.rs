//! JSON-RPC 2.0: what a message is, before anybody asks what it means.

mod envelope;
mod id;
mod meta_cache;
mod names;
mod params;
mod rescue;
mod write;

pub(crate) use envelope::{Class, Envelope, Outcome};
pub(crate) use id::Id;
pub(crate) use meta_cache::MetaCache;
pub(crate) use names::Names;
pub(crate) use params::{MetaKey, ParamKey, Params, ParamsShape, Span, ToolCheck};
pub(crate) use rescue::{Rescue, Rescued};
pub(crate) use write::{
    NoId, write_cancelled, write_error, write_notification, write_result_head, write_text_head,
};

#[cfg(test)]
mod tests;
