//! Accepting proposals: whole, by hunk, with the reviewer's own text, after others changed the item.

use interline_items::{
    AcceptedPart, AcceptedText, Error, HistoryQuery, ItemChanges, Kind, ProposalError, ProposalState, ReviewState,
    UnfitCause,
};

use super::{ANY, Scene};
use crate::samples::{content, greeting, note_of, prompt, tagged, title};
use crate::world::{by_id, code, tags_of};

const TEN: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

#[tokio::test]
async fn a_chain_of_edits_is_one_version_of_its_token() {
    let scene = Scene::new().await;
    let item = scene.world.create(Kind::Note, note_of(TEN)).await;
    scene.edit(&item, "2\n", "two\n").await.unwrap();
    scene.edit(&item, "9\n", "nine\n").await.unwrap();
    let accepted = scene.accept_all().await.unwrap();
    assert_eq!(accepted.proposal.state, ProposalState::Accepted);
    assert_eq!(scene.world.text(&item).await.unwrap(), "1\ntwo\n3\n4\n5\n6\n7\n8\nnine\n10\n");
    assert_eq!(accepted.item.stamp.version, 2);
    let query = HistoryQuery { offset: 0, limit: 1 };
    let page = scene.world.interline.history(&scene.world.owner, &by_id(&item), query).await.unwrap();
    let record = &page.records[0];
    assert_eq!(record.token.as_ref().unwrap().name.as_deref(), Some("agent"));
    assert_eq!(record.review, ReviewState::Kept, "who accepted it has reviewed it");
    let by = record.accepted.as_ref().unwrap();
    assert_eq!(
        (by.proposal, by.by.id, by.text),
        (accepted.proposal.id, scene.world.owner.user(), AcceptedText::Proposed)
    );
    assert!(scene.proposals().await.is_empty());
    assert_eq!(scene.seen(&item).await, scene.world.text(&item).await.unwrap());
}

#[tokio::test]
async fn a_change_of_another_passage_stays_and_of_the_same_makes_it_stale() {
    let scene = Scene::new().await;
    let item = scene.world.create(Kind::Note, note_of(TEN)).await;
    scene.edit(&item, "2\n", "two\n").await.unwrap();
    scene.world.update(&item, content("1\n2\n3\n4\n5\n6\n7\n8\nNINE\n10\n")).await.unwrap();
    assert_eq!(scene.seen(&item).await, "1\ntwo\n3\n4\n5\n6\n7\n8\n9\n10\n", "the token sees what it proposed");
    scene.accept_all().await.unwrap();
    assert_eq!(scene.world.text(&item).await.unwrap(), "1\ntwo\n3\n4\n5\n6\n7\n8\nNINE\n10\n");

    scene.edit(&item, "5\n", "five\n").await.unwrap();
    scene.world.update(&item, content("1\ntwo\n3\n4\nFIVE\n6\n7\n8\nNINE\n10\n")).await.unwrap();
    let proposal = scene.pending().await;
    match scene.accept(proposal.reference(), AcceptedPart::Whole).await {
        Err(Error::Proposal(ProposalError::Unfit { cause: UnfitCause::Merge(_), state: ProposalState::Stale })) => {}
        other => panic!("{other:?}"),
    }
    assert_eq!(scene.details(proposal.id).await.summary.state, ProposalState::Stale);
    assert_eq!(
        scene.world.text(&item).await.unwrap(),
        "1\ntwo\n3\n4\nFIVE\n6\n7\n8\nNINE\n10\n",
        "nothing was applied"
    );
    match scene.accept(proposal.reference(), AcceptedPart::Whole).await {
        Err(Error::Proposal(ProposalError::Decided(ProposalState::Stale))) => {}
        other => panic!("{other:?}"),
    }
    assert_eq!(code(scene.edit(&item, "FIVE", "5").await), "ok", "the token proposes anew, on what is there");
}

#[tokio::test]
async fn hunks_are_accepted_one_by_one() {
    let scene = Scene::new().await;
    let item = scene.world.create(Kind::Note, note_of(TEN)).await;
    scene.edit(&item, "1\n2\n", "one\n2\n").await.unwrap();
    scene.edit(&item, "10\n", "ten\n").await.unwrap();
    scene.world.interline.update(&scene.agent().await, &by_id(&item), ANY, title("Numbers")).await.unwrap();
    let proposal = scene.pending().await;
    let hunks = scene.details(proposal.id).await.diff.unwrap().hunks;
    assert_eq!(hunks.len(), 2);
    let unknown = AcceptedPart::Hunks(vec![hunks[0].id.clone(), "nothing".to_owned()]);
    assert_eq!(code(scene.accept(proposal.reference(), unknown).await), "conflict");
    let first = scene.accept(proposal.reference(), AcceptedPart::Hunks(vec![hunks[0].id.clone()])).await.unwrap();
    assert_eq!((first.proposal.state, first.proposal.revision), (ProposalState::Pending, 4));
    assert_eq!(scene.world.text(&item).await.unwrap(), "one\n2\n3\n4\n5\n6\n7\n8\n9\n10\n");
    assert_eq!(scene.world.item(&item).await.fields.title.unwrap().as_str(), "Plan", "fields are of the rest");

    let rest = scene.details(proposal.id).await;
    assert_eq!(rest.changed_fields, ["title", "content"]);
    assert!(!rest.diff.unwrap().diff.text.contains("+one"));
    let done = scene.accept_all().await.unwrap();
    assert_eq!(done.proposal.state, ProposalState::Accepted);
    assert_eq!(scene.world.text(&item).await.unwrap(), "one\n2\n3\n4\n5\n6\n7\n8\n9\nten\n");
    assert_eq!(done.item.fields.title.unwrap().as_str(), "Numbers");
}

