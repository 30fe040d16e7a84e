//! The table `organizations`.

use interline_items::{Organization, OrganizationId, Space, StoreError};

use super::users::add_space;
use crate::sql::{RowReader, Sql, Statement, query_first, statement, values};

const INSERT: Statement =
    statement!("INSERT INTO organizations (id, name, domain, created_at) VALUES (?1, ?2, ?3, ?4)");

const ALL: Statement = statement!("SELECT id, name, domain, created_at FROM organizations ORDER BY created_at, id");

const ONE: Statement = statement!("SELECT id, name, domain, created_at FROM organizations WHERE id = ?1");

/// Makes an organization and its space.
pub(crate) async fn create<S: Sql>(sql: &S, organization: &Organization, space: &Space) -> Result<(), S::Failure> {
    let Organization { id, name, domain, created_at } = organization;
    sql.execute(INSERT, values![*id, name, domain, *created_at]).await?;
    add_space(sql, space).await
}

/// The organizations, oldest first.
pub(crate) async fn all<S: Sql>(sql: &S) -> Result<Vec<Organization>, S::Failure> {
    sql.query(ALL, values![], from_row).await
}

/// One organization.
pub(crate) async fn one<S: Sql>(sql: &S, id: OrganizationId) -> Result<Option<Organization>, S::Failure> {
    query_first(sql, ONE, values![id], from_row).await
}

fn from_row(row: &mut RowReader<'_>) -> Result<Organization, StoreError> {
    Ok(Organization { id: row.get()?, name: row.get()?, domain: row.optional()?, created_at: row.get()? })
}
