//! What a path names.

use axum::extract::{FromRequestParts, MatchedPath, RawPathParams};
use axum::http::request::Parts;
use interline_items::fields::{FieldError, PromptName, Tag};
use interline_items::{AppRef, Error, ItemId};
use uuid::Uuid;

use super::app::App;
use super::error::ApiError;
use super::query;

/// The `{id}` of a path.
pub(super) struct Id(pub(super) Uuid);

impl Id {
    pub(super) fn item(&self) -> ItemId {
        ItemId::from_uuid(self.0)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Id {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Id, ApiError> {
        let text = segment(parts, state, "id").await?;
        // Only in the form that the API sends: other spellings would be other addresses of the same item.
        match Uuid::try_parse(&text) {
            Ok(id) if text.len() == 36 => Ok(Id(id)),
            _ => Err(invalid("id", "must be a UUID such as 0190a6f4-7b3c-7def-8123-456789abcdef")),
        }
    }
}

/// The `{version}` of a path.
pub(super) struct Version(pub(super) u64);

impl<S: Send + Sync> FromRequestParts<S> for Version {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Version, ApiError> {
        let text = segment(parts, state, "version").await?;
        let number = query::number(1, u64::MAX)(&text);
        number.map(Version).map_err(|message| invalid("version", &message))
    }
}

/// The `{name}` of a prompt.
pub(super) struct Named(pub(super) PromptName);

impl FromRequestParts<App> for Named {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Named, ApiError> {
        let text = segment(parts, app, "name").await?;
        let name = PromptName::parse(&text, app.interline.limits());
        let name = name.map_err(|error| Error::ValidationFailed(vec![error]))?;
        Ok(Named(name))
    }
}

/// The `{name}` of a tag.
pub(super) struct Tagged(pub(super) Tag);

impl FromRequestParts<App> for Tagged {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Tagged, ApiError> {
        let text = segment(parts, app, "name").await?;
        let tag = Tag::parse(&text, app.interline.limits()).map_err(|error| Error::ValidationFailed(vec![error]))?;
        Ok(Tagged(tag))
    }
}

/// The `{app}` of a path: an id or a slug.
pub(super) struct NamedApp(pub(super) AppRef);

impl<S: Send + Sync> FromRequestParts<S> for NamedApp {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<NamedApp, ApiError> {
        Ok(NamedApp(AppRef::parse(&segment(parts, state, "app").await?)))
    }
}

/// Whether the path has a `{name}`.
pub(super) fn has_name(parts: &Parts) -> bool {
    parts.extensions.get::<MatchedPath>().is_some_and(|path| path.as_str().contains("{name}"))
}

async fn segment<S: Send + Sync>(parts: &mut Parts, state: &S, name: &'static str) -> Result<String, ApiError> {
    // What cannot be decoded is not UTF-8.
    let segments = RawPathParams::from_request_parts(parts, state).await.map_err(|_| invalid(name, "must be UTF-8"))?;
    let found = segments.iter().find(|(key, _)| *key == name).map(|(_, value)| value.to_owned());
    found.ok_or_else(|| invalid(name, "is missing"))
}

fn invalid(field: &str, message: &str) -> ApiError {
    Error::ValidationFailed(vec![FieldError::new(field, message)]).into()
}
