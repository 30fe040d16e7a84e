//! Organizations.

use async_trait::async_trait;
use deadpool_postgres::{Client, Transaction};
use interline_items::{Organization, OrganizationId, Space};
use tokio_postgres::Row;

use super::failure::Failure;
use super::rows::time;
use super::users::add_space;
use super::work::{CommitProof, RetryableTransaction};

const ADD: &str = "INSERT INTO organizations (id, name, domain, created_at) VALUES ($1, $2, $3, $4)";
const ALL: &str = "SELECT id, name, domain, created_at FROM organizations ORDER BY created_at, id";
const ONE: &str = "SELECT id, name, domain, created_at FROM organizations WHERE id = $1";

/// A new organization with its space.
pub(super) struct NewOrganization {
    pub(super) organization: Organization,
    pub(super) space: Space,
}

#[async_trait]
impl RetryableTransaction for NewOrganization {
    type Outcome = ();

    async fn carry_out(&self, transaction: &Transaction<'_>) -> Result<((), CommitProof), Failure> {
        let Organization { id, name, domain, created_at } = &self.organization;
        transaction.execute(ADD, &[&id.uuid(), name, domain, &created_at.as_microsecond()]).await?;
        add_space(transaction, &self.space).await?;
        Ok(((), CommitProof::Organization(id.uuid())))
    }
}

pub(super) async fn all(client: &Client) -> Result<Vec<Organization>, Failure> {
    let statement = client.prepare_cached(ALL).await?;
    client.query(&statement, &[]).await?.iter().map(of_row).collect()
}

pub(super) async fn one(client: &Client, id: OrganizationId) -> Result<Option<Organization>, Failure> {
    let statement = client.prepare_cached(ONE).await?;
    client.query_opt(&statement, &[&id.uuid()]).await?.as_ref().map(of_row).transpose()
}

fn of_row(row: &Row) -> Result<Organization, Failure> {
    Ok(Organization {
        id: OrganizationId::from_uuid(row.try_get("id")?),
        name: row.try_get("name")?,
        domain: row.try_get("domain")?,
        created_at: time(row, "created_at")?,
    })
}
