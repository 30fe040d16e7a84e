//! The memory of a request: what its body, its work and its answer take of the budget, until the answer is sent.

use std::net::IpAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::Response;
use axum::response::IntoResponse;
use hyper::body::{Frame, SizeHint};
use interline_items::{Error, MemoryHolder, RequestMemory};

use crate::http::error::ApiError;
use crate::http::routes::rules::Access;
use crate::http::state::AppState;

/// Marks a response whose body is counted already, because it is shared with other responses.
#[derive(Clone, Copy)]
pub(in crate::http) struct SharedBody;

/// The response of a request, whose memory is the holder's until the response is sent. One that reads is refused where there
/// is no room for its answer; one that has written is answered in any case.
pub(in crate::http) async fn with_memory(
    state: &AppState,
    holder: MemoryHolder,
    access: Access,
    responding: impl Future<Output = Response<Body>>,
) -> Response<Body> {
    let memory = state.memory.request(holder);
    let response = memory.scope(responding).await;
    hold_until_sent(memory, access, response)
}

/// A response that keeps `memory` until it is sent.
pub(in crate::http) fn hold_until_sent(
    memory: RequestMemory,
    access: Access,
    response: Response<Body>,
) -> Response<Body> {
    let bytes = response.body().size_hint().lower();
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    if response.extensions().get::<SharedBody>().is_some() || !RequestMemory::counts(bytes) {
        return response;
    }
    let more = bytes.saturating_sub(memory.bytes());
    if let (Access::Read, Err(full)) = (access, memory.has_room_for(more)) {
        return ApiError::Refused(Error::Overloaded(full)).into_response();
    }
    memory.hold(bytes);
    response.map(|body| Body::new(HeldBody { body, memory }))
}

/// The holder of what a request without a token takes.
pub(in crate::http) fn anonymous(address: IpAddr) -> MemoryHolder {
    MemoryHolder::Address(match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        // A network of IPv6 addresses is one client's.
        IpAddr::V6(address) => address.to_bits() >> 64,
    })
}

/// Bytes that hold memory of a budget as long as any part of them is kept.
pub(in crate::http) struct HeldBytes {
    pub(in crate::http) bytes: Bytes,
    /// Given back when it is dropped.
    pub(in crate::http) _memory: RequestMemory,
}

impl AsRef<[u8]> for HeldBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// A body whose bytes hold its memory: a connection may keep them for long after it has taken them from the body.
struct HeldBody {
    body: Body,
    memory: RequestMemory,
}

impl HttpBody for HeldBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        let held = |bytes| Bytes::from_owner(HeldBytes { bytes, _memory: self.memory.clone() });
        Poll::Ready(frame.map(|frame| frame.map(|frame| frame.map_data(held))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
