//! `/organizations`

use axum::extract::State;
use axum::http::StatusCode;

use super::answer::{self, Answer};
use super::app::App;
use super::body::Json;
use super::identify::Caller;
use super::once::Keyless;
use crate::wire::code::{CreateOrganizationRequest, OrganizationList, OrganizationResponse};

/// Create an organization
///
/// For admins. Users join one when they are created, with `organization_id`.
#[utoipa::path(post, path = "/organizations", tag = "organizations", operation_id = "create_organization",
    request_body = CreateOrganizationRequest, responses((status = 201, body = OrganizationResponse)))]
pub(super) async fn create(
    State(app): State<App>,
    caller: Keyless,
    Json(new): Json<CreateOrganizationRequest>,
) -> Answer {
    let organization = app.interline.create_organization(&caller.0, new.into_draft()).await?;
    answer::json(StatusCode::CREATED, &OrganizationResponse::from(&organization))
}

/// List organizations
///
/// For admins all, for others their own.
#[utoipa::path(get, path = "/organizations", tag = "organizations", operation_id = "list_organizations",
    responses((status = 200, body = OrganizationList)))]
pub(super) async fn list(State(app): State<App>, caller: Caller) -> Answer {
    let organizations = app.interline.organizations(&caller.0).await?;
    let organizations = organizations.iter().map(OrganizationResponse::from).collect();
    answer::json(StatusCode::OK, &OrganizationList { organizations })
}
