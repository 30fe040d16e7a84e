//! The caller of a use case: an authenticated user, and what their token lets them see and do.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use crate::{
    Attribution, Author, ChangeSetRef, Client, Credentials, Error, Event, EventSubject, Item, Kind, Membership,
    OrganizationId, Proposer, Rank, Record, Refusal, Role, Scope, SecretHash, Source, SpaceId, SpaceOwner, Token,
    TokenId, User, UserId, Visibility, Writes,
};

use crate::usecases::changes::WriteAttribution;
use crate::usecases::idempotency::IdempotentWrite;
use crate::usecases::proposals::ProposalTrace;
use crate::usecases::{Interline, now};

/// An authenticated user at a door (REST, MCP, command line), narrowed to what their token allows.
///
/// Items outside of the caller's kinds and spaces do not exist for the caller: use cases answer "not found".
#[derive(Clone, Debug)]
pub struct Caller {
    principal: Arc<Principal>,
    source: Source,
    /// The write that this caller carries out, if its request has an idempotency key.
    idempotent_write: Option<Arc<IdempotentWrite>>,
    /// How its writes are attributed.
    write_attribution: WriteAttribution,
    /// What its request has to do with proposals; `None` if its writes are applied.
    proposals: Option<ProposalTrace>,
    /// What it sees of items for which it has a proposal.
    sees: SeenState,
}

/// What a caller sees of items for which it has a pending proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SeenState {
    /// The proposed state.
    Proposed,
    /// The stored state, as everybody else.
    Stored,
}

/// A user with what their token allows: what a [`Caller`] shares with the caller of the next request of the same token.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::usecases) struct Principal {
    user: UserId,
    user_name: String,
    rank: Rank,
    organization: Option<OrganizationId>,
    token: Option<Token>,
    scopes: BTreeSet<Scope>,
    /// The spaces of `memberships`, and the kinds of the token.
    visible: Visibility,
    memberships: Vec<Membership>,
    /// The index in `memberships` of each space.
    by_space: BTreeMap<SpaceId, usize>,
}

impl Principal {
    /// The user of a token, narrowed to the token's scopes, kinds and spaces.
    pub(in crate::usecases) fn from_credentials(credentials: Credentials) -> Principal {
        let Credentials { token, user, mut memberships } = credentials;
        if let Some(spaces) = &token.spaces {
            memberships.retain(|membership| spaces.contains(&membership.space.id));
        }
        let scopes = token.scopes.clone();
        let kinds = token.kinds.clone().unwrap_or_else(|| Kind::ALL.into());
        let principal = Principal::unnarrowed(&user, memberships);
        let visible = Visibility::new(principal.visible.spaces().clone(), kinds);
        Principal { scopes, visible, token: Some(token), ..principal }
    }

    /// A user without a token, who is not narrowed.
    fn unnarrowed(user: &User, memberships: Vec<Membership>) -> Principal {
        let spaces = memberships.iter().enumerate();
        Principal {
            user: user.id,
            user_name: user.name.clone(),
            rank: user.rank,
            organization: user.organization,
            token: None,
            scopes: Scope::ALL.into(),
            visible: Visibility::new(
                memberships.iter().map(|membership| membership.space.id).collect(),
                Kind::ALL.into(),
            ),
            by_space: spaces.map(|(index, membership)| (membership.space.id, index)).collect(),
            memberships,
        }
    }

    /// The token that was used, if one was.
    pub(in crate::usecases) fn token(&self) -> Option<&Token> {
        self.token.as_ref()
    }
}

impl Caller {
    /// The user.
    pub fn user(&self) -> UserId {
        self.principal.user
    }

    /// The user's name.
    pub fn user_name(&self) -> &str {
        &self.principal.user_name
    }

    /// The name of the token that was used, if one was.
    pub fn token_name(&self) -> Option<&str> {
        self.principal.token().map(|token| token.name.as_str())
    }

    /// The same caller, whose next write is committed with its idempotency record.
    pub(in crate::usecases) fn with_idempotency(self, write: IdempotentWrite) -> Caller {
        Caller { idempotent_write: Some(Arc::new(write)), ..self }
    }

