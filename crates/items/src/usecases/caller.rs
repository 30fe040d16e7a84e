//! Who calls, and what exists for them.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;

use crate::{
    Credentials, Error, Item, Kind, Membership, Rank, Record, Refusal, Role, Scope, SecretHash, Source, SpaceId,
    SpaceOwner, TokenId, UserId,
};

use super::Interline;
use super::once::Once;

/// A user who came in through a door, with what their token allows.
///
/// What lies outside of its kinds and spaces does not exist for a caller.
#[derive(Clone, Debug)]
pub struct Caller {
    user: UserId,
    rank: Rank,
    token: Option<TokenId>,
    scopes: BTreeSet<Scope>,
    kinds: BTreeSet<Kind>,
    memberships: Vec<Membership>,
    /// The kinds that the token is narrowed to.
    token_kinds: Option<BTreeSet<Kind>>,
    /// The spaces that the token is narrowed to.
    token_spaces: Option<BTreeSet<SpaceId>>,
    /// When the token expires.
    expires_at: Option<Timestamp>,
    source: Source,
    /// The write that it carries out and that is to be remembered.
    once: Option<Arc<Once>>,
}

impl Caller {
    /// The user.
    pub fn user(&self) -> UserId {
        self.user
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
        match (scope, self.rank) {
            // No token of theirs could.
            (Scope::Admin, Rank::Member) => Err(Error::Forbidden(Refusal::NotAdmin)),
            (Scope::Admin, Rank::Admin) | (Scope::Read | Scope::Write, _) if self.scopes.contains(&scope) => Ok(()),
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
        self.scopes.iter().copied().filter(|scope| self.needs(*scope).is_ok()).collect()
    }

    /// The spaces that exist for the caller.
    pub(super) fn memberships(&self) -> &[Membership] {
        &self.memberships
    }

    /// The kinds for a new token: no more than exist for the caller.
    pub(super) fn narrowed_kinds(&self, wanted: Option<BTreeSet<Kind>>) -> Option<BTreeSet<Kind>> {
        match wanted {
            Some(wanted) => Some(wanted.intersection(&self.kinds).copied().collect()),
            None => self.token_kinds.clone(),
        }
    }

    /// When a new token expires: no later than the caller's.
    pub(super) fn narrowed_expiry(&self, wanted: Option<Timestamp>) -> Option<Timestamp> {
        [wanted, self.expires_at].into_iter().flatten().min()
    }

    /// The token, if one was used.
    pub(super) fn token(&self) -> Option<TokenId> {
        self.token
    }

    /// Refused unless the token could be what it makes: a user of that rank, whose token never expires.
    pub(super) fn may_make_user(&self, rank: Rank) -> Result<(), Error> {
        self.needs(Scope::Admin)?;
        self.needs_whole_user()?;
        if self.expires_at.is_some() {
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
        let narrowed = self.token_kinds.is_some() || self.token_spaces.is_some();
        if narrowed { Err(Error::Forbidden(Refusal::Narrowed)) } else { Ok(()) }
    }

    /// The spaces for a new token of a user: for the caller's own no more than exist for the caller.
    pub(super) fn narrowed_spaces(&self, user: UserId, wanted: Option<BTreeSet<SpaceId>>) -> Option<BTreeSet<SpaceId>> {
        if user != self.user {
            return wanted;
        }
        let seen: BTreeSet<SpaceId> = self.spaces().into_iter().collect();
        match wanted {
            Some(wanted) => Some(wanted.intersection(&seen).copied().collect()),
            None => self.token_spaces.clone(),
        }
    }

    /// The kinds that exist for the caller.
    pub(super) fn kinds(&self) -> &BTreeSet<Kind> {
        &self.kinds
    }

    /// The spaces that exist for the caller, their own first.
    pub(super) fn spaces(&self) -> Vec<SpaceId> {
        self.memberships.iter().map(|membership| membership.space.id).collect()
    }

    /// The caller's own space: where what they make goes.
    pub(super) fn own_space(&self) -> Result<SpaceId, Error> {
        let own = self.memberships.iter().find(|membership| membership.space.owner == SpaceOwner::User(self.user));
        own.map(|membership| membership.space.id).ok_or(Error::Forbidden(Refusal::OwnSpace))
    }

    /// Whether an item exists for the caller.
    pub(super) fn sees(&self, item: &Item) -> bool {
        self.kinds.contains(&item.kind) && self.memberships.iter().any(|membership| membership.space.id == item.space)
    }

    /// Whether the caller may change what they see.
    pub(super) fn may_write(&self, item: &Item) -> Result<(), Error> {
        self.needs_change()?;
        let writes = |membership: &Membership| membership.space.id == item.space && membership.role >= Role::Writer;
        if self.memberships.iter().any(writes) { Ok(()) } else { Err(Error::Forbidden(Refusal::Role)) }
    }

    /// What history tells about a change of this caller.
    pub(super) fn record(&self, action: crate::Action, changed_fields: Vec<&'static str>, at: Timestamp) -> Record {
        Record { action, changed_fields, at, source: self.source, user: self.user, token: self.token }
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
        let credentials = self.credentials(secret).await?;
        let now = super::now();
        if credentials.token.expires_at.is_some_and(|expires| expires <= now) {
            return Err(Error::Unauthorized);
        }
        self.note_use(&credentials.token, now);
        Ok(caller(Credentials::clone(&credentials), source))
    }

    /// A user at a door that needs no token: the local command line, or a server without authentication.
    pub async fn trusted(&self, user: UserId, source: Source) -> Result<Caller, Error> {
        let user = self.store.user(user).await?.ok_or(Error::Unauthorized)?;
        Ok(Caller {
            user: user.id,
            rank: user.rank,
            token: None,
            scopes: Scope::ALL.into(),
            kinds: Kind::ALL.into(),
            memberships: self.store.memberships(user.id).await?,
            token_kinds: None,
            token_spaces: None,
            expires_at: None,
            source,
            once: None,
        })
    }
}

fn caller(credentials: Credentials, source: Source) -> Caller {
    let Credentials { token, user, mut memberships } = credentials;
    if let Some(spaces) = &token.spaces {
        memberships.retain(|membership| spaces.contains(&membership.space.id));
    }
    Caller {
        user: user.id,
        rank: user.rank,
        token: Some(token.id),
        scopes: token.scopes,
        kinds: token.kinds.clone().unwrap_or_else(|| Kind::ALL.into()),
        memberships,
        token_kinds: token.kinds,
        token_spaces: token.spaces,
        expires_at: token.expires_at,
        source,
        once: None,
    }
}
