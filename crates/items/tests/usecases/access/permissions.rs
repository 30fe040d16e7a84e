//! What each caller may do, tried with every use case.

use std::collections::BTreeMap;

use interline_items::{
    Caller, Error, ExpectedVersion, Item, ItemChanges, ItemRef, Kind, Rank, ReadContent, Refusal, Scope,
    TagCountFilter, TokenDraft,
};
use serde_json::json;

use crate::items::find_items::{everything, listed};
use crate::samples::{bookmark, by_name, greeting, note, tag, tagged, title, token};
use crate::world::{World, by_id, code, set};

/// What every use case that reads an item answers.
async fn reads(world: &World, caller: &Caller, which: &ItemRef) -> [(&'static str, &'static str); 3] {
    let interline = &world.interline;
    let values = BTreeMap::from([("who".to_owned(), json!("you"))]);
    [
        ("read", code(interline.read(caller, which, ReadContent::Omit).await)),
        ("read content", code(interline.read(caller, which, ReadContent::Whole).await)),
        ("render", code(interline.render(caller, which, values).await)),
    ]
}

/// What every use case that changes an item answers.
async fn writes(world: &World, caller: &Caller, which: &ItemRef) -> [(&'static str, &'static str); 8] {
    let interline = &world.interline;
    [
        ("update", code(interline.update(caller, which, ExpectedVersion::Any, title("Mine")).await)),
        ("update nothing", code(interline.update(caller, which, ExpectedVersion::Any, ItemChanges::default()).await)),
        ("archive", code(interline.archive(caller, which, ExpectedVersion::Any).await)),
        ("unarchive", code(interline.unarchive(caller, which, ExpectedVersion::Any).await)),
        ("delete", code(interline.delete(caller, which, ExpectedVersion::Any).await)),
        ("restore", code(interline.restore(caller, which, ExpectedVersion::Any).await)),
        ("track usage", code(interline.track_usage(caller, which, ExpectedVersion::Any).await)),
        ("purge", code(interline.purge(caller, which, ExpectedVersion::Any).await)),
    ]
}

fn assert_all(outcomes: &[(&str, &str)], expected: &str) {
    for (use_case, outcome) in outcomes {
        assert_eq!(*outcome, expected, "{use_case}");
    }
}

/// An item does not exist for a caller, and stays as it is.
async fn assert_hidden(world: &World, caller: &Caller, item: &Item, refs: &[ItemRef]) {
    for which in refs {
        assert_all(&reads(world, caller, which).await, "not_found");
        assert_all(&writes(world, caller, which).await, "not_found");
    }
    assert!(listed(world, caller, everything()).await.iter().all(|seen| seen.id != item.id));
    assert_eq!(world.item(item).await, *item);
}

#[tokio::test]
async fn the_items_of_others_do_not_exist_not_even_for_admins() {
    let world = World::new().await;
    let item = world.create(Kind::Prompt, tagged(greeting(), &["a"])).await;
    for rank in [Rank::Member, Rank::Admin] {
        let other = world.user("other", rank).await;
        assert_hidden(&world, &other, &item, &[by_id(&item), by_name("greet")]).await;
        assert_eq!(world.interline.tags(&other, &TagCountFilter::default()).await.unwrap(), []);
        assert_eq!(code(world.interline.rename_tag(&other, &tag("a"), &tag("b")).await), "not_found");
        assert_eq!(code(world.interline.delete_tag(&other, &tag("a")).await), "not_found");
        assert_eq!(world.item(&item).await, item);
    }
}

#[tokio::test]
async fn two_users_may_use_the_same_name_and_address() {
    let world = World::new().await;
    let other = world.user("other", Rank::Member).await;
    for (kind, draft) in [(Kind::Prompt, greeting()), (Kind::Bookmark, bookmark("https://a.example/"))] {
        world.create(kind, draft.clone()).await;
        assert_eq!(code(world.interline.create(&other, kind, draft).await), "ok");
    }
    let own = world.interline.read(&other, &by_name("greet"), ReadContent::Omit).await.unwrap().item;
    let owners = world.interline.read(&world.owner, &by_name("greet"), ReadContent::Omit).await.unwrap().item;
    assert_ne!(own.id, owners.id);
}

#[tokio::test]
async fn a_token_that_only_reads_is_forbidden_to_write() {
    let world = World::new().await;
    let item = world.create(Kind::Prompt, tagged(greeting(), &["a"])).await;
    let reader = world.narrowed(TokenDraft { scopes: Some(set([Scope::Read])), ..token() }).await;
    for which in [by_id(&item), by_name("greet")] {
        assert_all(&writes(&world, &reader, &which).await, "forbidden");
    }
    assert_eq!(code(world.interline.create(&reader, Kind::Note, note("a")).await), "forbidden");
    assert_eq!(code(world.interline.rename_tag(&reader, &tag("a"), &tag("b")).await), "forbidden");
    assert_eq!(code(world.interline.delete_tag(&reader, &tag("a")).await), "forbidden");
    assert_eq!(world.item(&item).await, item);
    assert_eq!(code(world.interline.create_token(&reader, token()).await), "forbidden");
    assert_all(&reads(&world, &reader, &by_id(&item)).await, "ok");
    assert_eq!(listed(&world, &reader, everything()).await.len(), 1);
    assert_eq!(world.interline.tags(&reader, &TagCountFilter::default()).await.unwrap().len(), 1);
    // What does not exist is not found, whatever the token may do.
    let other = world.user("other", Rank::Member).await;
    let reader = world.narrowed_by(&other, TokenDraft { scopes: Some(set([Scope::Read])), ..token() }).await;
    assert_eq!(
        code(world.interline.update(&reader, &by_id(&item), ExpectedVersion::Any, title("a")).await),
        "not_found"
    );
}

