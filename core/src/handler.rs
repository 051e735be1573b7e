//! The host's code that answers a call.

use crate::call::Call;
use crate::failure::Failure;

/// Answers calls of one registered item. Closures of the right shape are handlers.
///
/// `Ok` means: answered, or kept for later by cloning the call. `Err` fails the call if it is still
/// open. A panic is answered as an internal error and goes no further.
pub trait Handler: Send + Sync {
    /// Answers `call`, or keeps a clone of it to answer later from anywhere.
    fn handle(&self, call: &Call) -> Result<(), Failure>;
}

impl<F> Handler for F
where
    F: Fn(&Call) -> Result<(), Failure> + Send + Sync,
{
    fn handle(&self, call: &Call) -> Result<(), Failure> {
        self(call)
    }
}