    /// The write that this caller carries out, if its request has an idempotency key.
    pub(in crate::usecases) fn idempotent_write(&self) -> Option<&IdempotentWrite> {
        self.idempotent_write.as_deref()
    }

    /// Refused unless the token has the scope, and its user the rank that the scope takes.
    pub(in crate::usecases) fn require(&self, scope: Scope) -> Result<(), Error> {
        match (scope, self.principal.rank) {
            // No token of this user could.
            (Scope::Admin, Rank::Member) => Err(Error::Forbidden(Refusal::NotAdmin)),
            (Scope::Admin, Rank::Admin) | (Scope::Read | Scope::Write | Scope::Review, _)
                if self.principal.scopes.contains(&scope) =>
            {
                Ok(())
            }
            _ => Err(Error::Forbidden(Refusal::Scope(scope))),
        }
    }

    /// Refused unless the token may change existing items.
    ///
    /// That takes `read` beside `write`: the answer to a change shows the item, and so do many refusals (the nearest
    /// passages, the current state). A token with `write` alone can make items, and see none.
    pub(in crate::usecases) fn require_change(&self) -> Result<(), Error> {
        self.require(Scope::Write)?;
        self.require(Scope::Read)
    }

    /// Whether the token has the scope, and its user the rank that the scope takes.
    pub fn has(&self, scope: Scope) -> bool {
        self.require(scope).is_ok()
    }

    /// What the caller may do: the scopes of the token, as far as the user's rank goes.
    pub(in crate::usecases) fn scopes(&self) -> BTreeSet<Scope> {
        self.principal.scopes.iter().copied().filter(|scope| self.require(*scope).is_ok()).collect()
    }

    /// The spaces that exist for the caller.
    pub(in crate::usecases) fn memberships(&self) -> &[Membership] {
        &self.principal.memberships
    }

    /// The kinds for a new token: no more than exist for the caller.
    pub(in crate::usecases) fn narrowed_kinds(&self, requested: Option<BTreeSet<Kind>>) -> Option<BTreeSet<Kind>> {
        match requested {
            Some(requested) => Some(requested.intersection(self.kinds()).copied().collect()),
            None => self.principal.token().and_then(|token| token.kinds.clone()),
        }
    }

    /// When a new token expires: no later than the caller's.
    pub(in crate::usecases) fn narrowed_expiry(&self, requested: Option<Timestamp>) -> Option<Timestamp> {
        [requested, self.expires_at()].into_iter().flatten().min()
    }

    /// What the caller shares with the other callers of the same token.
    pub(in crate::usecases) fn principal(&self) -> &Principal {
        &self.principal
    }

    /// The token that was used, if one was.
    pub(in crate::usecases) fn token(&self) -> Option<TokenId> {
        self.principal.token().map(|token| token.id)
    }

    fn expires_at(&self) -> Option<Timestamp> {
        self.principal.token().and_then(|token| token.expires_at)
    }

    /// Refused unless the caller may make a user of that rank: the caller's token must allow at least what the new user's
    /// first token does, which never expires.
    pub(in crate::usecases) fn require_may_make_user(&self, rank: Rank) -> Result<(), Error> {
        self.require(Scope::Admin)?;
        self.require_unnarrowed()?;
        if self.expires_at().is_some() {
            return Err(Error::Forbidden(Refusal::Narrowed));
        }
        match rank {
            Rank::Member => Ok(()),
            // An admin can read and change the items of all users, and decide about changes of them.
            Rank::Admin => {
                self.require_change()?;
                self.require(Scope::Review)
            }
        }
    }

    /// Refused if the caller's token is narrowed to kinds or spaces: such a token may not make users, or tokens for other
    /// users.
    pub(in crate::usecases) fn require_unnarrowed(&self) -> Result<(), Error> {
        let narrowed = self.principal.token().is_some_and(|token| token.kinds.is_some() || token.spaces.is_some());
        if narrowed { Err(Error::Forbidden(Refusal::Narrowed)) } else { Ok(()) }
    }

