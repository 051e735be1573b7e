//! The host's function that answers calls, as the engine sees it.

use std::sync::Arc;

use mcplite_core::{Call, Error, ErrorKind, Failure, Handler};

use crate::callback::UserData;
use crate::handle::Shared;
use crate::held::{Lent, mcp_call};
use crate::register::HandlerFunction;
use crate::status::{MCP_PENDING, mcp_status};

/// A handler in C.
pub(crate) struct Function {
    pub(crate) function: HandlerFunction,
    pub(crate) data: Arc<UserData>,
    pub(crate) shared: Arc<Shared>,
}

impl Handler for Function {
    fn handle(&self, call: &Call) -> Result<(), Failure> {
        // SAFETY: the engine holds the call until this returns.
        let Some(lent) = (unsafe { Lent::new(call, &self.shared) }) else {
            return Err(Failure::new(ErrorKind::Internal, "the call is held already"));
        };
        // SAFETY: the host registered the two together, and the call is held until this returns.
        let status = unsafe { (self.function)(self.data.pointer(), lent.as_ptr()) };
        settle(&lent, call, status)
    }
}

/// What becomes of the call when its handler has returned.
fn settle(held: &mcp_call, call: &Call, status: mcp_status) -> Result<(), Failure> {
    match status {
        MCP_PENDING => end_attempt(held, call),
        status if status < 0 => Err(held.failure(status)),
        _ => Ok(()),
    }
}

/// The handler waits for the client: the attempt ends, unless there is nothing to wait for.
pub(crate) fn end_attempt(held: &mcp_call, call: &Call) -> Result<(), Failure> {
    if let Some(refusal) = held.notes().not_asked.take() {
        let text = format!("the client cannot be asked: {}", refusal.text);
        return Err(Failure::new(ErrorKind::Internal, text));
    }
    match call.reply_asked() {
        // Somebody else was quicker: what was said stands.
        Err(Error::Answered | Error::Cancelled | Error::Closed) => Ok(()),
        other => Ok(other?),
    }
}
