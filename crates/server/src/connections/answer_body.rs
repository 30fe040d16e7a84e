//! The body of an answer, which keeps its request in flight until it is sent.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use hyper::body::{Body as HttpBody, Frame, SizeHint};

use super::connection::RequestInFlight;

/// A body whose connection is not idle before all of it is sent: a stream of notifications lasts as long as its client stays.
pub(crate) struct AnswerBody {
    body: Body,
    _in_flight: RequestInFlight,
}

impl AnswerBody {
    pub(crate) fn new(body: Body, in_flight: RequestInFlight) -> AnswerBody {
        AnswerBody { body, _in_flight: in_flight }
    }
}

impl HttpBody for AnswerBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
