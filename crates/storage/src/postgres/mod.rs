//! The store in a PostgreSQL database, for any number of processes.
//!
//! Rows are locked where a change depends on them, and a transaction that loses a race is tried again
//! ([`write::transaction_retry`]). Every guarantee about several processes is kept by the database: this process keeps
//! nothing in memory but connections. The layout is that of the SQLite store: [`write`], [`items`], [`history`],
//! [`search`], and the modules of other tables.

mod accounts;
mod apps;
mod change_sets;
mod connection;
mod database_place;
mod failure;
mod health;
mod history;
mod items;
mod jobs;
mod long_read;
mod migrate;
mod notifications;
mod proposals;
mod publish;
mod removal;
mod retention;
mod rows;
mod search;
mod sql;
mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::sync::Arc;

use async_trait::async_trait;
use deadpool_postgres::Client;
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

use self::accounts::{CreateFirstUser, CreateOrganization, CreateUser};
use self::apps::{CreateApp, UpdateApp};
use self::connection::Pools;
pub use self::connection::PostgresConnections;
use self::database_place::DatabasePlace;
use self::failure::Failure;
use self::history::{events, versions};
use self::items::{files, list, lookup};
use self::migrate::MigrationFailure;
use self::notifications::Notifications;
use self::publish::Publish;
use self::removal::{PurgeApp, Removal};
use self::write::commit::{EncodedBatch, PurgeItem};
use self::write::commit_on_newest::CommitOnNewest;
use self::write::transaction_retry::{run_detached, run_with_retry};
use crate::OpenError;
use crate::tables::app_purge::{self, PurgeStep};
use crate::tables::{self, idempotency, import_sources, organizations, search_index, tokens, users};

/// A use is no change: the stamp stays. An older use does not overwrite a newer one.
const MARK_USED: &str = "
    UPDATE items SET last_used_at = $2
    WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)";

/// A store in a PostgreSQL database.
#[derive(Clone)]
pub struct PostgresStore {
    pools: Pools,
    long_read_places: usize,
    notifications: Arc<Notifications>,
    /// The holder of the lease of the search index, in the name of this process.
    indexer: Uuid,
}

impl PostgresStore {
    /// Connects to the database at a URL (`postgres://user:password@host/database`) and migrates it to the newest
    /// schema.
    ///
    /// `sslmode=require` and `sslmode=verify-full` both mean TLS with the server's certificate checked against the
    /// system's authorities, or those in the file that `SSL_CERT_FILE` names; without them there is no TLS.
    pub async fn connect(url: &str) -> Result<PostgresStore, OpenError> {
        PostgresStore::connect_with(url, PostgresConnections::default()).await
    }

    /// The same with a given number of connections at the most.
    pub async fn connect_with(url: &str, connections: PostgresConnections) -> Result<PostgresStore, OpenError> {
        let pools = connection::pools(url, connections)?;
        let place = DatabasePlace::new(url)?;
        let mut client = pools.work.get().await.map_err(|error| place.unusable(error.into()))?;
        migrate::migrate(&mut client).await.map_err(|failure| match failure {
            MigrationFailure::Newer(name) => OpenError::Newer(name),
            MigrationFailure::Database(error) => place.unusable(error.into()),
        })?;
        let notifications = Arc::new(Notifications::new(url, pools.notify.clone()));
        let long_read_places = connections.long_read_places();
        Ok(PostgresStore { pools, long_read_places, notifications, indexer: Uuid::now_v7() })
    }

    /// Fails with [`OpenError::NoStore`] unless the database at a URL has a store. Nothing is made.
    pub async fn require_store(url: &str) -> Result<(), OpenError> {
        let pools = connection::pools(url, PostgresConnections::default())?;
        let place = DatabasePlace::new(url)?;
        let client = pools.work.get().await.map_err(|error| place.unusable(error.into()))?;
        let has_store = migrate::has_store(&client).await.map_err(|error| place.unusable(error.into()))?;
        if has_store { Ok(()) } else { Err(OpenError::NoStore(place.to_string())) }
    }

    async fn client(&self) -> Result<Client, Failure> {
        Ok(self.pools.work.get().await?)
    }

    /// A snapshot whose content was checked.
    async fn checked(&self, found: Option<Snapshot>, check: HashCheck) -> Result<Option<Snapshot>, StoreError> {
        let integrity = &self.pools.integrity;
        match found {
            None => Ok(None),
            Some(snapshot) => integrity.count_damage(integrity.checked(snapshot, check).await).map(Some),
        }
    }

