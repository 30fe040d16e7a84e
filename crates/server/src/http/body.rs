//! JSON bodies.

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_LENGTH;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use interline_items::Error;
use interline_items::fields::FieldError;
use serde::de::DeserializeOwned;

use super::app::App;
use super::error::ApiError;
use super::wire::Object;

/// How much of what a parser says is shown: it quotes the sender.
const MAX_MESSAGE_CHARS: usize = 300;

/// The body of a request, parsed.
pub(super) struct Json<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<App> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> Result<Json<T>, ApiError> {
        let (parts, body) = request.into_parts();
        Ok(Json(parse(&bounded(app, &parts.headers, body).await?)?))
    }
}

/// The value of a body that may be left out.
pub(super) async fn optional<T: DeserializeOwned + Default>(
    app: &App,
    headers: &HeaderMap,
    body: Body,
) -> Result<T, ApiError> {
    let bytes = bounded(app, headers, body).await?;
    if bytes.is_empty() { Ok(T::default()) } else { Ok(parse(&bytes)?) }
}

/// A whole body, if it is not too long and arrives in time.
pub(super) async fn bounded(app: &App, headers: &HeaderMap, body: Body) -> Result<Bytes, ApiError> {
    let limit = app.settings.max_body_bytes;
    if let Some(actual) = announced(headers).filter(|&announced| announced > limit as u64) {
        return Err(ApiError::BodyTooLarge { limit, actual: Some(actual) });
    }
    let arrived = tokio::time::timeout(app.settings.request_timeout, read(body, limit)).await;
    arrived.unwrap_or(Err(ApiError::BodyIncomplete))
}

fn announced(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

async fn read(body: Body, limit: usize) -> Result<Bytes, ApiError> {
    match Limited::new(body, limit).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(ApiError::BodyTooLarge { limit, actual: None }),
        Err(_) => Err(ApiError::BodyIncomplete),
    }
}

/// The value of a JSON text. An error names the field.
fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Error> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let Object(value) = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        problem(&path, error.inner())
    })?;
    reader.end().map_err(|error| problem(".", &error))?;
    Ok(value)
}

fn problem(path: &str, error: &serde_json::Error) -> Error {
    let told = error.to_string();
    let message = told.split(" at line ").next().unwrap_or(&told);
    let field_error = if error.is_data() {
        named_field(path, message)
    } else {
        FieldError::new("body", shortened(&format!("is not valid JSON: {told}")))
    };
    Error::ValidationFailed(vec![field_error])
}

/// The error of the field that it is about: that of the path, or one in it that is unknown or missing.
fn named_field(path: &str, message: &str) -> FieldError {
    let inside = |name: &str| if path == "." { name.to_owned() } else { format!("{path}.{name}") };
    // The parser quotes the name of the field first.
    let quoted = message.split('`').nth(1).unwrap_or_default();
    if message.starts_with("unknown field") {
        let known = message.split_once(", ").map_or("there are no fields", |(_, known)| known);
        // Where the path has the name already, the parser was inside of it.
        let field =
            if path == quoted || path.ends_with(&format!(".{quoted}")) { path.to_owned() } else { inside(quoted) };
        FieldError::new(shortened(&field), shortened(&format!("is not a field here; {known}")))
    } else if message.starts_with("missing field") {
        FieldError::new(inside(quoted), "is required")
    } else if message.starts_with("duplicate field") {
        FieldError::new(inside(quoted), "is given more than once")
    } else {
        let field = if path == "." { "body" } else { path };
        FieldError::new(shortened(field), shortened(message))
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_MESSAGE_CHARS) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::super::wire::{ItemPatch, NewItem, NewToken};
    use super::*;

    fn refused<T: DeserializeOwned>(body: &str) -> (String, String) {
        match parse::<T>(body.as_bytes()) {
            Err(Error::ValidationFailed(errors)) => (errors[0].field.clone(), errors[0].message.clone()),
            Err(other) => panic!("{other:?}"),
            Ok(_) => panic!("{body} was accepted"),
        }
    }

    #[test]
    fn an_error_names_the_field() {
        for (body, field, part) in [
            (r#"{"titel": "x"}"#, "titel", "is not a field here; expected one of `type`, `title`"),
            (r#"{"tags": "abc"}"#, "tags", "invalid type: string \"abc\", expected a sequence"),
            (r#"{"tags": [1]}"#, "tags[0]", "invalid type: integer `1`, expected a string"),
            (r#"{"tags": null}"#, "tags", "invalid type: null, expected a sequence"),
            (r#"{"arguments": null}"#, "arguments", "invalid type: null"),
            (r#"{"arguments": [{"name": "x", "kind": 1}]}"#, "arguments[0].kind", "is not a field here"),
            (r#"{"arguments": [{}]}"#, "arguments[0].name", "is required"),
            (r#"{"title": "a", "title": "b"}"#, "title", "is given more than once"),
            ("[]", "body", "invalid type: sequence, expected an object"),
            (r#"{"arguments": [["x"]]}"#, "arguments[0]", "invalid type: sequence, expected an object"),
            ("", "body", "is not valid JSON: EOF"),
            ("{", "body", "is not valid JSON: EOF"),
            ("{} x", "body", "is not valid JSON: trailing characters"),
            (r#"{"title": "\ud800"}"#, "body", "is not valid JSON"),
            ("{\"title\": \"\u{0}\"}", "body", "is not valid JSON: control character"),
        ] {
            let (named, message) = refused::<NewItem>(body);
            assert_eq!(named, field, "{body}: {message}");
            assert!(message.contains(part), "{body}: {message}");
        }
        assert_eq!(refused::<NewToken>("{}"), ("name".to_owned(), "is required".to_owned()));
        assert_eq!(refused::<ItemPatch>(r#"{"expected_version": -1}"#).0, "expected_version");
        assert_eq!(refused::<ItemPatch>(r#"{"expected_version": null}"#).0, "expected_version");
    }

    #[test]
    fn what_is_quoted_is_cut() {
        let (_, message) = refused::<NewItem>(&format!(r#"{{"tags": "{}"}}"#, "x".repeat(10_000)));
        assert!(message.chars().count() <= MAX_MESSAGE_CHARS + 1);
    }
}
