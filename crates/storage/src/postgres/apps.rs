//! Apps.

use std::collections::BTreeSet;

use async_trait::async_trait;
use deadpool_postgres::{Client, GenericClient, Transaction};
use interline_items::fields::AppSlug;
use interline_items::{App, AppId, OrganizationId, Space, StoreError};
use jiff::Timestamp;
use tokio_postgres::Row;
use uuid::Uuid;

use super::commit::Commit;
use super::failure::Failure;
use super::rows::{maybe_count, maybe_id, stored, time};
use super::work::{CommitProof, RetryableTransaction};
use crate::tables::users::add_space;

const ADD: &str = "
    INSERT INTO apps (id, slug, name, description, organization, navigation, published_version, created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

const UPDATE: &str = "
    UPDATE apps SET slug = $2, name = $3, description = $4, navigation = $5, updated_at = $6
    WHERE id = $1 AND updated_at = $7";

const NAME_SPACE: &str = "UPDATE spaces SET name = $2 WHERE app = $1";

macro_rules! app_columns {
    () => {
        "SELECT id, slug, name, description, organization, navigation, published_version, created_at, updated_at
         FROM apps "
    };
}

const SOME: &str = concat!(app_columns!(), "WHERE id = ANY($1) ORDER BY created_at, id");
const BY_SLUG: &str = concat!(app_columns!(), "WHERE slug = $1 ORDER BY created_at, id");
const HOLDER: &str = concat!(app_columns!(), "WHERE slug = $1 AND organization IS NOT DISTINCT FROM $2 AND id <> $3");

/// A new app with its space and first files.
pub(super) struct AddApp {
    pub(super) app: App,
    pub(super) space: Space,
    pub(super) files: Commit,
}

/// Changes of an app that was last changed at `before`; whether it was.
pub(super) struct ChangeApp {
    pub(super) app: App,
    pub(super) before: Timestamp,
}

#[async_trait]
impl RetryableTransaction for AddApp {
    type Outcome = ();

    async fn carry_out(&self, transaction: &Transaction<'_>) -> Result<((), CommitProof), Failure> {
        let app = &self.app;
        refuse_taken_slug(transaction, app).await?;
        let statement = transaction.prepare_cached(ADD).await?;
        transaction
            .execute(
                &statement,
                &[
                    &app.id.uuid(),
                    &app.slug.as_str(),
                    &app.name,
                    &app.description,
                    &app.organization.map(OrganizationId::uuid),
                    &app.navigation,
                    &app.published_version.map(stored).transpose()?,
                    &app.created_at.as_microsecond(),
                    &app.updated_at.as_microsecond(),
                ],
            )
            .await?;
        add_space(transaction, &self.space).await?;
        self.files.carry_out(transaction).await?;
        Ok(((), proof(app)))
    }
}

#[async_trait]
impl RetryableTransaction for ChangeApp {
    type Outcome = bool;

    async fn carry_out(&self, transaction: &Transaction<'_>) -> Result<(bool, CommitProof), Failure> {
        let (app, id) = (&self.app, self.app.id.uuid());
        refuse_taken_slug(transaction, app).await?;
        let statement = transaction.prepare_cached(UPDATE).await?;
        let (updated_at, before) = (app.updated_at.as_microsecond(), self.before.as_microsecond());
        let slug = app.slug.as_str();
        let changed = transaction
            .execute(&statement, &[&id, &slug, &app.name, &app.description, &app.navigation, &updated_at, &before])
            .await?;
        if changed == 0 {
            return Ok((false, CommitProof::Nothing));
        }
        transaction.execute(NAME_SPACE, &[&id, &app.name]).await?;
        Ok((true, proof(app)))
    }
}

fn proof(app: &App) -> CommitProof {
    CommitProof::App { id: app.id.uuid(), updated_at: app.updated_at.as_microsecond() }
}

/// The unique index is the law. This only finds the holder to tell of: where another transaction takes the slug after the
/// look and commits first, the index refuses the write, and at the next try the holder is seen here.
async fn refuse_taken_slug(transaction: &Transaction<'_>, app: &App) -> Result<(), Failure> {
    let statement = transaction.prepare_cached(HOLDER).await?;
    let organization = app.organization.map(OrganizationId::uuid);
    match transaction.query_opt(&statement, &[&app.slug.as_str(), &organization, &app.id.uuid()]).await? {
        None => Ok(()),
        Some(row) => Err(StoreError::SlugTaken(Box::new(of_row(&row)?)).into()),
    }
}

pub(super) async fn apps(client: &impl GenericClient, ids: &BTreeSet<AppId>) -> Result<Vec<App>, Failure> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.uuid()).collect();
    let statement = client.prepare_cached(SOME).await?;
    client.query(&statement, &[&ids]).await?.iter().map(of_row).collect()
}

pub(super) async fn by_slug(client: &Client, slug: &AppSlug) -> Result<Vec<App>, Failure> {
    let statement = client.prepare_cached(BY_SLUG).await?;
    client.query(&statement, &[&slug.as_str()]).await?.iter().map(of_row).collect()
}

fn of_row(row: &Row) -> Result<App, Failure> {
    Ok(App {
        id: AppId::from_uuid(row.try_get("id")?),
        slug: AppSlug::from_stored(row.try_get("slug")?),
        name: row.try_get("name")?,
        description: row.try_get("description")?,
        organization: maybe_id(row, "organization", OrganizationId::from_uuid)?,
        navigation: row.try_get("navigation")?,
        published_version: maybe_count(row, "published_version")?,
        created_at: time(row, "created_at")?,
        updated_at: time(row, "updated_at")?,
    })
}
