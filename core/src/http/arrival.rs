//! A request whose head is taken in one go.

use std::sync::Arc;

use crate::error::Error;

use super::endpoint::HttpState;
use super::exchange::Exchange;
use super::head::{Flaw, Head};
use super::options::HttpOptions;

/// A request that has arrived with all of its headers: hand those in, and open the exchange.
#[derive(Debug)]
pub struct Arrival {
    pub(super) http: Arc<HttpState>,
    pub(super) options: Arc<HttpOptions>,
    pub(super) head: Head,
    pub(super) flaw: Option<Flaw>,
}

impl Arrival {
    pub(super) fn new(http: &Arc<HttpState>, method: &str, target: &str) -> Arrival {
        let (head, flaw) = match Head::new(method, target) {
            Ok(head) => (head, None),
            Err(flaw) => (Head::default(), Some(flaw)),
        };
        Arrival { http: Arc::clone(http), options: http.options(), head, flaw }
    }

    /// Takes one header. What is wrong with it is said in the response.
    pub fn header(&mut self, name: &[u8], value: &[u8]) {
        if self.flaw.is_none() {
            self.flaw = self.head.add(name, value, &self.options).err();
        }
    }

    /// The request goes on. The error is [`Error::Closed`], or [`Error::Limit`] where there is no memory:
    /// a driver answers 503.
    pub fn open(mut self) -> Result<Exchange, Error> {
        if self.http.is_over() {
            return Err(Error::Closed);
        }
        self.head.seal();
        Exchange::new(self, true)
    }

    /// The same where headers are still to come.
    pub(super) fn begin(self) -> Result<Exchange, Error> {
        if self.http.is_over() {
            return Err(Error::Closed);
        }
        Exchange::new(self, false)
    }
}
