//! The `Store` trait: what the use cases need of a storage, with a contract on each method.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use thiserror::Error;
use tokio::sync::watch;

use crate::access::{Credentials, Membership, RemoveUser, SecretHash, Space, Token, User, UserRemoval, Visibility};
use crate::app::{App, AppVersion, PublishedFile};
use crate::changes::ChangeStore;
use crate::check::CheckReport;
use crate::error::Overloaded;
use crate::event::{Event, EventRange};
use crate::fair::Interrupted;
use crate::fields::{AppSlug, CodePath, PromptName, Tag, Url};
use crate::health::StoreHealth;
use crate::history::{ForgottenVersions, HistoryPage, HistoryQuery, Retention, UndoStore, Version};
use crate::jobs::JobStore;
use crate::list::{ListQuery, Page, View};
use crate::organization::Organization;
use crate::proposals::ProposalStore;
use crate::search::{FileReader, FileSearch, IndexStep, IndexStepResult, SearchQuery, SearchResults};
use crate::write::{Batch, IdempotencyRecord, ImportedSource, Record};
use crate::{
    AppId, CodeKind, Item, ItemId, ItemState, Kind, OrganizationId, PointRead, Snapshot, SpaceId, Stamp, TokenId,
    UserId,
};

/// A storage. Every implementation passes the same conformance suite.
///
/// A method that writes returns after its transaction is on disk; every read that begins after that, through any method and
/// from any process, sees it. The transaction is carried out to the end even when the caller drops the future. A method
/// that fails has changed nothing, unless it fails with [`StoreError::Unknown`].
///
/// The methods do not check who may do what: the use cases pass the spaces and kinds that exist for their caller.
///
/// No method returns a content, a version or a part of one that is not what was written: a text is checked against its stored
/// hash, and what does not fit is [`StoreError::Corrupt`]. Contents of items are checked as [`HashCheck`] says, in lists and
/// searches as for [`HashCheck::Remembered`]; versions and published files are checked at each read. An item that cannot be
/// read is left out of pages, and the content of one that is damaged is left out of it there.
#[async_trait]
pub trait Store: JobStore + ChangeStore + ProposalStore + UndoStore {
    /// Whether reads and writes work, by a small read and a small write that nobody sees. The write is left out where one
    /// was committed a moment ago. It answers within seconds, whatever state the storage is in.
    async fn health(&self) -> StoreHealth;

    /// How many long reads, and beside them as many searches, it can carry out at a time without keeping short operations
    /// waiting. The use cases begin no more.
    fn long_read_places(&self) -> usize {
        usize::MAX
    }

    /// Commits all of a batch or nothing, in one transaction.
    ///
    /// Each write stores its item, a record in its history, a numbered event in its space, and a mark that the search index
    /// does not have the item's new state yet; it enqueues the jobs that [`JobStore`] names. A write that makes a version
    /// stores what it takes to rebuild the version before.
    ///
    /// [`StoreError::Stale`] if an item is not in the state that its write was planned for (or exists, for a write that makes
    /// it); [`StoreError::Duplicate`] if another item of the same kind and space that is not deleted has the url, name or
    /// path; [`StoreError::KeyTaken`] if there is an idempotency record with the same user and key, whatever else is wrong;
    /// [`StoreError::Failed`] if a write would give an item another space, kind or time of creation.
    ///
    /// Changes of proposals are made after those of items, all or nothing with them: [`StoreError::Stale`] if a proposal is not as
    /// [`ProposalWrite`](crate::ProposalWrite) demands, [`StoreError::TooManyProposals`] if a user would have more than
    /// [`MAX_PENDING_PROPOSALS`](crate::MAX_PENDING_PROPOSALS).
    ///
    /// What the batch remembers of imported records is stored after its writes, in the place of what was remembered under the
    /// same keys; it goes when its item is purged. A record with an [`ImportedChange`](crate::ImportedChange) has its own time
    /// in the history, and the time of the import as that of its event, if it is one.
    async fn commit(&self, batch: Batch) -> Result<(), StoreError>;

    /// Calls `plan` with the newest state of an item, inside the writer, and commits the batch that it returns, with no other
    /// write of the item in between; whether there was a batch. `plan` gets `None` for an item that does not exist, and
    /// returns `None` if there is nothing to commit.
    ///
    /// For a write that lost too many races: other writes wait meanwhile. The storage calls `plan` again where it has to begin
    /// its transaction anew, and drops the batch before. Errors are those of [`Store::commit`].
    async fn commit_on_newest(&self, id: ItemId, plan: PlanOnNewest) -> Result<bool, StoreError>;

