//! The file of code that a tool works on, and the results that show one.

use interline_items::{AppRef, CodeKind, CodeScope, FileRef, Item, SpaceId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mcp::protocol::arguments::OrganizationIdArg;
use crate::mcp::protocol::tool::CallContext;
use crate::wire::code::{CodeOwner, code_path};
use crate::wire::{Time, content_length, total_lines};

// What a file is. (A doc comment would be sent to models, with every tool.)
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

/// The arguments that name a file. (A tool that has more of them lists these too: serde can share fields between types,
/// but then neither type refuses unknown fields.)
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FileArgs {
    pub(super) entity_type: EntityType,
    pub(super) path: String,
    pub(super) app_id: Option<String>,
    pub(super) organization_id: Option<OrganizationIdArg>,
}

impl FileArgs {
    pub(super) fn into_file_ref(self) -> FileRef {
        let FileArgs { entity_type, path, app_id, organization_id } = self;
        FileRef { scope: code_scope(entity_type, app_id.as_deref(), organization_id), path }
    }
}

/// The kind and the owner of the code that a call works on.
pub(super) fn code_scope(
    entity_type: EntityType,
    app_id: Option<&str>,
    organization_id: Option<OrganizationIdArg>,
) -> CodeScope {
    CodeScope { kind: entity_type.into(), app: app_id.map(AppRef::parse), organization: organization_id.map(|id| id.0) }
}

/// Path, kind and owner of a file.
#[derive(Serialize, JsonSchema)]
pub(super) struct FileIdentity {
    path: String,
    entity_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    app_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    organization_id: Option<String>,
}

impl FileIdentity {
    pub(super) fn from_item(call: &CallContext, item: &Item) -> FileIdentity {
        let (app_id, organization_id) = owner_ids(call, item.space);
        FileIdentity { path: code_path(item), entity_type: item.kind.name(), app_id, organization_id }
    }
}

/// The ids of the app and of the organization that code in a space belongs to.
pub(super) fn owner_ids(call: &CallContext, space: SpaceId) -> (Option<String>, Option<String>) {
    let owner = CodeOwner::from_space(space, &call.caller);
    (owner.app_id.map(|id| id.to_string()), owner.organization_id.flatten().map(|id| id.to_string()))
}

/// A file without its content.
#[derive(Serialize, JsonSchema)]
pub(super) struct FileResult {
    #[serde(flatten)]
    file: FileIdentity,
    content_length: u64,
    total_lines: u64,
    version: u64,
    updated_at: Time,
}

impl FileResult {
    pub(super) fn from_item(call: &CallContext, item: &Item) -> FileResult {
        FileResult {
            file: FileIdentity::from_item(call, item),
            content_length: content_length(item).unwrap_or(0),
            total_lines: total_lines(item),
            version: item.stamp.version,
            updated_at: Time(item.updated_at),
        }
    }
}
