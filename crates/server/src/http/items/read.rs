//! `GET /notes/{id}`, `GET /prompts/name/{name}`

#![expect(unused_qualifications, reason = "in what the macro of the description writes")]

use axum::body::Body;
use axum::extract::State;
use axum::http::header::ETAG;
use axum::http::{Response, StatusCode};
use interline_items::{Caller, Error, ItemRef, LineRange, ReadContent, Stamp};
use utoipa::IntoParams;

use super::target::{Echo, Target};
use crate::http::answer::{self, Answer};
use crate::http::app::App;
use crate::http::condition::{self, Known};
use crate::http::kept::KeptBody;
use crate::http::query::{Query, number};
use crate::wire::{Extent, ItemResponse};

/// How an item is asked for.
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
    /// Only an item of this kind: `note`, `bookmark`, `prompt`, `app_file`, `workflow` or `module`.
    #[param(rename = "type", pattern = "^(note|bookmark|prompt|app_file|workflow|module)$")]
    kind: Option<String>,
}

/// Read an item
///
/// With its whole content, the lines that are asked for, or a preview. The `ETag` of the answer, sent back as
/// `If-None-Match`, gives 304 while the item is the same; sent back as `If-Match`, it makes a write conditional.
/// Archived and deleted items can be read too.
#[utoipa::path(get, path = "/{id}", operation_id = "read", params(("id" = uuid::Uuid, Path), ReadParameters),
    responses((status = 200, body = ItemResponse), (status = 304, description = "The item is as the sender knows it")))]
pub(super) async fn read(State(app): State<App>, target: Target) -> Answer {
    answer_with_item(&app, target).await
}

/// Read a prompt by its name
///
/// As by its id; only prompts that are not deleted have a name to be found by.
#[utoipa::path(get, path = "/name/{name}", operation_id = "read_by_name", params(("name" = String, Path), ReadParameters),
    responses((status = 200, body = ItemResponse), (status = 304, description = "The prompt is as the sender knows it")))]
pub(super) async fn read_by_name(State(app): State<App>, target: Target) -> Answer {
    answer_with_item(&app, target).await
}

/// What of a content is asked for.
pub(super) fn wanted(query: &mut Query) -> Result<(ReadContent, Extent), Error> {
    let echo = Echo::asked(query, Echo::Content);
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

async fn answer_with_item(app: &App, mut target: Target) -> Answer {
    let (content, extent) = wanted(&mut target.query)?;
    let (interline, caller, which) = (&app.interline, &target.caller.0, &target.which);
    let known = condition::known(&target.conditions);
    if known != Known::Nothing {
        let stamp = match content {
            ReadContent::Omit | ReadContent::Whole => interline.state(caller, which).await?.stamp,
            // Lines that are not there are told of a known state too.
            ReadContent::Lines(_) => interline.read(caller, which, content).await?.item.stamp,
        };
        if known.has(stamp) {
            return Ok(not_modified(stamp));
        }
    }
    if content == ReadContent::Whole {
        return answer_with_whole(app, caller, which).await;
    }
    let read = interline.read(caller, which, content).await?;
    let body = match content {
        ReadContent::Omit => ItemResponse::without_content(&read.item),
        ReadContent::Whole | ReadContent::Lines(_) => ItemResponse::from_read(&read, extent),
    };
    answer::item(StatusCode::OK, &body.with_owner(&read.item, caller), read.item.stamp)
}

fn not_modified(stamp: Stamp) -> Response<Body> {
    let mut answer = answer::empty(StatusCode::NOT_MODIFIED);
    answer.headers_mut().insert(ETAG, condition::etag(stamp));
    answer
}

/// The item with its whole content: as it was sent last, if it is still the same.
async fn answer_with_whole(app: &App, caller: &Caller, which: &ItemRef) -> Answer {
    let (interline, whole) = (&app.interline, ReadContent::Whole);
    let kept = match which {
        ItemRef::Id(id, _) => app.kept.get(*id),
        ItemRef::PromptName(_) => None,
    };
    if let Some(kept) = kept
        && kept.tells(&interline.state(caller, which).await?)
    {
        return Ok(answer::kept(kept));
    }
    let read = interline.read(caller, which, whole).await?;
    let body = answer::item_bytes(&ItemResponse::from_read(&read, Extent::Whole).with_owner(&read.item, caller))?;
    let body = KeptBody::of(&read.item, body);
    app.kept.put(read.item.id, body.clone());
    Ok(answer::kept(body))
}
