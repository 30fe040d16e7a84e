//! The app that a tool works on, and the results that show one.

use std::borrow::Cow;

use interline_items::{App, AppDetails, Error, Item};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::wire::code::code_path;
use crate::wire::{Object, Time, content_length};

/// The argument that names an app.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AppArgs {
    /// Id or slug
    pub(super) app_id: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct AppResult {
    id: String,
    slug: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    organization_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    published_version: Option<u64>,
    created_at: Time,
    updated_at: Time,
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_at: Option<Time>,
}

/// An app with its navigation and the files of its draft.
#[derive(Serialize, JsonSchema)]
pub(super) struct AppDetailsResult {
    #[serde(flatten)]
    app: AppResult,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<AnyJson>")]
    navigation: Option<Value>,
    files: Vec<AppFileResult>,
    file_count: u64,
}

/// The schema of a navigation: any JSON, because REST accepts more than objects.
struct AnyJson;

impl JsonSchema for AnyJson {
    fn schema_name() -> Cow<'static, str> {
        "AnyJson".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({})
    }
}

#[derive(Serialize, JsonSchema)]
struct AppFileResult {
    path: String,
    content_length: u64,
    version: u64,
}

/// The navigation of an app as the JSON text that is stored.
pub(super) fn navigation_text(Object(navigation): Object<Map<String, Value>>) -> String {
    Value::Object(navigation).to_string()
}

impl From<&App> for AppResult {
    fn from(app: &App) -> AppResult {
        AppResult {
            id: app.id.to_string(),
            slug: app.slug.as_str().to_owned(),
            name: app.name.clone(),
            description: app.description.clone(),
            organization_id: app.organization.map(|id| id.to_string()),
            published_version: app.published_version,
            created_at: Time(app.created_at),
            updated_at: Time(app.updated_at),
            deleted_at: app.deleted_at.map(Time),
        }
    }
}

impl AppDetailsResult {
    pub(super) fn from_app(details: &AppDetails) -> Result<AppDetailsResult, Error> {
        let AppDetails { app, draft } = details;
        let navigation = app.navigation.as_deref().map(serde_json::from_str).transpose();
        Ok(AppDetailsResult {
            app: AppResult::from(app),
            navigation: navigation.map_err(|error| Error::Internal(error.to_string()))?,
            files: draft.files.iter().map(AppFileResult::from).collect(),
            file_count: draft.total,
        })
    }
}

impl From<&Item> for AppFileResult {
    fn from(item: &Item) -> AppFileResult {
        AppFileResult {
            path: code_path(item),
            content_length: content_length(item).unwrap_or(0),
            version: item.stamp.version,
        }
    }
}