    /// Carries out a write in a task of its own, which goes on when the caller goes away. Each statement is a transaction.
    async fn write<T, F>(&self, write: impl FnOnce(Client) -> F + Send + 'static) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Failure>> + Send,
    {
        let store = self.clone();
        run_detached(
            &self.pools,
            async move { store.pools.use_one(async { write(store.client().await?).await }).await },
        )
        .await
    }
}

#[async_trait]
impl Store for PostgresStore {
    async fn health(&self) -> StoreHealth {
        health::probe(&self.pools).await
    }

    fn long_read_places(&self) -> usize {
        self.long_read_places
    }

    async fn commit(&self, batch: Batch) -> Result<(), StoreError> {
        let (pools, notifications) = (self.pools.clone(), Arc::clone(&self.notifications));
        run_detached(&self.pools, async move {
            // Off the threads of the async runtime: it may take milliseconds.
            let encoded = tokio::task::spawn_blocking(move || EncodedBatch::encode(batch)).await;
            let batch = encoded.map_err(|gone| StoreError::Failed(gone.to_string()))??;
            notifications.notify_after(run_with_retry(&pools, &batch).await)
        })
        .await
    }

    async fn commit_on_newest(&self, id: ItemId, plan: PlanOnNewest) -> Result<bool, StoreError> {
        let (pools, notifications) = (self.pools.clone(), Arc::clone(&self.notifications));
        run_detached(&self.pools, async move {
            notifications.notify_after(run_with_retry(&pools, &CommitOnNewest::new(id, plan)).await)
        })
        .await
    }

    async fn purge(
        &self,
        id: ItemId,
        before: Stamp,
        record: Record,
        idempotency: Option<IdempotencyRecord>,
    ) -> Result<(), StoreError> {
        let (pools, notifications) = (self.pools.clone(), Arc::clone(&self.notifications));
        let purge = PurgeItem { id, before, record, idempotency };
        run_detached(&self.pools, async move { notifications.notify_after(run_with_retry(&pools, &purge).await) }).await
    }

    async fn idempotency_record(&self, user: UserId, key: &str) -> Result<Option<IdempotencyRecord>, StoreError> {
        self.pools.use_one(async { idempotency::get(&self.client().await?, user, key).await }).await
    }

    async fn forget_idempotency_records(&self, before: Timestamp) -> Result<u64, StoreError> {
        let mut forgotten = 0;
        loop {
            match self.write(move |client| async move { idempotency::forget(&client, before).await }).await? {
                0 => return Ok(forgotten),
                some => forgotten += some,
            }
        }
    }

    async fn mark_used(&self, id: ItemId, at: Timestamp) -> Result<(), StoreError> {
        let store = self.clone();
        run_detached(&self.pools, async move {
            let marking = async {
                let client = store.client().await?;
                let statement = client.prepare_cached(MARK_USED).await?;
                client.execute(&statement, &[&id.uuid(), &at.as_microsecond()]).await?;
                Ok(())
            };
            store.pools.use_one(marking).await
        })
        .await
    }

    async fn state(&self, id: ItemId) -> Result<Option<ItemState>, StoreError> {
        Ok(lookup::state(&self.client().await?, id).await?)
    }

    async fn item(&self, id: ItemId) -> Result<Option<Item>, StoreError> {
        self.pools.use_one(async { lookup::item(&self.client().await?, id).await }).await
    }

    async fn snapshot(&self, id: ItemId) -> Result<Option<Snapshot>, StoreError> {
        let found = self.pools.use_one(async { lookup::snapshot(&self.client().await?, id).await }).await?;
        self.checked(found, HashCheck::Always).await
    }

    async fn visible_item(&self, id: ItemId, visible: &Visibility) -> Result<Option<Item>, StoreError> {
        self.pools.use_one(async { lookup::visible_item(&self.client().await?, id, visible).await }).await
    }

    async fn visible_point_read(
        &self,
        id: ItemId,
        visible: &Visibility,
        check: HashCheck,
    ) -> Result<Option<PointRead>, StoreError> {
        let read = async { lookup::visible_point_read(&self.client().await?, id, visible).await };
        let found = self.pools.use_one(read).await?;
        self.pools.integrity.checked_point_read(found, check)
    }

    async fn visible_snapshot(
        &self,
        id: ItemId,
        visible: &Visibility,
        check: HashCheck,
    ) -> Result<Option<Snapshot>, StoreError> {
        let read = async |client: &mut Client| lookup::visible_snapshot(client, id, visible).await;
        let found = self.pools.read_long(None, read).await?;
        self.checked(found, check).await
    }

