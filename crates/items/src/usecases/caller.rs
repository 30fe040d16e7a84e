//! Who calls, and what exists for them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use crate::{
    Credentials, Error, Item, Kind, Membership, OrganizationId, Rank, Record, Refusal, Role, Scope, SecretHash, Source,
    SpaceId, SpaceOwner, Token, TokenId, User, UserId,
};

use super::Interline;
use super::once::Once;

/// A user who came in through a door, with what their token allows.
///
/// What lies outside of its kinds and spaces does not exist for a caller.
#[derive(Clone, Debug)]
pub struct Caller {
    who: Arc<Who>,
    source: Source,
    /// The write that it carries out and that is to be remembered.
    once: Option<Arc<Once>>,
}

/// A user with what their token allows. It is found out once for many requests.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Who {
    user: UserId,
    rank: Rank,
    organization: Option<OrganizationId>,
    token: Option<Token>,
    scopes: BTreeSet<Scope>,
    kinds: BTreeSet<Kind>,
    memberships: Vec<Membership>,
    /// Where in `memberships` a space is.
    by_space: BTreeMap<SpaceId, usize>,
}

impl Who {
    /// Whoever credentials stand for.
    pub(super) fn of(credentials: Credentials) -> Who {
        let Credentials { token, user, mut memberships } = credentials;
        if let Some(spaces) = &token.spaces {
            memberships.retain(|membership| spaces.contains(&membership.space.id));
        }
        let scopes = token.scopes.clone();
        let kinds = token.kinds.clone().unwrap_or_else(|| Kind::ALL.into());
        Who { scopes, kinds, token: Some(token), ..Who::whole(&user, memberships) }
    }

    /// A user with all that they have.
    fn whole(user: &User, memberships: Vec<Membership>) -> Who {
        let spaces = memberships.iter().enumerate();
        Who {
            user: user.id,
            rank: user.rank,
            organization: user.organization,
            token: None,
            scopes: Scope::ALL.into(),
            kinds: Kind::ALL.into(),
            by_space: spaces.map(|(index, membership)| (membership.space.id, index)).collect(),
            memberships,
        }
    }

    /// The token that stands for them.
    pub(super) fn token(&self) -> Option<&Token> {
        self.token.as_ref()
    }
}

impl Caller {
    /// The user.
    pub fn user(&self) -> UserId {
        self.who.user
    }

    /// The same, whose next write is remembered.
    pub(super) fn remembering(self, once: Once) -> Caller {
        Caller { once: Some(Arc::new(once)), ..self }
    }

    /// What is to be remembered of the next write.
    pub(super) fn once(&self) -> Option<&Once> {
        self.once.as_deref()
    }

    /// Refused unless the token has the scope, and its user the rank that the scope takes.
    pub(super) fn needs(&self, scope: Scope) -> Result<(), Error> {
        match (scope, self.who.rank) {
            // No token of theirs could.
            (Scope::Admin, Rank::Member) => Err(Error::Forbidden(Refusal::NotAdmin)),
            (Scope::Admin, Rank::Admin) | (Scope::Read | Scope::Write, _) if self.who.scopes.contains(&scope) => Ok(()),
            _ => Err(Error::Forbidden(Refusal::Scope(scope))),
        }
    }

    /// Refused unless the token may change what is there.
    ///
    /// That takes `read` beside `write`: the answer of a change shows the item, and so do many refusals (the nearest
    /// passages, the current state). A token with `write` alone can make items, and see none.
    pub(super) fn needs_change(&self) -> Result<(), Error> {
        self.needs(Scope::Write)?;
        self.needs(Scope::Read)
    }

    /// What the caller may do: the scopes of the token, as far as the user's rank goes.
    pub(super) fn scopes(&self) -> BTreeSet<Scope> {
        self.who.scopes.iter().copied().filter(|scope| self.needs(*scope).is_ok()).collect()
    }

    /// The spaces that exist for the caller.
    pub(super) fn memberships(&self) -> &[Membership] {
        &self.who.memberships
    }

