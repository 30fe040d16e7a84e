//! Tokens, and what their secrets stand for.

use deadpool_postgres::{Client, GenericClient};
use interline_items::{Credentials, NewToken, SecretHash, StoreError, Token, TokenId, UserId};
use jiff::Timestamp;
use tokio_postgres::Row;

use super::failure::Failure;
use super::rows::{decoded, maybe_time, micros, time};
use super::users::{self, user_columns};
use crate::codec::json;

const ADD: &str = "
    INSERT INTO tokens (
        id, \"user\", name, secret, scopes, kinds, spaces, prefix, created_at, expires_at, last_used_at
    ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

/// The columns that [`of_row`] reads.
macro_rules! token_columns {
    () => {
        "tokens.id, tokens.\"user\", tokens.name, tokens.scopes, tokens.kinds, tokens.spaces, tokens.prefix,
         tokens.created_at, tokens.expires_at, tokens.last_used_at"
    };
}

/// One without a secret is only a name in histories.
const OF_USER: &str = concat!(
    "SELECT ",
    token_columns!(),
    " FROM tokens
      WHERE \"user\" = $1 AND secret IS NOT NULL
      ORDER BY created_at, id"
);

const BY_SECRET: &str = concat!(
    "SELECT ",
    token_columns!(),
    ", ",
    user_columns!(),
    " FROM tokens JOIN users ON users.id = tokens.\"user\"
      WHERE tokens.secret = $1 AND users.deleted_at IS NULL"
);

const REMOVE: &str = "UPDATE tokens SET secret = NULL WHERE \"user\" = $1 AND id = $2 AND secret IS NOT NULL";

/// An older use does not hide a newer one.
const MARK_USED: &str = "
    UPDATE tokens SET last_used_at = $2
    WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)";

pub(super) async fn add(client: &impl GenericClient, new: &NewToken) -> Result<(), Failure> {
    let NewToken { token, secret } = new;
    let statement = client.prepare_cached(ADD).await?;
    client
        .execute(
            &statement,
            &[
                &token.id.uuid(),
                &token.user.uuid(),
                &token.name,
                &secret.0.as_slice(),
                &json::of_scopes(&token.scopes),
                &token.kinds.as_ref().map(json::of_kinds),
                &token.spaces.as_ref().map(json::of_spaces),
                &token.prefix,
                &token.created_at.as_microsecond(),
                &micros(token.expires_at),
                &micros(token.last_used_at),
            ],
        )
        .await?;
    Ok(())
}

pub(super) async fn of_user(client: &Client, user: UserId) -> Result<Vec<Token>, Failure> {
    let statement = client.prepare_cached(OF_USER).await?;
    client.query(&statement, &[&user.uuid()]).await?.iter().map(of_row).collect()
}

pub(super) async fn credentials(client: &Client, secret: SecretHash) -> Result<Option<Credentials>, Failure> {
    let statement = client.prepare_cached(BY_SECRET).await?;
    let Some(row) = client.query_opt(&statement, &[&secret.0.as_slice()]).await? else { return Ok(None) };
    let (token, user) = (of_row(&row)?, users::of_row(&row)?);
    let memberships = users::memberships(client, &user).await?;
    Ok(Some(Credentials { token, user, memberships }))
}

/// Whether there was such a token.
pub(super) async fn remove(client: &Client, user: UserId, id: TokenId) -> Result<bool, Failure> {
    let statement = client.prepare_cached(REMOVE).await?;
    Ok(client.execute(&statement, &[&user.uuid(), &id.uuid()]).await? > 0)
}

pub(super) async fn mark_used(client: &Client, id: TokenId, at: Timestamp) -> Result<(), Failure> {
    let statement = client.prepare_cached(MARK_USED).await?;
    client.execute(&statement, &[&id.uuid(), &at.as_microsecond()]).await?;
    Ok(())
}

fn of_row(row: &Row) -> Result<Token, Failure> {
    let kinds: Option<&str> = row.try_get("kinds")?;
    let spaces: Option<&str> = row.try_get("spaces")?;
    Ok(Token {
        id: TokenId::from_uuid(row.try_get("id")?),
        user: UserId::from_uuid(row.try_get("user")?),
        name: row.try_get("name")?,
        scopes: decoded(row, "scopes", json::scopes)?,
        kinds: kinds.map(json::kinds).transpose().map_err(StoreError::from)?,
        spaces: spaces.map(json::spaces).transpose().map_err(StoreError::from)?,
        prefix: row.try_get("prefix")?,
        created_at: time(row, "created_at")?,
        expires_at: maybe_time(row, "expires_at")?,
        last_used_at: maybe_time(row, "last_used_at")?,
    })
}
