//! Proposals: how a batch makes, replaces and decides them, and how they are found.

use std::collections::BTreeSet;
use std::sync::Arc;

use interline_items::{
    Action, AnnouncedSubject, Announcement, Batch, Client, EventSubject, Item, Kind, NamedId, Proposal,
    ProposalDecision, ProposalEvent, ProposalFilter, ProposalId, ProposalNews, ProposalQuery, ProposalRef,
    ProposalRequest, ProposalState, ProposalSummary, ProposalWrite, ProposedContent, ProposedStates, Proposer, Reason,
    Snapshot, Source, Store, StoreError,
};

use crate::fixtures::authors::{Author, author};
use crate::fixtures::samples::{at, note, prompt};
use crate::fixtures::test_store::TestStore;

on_both!(
    a_proposal_comes_back_as_it_was,
    one_proposer_has_one_pending_proposal_for_an_item,
    a_revision_replaces_the_one_before_it_and_no_other,
    a_decision_is_made_once,
    a_rejection_is_told_once,
    a_name_is_found_among_the_pending_ones_of_its_proposer,
    lists_show_a_reviewer_the_spaces_and_a_proposer_its_own,
    old_and_decided_proposals_are_found_by_their_age,
    a_batch_that_is_stale_writes_no_proposal,
    a_proposal_is_an_event,
    a_space_takes_its_proposals_along,
);

fn proposer(author: &Author) -> Proposer {
    Proposer { user: author.user.id, token: Some(author.token.token.id) }
}

fn proposal(author: &Author, of: &Snapshot) -> Proposal {
    let Snapshot { item, content } = of.clone();
    let token = &author.token.token;
    Proposal {
        summary: ProposalSummary {
            id: ProposalId::generate(),
            revision: 1,
            state: ProposalState::Pending,
            item: item.id,
            kind: item.kind,
            space: item.space,
            title: item.fields.shown_title().map(str::to_owned),
            base: Some(item.stamp),
            user: NamedId { id: author.user.id, name: Some(author.user.name.clone()) },
            token: Some(NamedId { id: token.id, name: Some(token.name.clone()) }),
            author: interline_items::Author::Agent,
            source: Source::McpContent,
            client: Client::parse("tester", Some("1.0")).unwrap(),
            reason: Reason::parse("because").unwrap(),
            created_at: at(10),
            updated_at: at(11),
            decision: None,
        },
        item: Item { updated_at: at(11), ..item },
        content: ProposedContent::Set(content),
        states: ProposedStates { archive: Some(Action::Archive), trash: None },
        requests: vec![ProposalRequest {
            at: at(11),
            action: Action::Update,
            changed_fields: vec!["title".to_owned()],
            reason: None,
        }],
    }
}

async fn write(store: &dyn Store, write: ProposalWrite) -> Result<(), StoreError> {
    store.commit(Batch { proposals: vec![write], ..Batch::default() }).await
}

async fn make(store: &dyn Store, author: &Author, of: &Snapshot) -> Proposal {
    let made = proposal(author, of);
    write(store, ProposalWrite::Make(Box::new(made.clone()))).await.unwrap();
    made
}

fn decide(proposal: &Proposal, state: ProposalState, seconds: i64) -> ProposalWrite {
    let ProposalSummary { item, ref user, .. } = proposal.summary;
    let decision = ProposalDecision { by: Some(user.clone()), at: at(seconds), reason: Reason::parse("no").unwrap() };
    ProposalWrite::Decide { proposal: proposal.summary.reference(), item, state, decision }
}

async fn a_proposal_comes_back_as_it_was(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let sample = ada.create(store, note(&ada.space, "Plan")).await;
    for content in [ProposedContent::Set(Some(Arc::from("text\n"))), ProposedContent::Set(None), ProposedContent::Keep]
    {
        let mut made = proposal(&ada, &sample);
        made.content = content;
        made.item.content = match &made.content {
            ProposedContent::Set(Some(text)) => Some(interline_items::ContentInfo::from_text(text)),
            ProposedContent::Set(None) | ProposedContent::Keep => None,
        };
        write(store, ProposalWrite::Make(Box::new(made.clone()))).await.unwrap();
        assert_eq!(store.proposal(made.summary.id).await.unwrap(), Some(made.clone()));
        assert_eq!(store.own_proposals(proposer(&ada), sample.item.id).await.unwrap().pending, Some(made.clone()));
        write(store, decide(&made, ProposalState::Withdrawn, 20)).await.unwrap();
    }
    assert_eq!(store.proposal(ProposalId::generate()).await.unwrap(), None);
}

