//! Transactions that create and change apps, and reading several apps by their ids.

use std::collections::BTreeSet;

use async_trait::async_trait;
use deadpool_postgres::{Client, Transaction};
use interline_items::{App, AppId, Space, StoreError};
use jiff::Timestamp;
use uuid::Uuid;

use super::failure::Failure;
use super::write::commit::EncodedBatch;
use super::write::transaction_retry::{CommitProof, RetryableTransaction};
use crate::sql::RowReader;
use crate::tables::apps::{self, select_apps};

const BY_IDS: &str = concat!(select_apps!(), "id = ANY($1) ORDER BY created_at, id");

/// Makes an app with its space and first files.
pub(super) struct CreateApp {
    pub(super) app: App,
    pub(super) space: Space,
    pub(super) files: EncodedBatch,
}

/// Changes an app that was last changed at `before`; whether it was.
pub(super) struct UpdateApp {
    pub(super) app: App,
    pub(super) before: Timestamp,
}

#[async_trait]
impl RetryableTransaction for CreateApp {
    type Outcome = ();

    async fn run(&self, transaction: &Transaction<'_>) -> Result<((), CommitProof), Failure> {
        refuse_taken_slug(transaction, &self.app).await?;
        apps::add(transaction, &self.app, &self.space).await?;
        self.files.run(transaction).await?;
        Ok(((), proof(&self.app)))
    }
}

#[async_trait]
impl RetryableTransaction for UpdateApp {
    type Outcome = bool;

    async fn run(&self, transaction: &Transaction<'_>) -> Result<(bool, CommitProof), Failure> {
        refuse_taken_slug(transaction, &self.app).await?;
        let is_updated = apps::update(transaction, &self.app, self.before).await?;
        Ok((is_updated, if is_updated { proof(&self.app) } else { CommitProof::Nothing }))
    }
}

fn proof(app: &App) -> CommitProof {
    CommitProof::App { id: app.id.uuid(), updated_at: app.updated_at.as_microsecond() }
}

/// The unique index is the law. This only finds the app that has the slug, for the answer: where another transaction takes
/// the slug after the look and commits first, the index refuses the write, and at the next try that app is seen here.
async fn refuse_taken_slug(transaction: &Transaction<'_>, app: &App) -> Result<(), Failure> {
    match apps::holder_of_slug(transaction, app).await? {
        None => Ok(()),
        Some(holder) => Err(StoreError::SlugTaken(Box::new(holder)).into()),
    }
}

/// Those of the apps that are there, oldest first.
pub(super) async fn by_ids(client: &Client, ids: &BTreeSet<AppId>) -> Result<Vec<App>, Failure> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.uuid()).collect();
    let statement = client.prepare_cached(BY_IDS).await?;
    let rows = client.query(&statement, &[&ids]).await?;
    rows.iter().map(|row| Ok(apps::from_row(&mut RowReader::new(row))?)).collect()
}