    /// The kinds for a new token: no more than exist for the caller.
    pub(super) fn narrowed_kinds(&self, wanted: Option<BTreeSet<Kind>>) -> Option<BTreeSet<Kind>> {
        match wanted {
            Some(wanted) => Some(wanted.intersection(&self.who.kinds).copied().collect()),
            None => self.who.token().and_then(|token| token.kinds.clone()),
        }
    }

    /// When a new token expires: no later than the caller's.
    pub(super) fn narrowed_expiry(&self, wanted: Option<Timestamp>) -> Option<Timestamp> {
        [wanted, self.expires_at()].into_iter().flatten().min()
    }

    /// The token, if one was used.
    pub(super) fn token(&self) -> Option<TokenId> {
        self.who.token().map(|token| token.id)
    }

    fn expires_at(&self) -> Option<Timestamp> {
        self.who.token().and_then(|token| token.expires_at)
    }

    /// Refused unless the token could be what it makes: a user of that rank, whose token never expires.
    pub(super) fn may_make_user(&self, rank: Rank) -> Result<(), Error> {
        self.needs(Scope::Admin)?;
        self.needs_whole_user()?;
        if self.expires_at().is_some() {
            return Err(Error::Forbidden(Refusal::Narrowed));
        }
        match rank {
            Rank::Member => Ok(()),
            // An admin gets at everybody's items.
            Rank::Admin => self.needs_change(),
        }
    }

    /// Refused unless the caller's token is as wide as its user: only then may it make tokens for others.
    pub(super) fn needs_whole_user(&self) -> Result<(), Error> {
        let narrowed = self.who.token().is_some_and(|token| token.kinds.is_some() || token.spaces.is_some());
        if narrowed { Err(Error::Forbidden(Refusal::Narrowed)) } else { Ok(()) }
    }

    /// Refused if the caller's token is narrowed to spaces.
    pub(super) fn needs_whole_spaces(&self) -> Result<(), Error> {
        let narrowed = self.who.token().is_some_and(|token| token.spaces.is_some());
        if narrowed { Err(Error::Forbidden(Refusal::Narrowed)) } else { Ok(()) }
    }

    /// The spaces for a new token of a user: for the caller's own no more than exist for the caller.
    pub(super) fn narrowed_spaces(&self, user: UserId, wanted: Option<BTreeSet<SpaceId>>) -> Option<BTreeSet<SpaceId>> {
        if user != self.who.user {
            return wanted;
        }
        let seen: BTreeSet<SpaceId> = self.spaces().into_iter().collect();
        match wanted {
            Some(wanted) => Some(wanted.intersection(&seen).copied().collect()),
            None => self.who.token().and_then(|token| token.spaces.clone()),
        }
    }

    /// The kinds that exist for the caller.
    pub(super) fn kinds(&self) -> &BTreeSet<Kind> {
        &self.who.kinds
    }

    /// The spaces that exist for the caller, their own first.
    pub(super) fn spaces(&self) -> Vec<SpaceId> {
        self.who.memberships.iter().map(|membership| membership.space.id).collect()
    }

    /// The spaces of the caller that can have items of one of these kinds, their own first.
    pub(super) fn spaces_of(&self, kinds: &BTreeSet<Kind>) -> Vec<SpaceId> {
        let spaces = self.who.memberships.iter().map(|membership| &membership.space);
        let spaces = spaces.filter(|space| kinds.iter().any(|kind| kind.lives_in(space.owner)));
        spaces.map(|space| space.id).collect()
    }

    /// Refused unless items of a kind exist for the caller.
    pub(super) fn needs_kind(&self, kind: Kind) -> Result<(), Error> {
        if self.who.kinds.contains(&kind) { Ok(()) } else { Err(Error::Forbidden(Refusal::Kind(kind))) }
    }

