//! What the use cases need of a storage.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use thiserror::Error;
use tokio::sync::watch;

use crate::access::{Credentials, Membership, RemoveUser, SecretHash, Space, Token, User, UserRemoval};
use crate::app::{App, AppVersion, PublishedFile};
use crate::check::CheckReport;
use crate::event::{Event, EventRange};
use crate::fields::{AppSlug, CodePath, PromptName, Tag, Url};
use crate::history::{ForgottenVersions, HistoryPage, HistoryQuery, Retention, Version};
use crate::list::{ListQuery, Page};
use crate::organization::Organization;
use crate::search::{FileReader, FileSearch, IndexStep, IndexStepResult, SearchQuery, SearchResults};
use crate::work::JobStore;
use crate::write::{Batch, IdempotencyRecord, Record};
use crate::{
    AppId, CodeKind, Item, ItemId, ItemState, Kind, OrganizationId, Snapshot, SpaceId, Stamp, TokenId, UserId,
};

/// A storage. Every implementation passes the same conformance suite.
///
/// A method that writes returns after its transaction is on disk, and the next read through any method, by anybody,
/// sees it. It is carried out to the end even when its caller goes away. A method that fails has changed nothing, unless
/// it fails with [`StoreError::Unknown`].
#[async_trait]
pub trait Store: JobStore {
    /// Whether the storage answers.
    async fn ping(&self) -> Result<(), StoreError>;

    /// Carries out all of a batch or nothing, in one transaction.
    ///
    /// Each change leaves its item, a record in its history, a numbered event in its space, and a mark that the search index
    /// does not know it yet. A change that makes a version leaves what it takes to rebuild the version before.
    ///
    /// [`StoreError::Stale`] if an item is not in the state that its change was made for (or exists, for one that makes
    /// it); [`StoreError::Duplicate`] if the url, name or path of an item that is not deleted is taken by another of its kind
    /// in its space; [`StoreError::KeyTaken`] if an answer is remembered under its key already, whatever else is wrong;
    /// [`StoreError::Failed`] if a change would give an item another space, kind or time of creation.
    async fn commit(&self, batch: Batch) -> Result<(), StoreError>;

    /// Carries out what `prepare` makes of the newest state of an item, with nobody's change in between; whether there
    /// was something to do. `None` is an item that is not there, and from `prepare` that nothing is to be done.
    ///
    /// For a change that lost too many races: others wait meanwhile. `prepare` is called again where the storage has to
    /// begin anew, and what it made before is dropped. Errors are those of [`Store::commit`].
    async fn commit_on_newest(&self, id: ItemId, prepare: PlanOnNewest) -> Result<bool, StoreError>;

    /// Removes an item with its content and history, whatever its state; an event tells it.
    ///
    /// [`StoreError::Stale`] if it is not in the state `before`; [`StoreError::KeyTaken`] as for a commit.
    async fn purge(
        &self,
        id: ItemId,
        before: Stamp,
        record: Record,
        remember: Option<IdempotencyRecord>,
    ) -> Result<(), StoreError>;

    /// The answer that is remembered under a key of a user, however old it is.
    async fn remembered(&self, user: UserId, key: &str) -> Result<Option<IdempotencyRecord>, StoreError>;

    /// Forgets the answers that were given before a time, which frees their keys; how many.
    async fn forget_idempotency_records(&self, before: Timestamp) -> Result<u64, StoreError>;

    /// Remembers that an item was used; that is no change of it. An item that is gone is none of its business.
    async fn mark_used(&self, id: ItemId, at: Timestamp) -> Result<(), StoreError>;

    /// The state of an item: the least that can be read of it.
    async fn state(&self, id: ItemId) -> Result<Option<ItemState>, StoreError>;

    /// An item without its content, in whatever state.
    async fn item(&self, id: ItemId) -> Result<Option<Item>, StoreError>;

    /// An item with its content, read at one moment.
    async fn snapshot(&self, id: ItemId) -> Result<Option<Snapshot>, StoreError>;

    /// The item of a kind that is not deleted and has that name in one of the spaces; the first of them in their order.
    async fn find_by_name(
        &self,
        spaces: &[SpaceId],
        kind: Kind,
        name: &PromptName,
    ) -> Result<Option<ItemId>, StoreError>;

    /// The same by path.
    async fn find_by_path(&self, spaces: &[SpaceId], kind: Kind, path: &CodePath)
    -> Result<Option<ItemId>, StoreError>;

    /// Files of code that are not deleted, in the order of their paths, and how many there are, at one moment.
    async fn files(&self, query: &FileQuery) -> Result<FilePage, StoreError>;

    /// A page of items, and how many there are, at one moment.
    async fn list(&self, query: &ListQuery) -> Result<Page, StoreError>;

    /// A page of the items that match a search, and how many there are, at one moment: what was written before is found.
    /// [`StoreError::OutOfTime`] when it is not done by the time that the query gives it.
    async fn search(&self, query: &SearchQuery) -> Result<SearchResults, StoreError>;

