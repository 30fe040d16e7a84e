//! Users, tokens and scopes; spaces, memberships and roles.

use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::{AppId, Author, Kind, OrganizationId, SpaceId, TokenId, UserId, Writes};

/// A person, or a program that acts as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Its identifier.
    pub id: UserId,
    /// Its name, which histories show.
    pub name: String,
    /// Its e-mail address.
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

/// What removing a user does with the items in its own space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemoveUser {
    /// The user is removed only if there are none, in whatever state.
    IfEmpty,
    /// They are removed with their histories.
    Purge,
}

/// The result of removing a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserRemoval {
    /// It was removed, with so many items.
    Removed(u64),
    /// There is no such user.
    Unknown,
    /// It was not removed: its own space has so many items.
    HasItems(u64),
    /// It was not removed: there is no other admin.
    LastAdmin,
}

/// A space that items live in. Access, uniqueness of names and the numbers of events are per space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Space {
    /// Its identifier.
    pub id: SpaceId,
    /// Its owner.
    pub owner: SpaceOwner,
    /// Its name.
    pub name: String,
}

/// The owner of a space. Each owner has one space at the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpaceOwner {
    /// One user.
    User(UserId),
    /// An organization.
    Organization(OrganizationId),
    /// An app.
    App(AppId),
    /// None: the space of all users.
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
    /// Deciding about changes of agents: keeping them, accepting and rejecting proposals.
    Review,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Scope; 4] = [Scope::Read, Scope::Write, Scope::Admin, Scope::Review];

    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Scope::Read => "read",
            Scope::Write => "write",
            Scope::Admin => "admin",
            Scope::Review => "review",
        }
    }

    /// The scope of that stable name.
    pub fn from_name(name: &str) -> Option<Scope> {
        Scope::ALL.into_iter().find(|scope| scope.name() == name)
    }
}

/// A token, by which a program acts as a user. Its secret was shown once; only the hash of that is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its identifier.
    pub id: TokenId,
    /// The user that it authenticates.
    pub user: UserId,
    /// Its name.
    pub name: String,
    /// Whether agents use it. What they make with it is reviewed, and some things they cannot do.
    pub author: Author,
    /// Whether its writes are applied, or kept as proposals.
    pub writes: Writes,
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

/// The credentials of a token's secret: the token, its user and the user's spaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credentials {
    /// The token.
    pub token: Token,
    /// Its user.
    pub user: User,
    /// The user's spaces.
    pub memberships: Vec<Membership>,
}

/// What exists for somebody: the items of some kinds in some spaces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Visibility {
    spaces: BTreeSet<SpaceId>,
    kinds: BTreeSet<Kind>,
}

impl Visibility {
    /// The items of these kinds in these spaces.
    pub fn new(spaces: BTreeSet<SpaceId>, kinds: BTreeSet<Kind>) -> Visibility {
        Visibility { spaces, kinds }
    }

    /// The spaces.
    pub fn spaces(&self) -> &BTreeSet<SpaceId> {
        &self.spaces
    }

    /// The kinds.
    pub fn kinds(&self) -> &BTreeSet<Kind> {
        &self.kinds
    }

    /// Whether items of a kind in a space are among them.
    pub fn includes(&self, kind: Kind, space: SpaceId) -> bool {
        self.kinds.contains(&kind) && self.spaces.contains(&space)
    }
}