#[tokio::test]
async fn the_reviewers_own_text_is_stored_and_history_names_both() {
    let scene = Scene::new().await;
    let item = scene.world.create(Kind::Note, note_of("one\ntwo\n")).await;
    scene.edit(&item, "two", "2").await.unwrap();
    let proposal = scene.pending().await.reference();
    let accepted = scene.accept(proposal, AcceptedPart::Text("one\nzwei\n".to_owned())).await.unwrap();
    assert_eq!(scene.world.text(&item).await.unwrap(), "one\nzwei\n");
    assert_eq!(accepted.proposal.state, ProposalState::Accepted);
    let query = HistoryQuery { offset: 0, limit: 1 };
    let page = scene.world.interline.history(&scene.world.owner, &by_id(&item), query).await.unwrap();
    assert_eq!(page.records[0].accepted.as_ref().unwrap().text, AcceptedText::Reviewer);
    assert_eq!(page.records[0].token.as_ref().unwrap().name.as_deref(), Some("agent"));
}

#[tokio::test]
async fn an_older_revision_is_not_accepted() {
    let scene = Scene::new().await;
    let item = scene.world.create(Kind::Note, note_of("one\n")).await;
    scene.edit(&item, "one", "1").await.unwrap();
    let seen = scene.pending().await.reference();
    scene.edit(&item, "1", "I").await.unwrap();
    match scene.accept(seen, AcceptedPart::Whole).await {
        Err(Error::Proposal(ProposalError::OtherRevision { current: 2 })) => {}
        other => panic!("{other:?}"),
    }
    assert_eq!(scene.world.text(&item).await.unwrap(), "one\n");
}

#[tokio::test]
async fn two_accepts_at_once_make_one_version() {
    let scene = Scene::new().await;
    for round in 0..10 {
        let item = scene.world.create(Kind::Note, note_of("one\n")).await;
        scene.edit(&item, "one", "1").await.unwrap();
        let proposal = scene.pending().await.reference();
        let accept = || scene.accept(proposal, AcceptedPart::Whole);
        let outcomes = tokio::join!(accept(), accept(), accept());
        let codes = [code(outcomes.0), code(outcomes.1), code(outcomes.2)];
        assert_eq!(codes.iter().filter(|code| **code == "ok").count(), 1, "{round}: {codes:?}");
        assert_eq!(scene.world.item(&item).await.stamp.version, 2);
    }
}

#[tokio::test]
async fn new_items_are_made_and_a_taken_name_leaves_them_pending() {
    let scene = Scene::new().await;
    let interline = &scene.world.interline;
    let made = interline.create(&scene.agent().await, Kind::Prompt, greeting()).await.unwrap().item;
    scene.world.create(Kind::Prompt, greeting()).await;
    assert_eq!(code(scene.accept_all().await), "duplicate");
    let renamed = ItemChanges { name: crate::samples::to("hail"), ..ItemChanges::default() };
    interline.update(&scene.agent().await, &by_id(&made), ANY, renamed).await.unwrap();
    let accepted = scene.accept_all().await.unwrap();
    assert_eq!((accepted.item.id, accepted.item.stamp.version), (made.id, 1));
    assert_eq!(scene.world.text(&made).await.unwrap(), "Hello {{ who }}");
}

#[tokio::test]
async fn fields_are_merged_one_by_one() {
    let scene = Scene::new().await;
    let interline = &scene.world.interline;
    let item = scene.world.create(Kind::Note, tagged(note_of("one\n"), &["a", "b"])).await;
    let agent = scene.agent().await;
    interline.update(&agent, &by_id(&item), ANY, crate::samples::retag(&["c"], &["a"])).await.unwrap();
    scene.world.update(&item, crate::samples::retag(&["d"], &[])).await.unwrap();
    scene.world.update(&item, title("Mine")).await.unwrap();
    scene.accept_all().await.unwrap();
    let now = scene.world.item(&item).await;
    assert_eq!(tags_of(&now), ["b", "d", "c"]);
    assert_eq!(now.fields.title.unwrap().as_str(), "Mine");

    interline.update(&scene.agent().await, &by_id(&item), ANY, title("Theirs")).await.unwrap();
    scene.world.update(&item, title("Ours")).await.unwrap();
    assert_eq!(code(scene.accept_all().await), "conflict");
    assert_eq!(scene.world.item(&item).await.fields.title.unwrap().as_str(), "Ours");
}

