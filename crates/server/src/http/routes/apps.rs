//! `/apps`: apps, their drafts and their published versions.

use axum::extract::State;
use axum::http::StatusCode;
use interline_items::fields::FieldError;
use interline_items::{Error, View};
use utoipa_axum::routes;

use super::items::list_values::AppView;
use super::rules::{RouteRules, Routes};
use crate::http::extract::body::JsonBody;
use crate::http::extract::caller::AuthenticatedCaller;
use crate::http::extract::path::{AppPath, VersionPath};
use crate::http::extract::query::{QueryParams, one_of};
use crate::http::response::{self, HandlerResult};
use crate::http::state::AppState;
use crate::wire::code::{
    AppList, AppResponse, AppVersionList, AppVersionResponse, CreateAppRequest, PublishAppResponse,
    PublishedFileResponse, UpdateAppRequest,
};

/// Where apps can be: they are not archived.
pub(super) const APP_VIEWS: &[(&str, View)] = &[("active", View::Active), ("deleted", View::Deleted)];

/// The routes of `/apps`.
pub(super) fn routes() -> Routes {
    Routes::new()
        .route(routes!(list), RouteRules::read())
        .route(routes!(read), RouteRules::read())
        .route(routes!(versions), RouteRules::read())
        .route(routes!(version), RouteRules::read())
        .route(routes!(file), RouteRules::read())
        .route(routes!(create), RouteRules::write().without_idempotency_key())
        .route(routes!(update), RouteRules::write().without_idempotency_key())
        .route(routes!(publish), RouteRules::write().without_idempotency_key())
        .route(routes!(delete), RouteRules::write().without_idempotency_key())
        .route(routes!(restore), RouteRules::write().without_idempotency_key())
}

/// List apps
///
/// Those of the caller's organization and the global ones; for admins all.
#[utoipa::path(get, path = "/apps", tag = "apps", operation_id = "list_apps",
    params(("view" = Option<AppView>, Query,
        description = "`active` unless given, or `deleted`: those in the trash that the caller may restore")),
    responses((status = 200, body = AppList)))]
async fn list(State(state): State<AppState>, caller: AuthenticatedCaller, mut query: QueryParams) -> HandlerResult {
    let view = query.one("view", one_of(APP_VIEWS)).unwrap_or(View::Active);
    query.finish()?;
    let apps = match view {
        View::Deleted => state.interline.deleted_apps(&caller.0).await?,
        View::Active | View::Archived => state.interline.apps(&caller.0).await?,
    };
    let apps: Vec<AppResponse> = apps.iter().map(AppResponse::from_app).collect();
    response::json(StatusCode::OK, &AppList { count: apps.len(), apps })
}

/// Create an app
///
/// With a small scaffold of files, `_layout.tsx` and `pages/index.tsx`.
#[utoipa::path(post, path = "/apps", tag = "apps", operation_id = "create_app", request_body = CreateAppRequest,
    responses((status = 201, body = AppResponse),
        (status = 404, description = "There is no such thing for the caller")))]
async fn create(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    JsonBody(new): JsonBody<CreateAppRequest>,
) -> HandlerResult {
    let created = state.interline.create_app(&caller.0, new.into_draft()).await?;
    let mut response = response::json(StatusCode::CREATED, &AppResponse::with_draft(&created))?;
    response::set_location(&mut response, &format!("/apps/{}", created.app.id));
    Ok(response)
}

/// Read an app
///
/// By its id or slug, with the files of its draft.
#[utoipa::path(get, path = "/apps/{app}", tag = "apps", operation_id = "get_app", params(("app" = String, Path)),
    responses((status = 200, body = AppResponse)))]
async fn read(State(state): State<AppState>, caller: AuthenticatedCaller, app: AppPath) -> HandlerResult {
    response::json(StatusCode::OK, &AppResponse::with_draft(&state.interline.app(&caller.0, &app.0).await?))
}

/// Change an app
///
/// What is left out stays; its files are changed by the routes of code.
#[utoipa::path(patch, path = "/apps/{app}", tag = "apps", operation_id = "update_app", request_body = UpdateAppRequest,
    params(("app" = String, Path)), responses((status = 200, body = AppResponse)))]
