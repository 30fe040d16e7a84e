//! `GET /notes/{id}`, `GET /prompts/name/{name}`: reading an item.

#![expect(unused_qualifications, reason = "in what the macro of the description writes")]

use axum::body::Body;
use axum::extract::State;
use axum::http::header::ETAG;
use axum::http::{Response, StatusCode};
use interline_items::{Caller, Error, ItemRef, LineRange, ReadContent, ReadItem, RequestMemory, Stamp, Writes};
use utoipa::IntoParams;

use crate::http::extract::conditions::{self, IfNoneMatch};
use crate::http::extract::item_target::{Echo, ItemTarget};
use crate::http::extract::query::{QueryParams, number};
use crate::http::middleware::response_cache::CachedBody;
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::{Extent, ItemResponse, ItemType};

/// The query parameters of reading an item, for the description. [`content_from_query`] reads them.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it says what the parameters are called, and of which types they are")]
pub(super) struct ReadParameters {
    /// Whether the answer has the content; `true` unless given. Without it there is a preview.
    include_content: Option<bool>,
    /// The first line of the content to read; 1-based.
    #[param(minimum = 1)]
    start_line: Option<i64>,
    /// The last line to read; the end of the content where it lies beyond.
    #[param(minimum = 1)]
    end_line: Option<i64>,
    /// Only an item of this kind.
    #[param(rename = "type")]
    kind: Option<ItemType>,
}

/// Read an item
///
/// With its whole content, the lines that are asked for, or a preview. The `ETag` of the answer, sent back as
/// `If-None-Match`, gives 304 while the item is the same; sent back as `If-Match`, it makes a write conditional.
/// Archived and deleted items can be read too.
#[utoipa::path(get, path = "/{id}", operation_id = "read", params(("id" = uuid::Uuid, Path), ReadParameters),
    responses((status = 200, body = ItemResponse), (status = 304, description = "The item is as the sender knows it")))]
pub(super) async fn read(State(state): State<AppState>, target: ItemTarget) -> HandlerResult {
    read_target(&state, target).await
}

/// Read a prompt by its name
///
/// As by its id; only prompts that are not deleted have a name to be found by.
#[utoipa::path(get, path = "/name/{name}", operation_id = "read_by_name", params(("name" = String, Path), ReadParameters),
    responses((status = 200, body = ItemResponse), (status = 304, description = "The prompt is as the sender knows it")))]
pub(super) async fn read_by_name(State(state): State<AppState>, target: ItemTarget) -> HandlerResult {
    read_target(&state, target).await
}

/// Which part of the content the query asks for.
pub(super) fn content_from_query(query: &mut QueryParams) -> Result<(ReadContent, Extent), Error> {
    let echo = Echo::from_query(query, Echo::Content);
    let range = LineRange {
        start: query.one("start_line", number(1, u64::MAX)),
        end: query.one("end_line", number(1, u64::MAX)),
    };
    query.finish()?;
    match (echo, range) {
        (Echo::Content, LineRange { start: None, end: None }) => Ok((ReadContent::Whole, Extent::Whole)),
        (Echo::Preview, LineRange { start: None, end: None }) => Ok((ReadContent::Omit, Extent::Whole)),
        (Echo::Content, range) => Ok((ReadContent::Lines(range), Extent::Partial)),
        (Echo::Preview, _) => {
            Err(Error::InvalidParameters("start_line/end_line parameters are only valid when include_content=true"))
        }
    }
}

async fn read_target(state: &AppState, mut target: ItemTarget) -> HandlerResult {
    let (content, extent) = content_from_query(&mut target.query)?;
    let (interline, caller, item) = (&state.interline, &target.caller.0, &target.item);
    let if_none_match = IfNoneMatch::from_headers(&target.conditions);
    if if_none_match != IfNoneMatch::Absent {
        let state = interline.state(caller, item).await?;
        if let ReadContent::Lines(_) = content {
            // Lines that are not there are an error even where the client has the state.
            interline.read(caller, item, content).await?;
        }
        // A proposed state has no tag: it changes without the item's stamp.
        if state.proposal.is_none() && if_none_match.matches(state.stamp) {
            return Ok(not_modified(state.stamp));
        }
    }
    // A proposed state is for the caller alone.
    if content == ReadContent::Whole && caller.writes() == Writes::Apply {
        return read_whole(state, caller, item).await;
    }
    let read = interline.read(caller, item, content).await?;
    let body = body_of_read(&read, content, extent).with_owner(&read.item, caller);
    response::item(StatusCode::OK, &body, read.item.stamp)
}

/// The body for an item of which this part of the content was read.
pub(super) fn body_of_read(read: &ReadItem, content: ReadContent, extent: Extent) -> ItemResponse<'_> {
    match content {
        ReadContent::Omit => ItemResponse::without_content(&read.item),
        ReadContent::Whole | ReadContent::Lines(_) => ItemResponse::from_read(read, extent),
    }
}

fn not_modified(stamp: Stamp) -> Response<Body> {
    let mut response = response::empty(StatusCode::NOT_MODIFIED);
    response.headers_mut().insert(ETAG, conditions::etag(stamp));
    response
}

/// The item with its whole content: from the response cache, if it has not changed since.
async fn read_whole(state: &AppState, caller: &Caller, item: &ItemRef) -> HandlerResult {
    let (interline, cache) = (&state.interline, &state.response_cache);
    let cached = match item {
        ItemRef::Id(id, _) => cache.get(*id).map(|body| (*id, body)),
        ItemRef::PromptName(_) => None,
    };
    let (id, body) = match cached {
        Some((id, body)) if body.is_current(&interline.state(caller, item).await?) => (id, body),
        _ => {
            let read = interline.read(caller, item, ReadContent::Whole).await?;
            let body = ItemResponse::from_read(&read, Extent::Whole).with_owner(&read.item, caller);
            let body = CachedBody::from_item(&read.item, response::item_bytes(&body)?);
            cache.put(read.item.id, body.clone());
            (read.item.id, body)
        }
    };
    match RequestMemory::current() {
        Some(memory) => Ok(response::cached_item(cache.send(id, body, &memory).map_err(Error::Overloaded)?)),
        None => Ok(response::cached_item(body)),
    }
}
