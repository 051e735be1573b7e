//! A request on its way through the engine.

use std::borrow::Cow;
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};

use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::header::{
    CONNECTION, CONTENT_TYPE, EXPECT, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING,
};
use hyper::http::request::Parts;
use hyper::{Request, Response, StatusCode, Uri};
use mcplite_core::{Exchange, Http, Wake, Whole};
use tokio::time::{Sleep, sleep};

use super::answer::Answer;
use super::seat::Seat;
use crate::crew::Crew;

/// Where the requests of one connection are taken.
pub(crate) struct Desk {
    http: Http,
    crew: Arc<Crew>,
    seat: Arc<Seat>,
    /// For exchanges: polls the connection.
    wake: Wake,
}

/// The body of a request on its way in.
struct Reading {
    body: Incoming,
    end: Option<End>,
    /// Set as soon as there is a wait.
    deadline: Option<Pin<Box<Sleep>>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Whole,
    /// What follows is nothing that could be read.
    Broken,
}

/// Why a request got no answer from the engine.
type Refusal = StatusCode;

impl Desk {
    pub(crate) fn new(http: &Http, crew: &Arc<Crew>, seat: &Arc<Seat>) -> Desk {
        let own = Arc::clone(seat);
        Desk {
            http: http.clone(),
            crew: Arc::clone(crew),
            seat: Arc::clone(seat),
            wake: Arc::new(move || own.ring()),
        }
    }

    /// Answers a request. If this is dropped before its end, the client is gone.
    pub(crate) async fn answer(
        &self,
        request: Request<Incoming>,
    ) -> Result<Response<Answer>, Infallible> {
        self.seat.begin();
        let (mut head, body) = request.into_parts();
        let mut reading = Reading { body, end: None, deadline: None };
        let mut taken = self.take(&head, &mut reading).await;
        // After what the engine did not see, nobody knows for sure where the next request begins.
        let is_read = taken.is_ok() && reading.is_whole(head.headers.contains_key(EXPECT));
        if reading.end == Some(End::Broken) {
            taken = Err(StatusCode::BAD_REQUEST);
        }
        head.headers.clear();
        let mut response = Response::new(Answer::empty());
        *response.headers_mut() = head.headers;
        match taken {
            Ok((exchange, Some(whole))) => {
                *response.status_mut() = code(whole.status);
                name_headers(whole.headers, response.headers_mut());
                *response.body_mut() = Answer::whole(whole.body, exchange);
            }
            Ok((exchange, None)) => {
                *response.status_mut() = exchange.status().map_or(StatusCode::OK, code);
                name_headers(exchange.response_headers(), response.headers_mut());
                *response.body_mut() = Answer::stream(exchange, &self.seat);
            }
            Err(refusal) => *response.status_mut() = refusal,
        }
        if !is_read {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        if !response.body().is_stream() {
            self.seat.end(is_read);
        }
        Ok(response)
    }

    /// Gives a request to the engine, and waits until it knows what to say: all of it, or a stream.
    async fn take(
        &self,
        head: &Parts,
        reading: &mut Reading,
    ) -> Result<(Exchange, Option<Whole>), Refusal> {
        check_coding(&head.headers)?;
        let failed = |_| StatusCode::SERVICE_UNAVAILABLE;
        let mut arrival = self.http.arrive(head.method.as_str(), &target(&head.uri));
        for (name, value) in &head.headers {
            arrival.header(name.as_str().as_bytes(), value.as_bytes());
        }
        let exchange = arrival.open().map_err(failed)?;
        // The head is judged before a client is asked for its body.
        let mut goes_on = exchange.is_admitted().map_err(failed)?;
        let mut last = Bytes::new();
        while goes_on && let Some(bytes) = poll_fn(|cx| reading.poll_next(cx, &self.seat)).await? {
            if reading.is_at_end() {
                last = bytes;
                break;
            }
            exchange.body(&bytes).map_err(failed)?;
            goes_on = exchange.status().is_none();
        }
        let ended = match goes_on {
            // A worker that began now would only get in the way of the rest of this.
            true => self.crew.holding(|| exchange.finish(&last)),
            false => Ok(()),
        };
        let whole = exchange.poll_whole();
        // Even a defect of the engine's mostly has an answer.
        if whole.is_pending() {
            ended.map_err(failed)?;
        }
        // Of an answer that is whole by now, nobody needs to be told.
        if !matches!(whole, Poll::Ready(Some(_))) {
            exchange.set_wake(Some(Arc::clone(&self.wake)));
        }
        let whole = match whole {
            Poll::Ready(whole) => whole,
            Poll::Pending => {
                // What has come before the wake was set has rung it.
                let mut is_told = false;
                let look = poll_fn(|_| match std::mem::replace(&mut is_told, true) {
                    true => exchange.poll_whole(),
                    false => Poll::Pending,
                });
                look.await
            }
        };
        Ok((exchange, whole))
    }
}

impl Reading {
    /// The next bytes; `None` at the end.
    fn poll_next(
        &mut self,
        cx: &mut Context<'_>,
        seat: &Seat,
    ) -> Poll<Result<Option<Bytes>, Refusal>> {
        loop {
            match self.poll_frame(cx) {
                Poll::Ready(Ok(Some(frame))) => {
                    // Trailers say nothing to us.
                    if let Ok(bytes) = frame.into_data() {
                        return Poll::Ready(Ok(Some(bytes)));
                    }
                }
                Poll::Ready(Ok(None)) => return Poll::Ready(Ok(None)),
                Poll::Ready(Err(refusal)) => return Poll::Ready(Err(refusal)),
                Poll::Pending => {
                    let patience = seat.patience().body;
                    let deadline = self.deadline.get_or_insert_with(|| Box::pin(sleep(patience)));
                    return deadline.as_mut().poll(cx).map(|()| Err(StatusCode::REQUEST_TIMEOUT));
                }
            }
        }
    }

