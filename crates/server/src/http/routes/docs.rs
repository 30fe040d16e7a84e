//! `/openapi.json` and `/docs`: the description of the API and a page to browse it. Both work offline.

use std::net::Ipv4Addr;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::{Next, from_fn, from_fn_with_state, map_response};
use axum::response::{Html, IntoResponse as _, Response};
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

/// The page: that of Swagger UI, with a title of its own.
const HTML: &str = include_str!("docs.html");

/// Whether a path is one of the page's own: the page loads its files relative to `/docs/`.
pub(in crate::http) fn keeps_final_slash(path: &str) -> bool {
    path.starts_with(PAGE)
}

pub(in crate::http) fn routes(state: &AppState) -> Router<AppState> {
    // The groups of operations, each of which opens: all operations at once are a long list.
    let config = Config::from("/openapi.json").use_base_layout().doc_expansion("none").default_models_expand_depth(0);
    let page: Router<AppState> = SwaggerUi::new(PAGE).config(config).into();
    let page = page
        .layer(from_fn(send_page))
        .layer(map_response(async |response: Response| match response.status() {
            StatusCode::NOT_FOUND => ApiError::UnknownRoute("that address below /docs".to_owned()).into_response(),
            _ => response,
        }))
        .layer(SetResponseHeaderLayer::overriding(CONTENT_SECURITY_POLICY, POLICY))
        .layer(SetResponseHeaderLayer::overriding(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")));
    let description = || async { ([(CONTENT_TYPE, "application/json")], openapi_text()) };
    page.route("/openapi.json", get(description)).layer(from_fn_with_state(state.clone(), count_memory))
}

async fn send_page(request: Request, next: Next) -> Response {
    let is_page = matches!(request.uri().path(), "/docs/" | "/docs/index.html");
    if is_page && matches!(*request.method(), Method::GET | Method::HEAD) {
        return Html(HTML).into_response();
    }
    next.run(request).await
}

/// Counts what is sent without a token for the address that asks for it.
async fn count_memory(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let client = request.extensions().get::<ClientAddress>().copied();
    let holder = client.unwrap_or(ClientAddress(Ipv4Addr::UNSPECIFIED.into())).memory_holder();
    with_memory(&state, holder, Access::Read, next.run(request)).await
}