    /// Removes an item with its content and history, whatever its view, and adds the event.
    ///
    /// [`StoreError::Stale`] if the item's stamp is not `before`; [`StoreError::KeyTaken`] as for [`Store::commit`].
    async fn purge(
        &self,
        id: ItemId,
        before: Stamp,
        record: Record,
        idempotency: Option<IdempotencyRecord>,
    ) -> Result<(), StoreError>;

    /// The idempotency record of a user's key, however old it is.
    async fn idempotency_record(&self, user: UserId, key: &str) -> Result<Option<IdempotencyRecord>, StoreError>;

    /// Removes the idempotency records from before a time, which frees their keys; how many.
    async fn forget_idempotency_records(&self, before: Timestamp) -> Result<u64, StoreError>;

    /// Sets the time of an item's last use, which is no change of the item. Does nothing if the item does not exist.
    async fn mark_used(&self, id: ItemId, at: Timestamp) -> Result<(), StoreError>;

    /// The kind, space, stamp and last use of an item: the cheapest read.
    async fn state(&self, id: ItemId) -> Result<Option<ItemState>, StoreError>;

    /// An item without its content, in whatever view, if it is in one of the visible spaces and kinds; of another one no more
    /// is read than its space and kind, so that it takes as long as one that does not exist.
    async fn visible_item(&self, id: ItemId, visible: &Visibility) -> Result<Option<Item>, StoreError>;

    /// The same with its content if that is short, both at one moment. [`StoreError::Corrupt`] if the content is not what was
    /// written.
    async fn visible_point_read(
        &self,
        id: ItemId,
        visible: &Visibility,
        check: HashCheck,
    ) -> Result<Option<PointRead>, StoreError>;

    /// The same with its content however long it is: a long read, for which the caller has a place.
    async fn visible_snapshot(
        &self,
        id: ItemId,
        visible: &Visibility,
        check: HashCheck,
    ) -> Result<Option<Snapshot>, StoreError>;

    /// An item without its content, wherever it is: for work that no caller waits for.
    async fn item(&self, id: ItemId) -> Result<Option<Item>, StoreError>;

    /// An item with its content, both at one moment, wherever it is: for work that no caller waits for. The content is checked
    /// as for [`HashCheck::Always`].
    async fn snapshot(&self, id: ItemId) -> Result<Option<Snapshot>, StoreError>;

    /// The item of a kind that is not deleted and has that name in one of the spaces; the first space in their order wins.
    async fn find_by_name(
        &self,
        spaces: &[SpaceId],
        kind: Kind,
        name: &PromptName,
    ) -> Result<Option<ItemId>, StoreError>;

    /// The same by path.
    async fn find_by_path(&self, spaces: &[SpaceId], kind: Kind, path: &CodePath)
    -> Result<Option<ItemId>, StoreError>;

    /// The bookmark that is not deleted and has that url in a space.
    async fn find_by_url(&self, space: SpaceId, url: &Url) -> Result<Option<ItemId>, StoreError>;

    /// What is remembered of the records that were imported from a source into a space, in the order of their keys; `None` for
    /// one that was not imported, or whose item was purged.
    async fn imported_sources(
        &self,
        space: SpaceId,
        source: &str,
        keys: &[String],
    ) -> Result<Vec<Option<ImportedSource>>, StoreError>;

    /// The newest of the records of a source that became an item of a space, under whatever key.
    async fn newest_import_of(
        &self,
        space: SpaceId,
        source: &str,
        item: ItemId,
    ) -> Result<Option<ImportedSource>, StoreError>;

    /// Ids of the notes, bookmarks and prompts of a space, in whatever view, in their order; at most `limit`.
    async fn items_of_space(
        &self,
        space: SpaceId,
        after: Option<ItemId>,
        limit: usize,
    ) -> Result<Vec<ItemId>, StoreError>;

    /// The item of a kind that was deleted last and had that url, name or path in one of the spaces; the first space in their
    /// order that has one wins.
    async fn find_deleted(
        &self,
        spaces: &[SpaceId],
        kind: Kind,
        field: &UniqueField,
    ) -> Result<Option<ItemId>, StoreError>;

    /// The first ids of items from one id to another, both included, in whatever view, in the visible spaces and kinds.
    async fn find_by_id_range(
        &self,
        range: RangeInclusive<ItemId>,
        visible: &Visibility,
        limit: usize,
    ) -> Result<Vec<ItemId>, StoreError>;

