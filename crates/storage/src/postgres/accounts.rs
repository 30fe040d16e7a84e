//! Transactions that make users and organizations; which of many tokens exist.

use std::collections::BTreeSet;

use async_trait::async_trait;
use deadpool_postgres::{Client, Transaction};
use interline_items::{NewToken, Organization, Space, TokenId, User};
use uuid::Uuid;

use super::failure::Failure;
use super::write::transaction_retry::{CommitProof, RetryableTransaction};
use crate::tables::{organizations, users};

/// Held until the commit by a transaction that makes the first user or removes one: both depend on which other users there
/// are.
pub(super) const ONE_AT_A_TIME: &str = "SELECT pg_advisory_xact_lock(7449362052)";

/// Makes a user with its own space and first token.
pub(super) struct CreateUser {
    pub(super) user: User,
    pub(super) space: Space,
    pub(super) token: NewToken,
}

/// The same, if there is no user yet; whether there was none.
pub(super) struct CreateFirstUser(pub(super) CreateUser);

/// Makes an organization with its space.
pub(super) struct CreateOrganization {
    pub(super) organization: Organization,
    pub(super) space: Space,
}

#[async_trait]
impl RetryableTransaction for CreateUser {
    type Outcome = ();

    async fn run(&self, transaction: &Transaction<'_>) -> Result<((), CommitProof), Failure> {
        users::create(transaction, &self.user, &self.space, &self.token).await?;
        Ok(((), CommitProof::User(self.user.id.uuid())))
    }
}

#[async_trait]
impl RetryableTransaction for CreateFirstUser {
    type Outcome = bool;

    async fn run(&self, transaction: &Transaction<'_>) -> Result<(bool, CommitProof), Failure> {
        let CreateUser { user, space, token } = &self.0;
        transaction.batch_execute(ONE_AT_A_TIME).await?;
        let is_first = users::create_first(transaction, user, space, token).await?;
        Ok((is_first, if is_first { CommitProof::User(user.id.uuid()) } else { CommitProof::Nothing }))
    }
}

#[async_trait]
impl RetryableTransaction for CreateOrganization {
    type Outcome = ();

    async fn run(&self, transaction: &Transaction<'_>) -> Result<((), CommitProof), Failure> {
        organizations::create(transaction, &self.organization, &self.space).await?;
        Ok(((), CommitProof::Organization(self.organization.id.uuid())))
    }
}

const EXISTING_TOKENS: &str = "SELECT id FROM tokens WHERE id = ANY ($1) AND secret IS NOT NULL";

/// Those of the tokens that authenticate a user.
pub(super) async fn existing_tokens(client: &Client, ids: &BTreeSet<TokenId>) -> Result<BTreeSet<TokenId>, Failure> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.uuid()).collect();
    let statement = client.prepare_cached(EXISTING_TOKENS).await?;
    let rows = client.query(&statement, &[&ids]).await?;
    rows.iter().map(|row| Ok(TokenId::from_uuid(row.try_get(0)?))).collect()
}