    async fn find_by_name(
        &self,
        spaces: &[SpaceId],
        kind: Kind,
        name: &PromptName,
    ) -> Result<Option<ItemId>, StoreError> {
        self.pools.use_one(async { lookup::find_by_name(&self.client().await?, spaces, kind, name).await }).await
    }

    async fn find_by_url(&self, space: SpaceId, url: &Url) -> Result<Option<ItemId>, StoreError> {
        self.pools.use_one(async { import_sources::find_by_url(&self.client().await?, space, url).await }).await
    }

    async fn imported_sources(
        &self,
        space: SpaceId,
        source: &str,
        keys: &[String],
    ) -> Result<Vec<Option<ImportedSource>>, StoreError> {
        self.pools.use_one(async { import_sources::get(&self.client().await?, space, source, keys).await }).await
    }

    async fn newest_import_of(
        &self,
        space: SpaceId,
        source: &str,
        item: ItemId,
    ) -> Result<Option<ImportedSource>, StoreError> {
        let read = async { import_sources::newest_of_item(&self.client().await?, space, source, item).await };
        self.pools.use_one(read).await
    }

    async fn items_of_space(
        &self,
        space: SpaceId,
        after: Option<ItemId>,
        limit: usize,
    ) -> Result<Vec<ItemId>, StoreError> {
        let read = async { import_sources::items_of_space(&self.client().await?, space, after, limit).await };
        self.pools.use_one(read).await
    }

    async fn find_by_path(
        &self,
        spaces: &[SpaceId],
        kind: Kind,
        path: &CodePath,
    ) -> Result<Option<ItemId>, StoreError> {
        self.pools.use_one(async { lookup::find_by_path(&self.client().await?, spaces, kind, path).await }).await
    }

    async fn find_deleted(
        &self,
        spaces: &[SpaceId],
        kind: Kind,
        field: &UniqueField,
    ) -> Result<Option<ItemId>, StoreError> {
        self.pools.use_one(async { lookup::find_deleted(&self.client().await?, spaces, kind, field).await }).await
    }

    async fn find_by_id_range(
        &self,
        range: RangeInclusive<ItemId>,
        visible: &Visibility,
        limit: usize,
    ) -> Result<Vec<ItemId>, StoreError> {
        let find = async |client: &mut Client| lookup::find_by_id_range(client, &range, visible, limit).await;
        self.pools.read_long(None, find).await
    }

    async fn files(&self, query: &FileQuery) -> Result<FilePage, StoreError> {
        self.pools.read_long(None, async |client| files::files(client, &self.pools.integrity, query).await).await
    }

    async fn list(&self, query: &ListQuery) -> Result<Page, StoreError> {
        self.pools.read_long(None, async |client| list::list(client, &self.pools.integrity, query).await).await
    }

    async fn search(&self, query: &SearchQuery) -> Result<SearchResults, StoreError> {
        search::search(&self.pools, query).await
    }

    async fn search_files(&self, query: &FileSearch, read: FileReader) -> Result<u64, StoreError> {
        search::files::search_files(&self.pools, query, read).await
    }

    async fn index(&self, step: IndexStep) -> Result<IndexStepResult, StoreError> {
        let (pools, indexer) = (self.pools.clone(), self.indexer);
        run_detached(&self.pools, async move { search::index::step(&pools, indexer, step).await }).await
    }

    async fn stale_items(&self) -> Result<u64, StoreError> {
        self.pools.use_one(async { search_index::count_stale(&self.client().await?).await }).await
    }

    async fn release_index(&self) -> Result<(), StoreError> {
        let holder = self.indexer;
        self.write(move |client| async move { search_index::release_lease(&client, holder).await }).await
    }

    async fn check(&self) -> Result<CheckReport, StoreError> {
        Ok(search::check::check(&mut self.client().await?).await?)
    }

    async fn versions(&self, item: ItemId, query: HistoryQuery) -> Result<HistoryPage, StoreError> {
        self.pools.read_long(None, async |client| versions::versions(client, item, query).await).await
    }

    async fn version(&self, item: ItemId, number: u64) -> Result<Option<Version>, StoreError> {
        self.pools.read_long(None, async |client| versions::version(client, item, number).await).await
    }

    async fn whole_versions(&self, item: ItemId, limit: usize) -> Result<Vec<u64>, StoreError> {
        self.pools.read_long(None, async |client| versions::whole_versions(client, item, limit).await).await
    }

    fn damage(&self) -> DamageCount {
        self.pools.integrity.count()
    }