    /// The caller's own space: where what they make goes, if it is of a kind that lives there.
    pub(super) fn own_space_for(&self, kind: Kind) -> Result<SpaceId, Error> {
        let own = SpaceOwner::User(self.who.user);
        if !kind.lives_in(own) {
            return Err(Error::field("type", format!("a {kind} is made by writing to its path, not as an item")));
        }
        self.own_space()
    }

    /// The caller's own space, if it exists for them.
    pub(super) fn own_space(&self) -> Result<SpaceId, Error> {
        let own = self.membership_of(SpaceOwner::User(self.who.user));
        own.map(|membership| membership.space.id).ok_or(Error::Forbidden(Refusal::OwnSpace))
    }

    /// The caller's membership in the space of an owner, if that exists for them.
    pub(super) fn membership_of(&self, owner: SpaceOwner) -> Option<&Membership> {
        self.who.memberships.iter().find(|membership| membership.space.owner == owner)
    }

    /// The caller's membership in a space, if that exists for them.
    pub(super) fn membership(&self, space: SpaceId) -> Option<&Membership> {
        self.who.by_space.get(&space).and_then(|index| self.who.memberships.get(*index))
    }

    /// Whose a space is, if that exists for the caller.
    pub fn owner_of(&self, space: SpaceId) -> Option<SpaceOwner> {
        self.membership(space).map(|membership| membership.space.owner)
    }

    /// The organization whose code the caller means unless they say otherwise. Admins mean what is everybody's.
    pub(super) fn home(&self) -> Option<OrganizationId> {
        match self.who.rank {
            Rank::Member => self.who.organization,
            Rank::Admin => None,
        }
    }

    /// What the user may do beyond their spaces.
    pub(super) fn rank(&self) -> Rank {
        self.who.rank
    }

    /// Whether items of a kind in a space exist for the caller.
    pub(super) fn sees(&self, kind: Kind, space: SpaceId) -> bool {
        self.who.kinds.contains(&kind) && self.membership(space).is_some()
    }

    /// Whether the caller may change what they see.
    pub(super) fn may_write(&self, item: &Item) -> Result<(), Error> {
        self.may_write_in(item.space)
    }

    /// Whether the caller may change what is in a space.
    pub(super) fn may_write_in(&self, space: SpaceId) -> Result<(), Error> {
        self.needs_change()?;
        let writes = self.membership(space).is_some_and(|membership| membership.role >= Role::Writer);
        if writes { Ok(()) } else { Err(Error::Forbidden(Refusal::Role)) }
    }

    /// What history tells about a change of this caller.
    pub(super) fn record(&self, action: crate::Action, changed_fields: Vec<&'static str>, at: Timestamp) -> Record {
        Record { action, changed_fields, at, source: self.source, user: self.who.user, token: self.token() }
    }
}

impl Interline {
    /// The caller that a token's secret stands for, at the door `source`.
    ///
    /// What a secret stands for is remembered for a second. A token that another process deletes therefore works up to
    /// a second longer in this one, and so do memberships; what this process changes, it knows at once. Expiry is
    /// checked at every use.
    ///
    /// That the token was used is written beside the request, at most once a minute: who may read must wait neither for
    /// the writer nor depend on it.
    pub async fn authenticate(&self, secret: SecretHash, source: Source) -> Result<Caller, Error> {
        let who = self.credentials(secret).await?;
        let now = super::now();
        let token = who.token().ok_or(Error::Unauthorized)?;
        if token.expires_at.is_some_and(|expires| expires <= now) {
            return Err(Error::Unauthorized);
        }
        self.note_use(token, now);
        Ok(Caller { who, source, once: None })
    }

    /// A user at a door that needs no token: the local command line, or a server without authentication.
    pub async fn trusted(&self, user: UserId, source: Source) -> Result<Caller, Error> {
        let user = self.store.user(user).await?.ok_or(Error::Unauthorized)?;
        let who = Who::whole(&user, self.store.memberships(user.id).await?);
        Ok(Caller { who: Arc::new(who), source, once: None })
    }
}
