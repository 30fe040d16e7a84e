//! Proposals: changes of items that wait for a person's decision, and the requests for them.

mod store;

pub use store::ProposalStore;

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use uuid::Uuid;

use crate::write::names;
use crate::{
    Action, Author, Client, Item, ItemId, Kind, NamedId, ProposalId, Reason, Source, SpaceId, Stamp, TokenId, UserId,
};

/// How many pending proposals a user has at the most, those of all its tokens together.
pub const MAX_PENDING_PROPOSALS: u64 = 1_000;

names! {
    /// What becomes of the writes of a token.
    Writes {
        /// They are applied.
        Apply = "apply",
        /// They are kept as proposals, until a person accepts them.
        Propose = "propose",
    }
}

names! {
    /// What became of a proposal.
    ProposalState {
        /// Nobody has decided yet.
        Pending = "pending",
        /// It was applied.
        Accepted = "accepted",
        /// It was refused.
        Rejected = "rejected",
        /// It does not fit the item any more, or was left undecided for too long.
        Stale = "stale",
        /// Who made it, or a reviewer, took it back.
        Withdrawn = "withdrawn",
    }
}

names! {
    /// What listeners are told about a proposal.
    ProposalNews {
        /// It was made, or replaced by its next revision.
        Made = "made",
        /// It was applied, whole or in part.
        Accepted = "accepted",
        /// It was refused.
        Rejected = "rejected",
        /// It does not fit any more, or was left undecided for too long.
        Stale = "stale",
    }
}

/// Who proposes: a token, or a user without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proposer {
    /// The user.
    pub user: UserId,
    /// The token, if one is used.
    pub token: Option<TokenId>,
}

impl Proposer {
    /// What tells proposers apart: the identifier of the token, or of the user without one.
    pub fn key(self) -> Uuid {
        self.token.map_or_else(|| self.user.uuid(), TokenId::uuid)
    }
}

/// A revision of a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProposalRef {
    /// The proposal.
    pub id: ProposalId,
    /// 1 when it is made, and 1 more each time that its token changes the item again.
    pub revision: u64,
}

impl ProposalRef {
    /// A new proposal.
    pub(crate) fn generate() -> ProposalRef {
        ProposalRef { id: ProposalId::generate(), revision: 1 }
    }

    /// The next revision.
    pub(crate) fn next(self) -> ProposalRef {
        ProposalRef { revision: self.revision + 1, ..self }
    }
}

/// What a proposing caller has to know of an item beside the item itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemProposal {
    /// The caller's proposal whose state the item has; `None` if the item is as it is stored.
    pub pending: Option<ProposalRef>,
    /// The last proposal of the caller for the item that was refused, until the caller was told of it.
    pub rejected: Option<RejectedProposal>,
}

/// A proposal that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedProposal {
    /// The proposal.
    pub id: ProposalId,
    /// Why, in the reviewer's words.
    pub reason: Option<Reason>,
    /// When.
    pub at: Timestamp,
}

/// A proposal without the state that it proposes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProposalSummary {
    /// Its identifier.
    pub id: ProposalId,
    /// How often its token has changed it.
    pub revision: u64,
    /// What became of it.
    pub state: ProposalState,
    /// The item that it changes, or makes.
    pub item: ItemId,
    /// The kind of the item.
    pub kind: Kind,
    /// The space of the item.
    pub space: SpaceId,
    /// The proposed title, or the name, path or address where there is none.
    pub title: Option<String>,
    /// The stamp of the item that it was made for; `None` if it makes the item.
    pub base: Option<Stamp>,
    /// Who made it.
    pub user: NamedId<UserId>,
    /// With which token, if with one.
    pub token: Option<NamedId<TokenId>>,
    /// Whether a person or an agent made it.
    pub author: Author,
    /// The door that it came through.
    pub source: Source,
    /// With which program.
    pub client: Client,
    /// Why: the last reason that was given.
    pub reason: Option<Reason>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When its last revision was made.
    pub updated_at: Timestamp,
    /// Who decided about it, if somebody has.
    pub decision: Option<ProposalDecision>,
}

impl ProposalSummary {
    /// Who made it.
    pub fn proposer(&self) -> Proposer {
        Proposer { user: self.user.id, token: self.token.as_ref().map(|token| token.id) }
    }

    /// Its revision.
    pub fn reference(&self) -> ProposalRef {
        ProposalRef { id: self.id, revision: self.revision }
    }
}

