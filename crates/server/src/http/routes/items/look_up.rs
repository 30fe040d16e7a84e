//! `GET /content/lookup`: finding items by what people call them.

use axum::extract::State;
use axum::http::StatusCode;
use interline_items::Error;
use interline_items::fields::FieldError;

use crate::http::extract::caller::AuthenticatedCaller;
use crate::http::extract::query::QueryParams;
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::LookedUpItems;

/// Find items by what people call them
///
/// `item` is an id, or the name of a prompt or the path of a file of code, or at least 4 digits that an id begins with. The
/// first of these that means any item decides; a prompt in the trash is found by its name where nothing else is. The answer
/// has all that it may mean, 10 at the most, without their contents; it is empty where there is none.
#[utoipa::path(get, path = "/lookup", operation_id = "look_up",
    params(("item" = String, Query, min_length = 1, description = "An id, the beginning of one, a name or a path")),
    responses((status = 200, body = LookedUpItems)))]
pub(super) async fn look_up(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    mut query: QueryParams,
) -> HandlerResult {
    let text = query
        .one("item", |text| if text.is_empty() { Err("must not be empty".to_owned()) } else { Ok(text.to_owned()) });
    query.finish()?;
    let text = text.ok_or_else(|| Error::ValidationFailed(vec![FieldError::new("item", "is required")]))?;
    let found = state.interline.look_up(&caller.0, &text).await?;
    response::json(StatusCode::OK, &LookedUpItems::new(&found, &caller.0))
}