async fn one_proposer_has_one_pending_proposal_for_an_item(test: TestStore) {
    let store = &*test.store;
    let (ada, bob) = (author(store, "ada").await, author(store, "bob").await);
    let sample = ada.create(store, note(&ada.space, "Plan")).await;
    make(store, &ada, &sample).await;
    let second = write(store, ProposalWrite::Make(Box::new(proposal(&ada, &sample)))).await;
    assert!(matches!(second, Err(StoreError::Stale(id)) if id == sample.item.id));
    make(store, &bob, &sample).await;
    let alone = Proposer { token: None, ..proposer(&ada) };
    assert_eq!(store.own_proposals(alone, sample.item.id).await.unwrap().pending, None);
}

async fn a_revision_replaces_the_one_before_it_and_no_other(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let sample = ada.create(store, note(&ada.space, "Plan")).await;
    let first = make(store, &ada, &sample).await;
    let mut next = first.clone();
    next.summary.revision = 2;
    next.summary.updated_at = at(30);
    next.item.updated_at = at(30);
    next.states = ProposedStates { archive: None, trash: Some(Action::Delete) };
    write(store, ProposalWrite::Replace(Box::new(next.clone()))).await.unwrap();
    assert_eq!(store.proposal(first.summary.id).await.unwrap(), Some(next.clone()));
    assert!(matches!(write(store, ProposalWrite::Replace(Box::new(next.clone()))).await, Err(StoreError::Stale(_))));
    write(store, decide(&next, ProposalState::Rejected, 40)).await.unwrap();
    next.summary.revision = 3;
    assert!(matches!(write(store, ProposalWrite::Replace(Box::new(next))).await, Err(StoreError::Stale(_))));
}

async fn a_decision_is_made_once(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let sample = ada.create(store, note(&ada.space, "Plan")).await;
    let made = make(store, &ada, &sample).await;
    let mut later = made.clone();
    later.summary.revision = 2;
    assert!(matches!(write(store, decide(&later, ProposalState::Accepted, 20)).await, Err(StoreError::Stale(_))));
    let outcomes = tokio::join!(
        write(store, decide(&made, ProposalState::Accepted, 20)),
        write(store, decide(&made, ProposalState::Rejected, 20)),
    );
    assert!(outcomes.0.is_ok() != outcomes.1.is_ok(), "{outcomes:?}");
    let decided = store.proposal(made.summary.id).await.unwrap().unwrap().summary;
    assert_ne!(decided.state, ProposalState::Pending);
    assert_eq!(decided.decision.unwrap().by.unwrap().name.as_deref(), Some("ada"));
}

async fn a_rejection_is_told_once(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let sample = ada.create(store, note(&ada.space, "Plan")).await;
    let made = make(store, &ada, &sample).await;
    write(store, decide(&made, ProposalState::Rejected, 20)).await.unwrap();
    let own = store.own_proposals(proposer(&ada), sample.item.id).await.unwrap();
    assert!(own.pending.is_none());
    assert_eq!(own.rejected.unwrap().reason, Reason::parse("no").unwrap());
    write(store, ProposalWrite::Told(made.summary.id)).await.unwrap();
    assert!(store.own_proposals(proposer(&ada), sample.item.id).await.unwrap().rejected.is_none());
}

async fn a_name_is_found_among_the_pending_ones_of_its_proposer(test: TestStore) {
    let store = &*test.store;
    let (ada, bob) = (author(store, "ada").await, author(store, "bob").await);
    let sample = prompt(&ada.space, "greet");
    let made = make(store, &ada, &sample).await;
    let find = |who: Proposer, spaces: Vec<_>, kind, name: &'static str| async move {
        store.proposed_item(who, &spaces, kind, name).await.unwrap()
    };
    let (own, spaces) = (proposer(&ada), vec![bob.space.id, ada.space.id]);
    assert_eq!(find(own, spaces.clone(), Kind::Prompt, "greet").await, Some(sample.item.id));
    assert_eq!(find(own, vec![bob.space.id], Kind::Prompt, "greet").await, None);
    assert_eq!(find(own, spaces.clone(), Kind::Bookmark, "greet").await, None);
    assert_eq!(find(proposer(&bob), spaces.clone(), Kind::Prompt, "greet").await, None);
    write(store, decide(&made, ProposalState::Withdrawn, 20)).await.unwrap();
    assert_eq!(find(own, spaces, Kind::Prompt, "greet").await, None);
}