/// What was decided about a proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProposalDecision {
    /// Who decided it; nobody, if it grew too old.
    pub by: Option<NamedId<UserId>>,
    /// When.
    pub at: Timestamp,
    /// Why, in the words of who decided it.
    pub reason: Option<Reason>,
}

/// A proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// What is known of it without the proposed state.
    pub summary: ProposalSummary,
    /// The item as it is proposed. Its stamp is that of the base.
    pub item: Item,
    /// The proposed content.
    pub content: ProposedContent,
    /// Where the item is proposed to be: archived or not, in the trash or not.
    pub states: ProposedStates,
    /// The requests that made it, oldest first; of very many, the newest.
    pub requests: Vec<ProposalRequest>,
}

/// The content that a proposal proposes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProposedContent {
    /// That of the base.
    Keep,
    /// This one, or none.
    Set(Option<Arc<str>>),
}

impl ProposedContent {
    /// How many bytes its text has.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            ProposedContent::Keep | ProposedContent::Set(None) => 0,
            ProposedContent::Set(Some(text)) => text.len(),
        }
    }
}

/// Which states of an item a proposal changes; `None` leaves it as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProposedStates {
    /// [`Action::Archive`] or [`Action::Unarchive`].
    pub archive: Option<Action>,
    /// [`Action::Delete`] or [`Action::Restore`].
    pub trash: Option<Action>,
}

impl ProposedStates {
    /// The states after one more action. An action and its opposite are nothing together: what people do to the item meanwhile
    /// stays.
    #[must_use]
    pub(crate) fn then(self, action: Action) -> ProposedStates {
        // Every action changes the state, so that one after another is its opposite.
        let net = |before: Option<Action>| if before.is_some() { None } else { Some(action) };
        match action {
            Action::Archive | Action::Unarchive => ProposedStates { archive: net(self.archive), ..self },
            Action::Delete | Action::Restore => ProposedStates { trash: net(self.trash), ..self },
            Action::Create | Action::Update | Action::Undo => self,
        }
    }
}

/// A request that made a revision of a proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProposalRequest {
    /// When.
    pub at: Timestamp,
    /// What it does to the item.
    pub action: Action,
    /// Names of the fields that it changes.
    pub changed_fields: Vec<String>,
    /// Why.
    pub reason: Option<Reason>,
}

/// A request for proposals, newest first.
#[derive(Clone, Debug)]
pub struct ProposalQuery {
    /// Those of these kinds in these spaces; the spaces in which the caller decides.
    pub spaces: BTreeSet<SpaceId>,
    /// See `spaces`.
    pub kinds: BTreeSet<Kind>,
    /// And those that this proposer made, wherever they are.
    pub proposer: Proposer,
    /// Which of them.
    pub filter: ProposalFilter,
    /// Only those that were made before this one.
    pub after: Option<ProposalId>,
    /// How many at the most.
    pub limit: usize,
}

/// Which proposals are asked for: those for which all that is given is true.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProposalFilter {
    /// They are in this state.
    pub state: Option<ProposalState>,
    /// They change this item.
    pub item: Option<ItemId>,
    /// This user made them.
    pub user: Option<UserId>,
    /// They were made with this token.
    pub token: Option<TokenId>,
}

/// The proposals of a proposer for an item that matter for its next write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnProposals {
    /// The one that nobody has decided about.
    pub pending: Option<Proposal>,
    /// The last one that was refused, if the proposer was not told of it.
    pub rejected: Option<RejectedProposal>,
}

/// A change of a proposal, as a part of a batch.
#[derive(Clone, Debug)]
pub enum ProposalWrite {
    /// Its first revision. Stale if its proposer has one for the item; refused if its user has too many.
    Make(Box<Proposal>),
    /// Its next revision. Stale if it is not pending, or not at the revision before.
    Replace(Box<Proposal>),
    /// What was decided about it. Stale if it is not pending, or not at this revision.
    Decide {
        /// Which revision.
        proposal: ProposalRef,
        /// The item, for the error.
        item: ItemId,
        /// What becomes of it.
        state: ProposalState,
        /// Who decided it, and why.
        decision: ProposalDecision,
    },
    /// Its proposer was told that it was refused.
    Told(ProposalId),
}

impl ProposalWrite {
    /// How many bytes it writes, about.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            ProposalWrite::Make(proposal) | ProposalWrite::Replace(proposal) => {
                crate::write::ROW_BYTES + proposal.item.fields.bytes() + proposal.content.bytes()
            }
            ProposalWrite::Decide { .. } | ProposalWrite::Told(_) => crate::write::ROW_BYTES,
        }
    }
}