    fn poll_frame(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Frame<Bytes>>, Refusal>> {
        let frame = match self.end {
            None => ready!(Pin::new(&mut self.body).poll_frame(cx)),
            Some(_) => None,
        };
        match frame {
            Some(Ok(frame)) => return Poll::Ready(Ok(Some(frame))),
            Some(Err(_)) => self.end = Some(End::Broken),
            None => self.end = self.end.or(Some(End::Whole)),
        }
        let is_whole = self.end == Some(End::Whole);
        Poll::Ready(if is_whole { Ok(None) } else { Err(StatusCode::BAD_REQUEST) })
    }

    /// Whether the last bytes are here, as far as that can be known without looking for more.
    fn is_at_end(&mut self) -> bool {
        if self.end.is_none() && self.body.is_end_stream() {
            self.end = Some(End::Whole);
        }
        self.end.is_some()
    }

    /// Whether all of the request is here, so that the next one can follow. What is here and was not wanted
    /// is thrown away; but a client that waits to be asked for it is not asked.
    fn is_whole(&mut self, waits: bool) -> bool {
        let mut cx = Context::from_waker(Waker::noop());
        while !waits && let Poll::Ready(Ok(Some(_))) = self.poll_frame(&mut cx) {}
        self.end == Some(End::Whole) || self.body.is_end_stream()
    }
}

/// Names the headers of an answer. What most have is not looked through.
fn name_headers(named: Vec<(&'static str, Cow<'static, str>)>, headers: &mut HeaderMap) {
    for (name, value) in named {
        if (name, &*value) == ("Content-Type", "application/json") {
            headers.append(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            continue;
        }
        let value = match value {
            Cow::Borrowed(value) => Bytes::from_static(value.as_bytes()),
            Cow::Owned(value) => Bytes::from(value),
        };
        if let Ok(value) = HeaderValue::from_maybe_shared(value)
            && let Ok(name) = HeaderName::from_bytes(name.as_bytes())
        {
            headers.append(name, value);
        }
    }
}

fn code(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// What a request asks for. Forms that only proxies are asked in are shown as they are, to be refused.
fn target(uri: &Uri) -> Cow<'_, str> {
    match uri.path_and_query() {
        Some(target) if uri.authority().is_none() => target.as_str().into(),
        _ => uri.to_string().into(),
    }
}

/// Hyper reads the last of several codings. Nobody who means well sends them, and whoever stands before us
/// may have read another.
fn check_coding(headers: &HeaderMap) -> Result<(), Refusal> {
    let mut codings = headers.get_all(TRANSFER_ENCODING).iter();
    match (codings.next(), codings.next()) {
        (None, _) => Ok(()),
        (Some(coding), None) if coding.as_bytes().eq_ignore_ascii_case(b"chunked") => Ok(()),
        _ => Err(StatusCode::NOT_IMPLEMENTED),
    }
}
