//! What a server offers: items, their order, and the lists made of them.

mod catalog;
mod entry;
mod item;
mod listing;
mod set;

pub(crate) use catalog::{Catalog, Found, Place};
pub(crate) use entry::{Detail, Entry, has_scheme, is_engine_method};
pub(crate) use item::completion_key;
pub use item::{Item, ItemPolicy, Kind, Reference};
pub(crate) use set::name_hash;