    /// Refused if the caller's token is narrowed to spaces.
    pub(in crate::usecases) fn require_all_spaces(&self) -> Result<(), Error> {
        let narrowed = self.principal.token().is_some_and(|token| token.spaces.is_some());
        if narrowed { Err(Error::Forbidden(Refusal::Narrowed)) } else { Ok(()) }
    }

    /// The spaces for a new token of a user: for the caller's own no more than exist for the caller.
    pub(in crate::usecases) fn narrowed_spaces(
        &self,
        user: UserId,
        requested: Option<BTreeSet<SpaceId>>,
    ) -> Option<BTreeSet<SpaceId>> {
        if user != self.principal.user {
            return requested;
        }
        let visible: BTreeSet<SpaceId> = self.spaces().into_iter().collect();
        match requested {
            Some(requested) => Some(requested.intersection(&visible).copied().collect()),
            None => self.principal.token().and_then(|token| token.spaces.clone()),
        }
    }

    /// The kinds that exist for the caller.
    pub(in crate::usecases) fn kinds(&self) -> &BTreeSet<Kind> {
        self.principal.visible.kinds()
    }

    /// The spaces that exist for the caller, their own first.
    pub(in crate::usecases) fn spaces(&self) -> Vec<SpaceId> {
        self.principal.memberships.iter().map(|membership| membership.space.id).collect()
    }

    /// The spaces of the caller that can have items of one of these kinds, their own first.
    pub(in crate::usecases) fn spaces_of(&self, kinds: &BTreeSet<Kind>) -> Vec<SpaceId> {
        let spaces = self.principal.memberships.iter().map(|membership| &membership.space);
        let spaces = spaces.filter(|space| kinds.iter().any(|kind| kind.lives_in(space.owner)));
        spaces.map(|space| space.id).collect()
    }

    /// Refused unless items of a kind exist for the caller.
    pub(in crate::usecases) fn require_kind(&self, kind: Kind) -> Result<(), Error> {
        if self.kinds().contains(&kind) { Ok(()) } else { Err(Error::Forbidden(Refusal::Kind(kind))) }
    }

    /// The caller's own space, in which their new items of this kind are made. Refused if items of this kind are made by
    /// writing to a path instead.
    pub(in crate::usecases) fn own_space_for(&self, kind: Kind) -> Result<SpaceId, Error> {
        let own = SpaceOwner::User(self.principal.user);
        if !kind.lives_in(own) {
            return Err(Error::field("type", format!("a {kind} is made by writing to its path, not as an item")));
        }
        self.own_space()
    }

    /// The caller's own space, if it exists for them.
    pub(in crate::usecases) fn own_space(&self) -> Result<SpaceId, Error> {
        let own = self.membership_of(SpaceOwner::User(self.principal.user));
        own.map(|membership| membership.space.id).ok_or(Error::Forbidden(Refusal::OwnSpace))
    }

    /// The caller's membership in the space of an owner, if that exists for them.
    pub(in crate::usecases) fn membership_of(&self, owner: SpaceOwner) -> Option<&Membership> {
        self.principal.memberships.iter().find(|membership| membership.space.owner == owner)
    }

    /// The caller's membership in a space, if that exists for them.
    pub(in crate::usecases) fn membership(&self, space: SpaceId) -> Option<&Membership> {
        self.principal.by_space.get(&space).and_then(|index| self.principal.memberships.get(*index))
    }

    /// The owner of a space, if the space exists for the caller.
    pub fn owner_of(&self, space: SpaceId) -> Option<SpaceOwner> {
        self.membership(space).map(|membership| membership.space.owner)
    }

    /// The organization whose code is read and written where a request names none. For admins it is none: the global code.
    pub(in crate::usecases) fn home(&self) -> Option<OrganizationId> {
        match self.principal.rank {
            Rank::Member => self.principal.organization,
            Rank::Admin => None,
        }
    }

    /// What the user may do beyond their spaces.
    pub(in crate::usecases) fn rank(&self) -> Rank {
        self.principal.rank
    }

    /// The kinds and spaces whose items exist for the caller.
    pub(in crate::usecases) fn visible(&self) -> &Visibility {
        &self.principal.visible
    }