    async fn forget_versions(
        &self,
        retention: Retention,
        after: Option<ItemId>,
    ) -> Result<ForgottenVersions, StoreError> {
        let pools = self.pools.clone();
        run_detached(&self.pools, async move { Ok(retention::forget_versions(&pools.work, retention, after).await?) })
            .await
    }

    async fn events(&self, after: &BTreeMap<SpaceId, u64>, limit: usize) -> Result<Vec<Event>, StoreError> {
        self.pools.use_one(async { events::after(&self.client().await?, after, limit).await }).await
    }

    async fn event_ranges(&self, spaces: &[SpaceId]) -> Result<BTreeMap<SpaceId, EventRange>, StoreError> {
        self.pools.use_one(async { events::ranges(&self.client().await?, spaces).await }).await
    }

    async fn forget_events(&self, before: Timestamp) -> Result<u64, StoreError> {
        let store = self.clone();
        run_detached(&self.pools, async move {
            store.pools.use_one(async { events::forget(&store.client().await?, before).await }).await
        })
        .await
    }

    fn changes(&self) -> watch::Receiver<()> {
        self.notifications.changes()
    }

    async fn trash(&self, before: Timestamp, limit: usize) -> Result<Vec<Item>, StoreError> {
        self.pools
            .use_one(async { lookup::trash(&self.client().await?, &self.pools.integrity, before, limit).await })
            .await
    }

    async fn tags(
        &self,
        spaces: &[SpaceId],
        kinds: &BTreeSet<Kind>,
        views: &BTreeSet<View>,
    ) -> Result<Vec<(Tag, u64)>, StoreError> {
        self.pools.read_long(None, async |client| lookup::tags(client, spaces, kinds, views).await).await
    }

    async fn tagged(&self, spaces: &[SpaceId], kinds: &BTreeSet<Kind>, tag: &Tag) -> Result<Vec<Item>, StoreError> {
        let integrity = &self.pools.integrity;
        self.pools.read_long(None, async |client| lookup::tagged(client, integrity, spaces, kinds, tag).await).await
    }

    async fn create_user(&self, user: &User, space: &Space, token: &NewToken) -> Result<(), StoreError> {
        let new = CreateUser { user: user.clone(), space: space.clone(), token: token.clone() };
        let pools = self.pools.clone();
        run_detached(&self.pools, async move { run_with_retry(&pools, &new).await }).await
    }

    async fn create_first_user(&self, user: &User, space: &Space, token: &NewToken) -> Result<bool, StoreError> {
        let new = CreateFirstUser(CreateUser { user: user.clone(), space: space.clone(), token: token.clone() });
        let pools = self.pools.clone();
        run_detached(&self.pools, async move { run_with_retry(&pools, &new).await }).await
    }

    async fn remove_user(&self, user: UserId, items: RemoveUser, at: Timestamp) -> Result<UserRemoval, StoreError> {
        let pools = self.pools.clone();
        run_detached(&self.pools, async move { run_with_retry(&pools, &Removal { user, items, at }).await }).await
    }

    async fn users(&self) -> Result<Vec<User>, StoreError> {
        self.pools.use_one(async { users::all(&self.client().await?).await }).await
    }

    async fn first_user(&self) -> Result<Option<User>, StoreError> {
        self.pools.use_one(async { users::first(&self.client().await?).await }).await
    }

    async fn user(&self, id: UserId) -> Result<Option<User>, StoreError> {
        self.pools.use_one(async { users::one(&self.client().await?, id).await }).await
    }

    async fn memberships(&self, user: UserId) -> Result<Vec<Membership>, StoreError> {
        self.pools.use_one(async { users::memberships(&self.client().await?, user).await }).await
    }

    async fn credentials(&self, secret: SecretHash) -> Result<Option<Credentials>, StoreError> {
        self.pools.use_one(async { tokens::credentials(&self.client().await?, secret).await }).await
    }

    async fn token_credentials(&self, id: TokenId) -> Result<Option<Credentials>, StoreError> {
        self.pools.use_one(async { tokens::credentials_by_id(&self.client().await?, id).await }).await
    }

    async fn token_secrets(&self) -> Result<Vec<SecretHash>, StoreError> {
        self.pools.use_one(async { tokens::secrets(&self.client().await?).await }).await
    }

    async fn existing_tokens(&self, ids: &BTreeSet<TokenId>) -> Result<BTreeSet<TokenId>, StoreError> {
        self.pools.use_one(async { accounts::existing_tokens(&self.client().await?, ids).await }).await
    }

