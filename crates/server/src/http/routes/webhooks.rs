//! `/webhooks`: webhooks and their deliveries.

use axum::extract::State;
use axum::http::StatusCode;
use interline_items::WebhookId;
use utoipa_axum::routes;

use super::rules::{RouteRules, Routes};
use crate::http::extract::body::JsonBody;
use crate::http::extract::caller::AuthenticatedCaller;
use crate::http::extract::path::IdPath;
use crate::http::extract::query::{QueryParams, number};
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::{
    CreateWebhookRequest, CreatedWebhook, DeliveryList, DeliveryResponse, UpdateWebhookRequest, WebhookList,
    WebhookResponse,
};

/// The routes of `/webhooks`.
pub(super) fn routes() -> Routes {
    Routes::new()
        .route(routes!(list), RouteRules::read())
        .route(routes!(read), RouteRules::read())
        .route(routes!(deliveries), RouteRules::read())
        .route(routes!(create), RouteRules::write().without_idempotency_key())
        .route(routes!(update, delete), RouteRules::write().without_idempotency_key())
}

/// Create a webhook
///
/// An address that is told what happens in a space from now on: a POST for each change after its commit, at least once,
/// signed as the Standard Webhooks specification says. The answer has the secret for that, which is not shown again.
#[utoipa::path(post, path = "/webhooks", tag = "webhooks", operation_id = "create_webhook", request_body = CreateWebhookRequest,
    responses((status = 201, body = CreatedWebhook)))]
async fn create(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    JsonBody(new): JsonBody<CreateWebhookRequest>,
) -> HandlerResult {
    let webhook = state.interline.create_webhook(&caller.0, new.into_draft()?).await?;
    let secret = webhook.secret.as_str().to_owned();
    response::json(StatusCode::CREATED, &CreatedWebhook { webhook: WebhookResponse::from(&webhook), secret })
}

/// List webhooks
///
/// The caller's own, without their secrets.
#[utoipa::path(get, path = "/webhooks", tag = "webhooks", operation_id = "list_webhooks",
    responses((status = 200, body = WebhookList)))]
async fn list(State(state): State<AppState>, caller: AuthenticatedCaller) -> HandlerResult {
    let webhooks = state.interline.webhooks(&caller.0).await?;
    response::json(StatusCode::OK, &WebhookList { webhooks: webhooks.iter().map(WebhookResponse::from).collect() })
}

/// Read a webhook
#[utoipa::path(get, path = "/webhooks/{id}", tag = "webhooks", operation_id = "get_webhook",
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = WebhookResponse)))]
async fn read(State(state): State<AppState>, caller: AuthenticatedCaller, id: IdPath) -> HandlerResult {
    let webhook = state.interline.webhook(&caller.0, WebhookId::from_uuid(id.0)).await?;
    response::json(StatusCode::OK, &WebhookResponse::from(&webhook))
}

/// Change a webhook
///
/// Its address, its types, or whether it is told. What it was not told when it stops, it never is: `GET /events` with a
/// cursor tells it.
#[utoipa::path(patch, path = "/webhooks/{id}", tag = "webhooks", operation_id = "update_webhook",
    request_body = UpdateWebhookRequest, params(("id" = uuid::Uuid, Path)), responses((status = 200, body = WebhookResponse)))]
async fn update(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    id: IdPath,
    JsonBody(patch): JsonBody<UpdateWebhookRequest>,
) -> HandlerResult {
    let changes = patch.into_changes()?;
    let webhook = state.interline.update_webhook(&caller.0, WebhookId::from_uuid(id.0), changes).await?;
    response::json(StatusCode::OK, &WebhookResponse::from(&webhook))
}

/// Delete a webhook
///
/// It is told nothing any more, not even what it was not told yet.
#[utoipa::path(delete, path = "/webhooks/{id}", tag = "webhooks", operation_id = "delete_webhook",
    params(("id" = uuid::Uuid, Path)), responses((status = 204, description = "Deleted")))]
async fn delete(State(state): State<AppState>, caller: AuthenticatedCaller, id: IdPath) -> HandlerResult {
    state.interline.delete_webhook(&caller.0, WebhookId::from_uuid(id.0)).await?;
    Ok(response::empty(StatusCode::NO_CONTENT))
}

/// List what a webhook is to be told and was told
///
/// Newest first, with what became of each. What is not pending is kept for seven days.
#[utoipa::path(get, path = "/webhooks/{id}/deliveries", tag = "webhooks", operation_id = "list_deliveries",
    params(("id" = uuid::Uuid, Path),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 500, description = "How many at the most; 50 unless given"),
        ("before" = Option<i64>, Query, minimum = 1, description = "Only those before the delivery of this number")),
    responses((status = 200, body = DeliveryList)))]
async fn deliveries(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    id: IdPath,
    mut query: QueryParams,
) -> HandlerResult {
    let limit = query.one("limit", number(1, 500)).unwrap_or(50);
    let before = query.one("before", number(1, u64::MAX));
    query.finish()?;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let (webhook, deliveries) =
        state.interline.deliveries(&caller.0, WebhookId::from_uuid(id.0), before, limit).await?;
    let deliveries = deliveries.iter().map(|delivery| DeliveryResponse::new(&webhook, delivery)).collect();
    response::json(StatusCode::OK, &DeliveryList { deliveries })
}
