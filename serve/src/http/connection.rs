//! A connection: one request after the other, until either side has had enough.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use hyper::server::conn::http1::Builder;
use hyper::service::service_fn;
use mcplite_core::{Http, HttpOptions};

use super::listener::Stream;
use super::request::Desk;
use super::seat::{Patience, Seat, Seats};
use super::wheel::Task;
use super::wire::Wire;
use crate::crew::Crew;

/// One client. Dropping it leaves its seat.
pub(crate) struct Connection {
    http: Http,
    crew: Arc<Crew>,
    seats: Arc<Seats>,
    seat: Arc<Seat>,
}

/// Where hyper keeps the headers of a request without allocating.
const USUAL_HEADERS: usize = 100;
/// The least that hyper buffers in either direction.
const BUFFER: usize = 16 * 1024;

impl Connection {
    pub(crate) fn new(
        http: &Http,
        crew: &Arc<Crew>,
        seats: &Arc<Seats>,
        patience: Patience,
    ) -> Connection {
        let seat = seats.take(patience);
        Connection { http: http.clone(), crew: Arc::clone(crew), seats: Arc::clone(seats), seat }
    }

    pub(crate) fn task(self, stream: Box<dyn Stream>, options: HttpOptions) -> Task {
        let bell = Arc::clone(&self.seat.bell);
        Task::new(&bell, self.serve(stream, options))
    }

    /// Serves the client until one of both hangs up.
    async fn serve(self, stream: Box<dyn Stream>, options: HttpOptions) {
        let desk = &Desk::new(&self.http, &self.crew, &self.seat);
        let service = service_fn(|request| desk.answer(request));
        let connection = builder(&options).serve_connection(Wire::new(stream, &self.seat), service);
        let mut connection = pin!(connection);
        let mut is_leaving = false;
        poll_fn(|cx| {
            if self.seat.is_evicted() {
                return Poll::Ready(());
            }
            if self.seats.is_closing() {
                if self.seat.is_lingering() {
                    return Poll::Ready(());
                }
                if !is_leaving {
                    is_leaving = true;
                    connection.as_mut().graceful_shutdown();
                }
            }
            // How it ended makes no difference to anybody who is still there.
            let polled = connection.as_mut().poll(cx).map(drop);
            self.seat.note_time();
            polled
        })
        .await;
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.seats.leave(&self.seat);
    }
}

fn builder(options: &HttpOptions) -> Builder {
    let mut builder = Builder::new();
    // Seats have timers for this, and tell a head that takes too long from a client that says nothing.
    builder.header_read_timeout(None);
    builder.max_header_size(options.header_bytes);
    builder.max_buf_size((2 * options.header_bytes).max(BUFFER));
    if options.header_count != USUAL_HEADERS {
        builder.max_headers(options.header_count);
    }
    builder
}