#[tokio::test]
async fn what_the_kind_refuses_after_a_merge_is_not_stored() {
    let scene = Scene::new().await;
    let interline = &scene.world.interline;
    let item = scene.world.create(Kind::Prompt, prompt("p", "{{ a }}\n\nmiddle\n\nend\n", &["a"])).await;
    scene.edit(&item, "end\n", "end {{ a }}\n").await.unwrap();
    let without = ItemChanges {
        arguments: interline_items::FieldChange::Set(Vec::new()),
        content: crate::samples::to("no\n\nmiddle\n\nend\n"),
        ..ItemChanges::default()
    };
    interline.update(&scene.world.owner, &by_id(&item), ANY, without).await.unwrap();
    assert_eq!(code(scene.accept_all().await), "conflict");
    assert_eq!(scene.world.text(&item).await.unwrap(), "no\n\nmiddle\n\nend\n");
}

#[tokio::test]
async fn a_proposal_for_a_deleted_item_is_stale_and_for_a_purged_one_gone() {
    let scene = Scene::new().await;
    let interline = &scene.world.interline;
    for permanent in [false, true] {
        let item = scene.world.create(Kind::Note, note_of("one\n")).await;
        scene.edit(&item, "one", "1").await.unwrap();
        let proposal = scene.pending().await;
        if permanent {
            interline.purge(&scene.world.owner, &by_id(&item), ANY).await.unwrap();
        } else {
            interline.delete(&scene.world.owner, &by_id(&item), ANY).await.unwrap();
        }
        match scene.accept(proposal.reference(), AcceptedPart::Whole).await {
            Err(Error::Proposal(ProposalError::Unfit { cause: UnfitCause::Gone, state: ProposalState::Stale })) => {
                assert!(!permanent);
            }
            Err(Error::Missing { what: "proposal", .. }) => assert!(permanent, "a purge takes the proposals along"),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_proposal_of_a_title_takes_no_text_of_others_along() {
    let scene = Scene::new().await;
    let item = scene.world.create(Kind::Note, note_of(TEN)).await;
    scene.world.interline.update(&scene.agent().await, &by_id(&item), ANY, title("Numbers")).await.unwrap();
    scene.world.update(&item, content("1\nTWO\n3\n4\n5\n6\n7\n8\n9\n10\n")).await.unwrap();
    assert_eq!(scene.seen(&item).await, TEN, "the token sees the version that it proposes for");
    scene.edit(&item, "9\n", "nine\n").await.unwrap();
    let diff = scene.details(scene.pending().await.id).await.diff.unwrap().diff.text;
    assert!(diff.contains("+nine") && !diff.contains("TWO"), "{diff}");
    scene.world.update(&item, content(TEN)).await.unwrap();
    scene.accept_all().await.unwrap();
    assert_eq!(
        scene.world.text(&item).await.unwrap(),
        "1\n2\n3\n4\n5\n6\n7\n8\nnine\n10\n",
        "what was taken back stays so"
    );
    assert_eq!(scene.world.item(&item).await.fields.title.unwrap().as_str(), "Numbers");
}

#[tokio::test]
async fn the_reviewers_text_is_checked_as_any_content() {
    let scene = Scene::new().await;
    let item = scene.world.create(Kind::Note, note_of("one\n")).await;
    scene.edit(&item, "one", "1").await.unwrap();
    let proposal = scene.pending().await.reference();
    let refused = scene.accept(proposal, AcceptedPart::Text("a\0b".to_owned())).await;
    assert_eq!(code(refused), "validation_failed");
    assert_eq!(code(scene.accept(proposal, AcceptedPart::Whole).await), "ok");
}

#[tokio::test]
async fn an_action_and_its_opposite_leave_what_people_did() {
    let scene = Scene::new().await;
    let interline = &scene.world.interline;
    let item = scene.world.create(Kind::Note, note_of("one\n")).await;
    interline.archive(&scene.agent().await, &by_id(&item), ANY).await.unwrap();
    interline.unarchive(&scene.agent().await, &by_id(&item), ANY).await.unwrap();
    scene.edit(&item, "one", "1").await.unwrap();
    assert!(scene.details(scene.pending().await.id).await.actions.is_empty());
    interline.archive(&scene.world.owner, &by_id(&item), ANY).await.unwrap();
    assert!(scene.accept_all().await.unwrap().item.archived_at.is_some());
}

#[tokio::test]
async fn what_comes_back_from_the_trash_may_have_another_name() {
    let scene = Scene::new().await;
    let interline = &scene.world.interline;
    let old = scene.world.create(Kind::Prompt, greeting()).await;
    interline.delete(&scene.world.owner, &by_id(&old), ANY).await.unwrap();
    scene.world.create(Kind::Prompt, greeting()).await;
    let back = ItemChanges {
        name: crate::samples::to("hail"),
        trash_state: Some(interline_items::TrashState::Restored),
        ..ItemChanges::default()
    };
    interline.update(&scene.agent().await, &by_id(&old), ANY, back).await.unwrap();
    let accepted = scene.accept_all().await.unwrap().item;
    assert!(accepted.deleted_at.is_none());
    assert_eq!(accepted.fields.name.unwrap().as_str(), "hail");
}
