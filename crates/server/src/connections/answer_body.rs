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

/// A body whose request is in flight before all of it is sent: its connection is not idle, and a forwarded request counts for
/// its address. A stream of notifications lasts as long as its client stays.
///
/// The response may have further things to keep, as extensions: its [`RequestMemory`], and its [`ForwardedRequest`].
pub(crate) struct AnswerBody {
    body: Body,
    /// Held by the bytes too: a connection may keep them for long after it has taken them from the body.
    memory: Option<RequestMemory>,
    _in_flight: RequestInFlight,
    _forwarded: Option<Arc<ForwardedRequest>>,
}

/// Bytes that hold memory of a budget as long as any part of them is kept.
pub(crate) struct HeldBytes {
    pub(crate) bytes: Bytes,
    /// Given back when it is dropped.
    pub(crate) _memory: RequestMemory,
}

impl AsRef<[u8]> for HeldBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl AnswerBody {
    /// The response as it is sent.
    pub(crate) fn in_response(mut response: Response<Body>, in_flight: RequestInFlight) -> Response<AnswerBody> {
        let (memory, forwarded) = (response.extensions_mut().remove(), response.extensions_mut().remove());
        response.map(|body| AnswerBody { body, memory, _in_flight: in_flight, _forwarded: forwarded })
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
        let held = |bytes| match &self.memory {
            Some(memory) => Bytes::from_owner(HeldBytes { bytes, _memory: memory.clone() }),
            None => bytes,
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
