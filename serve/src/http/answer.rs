//! The body of an answer.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper::body::{Body, Buf, Frame, SizeHint};
use mcplite_core::Exchange;

use super::seat::Seat;

/// What is sent after the head.
pub(crate) enum Answer {
    /// All there is, or nothing any more.
    Whole(Option<Piece>),
    /// What comes, when it comes, as fast as the client takes it.
    Stream(Stream),
}

/// An exchange whose answer has begun. Dropping it tells the engine that nobody listens any more, unless
/// all has been said.
pub(crate) struct Stream {
    exchange: Exchange,
    seat: Arc<Seat>,
}

/// Bytes of a body, of which some may be sent.
#[derive(Debug)]
pub(crate) struct Piece {
    bytes: Vec<u8>,
    sent: usize,
    /// That of a whole answer stays until it is sent, so that the engine knows what is held for it.
    _exchange: Option<Exchange>,
}

impl Answer {
    pub(crate) fn empty() -> Answer {
        Answer::Whole(None)
    }

    pub(crate) fn is_stream(&self) -> bool {
        matches!(self, Answer::Stream(_))
    }

    /// All that was in an exchange.
    pub(crate) fn whole(bytes: Vec<u8>, exchange: Exchange) -> Answer {
        if bytes.is_empty() {
            return Answer::empty();
        }
        Answer::Whole(Some(Piece { bytes, sent: 0, _exchange: Some(exchange) }))
    }

    /// The rest of an exchange whose wake leads to this connection.
    pub(crate) fn stream(exchange: Exchange, seat: &Arc<Seat>) -> Answer {
        Answer::Stream(Stream { exchange, seat: Arc::clone(seat) })
    }
}

impl Body for Answer {
    type Data = Piece;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Piece>, Infallible>>> {
        match &mut *self {
            Answer::Whole(piece) => Poll::Ready(piece.take().map(|piece| Ok(Frame::data(piece)))),
            Answer::Stream(stream) => {
                let mut bytes = Vec::new();
                if stream.exchange.poll_into(&mut bytes) {
                    Poll::Ready(Some(Ok(Frame::data(Piece { bytes, sent: 0, _exchange: None }))))
                } else if stream.exchange.is_finished() {
                    Poll::Ready(None)
                } else {
                    // The exchange's wake polls the whole connection.
                    Poll::Pending
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Answer::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Answer::Whole(None) => SizeHint::with_exact(0),
            Answer::Whole(Some(piece)) => SizeHint::with_exact(piece.remaining() as u64),
            Answer::Stream(_) => SizeHint::default(),
        }
    }
}

impl Buf for Piece {
    fn remaining(&self) -> usize {
        self.bytes.len() - self.sent
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.get(self.sent..).unwrap_or_default()
    }

    fn advance(&mut self, count: usize) {
        self.sent = self.bytes.len().min(self.sent + count);
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.seat.end(true);
    }
}
