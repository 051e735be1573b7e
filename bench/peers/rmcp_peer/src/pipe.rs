//! A transport within this process: bytes on one side, messages on the other, as little as possible between.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::{Future, poll_fn, ready};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

use playing::Stop;
use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

/// One of the two ends of a pipe.
#[derive(Clone, Default)]
pub(crate) struct Pipe(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    requests: VecDeque<Arc<[u8]>>,
    server: Option<Waker>,
    answer: Vec<u8>,
    client: Option<Waker>,
    failure: Option<String>,
}

impl Pipe {
    /// Sends a message and waits for its answer, which takes the place of the one before in `answer`.
    pub(crate) async fn ask(&self, request: &Arc<[u8]>, answer: &mut Vec<u8>) -> Result<(), Stop> {
        answer.clear();
        std::mem::swap(&mut self.state().answer, answer);
        self.tell(request);
        poll_fn(|context| {
            let mut state = self.state();
            if let Some(failure) = state.failure.take() {
                return Poll::Ready(Err(failure.into()));
            }
            if state.answer.is_empty() {
                state.client = Some(context.waker().clone());
                return Poll::Pending;
            }
            std::mem::swap(&mut state.answer, answer);
            Poll::Ready(Ok(()))
        })
        .await
    }

    /// Sends a message that gets no answer.
    pub(crate) fn tell(&self, message: &Arc<[u8]>) {
        let mut state = self.state();
        state.requests.push_back(message.clone());
        if let Some(waker) = state.server.take() {
            waker.wake();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Transport<RoleServer> for Pipe {
    type Error = Infallible;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        let mut state = self.state();
        state.failure =
            serde_json::to_writer(&mut state.answer, &item).err().map(|e| e.to_string());
        if let Some(waker) = state.client.take() {
            waker.wake();
        }
        ready(Ok(()))
    }

    fn receive(&mut self) -> impl Future<Output = Option<RxJsonRpcMessage<RoleServer>>> + Send {
        poll_fn(|context| {
            let mut state = self.state();
            let Some(request) = state.requests.pop_front() else {
                state.server = Some(context.waker().clone());
                return Poll::Pending;
            };
            drop(state);
            match serde_json::from_slice(&request) {
                Ok(message) => Poll::Ready(Some(message)),
                Err(error) => {
                    self.state().failure = Some(error.to_string());
                    Poll::Ready(None)
                }
            }
        })
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Infallible>> + Send {
        ready(Ok(()))
    }
}
