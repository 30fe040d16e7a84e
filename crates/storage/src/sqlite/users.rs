//! Users and the spaces that they are members of.

use interline_items::{Membership, NewToken, OrganizationId, Rank, Space, SpaceId, User, UserId};
use rusqlite::{Connection, Row, ToSql, params};
use uuid::Uuid;

use super::failure::Failure;
use super::rows::Columns;
use super::tokens;
use crate::codec::owner::OwnerColumns;
use crate::codec::{membership, names};

const INSERT_USER: &str = "
    INSERT INTO users (id, name, email, rank, organization, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";

const INSERT_SPACE: &str = "INSERT INTO spaces (id, user, organization, app, name) VALUES (?1, ?2, ?3, ?4, ?5)";

const INSERT_MEMBER: &str = "INSERT INTO members (user, space, role) VALUES (?1, ?2, 'owner')";

macro_rules! user_columns {
    () => {
        "users.id, users.name, users.email, users.rank, users.organization, users.created_at"
    };
}
pub(super) use user_columns;

// Ids are in the order of creation only as far as they were made here; times are what the contract says.
const USERS: &str = concat!("SELECT ", user_columns!(), " FROM users WHERE deleted_at IS NULL ORDER BY created_at, id");

const FIRST: &str =
    concat!("SELECT ", user_columns!(), " FROM users WHERE deleted_at IS NULL ORDER BY created_at, id LIMIT 1");

const USER: &str = concat!("SELECT ", user_columns!(), " FROM users WHERE id = ?1 AND deleted_at IS NULL");

macro_rules! space_columns {
    () => {
        "SELECT spaces.id, spaces.user, spaces.organization, spaces.app, spaces.name, "
    };
}

/// What a user was made a member of.
const MEMBERSHIPS: &str = concat!(
    space_columns!(),
    "members.role FROM members JOIN spaces ON spaces.id = members.space WHERE members.user = ?1"
);

/// What follows for a user of an organization, or of none.
const OF_MEMBER: &str = concat!(
    space_columns!(),
    "'reader' FROM spaces WHERE user IS NULL AND organization IS NULL AND app IS NULL UNION ALL ",
    space_columns!(),
    "'writer' FROM spaces WHERE organization = ?1 UNION ALL ",
    space_columns!(),
    "'reader' FROM apps JOIN spaces ON spaces.app = apps.id WHERE apps.organization IS NULL UNION ALL ",
    space_columns!(),
    "'writer' FROM apps JOIN spaces ON spaces.app = apps.id WHERE apps.organization = ?1"
);

/// What follows for an admin.
const OF_ADMIN: &str = concat!(space_columns!(), "'owner' FROM spaces WHERE user IS NULL");

/// Makes a user, its own space, and its first token.
pub(super) fn create_user(
    connection: &Connection,
    user: &User,
    space: &Space,
    token: &NewToken,
) -> Result<(), Failure> {
    connection.prepare_cached(INSERT_USER)?.execute(params![
        user.id.uuid().into_bytes(),
        user.name,
        user.email,
        names::of_rank(user.rank),
        user.organization.map(|organization| organization.uuid().into_bytes()),
        user.created_at.as_microsecond(),
    ])?;
    add_space(connection, space)?;
    let id = space.id.uuid().into_bytes();
    connection.prepare_cached(INSERT_MEMBER)?.execute([user.id.uuid().into_bytes(), id])?;
    tokens::add(connection, token)
}

/// Adds a space.
pub(super) fn add_space(connection: &Connection, space: &Space) -> Result<(), Failure> {
    let owner = OwnerColumns::from(space.owner);
    connection.prepare_cached(INSERT_SPACE)?.execute(params![
        space.id.uuid().into_bytes(),
        owner.user.map(Uuid::into_bytes),
        owner.organization.map(Uuid::into_bytes),
        owner.app.map(Uuid::into_bytes),
        space.name,
    ])?;
    Ok(())
}

/// Makes a user, if there is none; whether there was none.
pub(super) fn create_first_user(
    connection: &Connection,
    user: &User,
    space: &Space,
    token: &NewToken,
) -> Result<bool, Failure> {
    if first_user(connection)?.is_some() {
        return Ok(false);
    }
    create_user(connection, user, space, token).map(|()| true)
}

/// The users, oldest first.
pub(super) fn users(connection: &Connection) -> Result<Vec<User>, Failure> {
    let mut statement = connection.prepare_cached(USERS)?;
    statement.query_and_then([], |row| user_of(&mut Columns::of(row)))?.collect()
}

/// The oldest user.
pub(super) fn first_user(connection: &Connection) -> Result<Option<User>, Failure> {
    let mut statement = connection.prepare_cached(FIRST)?;
    statement.query_and_then([], |row| user_of(&mut Columns::of(row)))?.next().transpose()
}

/// One user.
pub(super) fn user(connection: &Connection, id: UserId) -> Result<Option<User>, Failure> {
    let mut statement = connection.prepare_cached(USER)?;
    statement.query_and_then([id.uuid().into_bytes()], |row| user_of(&mut Columns::of(row)))?.next().transpose()
}

/// The spaces of a user, its own first.
pub(super) fn memberships(connection: &Connection, user: &User) -> Result<Vec<Membership>, Failure> {
    let mut found = Vec::new();
    let mut read = |sql, keys: &[&dyn ToSql]| -> Result<(), Failure> {
        for membership in connection.prepare_cached(sql)?.query_and_then(keys, membership_of)? {
            found.push(membership?);
        }
        Ok(())
    };
    read(MEMBERSHIPS, &[&user.id.uuid().into_bytes()])?;
    match user.rank {
        Rank::Admin => read(OF_ADMIN, &[])?,
        Rank::Member => read(OF_MEMBER, &[&user.organization.map(|id| id.uuid().into_bytes())])?,
    }
    Ok(membership::merged(user.id, found))
}

/// The same, if there is such a user.
pub(super) fn memberships_of(connection: &Connection, id: UserId) -> Result<Vec<Membership>, Failure> {
    user(connection, id)?.map_or_else(|| Ok(Vec::new()), |user| memberships(connection, &user))
}

/// The user of the next columns.
pub(super) fn user_of(columns: &mut Columns<'_>) -> Result<User, Failure> {
    Ok(User {
        id: UserId::from_uuid(columns.uuid()?),
        name: columns.next()?,
        email: columns.next()?,
        rank: names::rank(columns.text()?)?,
        organization: columns.optional_uuid()?.map(OrganizationId::from_uuid),
        created_at: columns.time()?,
    })
}

fn membership_of(row: &Row<'_>) -> Result<Membership, Failure> {
    let mut columns = Columns::of(row);
    let id = SpaceId::from_uuid(columns.uuid()?);
    let owner = OwnerColumns {
        user: columns.optional_uuid()?,
        organization: columns.optional_uuid()?,
        app: columns.optional_uuid()?,
    };
    let space = Space { id, owner: owner.into(), name: columns.next()? };
    Ok(Membership { space, role: names::role(columns.text()?)? })
}
