//! The tables `users`, `spaces` and `members`: users, and the spaces that they are members of.

use interline_items::{Membership, NewToken, Rank, Space, StoreError, User, UserId};

use super::tokens;
use crate::codec::owner::OwnerColumns;
use crate::codec::{membership, names};
use crate::sql::{RowReader, Sql, Statement, query_first, statement, values};

const INSERT: Statement =
    statement!("INSERT INTO users (id, name, email, rank, organization, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)");

const INSERT_SPACE: Statement =
    statement!("INSERT INTO spaces (id, \"user\", organization, app, name) VALUES (?1, ?2, ?3, ?4, ?5)");

const INSERT_MEMBER: Statement = statement!("INSERT INTO members (\"user\", space, role) VALUES (?1, ?2, 'owner')");

/// The columns that [`from_row`] reads.
macro_rules! user_columns {
    () => {
        "users.id, users.name, users.email, users.rank, users.organization, users.created_at"
    };
}
pub(super) use user_columns;

// Ids are in the order of creation only as far as they were made here; times are what the contract says.
const ALL: Statement =
    statement!("SELECT ", user_columns!(), " FROM users WHERE deleted_at IS NULL ORDER BY created_at, id");

const FIRST: Statement =
    statement!("SELECT ", user_columns!(), " FROM users WHERE deleted_at IS NULL ORDER BY created_at, id LIMIT 1");

const ONE: Statement = statement!("SELECT ", user_columns!(), " FROM users WHERE id = ?1 AND deleted_at IS NULL");

macro_rules! space_columns {
    () => {
        "SELECT spaces.id, spaces.\"user\", spaces.organization, spaces.app, spaces.name, "
    };
}

/// Whether a space is not that of a deleted app: what is in such a space exists for nobody.
macro_rules! is_not_deleted {
    () => {
        "NOT EXISTS (SELECT 1 FROM apps WHERE apps.id = spaces.app AND apps.deleted_at IS NOT NULL)"
    };
}

/// The spaces that a user (?1) was made a member of.
macro_rules! memberships {
    () => {
        concat!(
            space_columns!(),
            "members.role FROM members JOIN spaces ON spaces.id = members.space WHERE members.\"user\" = ?1 AND ",
            is_not_deleted!(),
            " UNION ALL "
        )
    };
}

/// Those, and the spaces that every user of an organization (?2), or of none, is a member of.
const MEMBERSHIPS_OF_MEMBER: Statement = statement!(
    memberships!(),
    space_columns!(),
    "'reader' FROM spaces WHERE \"user\" IS NULL AND organization IS NULL AND app IS NULL UNION ALL ",
    space_columns!(),
    "'writer' FROM spaces WHERE organization = ?2 UNION ALL ",
    space_columns!(),
    "'reader' FROM apps JOIN spaces ON spaces.app = apps.id WHERE apps.organization IS NULL
     AND apps.deleted_at IS NULL UNION ALL ",
    space_columns!(),
    "'writer' FROM apps JOIN spaces ON spaces.app = apps.id WHERE apps.organization = ?2 AND apps.deleted_at IS NULL"
);

/// Those, and the spaces that every administrator is a member of.
const MEMBERSHIPS_OF_ADMIN: Statement =
    statement!(memberships!(), space_columns!(), "'owner' FROM spaces WHERE \"user\" IS NULL AND ", is_not_deleted!());

/// Makes a user, its own space, and its first token.
pub(crate) async fn create<S: Sql>(sql: &S, user: &User, space: &Space, token: &NewToken) -> Result<(), S::Failure> {
    let User { id, name, email, rank, organization, created_at } = user;
    sql.execute(INSERT, values![*id, name, email, names::rank_name(*rank), *organization, *created_at]).await?;
    add_space(sql, space).await?;
    sql.execute(INSERT_MEMBER, values![*id, space.id]).await?;
    tokens::add(sql, token).await
}

/// Makes a user as [`create`] does, if there is none; whether there was none. The caller sees to it that nobody makes
/// another one meanwhile.
pub(crate) async fn create_first<S: Sql>(
    sql: &S,
    user: &User,
    space: &Space,
    token: &NewToken,
) -> Result<bool, S::Failure> {
    if first(sql).await?.is_some() {
        return Ok(false);
    }
    create(sql, user, space, token).await?;
    Ok(true)
}

/// Adds a space.
pub(crate) async fn add_space<S: Sql>(sql: &S, space: &Space) -> Result<(), S::Failure> {
    let OwnerColumns { user, organization, app } = OwnerColumns::from(space.owner);
    sql.execute(INSERT_SPACE, values![space.id, user, organization, app, &space.name]).await?;
    Ok(())
}

/// The users, oldest first.
pub(crate) async fn all<S: Sql>(sql: &S) -> Result<Vec<User>, S::Failure> {
    sql.query(ALL, values![], from_row).await
}

/// The oldest user.
pub(crate) async fn first<S: Sql>(sql: &S) -> Result<Option<User>, S::Failure> {
    query_first(sql, FIRST, values![], from_row).await
}

/// One user.
pub(crate) async fn one<S: Sql>(sql: &S, id: UserId) -> Result<Option<User>, S::Failure> {
    query_first(sql, ONE, values![id], from_row).await
}

/// The spaces of the user with an id, its own first; none if there is no such user.
pub(crate) async fn memberships<S: Sql>(sql: &S, id: UserId) -> Result<Vec<Membership>, S::Failure> {
    match one(sql, id).await? {
        Some(user) => memberships_of(sql, &user).await,
        None => Ok(Vec::new()),
    }
}

/// The spaces of a user, its own first.
pub(super) async fn memberships_of<S: Sql>(sql: &S, user: &User) -> Result<Vec<Membership>, S::Failure> {
    let memberships = match user.rank {
        Rank::Admin => sql.query(MEMBERSHIPS_OF_ADMIN, values![user.id], membership_from_row).await?,
        Rank::Member => {
            sql.query(MEMBERSHIPS_OF_MEMBER, values![user.id, user.organization], membership_from_row).await?
        }
    };
    Ok(membership::merged(user.id, memberships))
}

/// The user of a row's next columns.
pub(super) fn from_row(row: &mut RowReader<'_>) -> Result<User, StoreError> {
    Ok(User {
        id: row.get()?,
        name: row.get()?,
        email: row.optional()?,
        rank: names::parse_rank(row.get()?)?,
        organization: row.optional()?,
        created_at: row.get()?,
    })
}

fn membership_from_row(row: &mut RowReader<'_>) -> Result<Membership, StoreError> {
    let id = row.get()?;
    let owner = OwnerColumns { user: row.optional()?, organization: row.optional()?, app: row.optional()? };
    let space = Space { id, owner: owner.into(), name: row.get()? };
    Ok(Membership { space, role: names::parse_role(row.get()?)? })
}
