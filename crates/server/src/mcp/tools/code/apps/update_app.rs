//! Tool `update_app`: changes name, slug, description or navigation of an app.

use interline_items::{AppChanges, AppRef, Error};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::app::{AppResult, navigation_text};
use crate::mcp::protocol::tool::{CallContext, Effect, Tool, ToolInfo};
use crate::mcp::tools::metadata_args::field_change;
use crate::wire::{Object, invalid_field};

pub(super) fn tool() -> Tool {
    let info = ToolInfo {
        name: "update_app",
        title: "Update an app",
        description: "Change name, slug, description or navigation; what is left out stays. Files: patch_content.",
        effect: Effect::ChangesIdempotently,
    };
    Tool::new(info, update_app)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UpdateAppArgs {
    /// Id or slug
    app_id: String,
    name: Option<String>,
    slug: Option<String>,
    description: Option<String>,
    #[schemars(with = "Option<Map<String, Value>>")]
    navigation: Option<Object<Map<String, Value>>>,
    /// Fields to empty
    clear: Option<Vec<ClearableAppField>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ClearableAppField {
    Description,
    Navigation,
}

async fn update_app(call: CallContext, args: UpdateAppArgs) -> Result<AppResult, Error> {
    let UpdateAppArgs { app_id, name, slug, description, navigation, clear } = args;
    let clear = clear.unwrap_or_default();
    let is_empty = name.is_none() && slug.is_none() && description.is_none() && navigation.is_none();
    if is_empty && clear.is_empty() {
        return Err(invalid_field("name", "at least one of name, slug, description, navigation and clear is required"));
    }
    let changes = AppChanges {
        name,
        slug,
        description: field_change("description", description, clear.contains(&ClearableAppField::Description))?,
        navigation: field_change(
            "navigation",
            navigation.map(navigation_text),
            clear.contains(&ClearableAppField::Navigation),
        )?,
    };
    Ok(AppResult::from(&call.interline.update_app(&call.caller, &AppRef::parse(&app_id), changes).await?))
}
