//! The store in a PostgreSQL database, for any number of processes.
//!
//! Rows are locked where a change depends on them, and a commit that loses a race is done again. Every promise about
//! several processes is kept by the database: nothing is remembered here but connections.

mod accounts;
mod apps;
mod commit;
mod connect;
mod events;
mod failure;
mod files;
mod history;
mod item;
mod jobs;
mod list;
mod migrate;
mod newest;
mod published;
mod read;
mod removal;
mod retention;
mod rows;
mod search;
mod sql;
mod unique;
mod versions;
mod wakeup;
mod work;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use async_trait::async_trait;
use deadpool_postgres::Client;
use interline_items::fields::{AppSlug, CodePath, PromptName, Tag};
use interline_items::search::{FileReader, FileSearch, IndexStep, IndexStepResult, SearchQuery, SearchResults};
use interline_items::{
    App, AppId, AppVersion, Batch, CheckReport, Credentials, Event, EventRange, FilePage, FileQuery, ForgottenVersions,
    HistoryPage, HistoryQuery, IdempotencyRecord, Item, ItemId, ItemState, Kind, ListQuery, Membership, NewApp,
    NewToken, Organization, OrganizationId, Page, PlanOnNewest, PublishedFile, Record, RemoveUser, Retention,
    SecretHash, Snapshot, Space, SpaceId, Stamp, Store, StoreError, Token, TokenId, User, UserId, UserRemoval, Version,
};
use jiff::Timestamp;
use tokio::sync::watch;
use uuid::Uuid;

use self::accounts::{CreateFirstUser, CreateOrganization, CreateUser};
use self::apps::{CreateApp, UpdateApp};
use self::commit::{Commit, Purge};
use self::connect::Pools;
use self::failure::{Failure, told};
use self::newest::OnNewest;
use self::published::Publish;
use self::removal::Removal;
use self::wakeup::Wakeup;
use self::work::{carry_out, to_the_end};
use crate::OpenError;
use crate::tables::{self, idempotency, organizations, tokens, users};

/// A use is no change: it leaves the stamp alone. An older one does not hide a newer one.
const MARK_USED: &str = "
    UPDATE items SET last_used_at = $2
    WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)";

/// A store in a PostgreSQL database.
#[derive(Clone)]
pub struct PostgresStore {
    pools: Pools,
    wakeup: Arc<Wakeup>,
    /// Whose steps of the index are.
    indexer: Uuid,
}

impl PostgresStore {
    /// Connects to the database at a URL (`postgres://user:password@host/database`) and brings it to the newest form.
    ///
    /// `sslmode=require` and `sslmode=verify-full` both mean TLS with the server's certificate checked against the
    /// system's authorities, or those in the file that `SSL_CERT_FILE` names; without them there is no TLS.
    pub async fn connect(url: &str) -> Result<PostgresStore, OpenError> {
        let pools = connect::pools(url)?;
        let mut client = pools.work.get().await.map_err(|error| OpenError::Failed(told(&error)))?;
        migrate::migrate(&mut client).await?;
        let wakeup = Arc::new(Wakeup::new(url, pools.news.clone()));
        Ok(PostgresStore { pools, wakeup, indexer: Uuid::now_v7() })
    }

    async fn client(&self) -> Result<Client, Failure> {
        Ok(self.pools.work.get().await?)
    }

    /// Carries out a write in a task of its own, which goes on when the caller goes away. Each statement is a transaction.
    async fn write<T, F>(&self, write: impl FnOnce(Client) -> F + Send + 'static) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Failure>> + Send,
    {
        let store = self.clone();
        to_the_end(async move { store.pools.use_one(async { write(store.client().await?).await }).await }).await
    }
}

#[async_trait]
impl Store for PostgresStore {
    async fn ping(&self) -> Result<(), StoreError> {
        self.pools.use_one(async { Ok(self.client().await?.batch_execute("SELECT 1").await?) }).await
    }

    async fn commit(&self, batch: Batch) -> Result<(), StoreError> {
        let (pools, wakeup) = (self.pools.clone(), Arc::clone(&self.wakeup));
        to_the_end(async move {
            // Off the threads that serve everybody: it may take milliseconds.
            let prepared = tokio::task::spawn_blocking(move || Commit::prepare(batch)).await;
            let commit = prepared.map_err(|gone| StoreError::Failed(gone.to_string()))??;
            wakeup.after(carry_out(&pools, &commit).await)
        })
        .await
    }