    /// Hands the files of code that match a search, and maybe others, to `read`: those that are not deleted, sorted by
    /// the sort key of their path, then by their path, then by their space, all as they are at one moment. What was written
    /// before is among them. How many files there are where was looked, whether they match or not.
    ///
    /// [`StoreError::OutOfTime`] when it is not done by the time that the query gives it, unless `read` broke off before.
    async fn search_files(&self, query: &FileSearch, read: FileReader) -> Result<u64, StoreError>;

    /// Brings the index of searches a step on. What a search finds does not change by it, only how fast.
    async fn index(&self, step: IndexStep) -> Result<IndexStepResult, StoreError>;

    /// Reads everything and tells what does not fit together, at one moment.
    async fn check(&self) -> Result<CheckReport, StoreError>;

    /// What happened to an item, newest first; nothing for an item that is not there.
    async fn versions(&self, item: ItemId, query: HistoryQuery) -> Result<HistoryPage, StoreError>;

    /// An item as it was in a version, byte for byte; `None` if there is none, or if it is forgotten.
    async fn version(&self, item: ItemId, number: u64) -> Result<Option<Version>, StoreError>;

    /// Forgets old records of some items: those that come after `after` in the order of ids. What is kept can be
    /// rebuilt as before. Called again with the item that it ended at, it gets through all of them, in transactions that
    /// stay short.
    async fn forget_versions(
        &self,
        retention: Retention,
        after: Option<ItemId>,
    ) -> Result<ForgottenVersions, StoreError>;

    /// What happened in spaces after the event of a number each, in the order of their numbers in each space; at most
    /// `limit` events in all. A space that is not there had none.
    async fn events(&self, after: &BTreeMap<SpaceId, u64>, limit: usize) -> Result<Vec<Event>, StoreError>;

    /// Which events can be told of those of the spaces that are there.
    async fn event_ranges(&self, spaces: &[SpaceId]) -> Result<BTreeMap<SpaceId, EventRange>, StoreError>;

    /// Forgets the events that happened before a time, up to the first of each space that did not; how many.
    async fn forget_events(&self, before: Timestamp) -> Result<u64, StoreError>;

    /// Tells soon after a commit, by this process or another, that there may be new events. Several commits may be one
    /// change of it, and a change may be none; where word of another process's commit is lost, it is not told.
    fn changes(&self) -> watch::Receiver<()>;

    /// The first items that went into the trash before a time, the longest there first; at most `limit`.
    async fn trash(&self, before: Timestamp, limit: usize) -> Result<Vec<Item>, StoreError>;

    /// The tags of items of these kinds that are not deleted, with the number of items that have each, sorted by tag.
    async fn tags(&self, spaces: &[SpaceId], kinds: &BTreeSet<Kind>) -> Result<Vec<(Tag, u64)>, StoreError>;

    /// The items of these kinds that are not deleted and have a tag.
    async fn tagged(&self, spaces: &[SpaceId], kinds: &BTreeSet<Kind>, tag: &Tag) -> Result<Vec<Item>, StoreError>;

    /// Makes a user, a space of its own with it as the owner, and its first token, together.
    async fn create_user(&self, user: &User, space: &Space, token: &NewToken) -> Result<(), StoreError>;

    /// The same, if there is no user yet; whether there was none. Of many that start together, one makes its user.
    async fn create_first_user(&self, user: &User, space: &Space, token: &NewToken) -> Result<bool, StoreError>;

    /// Removes a user with its tokens, its memberships and its own space, with everything in it. What history tells
    /// about it elsewhere keeps its name and those of its tokens; no other method knows it any more.
    async fn remove_user(&self, user: UserId, items: RemoveUser, at: Timestamp) -> Result<UserRemoval, StoreError>;

    /// The users, oldest first.
    async fn users(&self) -> Result<Vec<User>, StoreError>;

    /// The oldest user.
    async fn first_user(&self) -> Result<Option<User>, StoreError>;

    /// One user.
    async fn user(&self, id: UserId) -> Result<Option<User>, StoreError>;

    /// The spaces of a user, its own first, then by id.
    ///
    /// They are those of which it was made a member, and what follows from who it is: the space of its organization and
    /// those of that organization's apps as a writer, the global one and those of global apps as a reader. An admin is
    /// an owner of all that are no user's own. Where two roles follow, the greater one counts.
    async fn memberships(&self, user: UserId) -> Result<Vec<Membership>, StoreError>;

    /// What a secret stands for, expired or not.
    async fn credentials(&self, secret: SecretHash) -> Result<Option<Credentials>, StoreError>;

    /// Adds a token.
    async fn create_token(&self, token: &NewToken) -> Result<(), StoreError>;

    /// The tokens of a user, oldest first.
    async fn tokens(&self, user: UserId) -> Result<Vec<Token>, StoreError>;

    /// Removes a token of a user; whether there was one. What history tells about it keeps its name.
    async fn delete_token(&self, user: UserId, id: TokenId) -> Result<bool, StoreError>;

    /// Remembers when a token was used. A token that is gone is none of its business.
    async fn mark_token_used(&self, id: TokenId, at: Timestamp) -> Result<(), StoreError>;

