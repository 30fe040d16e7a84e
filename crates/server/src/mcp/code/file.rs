//! Which file a tool is about, and what it tells of one.

use interline_items::fields::CodePath;
use interline_items::{AppRef, CodeKind, CodeScope, FileRef, Item, SpaceId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mcp::arguments::OrganizationArgument;
use crate::mcp::tool::Call;
use crate::wire::Time;
use crate::wire::code::Place;

// What a file is. (A doc comment would be told to models, with every tool.)
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum EntityType {
    AppFile,
    Workflow,
    Module,
}

impl From<EntityType> for CodeKind {
    fn from(entity_type: EntityType) -> CodeKind {
        match entity_type {
            EntityType::AppFile => CodeKind::AppFile,
            EntityType::Workflow => CodeKind::Workflow,
            EntityType::Module => CodeKind::Module,
        }
    }
}

/// The arguments that say which file is meant. (Each tool lists them itself: serde can share fields between types, but then
/// neither refuses unknown ones.)
pub(super) struct GivenFile {
    pub(super) entity_type: EntityType,
    pub(super) path: String,
    pub(super) app_id: Option<String>,
    pub(super) organization_id: Option<OrganizationArgument>,
}

impl GivenFile {
    pub(super) fn reference(self) -> FileRef {
        let GivenFile { entity_type, path, app_id, organization_id } = self;
        FileRef { scope: scope(entity_type, app_id.as_deref(), organization_id), path }
    }
}

/// What and whose code is meant.
pub(super) fn scope(
    entity_type: EntityType,
    app_id: Option<&str>,
    organization_id: Option<OrganizationArgument>,
) -> CodeScope {
    CodeScope { kind: entity_type.into(), app: app_id.map(AppRef::parse), organization: organization_id.map(|id| id.0) }
}

/// Which file it is.
#[derive(Serialize, JsonSchema)]
pub(super) struct FileName {
    path: String,
    entity_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    app_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    organization_id: Option<String>,
}

impl FileName {
    pub(super) fn of(call: &Call, item: &Item) -> FileName {
        let (app_id, organization_id) = whose(call, item.space);
        // Every file has one.
        let path = item.fields.path.as_ref().map(CodePath::as_str).unwrap_or_default().to_owned();
        FileName { path, entity_type: item.kind.name(), app_id, organization_id }
    }
}

/// The app and the organization that code in a space belongs to.
pub(super) fn whose(call: &Call, space: SpaceId) -> (Option<String>, Option<String>) {
    let place = Place::in_space(space, &call.caller);
    (place.app_id.map(|id| id.to_string()), place.organization_id.flatten().map(|id| id.to_string()))
}

/// A file without its content.
#[derive(Serialize, JsonSchema)]
pub(super) struct FileTold {
    #[serde(flatten)]
    file: FileName,
    content_length: u64,
    total_lines: u64,
    version: u64,
    #[schemars(with = "String")]
    updated_at: Time,
}

impl FileTold {
    pub(super) fn of(call: &Call, item: &Item) -> FileTold {
        let content = item.content.as_ref();
        FileTold {
            file: FileName::of(call, item),
            content_length: content.map_or(0, |content| content.characters),
            total_lines: content.map_or(1, |content| content.lines),
            version: item.stamp.version,
            updated_at: Time(item.updated_at),
        }
    }
}
