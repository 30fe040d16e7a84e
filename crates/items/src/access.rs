//! Who may do what: users, their tokens, and the spaces that items live in.

use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::{AppId, Kind, OrganizationId, SpaceId, TokenId, UserId};

/// A person, or a program that acts as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Its identifier.
    pub id: UserId,
    /// What it is called in histories.
    pub name: String,
    /// Where to reach it.
    pub email: Option<String>,
    /// What it may do beyond its own spaces.
    pub rank: Rank,
    /// The organization that it belongs to.
    pub organization: Option<OrganizationId>,
    /// When it was made.
    pub created_at: Timestamp,
}

/// What a user may do beyond its own spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rank {
    /// Nothing.
    Member,
    /// Everything.
    Admin,
}

/// What becomes of the items in the own space of a user that is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemoveUser {
    /// There must be none, in whatever state.
    IfEmpty,
    /// They go with their histories.
    Purge,
}

/// What became of a user that was to be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserRemoval {
    /// It is gone, with so many items.
    Removed(u64),
    /// It stays: there is no such user.
    Unknown,
    /// It stays: its own space has so many items.
    HasItems(u64),
    /// It stays: nobody else is an admin.
    LastAdmin,
}

/// A place that items live in. Access, uniqueness of names and the numbers of events are per space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Space {
    /// Its identifier.
    pub id: SpaceId,
    /// Whose it is.
    pub owner: SpaceOwner,
    /// What it is called.
    pub name: String,
}

/// Whose a space is. Each owner has one space at the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpaceOwner {
    /// One user's own.
    User(UserId),
    /// An organization's.
    Organization(OrganizationId),
    /// An app's.
    App(AppId),
    /// Everybody's.
    Global,
}

/// What a member may do in a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Read.
    Reader,
    /// Read and write.
    Writer,
    /// Read, write, and manage members.
    Owner,
}

/// A space that a user is a member of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Membership {
    /// The space.
    pub space: Space,
    /// What the user may do there.
    pub role: Role,
}

/// What a token allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Reading.
    Read,
    /// Writing.
    Write,
    /// Administration, if the user is an admin.
    Admin,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Scope; 3] = [Scope::Read, Scope::Write, Scope::Admin];

    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Scope::Read => "read",
            Scope::Write => "write",
            Scope::Admin => "admin",
        }
    }

    /// The scope of that stable name.
    pub fn from_name(name: &str) -> Option<Scope> {
        Scope::ALL.into_iter().find(|scope| scope.name() == name)
    }
}

/// A way in for a program: what is kept of a secret that was shown once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its identifier.
    pub id: TokenId,
    /// Whose it is.
    pub user: UserId,
    /// What its user calls it.
    pub name: String,
    /// What it allows.
    pub scopes: BTreeSet<Scope>,
    /// The kinds that exist for it; `None` is all.
    pub kinds: Option<BTreeSet<Kind>>,
    /// The spaces that exist for it; `None` is all of its user's.
    pub spaces: Option<BTreeSet<SpaceId>>,
    /// The first characters of the secret, to tell tokens apart.
    pub prefix: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// From when on it is refused.
    pub expires_at: Option<Timestamp>,
    /// When it was last used, to the minute.
    pub last_used_at: Option<Timestamp>,
}

/// The SHA-256 hash of a token's secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SecretHash(pub [u8; 32]);

/// What a token's secret stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credentials {
    /// The token.
    pub token: Token,
    /// Its user.
    pub user: User,
    /// The user's spaces.
    pub memberships: Vec<Membership>,
}
