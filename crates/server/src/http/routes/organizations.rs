//! `/organizations`: creating and listing organizations.

use axum::extract::State;
use axum::http::StatusCode;
use utoipa_axum::routes;

use super::rules::{RouteRules, Routes};
use crate::http::extract::body::JsonBody;
use crate::http::extract::caller::AuthenticatedCaller;
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::code::{CreateOrganizationRequest, OrganizationList, OrganizationResponse};

/// The routes of `/organizations`.
pub(super) fn routes() -> Routes {
    Routes::new()
        .route(routes!(list), RouteRules::read())
        .route(routes!(create), RouteRules::write().without_idempotency_key())
}

/// Create an organization
///
/// For admins. Users join one when they are created, with `organization_id`.
#[utoipa::path(post, path = "/organizations", tag = "organizations", operation_id = "create_organization",
    request_body = CreateOrganizationRequest, responses((status = 201, body = OrganizationResponse)))]
async fn create(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    JsonBody(new): JsonBody<CreateOrganizationRequest>,
) -> HandlerResult {
    let organization = state.interline.create_organization(&caller.0, new.into_draft()).await?;
    response::json(StatusCode::CREATED, &OrganizationResponse::from(&organization))
}

/// List organizations
///
/// For admins all, for others their own.
#[utoipa::path(get, path = "/organizations", tag = "organizations", operation_id = "list_organizations",
    responses((status = 200, body = OrganizationList)))]
async fn list(State(state): State<AppState>, caller: AuthenticatedCaller) -> HandlerResult {
    let organizations = state.interline.organizations(&caller.0).await?;
    let organizations = organizations.iter().map(OrganizationResponse::from).collect();
    response::json(StatusCode::OK, &OrganizationList { organizations })
}
