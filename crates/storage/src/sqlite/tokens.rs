//! Tokens, and what their secrets stand for.

use interline_items::{Credentials, NewToken, SecretHash, Token, TokenId, User, UserId};
use jiff::Timestamp;
use rusqlite::{Connection, params};

use super::failure::Failure;
use super::rows::Columns;
use super::users::{memberships, user_columns, user_of};
use crate::codec::json;

const INSERT: &str = "
    INSERT INTO tokens (
        id, user, name, secret, scopes, kinds, spaces, prefix, created_at, expires_at, last_used_at
    ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";

macro_rules! token_columns {
    () => {
        "tokens.id, tokens.user, tokens.name, tokens.scopes, tokens.kinds, tokens.spaces, tokens.prefix,
         tokens.created_at, tokens.expires_at, tokens.last_used_at"
    };
}

// One without a secret is only a name in histories.
const OF_USER: &str = concat!(
    "SELECT ",
    token_columns!(),
    " FROM tokens
     WHERE user = ?1 AND secret IS NOT NULL
     ORDER BY created_at, id"
);

const BY_SECRET: &str = concat!(
    "SELECT ",
    token_columns!(),
    ", ",
    user_columns!(),
    " FROM tokens JOIN users ON users.id = tokens.user WHERE tokens.secret = ?1 AND users.deleted_at IS NULL"
);

const REMOVE: &str = "UPDATE tokens SET secret = NULL WHERE id = ?1 AND user = ?2 AND secret IS NOT NULL";

const MARK_USED: &str = "
    UPDATE tokens SET last_used_at = ?2 WHERE id = ?1 AND (last_used_at IS NULL OR last_used_at < ?2)";

/// Adds a token.
pub(super) fn add(connection: &Connection, new: &NewToken) -> Result<(), Failure> {
    let token = &new.token;
    connection.prepare_cached(INSERT)?.execute(params![
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

/// What a secret stands for.
pub(super) fn credentials(connection: &Connection, secret: SecretHash) -> Result<Option<Credentials>, Failure> {
    let mut statement = connection.prepare_cached(BY_SECRET)?;
    let found = statement
        .query_and_then([secret.0], |row| -> Result<(Token, User), Failure> {
            let mut columns = Columns::of(row);
            Ok((token_of(&mut columns)?, user_of(&mut columns)?))
        })?
        .next()
        .transpose()?;
    let Some((token, user)) = found else { return Ok(None) };
    let memberships = memberships(connection, &user)?;
    Ok(Some(Credentials { token, user, memberships }))
}

/// The tokens of a user, oldest first.
pub(super) fn of_user(connection: &Connection, user: UserId) -> Result<Vec<Token>, Failure> {
    let mut statement = connection.prepare_cached(OF_USER)?;
    statement.query_and_then([user.uuid().into_bytes()], |row| token_of(&mut Columns::of(row)))?.collect()
}

/// Removes a token of a user; whether there was one.
pub(super) fn remove(connection: &Connection, user: UserId, id: TokenId) -> Result<bool, Failure> {
    let keys = [id.uuid().into_bytes(), user.uuid().into_bytes()];
    Ok(connection.prepare_cached(REMOVE)?.execute(keys)? > 0)
}

/// Remembers a use, unless a later one is known.
pub(super) fn mark_used(connection: &Connection, id: TokenId, at: Timestamp) -> Result<(), Failure> {
    connection.prepare_cached(MARK_USED)?.execute(params![id.uuid().into_bytes(), at.as_microsecond()])?;
    Ok(())
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