async fn update(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    app: AppPath,
    JsonBody(patch): JsonBody<UpdateAppRequest>,
) -> HandlerResult {
    let updated = state.interline.update_app(&caller.0, &app.0, patch.into_changes()).await?;
    response::json(StatusCode::OK, &AppResponse::from_app(&updated))
}

/// Delete an app
///
/// It goes into the trash with its files and published versions, and its slug is free; `restore` brings it back, until the
/// trash is emptied.
#[utoipa::path(delete, path = "/apps/{app}", tag = "apps", operation_id = "delete_app", params(("app" = String, Path)),
    responses((status = 204, description = "Deleted")))]
async fn delete(State(state): State<AppState>, caller: AuthenticatedCaller, app: AppPath) -> HandlerResult {
    state.interline.delete_app(&caller.0, &app.0).await?;
    Ok(response::empty(StatusCode::NO_CONTENT))
}

/// Restore an app
///
/// With its files and published versions. One that is not deleted stays as it is. A slug means the app that has it, or else the
/// one that was deleted last. By its id, an app whose slug another has meanwhile is refused.
#[utoipa::path(post, path = "/apps/{app}/restore", tag = "apps", operation_id = "restore_app",
    params(("app" = String, Path)), responses((status = 200, body = AppResponse)))]
async fn restore(State(state): State<AppState>, caller: AuthenticatedCaller, app: AppPath) -> HandlerResult {
    let restored = state.interline.restore_app(&caller.0, &app.0).await?;
    response::json(StatusCode::OK, &AppResponse::from_app(&restored))
}

/// Publish an app
///
/// Freezes the draft as a new version: later edits do not touch it. An empty draft cannot be published.
#[utoipa::path(post, path = "/apps/{app}/publish", tag = "apps", operation_id = "publish_app",
    params(("app" = String, Path)), responses((status = 200, body = PublishAppResponse)))]
async fn publish(State(state): State<AppState>, caller: AuthenticatedCaller, app: AppPath) -> HandlerResult {
    let (published, version) = state.interline.publish_app(&caller.0, &app.0).await?;
    let body = PublishAppResponse {
        success: true,
        app: AppResponse::from_app(&published),
        version: AppVersionResponse::from_version(&version),
    };
    response::json(StatusCode::OK, &body)
}

/// List published versions
#[utoipa::path(get, path = "/apps/{app}/versions", tag = "apps", operation_id = "list_app_versions",
    params(("app" = String, Path)), responses((status = 200, body = AppVersionList)))]
async fn versions(State(state): State<AppState>, caller: AuthenticatedCaller, app: AppPath) -> HandlerResult {
    let versions = state.interline.app_versions(&caller.0, &app.0).await?;
    response::json(
        StatusCode::OK,
        &AppVersionList { versions: versions.iter().map(AppVersionResponse::from_version).collect() },
    )
}

/// Read a published version
///
/// With the paths of its files.
#[utoipa::path(get, path = "/apps/{app}/versions/{version}", tag = "apps", operation_id = "get_app_version",
    params(("app" = String, Path), ("version" = i64, Path, minimum = 1)), responses((status = 200, body = AppVersionResponse)))]
async fn version(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    app: AppPath,
    version: VersionPath,
) -> HandlerResult {
    let published = state.interline.app_version(&caller.0, &app.0, version.0).await?;
    response::json(StatusCode::OK, &AppVersionResponse::with_files(&published))
}

/// Read a published file
///
/// As it was when it was published.
#[utoipa::path(get, path = "/apps/{app}/versions/{version}/file", tag = "apps", operation_id = "get_published_file",
    params(("app" = String, Path), ("version" = i64, Path, minimum = 1), ("path" = String, Query)),
    responses((status = 200, body = PublishedFileResponse)))]
async fn file(
    State(state): State<AppState>,
    caller: AuthenticatedCaller,
    app: AppPath,
    version: VersionPath,
    mut query: QueryParams,
) -> HandlerResult {
    let path = query.one("path", |text| Ok(text.to_owned()));
    query.finish()?;
    let path = path.ok_or_else(|| Error::ValidationFailed(vec![FieldError::new("path", "is required")]))?;
    let content = state.interline.published_file(&caller.0, &app.0, version.0, &path).await?;
    response::json(StatusCode::OK, &PublishedFileResponse { path, version: version.0, content })
}
