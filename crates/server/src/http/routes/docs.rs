//! `/openapi.json` and `/docs`: the description of the API and a page to browse it. Both work offline.

use std::net::Ipv4Addr;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state, map_response};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use tower_http::set_header::SetResponseHeaderLayer;
use utoipa_swagger_ui::{Config, SwaggerUi};

use crate::client_address::ClientAddress;
use crate::http::error::ApiError;
use crate::http::middleware::answer_memory::with_memory;
use crate::http::openapi::openapi_text;
use crate::http::routes::rules::Access;
use crate::http::state::AppState;

/// What the page may load: its own files. Its styles are set by its script.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; \
     frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
);

/// Where the page is.
const PAGE: &str = "/docs";

/// Whether a path is one of the page's own: the page loads its files relative to `/docs/`.
pub(in crate::http) fn keeps_final_slash(path: &str) -> bool {
    path.starts_with(PAGE)
}

pub(in crate::http) fn routes(state: &AppState) -> Router<AppState> {
    let page: Router<AppState> = SwaggerUi::new(PAGE).config(Config::from("/openapi.json")).into();
    let page = page
        .layer(map_response(async |response: Response| match response.status() {
            StatusCode::NOT_FOUND => ApiError::UnknownRoute("that address below /docs".to_owned()).into_response(),
            _ => response,
        }))
        .layer(SetResponseHeaderLayer::overriding(CONTENT_SECURITY_POLICY, POLICY))
        .layer(SetResponseHeaderLayer::overriding(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")));
    let description = || async { ([(CONTENT_TYPE, "application/json")], openapi_text()) };
    page.route("/openapi.json", get(description)).layer(from_fn_with_state(state.clone(), count_memory))
}

/// Counts what is sent without a token for the address that asks for it.
async fn count_memory(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let client = request.extensions().get::<ClientAddress>().copied();
    let holder = client.unwrap_or(ClientAddress(Ipv4Addr::UNSPECIFIED.into())).memory_holder();
    with_memory(&state, holder, Access::Read, next.run(request)).await
}
