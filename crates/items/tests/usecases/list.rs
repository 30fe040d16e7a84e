//! `list`: its filters; the orders and pages are the storages' own tests.

use std::collections::BTreeSet;

use interline_items::{
    Caller, Contents, Cursor, CursorKey, ExpectedVersion, Item, ItemId, Kind, ListQuery, PageStart, Sort, SortBy,
    SortOrder, SpaceId, TagMatch, View,
};

use crate::samples::{bookmark, greeting, note, note_of, tag, tagged, title};
use crate::world::{World, by_id, code, set};

/// Active items of every kind, newest change first.
pub(crate) fn everything() -> ListQuery {
    ListQuery {
        spaces: BTreeSet::new(),
        kinds: Kind::ALL.into(),
        tags: Vec::new(),
        tag_match: TagMatch::All,
        views: set([View::Active]),
        sort: Sort { by: SortBy::UpdatedAt, order: SortOrder::Descending },
        start: PageStart::Offset(0),
        limit: 50,
        contents: Contents::Omit,
    }
}

/// The items that a caller gets, in their order.
pub(crate) async fn listed(world: &World, caller: &Caller, query: ListQuery) -> Vec<Item> {
    let page = world.interline.list(caller, query).await.unwrap();
    assert_eq!(page.total, page.items.len() as u64);
    page.items.into_iter().map(|snapshot| snapshot.item).collect()
}

#[tokio::test]
async fn filters_narrow_a_list() {
    let world = World::new().await;
    let note = world.create(Kind::Note, tagged(note("n"), &["a", "b"])).await;
    let site = world.create(Kind::Bookmark, tagged(bookmark("https://a.example/"), &["a"])).await;
    let prompt = world.create(Kind::Prompt, greeting()).await;
    let archived = world.create(Kind::Note, tagged(note_of("x"), &["b"])).await;
    let deleted = world.create(Kind::Note, tagged(note_of("y"), &["a"])).await;
    world.interline.archive(&world.owner, &by_id(&archived), ExpectedVersion::Any).await.unwrap();
    world.interline.delete(&world.owner, &by_id(&deleted), ExpectedVersion::Any).await.unwrap();

    let all_views = set([View::Active, View::Archived, View::Deleted]);
    for (query, expected) in [
        (everything(), vec![&prompt, &site, &note]),
        (ListQuery { kinds: set([Kind::Note]), ..everything() }, vec![&note]),
        (ListQuery { kinds: set([]), ..everything() }, vec![]),
        (ListQuery { tags: vec![tag("a")], ..everything() }, vec![&site, &note]),
        (ListQuery { tags: vec![tag("a"), tag("b")], ..everything() }, vec![&note]),
        (ListQuery { tags: vec![tag("a"), tag("b")], tag_match: TagMatch::Any, ..everything() }, vec![&site, &note]),
        (ListQuery { tags: vec![tag("c")], ..everything() }, vec![]),
        (ListQuery { views: set([View::Archived]), ..everything() }, vec![&archived]),
        (ListQuery { views: set([View::Deleted]), ..everything() }, vec![&deleted]),
        (
            ListQuery { views: all_views.clone(), kinds: set([Kind::Note]), ..everything() },
            vec![&deleted, &archived, &note],
        ),
        (ListQuery { views: all_views, tags: vec![tag("b")], ..everything() }, vec![&archived, &note]),
        (
            ListQuery { sort: Sort { by: SortBy::CreatedAt, order: SortOrder::Ascending }, ..everything() },
            vec![&note, &site, &prompt],
        ),
        (ListQuery { spaces: set([SpaceId::generate()]), ..everything() }, vec![&prompt, &site, &note]),
    ] {
        let ids: Vec<_> = listed(&world, &world.owner, query.clone()).await.into_iter().map(|item| item.id).collect();
        assert_eq!(ids, expected.iter().map(|item| item.id).collect::<Vec<_>>(), "{query:?}");
    }
}

#[tokio::test]
async fn what_was_changed_last_comes_first() {
    let world = World::new().await;
    let first = world.create(Kind::Note, note("a")).await;
    let second = world.create(Kind::Note, note("b")).await;
    world.update(&first, title("c")).await.unwrap();
    world.update(&second, title("b")).await.unwrap();
    let ids: Vec<_> = listed(&world, &world.owner, everything()).await.into_iter().map(|item| item.id).collect();
    assert_eq!(ids, [first.id, second.id]);
}

#[tokio::test]
async fn pages_follow_each_other_and_carry_contents_when_asked() {
    let world = World::new().await;
    let mut expected = Vec::new();
    for number in 0..5 {
        expected.insert(0, world.create(Kind::Note, note_of(&format!("text {number}"))).await.id);
    }
    let (mut ids, mut start) = (Vec::new(), PageStart::Offset(0));
    loop {
        let query = ListQuery { start, limit: 2, contents: Contents::Read, ..everything() };
        let page = world.interline.list(&world.owner, query).await.unwrap();
        assert_eq!(page.total, 5);
        assert!(page.items.iter().all(|snapshot| snapshot.content.is_some()));
        ids.extend(page.items.iter().map(|snapshot| snapshot.item.id));
        match page.next {
            Some(next) => start = PageStart::After(next),
            None => break,
        }
    }
    assert_eq!(ids, expected);
}

#[tokio::test]
async fn a_page_that_cannot_be_is_refused() {
    let world = World::new().await;
    let after = |key: Option<CursorKey>| PageStart::After(Cursor { key, id: ItemId::generate() });
    let text = |text: &str| Some(CursorKey::Text(text.to_owned()));
    let by = |by: SortBy| Sort { by, order: SortOrder::Ascending };
    for (query, expected) in [
        (ListQuery { limit: 0, ..everything() }, "invalid_parameters"),
        (ListQuery { limit: 101, ..everything() }, "invalid_parameters"),
        (ListQuery { limit: 100, ..everything() }, "ok"),
        (ListQuery { start: PageStart::Offset(u64::MAX), ..everything() }, "invalid_parameters"),
        (ListQuery { start: after(text("a")), ..everything() }, "invalid_parameters"),
        (ListQuery { start: after(None), ..everything() }, "invalid_parameters"),
        (ListQuery { start: after(Some(CursorKey::Micros(1))), ..everything() }, "ok"),
        (
            ListQuery { start: after(Some(CursorKey::Micros(1))), sort: by(SortBy::Title), ..everything() },
            "invalid_parameters",
        ),
        (ListQuery { start: after(text("a\0")), sort: by(SortBy::Title), ..everything() }, "invalid_parameters"),
        (ListQuery { start: after(text("a")), sort: by(SortBy::Title), ..everything() }, "ok"),
        (ListQuery { start: after(None), sort: by(SortBy::LastUsedAt), ..everything() }, "ok"),
    ] {
        let start = query.start.clone();
        assert_eq!(code(world.interline.list(&world.owner, query).await), expected, "{start:?}");
    }
}

#[tokio::test]
async fn a_page_of_very_long_contents_is_refused_whole() {
    let world = World::new().await;
    let long = "x".repeat(8 * 1024 * 1024);
    for _ in 0..5 {
        world.create(Kind::Note, note_of(&long)).await;
    }
    let query = |limit, contents| ListQuery { limit, contents, ..everything() };
    assert_eq!(code(world.interline.list(&world.owner, query(5, Contents::Read)).await), "too_large");
    assert_eq!(code(world.interline.list(&world.owner, query(4, Contents::Read)).await), "ok");
    assert_eq!(code(world.interline.list(&world.owner, query(5, Contents::Omit)).await), "ok");
}
