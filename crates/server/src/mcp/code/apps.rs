//! `list_apps`, `create_app`, `get_app`, `update_app` and `publish_app`.

use std::borrow::Cow;

use interline_items::fields::CodePath;
use interline_items::{App, AppChanges, AppDetails, AppDraft, AppRef, Error, Item};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::mcp::arguments::{OrganizationArgument, invalid};
use crate::mcp::metadata::changed;
use crate::mcp::tool::{About, Call, Effect, Tool};
use crate::wire::{Object, Time};

pub(super) fn list_tool() -> Tool {
    let about = About {
        name: "list_apps",
        title: "List apps",
        description: "The apps with their ids and slugs.",
        effect: Effect::Reads,
    };
    Tool::new(about, list_apps)
}

pub(super) fn create_tool() -> Tool {
    let about = About {
        name: "create_app",
        title: "Create an app",
        description: "Make an app with a small scaffold (_layout.tsx, pages/index.tsx). The slug is made from the name \
            unless given.",
        effect: Effect::Adds,
    };
    Tool::new(about, create_app)
}

pub(super) fn get_tool() -> Tool {
    let about = About {
        name: "get_app",
        title: "Describe an app",
        description: "An app with the paths and sizes of its draft's files.",
        effect: Effect::Reads,
    };
    Tool::new(about, get_app)
}

pub(super) fn update_tool() -> Tool {
    let about = About {
        name: "update_app",
        title: "Update an app",
        description: "Change name, slug, description or navigation; what is left out stays. Files: patch_content.",
        effect: Effect::Settles,
    };
    Tool::new(about, update_app)
}

pub(super) fn publish_tool() -> Tool {
    let about = About {
        name: "publish_app",
        title: "Publish an app",
        description: "Freeze the draft's files as the next published version.",
        effect: Effect::Changes,
    };
    Tool::new(about, publish_app)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListArguments {}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CreateArguments {
    name: String,
    slug: Option<String>,
    description: Option<String>,
    organization_id: Option<OrganizationArgument>,
    #[schemars(with = "Option<Map<String, Value>>")]
    navigation: Option<Object<Map<String, Value>>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WhichArguments {
    /// Id or slug
    app_id: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UpdateArguments {
    /// Id or slug
    app_id: String,
    name: Option<String>,
    slug: Option<String>,
    description: Option<String>,
    #[schemars(with = "Option<Map<String, Value>>")]
    navigation: Option<Object<Map<String, Value>>>,
    /// Fields to empty
    clear: Option<Vec<Clearable>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Clearable {
    Description,
    Navigation,
}

#[derive(Serialize, JsonSchema)]
struct AppsTold {
    apps: Vec<AppTold>,
}

#[derive(Serialize, JsonSchema)]
struct AppTold {
    id: String,
    slug: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    organization_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    published_version: Option<u64>,
    #[schemars(with = "String")]
    created_at: Time,
    #[schemars(with = "String")]
    updated_at: Time,
}

/// An app with all that is known of it.
#[derive(Serialize, JsonSchema)]
struct AppDetailsTold {
    #[serde(flatten)]
    app: AppTold,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<AnyJson>")]
    navigation: Option<Value>,
    files: Vec<AppFileTold>,
    file_count: u64,
}

/// A navigation of REST's, which takes more than objects.
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
struct AppFileTold {
    path: String,
    content_length: u64,
    version: u64,
}

#[derive(Serialize, JsonSchema)]
struct PublishedTold {
    id: String,
    slug: String,
    published_version: u64,
    file_count: u64,
    #[schemars(with = "String")]
    published_at: Time,
}

async fn list_apps(call: Call, _: ListArguments) -> Result<AppsTold, Error> {
    let apps = call.interline.apps(&call.caller).await?;
    Ok(AppsTold { apps: apps.iter().map(AppTold::of).collect() })
}

async fn create_app(call: Call, arguments: CreateArguments) -> Result<AppDetailsTold, Error> {
    let CreateArguments { name, slug, description, organization_id, navigation } = arguments;
    let organization = organization_id.map(|id| id.0);
    let draft = AppDraft { name, slug, description, organization, navigation: navigation.map(json) };
    AppDetailsTold::of(&call.interline.create_app(&call.caller, draft).await?)
}

async fn get_app(call: Call, arguments: WhichArguments) -> Result<AppDetailsTold, Error> {
    AppDetailsTold::of(&call.interline.app(&call.caller, &AppRef::parse(&arguments.app_id)).await?)
}

async fn update_app(call: Call, arguments: UpdateArguments) -> Result<AppTold, Error> {
    let UpdateArguments { app_id, name, slug, description, navigation, clear } = arguments;
    let clear = clear.unwrap_or_default();
    let is_empty = name.is_none() && slug.is_none() && description.is_none() && navigation.is_none();
    if is_empty && clear.is_empty() {
        return Err(invalid("name", "at least one of name, slug, description, navigation and clear is required"));
    }
    let changes = AppChanges {
        name,
        slug,
        description: changed("description", description, clear.contains(&Clearable::Description))?,
        navigation: changed("navigation", navigation.map(json), clear.contains(&Clearable::Navigation))?,
    };
    Ok(AppTold::of(&call.interline.update_app(&call.caller, &AppRef::parse(&app_id), changes).await?))
}

async fn publish_app(call: Call, arguments: WhichArguments) -> Result<PublishedTold, Error> {
    let (app, version) = call.interline.publish_app(&call.caller, &AppRef::parse(&arguments.app_id)).await?;
    Ok(PublishedTold {
        id: app.id.to_string(),
        slug: app.slug.as_str().to_owned(),
        published_version: version.version,
        file_count: version.files,
        published_at: Time(version.published_at),
    })
}

fn json(Object(navigation): Object<Map<String, Value>>) -> String {
    Value::Object(navigation).to_string()
}

impl AppTold {
    fn of(app: &App) -> AppTold {
        AppTold {
            id: app.id.to_string(),
            slug: app.slug.as_str().to_owned(),
            name: app.name.clone(),
            description: app.description.clone(),
            organization_id: app.organization.map(|id| id.to_string()),
            published_version: app.published_version,
            created_at: Time(app.created_at),
            updated_at: Time(app.updated_at),
        }
    }
}

impl AppDetailsTold {
    fn of(details: &AppDetails) -> Result<AppDetailsTold, Error> {
        let AppDetails { app, draft } = details;
        let navigation = app.navigation.as_deref().map(serde_json::from_str).transpose();
        Ok(AppDetailsTold {
            app: AppTold::of(app),
            navigation: navigation.map_err(|error| Error::Internal(error.to_string()))?,
            files: draft.files.iter().map(AppFileTold::of).collect(),
            file_count: draft.total,
        })
    }
}

impl AppFileTold {
    fn of(item: &Item) -> AppFileTold {
        AppFileTold {
            path: item.fields.path.as_ref().map(CodePath::as_str).unwrap_or_default().to_owned(),
            content_length: item.content.as_ref().map_or(0, |content| content.characters),
            version: item.stamp.version,
        }
    }
}
