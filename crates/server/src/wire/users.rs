//! Users, tokens and spaces in responses.

use interline_items::{Author, Kind, Membership, Rank, Role, Scope, SpaceOwner, Token, User};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Time;
use super::enumerations::{ItemType, SpaceKind, SpaceRole, TokenScope, TokenWrites};

/// A user.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = User)]
pub(crate) struct UserResponse {
    /// Its identifier.
    id: Uuid,
    /// What it is called in histories.
    name: String,
    /// Where to reach it.
    email: Option<String>,
    /// Whether it may manage users.
    admin: bool,
    /// The organization that it belongs to.
    organization_id: Option<Uuid>,
    /// When it was made.
    created_at: Time,
}

impl From<&User> for UserResponse {
    fn from(user: &User) -> UserResponse {
        UserResponse {
            id: user.id.uuid(),
            name: user.name.clone(),
            email: user.email.clone(),
            admin: user.rank == Rank::Admin,
            organization_id: user.organization.map(interline_items::OrganizationId::uuid),
            created_at: Time(user.created_at),
        }
    }
}

/// The caller as a user.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Me {
    #[serde(flatten)]
    pub(crate) user: UserResponse,
    /// How many change sets of agents that the caller sees nobody has reviewed, some thousands at the most.
    #[schema(value_type = i64, minimum = 0)]
    pub(crate) unreviewed: u64,
}

/// A new user with its first token, which is shown once.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CreatedUser {
    #[serde(flatten)]
    pub(crate) user: UserResponse,
    /// The secret of its first token: it is not shown again.
    pub(crate) token: String,
}

/// All users.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct UserList {
    /// Oldest first.
    pub(crate) users: Vec<UserResponse>,
}

/// A token without its secret.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Token)]
pub(crate) struct TokenResponse {
    /// Its identifier.
    id: Uuid,
    /// What its user calls it.
    name: String,
    /// Whether agents use it: people review what is written with it, and there are things that it cannot do.
    agent: bool,
    /// What becomes of its writes.
    #[schema(value_type = TokenWrites)]
    writes: &'static str,
    /// What it allows.
    #[schema(value_type = Vec<TokenScope>)]
    scopes: Vec<&'static str>,
    /// The kinds that exist for it; null is all.
    #[schema(value_type = Option<Vec<ItemType>>)]
    kinds: Option<Vec<&'static str>>,
    /// The spaces that exist for it; null is all of its user's.
    spaces: Option<Vec<Uuid>>,
    /// The first characters of the secret.
    prefix: String,
    /// When it was made.
    created_at: Time,
    /// From when on it is refused.
    expires_at: Option<Time>,
    /// When it was last used, to the minute.
    last_used_at: Option<Time>,
}

impl From<&Token> for TokenResponse {
    fn from(token: &Token) -> TokenResponse {
        TokenResponse {
            id: token.id.uuid(),
            name: token.name.clone(),
            agent: token.author == Author::Agent,
            writes: token.writes.name(),
            scopes: token.scopes.iter().copied().map(Scope::name).collect(),
            kinds: token.kinds.as_ref().map(|kinds| kinds.iter().copied().map(Kind::name).collect()),
            spaces: token.spaces.as_ref().map(|spaces| spaces.iter().map(|space| space.uuid()).collect()),
            prefix: token.prefix.clone(),
            created_at: Time(token.created_at),
            expires_at: token.expires_at.map(Time),
            last_used_at: token.last_used_at.map(Time),
        }
    }
}

/// A new token with its secret, which is shown once.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CreatedToken {
    #[serde(flatten)]
    pub(crate) about: TokenResponse,
    /// The secret: it is not shown again.
    pub(crate) token: String,
}

/// The tokens of a user.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TokenList {
    /// Oldest first.
    pub(crate) tokens: Vec<TokenResponse>,
}

/// A space that exists for the caller.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Space)]
pub(crate) struct SpaceResponse {
    /// Its identifier.
    id: Uuid,
    /// Whose it is.
    #[schema(value_type = SpaceKind)]
    kind: &'static str,
    /// What it is called.
    name: String,
    /// What the caller may do there.
    #[schema(value_type = SpaceRole)]
    role: &'static str,
}

impl From<&Membership> for SpaceResponse {
    fn from(membership: &Membership) -> SpaceResponse {
        SpaceResponse {
            id: membership.space.id.uuid(),
            kind: space_kind(membership.space.owner),
            name: membership.space.name.clone(),
            role: role_name(membership.role),
        }
    }
}

/// What [`space_kind`] gives.
pub(super) const SPACE_KINDS: [&str; 4] = ["user", "organization", "app", "global"];

fn space_kind(owner: SpaceOwner) -> &'static str {
    match owner {
        SpaceOwner::User(_) => "user",
        SpaceOwner::Organization(_) => "organization",
        SpaceOwner::App(_) => "app",
        SpaceOwner::Global => "global",
    }
}

/// Every role.
pub(super) const ROLES: [Role; 3] = [Role::Reader, Role::Writer, Role::Owner];

pub(super) fn role_name(role: Role) -> &'static str {
    match role {
        Role::Reader => "reader",
        Role::Writer => "writer",
        Role::Owner => "owner",
    }
}

/// The spaces of the caller.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SpaceList {
    /// The caller's own first.
    pub(crate) spaces: Vec<SpaceResponse>,
}