#[tokio::test]
async fn a_token_that_only_writes_is_forbidden_to_read() {
    let world = World::new().await;
    let item = world.create(Kind::Prompt, greeting()).await;
    let writer = world.narrowed(TokenDraft { scopes: Some(set([Scope::Write])), ..token() }).await;
    assert_all(&reads(&world, &writer, &by_id(&item)).await, "forbidden");
    assert_eq!(code(world.interline.find_items(&writer, everything()).await), "forbidden");
    assert_eq!(code(world.interline.tags(&writer, &TagCountFilter::default()).await), "forbidden");
    assert_eq!(code(world.interline.spaces(&writer)), "forbidden");
    assert_eq!(world.item(&item).await, item);
}

#[tokio::test]
async fn a_token_that_only_writes_makes_items_and_changes_none_that_the_answer_would_show() {
    let world = World::new().await;
    let item = world.create(Kind::Prompt, tagged(greeting(), &["a"])).await;
    let writer = world.narrowed(TokenDraft { scopes: Some(set([Scope::Write])), ..token() }).await;
    assert_eq!(code(world.interline.create(&writer, Kind::Note, note("a")).await), "ok");
    for which in [by_id(&item), by_name("greet")] {
        assert_all(&writes(&world, &writer, &which).await, "forbidden");
    }
    assert_eq!(code(world.interline.rename_tag(&writer, &tag("a"), &tag("b")).await), "forbidden");
    assert_eq!(code(world.interline.delete_tag(&writer, &tag("a")).await), "forbidden");
    assert_eq!(world.item(&item).await, item);
}

fn refusal<T>(outcome: Result<T, Error>) -> Refusal {
    match outcome.map(|_| ()) {
        Err(Error::Forbidden(refusal)) => refusal,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_refusal_says_what_would_have_to_be_different() {
    let world = World::new().await;
    let interline = &world.interline;
    let item = world.create(Kind::Note, note("a")).await;
    let member = world.user("member", Rank::Member).await;
    let reader = world.narrowed(TokenDraft { scopes: Some(set([Scope::Read])), ..token() }).await;
    let writer = world.narrowed(TokenDraft { scopes: Some(set([Scope::Write])), ..token() }).await;
    let prompts = world.narrowed(TokenDraft { kinds: Some(set([Kind::Prompt])), ..token() }).await;
    let elsewhere = world.narrowed(TokenDraft { spaces: Some(set([])), ..token() }).await;
    let make = async |caller: &Caller| refusal(interline.create(caller, Kind::Note, note("b")).await);
    assert_eq!(make(&reader).await, Refusal::Scope(Scope::Write));
    assert_eq!(make(&prompts).await, Refusal::Kind(Kind::Note));
    assert_eq!(make(&elsewhere).await, Refusal::OwnSpace);
    let change =
        async |caller: &Caller| refusal(interline.track_usage(caller, &by_id(&item), ExpectedVersion::Any).await);
    assert_eq!(change(&reader).await, Refusal::Scope(Scope::Write));
    assert_eq!(change(&writer).await, Refusal::Scope(Scope::Read));
    assert_eq!(refusal(interline.users(&reader).await), Refusal::Scope(Scope::Admin));
    assert_eq!(refusal(interline.users(&member).await), Refusal::NotAdmin);
    let for_member = TokenDraft { user: Some(member.user()), ..token() };
    assert_eq!(refusal(interline.create_token(&prompts, for_member).await), Refusal::Narrowed);
}

#[tokio::test]
async fn other_kinds_do_not_exist_for_a_token_that_is_narrowed_to_some() {
    let world = World::new().await;
    let hidden = world.create(Kind::Prompt, greeting()).await;
    let seen = world.create(Kind::Note, note("a")).await;
    let notes = world.narrowed(TokenDraft { kinds: Some(set([Kind::Note])), ..token() }).await;
    assert_hidden(&world, &notes, &hidden, &[by_id(&hidden), by_name("greet")]).await;
    assert_eq!(listed(&world, &notes, everything()).await, [seen]);
    assert_eq!(code(world.interline.create(&notes, Kind::Bookmark, bookmark("https://a.example/")).await), "forbidden");
    assert_eq!(code(world.interline.create(&notes, Kind::Note, note("b")).await), "ok");
}

#[tokio::test]
async fn other_spaces_do_not_exist_for_a_token_that_is_narrowed_to_some() {
    let world = World::new().await;
    let item = world.create(Kind::Prompt, tagged(greeting(), &["a"])).await;
    let own = world.interline.spaces(&world.owner).unwrap()[0].space.id;
    let inside = world.narrowed(TokenDraft { spaces: Some(set([own])), ..token() }).await;
    assert_all(&reads(&world, &inside, &by_id(&item)).await, "ok");
    let item = world.item(&item).await;
    let outside = world.narrowed(TokenDraft { spaces: Some(set([])), ..token() }).await;
    assert_hidden(&world, &outside, &item, &[by_id(&item), by_name("greet")]).await;
    assert_eq!(world.interline.tags(&outside, &TagCountFilter::default()).await.unwrap(), []);
    assert_eq!(world.interline.spaces(&outside).unwrap(), []);
    assert_eq!(code(world.interline.create(&outside, Kind::Note, note("a")).await), "forbidden");
}