    /// Whether items of a kind in a space exist for the caller.
    pub(in crate::usecases) fn sees(&self, kind: Kind, space: SpaceId) -> bool {
        self.principal.visible.includes(kind, space)
    }

    /// Whether the caller sees what an event is about. A change set may be about items of every kind; a proposal is told to who
    /// made it and to those who may decide.
    pub(in crate::usecases) fn sees_event(&self, event: &Event) -> bool {
        match &event.subject {
            EventSubject::Item(item) => self.sees(item.kind, event.space),
            EventSubject::ChangeSet(_) => Kind::ALL.iter().all(|kind| self.sees(*kind, event.space)),
            EventSubject::Proposal(proposal) => {
                self.author_key().key() == proposal.proposer || self.may_decide(proposal.kind, event.space)
            }
        }
    }

    /// Refused unless the caller may change an item that they see.
    pub(in crate::usecases) fn require_write(&self, item: &Item) -> Result<(), Error> {
        self.require_write_in(item.space)
    }

    /// Refused unless the caller may change the items of a space.
    pub(in crate::usecases) fn require_write_in(&self, space: SpaceId) -> Result<(), Error> {
        self.require_change()?;
        let writes = self.membership(space).is_some_and(|membership| membership.role >= Role::Writer);
        if writes { Ok(()) } else { Err(Error::Forbidden(Refusal::Role)) }
    }

    /// The history record of a change of an item by this caller.
    pub(in crate::usecases) fn record(
        &self,
        action: crate::Action,
        changed_fields: Vec<&'static str>,
        at: Timestamp,
        item: &Item,
    ) -> Record {
        self.attributed_record(action, changed_fields, at, self.attribution(item))
    }

    /// The record of a decision of this caller about a change set.
    pub(in crate::usecases) fn record_in(
        &self,
        action: crate::Action,
        changed_fields: Vec<&'static str>,
        at: Timestamp,
        set: ChangeSetRef,
    ) -> Record {
        self.attributed_record(action, changed_fields, at, self.attribution_in(set))
    }

    fn attributed_record(
        &self,
        action: crate::Action,
        changed_fields: Vec<&'static str>,
        at: Timestamp,
        attribution: Attribution,
    ) -> Record {
        let (source, user, token) = (self.source, self.principal.user, self.token());
        Record {
            action,
            changed_fields,
            at,
            source,
            user,
            token,
            attribution,
            undoes: None,
            lines: None,
            import: None,
            merged_base: None,
            accepted: None,
        }
    }

    /// Whether the caller is an agent: through an MCP server, or with a token for agents.
    pub(in crate::usecases) fn author(&self) -> Author {
        let of_token = || self.principal.token().map_or(Author::Person, |token| token.author);
        author_of(self.source).unwrap_or_else(of_token)
    }

    /// Whether the caller's writes are applied, or kept as proposals.
    pub fn writes(&self) -> Writes {
        if self.proposals.is_some() { Writes::Propose } else { Writes::Apply }
    }

    /// What the caller's request has to do with proposals, if its writes are kept as proposals.
    pub(in crate::usecases) fn proposal_trace(&self) -> Option<&ProposalTrace> {
        self.proposals.as_ref()
    }

    /// The same caller, who sees items as they are stored, without its proposals.
    #[must_use]
    pub fn seeing_stored(&self) -> Caller {
        Caller { sees: SeenState::Stored, ..self.clone() }
    }

    /// Who proposes, if the caller's writes are kept as proposals.
    pub(in crate::usecases) fn proposer(&self) -> Option<Proposer> {
        self.proposals.as_ref().map(|_| self.author_key())
    }

    /// Whose proposals the caller sees beside the items, if it does.
    pub(in crate::usecases) fn sees_proposals_of(&self) -> Option<Proposer> {
        match self.sees {
            SeenState::Proposed => self.proposer(),
            SeenState::Stored => None,
        }
    }

    /// The caller as one who proposes, or has proposed.
    pub(in crate::usecases) fn author_key(&self) -> Proposer {
        Proposer { user: self.user(), token: self.token() }
    }

