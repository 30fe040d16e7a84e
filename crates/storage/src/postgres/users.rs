//! Users and the spaces that they are members of.

use async_trait::async_trait;
use deadpool_postgres::{Client, GenericClient, Transaction};
use interline_items::{Membership, NewToken, OrganizationId, Rank, Role, Space, SpaceId, User, UserId};
use tokio_postgres::Row;

use super::failure::Failure;
use super::rows::{decoded, maybe_id, time};
use super::tokens;
use super::work::{CommitProof, RetryableTransaction};
use crate::codec::owner::OwnerColumns;
use crate::codec::{membership, names};

const ADD: &str = "
    INSERT INTO users (id, name, email, rank, organization, created_at) VALUES ($1, $2, $3, $4, $5, $6)";
const ADD_SPACE: &str = "INSERT INTO spaces (id, \"user\", organization, app, name) VALUES ($1, $2, $3, $4, $5)";
const ADD_MEMBER: &str = "INSERT INTO members (\"user\", space, role) VALUES ($1, $2, $3)";

/// The columns that [`of_row`] reads.
macro_rules! user_columns {
    () => {
        "users.id AS user_id, users.name AS user_name, users.email, users.rank, users.organization,
         users.created_at AS user_created_at"
    };
}
pub(super) use user_columns;

const ALL: &str = concat!("SELECT ", user_columns!(), " FROM users WHERE deleted_at IS NULL ORDER BY created_at, id");
const FIRST: &str =
    concat!("SELECT ", user_columns!(), " FROM users WHERE deleted_at IS NULL ORDER BY created_at, id LIMIT 1");
const ONE: &str = concat!("SELECT ", user_columns!(), " FROM users WHERE id = $1 AND deleted_at IS NULL");

macro_rules! space_columns {
    () => {
        "SELECT spaces.id, spaces.\"user\", spaces.organization, spaces.app, spaces.name, "
    };
}

/// What a user ($1) was made a member of.
macro_rules! memberships {
    () => {
        concat!(
            space_columns!(),
            "members.role FROM members JOIN spaces ON spaces.id = members.space WHERE members.\"user\" = $1 UNION ALL "
        )
    };
}

/// That, and what follows for a user of an organization ($2), or of none.
const OF_MEMBER: &str = concat!(
    memberships!(),
    space_columns!(),
    "'reader' FROM spaces WHERE \"user\" IS NULL AND organization IS NULL AND app IS NULL UNION ALL ",
    space_columns!(),
    "'writer' FROM spaces WHERE organization = $2 UNION ALL ",
    space_columns!(),
    "'reader' FROM apps JOIN spaces ON spaces.app = apps.id WHERE apps.organization IS NULL UNION ALL ",
    space_columns!(),
    "'writer' FROM apps JOIN spaces ON spaces.app = apps.id WHERE apps.organization = $2"
);

/// That, and what follows for an admin.
const OF_ADMIN: &str = concat!(memberships!(), space_columns!(), "'owner' FROM spaces WHERE \"user\" IS NULL");

/// Held until the commit by who makes the first user or removes one: both depend on which others there are.
pub(super) const ONE_AT_A_TIME: &str = "SELECT pg_advisory_xact_lock(7449362052)";

/// A new user with its own space and first token.
pub(super) struct NewUser {
    pub(super) user: User,
    pub(super) space: Space,
    pub(super) token: NewToken,
}

/// The same, if there is no user yet.
pub(super) struct FirstUser(pub(super) NewUser);

#[async_trait]
impl RetryableTransaction for FirstUser {
    type Outcome = bool;

    async fn carry_out(&self, transaction: &Transaction<'_>) -> Result<(bool, CommitProof), Failure> {
        transaction.batch_execute(ONE_AT_A_TIME).await?;
        if first(transaction).await?.is_some() {
            return Ok((false, CommitProof::Nothing));
        }
        let ((), proof) = self.0.carry_out(transaction).await?;
        Ok((true, proof))
    }
}

