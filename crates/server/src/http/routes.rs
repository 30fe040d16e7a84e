//! All routes, and what requests go through on their way to them.

use std::net::SocketAddr;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, Method, Uri, header};
use axum::middleware::from_fn_with_state;
use interline_items::Interline;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{AllowOrigin, CorsLayer};
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::app::{App, End};
use super::error::ApiError;
use super::guard::normal_origin;
use super::identify::identify;
use super::items::Collection;
use super::observe::{observe, panicked};
use super::{
    apps, code, docs, events, health, items, mcp, organizations, spaces, tags, tokens, users, webhooks, workflows,
};
use crate::Settings;

/// The API, for requests that arrive at `address`.
pub(crate) fn router(interline: Interline, settings: Settings, address: SocketAddr, end: End) -> Router {
    let app = App::new(interline, settings, address, end);
    let api = described().0.layer(from_fn_with_state(app.clone(), identify));
    let outside = (
        from_fn_with_state(app.clone(), observe),
        tower::util::option_layer(cors(&app.settings)),
        CatchPanicLayer::custom(panicked),
    );
    api.merge(open().split_for_parts().0)
        .merge(docs::routes())
        .merge(mcp::routes(&app))
        .method_not_allowed_fallback(async |method: Method| ApiError::MethodNotAllowed(method.to_string()))
        .fallback(async |uri: Uri| ApiError::UnknownRoute(uri.path().chars().take(200).collect()))
        .layer(outside)
        .with_state(app)
}

/// The routes that need a token, and the description of all.
pub(super) fn described() -> (Router<App>, OpenApi) {
    let mut api = OpenApiRouter::new()
        .routes(routes!(tags::list))
        .routes(routes!(tags::rename, tags::delete))
        .routes(routes!(tokens::create, tokens::list))
        .routes(routes!(tokens::delete))
        .routes(routes!(users::create, users::list))
        .routes(routes!(users::me))
        .routes(routes!(users::delete))
        .routes(routes!(spaces::list))
        .routes(routes!(events::listen))
        .routes(routes!(webhooks::create, webhooks::list))
        .routes(routes!(webhooks::read, webhooks::update, webhooks::delete))
        .routes(routes!(webhooks::deliveries))
        .routes(routes!(organizations::create, organizations::list))
        .routes(routes!(apps::create, apps::list))
        .routes(routes!(apps::read, apps::update))
        .routes(routes!(apps::publish))
        .routes(routes!(apps::versions))
        .routes(routes!(apps::version))
        .routes(routes!(apps::file))
        .routes(routes!(workflows::list))
        .routes(routes!(workflows::find))
        .routes(routes!(workflows::validate))
        .merge(code::routes());
    for collection in Collection::ALL {
        api = api.merge(items::routes(collection));
    }
    let (router, mut description) = api.split_for_parts();
    description.merge(open().split_for_parts().1);
    (router, description)
}

/// The routes that need none.
fn open() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(health::health)).routes(routes!(health::metrics))
}

/// `/notes/` is `/notes`. The page at `/docs/` has its own view of it.
pub(crate) fn without_final_slash<B>(mut request: Request<B>) -> Request<B> {
    let path = request.uri().path();
    if path.len() > 1 && path.ends_with('/') && !path.starts_with("/docs") {
        let mut shorter = path.trim_end_matches('/').to_owned();
        if shorter.is_empty() {
            shorter.push('/');
        }
        if let Some(query) = request.uri().query() {
            shorter.push('?');
            shorter.push_str(query);
        }
        if let Ok(uri) = shorter.parse() {
            *request.uri_mut() = uri;
        }
    }
    request
}

/// What pages of the allowed origins may send and see; `None` where there are none.
fn cors(settings: &Settings) -> Option<CorsLayer> {
    if settings.allowed_origins.is_empty() {
        return None;
    }
    let origins: Vec<String> = settings.allowed_origins.iter().map(|origin| normal_origin(origin)).collect();
    let is_allowed =
        move |origin: &HeaderValue| origin.to_str().is_ok_and(|origin| origins.contains(&normal_origin(origin)));
    let layer = CorsLayer::new()
        .allow_origin(AllowOrigin::predicate(move |origin, _| is_allowed(origin)))
        .allow_methods([Method::GET, Method::POST, Method::PATCH, Method::DELETE])
        .allow_headers([
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            header::IF_MATCH,
            header::IF_NONE_MATCH,
            HeaderName::from_static("idempotency-key"),
            HeaderName::from_static("mcp-protocol-version"),
        ])
        .expose_headers([
            header::ETAG,
            header::LOCATION,
            header::RETRY_AFTER,
            HeaderName::from_static("idempotency-replayed"),
            HeaderName::from_static("x-request-id"),
            HeaderName::from_static("ratelimit-limit"),
            HeaderName::from_static("ratelimit-remaining"),
            HeaderName::from_static("ratelimit-reset"),
        ]);
    Some(layer)
}
