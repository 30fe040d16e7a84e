//! What a proposing token writes and sees.

use interline_items::{
    AppDraft, Error, Expectation, ExpectedVersion, FieldChange, HistoryQuery, ImportMode, ImportRequest, ItemChanges,
    Kind, ProposalError, ReadContent, Scope, TextChange, TokenDraft, Writes,
};

use super::{ANY, Scene, proposing_token};
use crate::samples::{bookmark, by_name, content, greeting, note, note_of, prompt, tag, title, to, token};
use crate::world::{by_id, code};

#[tokio::test]
async fn an_edit_is_kept_and_only_its_token_sees_it() {
    let scene = Scene::new().await;
    let item = scene.world.create(Kind::Note, note_of("one\ntwo\nthree\n")).await;
    let edited = scene.edit(&item, "two", "TWO").await.unwrap();
    assert_eq!(edited.after.item.stamp.version, 1, "the version is that of the base");
    let proposal = edited.after.item.pending_proposal().unwrap();
    assert_eq!(proposal.revision, 1);

    assert_eq!(scene.world.text(&item).await.unwrap(), "one\ntwo\nthree\n", "nothing is stored");
    assert_eq!(scene.seen(&item).await, "one\nTWO\nthree\n");
    let other = scene.world.interline.authenticate(proposing_token(&scene.world, "other").await, scene_source()).await;
    let read = scene.world.interline.read(&other.unwrap(), &by_id(&item), ReadContent::Whole).await.unwrap();
    assert_eq!(&*read.part.unwrap().text, "one\ntwo\nthree\n", "another token sees what is stored");

    let again = scene.edit(&item, "TWO", "2").await.unwrap();
    let next = again.after.item.pending_proposal().unwrap();
    assert_eq!((next.id, next.revision), (proposal.id, 2), "the same proposal, its next revision");
    assert_eq!(scene.seen(&item).await, "one\n2\nthree\n");
    let details = scene.details(proposal.id).await;
    assert_eq!(details.requests.len(), 2);
    assert!(details.diff.unwrap().diff.text.contains("-two\n+2\n"));
    let query = HistoryQuery { offset: 0, limit: 9 };
    let history = scene.world.interline.history(&scene.agent().await, &by_id(&item), query).await.unwrap();
    assert_eq!(history.total, 1, "history shows what is stored");
}

fn scene_source() -> interline_items::Source {
    interline_items::Source::Rest
}

#[tokio::test]
async fn a_proposal_goes_through_all_checks() {
    let scene = Scene::new().await;
    let item = scene.world.create(Kind::Note, note_of("one\n")).await;
    assert_eq!(code(scene.edit(&item, "missing", "x").await), "no_match");
    let agent = scene.agent().await;
    let interline = &scene.world.interline;
    let expected = ExpectedVersion::Exactly(2, Expectation::ExpectedVersion);
    assert_eq!(code(interline.update(&agent, &by_id(&item), expected, content("x\n")).await), "conflict");
    let unused = prompt("p", "Hello {{ name }}", &["other"]);
    assert_eq!(code(interline.create(&agent, Kind::Prompt, unused).await), "invalid_template");
    assert!(scene.proposals().await.is_empty());
}

#[tokio::test]
async fn a_proposed_item_has_its_id_and_its_name_at_once() {
    let scene = Scene::new().await;
    let (interline, agent) = (&scene.world.interline, scene.agent().await);
    let made = interline.create(&agent, Kind::Prompt, greeting()).await.unwrap().item;
    assert_eq!(
        code(scene.world.interline.read(&scene.world.owner, &by_id(&made), ReadContent::Omit).await),
        "not_found"
    );
    let seen = interline.read(&agent, &by_name("greet"), ReadContent::Whole).await.unwrap();
    assert_eq!((seen.item.id, &*seen.part.unwrap().text), (made.id, "Hello {{ who }}"));
    assert_eq!(
        code(interline.create(&agent, Kind::Prompt, greeting()).await),
        "duplicate",
        "its own pending one has the name"
    );
    assert_eq!(
        code(interline.create(&scene.world.owner, Kind::Prompt, greeting()).await),
        "ok",
        "nobody else is kept from it"
    );

    let url = "https://example.org/";
    scene.world.create(Kind::Bookmark, bookmark(url)).await;
    assert_eq!(code(interline.create(&agent, Kind::Bookmark, bookmark(url)).await), "duplicate");
    let renamed = ItemChanges { name: to("hail"), ..ItemChanges::default() };
    let by_id = by_id(&made);
    interline.update(&agent, &by_id, ANY, renamed).await.unwrap();
    assert_eq!(code(interline.read(&agent, &by_name("hail"), ReadContent::Omit).await), "ok");
}