    /// Makes an organization and its space, together.
    async fn create_organization(&self, organization: &Organization, space: &Space) -> Result<(), StoreError>;

    /// The organizations, oldest first.
    async fn organizations(&self) -> Result<Vec<Organization>, StoreError>;

    /// One organization.
    async fn organization(&self, id: OrganizationId) -> Result<Option<Organization>, StoreError>;

    /// Makes an app, its space and its first files, together. [`StoreError::SlugTaken`] if another app of the same
    /// organization, or another global one, has its slug.
    async fn create_app(&self, new: NewApp) -> Result<(), StoreError>;

    /// Gives an app another slug, name, description and navigation, if it was last changed at `before`; whether it was.
    /// Its space is called like it. [`StoreError::SlugTaken`] as for a new one.
    async fn update_app(&self, app: &App, before: Timestamp) -> Result<bool, StoreError>;

    /// Those of the apps that are there, oldest first.
    async fn apps(&self, ids: &BTreeSet<AppId>) -> Result<Vec<App>, StoreError>;

    /// The apps that have a slug, whosever they are, oldest first.
    async fn apps_by_slug(&self, slug: &AppSlug) -> Result<Vec<App>, StoreError>;

    /// Makes the files of an app that are not deleted its next published version, as they are at one moment. Whatever
    /// becomes of them later, that version stays. `None` if there is no file, or no such app.
    async fn publish_app(&self, app: AppId, user: UserId, at: Timestamp) -> Result<Option<AppVersion>, StoreError>;

    /// The published versions of an app, newest first.
    async fn app_versions(&self, app: AppId) -> Result<Vec<AppVersion>, StoreError>;

    /// The files of a published version, in the order of their paths; none for a version that is not there.
    async fn published_files(&self, app: AppId, version: u64) -> Result<Vec<PublishedFile>, StoreError>;

    /// The content of a published file.
    async fn published_content(
        &self,
        app: AppId,
        version: u64,
        path: &CodePath,
    ) -> Result<Option<Arc<str>>, StoreError>;
}

/// What is to be done with the newest state of an item.
pub type PlanOnNewest = Box<dyn FnMut(Option<Snapshot>) -> Option<Batch> + Send>;

/// Which files of code are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileQuery {
    /// The spaces to look in.
    pub spaces: BTreeSet<SpaceId>,
    /// The kind.
    pub kind: CodeKind,
    /// What their paths begin with.
    pub path_prefix: String,
    /// How many at the most.
    pub limit: usize,
}

/// The first files of code that were asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilePage {
    /// The files, sorted by the sort key of their path, then by their path, then by id.
    pub files: Vec<Item>,
    /// How many there are in all.
    pub total: u64,
}

/// An app with what it begins with.
#[derive(Clone, Debug)]
pub struct NewApp {
    /// The app.
    pub app: App,
    /// Its space.
    pub space: Space,
    /// Its first files.
    pub files: Batch,
}

/// A token and the hash of its secret.
#[derive(Clone, Debug)]
pub struct NewToken {
    /// The token.
    pub token: Token,
    /// The hash of its secret.
    pub secret: SecretHash,
}

/// A field that two items of a kind cannot share in a space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UniqueField {
    /// A web address.
    Url(Url),
    /// A name.
    Name(PromptName),
    /// A path.
    Path(CodePath),
}

impl UniqueField {
    /// The field's name.
    pub fn name(&self) -> &'static str {
        match self {
            UniqueField::Url(_) => "url",
            UniqueField::Name(_) => "name",
            UniqueField::Path(_) => "path",
        }
    }

    /// The value that is taken.
    pub fn value(&self) -> &str {
        match self {
            UniqueField::Url(url) => url.as_str(),
            UniqueField::Name(name) => name.as_str(),
            UniqueField::Path(path) => path.as_str(),
        }
    }
}

/// Why a storage did not do what it was asked to.
#[derive(Debug, Error)]
pub enum StoreError {
    /// An item is not in the state that a change was made for.
    #[error("item {0} was changed meanwhile")]
    Stale(ItemId),
    /// Another item of the space and kind has the same value in a field that must be unique.
    #[error("taken by item {}", existing.id)]
    Duplicate {
        /// The value.
        field: UniqueField,
        /// The item that has it.
        existing: Box<Item>,
    },
    /// Another app has the same slug, where it must be unique.
    #[error("the slug is taken by app {}", .0.id)]
    SlugTaken(Box<App>),
    /// An answer is remembered under this key already.
    #[error("the key is taken by an earlier request")]
    KeyTaken,
    /// A search was not done in the time that it was given.
    #[error("the search took too long")]
    OutOfTime,
    /// It cannot do it now: the disk is full, the database is gone. The text is for the log.
    #[error("the storage is unavailable: {0}")]
    Unavailable(String),
    /// The answer to a change was lost, and nobody could be asked: it may have been carried out. The text is for the log.
    #[error("the storage lost the answer to a change: {0}")]
    Unknown(String),
    /// It is broken or used wrongly. The text is for the log.
    #[error("the storage failed: {0}")]
    Failed(String),
}