    /// Files of code that are not deleted, in the order of their paths, and how many there are, at one moment.
    async fn files(&self, query: &FileQuery) -> Result<FilePage, StoreError>;

    /// A page of items, and how many there are, at one moment.
    async fn list(&self, query: &ListQuery) -> Result<Page, StoreError>;

    /// A page of the items that match a search, and how many there are, at one moment: every item that was committed before
    /// is found, whether it is indexed or not. [`StoreError::OutOfTime`] when the query's time is over.
    async fn search(&self, query: &SearchQuery) -> Result<SearchResults, StoreError>;

    /// Hands the files of code that match a search, and maybe others, to `read`: those that are not deleted, sorted by
    /// the sort key of their path, then by their path, then by their space, all as they are at one moment. Files that were
    /// committed before are among them, whether they are indexed or not. Returns how many files the searched paths have,
    /// whether they match or not.
    ///
    /// [`StoreError::OutOfTime`] when the query's time is over, unless `read` broke off before.
    async fn search_files(&self, query: &FileSearch, read: FileReader) -> Result<u64, StoreError>;

    /// Brings the search index a step on. Searches find the same before and after; they only become faster.
    async fn index(&self, step: IndexStep) -> Result<IndexStepResult, StoreError>;

    /// How many items the index does not know as they are: every search reads them itself.
    async fn stale_items(&self) -> Result<u64, StoreError>;

    /// Lets other processes work on the index at once: after a step of this one they stay away for a while.
    async fn release_index(&self) -> Result<(), StoreError>;

    /// Reads everything, at one moment, and reports what does not fit together.
    async fn check(&self) -> Result<CheckReport, StoreError>;

    /// How much damage was met since the store was opened.
    fn damage(&self) -> DamageCount;

    /// Records of an item's history, newest first; none for an item that does not exist.
    async fn versions(&self, item: ItemId, query: HistoryQuery) -> Result<HistoryPage, StoreError>;

    /// An item as it was in a version, byte for byte; `None` if there is no such version, or if it was forgotten.
    /// [`StoreError::Corrupt`] if it cannot be rebuilt as it was written.
    async fn version(&self, item: ItemId, number: u64) -> Result<Option<Version>, StoreError>;

    /// Some versions of an item that can be rebuilt as they were written, newest first: as many as `limit`, and as can be
    /// found in a second.
    async fn whole_versions(&self, item: ItemId, limit: usize) -> Result<Vec<u64>, StoreError>;

    /// Removes old history records of some items: those after `after` in the order of ids. The versions that stay can be
    /// rebuilt as before. A caller that calls it again with the item that it ended at gets through all items, in short
    /// transactions.
    async fn forget_versions(
        &self,
        retention: Retention,
        after: Option<ItemId>,
    ) -> Result<ForgottenVersions, StoreError>;

    /// The events of each space after the event with the given number, in the order of their numbers in each space; at most
    /// `limit` events in all. A space that does not exist has none.
    async fn events(&self, after: &BTreeMap<SpaceId, u64>, limit: usize) -> Result<Vec<Event>, StoreError>;

    /// Which events are kept, for each of the spaces that exist.
    async fn event_ranges(&self, spaces: &[SpaceId]) -> Result<BTreeMap<SpaceId, EventRange>, StoreError>;

    /// Removes the events from before a time, in each space up to the first that is not; how many.
    async fn forget_events(&self, before: Timestamp) -> Result<u64, StoreError>;

    /// Signals soon after a commit, by this process or another, that there may be new events. Several commits may cause one
    /// signal, and a signal may come without an event. The notice of another process's commit can get lost: a receiver
    /// must also poll.
    fn changes(&self) -> watch::Receiver<()>;

    /// Items that were put into the trash before a time, the longest there first; at most `limit`.
    async fn trash(&self, before: Timestamp, limit: usize) -> Result<Vec<Item>, StoreError>;

    /// The tags of items of these kinds in these views, with the number of items that have each, sorted by tag.
    async fn tags(
        &self,
        spaces: &[SpaceId],
        kinds: &BTreeSet<Kind>,
        views: &BTreeSet<View>,
    ) -> Result<Vec<(Tag, u64)>, StoreError>;

    /// The items of these kinds that have a tag, those in the trash too.
    async fn tagged(&self, spaces: &[SpaceId], kinds: &BTreeSet<Kind>, tag: &Tag) -> Result<Vec<Item>, StoreError>;

    /// Makes a user, a space of its own with it as the owner, and its first token, together.
    async fn create_user(&self, user: &User, space: &Space, token: &NewToken) -> Result<(), StoreError>;

