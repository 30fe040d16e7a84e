//! The store in one SQLite file.
//!
//! One thread writes ([`write::writer`]), and all its jobs share transactions; reads have connections of their own
//! ([`readers`]). Every operation is a function of a connection: of items in [`items`], of their history and events in
//! [`history`], of the search index in [`search`], of other tables in the modules beside them.

mod apps;
mod change_sets;
mod connection;
mod database_files;
mod failure;
mod history;
mod items;
mod jobs;
mod migrate;
mod notifications;
mod proposals;
mod read_only;
mod readers;
mod rows;
mod search;
mod sql;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use interline_items::fields::{AppSlug, CodePath, PromptName, Tag, Url};
use interline_items::search::{FileReader, FileSearch, IndexStep, IndexStepResult, SearchQuery, SearchResults};
use interline_items::{
    App, AppId, AppVersion, Batch, CheckReport, Credentials, DamageCount, Event, EventRange, FilePage, FileQuery,
    ForgottenVersions, HashCheck, HistoryPage, HistoryQuery, IdempotencyRecord, ImportedSource, Item, ItemId,
    ItemState, Kind, ListQuery, Membership, NewApp, NewToken, Organization, OrganizationId, Page, PlanOnNewest,
    PointRead, PublishedFile, Record, RemoveUser, Retention, SecretHash, Snapshot, Space, SpaceId, Stamp, Store,
    StoreError, StoreHealth, Token, TokenId, UniqueField, User, UserId, UserRemoval, Version, View, Visibility,
};
use jiff::Timestamp;
use tokio::sync::watch;
use uuid::Uuid;

use self::history::{events, versions};
use self::items::{files, list, lookup};
use self::notifications::CommitWatcher;
use self::readers::{Readers, in_snapshot};
use self::sql::poll_once;
use self::write::commit;
use self::write::commit_queue::{compress, encode_and_commit, task_failed};
use self::write::encoded_write::{EncodedBatch, batch_compression_bytes};
use self::write::group_commit::CommitGroup;
pub use self::write::writer::Counters;
use self::write::writer::Writer;
use crate::OpenError;
use crate::integrity::Integrity;
use crate::tables::app_purge::{self, PurgeStep};
use crate::tables::{
    self, idempotency, import_sources, organizations, removal, retention, search_index, tokens, users,
};

/// How many tokens are looked up before other tasks of the thread have their turn.
const TOKENS_AT_ONCE: usize = 64;

/// A store in one SQLite file. Several processes may open the same file; beside it they keep two lock
/// files, `-next` and `-write`, by which they take turns to write.
///
/// Dropping it waits until the writes that reached the writer thread are on disk.
pub struct SqliteStore {
    // The readers first: the last connection that is closed is the writer's, which cleans up the log.
    readers: Readers,
    watcher: CommitWatcher,
    writer: Arc<Writer>,
    /// The holder of the lease of the search index, in the name of this process.
    indexer: Uuid,
    integrity: Arc<Integrity>,
}

impl SqliteStore {
    /// Opens the store in the file `path`, and makes the file if there is none.
    pub fn open(path: &Path) -> Result<SqliteStore, OpenError> {
        migrate::check_library()?;
        let writer = Arc::new(Writer::start(path)?);
        let integrity = Arc::new(Integrity::new());
        let readers = Readers::open(path, Arc::clone(&integrity), Arc::clone(writer.files()))?;
        let watcher = CommitWatcher::new(path);
        Ok(SqliteStore { readers, writer, watcher, indexer: Uuid::now_v7(), integrity })
    }

