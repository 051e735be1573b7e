//! What a request says, for those who decide about it.

use std::any::Any;
use std::sync::Arc;

use crate::error::Error;

use super::exchange_state::ExchangeState;

/// What a request says, for those who decide about it.
#[derive(Clone, Debug)]
pub struct HttpRequest {
    pub(super) state: Arc<ExchangeState>,
}

impl HttpRequest {
    /// The method.
    pub fn method(&self) -> String {
        self.state.lock().head.method.to_string()
    }

    /// The path, without the query.
    pub fn path(&self) -> String {
        self.state.lock().head.path.clone()
    }

    /// The first header of that name, in whatever case.
    pub fn header(&self, name: &str) -> Option<String> {
        self.state.lock().head.first(name).map(str::to_owned)
    }

    /// Says who the client is: what it is asked can be answered, and its session used, by nobody else.
    pub fn set_principal(&self, principal: Option<&str>) {
        self.state.lock().principal = principal.map(Arc::from);
    }

    /// Attaches something of the host's that handlers see as `Call::context`.
    pub fn set_context(&self, context: Option<Arc<dyn Any + Send + Sync>>) {
        let old = std::mem::replace(&mut self.state.lock().context, context);
        drop(old);
    }

    /// Adds parameters to the challenge that a refused client gets, such as `scope="files:read"`.
    pub fn set_challenge(&self, parameters: &str) -> Result<(), Error> {
        if !parameters.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return Err(Error::Invalid("a header has only printable ASCII"));
        }
        self.state.lock().challenge = Some(parameters.to_owned());
        Ok(())
    }
}