    async fn commit_on_newest(&self, id: ItemId, prepare: PlanOnNewest) -> Result<bool, StoreError> {
        let (pools, wakeup) = (self.pools.clone(), Arc::clone(&self.wakeup));
        to_the_end(async move { wakeup.after(carry_out(&pools, &OnNewest::new(id, prepare)).await) }).await
    }

    async fn purge(
        &self,
        id: ItemId,
        before: Stamp,
        record: Record,
        remember: Option<IdempotencyRecord>,
    ) -> Result<(), StoreError> {
        let (pools, wakeup) = (self.pools.clone(), Arc::clone(&self.wakeup));
        let purge = Purge { id, before, record, remember };
        to_the_end(async move { wakeup.after(carry_out(&pools, &purge).await) }).await
    }

    async fn remembered(&self, user: UserId, key: &str) -> Result<Option<IdempotencyRecord>, StoreError> {
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
        to_the_end(async move {
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
        Ok(read::state(&self.client().await?, id).await?)
    }

    async fn item(&self, id: ItemId) -> Result<Option<Item>, StoreError> {
        self.pools.use_one(async { read::item(&self.client().await?, id).await }).await
    }

    async fn snapshot(&self, id: ItemId) -> Result<Option<Snapshot>, StoreError> {
        self.pools.use_one(async { read::snapshot(&self.client().await?, id).await }).await
    }

    async fn find_by_name(
        &self,
        spaces: &[SpaceId],
        kind: Kind,
        name: &PromptName,
    ) -> Result<Option<ItemId>, StoreError> {
        self.pools.use_one(async { read::find_by_name(&self.client().await?, spaces, kind, name).await }).await
    }

    async fn find_by_path(
        &self,
        spaces: &[SpaceId],
        kind: Kind,
        path: &CodePath,
    ) -> Result<Option<ItemId>, StoreError> {
        self.pools.use_one(async { read::find_by_path(&self.client().await?, spaces, kind, path).await }).await
    }

    async fn files(&self, query: &FileQuery) -> Result<FilePage, StoreError> {
        self.pools.use_one(async { files::files(&self.client().await?, query).await }).await
    }

    async fn list(&self, query: &ListQuery) -> Result<Page, StoreError> {
        self.pools.use_one(async { list::list(&mut self.client().await?, query).await }).await
    }

    async fn search(&self, query: &SearchQuery) -> Result<SearchResults, StoreError> {
        search::search(&self.pools, query).await
    }

    async fn search_files(&self, query: &FileSearch, read: FileReader) -> Result<u64, StoreError> {
        search::files::search_files(&self.pools, query, read).await
    }

    async fn index(&self, step: IndexStep) -> Result<IndexStepResult, StoreError> {
        let (pools, indexer) = (self.pools.clone(), self.indexer);
        to_the_end(async move { search::index::step(&pools, indexer, step).await }).await
    }

    async fn check(&self) -> Result<CheckReport, StoreError> {
        Ok(search::check::check(&mut self.client().await?).await?)
    }

    async fn versions(&self, item: ItemId, query: HistoryQuery) -> Result<HistoryPage, StoreError> {
        self.pools.use_one(async { versions::versions(&mut self.client().await?, item, query).await }).await
    }

    async fn version(&self, item: ItemId, number: u64) -> Result<Option<Version>, StoreError> {
        self.pools.use_one(async { versions::version(&mut self.client().await?, item, number).await }).await
    }

    async fn forget_versions(
        &self,
        retention: Retention,
        after: Option<ItemId>,
    ) -> Result<ForgottenVersions, StoreError> {
        let pools = self.pools.clone();
        to_the_end(async move { Ok(retention::forget_versions(&pools.work, retention, after).await?) }).await
    }

    async fn events(&self, after: &BTreeMap<SpaceId, u64>, limit: usize) -> Result<Vec<Event>, StoreError> {
        self.pools.use_one(async { events::after(&self.client().await?, after, limit).await }).await
    }

    async fn event_ranges(&self, spaces: &[SpaceId]) -> Result<BTreeMap<SpaceId, EventRange>, StoreError> {
        self.pools.use_one(async { events::ranges(&self.client().await?, spaces).await }).await
    }

    async fn forget_events(&self, before: Timestamp) -> Result<u64, StoreError> {
        let store = self.clone();
        to_the_end(
            async move { store.pools.use_one(async { events::forget(&store.client().await?, before).await }).await },
        )
        .await
    }

    fn changes(&self) -> watch::Receiver<()> {
        self.wakeup.changes()
    }

    async fn trash(&self, before: Timestamp, limit: usize) -> Result<Vec<Item>, StoreError> {
        self.pools.use_one(async { read::trash(&self.client().await?, before, limit).await }).await
    }

    async fn tags(&self, spaces: &[SpaceId], kinds: &BTreeSet<Kind>) -> Result<Vec<(Tag, u64)>, StoreError> {
        self.pools.use_one(async { read::tags(&self.client().await?, spaces, kinds).await }).await
    }

    async fn tagged(&self, spaces: &[SpaceId], kinds: &BTreeSet<Kind>, tag: &Tag) -> Result<Vec<Item>, StoreError> {
        self.pools.use_one(async { read::tagged(&self.client().await?, spaces, kinds, tag).await }).await
    }

    async fn create_user(&self, user: &User, space: &Space, token: &NewToken) -> Result<(), StoreError> {
        let new = CreateUser { user: user.clone(), space: space.clone(), token: token.clone() };
        let pools = self.pools.clone();
        to_the_end(async move { carry_out(&pools, &new).await }).await
    }

    async fn create_first_user(&self, user: &User, space: &Space, token: &NewToken) -> Result<bool, StoreError> {
        let new = CreateFirstUser(CreateUser { user: user.clone(), space: space.clone(), token: token.clone() });
        let pools = self.pools.clone();
        to_the_end(async move { carry_out(&pools, &new).await }).await
    }

    async fn remove_user(&self, user: UserId, items: RemoveUser, at: Timestamp) -> Result<UserRemoval, StoreError> {
        let pools = self.pools.clone();
        to_the_end(async move { carry_out(&pools, &Removal { user, items, at }).await }).await
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

    async fn create_token(&self, token: &NewToken) -> Result<(), StoreError> {
        let token = token.clone();
        self.write(move |client| async move { tokens::add(&client, &token).await }).await
    }

    async fn tokens(&self, user: UserId) -> Result<Vec<Token>, StoreError> {
        self.pools.use_one(async { tokens::for_user(&self.client().await?, user).await }).await
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
        to_the_end(async move { carry_out(&pools, &new).await }).await
    }

    async fn organizations(&self) -> Result<Vec<Organization>, StoreError> {
        self.pools.use_one(async { organizations::all(&self.client().await?).await }).await
    }

    async fn organization(&self, id: OrganizationId) -> Result<Option<Organization>, StoreError> {
        self.pools.use_one(async { organizations::one(&self.client().await?, id).await }).await
    }

    async fn create_app(&self, new: NewApp) -> Result<(), StoreError> {
        let NewApp { app, space, files } = new;
        let new = CreateApp { app, space, files: Commit::prepare(files)? };
        let (pools, wakeup) = (self.pools.clone(), Arc::clone(&self.wakeup));
        to_the_end(async move { wakeup.after(carry_out(&pools, &new).await) }).await
    }

    async fn update_app(&self, app: &App, before: Timestamp) -> Result<bool, StoreError> {
        let change = UpdateApp { app: app.clone(), before };
        let pools = self.pools.clone();
        to_the_end(async move { carry_out(&pools, &change).await }).await
    }

    async fn apps(&self, ids: &BTreeSet<AppId>) -> Result<Vec<App>, StoreError> {
        self.pools.use_one(async { apps::by_ids(&self.client().await?, ids).await }).await
    }

    async fn apps_by_slug(&self, slug: &AppSlug) -> Result<Vec<App>, StoreError> {
        self.pools.use_one(async { tables::apps::by_slug(&self.client().await?, slug).await }).await
    }

    async fn publish_app(&self, app: AppId, user: UserId, at: Timestamp) -> Result<Option<AppVersion>, StoreError> {
        let pools = self.pools.clone();
        to_the_end(async move { carry_out(&pools, &Publish { app, user, at }).await }).await
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
