//! `/apps`

use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use interline_items::Error;
use interline_items::fields::FieldError;

use super::answer::{self, Answer};
use super::app::App;
use super::body::Json;
use super::identify::Caller;
use super::once::Keyless;
use super::path::{NamedApp, Version};
use super::query::Query;
use crate::wire::code::{
    AppList, AppResponse, AppVersionList, AppVersionResponse, CreateAppRequest, PublishAppResponse,
    PublishedFileResponse, UpdateAppRequest,
};

/// List apps
///
/// Those of the caller's organization and the global ones; for admins all.
#[utoipa::path(get, path = "/apps", tag = "apps", operation_id = "list_apps", responses((status = 200, body = AppList)))]
pub(super) async fn list(State(app): State<App>, caller: Caller) -> Answer {
    let apps: Vec<AppResponse> = app.interline.apps(&caller.0).await?.iter().map(AppResponse::from_app).collect();
    answer::json(StatusCode::OK, &AppList { count: apps.len(), apps })
}

/// Create an app
///
/// With a small scaffold of files, `_layout.tsx` and `pages/index.tsx`.
#[utoipa::path(post, path = "/apps", tag = "apps", operation_id = "create_app", request_body = CreateAppRequest,
    responses((status = 201, body = AppResponse)))]
pub(super) async fn create(State(app): State<App>, caller: Keyless, Json(new): Json<CreateAppRequest>) -> Answer {
    let created = app.interline.create_app(&caller.0, new.into_draft()).await?;
    let mut answer = answer::json(StatusCode::CREATED, &AppResponse::with_draft(&created))?;
    if let Ok(address) = HeaderValue::from_str(&format!("/apps/{}", created.app.id)) {
        answer.headers_mut().insert(LOCATION, address);
    }
    Ok(answer)
}

/// Read an app
///
/// By its id or slug, with the files of its draft.
#[utoipa::path(get, path = "/apps/{app}", tag = "apps", operation_id = "get_app", params(("app" = String, Path)),
    responses((status = 200, body = AppResponse)))]
pub(super) async fn read(State(app): State<App>, caller: Caller, which: NamedApp) -> Answer {
    answer::json(StatusCode::OK, &AppResponse::with_draft(&app.interline.app(&caller.0, &which.0).await?))
}

/// Change an app
///
/// What is left out stays; its files are changed by the routes of code.
#[utoipa::path(patch, path = "/apps/{app}", tag = "apps", operation_id = "update_app", request_body = UpdateAppRequest,
    params(("app" = String, Path)), responses((status = 200, body = AppResponse)))]
pub(super) async fn update(
    State(app): State<App>,
    caller: Keyless,
    which: NamedApp,
    Json(patch): Json<UpdateAppRequest>,
) -> Answer {
    let updated = app.interline.update_app(&caller.0, &which.0, patch.into_changes()).await?;
    answer::json(StatusCode::OK, &AppResponse::from_app(&updated))
}

/// Publish an app
///
/// Freezes the draft as a new version: later edits do not touch it. An empty draft cannot be published.
#[utoipa::path(post, path = "/apps/{app}/publish", tag = "apps", operation_id = "publish_app",
    params(("app" = String, Path)), responses((status = 200, body = PublishAppResponse)))]
pub(super) async fn publish(State(app): State<App>, caller: Keyless, which: NamedApp) -> Answer {
    let (published, version) = app.interline.publish_app(&caller.0, &which.0).await?;
    let body = PublishAppResponse {
        success: true,
        app: AppResponse::from_app(&published),
        version: AppVersionResponse::from_version(&version),
    };
    answer::json(StatusCode::OK, &body)
}

/// List published versions
#[utoipa::path(get, path = "/apps/{app}/versions", tag = "apps", operation_id = "list_app_versions",
    params(("app" = String, Path)), responses((status = 200, body = AppVersionList)))]
pub(super) async fn versions(State(app): State<App>, caller: Caller, which: NamedApp) -> Answer {
    let versions = app.interline.app_versions(&caller.0, &which.0).await?;
    answer::json(
        StatusCode::OK,
        &AppVersionList { versions: versions.iter().map(AppVersionResponse::from_version).collect() },
    )
}

/// Read a published version
///
/// With the paths of its files.
#[utoipa::path(get, path = "/apps/{app}/versions/{version}", tag = "apps", operation_id = "get_app_version",
    params(("app" = String, Path), ("version" = i64, Path, minimum = 1)), responses((status = 200, body = AppVersionResponse)))]
pub(super) async fn version(State(app): State<App>, caller: Caller, which: NamedApp, version: Version) -> Answer {
    let published = app.interline.app_version(&caller.0, &which.0, version.0).await?;
    answer::json(StatusCode::OK, &AppVersionResponse::with_files(&published))
}

/// Read a published file
///
/// As it was when it was published.
#[utoipa::path(get, path = "/apps/{app}/versions/{version}/file", tag = "apps", operation_id = "get_published_file",
    params(("app" = String, Path), ("version" = i64, Path, minimum = 1), ("path" = String, Query)),
    responses((status = 200, body = PublishedFileResponse)))]
pub(super) async fn file(
    State(app): State<App>,
    caller: Caller,
    which: NamedApp,
    version: Version,
    mut query: Query,
) -> Answer {
    let path = query.one("path", |text| Ok(text.to_owned()));
    query.finish()?;
    let path = path.ok_or_else(|| Error::ValidationFailed(vec![FieldError::new("path", "is required")]))?;
    let content = app.interline.published_file(&caller.0, &which.0, version.0, &path).await?;
    answer::json(StatusCode::OK, &PublishedFileResponse { path, version: version.0, content })
}
