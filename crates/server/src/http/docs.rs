//! `/openapi.json` and `/docs`: the description of the API and a page to browse it. Both work offline.

use axum::Router;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::map_response;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use tower_http::set_header::SetResponseHeaderLayer;
use utoipa_swagger_ui::{Config, SwaggerUi};

use super::app::App;
use super::error::ApiError;
use super::openapi::openapi_text;

/// What the page may load: its own files. Its styles are set by its script.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; \
     frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
);

pub(super) fn routes() -> Router<App> {
    let page: Router<App> = SwaggerUi::new("/docs").config(Config::from("/openapi.json")).into();
    let page = page
        .layer(map_response(async |answer: Response| match answer.status() {
            StatusCode::NOT_FOUND => ApiError::UnknownRoute("that address below /docs".to_owned()).into_response(),
            _ => answer,
        }))
        .layer(SetResponseHeaderLayer::overriding(CONTENT_SECURITY_POLICY, POLICY))
        .layer(SetResponseHeaderLayer::overriding(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")));
    let description = || async { ([(CONTENT_TYPE, "application/json")], openapi_text()) };
    page.route("/openapi.json", get(description))
}