#[tokio::test]
async fn fields_and_states_are_proposed_beside_the_content() {
    let scene = Scene::new().await;
    let item = scene.world.create(Kind::Note, note_of("one\n")).await;
    let (interline, agent) = (&scene.world.interline, scene.agent().await);
    interline.update(&agent, &by_id(&item), ANY, title("Better")).await.unwrap();
    interline.archive(&agent, &by_id(&item), ANY).await.unwrap();
    let seen = interline.read(&agent, &by_id(&item), ReadContent::Whole).await.unwrap();
    assert_eq!(seen.item.fields.title.unwrap().as_str(), "Better");
    assert!(seen.item.archived_at.is_some());
    assert_eq!(&*seen.part.unwrap().text, "one\n");
    let details = scene.details(scene.pending().await.id).await;
    assert_eq!((details.changed_fields, details.actions.len()), (vec!["title"], 1));
    let accepted = scene.accept_all().await.unwrap().item;
    assert_eq!(accepted.fields.title.unwrap().as_str(), "Better");
    assert!(accepted.archived_at.is_some());

    interline.delete(&scene.agent().await, &by_id(&item), ANY).await.unwrap();
    assert!(scene.world.item(&item).await.deleted_at.is_none());
    assert!(scene.accept_all().await.unwrap().item.deleted_at.is_some());
}

#[tokio::test]
async fn a_write_of_more_than_one_item_is_refused() {
    let scene = Scene::new().await;
    let (interline, agent) = (&scene.world.interline, scene.agent().await);
    let item = scene.world.create(Kind::Note, crate::samples::tagged(note("a"), &["x"])).await;
    let app = AppDraft { name: "app".to_owned(), slug: None, description: None, organization: None, navigation: None };
    let import = ImportRequest { source: "vault".to_owned(), mode: ImportMode::Write };
    for (what, outcome) in [
        ("rename a tag", code(interline.rename_tag(&agent, &tag("x"), &tag("y")).await)),
        ("delete a tag", code(interline.delete_tag(&agent, &tag("x")).await)),
        ("make an app", code(interline.create_app(&agent, app).await)),
        ("import", code(interline.import(&agent, import))),
        ("mark as used", code(interline.track_usage(&agent, &by_id(&item), ANY).await)),
        ("purge", code(interline.purge(&agent, &by_id(&item), ANY).await)),
        ("make a token", code(interline.create_token(&agent, token()).await)),
    ] {
        assert_eq!(outcome, "forbidden", "{what}");
    }
    assert!(scene.proposals().await.is_empty());
    assert_eq!(scene.world.item(&item).await, item, "nothing changed");
}

#[tokio::test]
async fn a_person_may_use_a_proposing_token_and_still_decides_nothing() {
    let scene = Scene::new().await;
    let interline = &scene.world.interline;
    let scopes = Some(Scope::ALL.into());
    let draft = TokenDraft { writes: Writes::Propose, scopes, ..token() };
    let (made, secret) = interline.create_token(&scene.world.owner, draft).await.unwrap();
    assert_eq!(made.writes, Writes::Propose);
    let secret = interline_items::SecretHash::from_secret(secret.as_str());
    let caller = interline.authenticate(secret, scene_source()).await.unwrap();
    let item = scene.world.create(Kind::Note, note_of("one\n")).await;
    scene.edit(&item, "one", "ONE").await.unwrap();
    let pending = scene.pending().await;
    let request = interline_items::AcceptProposal { revision: 1, part: interline_items::AcceptedPart::Whole };
    assert_eq!(code(interline.accept_proposal(&caller, pending.id, request).await), "forbidden");
    assert_eq!(code(interline.reject_proposal(&caller, pending.id, None, None).await), "forbidden");
    assert_eq!(code(interline.withdraw_proposal(&caller, pending.id).await), "not_found");
    assert_eq!(code(interline.create_token(&caller, token()).await), "forbidden");
}

#[tokio::test]
async fn a_user_has_a_thousand_pending_proposals_at_the_most() {
    let scene = Scene::new().await;
    let (interline, agent) = (&scene.world.interline, scene.agent().await);
    for number in 0..interline_items::MAX_PENDING_PROPOSALS {
        interline.create(&agent, Kind::Note, note(&format!("note {number}"))).await.unwrap();
    }
    let refused = interline.create(&agent, Kind::Note, note("one more")).await.unwrap_err();
    assert!(matches!(refused, Error::Proposal(ProposalError::TooMany)));
    assert_eq!(refused.code(), "too_many_proposals");
    let other = proposing_token(&scene.world, "other").await;
    let other = interline.authenticate(other, scene_source()).await.unwrap();
    assert_eq!(code(interline.create(&other, Kind::Note, note("x")).await), "too_many_proposals", "of all its tokens");
    let first = scene.proposals().await[0].clone();
    interline.withdraw_proposal(&agent, first.id).await.unwrap();
    assert_eq!(code(interline.create(&agent, Kind::Note, note("one more")).await), "ok");
}

#[tokio::test]
async fn a_dry_run_and_a_write_without_effect_propose_nothing() {
    let scene = Scene::new().await;
    let item = scene.world.create(Kind::Note, note_of("one\n")).await;
    let (interline, agent) = (&scene.world.interline, scene.agent().await);
    let change =
        interline_items::PassageChange { old_str: "one".to_owned(), new_str: "two".to_owned(), expected_matches: 1 };
    let request = interline_items::EditRequest {
        mode: interline_items::EditMode::DryRun,
        ..interline_items::EditRequest::new(TextChange::Replace(change))
    };
    interline.edit(&agent, &by_id(&item), request).await.unwrap();
    let unchanged = ItemChanges { title: FieldChange::Set("Plan".to_owned()), ..ItemChanges::default() };
    interline.update(&agent, &by_id(&item), ANY, unchanged).await.unwrap();
    assert!(scene.proposals().await.is_empty());
    assert!(agent.proposed().is_none() && !agent.was_shown_pending());
}
