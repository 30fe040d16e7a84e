//! Apps: files that are edited as a draft and published as versions that never change.

use jiff::Timestamp;

use crate::fields::{AppSlug, CodePath};
use crate::{AppId, OrganizationId, UserId};

/// An app without its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct App {
    /// Its identifier.
    pub id: AppId,
    /// Its short name; unique in its organization, and among the apps that belong to none.
    pub slug: AppSlug,
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// The organization that owns it; `None` for a global app.
    pub organization: Option<OrganizationId>,
    /// Its navigation: a JSON text that the store does not interpret.
    pub navigation: Option<String>,
    /// The version that was published last.
    pub published_version: Option<u64>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When one of these fields was last changed, or it was deleted or restored; publishing and edits of files do not count.
    pub updated_at: Timestamp,
    /// Since when it is in the trash: until it is restored, neither it nor its files and published versions exist for anyone.
    pub deleted_at: Option<Timestamp>,
}

/// A published version of an app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AppVersion {
    /// 1 for the first version, and 1 more for each after it.
    pub version: u64,
    /// When it was published.
    pub published_at: Timestamp,
    /// The user who published it.
    pub user: UserId,
    /// How many files it has.
    pub files: u64,
}

/// A file of a published version, without its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedFile {
    /// Its path.
    pub path: CodePath,
    /// The length of its content in characters.
    pub characters: u64,
}