#[async_trait]
impl RetryableTransaction for NewUser {
    type Outcome = ();

    async fn carry_out(&self, transaction: &Transaction<'_>) -> Result<((), CommitProof), Failure> {
        let NewUser { user, space, token } = self;
        let (id, organization) = (user.id.uuid(), user.organization.map(OrganizationId::uuid));
        let created_at = user.created_at.as_microsecond();
        transaction
            .execute(ADD, &[&id, &user.name, &user.email, &names::of_rank(user.rank), &organization, &created_at])
            .await?;
        add_space(transaction, space).await?;
        transaction.execute(ADD_MEMBER, &[&id, &space.id.uuid(), &names::of_role(Role::Owner)]).await?;
        tokens::add(transaction, token).await?;
        Ok(((), CommitProof::User(id)))
    }
}

/// Adds a space.
pub(super) async fn add_space(transaction: &Transaction<'_>, space: &Space) -> Result<(), Failure> {
    let owner = OwnerColumns::from(space.owner);
    let statement = transaction.prepare_cached(ADD_SPACE).await?;
    transaction
        .execute(&statement, &[&space.id.uuid(), &owner.user, &owner.organization, &owner.app, &space.name])
        .await?;
    Ok(())
}

pub(super) async fn all(client: &Client) -> Result<Vec<User>, Failure> {
    let statement = client.prepare_cached(ALL).await?;
    client.query(&statement, &[]).await?.iter().map(of_row).collect()
}

pub(super) async fn first(client: &impl GenericClient) -> Result<Option<User>, Failure> {
    let statement = client.prepare_cached(FIRST).await?;
    client.query_opt(&statement, &[]).await?.as_ref().map(of_row).transpose()
}

pub(super) async fn one(client: &impl GenericClient, id: UserId) -> Result<Option<User>, Failure> {
    let statement = client.prepare_cached(ONE).await?;
    client.query_opt(&statement, &[&id.uuid()]).await?.as_ref().map(of_row).transpose()
}

/// The spaces of a user, its own first.
pub(super) async fn memberships(client: &Client, user: &User) -> Result<Vec<Membership>, Failure> {
    let (id, organization) = (user.id.uuid(), user.organization.map(OrganizationId::uuid));
    let found = match user.rank {
        Rank::Admin => client.query(&client.prepare_cached(OF_ADMIN).await?, &[&id]).await?,
        Rank::Member => client.query(&client.prepare_cached(OF_MEMBER).await?, &[&id, &organization]).await?,
    };
    let found = found.iter().map(of_space).collect::<Result<_, Failure>>()?;
    Ok(membership::merged(user.id, found))
}

/// The same, if there is such a user.
pub(super) async fn memberships_of(client: &Client, id: UserId) -> Result<Vec<Membership>, Failure> {
    match one(client, id).await? {
        Some(user) => memberships(client, &user).await,
        None => Ok(Vec::new()),
    }
}

/// The user of a row.
pub(super) fn of_row(row: &Row) -> Result<User, Failure> {
    Ok(User {
        id: UserId::from_uuid(row.try_get("user_id")?),
        name: row.try_get("user_name")?,
        email: row.try_get("email")?,
        rank: decoded(row, "rank", names::rank)?,
        organization: maybe_id(row, "organization", OrganizationId::from_uuid)?,
        created_at: time(row, "user_created_at")?,
    })
}

fn of_space(row: &Row) -> Result<Membership, Failure> {
    let owner = OwnerColumns {
        user: row.try_get("user")?,
        organization: row.try_get("organization")?,
        app: row.try_get("app")?,
    };
    let space = Space { id: SpaceId::from_uuid(row.try_get("id")?), owner: owner.into(), name: row.try_get("name")? };
    Ok(Membership { space, role: decoded(row, "role", names::role)? })
}
