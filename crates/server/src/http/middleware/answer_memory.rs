//! The memory of a request: what its body, its work and its answer take of the budget, until the answer is sent.

use axum::body::{Body, HttpBody as _};
use axum::http::Response;
use axum::response::IntoResponse;
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

/// A response that keeps `memory` until it is sent, see [`AnswerBody`](crate::connections::AnswerBody).
pub(in crate::http) fn hold_until_sent(
    memory: RequestMemory,
    access: Access,
    mut response: Response<Body>,
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
    response.extensions_mut().insert(memory);
    response
}
