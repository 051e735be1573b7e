//! The nouns of the protocol: how each is written in each revision.

pub(crate) mod capability;
pub(crate) mod content;
pub(crate) mod cursor;
pub(crate) mod definition;
pub(crate) mod fields;
pub(crate) mod implementation;
pub(crate) mod logging;
pub(crate) mod result;
