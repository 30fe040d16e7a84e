//! Proposals: writes of tokens that may only propose, what they see of them, and what people decide.

mod accept;
mod decide;
mod propose;

use interline_items::{
    AcceptProposal, AcceptedPart, Author, Caller, EditRequest, EditResult, Error, ExpectedVersion, FindProposals, Item,
    PassageChange, ProposalAcceptance, ProposalDetails, ProposalFilter, ProposalId, ProposalRef, ProposalSummary,
    SecretHash, Source, TextChange, TokenDraft, Writes,
};

use crate::samples::token;
use crate::world::{World, by_id};

const ANY: ExpectedVersion = ExpectedVersion::Any;

/// A store with an agent whose writes are kept as proposals.
struct Scene {
    world: World,
    secret: SecretHash,
}

impl Scene {
    async fn new() -> Scene {
        let world = World::new().await;
        let secret = proposing_token(&world, "agent").await;
        Scene { world, secret }
    }

    /// The agent as the caller of one request.
    async fn agent(&self) -> Caller {
        self.world.interline.authenticate(self.secret, Source::Rest).await.unwrap()
    }

    /// What the agent sees of an item's text.
    async fn seen(&self, item: &Item) -> String {
        let agent = self.agent().await;
        let read = self.world.interline.read(&agent, &by_id(item), interline_items::ReadContent::Whole).await.unwrap();
        read.part.map_or_else(String::new, |part| part.text.to_string())
    }

    async fn edit(&self, item: &Item, old: &str, new: &str) -> Result<EditResult, Error> {
        let change = PassageChange { old_str: old.to_owned(), new_str: new.to_owned(), expected_matches: 1 };
        let request = EditRequest::new(TextChange::Replace(change));
        self.world.interline.edit(&self.agent().await, &by_id(item), request).await
    }

    /// The only pending proposal.
    async fn pending(&self) -> ProposalSummary {
        let mut pending = self.proposals().await;
        assert_eq!(pending.len(), 1);
        pending.remove(0)
    }

    async fn proposals(&self) -> Vec<ProposalSummary> {
        let filter =
            ProposalFilter { state: Some(interline_items::ProposalState::Pending), ..ProposalFilter::default() };
        let find = FindProposals { filter, after: None, limit: 100 };
        self.world.interline.proposals(&self.world.owner, find).await.unwrap().proposals
    }

    async fn details(&self, id: ProposalId) -> ProposalDetails {
        self.world.interline.proposal(&self.world.owner, id).await.unwrap()
    }

    async fn accept(&self, proposal: ProposalRef, part: AcceptedPart) -> Result<ProposalAcceptance, Error> {
        let request = AcceptProposal { revision: proposal.revision, part };
        self.world.interline.accept_proposal(&self.world.owner, proposal.id, request).await
    }

    async fn accept_all(&self) -> Result<ProposalAcceptance, Error> {
        self.accept(self.pending().await.reference(), AcceptedPart::Whole).await
    }
}

/// The secret of a new token of the owner whose writes are kept as proposals.
async fn proposing_token(world: &World, name: &str) -> SecretHash {
    let draft = TokenDraft { name: name.to_owned(), author: Author::Agent, writes: Writes::Propose, ..token() };
    let (_, secret) = world.interline.create_token(&world.owner, draft).await.unwrap();
    SecretHash::from_secret(secret.as_str())
}