    /// Refused if the caller's writes are kept as proposals: this is no change of one item.
    pub(in crate::usecases) fn require_apply(&self) -> Result<(), Error> {
        match self.writes() {
            Writes::Apply => Ok(()),
            Writes::Propose => Err(Error::Forbidden(Refusal::OnlyProposes)),
        }
    }

    /// How the caller's writes are attributed.
    pub(in crate::usecases) fn write_attribution(&self) -> &WriteAttribution {
        &self.write_attribution
    }

    /// The same caller, whose writes are attributed otherwise.
    pub(in crate::usecases) fn with_write_attribution(self, write_attribution: WriteAttribution) -> Caller {
        Caller { write_attribution, ..self }
    }
}

/// Who writes through a door, where the door alone tells it.
fn author_of(source: Source) -> Option<Author> {
    match source {
        Source::McpContent | Source::McpPrompts | Source::McpCode => Some(Author::Agent),
        Source::Rest | Source::Cli | Source::Web => None,
    }
}

/// The client of a caller that names none: its token, or what it is without one.
pub(in crate::usecases) fn default_client(caller: &Caller) -> Client {
    let name = match (caller.token_name(), caller.author()) {
        (Some(name), _) => name,
        (None, Author::Agent) => "local agent",
        (None, Author::Person) => "interline",
    };
    Client::from_self_description(name, None).unwrap_or_else(|| Client::from_stored("unknown".to_owned(), None))
}

impl Interline {
    /// Authenticates the user of a token by its secret, at the door `source`.
    ///
    /// The credentials are cached for a second. A token that another process deletes therefore works up to a second longer
    /// in this process, and so do memberships; changes by this process take effect at once. Expiry is checked at every
    /// use.
    ///
    /// The time of the token's last use is written in the background, at most once a minute: a request that reads must
    /// neither wait for the writer nor fail with it.
    pub async fn authenticate(&self, secret: SecretHash, source: Source) -> Result<Caller, Error> {
        let principal = self.principal(secret).await?;
        self.caller_with_token(principal, source)
    }

    /// The caller for a token that is named by its id, at a door whose user could use any token of the store: the files of a
    /// local store are theirs. What the token does not allow is refused as if its secret had been shown.
    pub async fn trusted_token(&self, token: TokenId, source: Source) -> Result<Caller, Error> {
        let credentials = self.store.token_credentials(token).await?.ok_or(Error::Unauthorized)?;
        self.caller_with_token(Arc::new(Principal::from_credentials(credentials)), source)
    }

    /// The caller for a principal with a token, unless that has expired.
    fn caller_with_token(&self, principal: Arc<Principal>, source: Source) -> Result<Caller, Error> {
        let now = now();
        let token = principal.token().ok_or(Error::Unauthorized)?;
        if token.expires_at.is_some_and(|expires| expires <= now) {
            return Err(Error::Unauthorized);
        }
        self.record_token_use(token, now);
        let writes = token.writes;
        Ok(self.new_caller(principal, source, writes))
    }

    /// The caller for a user at a door that needs no token: the local command line, or a server without authentication. At an MCP
    /// server it is the local agent, whose writes may be kept as proposals: [`Interline::with_local_agent_writes`].
    pub async fn trusted(&self, user: UserId, source: Source) -> Result<Caller, Error> {
        let user = self.store.user(user).await?.ok_or(Error::Unauthorized)?;
        let principal = Principal::unnarrowed(&user, self.store.memberships(user.id).await?);
        let writes = match author_of(source) {
            Some(Author::Agent) => self.local_agent_writes,
            Some(Author::Person) | None => Writes::Apply,
        };
        Ok(self.new_caller(Arc::new(principal), source, writes))
    }

    fn new_caller(&self, principal: Arc<Principal>, source: Source, writes: Writes) -> Caller {
        let write_attribution = WriteAttribution::new(&self.open_sets);
        let proposals = ProposalTrace::for_writes(writes);
        Caller { principal, source, idempotent_write: None, write_attribution, proposals, sees: SeenState::Proposed }
    }
}