    /// The same, if there is no user yet; whether there was none. Of several processes that start together, one makes its
    /// user.
    async fn create_first_user(&self, user: &User, space: &Space, token: &NewToken) -> Result<bool, StoreError>;

    /// Removes a user with its tokens, its memberships and its own space, with everything in that. History records in other
    /// spaces keep its name and those of its tokens; every other method behaves as if the user had never existed.
    async fn remove_user(&self, user: UserId, items: RemoveUser, at: Timestamp) -> Result<UserRemoval, StoreError>;

    /// The users, oldest first.
    async fn users(&self) -> Result<Vec<User>, StoreError>;

    /// The oldest user.
    async fn first_user(&self) -> Result<Option<User>, StoreError>;

    /// One user.
    async fn user(&self, id: UserId) -> Result<Option<User>, StoreError>;

    /// The spaces of a user, its own first, then by id.
    ///
    /// They are those of which it was made a member, and those that its organization and rank imply: the space of its
    /// organization and those of that organization's apps as a writer, the global one and those of global apps as a reader. An
    /// admin is an owner of all spaces that are no user's own. Where a user gets two roles in a space, the greater one counts.
    async fn memberships(&self, user: UserId) -> Result<Vec<Membership>, StoreError>;

    /// The token of a secret with its user and spaces, whether the token has expired or not.
    async fn credentials(&self, secret: SecretHash) -> Result<Option<Credentials>, StoreError>;

    /// The same of a token that is named by its id.
    async fn token_credentials(&self, id: TokenId) -> Result<Option<Credentials>, StoreError>;

    /// The secrets of all tokens.
    async fn token_secrets(&self) -> Result<Vec<SecretHash>, StoreError>;

    /// Those of the tokens that authenticate a user, whether they have expired or not.
    async fn existing_tokens(&self, ids: &BTreeSet<TokenId>) -> Result<BTreeSet<TokenId>, StoreError>;

    /// Adds a token.
    async fn create_token(&self, token: &NewToken) -> Result<(), StoreError>;

    /// The tokens of a user, oldest first.
    async fn tokens(&self, user: UserId) -> Result<Vec<Token>, StoreError>;

    /// Gives a token of a user another name, also in histories, and returns it; `None` if there is none.
    async fn rename_token(&self, user: UserId, id: TokenId, name: &str) -> Result<Option<Token>, StoreError>;

    /// Removes a token of a user; whether there was one. History records keep its name.
    async fn delete_token(&self, user: UserId, id: TokenId) -> Result<bool, StoreError>;

    /// Sets the time of a token's last use. Does nothing if the token does not exist.
    async fn mark_token_used(&self, id: TokenId, at: Timestamp) -> Result<(), StoreError>;

    /// Makes an organization and its space, together.
    async fn create_organization(&self, organization: &Organization, space: &Space) -> Result<(), StoreError>;

    /// The organizations, oldest first.
    async fn organizations(&self) -> Result<Vec<Organization>, StoreError>;

    /// One organization.
    async fn organization(&self, id: OrganizationId) -> Result<Option<Organization>, StoreError>;

    /// Makes an app, its space and its first files, together. [`StoreError::SlugTaken`] if another app of the same
    /// organization, or another global one, that is not deleted has its slug.
    async fn create_app(&self, new: NewApp) -> Result<(), StoreError>;

    /// Gives an app another slug, name, description, navigation and time of deletion, if it was last changed at `before`;
    /// whether it was. Its space gets the same name. [`StoreError::SlugTaken`] as for a new app, unless it is deleted.
    ///
    /// The space of a deleted app is nobody's: [`Store::memberships`] leaves it out. Its files and published versions stay as
    /// they are.
    async fn update_app(&self, app: &App, before: Timestamp) -> Result<bool, StoreError>;

    /// Those of the apps that exist, deleted or not, oldest first.
    async fn apps(&self, ids: &BTreeSet<AppId>) -> Result<Vec<App>, StoreError>;

    /// The apps that have a slug, of every organization, deleted or not, oldest first.
    async fn apps_by_slug(&self, slug: &AppSlug) -> Result<Vec<App>, StoreError>;

    /// The deleted apps of every organization, the one that was deleted last first.
    async fn deleted_apps(&self) -> Result<Vec<App>, StoreError>;

    /// The apps that were deleted before a time, and those that [`Store::purge_app`] has begun to remove.
    async fn apps_to_purge(&self, before: Timestamp) -> Result<Vec<AppId>, StoreError>;

