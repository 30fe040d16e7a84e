//! Path parameters: `{id}`, `{version}`, `{name}` and `{app}`.

use axum::extract::{FromRequestParts, MatchedPath, RawPathParams};
use axum::http::request::Parts;
use interline_items::fields::{FieldError, PromptName, Tag};
use interline_items::{AppRef, Error, ItemId};
use uuid::Uuid;

use crate::http::error::ApiError;
use crate::http::extract::query::number;
use crate::http::state::AppState;

/// The `{id}` of a path.
pub(in crate::http) struct IdPath(pub(in crate::http) Uuid);

impl IdPath {
    pub(in crate::http) fn item_id(&self) -> ItemId {
        ItemId::from_uuid(self.0)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for IdPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<IdPath, ApiError> {
        let text = segment(parts, state, "id").await?;
        // Only in the form that the API sends: other spellings would be other addresses of the same item.
        match Uuid::try_parse(&text) {
            Ok(id) if text.len() == 36 => Ok(IdPath(id)),
            _ => Err(invalid("id", "must be a UUID such as 0190a6f4-7b3c-7def-8123-456789abcdef")),
        }
    }
}

/// The `{version}` of a path.
pub(in crate::http) struct VersionPath(pub(in crate::http) u64);

impl<S: Send + Sync> FromRequestParts<S> for VersionPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<VersionPath, ApiError> {
        let text = segment(parts, state, "version").await?;
        let number = number(1, u64::MAX)(&text);
        number.map(VersionPath).map_err(|message| invalid("version", &message))
    }
}

/// The `{name}` of a prompt.
pub(in crate::http) struct PromptNamePath(pub(in crate::http) PromptName);

impl FromRequestParts<AppState> for PromptNamePath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<PromptNamePath, ApiError> {
        let text = segment(parts, state, "name").await?;
        let name = PromptName::parse(&text, state.interline.limits());
        let name = name.map_err(|error| Error::ValidationFailed(vec![error]))?;
        Ok(PromptNamePath(name))
    }
}

/// The `{name}` of a tag.
pub(in crate::http) struct TagPath(pub(in crate::http) Tag);

impl FromRequestParts<AppState> for TagPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<TagPath, ApiError> {
        let text = segment(parts, state, "name").await?;
        let tag =
            Tag::parse_stored(&text, state.interline.limits()).map_err(|error| Error::ValidationFailed(vec![error]))?;
        Ok(TagPath(tag))
    }
}

/// The `{app}` of a path: an id or a slug.
pub(in crate::http) struct AppPath(pub(in crate::http) AppRef);

impl<S: Send + Sync> FromRequestParts<S> for AppPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<AppPath, ApiError> {
        Ok(AppPath(AppRef::parse(&segment(parts, state, "app").await?)))
    }
}

/// Whether the route has a `{name}`.
pub(in crate::http) fn has_name(parts: &Parts) -> bool {
    parts.extensions.get::<MatchedPath>().is_some_and(|path| path.as_str().contains("{name}"))
}

async fn segment<S: Send + Sync>(parts: &mut Parts, state: &S, name: &'static str) -> Result<String, ApiError> {
    // Decoding fails only where the text is not UTF-8.
    let segments = RawPathParams::from_request_parts(parts, state).await.map_err(|_| invalid(name, "must be UTF-8"))?;
    let value = segments.iter().find(|(key, _)| *key == name).map(|(_, value)| value.to_owned());
    value.ok_or_else(|| invalid(name, "is missing"))
}

fn invalid(field: &str, message: &str) -> ApiError {
    Error::ValidationFailed(vec![FieldError::new(field, message)]).into()
}
