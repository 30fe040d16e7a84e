//! Rejecting, withdrawing and deciding about several; who sees and decides what; what time decides.

use interline_items::{
    AcceptProposal, AcceptedPart, Error, FindProposals, Kind, ProposalChoice, ProposalError, ProposalFilter,
    ProposalRef, ProposalState, Rank, Reason, Source,
};

use super::{ANY, Scene, proposing_token};
use crate::samples::{note_of, title};
use crate::world::{by_id, code};

#[tokio::test]
async fn a_rejection_is_told_once() {
    let scene = Scene::new().await;
    let item = scene.world.create(Kind::Note, note_of("one\n")).await;
    scene.edit(&item, "one", "1").await.unwrap();
    let (interline, owner) = (&scene.world.interline, &scene.world.owner);
    let pending = scene.pending().await;
    let why = Reason::parse("keep the words").unwrap();
    let rejected = interline.reject_proposal(owner, pending.id, Some(1), why.clone()).await.unwrap();
    assert_eq!(rejected.state, ProposalState::Rejected);
    assert_eq!(scene.seen(&item).await, "one\n", "the token sees what is stored again");
    let agent = scene.agent().await;
    let known = interline.own_rejections(&agent, &by_id(&item)).await.unwrap();
    assert_eq!((known.len(), &known[0].reason), (1, &why));

    let caller = scene.agent().await;
    interline.update(&caller, &by_id(&item), ANY, title("Plan B")).await.unwrap();
    let told = caller.proposed().unwrap().rejected.unwrap();
    assert_eq!((told.id, told.reason), (pending.id, why));
    let caller = scene.agent().await;
    interline.update(&caller, &by_id(&item), ANY, title("Plan C")).await.unwrap();
    assert!(caller.proposed().unwrap().rejected.is_none(), "it is told once");
    match interline.accept_proposal(owner, pending.id, AcceptProposal { revision: 1, part: AcceptedPart::Whole }).await
    {
        Err(Error::Proposal(ProposalError::Decided(ProposalState::Rejected))) => {}
        other => panic!("{other:?}"),
    }
    assert_eq!(code(interline.reject_proposal(owner, pending.id, None, None).await), "conflict");
}

#[tokio::test]
async fn its_token_and_a_reviewer_withdraw_and_nobody_else() {
    let scene = Scene::new().await;
    let item = scene.world.create(Kind::Note, note_of("one\n")).await;
    let interline = &scene.world.interline;
    scene.edit(&item, "one", "1").await.unwrap();
    let first = scene.pending().await;
    let other = interline.authenticate(proposing_token(&scene.world, "other").await, Source::Rest).await.unwrap();
    assert_eq!(code(interline.withdraw_proposal(&other, first.id).await), "not_found");
    assert_eq!(code(interline.proposal(&other, first.id).await), "not_found");
    let withdrawn = interline.withdraw_proposal(&scene.agent().await, first.id).await.unwrap();
    assert_eq!(withdrawn.state, ProposalState::Withdrawn);
    assert_eq!(scene.seen(&item).await, "one\n");
    scene.edit(&item, "one", "1").await.unwrap();
    let second = scene.pending().await;
    assert_ne!(second.id, first.id);
    assert_eq!(code(interline.withdraw_proposal(&scene.world.owner, second.id).await), "ok");
}

#[tokio::test]
async fn strangers_and_agents_see_and_decide_nothing() {
    let scene = Scene::new().await;
    let item = scene.world.create(Kind::Note, note_of("one\n")).await;
    scene.edit(&item, "one", "1").await.unwrap();
    let proposal = scene.pending().await;
    let interline = &scene.world.interline;
    let stranger = scene.world.user("stranger", Rank::Member).await;
    let all = || FindProposals { filter: ProposalFilter::default(), after: None, limit: 10 };
    assert!(interline.proposals(&stranger, all()).await.unwrap().proposals.is_empty());
    let accept = || AcceptProposal { revision: 1, part: AcceptedPart::Whole };
    assert_eq!(code(interline.proposal(&stranger, proposal.id).await), "not_found");
    assert_eq!(code(interline.accept_proposal(&stranger, proposal.id, accept()).await), "not_found");
    assert_eq!(code(interline.reject_proposal(&stranger, proposal.id, None, None).await), "not_found");
    let several = [ProposalRef { id: proposal.id, revision: 1 }];
    for caller in [scene.agent().await, interline.trusted(scene.world.owner.user(), Source::McpContent).await.unwrap()]
    {
        assert_eq!(code(interline.accept_proposal(&caller, proposal.id, accept()).await), "forbidden");
        assert_eq!(code(interline.reject_proposal(&caller, proposal.id, None, None).await), "forbidden");
        let decided = interline.decide_proposals(&caller, &several, &ProposalChoice::Accept).await;
        assert_eq!(code(decided), "forbidden");
    }
    assert_eq!(interline.proposals(&scene.agent().await, all()).await.unwrap().proposals.len(), 1, "its own it sees");
    assert_eq!(scene.world.text(&item).await.unwrap(), "one\n");
}

#[tokio::test]
async fn several_are_decided_each_by_itself() {
    let scene = Scene::new().await;
    let mut proposals = Vec::new();
    for number in 0..3 {
        let item = scene.world.create(Kind::Note, note_of("one\n")).await;
        scene.edit(&item, "one", &number.to_string()).await.unwrap();
    }
    for proposal in scene.proposals().await {
        proposals.push(proposal.reference());
    }
    proposals[1].revision = 7;
    let decided = scene.world.interline.decide_proposals(&scene.world.owner, &proposals, &ProposalChoice::Accept).await;
    let outcomes: Vec<&str> = decided
        .unwrap()
        .iter()
        .map(|one| match &one.result {
            Ok(proposal) => proposal.state.name(),
            Err(error) => error.code(),
        })
        .collect();
    assert_eq!(outcomes, ["accepted", "conflict", "accepted"]);
    assert_eq!(scene.proposals().await.len(), 1);
}
