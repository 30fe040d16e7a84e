//! The body of an answer, which keeps what its request holds until it is sent.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes};
use axum::http::Response;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use interline_items::RequestMemory;

use super::connection::RequestInFlight;
use super::table::ForwardedRequest;

/// A body whose request is in flight until the connection has taken all of it, to send it then. A stream of notifications lasts
/// as long as its client stays.
pub(crate) struct AnswerBody {
    body: Body,
    guards: ResponseGuards,
    _in_flight: RequestInFlight,
}

/// What a response holds until it is sent, from its extensions: its memory, and the count of a forwarded request. The bytes keep
/// it, not only the body: a connection may have them for long after it has taken them from the body.
#[derive(Clone)]
struct ResponseGuards {
    memory: Option<RequestMemory>,
    forwarded: Option<Arc<ForwardedRequest>>,
}

/// Bytes that hold something as long as any part of them is kept.
pub(crate) struct HeldBytes<T> {
    pub(crate) bytes: Bytes,
    /// Given back when it is dropped.
    pub(crate) _guard: T,
}

impl<T> AsRef<[u8]> for HeldBytes<T> {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl AnswerBody {
    /// The response as it is sent.
    pub(crate) fn in_response(mut response: Response<Body>, in_flight: RequestInFlight) -> Response<AnswerBody> {
        let extensions = response.extensions_mut();
        let guards = ResponseGuards { memory: extensions.remove(), forwarded: extensions.remove() };
        response.map(|body| AnswerBody { body, guards, _in_flight: in_flight })
    }
}

impl HttpBody for AnswerBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        let held = |bytes| match &self.guards {
            ResponseGuards { memory: None, forwarded: None } => bytes,
            guards => Bytes::from_owner(HeldBytes { bytes, _guard: guards.clone() }),
        };
        Poll::Ready(frame.map(|frame| frame.map(|frame| frame.map_data(held))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
