//! Apps and their published versions in requests and responses.

use interline_items::fields::CodePath;
use interline_items::{
    App, AppChanges, AppDetails, AppDraft, AppVersion, OrganizationId, PublishedFile, PublishedVersion,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::FileList;
use crate::wire::Time;
use crate::wire::requests::{deserialize_some, field_change};

/// An app.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = App)]
pub(crate) struct AppResponse {
    /// Its identifier.
    id: Uuid,
    /// What it is called.
    name: String,
    /// Its short name, which is unique in its organization.
    slug: String,
    /// What it is for.
    description: Option<String>,
    /// Whose it is; null is everybody's.
    organization_id: Option<Uuid>,
    /// Its navigation, as it was given.
    #[schema(value_type = Value)]
    navigation: Option<Value>,
    /// The version that was published last.
    #[schema(value_type = Option<i64>, minimum = 1)]
    published_version: Option<u64>,
    /// When it was made.
    created_at: Time,
    /// When one of these was last changed; publishing and edits of files do not count.
    updated_at: Time,
    /// Since when it is in the trash.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    deleted_at: Option<Time>,
    /// The files that are edited, where one app was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    draft: Option<FileList>,
}

/// The apps that exist for the caller.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AppList {
    /// Oldest first, deleted ones by the time of their deletion, newest first; without their files.
    pub(crate) apps: Vec<AppResponse>,
    /// How many there are.
    #[schema(value_type = i64, minimum = 0)]
    pub(crate) count: usize,
}

/// A new app.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewApp)]
pub(crate) struct CreateAppRequest {
    /// What it is called.
    #[schema(min_length = 1, max_length = 200)]
    name: String,
    /// Its short name; made from the name unless given.
    #[serde(default)]
    #[schema(pattern = "^[a-z0-9]+(-[a-z0-9]+)*$", max_length = 100)]
    slug: Option<String>,
    /// What it is for.
    #[serde(default)]
    #[schema(max_length = 4000)]
    description: Option<String>,
    /// Whose it is; unless given, that of the caller, and of admins everybody's.
    #[serde(default)]
    organization_id: Option<Uuid>,
    /// Its navigation: any JSON of up to 64 KiB.
    #[serde(default)]
    #[schema(value_type = Value)]
    navigation: Option<Value>,
}

/// Changes of an app: what is left out stays, `null` clears.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = AppPatch)]
pub(crate) struct UpdateAppRequest {
    /// What it is called.
    #[serde(default, deserialize_with = "deserialize_some")]
    #[schema(nullable = false, min_length = 1, max_length = 200)]
    name: Option<String>,
    /// Its short name.
    #[serde(default, deserialize_with = "deserialize_some")]
    #[schema(nullable = false, pattern = "^[a-z0-9]+(-[a-z0-9]+)*$", max_length = 100)]
    slug: Option<String>,
    /// What it is for.
    #[serde(default, deserialize_with = "deserialize_some")]
    #[schema(value_type = Option<String>, max_length = 4000)]
    description: Option<Option<String>>,
    /// Its navigation: any JSON of up to 64 KiB.
    #[serde(default, deserialize_with = "deserialize_some")]
    #[schema(value_type = Value)]
    navigation: Option<Option<Value>>,
}

/// A published version of an app.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AppVersion)]
pub(crate) struct AppVersionResponse {
    #[schema(value_type = i64, minimum = 1)]
    version: u64,
    /// When it was published.
    published_at: Time,
    /// By whom.
    user: Uuid,
    /// How many files it has.
    #[schema(value_type = i64, minimum = 1)]
    file_count: u64,
    /// Its files, where one version was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    files: Option<Vec<PublishedEntry>>,
}

/// A file of a published version.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PublishedEntry {
    path: String,
    /// In characters.
    #[schema(value_type = i64, minimum = 0)]
    content_length: u64,
}

/// The published versions of an app.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = VersionList)]
pub(crate) struct AppVersionList {
    /// Newest first.
    pub(crate) versions: Vec<AppVersionResponse>,
}

/// What was published.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Published)]
pub(crate) struct PublishAppResponse {
    /// Always true; refusals are errors.
    pub(crate) success: bool,
    /// The app.
    pub(crate) app: AppResponse,
    #[serde(flatten)]
    pub(crate) version: AppVersionResponse,
}

/// A file as it was published.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PublishedFile)]
pub(crate) struct PublishedFileResponse {
    pub(crate) path: String,
    #[schema(value_type = i64, minimum = 1)]
    pub(crate) version: u64,
    #[schema(value_type = String)]
    pub(crate) content: std::sync::Arc<str>,
}

impl AppResponse {
    /// An app without its files.
    pub(crate) fn from_app(app: &App) -> AppResponse {
        AppResponse {
            id: app.id.uuid(),
            name: app.name.clone(),
            slug: app.slug.as_str().to_owned(),
            description: app.description.clone(),
            organization_id: app.organization.map(OrganizationId::uuid),
            // What was stored was JSON.
            navigation: app.navigation.as_deref().and_then(|text| serde_json::from_str(text).ok()),
            published_version: app.published_version,
            created_at: Time(app.created_at),
            updated_at: Time(app.updated_at),
            deleted_at: app.deleted_at.map(Time),
            draft: None,
        }
    }

    /// An app with the files of its draft.
    pub(crate) fn with_draft(details: &AppDetails) -> AppResponse {
        let draft = FileList::for_app(&details.draft, details.app.id);
        AppResponse { draft: Some(draft), ..AppResponse::from_app(&details.app) }
    }
}

impl CreateAppRequest {
    pub(crate) fn into_draft(self) -> AppDraft {
        AppDraft {
            name: self.name,
            slug: self.slug,
            description: self.description,
            organization: self.organization_id.map(OrganizationId::from_uuid),
            navigation: self.navigation.map(|navigation| navigation.to_string()),
        }
    }
}

impl UpdateAppRequest {
    pub(crate) fn into_changes(self) -> AppChanges {
        AppChanges {
            name: self.name,
            slug: self.slug,
            description: field_change(self.description),
            navigation: field_change(self.navigation.map(|value| value.map(|value| value.to_string()))),
        }
    }
}

impl AppVersionResponse {
    pub(crate) fn from_version(version: &AppVersion) -> AppVersionResponse {
        AppVersionResponse {
            version: version.version,
            published_at: Time(version.published_at),
            user: version.user.uuid(),
            file_count: version.files,
            files: None,
        }
    }

    pub(crate) fn with_files(published: &PublishedVersion) -> AppVersionResponse {
        let entry = |file: &PublishedFile| PublishedEntry {
            path: CodePath::as_str(&file.path).to_owned(),
            content_length: file.characters,
        };
        let files = published.files.iter().map(entry).collect();
        AppVersionResponse { files: Some(files), ..AppVersionResponse::from_version(&published.version) }
    }
}
