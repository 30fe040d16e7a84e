//! Attribution by headers: `Interline-Client`, `Interline-Reason`, `Interline-Change-Set`, and `User-Agent` where nothing
//! else names the client.

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::USER_AGENT;
use axum::http::{HeaderMap, HeaderName, Response};
use axum::middleware::Next;
use axum::response::IntoResponse;
use interline_items::fields::FieldError;
use interline_items::{AttributionRequest, Caller, Client, Error};

use crate::http::error::ApiError;
use crate::http::extract::caller::WritingCaller;
use crate::http::state::AppState;
use crate::wire::{parse_change_set, parse_reason};

const CLIENT: HeaderName = HeaderName::from_static("interline-client");
const REASON: HeaderName = HeaderName::from_static("interline-reason");
const CHANGE_SET: HeaderName = HeaderName::from_static("interline-change-set");

/// Passes a request on. The writes of one that writes are attributed as its headers say.
pub(super) async fn run_attributed(state: &AppState, request: Request, next: Next) -> Response<Body> {
    let attributed = match request.extensions().get::<WritingCaller>() {
        Some(WritingCaller(caller)) => attribute_by_headers(state, caller, request.headers()).await,
        None => Ok(()),
    };
    match attributed {
        Ok(()) => next.run(request).await,
        Err(error) => ApiError::from(error).into_response(),
    }
}

async fn attribute_by_headers(state: &AppState, caller: &Caller, headers: &HeaderMap) -> Result<(), Error> {
    state.interline.attribute(caller, attribution_from_headers(headers)?).await
}

/// What the headers of a request say about its writes.
pub(in crate::http) fn attribution_from_headers(headers: &HeaderMap) -> Result<AttributionRequest, Error> {
    Ok(AttributionRequest {
        client: one(headers, &CLIENT)?.map(parse_client).transpose()?,
        fallback_client: headers.get(USER_AGENT).and_then(|value| first_product(value.to_str().ok()?)),
        reason: one(headers, &REASON)?.map_or(Ok(None), parse_reason)?,
        change_set: one(headers, &CHANGE_SET)?.map(parse_change_set).transpose()?,
    })
}

/// The value of a header that may be given once.
fn one<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h str>, Error> {
    let mut values = headers.get_all(name).iter();
    let (first, second) = (values.next(), values.next());
    let Some(value) = first else { return Ok(None) };
    let text = std::str::from_utf8(value.as_bytes()).ok().filter(|_| second.is_none());
    text.map(Some)
        .ok_or_else(|| Error::ValidationFailed(vec![FieldError::new(name.as_str(), "must be given once, in UTF-8")]))
}

/// `name/version`, or a name alone. A name may have a slash: the version is after the last one.
fn parse_client(text: &str) -> Result<Client, Error> {
    let (name, version) = text.rsplit_once('/').map_or((text, None), |(name, version)| (name, Some(version)));
    Client::parse(name, version).map_err(|mut error| {
        CLIENT.as_str().clone_into(&mut error.field);
        Error::ValidationFailed(vec![error])
    })
}

/// The client of a `User-Agent`: its first product.
fn first_product(text: &str) -> Option<Client> {
    let product = text.split_ascii_whitespace().next()?;
    let (name, version) = product.split_once('/').map_or((product, None), |(name, version)| (name, Some(version)));
    Client::from_self_description(name, version)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn headers(given: &[(&HeaderName, &str)]) -> HeaderMap {
        let values =
            given.iter().map(|(name, value)| ((*name).clone(), HeaderValue::from_bytes(value.as_bytes()).unwrap()));
        let mut headers = HeaderMap::new();
        for (name, value) in values {
            headers.append(name, value);
        }
        headers
    }

    #[test]
    fn a_client_is_a_name_and_a_version() {
        for (text, name, version) in
            [("tool/1.2", "tool", Some("1.2")), ("tool", "tool", None), ("a/b/2", "a/b", Some("2"))]
        {
            let said = attribution_from_headers(&headers(&[(&CLIENT, text)])).unwrap().client.unwrap();
            assert_eq!((said.name(), said.version()), (name, version), "{text}");
        }
        let agent = attribution_from_headers(&headers(&[(&USER_AGENT, "curl/8.5 (x86) lib/2")])).unwrap();
        assert_eq!(agent.client, None);
        assert_eq!(agent.fallback_client, Client::parse("curl", Some("8.5")).ok());
    }

    #[test]
    fn what_is_malformed_is_refused_by_the_name_of_its_header() {
        let long = "x".repeat(600);
        for (given, field) in [
            (headers(&[(&CLIENT, "")]), "interline-client"),
            (headers(&[(&CLIENT, "/1")]), "interline-client"),
            (headers(&[(&CLIENT, "a"), (&CLIENT, "b")]), "interline-client"),
            (headers(&[(&REASON, &long)]), "reason"),
            (headers(&[(&CHANGE_SET, "7")]), "change_set"),
        ] {
            match attribution_from_headers(&given) {
                Err(Error::ValidationFailed(errors)) => assert_eq!(errors[0].field, field),
                other => panic!("{given:?}: {other:?}"),
            }
        }
    }
}
