//! Organizations.

use interline_items::{Organization, OrganizationId, Space};
use rusqlite::{Connection, Row, params};

use super::failure::Failure;
use super::rows::Columns;
use super::users::add_space;

const INSERT: &str = "INSERT INTO organizations (id, name, domain, created_at) VALUES (?1, ?2, ?3, ?4)";

const ALL: &str = "SELECT id, name, domain, created_at FROM organizations ORDER BY created_at, id";

const ONE: &str = "SELECT id, name, domain, created_at FROM organizations WHERE id = ?1";

/// Makes an organization and its space.
pub(super) fn create(connection: &Connection, organization: &Organization, space: &Space) -> Result<(), Failure> {
    connection.prepare_cached(INSERT)?.execute(params![
        organization.id.uuid().into_bytes(),
        organization.name,
        organization.domain,
        organization.created_at.as_microsecond(),
    ])?;
    add_space(connection, space)
}

/// The organizations, oldest first.
pub(super) fn all(connection: &Connection) -> Result<Vec<Organization>, Failure> {
    connection.prepare_cached(ALL)?.query_and_then([], organization_of)?.collect()
}

/// One organization.
pub(super) fn one(connection: &Connection, id: OrganizationId) -> Result<Option<Organization>, Failure> {
    connection.prepare_cached(ONE)?.query_and_then([id.uuid().into_bytes()], organization_of)?.next().transpose()
}

fn organization_of(row: &Row<'_>) -> Result<Organization, Failure> {
    let mut columns = Columns::of(row);
    Ok(Organization {
        id: OrganizationId::from_uuid(columns.uuid()?),
        name: columns.next()?,
        domain: columns.next()?,
        created_at: columns.time()?,
    })
}
