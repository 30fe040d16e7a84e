//! `/openapi.json` and `/docs`: the description of the API and a page to browse it. Both work offline.

use std::net::Ipv4Addr;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::get;
use tower_http::set_header::SetResponseHeaderLayer;

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

/// The page, or a file that it loads.
struct PageFile {
    content_type: &'static str,
    /// How its bytes are compressed: as the build compressed them. Every browser takes gzip.
    encoding: Option<&'static str>,
    bytes: &'static [u8],
}

const HTML: PageFile =
    PageFile { content_type: "text/html; charset=utf-8", encoding: None, bytes: include_bytes!("index.html") };

const SCRIPT: PageFile =
    PageFile { content_type: "text/javascript; charset=utf-8", encoding: None, bytes: include_bytes!("page.js") };

// Of Swagger UI: `build.rs` takes them from its archive.
const SWAGGER_SCRIPT: PageFile = PageFile {
    content_type: "text/javascript; charset=utf-8",
    encoding: Some("gzip"),
    bytes: include_bytes!(concat!(env!("OUT_DIR"), "/swagger-ui-bundle.js.gz")),
};

const SWAGGER_STYLE: PageFile = PageFile {
    content_type: "text/css; charset=utf-8",
    encoding: Some("gzip"),
    bytes: include_bytes!(concat!(env!("OUT_DIR"), "/swagger-ui.css.gz")),
};

impl PageFile {
    fn response(&self) -> Response {
        let mut response = ([(CONTENT_TYPE, self.content_type)], self.bytes).into_response();
        if let Some(encoding) = self.encoding {
            response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        response
    }
}

/// Whether a path is one of the page's own: the page loads its files relative to `/docs/`.
pub(in crate::http) fn keeps_final_slash(path: &str) -> bool {
    path.starts_with(PAGE)
}

pub(in crate::http) fn routes(state: &AppState) -> Router<AppState> {
    let unknown = || async { ApiError::UnknownRoute("that address below /docs".to_owned()) };
    let page = Router::new()
        .route(PAGE, get(|| async { Redirect::to("/docs/") }))
        .route("/docs/", get(|| async { HTML.response() }))
        .route("/docs/index.html", get(|| async { HTML.response() }))
        .route("/docs/page.js", get(|| async { SCRIPT.response() }))
        .route("/docs/swagger-ui-bundle.js", get(|| async { SWAGGER_SCRIPT.response() }))
        .route("/docs/swagger-ui.css", get(|| async { SWAGGER_STYLE.response() }))
        .route("/docs/{*path}", get(unknown))
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
