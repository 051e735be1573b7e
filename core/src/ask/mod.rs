//! Asking the client: what can be asked, what is remembered between attempts, and how that travels.
//!
//! A handler asks and, while there is no answer, gives up its attempt. The next attempt starts it
//! from the top with the answers so far. In the modern era the client brings them along, sealed, with
//! a new request; in the legacy era the engine keeps them and sends requests of its own.

mod binding;
mod form;
mod history;
mod question;
mod seal;
mod waiting;

pub(crate) use binding::Binding;
pub(crate) use history::{Answer, Asked, History};
pub(crate) use question::{Question, Topic, Topics};
pub use seal::{Entropy, SealKey, Sealer};
pub(crate) use seal::{Seal, SealError};
pub(crate) use waiting::{Heard, Kept, Waiting, WaitingList};
