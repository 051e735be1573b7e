//! The bytes of a connection, between the system and hyper.

use std::cell::RefCell;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use hyper::rt::{Read, ReadBufCursor, Write};
use tokio::io::{AsyncRead as _, AsyncWrite as _, ReadBuf};

use super::listener::Stream;
use super::seat::Seat;

/// A stream that tells its seat what happens.
pub(crate) struct Wire {
    stream: Box<dyn Stream>,
    seat: Arc<Seat>,
    is_shut: bool,
}

/// How much is read at once.
const PIECE: usize = 64 * 1024;
/// How often what nobody wants is read before others have their turn.
const PIECES_PER_TURN: usize = 16;

thread_local! {
    /// Where bytes are read to: hyper's own buffer could be written to by unsafe code only.
    static SCRATCH: RefCell<Vec<u8>> = RefCell::new(vec![0; PIECE]);
}

impl Wire {
    pub(crate) fn new(stream: Box<dyn Stream>, seat: &Arc<Seat>) -> Wire {
        Wire { stream, seat: Arc::clone(seat), is_shut: false }
    }

    /// Reads once, at most `room` bytes, and shows them to `take`; none at the end.
    fn poll_piece<T>(
        &mut self,
        cx: &mut Context<'_>,
        room: usize,
        take: impl FnOnce(&[u8]) -> T,
    ) -> Poll<io::Result<T>> {
        SCRATCH.with_borrow_mut(|scratch| {
            let room = room.min(scratch.len());
            let mut buffer = ReadBuf::new(scratch.get_mut(..room).unwrap_or_default());
            ready!(Pin::new(&mut self.stream).poll_read(cx, &mut buffer))?;
            Poll::Ready(Ok(take(buffer.filled())))
        })
    }

    /// Notes whether output waits for the client.
    fn note(&self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        self.seat.set_output_waits(written.is_pending());
        written
    }
}

impl Read for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        mut cursor: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let room = cursor.remaining();
        let count = ready!(self.poll_piece(cx, room, |bytes| {
            cursor.put_slice(bytes);
            bytes.len()
        }))?;
        if count > 0 {
            self.seat.hear();
        }
        Poll::Ready(Ok(()))
    }
}

impl Write for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = self.stream.poll_send(cx, &[IoSlice::new(bytes)]);
        self.note(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = self.stream.poll_send(cx, slices);
        self.note(written)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    /// Says that nothing more will be said. A client that was refused in the middle of its request hears
    /// that only if it is heard out: where bytes are left unread, closing throws the answer away.
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.is_shut {
            ready!(Pin::new(&mut self.stream).poll_shutdown(cx))?;
            self.is_shut = true;
            if !self.seat.linger() {
                return Poll::Ready(Ok(()));
            }
        }
        for _ in 0..PIECES_PER_TURN {
            if ready!(self.poll_piece(cx, PIECE, <[u8]>::len))? == 0 {
                return Poll::Ready(Ok(()));
            }
        }
        // Others have their turn first.
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}
