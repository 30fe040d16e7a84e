//! Users, their spaces and their tokens.

use interline_items::{
    Credentials, Membership, NewToken, OrganizationId, SecretHash, Space, SpaceId, SpaceOwner, Token, TokenId, User,
    UserId,
};
use jiff::Timestamp;
use rusqlite::{Connection, Row, params};

use super::failure::Failure;
use super::rows::Columns;
use crate::codec::{json, names};

const INSERT_USER: &str = "
    INSERT INTO users (id, name, email, rank, organization, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";

const INSERT_SPACE: &str = "INSERT INTO spaces (id, user, organization, name) VALUES (?1, ?2, ?3, ?4)";

const INSERT_MEMBER: &str = "INSERT INTO members (user, space, role) VALUES (?1, ?2, 'owner')";

const INSERT_TOKEN: &str = "
    INSERT INTO tokens (
        id, user, name, secret, scopes, kinds, spaces, prefix, created_at, expires_at, last_used_at
    ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";

macro_rules! user_columns {
    () => {
        "users.id, users.name, users.email, users.rank, users.organization, users.created_at"
    };
}

macro_rules! token_columns {
    () => {
        "tokens.id, tokens.user, tokens.name, tokens.scopes, tokens.kinds, tokens.spaces, tokens.prefix,
         tokens.created_at, tokens.expires_at, tokens.last_used_at"
    };
}

// Ids are in the order of creation only as far as they were made here; times are what the contract says.
const USERS: &str = concat!("SELECT ", user_columns!(), " FROM users ORDER BY created_at, id");

const USER: &str = concat!("SELECT ", user_columns!(), " FROM users WHERE id = ?1");

const MEMBERSHIPS: &str = "
    SELECT spaces.id, spaces.user, spaces.organization, spaces.name, members.role
    FROM members JOIN spaces ON spaces.id = members.space
    WHERE members.user = ?1
    ORDER BY spaces.user IS NOT members.user, spaces.id";

const TOKENS: &str = concat!("SELECT ", token_columns!(), " FROM tokens WHERE user = ?1 ORDER BY created_at, id");

const CREDENTIALS: &str = concat!(
    "SELECT ",
    token_columns!(),
    ", ",
    user_columns!(),
    " FROM tokens JOIN users ON users.id = tokens.user WHERE tokens.secret = ?1"
);

const DELETE_TOKEN: &str = "DELETE FROM tokens WHERE id = ?1 AND user = ?2";

const MARK_TOKEN_USED: &str = "
    UPDATE tokens SET last_used_at = ?2 WHERE id = ?1 AND (last_used_at IS NULL OR last_used_at < ?2)";

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
    let (owner, organization) = match space.owner {
        SpaceOwner::User(owner) => (Some(owner.uuid().into_bytes()), None),
        SpaceOwner::Organization(organization) => (None, Some(organization.uuid().into_bytes())),
        SpaceOwner::Global => (None, None),
    };
    let id = space.id.uuid().into_bytes();
    connection.prepare_cached(INSERT_SPACE)?.execute(params![id, owner, organization, space.name])?;
    connection.prepare_cached(INSERT_MEMBER)?.execute([user.id.uuid().into_bytes(), id])?;
    create_token(connection, token)
}

/// Adds a token.
pub(super) fn create_token(connection: &Connection, new: &NewToken) -> Result<(), Failure> {
    let token = &new.token;
    connection.prepare_cached(INSERT_TOKEN)?.execute(params![
        token.id.uuid().into_bytes(),
        token.user.uuid().into_bytes(),
        token.name,
        new.secret.0,
        json::of_scopes(&token.scopes),
        token.kinds.as_ref().map(json::of_kinds),
        token.spaces.as_ref().map(json::of_spaces),
        token.prefix,
        token.created_at.as_microsecond(),
        token.expires_at.map(Timestamp::as_microsecond),
        token.last_used_at.map(Timestamp::as_microsecond),
    ])?;
    Ok(())
}

/// The users, oldest first.
pub(super) fn users(connection: &Connection) -> Result<Vec<User>, Failure> {
    let mut statement = connection.prepare_cached(USERS)?;
    statement.query_and_then([], |row| user_of(&mut Columns::of(row)))?.collect()
}

/// One user.
pub(super) fn user(connection: &Connection, id: UserId) -> Result<Option<User>, Failure> {
    let mut statement = connection.prepare_cached(USER)?;
    statement.query_and_then([id.uuid().into_bytes()], |row| user_of(&mut Columns::of(row)))?.next().transpose()
}

/// The spaces of a user, its own first.
pub(super) fn memberships(connection: &Connection, user: UserId) -> Result<Vec<Membership>, Failure> {
    let mut statement = connection.prepare_cached(MEMBERSHIPS)?;
    statement.query_and_then([user.uuid().into_bytes()], membership_of)?.collect()
}

/// What a secret stands for.
pub(super) fn credentials(connection: &Connection, secret: SecretHash) -> Result<Option<Credentials>, Failure> {
    let mut statement = connection.prepare_cached(CREDENTIALS)?;
    let found = statement
        .query_and_then([secret.0], |row| -> Result<(Token, User), Failure> {
            let mut columns = Columns::of(row);
            Ok((token_of(&mut columns)?, user_of(&mut columns)?))
        })?
        .next()
        .transpose()?;
    let Some((token, user)) = found else { return Ok(None) };
    let memberships = memberships(connection, user.id)?;
    Ok(Some(Credentials { token, user, memberships }))
}

/// The tokens of a user, oldest first.
pub(super) fn tokens(connection: &Connection, user: UserId) -> Result<Vec<Token>, Failure> {
    let mut statement = connection.prepare_cached(TOKENS)?;
    statement.query_and_then([user.uuid().into_bytes()], |row| token_of(&mut Columns::of(row)))?.collect()
}

/// Removes a token of a user; whether there was one.
pub(super) fn delete_token(connection: &Connection, user: UserId, id: TokenId) -> Result<bool, Failure> {
    let keys = [id.uuid().into_bytes(), user.uuid().into_bytes()];
    Ok(connection.prepare_cached(DELETE_TOKEN)?.execute(keys)? > 0)
}

/// Remembers a use, unless a later one is known.
pub(super) fn mark_token_used(connection: &Connection, id: TokenId, at: Timestamp) -> Result<(), Failure> {
    connection.prepare_cached(MARK_TOKEN_USED)?.execute(params![id.uuid().into_bytes(), at.as_microsecond()])?;
    Ok(())
}

fn user_of(columns: &mut Columns<'_>) -> Result<User, Failure> {
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
    let owner = match (columns.optional_uuid()?, columns.optional_uuid()?) {
        (Some(user), _) => SpaceOwner::User(UserId::from_uuid(user)),
        (None, Some(organization)) => SpaceOwner::Organization(OrganizationId::from_uuid(organization)),
        (None, None) => SpaceOwner::Global,
    };
    let space = Space { id, owner, name: columns.next()? };
    Ok(Membership { space, role: names::role(columns.text()?)? })
}

fn token_of(columns: &mut Columns<'_>) -> Result<Token, Failure> {
    Ok(Token {
        id: TokenId::from_uuid(columns.uuid()?),
        user: UserId::from_uuid(columns.uuid()?),
        name: columns.next()?,
        scopes: json::scopes(columns.text()?)?,
        kinds: columns.optional_text()?.map(json::kinds).transpose()?,
        spaces: columns.optional_text()?.map(json::spaces).transpose()?,
        prefix: columns.next()?,
        created_at: columns.time()?,
        expires_at: columns.optional_time()?,
        last_used_at: columns.optional_time()?,
    })
}
