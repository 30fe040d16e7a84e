//! `/webhooks`

use axum::extract::State;
use axum::http::StatusCode;
use interline_items::WebhookId;

use super::answer::{self, Answer};
use super::app::App;
use super::body::Json;
use super::identify::Caller;
use super::once::Keyless;
use super::path::Id;
use super::query::{Query, number};
use crate::wire::{
    CreateWebhookRequest, CreatedWebhook, DeliveryList, DeliveryResponse, UpdateWebhookRequest, WebhookList,
    WebhookResponse,
};

/// Create a webhook
///
/// An address that is told what happens in a space from now on: a POST for each change after its commit, at least once,
/// signed as the Standard Webhooks specification says. The answer has the secret for that, which is not shown again.
#[utoipa::path(post, path = "/webhooks", tag = "webhooks", operation_id = "create_webhook", request_body = CreateWebhookRequest,
    responses((status = 201, body = CreatedWebhook)))]
pub(super) async fn create(State(app): State<App>, caller: Keyless, Json(new): Json<CreateWebhookRequest>) -> Answer {
    let webhook = app.interline.create_webhook(&caller.0, new.into_draft()?).await?;
    let secret = webhook.secret.as_str().to_owned();
    answer::json(StatusCode::CREATED, &CreatedWebhook { webhook: WebhookResponse::from(&webhook), secret })
}

/// List webhooks
///
/// The caller's own, without their secrets.
#[utoipa::path(get, path = "/webhooks", tag = "webhooks", operation_id = "list_webhooks",
    responses((status = 200, body = WebhookList)))]
pub(super) async fn list(State(app): State<App>, caller: Caller) -> Answer {
    let webhooks = app.interline.webhooks(&caller.0).await?;
    answer::json(StatusCode::OK, &WebhookList { webhooks: webhooks.iter().map(WebhookResponse::from).collect() })
}

/// Read a webhook
#[utoipa::path(get, path = "/webhooks/{id}", tag = "webhooks", operation_id = "get_webhook",
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = WebhookResponse)))]
pub(super) async fn read(State(app): State<App>, caller: Caller, id: Id) -> Answer {
    let webhook = app.interline.webhook(&caller.0, WebhookId::from_uuid(id.0)).await?;
    answer::json(StatusCode::OK, &WebhookResponse::from(&webhook))
}

/// Change a webhook
///
/// Its address, its types, or whether it is told. What it was not told when it stops, it never is: `GET /events` with a
/// cursor tells it.
#[utoipa::path(patch, path = "/webhooks/{id}", tag = "webhooks", operation_id = "update_webhook",
    request_body = UpdateWebhookRequest, params(("id" = uuid::Uuid, Path)), responses((status = 200, body = WebhookResponse)))]
pub(super) async fn update(
    State(app): State<App>,
    caller: Keyless,
    id: Id,
    Json(patch): Json<UpdateWebhookRequest>,
) -> Answer {
    let changes = patch.into_changes()?;
    let webhook = app.interline.update_webhook(&caller.0, WebhookId::from_uuid(id.0), changes).await?;
    answer::json(StatusCode::OK, &WebhookResponse::from(&webhook))
}

/// Delete a webhook
///
/// It is told nothing any more, not even what it was not told yet.
#[utoipa::path(delete, path = "/webhooks/{id}", tag = "webhooks", operation_id = "delete_webhook",
    params(("id" = uuid::Uuid, Path)), responses((status = 204, description = "Deleted")))]
pub(super) async fn delete(State(app): State<App>, caller: Keyless, id: Id) -> Answer {
    app.interline.delete_webhook(&caller.0, WebhookId::from_uuid(id.0)).await?;
    Ok(answer::empty(StatusCode::NO_CONTENT))
}

/// List what a webhook is to be told and was told
///
/// Newest first, with what became of each. What is not pending is kept for seven days.
#[utoipa::path(get, path = "/webhooks/{id}/deliveries", tag = "webhooks", operation_id = "list_deliveries",
    params(("id" = uuid::Uuid, Path),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 500, description = "How many at the most; 50 unless given"),
        ("before" = Option<i64>, Query, minimum = 1, description = "Only those before the delivery of this number")),
    responses((status = 200, body = DeliveryList)))]
pub(super) async fn deliveries(State(app): State<App>, caller: Caller, id: Id, mut query: Query) -> Answer {
    let limit = query.one("limit", number(1, 500)).unwrap_or(50);
    let before = query.one("before", number(1, u64::MAX));
    query.finish()?;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let (webhook, deliveries) = app.interline.deliveries(&caller.0, WebhookId::from_uuid(id.0), before, limit).await?;
    let deliveries = deliveries.iter().map(|delivery| DeliveryResponse::new(&webhook, delivery)).collect();
    answer::json(StatusCode::OK, &DeliveryList { deliveries })
}