async fn lists_show_a_reviewer_the_spaces_and_a_proposer_its_own(test: TestStore) {
    let store = &*test.store;
    let (ada, bob) = (author(store, "ada").await, author(store, "bob").await);
    let mut made = Vec::new();
    for title in ["One", "Two", "Three"] {
        let sample = ada.create(store, note(&ada.space, title)).await;
        made.push(make(store, &bob, &sample).await.summary.id);
    }
    made.reverse();
    let query = |spaces: &[&Author], who: &Author, filter: ProposalFilter| ProposalQuery {
        spaces: spaces.iter().map(|author| author.space.id).collect(),
        kinds: Kind::ALL.into(),
        proposer: proposer(who),
        filter,
        after: None,
        limit: 10,
    };
    let ids = |query: ProposalQuery| async move {
        store.proposals(&query).await.unwrap().into_iter().map(|proposal| proposal.id).collect::<Vec<_>>()
    };
    let all = ProposalFilter::default;
    assert_eq!(ids(query(&[&ada], &ada, all())).await, made, "newest first");
    assert_eq!(ids(query(&[], &bob, all())).await, made, "those that it made");
    assert_eq!(ids(query(&[], &ada, all())).await, []);
    assert_eq!(ids(query(&[&bob], &ada, all())).await, []);
    let prompts = ProposalQuery { kinds: BTreeSet::from([Kind::Prompt]), ..query(&[&ada], &ada, all()) };
    assert_eq!(ids(prompts).await, []);
    let after = ProposalQuery { after: Some(made[0]), limit: 1, ..query(&[&ada], &ada, all()) };
    assert_eq!(ids(after).await, [made[1]]);
    let second = store.proposal(made[1]).await.unwrap().unwrap();
    write(store, decide(&second, ProposalState::Accepted, 20)).await.unwrap();
    let accepted = ProposalFilter { state: Some(ProposalState::Accepted), ..all() };
    assert_eq!(ids(query(&[&ada], &ada, accepted)).await, [made[1]]);
    let of_item = ProposalFilter { item: Some(second.summary.item), ..all() };
    assert_eq!(ids(query(&[&ada], &ada, of_item)).await, [made[1]]);
    let of_user = ProposalFilter { user: Some(ada.user.id), ..all() };
    assert_eq!(ids(query(&[&ada], &ada, of_user)).await, []);
    let of_token = ProposalFilter { token: Some(bob.token.token.id), ..all() };
    assert_eq!(ids(query(&[&ada], &ada, of_token)).await.len(), 3);
}

async fn old_and_decided_proposals_are_found_by_their_age(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let sample = ada.create(store, note(&ada.space, "Plan")).await;
    let made = make(store, &ada, &sample).await;
    assert_eq!(store.old_proposals(at(11), 10).await.unwrap(), []);
    assert_eq!(store.old_proposals(at(12), 10).await.unwrap(), std::slice::from_ref(&made.summary));
    assert_eq!(store.forget_proposals(at(100)).await.unwrap(), 0, "it is not decided");
    write(store, decide(&made, ProposalState::Stale, 50)).await.unwrap();
    assert_eq!(store.old_proposals(at(100), 10).await.unwrap(), []);
    assert_eq!(store.forget_proposals(at(50)).await.unwrap(), 0);
    assert_eq!(store.forget_proposals(at(51)).await.unwrap(), 1);
    assert_eq!(store.proposal(made.summary.id).await.unwrap(), None);
}

async fn a_batch_that_is_stale_writes_no_proposal(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let sample = ada.create(store, note(&ada.space, "Plan")).await;
    let made = make(store, &ada, &sample).await;
    let retitled = ada.retitling(&sample, "Next");
    ada.change(store, &sample, retitled.clone()).await.unwrap();
    let accept = Batch {
        writes: vec![retitled],
        proposals: vec![decide(&made, ProposalState::Accepted, 20)],
        ..Batch::default()
    };
    assert!(matches!(store.commit(accept).await, Err(StoreError::Stale(_))));
    assert_eq!(store.proposal(made.summary.id).await.unwrap().unwrap().summary.state, ProposalState::Pending);
}

async fn a_proposal_is_an_event(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let sample = ada.create(store, note(&ada.space, "Plan")).await;
    let made = proposal(&ada, &sample);
    let event = ProposalEvent {
        proposal: ProposalRef { id: made.summary.id, revision: 1 },
        item: sample.item.id,
        kind: Kind::Note,
        proposer: proposer(&ada).key(),
        news: ProposalNews::Made,
    };
    let announcement = Announcement {
        space: ada.space.id,
        subject: AnnouncedSubject::Proposal(event),
        record: ada.record(Action::Update, at(20)),
    };
    let proposals = vec![ProposalWrite::Make(Box::new(made))];
    store.commit(Batch { proposals, announcements: vec![announcement], ..Batch::default() }).await.unwrap();
    let events = store.events(&[(ada.space.id, 1)].into(), 10).await.unwrap();
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].subject, EventSubject::Proposal(event));
}

async fn a_space_takes_its_proposals_along(test: TestStore) {
    let store = &*test.store;
    let (ada, bob) = (author(store, "ada").await, author(store, "bob").await);
    let sample = ada.create(store, note(&ada.space, "Plan")).await;
    let made = make(store, &bob, &sample).await;
    store.remove_user(ada.user.id, interline_items::RemoveUser::Purge, at(90)).await.unwrap();
    assert_eq!(store.proposal(made.summary.id).await.unwrap(), None);
}