    /// Fails with [`OpenError::NoStore`] unless the file `path` has a store: one without tables has none, as a first start that
    /// was cut off leaves it. Nothing is made.
    pub fn require_store(path: &Path) -> Result<(), OpenError> {
        let has_store = match std::fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Ok(file) if file.len() == 0 => false,
            Ok(_) | Err(_) => read_only::has_tables(path)?,
        };
        if has_store { Ok(()) } else { Err(OpenError::NoStore(path.display().to_string())) }
    }

    /// Checks the store in a file, which is only read, unless a newer version of this program must migrate it first. It may be on
    /// a read-only disk, and in use by other processes.
    pub fn check_file(path: &Path) -> Result<CheckReport, OpenError> {
        migrate::check_library()?;
        let mut connection = read_only::open(path)?;
        if migrate::is_due(&connection)? {
            drop(connection);
            migrate::migrate(&mut connection::writer(path).map_err(migrate::failed)?)?;
            connection = read_only::open(path)?;
        }
        let checked = in_snapshot(&connection, search::check::check);
        checked.map_err(|failure| OpenError::Failed(StoreError::from(failure).to_string()))
    }

    /// A snapshot whose content was checked.
    async fn checked(&self, found: Option<Snapshot>, check: HashCheck) -> Result<Option<Snapshot>, StoreError> {
        match found {
            None => Ok(None),
            Some(snapshot) => self.integrity.count_damage(self.integrity.checked(snapshot, check).await).map(Some),
        }
    }

    /// How many commits were synced to disk, for how many writes.
    pub fn counters(&self) -> Counters {
        self.writer.counters()
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn health(&self) -> StoreHealth {
        StoreHealth { reads: self.readers.health(), writes: self.writer.health().await }
    }

    async fn commit(&self, batch: Batch) -> Result<(), StoreError> {
        // In a task of its own, which goes on when the caller no longer waits.
        tokio::spawn(encode_and_commit(Arc::clone(&self.writer), batch)).await.map_err(task_failed)?
    }

    async fn commit_on_newest(&self, id: ItemId, plan: PlanOnNewest) -> Result<bool, StoreError> {
        let committed = self.writer.run_in_group(0, move |group| commit::on_newest(group, id, plan)).await;
        self.integrity.count_damage(committed.map_err(StoreError::from))
    }

    async fn purge(
        &self,
        id: ItemId,
        before: Stamp,
        record: Record,
        idempotency: Option<IdempotencyRecord>,
    ) -> Result<(), StoreError> {
        let purge = move |group: &mut CommitGroup<'_>| commit::purge(group, id, before, &record, idempotency.as_ref());
        Ok(self.writer.run_in_group(0, purge).await?)
    }

    async fn idempotency_record(&self, user: UserId, key: &str) -> Result<Option<IdempotencyRecord>, StoreError> {
        self.readers.read(|connection| poll_once(idempotency::get(connection, user, key)))
    }

    async fn forget_idempotency_records(&self, before: Timestamp) -> Result<u64, StoreError> {
        let mut forgotten = 0;
        loop {
            match self.writer.run(move |connection| poll_once(idempotency::forget(connection, before))).await? {
                0 => return Ok(forgotten),
                some => forgotten += some,
            }
        }
    }

    async fn mark_used(&self, id: ItemId, at: Timestamp) -> Result<(), StoreError> {
        Ok(self.writer.run(move |connection| lookup::mark_used(connection, id, at)).await?)
    }

    async fn state(&self, id: ItemId) -> Result<Option<ItemState>, StoreError> {
        self.readers.read(|connection| lookup::state(connection, id))
    }

    async fn item(&self, id: ItemId) -> Result<Option<Item>, StoreError> {
        self.readers.read(|connection| lookup::item(connection, id))
    }

    async fn snapshot(&self, id: ItemId) -> Result<Option<Snapshot>, StoreError> {
        let read = |connection: &_| lookup::snapshot(connection, id);
        let found = self.readers.read(|connection| in_snapshot(connection, read))?;
        self.checked(found, HashCheck::Always).await
    }

    async fn visible_item(&self, id: ItemId, visible: &Visibility) -> Result<Option<Item>, StoreError> {
        self.readers.read(|connection| lookup::visible_item(connection, id, visible))
    }

    async fn visible_point_read(
        &self,
        id: ItemId,
        visible: &Visibility,
        check: HashCheck,
    ) -> Result<Option<PointRead>, StoreError> {
        let found = self.readers.read(|connection| lookup::visible_point_read(connection, id, visible))?;
        self.integrity.checked_point_read(found, check)
    }

    async fn visible_snapshot(
        &self,
        id: ItemId,
        visible: &Visibility,
        check: HashCheck,
    ) -> Result<Option<Snapshot>, StoreError> {
        let visible = visible.clone();
        let read = move |connection: &_| lookup::visible_snapshot(connection, id, &visible);
        let found = self.readers.read_long(read).await?;
        self.checked(found, check).await
    }

    async fn find_by_name(
        &self,
        spaces: &[SpaceId],
        kind: Kind,
        name: &PromptName,
    ) -> Result<Option<ItemId>, StoreError> {
        let find = |connection: &_| lookup::find_by_name(connection, spaces, kind, name);
        self.readers.read(|connection| in_snapshot(connection, find))
    }

    async fn find_by_url(&self, space: SpaceId, url: &Url) -> Result<Option<ItemId>, StoreError> {
        self.readers.read(|connection| poll_once(import_sources::find_by_url(connection, space, url)))
    }

    async fn imported_sources(
        &self,
        space: SpaceId,
        source: &str,
        keys: &[String],
    ) -> Result<Vec<Option<ImportedSource>>, StoreError> {
        self.readers.read(|connection| poll_once(import_sources::get(connection, space, source, keys)))
    }

    async fn newest_import_of(
        &self,
        space: SpaceId,
        source: &str,
        item: ItemId,
    ) -> Result<Option<ImportedSource>, StoreError> {
        self.readers.read(|connection| poll_once(import_sources::newest_of_item(connection, space, source, item)))
    }

    async fn items_of_space(
        &self,
        space: SpaceId,
        after: Option<ItemId>,
        limit: usize,
    ) -> Result<Vec<ItemId>, StoreError> {
        self.readers.read(|connection| poll_once(import_sources::items_of_space(connection, space, after, limit)))
    }

    async fn find_by_path(
        &self,
        spaces: &[SpaceId],
        kind: Kind,
        path: &CodePath,
    ) -> Result<Option<ItemId>, StoreError> {
        let find = |connection: &_| lookup::find_by_path(connection, spaces, kind, path);
        self.readers.read(|connection| in_snapshot(connection, find))
    }

    async fn find_deleted(
        &self,
        spaces: &[SpaceId],
        kind: Kind,
        field: &UniqueField,
    ) -> Result<Option<ItemId>, StoreError> {
        let (spaces, field) = (spaces.to_vec(), field.clone());
        self.readers.read_long(move |connection| lookup::find_deleted(connection, &spaces, kind, &field)).await
    }

    async fn find_by_id_range(
        &self,
        range: RangeInclusive<ItemId>,
        visible: &Visibility,
        limit: usize,
    ) -> Result<Vec<ItemId>, StoreError> {
        let visible = visible.clone();
        self.readers.read_long(move |connection| lookup::find_by_id_range(connection, &range, &visible, limit)).await
    }

    async fn files(&self, query: &FileQuery) -> Result<FilePage, StoreError> {
        let (query, integrity) = (query.clone(), Arc::clone(&self.integrity));
        self.readers.read_long(move |connection| files::files(connection, &integrity, &query)).await
    }

    async fn list(&self, query: &ListQuery) -> Result<Page, StoreError> {
        let (query, integrity) = (query.clone(), Arc::clone(&self.integrity));
        self.readers.read_long(move |connection| list::list(connection, &integrity, &query)).await
    }

    async fn search(&self, query: &SearchQuery) -> Result<SearchResults, StoreError> {
        let (query, integrity) = (query.clone(), Arc::clone(&self.integrity));
        let checkpoint = query.checkpoint.clone();
        let search = move |connection: &_| search::search(connection, &integrity, &query);
        self.readers.read_until(checkpoint, search).await
    }

    async fn search_files(&self, query: &FileSearch, read: FileReader) -> Result<u64, StoreError> {
        let (query, integrity) = (query.clone(), Arc::clone(&self.integrity));
        let checkpoint = query.checkpoint.clone();
        let search = move |connection: &_| search::files::search_files(connection, &integrity, &query, read);
        self.readers.read_until(checkpoint, search).await
    }

    async fn index(&self, step: IndexStep) -> Result<IndexStepResult, StoreError> {
        search::index::step(&self.readers, &self.writer, self.indexer, step).await
    }

    async fn stale_items(&self) -> Result<u64, StoreError> {
        self.readers.read(|connection| poll_once(search_index::count_stale(connection)))
    }

    async fn release_index(&self) -> Result<(), StoreError> {
        let holder = self.indexer;
        Ok(self.writer.run(move |connection| poll_once(search_index::release_lease(connection, holder))).await?)
    }

    async fn check(&self) -> Result<CheckReport, StoreError> {
        self.readers.read_long(search::check::check).await
    }

    async fn versions(&self, item: ItemId, query: HistoryQuery) -> Result<HistoryPage, StoreError> {
        self.readers.read_long(move |connection| versions::versions(connection, item, query)).await
    }

    async fn version(&self, item: ItemId, number: u64) -> Result<Option<Version>, StoreError> {
        self.readers.read_long(move |connection| versions::version(connection, item, number)).await
    }

    async fn whole_versions(&self, item: ItemId, limit: usize) -> Result<Vec<u64>, StoreError> {
        self.readers.read_long(move |connection| versions::whole_versions(connection, item, limit)).await
    }

    fn damage(&self) -> DamageCount {
        self.integrity.count()
    }

    async fn forget_versions(
        &self,
        retention: Retention,
        after: Option<ItemId>,
    ) -> Result<ForgottenVersions, StoreError> {
        let find = move |connection: &_| poll_once(retention::candidates(connection, retention, after));
        let candidates = self.readers.read_long(find).await?;
        let mut forgotten = ForgottenVersions { records: 0, last: candidates.last };
        for item in candidates.items {
            loop {
                let forget = move |connection: &_| poll_once(retention::forget(connection, item, retention));
                match self.writer.run(forget).await? {
                    0 => break,
                    records => forgotten.records += records,
                }
            }
        }
        Ok(forgotten)
    }

    async fn events(&self, after: &BTreeMap<SpaceId, u64>, limit: usize) -> Result<Vec<Event>, StoreError> {
        let after = after.clone();
        self.readers.read_long(move |connection| events::after(connection, &after, limit)).await
    }

    async fn event_ranges(&self, spaces: &[SpaceId]) -> Result<BTreeMap<SpaceId, EventRange>, StoreError> {
        let spaces = spaces.to_vec();
        self.readers.read_long(move |connection| events::ranges(connection, &spaces)).await
    }

    async fn forget_events(&self, before: Timestamp) -> Result<u64, StoreError> {
        let mut forgotten = 0;
        for space in self.readers.read_long(events::spaces).await? {
            loop {
                match self.writer.run(move |connection| events::forget(connection, space, before)).await? {
                    0 => break,
                    some => forgotten += some,
                }
            }
        }
        Ok(forgotten)
    }

    fn changes(&self) -> watch::Receiver<()> {
        self.watcher.start(self.writer.committed());
        self.writer.committed().subscribe()
    }

    async fn trash(&self, before: Timestamp, limit: usize) -> Result<Vec<Item>, StoreError> {
        let integrity = Arc::clone(&self.integrity);
        self.readers.read_long(move |connection| lookup::trash(connection, &integrity, before, limit)).await
    }

    async fn tags(
        &self,
        spaces: &[SpaceId],
        kinds: &BTreeSet<Kind>,
        views: &BTreeSet<View>,
    ) -> Result<Vec<(Tag, u64)>, StoreError> {
        let (spaces, kinds, views) = (spaces.iter().copied().collect(), kinds.clone(), views.clone());
        self.readers.read_long(move |connection| lookup::tags(connection, &spaces, &kinds, &views)).await
    }

    async fn tagged(&self, spaces: &[SpaceId], kinds: &BTreeSet<Kind>, tag: &Tag) -> Result<Vec<Item>, StoreError> {
        let (spaces, kinds, tag) = (spaces.iter().copied().collect(), kinds.clone(), tag.clone());
        let integrity = Arc::clone(&self.integrity);
        self.readers.read_long(move |connection| lookup::tagged(connection, &integrity, &spaces, &kinds, &tag)).await
    }

    async fn create_user(&self, user: &User, space: &Space, token: &NewToken) -> Result<(), StoreError> {
        let (user, space, token) = (user.clone(), space.clone(), token.clone());
        Ok(self.writer.run(move |connection| poll_once(users::create(connection, &user, &space, &token))).await?)
    }

    async fn create_first_user(&self, user: &User, space: &Space, token: &NewToken) -> Result<bool, StoreError> {
        let (user, space, token) = (user.clone(), space.clone(), token.clone());
        Ok(self.writer.run(move |connection| poll_once(users::create_first(connection, &user, &space, &token))).await?)
    }

    async fn remove_user(&self, user: UserId, items: RemoveUser, at: Timestamp) -> Result<UserRemoval, StoreError> {
        let remove = move |group: &mut CommitGroup<'_>| {
            // The group's contents are in the table then, and go with their items.
            group.write_contents()?;
            poll_once(removal::remove_user(group.connection(), user, items, at))
        };
        Ok(self.writer.run_in_group(0, remove).await?)
    }

    async fn users(&self) -> Result<Vec<User>, StoreError> {
        self.readers.read(|connection| poll_once(users::all(connection)))
    }

    async fn first_user(&self) -> Result<Option<User>, StoreError> {
        self.readers.read(|connection| poll_once(users::first(connection)))
    }

    async fn user(&self, id: UserId) -> Result<Option<User>, StoreError> {
        self.readers.read(|connection| poll_once(users::one(connection, id)))
    }

    async fn memberships(&self, user: UserId) -> Result<Vec<Membership>, StoreError> {
        let find = |connection: &_| poll_once(users::memberships(connection, user));
        self.readers.read(|connection| in_snapshot(connection, find))
    }

    async fn credentials(&self, secret: SecretHash) -> Result<Option<Credentials>, StoreError> {
        let find = |connection: &_| poll_once(tokens::credentials(connection, secret));
        self.readers.read(|connection| in_snapshot(connection, find))
    }

    async fn token_credentials(&self, id: TokenId) -> Result<Option<Credentials>, StoreError> {
        let find = |connection: &_| poll_once(tokens::credentials_by_id(connection, id));
        self.readers.read(|connection| in_snapshot(connection, find))
    }

    async fn token_secrets(&self) -> Result<Vec<SecretHash>, StoreError> {
        self.readers.read_long(|connection| poll_once(tokens::secrets(connection))).await
    }

    async fn existing_tokens(&self, ids: &BTreeSet<TokenId>) -> Result<BTreeSet<TokenId>, StoreError> {
        let mut existing = BTreeSet::new();
        let ids: Vec<TokenId> = ids.iter().copied().collect();
        for some in ids.chunks(TOKENS_AT_ONCE) {
            self.readers.read(|connection| {
                for id in some {
                    if poll_once(tokens::exists(connection, *id))? {
                        existing.insert(*id);
                    }
                }
                Ok(())
            })?;
            tokio::task::yield_now().await;
        }
        Ok(existing)
    }

    async fn create_token(&self, token: &NewToken) -> Result<(), StoreError> {
        let token = token.clone();
        Ok(self.writer.run(move |connection| poll_once(tokens::add(connection, &token))).await?)
    }

    async fn tokens(&self, user: UserId) -> Result<Vec<Token>, StoreError> {
        self.readers.read(|connection| poll_once(tokens::for_user(connection, user)))
    }

    async fn rename_token(&self, user: UserId, id: TokenId, name: &str) -> Result<Option<Token>, StoreError> {
        let name = name.to_owned();
        Ok(self.writer.run(move |connection| poll_once(tokens::rename(connection, user, id, &name))).await?)
    }

    async fn delete_token(&self, user: UserId, id: TokenId) -> Result<bool, StoreError> {
        Ok(self.writer.run(move |connection| poll_once(tokens::remove(connection, user, id))).await?)
    }

    async fn mark_token_used(&self, id: TokenId, at: Timestamp) -> Result<(), StoreError> {
        Ok(self.writer.run(move |connection| poll_once(tokens::mark_used(connection, id, at))).await?)
    }

    async fn create_organization(&self, organization: &Organization, space: &Space) -> Result<(), StoreError> {
        let (organization, space) = (organization.clone(), space.clone());
        Ok(self
            .writer
            .run(move |connection| poll_once(organizations::create(connection, &organization, &space)))
            .await?)
    }

    async fn organizations(&self) -> Result<Vec<Organization>, StoreError> {
        self.readers.read(|connection| poll_once(organizations::all(connection)))
    }

    async fn organization(&self, id: OrganizationId) -> Result<Option<Organization>, StoreError> {
        self.readers.read(|connection| poll_once(organizations::one(connection, id)))
    }

    async fn create_app(&self, new: NewApp) -> Result<(), StoreError> {
        let NewApp { app, space, files } = new;
        let files = compress(batch_compression_bytes(&files), || EncodedBatch::encode(files)).await?;
        let bytes = files.bytes;
        Ok(self.writer.run_in_group(bytes, move |group| apps::create(group, &app, &space, &files)).await?)
    }

    async fn update_app(&self, app: &App, before: Timestamp) -> Result<bool, StoreError> {
        let app = app.clone();
        Ok(self.writer.run(move |connection| apps::update(connection, &app, before)).await?)
    }

    async fn apps(&self, ids: &BTreeSet<AppId>) -> Result<Vec<App>, StoreError> {
        let ids = ids.clone();
        self.readers.read_long(move |connection| apps::by_ids(connection, &ids)).await
    }

    async fn apps_by_slug(&self, slug: &AppSlug) -> Result<Vec<App>, StoreError> {
        self.readers.read(|connection| poll_once(tables::apps::by_slug(connection, slug)))
    }

    async fn publish_app(&self, app: AppId, user: UserId, at: Timestamp) -> Result<Option<AppVersion>, StoreError> {
        let published = self.writer.run_in_group(0, move |group| apps::publish(group, app, user, at)).await;
        self.integrity.count_damage(published.map_err(StoreError::from))
    }

    async fn deleted_apps(&self) -> Result<Vec<App>, StoreError> {
        self.readers.read(|connection| poll_once(tables::apps::deleted(connection)))
    }

    async fn apps_to_purge(&self, before: Timestamp) -> Result<Vec<AppId>, StoreError> {
        self.readers.read(|connection| poll_once(app_purge::apps_to_purge(connection, before)))
    }

    async fn purge_app(&self, app: AppId, before: Timestamp) -> Result<bool, StoreError> {
        loop {
            let step = move |group: &mut CommitGroup<'_>| {
                // The group's contents are in the table then, and go with their items.
                group.write_contents()?;
                poll_once(app_purge::purge_step(group.connection(), app, before))
            };
            match self.writer.run_in_group(0, step).await? {
                PurgeStep::Unknown => return Ok(false),
                PurgeStep::Unfinished => {}
                PurgeStep::Finished => return Ok(true),
            }
        }
    }

    async fn app_versions(&self, app: AppId) -> Result<Vec<AppVersion>, StoreError> {
        self.readers.read(|connection| poll_once(tables::apps::versions(connection, app)))
    }

    async fn published_files(&self, app: AppId, version: u64) -> Result<Vec<PublishedFile>, StoreError> {
        let read = move |connection: &_| poll_once(tables::apps::published_files(connection, app, version));
        self.readers.read_long(read).await
    }

    async fn published_content(
        &self,
        app: AppId,
        version: u64,
        path: &CodePath,
    ) -> Result<Option<Arc<str>>, StoreError> {
        let path = path.clone();
        let read = move |connection: &_| poll_once(tables::apps::published_content(connection, app, version, &path));
        self.readers.read_long(read).await
    }
}