    /// Removes an app that was deleted before a time, with its space, its files and their histories, and its published
    /// versions; whether there was one. It does so in short transactions. From the first one on the app does not exist any more;
    /// where it is interrupted, another call removes what is left.
    async fn purge_app(&self, app: AppId, before: Timestamp) -> Result<bool, StoreError>;

    /// Publishes the files of an app that are not deleted, as they are at one moment, as its next version. Later changes of
    /// the files do not change that version. `None` if there is no file, or no such app.
    async fn publish_app(&self, app: AppId, user: UserId, at: Timestamp) -> Result<Option<AppVersion>, StoreError>;

    /// The published versions of an app, newest first.
    async fn app_versions(&self, app: AppId) -> Result<Vec<AppVersion>, StoreError>;

    /// The files of a published version, in the order of their paths; none for a version that does not exist.
    async fn published_files(&self, app: AppId, version: u64) -> Result<Vec<PublishedFile>, StoreError>;

    /// The content of a published file.
    async fn published_content(
        &self,
        app: AppId,
        version: u64,
        path: &CodePath,
    ) -> Result<Option<Arc<str>>, StoreError>;
}

/// The function that plans a batch on the newest state of an item, inside the writer.
pub type PlanOnNewest = Box<dyn FnMut(Option<Snapshot>) -> Option<Batch> + Send>;

/// A request for files of code.
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

/// The first of the requested files of code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilePage {
    /// The files, sorted by the sort key of their path, then by their path, then by id.
    pub files: Vec<Item>,
    /// How many there are in all.
    pub total: u64,
}

/// A new app with its space and its first files.
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

/// When the content of an item is checked against its stored hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashCheck {
    /// Now: before something is built on it.
    Always,
    /// Now, unless this process has checked the same version of the item within the hour.
    Remembered,
}

/// Stored data that is not what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corruption {
    /// The item that it belongs to, if that is known.
    pub item: Option<ItemId>,
    /// The version of the item, if an old one is damaged and not the item itself.
    pub version: Option<u64>,
    /// What is wrong with it, for the log.
    pub detail: String,
}

impl Corruption {
    /// Damage of an item.
    pub fn of_item(item: ItemId, detail: impl Into<String>) -> Corruption {
        Corruption { item: Some(item), version: None, detail: detail.into() }
    }

    /// Damage of a version of an item.
    pub fn of_version(item: ItemId, version: u64, detail: impl Into<String>) -> Corruption {
        Corruption { item: Some(item), version: Some(version), detail: detail.into() }
    }
}

/// How much damage a store has met since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DamageCount {
    /// How often something was read that is not what was written.
    pub reads: u64,
    /// How many items are known to be damaged, and not repaired since.
    pub items: u64,
}

/// Why a method of a storage failed.
#[derive(Debug, Error)]
pub enum StoreError {
    /// An item is not in the state that a write was planned for.
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
    /// Another app of the same organization, or another global app, has the same slug.
    #[error("the slug is taken by app {}", .0.id)]
    SlugTaken(Box<App>),
    /// There is an idempotency record with this key already.
    #[error("the key is taken by an earlier request")]
    KeyTaken,
    /// The user has as many pending proposals as one may have.
    #[error("the user has too many pending proposals")]
    TooManyProposals,
    /// A search was not done in its time.
    #[error("the search took too long")]
    OutOfTime,
    /// Too much is waiting to be written. Nothing was applied.
    #[error("the {} is full", .0.resource)]
    Overloaded(Overloaded),
    /// The storage cannot do it now: the disk is full, the database is gone. The text is for the log.
    #[error("the storage is unavailable: {0}")]
    Unavailable(String),
    /// The connection was lost before the storage confirmed a change, and the storage could not find out: the change may have
    /// been applied. The text is for the log.
    #[error("the storage lost the answer to a change: {0}")]
    Unknown(String),
    /// What is stored is not what was written: a hash or a length does not fit, or it cannot be decoded.
    #[error("the stored data is damaged: {}", .0.detail)]
    Corrupt(Corruption),
    /// The storage is broken or was used wrongly. The text is for the log.
    #[error("the storage failed: {0}")]
    Failed(String),
}

impl From<Interrupted> for StoreError {
    /// Where nobody waits for the answer any more, it does not matter which one it is.
    fn from(interrupted: Interrupted) -> StoreError {
        match interrupted {
            Interrupted::OutOfTime | Interrupted::Abandoned => StoreError::OutOfTime,
        }
    }
}