    async fn create_token(&self, token: &NewToken) -> Result<(), StoreError> {
        let token = token.clone();
        self.write(move |client| async move { tokens::add(&client, &token).await }).await
    }

    async fn tokens(&self, user: UserId) -> Result<Vec<Token>, StoreError> {
        self.pools.use_one(async { tokens::for_user(&self.client().await?, user).await }).await
    }

    async fn rename_token(&self, user: UserId, id: TokenId, name: &str) -> Result<Option<Token>, StoreError> {
        let name = name.to_owned();
        self.write(move |client| async move { tokens::rename(&client, user, id, &name).await }).await
    }

    async fn delete_token(&self, user: UserId, id: TokenId) -> Result<bool, StoreError> {
        self.write(move |client| async move { tokens::remove(&client, user, id).await }).await
    }

    async fn mark_token_used(&self, id: TokenId, at: Timestamp) -> Result<(), StoreError> {
        self.write(move |client| async move { tokens::mark_used(&client, id, at).await }).await
    }

    async fn create_organization(&self, organization: &Organization, space: &Space) -> Result<(), StoreError> {
        let new = CreateOrganization { organization: organization.clone(), space: space.clone() };
        let pools = self.pools.clone();
        run_detached(&self.pools, async move { run_with_retry(&pools, &new).await }).await
    }

    async fn organizations(&self) -> Result<Vec<Organization>, StoreError> {
        self.pools.use_one(async { organizations::all(&self.client().await?).await }).await
    }

    async fn organization(&self, id: OrganizationId) -> Result<Option<Organization>, StoreError> {
        self.pools.use_one(async { organizations::one(&self.client().await?, id).await }).await
    }

    async fn create_app(&self, new: NewApp) -> Result<(), StoreError> {
        let NewApp { app, space, files } = new;
        let new = CreateApp { app, space, files: EncodedBatch::encode(files)? };
        let (pools, notifications) = (self.pools.clone(), Arc::clone(&self.notifications));
        run_detached(&self.pools, async move { notifications.notify_after(run_with_retry(&pools, &new).await) }).await
    }

    async fn update_app(&self, app: &App, before: Timestamp) -> Result<bool, StoreError> {
        let change = UpdateApp { app: app.clone(), before };
        let pools = self.pools.clone();
        run_detached(&self.pools, async move { run_with_retry(&pools, &change).await }).await
    }

    async fn apps(&self, ids: &BTreeSet<AppId>) -> Result<Vec<App>, StoreError> {
        self.pools.use_one(async { apps::by_ids(&self.client().await?, ids).await }).await
    }

    async fn apps_by_slug(&self, slug: &AppSlug) -> Result<Vec<App>, StoreError> {
        self.pools.use_one(async { tables::apps::by_slug(&self.client().await?, slug).await }).await
    }

    async fn publish_app(&self, app: AppId, user: UserId, at: Timestamp) -> Result<Option<AppVersion>, StoreError> {
        let pools = self.pools.clone();
        run_detached(&self.pools, async move { run_with_retry(&pools, &Publish { app, user, at }).await }).await
    }

    async fn deleted_apps(&self) -> Result<Vec<App>, StoreError> {
        self.pools.use_one(async { tables::apps::deleted(&self.client().await?).await }).await
    }

    async fn apps_to_purge(&self, before: Timestamp) -> Result<Vec<AppId>, StoreError> {
        self.pools.use_one(async { app_purge::apps_to_purge(&self.client().await?, before).await }).await
    }

    async fn purge_app(&self, app: AppId, before: Timestamp) -> Result<bool, StoreError> {
        loop {
            let pools = self.pools.clone();
            let step = async move { run_with_retry(&pools, &PurgeApp { app, before }).await };
            match run_detached(&self.pools, step).await? {
                PurgeStep::Unknown => return Ok(false),
                PurgeStep::Unfinished => {}
                PurgeStep::Finished => return Ok(true),
            }
        }
    }

    async fn app_versions(&self, app: AppId) -> Result<Vec<AppVersion>, StoreError> {
        self.pools.use_one(async { tables::apps::versions(&self.client().await?, app).await }).await
    }

    async fn published_files(&self, app: AppId, version: u64) -> Result<Vec<PublishedFile>, StoreError> {
        self.pools.use_one(async { tables::apps::published_files(&self.client().await?, app, version).await }).await
    }

    async fn published_content(
        &self,
        app: AppId,
        version: u64,
        path: &CodePath,
    ) -> Result<Option<Arc<str>>, StoreError> {
        self.pools
            .use_one(async { tables::apps::published_content(&self.client().await?, app, version, path).await })
            .await
    }
}
