//! The table `tokens`: access tokens, and the credentials that a token's secret stands for.

use interline_items::{Credentials, NewToken, SecretHash, StoreError, Token, TokenId, User, UserId};
use jiff::Timestamp;

use super::users::{self, user_columns};
use crate::codec::{json, names};
use crate::sql::{RowReader, Sql, Statement, column, query_first, statement, values};

const INSERT: Statement = statement!(
    "INSERT INTO tokens (
         id, \"user\", name, secret, scopes, kinds, spaces, prefix, created_at, expires_at, last_used_at, author, writes
     ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)"
);

/// The columns that [`from_row`] reads.
macro_rules! token_columns {
    () => {
        "tokens.id, tokens.\"user\", tokens.name, tokens.scopes, tokens.kinds, tokens.spaces, tokens.prefix,
         tokens.created_at, tokens.expires_at, tokens.last_used_at, tokens.author, tokens.writes"
    };
}

/// A token without a secret is only a name in histories.
const OF_USER: Statement = statement!(
    "SELECT ",
    token_columns!(),
    " FROM tokens WHERE \"user\" = ?1 AND secret IS NOT NULL ORDER BY created_at, id"
);

const BY_SECRET: Statement = statement!(
    "SELECT ",
    token_columns!(),
    ", ",
    user_columns!(),
    " FROM tokens JOIN users ON users.id = tokens.\"user\"
      WHERE tokens.secret = ?1 AND users.deleted_at IS NULL"
);

/// A token that was removed keeps its row for histories, without its secret.
const BY_ID: Statement = statement!(
    "SELECT ",
    token_columns!(),
    ", ",
    user_columns!(),
    " FROM tokens JOIN users ON users.id = tokens.\"user\"
      WHERE tokens.id = ?1 AND tokens.secret IS NOT NULL AND users.deleted_at IS NULL"
);

const SECRETS: Statement = statement!("SELECT secret FROM tokens WHERE secret IS NOT NULL");

/// The secret goes with the user too.
const EXISTS: Statement = statement!("SELECT id FROM tokens WHERE id = ?1 AND secret IS NOT NULL");

const RENAME: Statement = statement!(
    "UPDATE tokens SET name = ?3 WHERE id = ?1 AND \"user\" = ?2 AND secret IS NOT NULL RETURNING ",
    token_columns!()
);

const REMOVE: Statement =
    statement!("UPDATE tokens SET secret = NULL WHERE id = ?1 AND \"user\" = ?2 AND secret IS NOT NULL");

/// An older use does not hide a newer one.
const MARK_USED: Statement =
    statement!("UPDATE tokens SET last_used_at = ?2 WHERE id = ?1 AND (last_used_at IS NULL OR last_used_at < ?2)");

/// Adds a token.
pub(crate) async fn add<S: Sql>(sql: &S, new: &NewToken) -> Result<(), S::Failure> {
    let NewToken { token, secret } = new;
    let values = values![
        token.id,
        token.user,
        &token.name,
        &secret.0,
        json::encode_scopes(&token.scopes),
        token.kinds.as_ref().map(json::encode_kinds),
        token.spaces.as_ref().map(json::encode_spaces),
        &token.prefix,
        token.created_at,
        token.expires_at,
        token.last_used_at,
        names::stored_author(token.author),
        names::stored_writes(token.writes),
    ];
    sql.execute(INSERT, values).await?;
    Ok(())
}

/// The token with a secret, its user, and what the user is a member of. Two statements: the caller sees to it that they
/// see one state where that matters.
pub(crate) async fn credentials<S: Sql>(sql: &S, secret: SecretHash) -> Result<Option<Credentials>, S::Failure> {
    let found = query_first(sql, BY_SECRET, values![&secret.0], with_user).await?;
    with_memberships(sql, found).await
}

/// The same of a token that is named by its id.
pub(crate) async fn credentials_by_id<S: Sql>(sql: &S, id: TokenId) -> Result<Option<Credentials>, S::Failure> {
    let found = query_first(sql, BY_ID, values![id], with_user).await?;
    with_memberships(sql, found).await
}

fn with_user(row: &mut RowReader<'_>) -> Result<(Token, User), StoreError> {
    Ok((from_row(row)?, users::from_row(row)?))
}

async fn with_memberships<S: Sql>(sql: &S, found: Option<(Token, User)>) -> Result<Option<Credentials>, S::Failure> {
    let Some((token, user)) = found else { return Ok(None) };
    let memberships = users::memberships_of(sql, &user).await?;
    Ok(Some(Credentials { token, user, memberships }))
}

/// The secrets of all tokens.
pub(crate) async fn secrets<S: Sql>(sql: &S) -> Result<Vec<SecretHash>, S::Failure> {
    sql.query(SECRETS, values![], |row| row.get().map(SecretHash)).await
}

/// Whether a token authenticates a user.
pub(crate) async fn exists<S: Sql>(sql: &S, id: TokenId) -> Result<bool, S::Failure> {
    Ok(query_first(sql, EXISTS, values![id], column::<TokenId>).await?.is_some())
}

/// The tokens of a user, oldest first.
pub(crate) async fn for_user<S: Sql>(sql: &S, user: UserId) -> Result<Vec<Token>, S::Failure> {
    sql.query(OF_USER, values![user], from_row).await
}

/// Gives a token of a user another name.
pub(crate) async fn rename<S: Sql>(
    sql: &S,
    user: UserId,
    id: TokenId,
    name: &str,
) -> Result<Option<Token>, S::Failure> {
    query_first(sql, RENAME, values![id, user, name], from_row).await
}

/// Removes a token of a user; whether there was one.
pub(crate) async fn remove<S: Sql>(sql: &S, user: UserId, id: TokenId) -> Result<bool, S::Failure> {
    Ok(sql.execute(REMOVE, values![id, user]).await? > 0)
}

/// Remembers when a token was used, unless a later use is remembered.
pub(crate) async fn mark_used<S: Sql>(sql: &S, id: TokenId, at: Timestamp) -> Result<(), S::Failure> {
    sql.execute(MARK_USED, values![id, at]).await?;
    Ok(())
}

fn from_row(row: &mut RowReader<'_>) -> Result<Token, StoreError> {
    Ok(Token {
        id: row.get()?,
        user: row.get()?,
        name: row.get()?,
        scopes: json::decode_scopes(row.get()?)?,
        kinds: row.optional()?.map(json::decode_kinds).transpose()?,
        spaces: row.optional()?.map(json::decode_spaces).transpose()?,
        prefix: row.get()?,
        created_at: row.get()?,
        expires_at: row.optional()?,
        last_used_at: row.optional()?,
        author: names::parse_author(row.optional()?)?,
        writes: names::parse_writes(row.optional()?)?,
    })
}
