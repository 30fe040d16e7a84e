//! `list`: its filters; the orders and pages are the storages' own tests.

use std::collections::BTreeSet;

use interline_items::search::SearchOrder;
use interline_items::{
    Caller, Contents, Cursor, CursorKey, ExpectedVersion, Filter, FindItems, Item, ItemId, Kind, PageStart, Sort,
    SortBy, SortOrder, SpaceId, TagMatch, TextFilter, View,
};

use crate::samples::{bookmark, greeting, note, note_of, tag, tagged, title};
use crate::world::{World, by_id, code, set};

/// Active items of every kind, newest change first.
pub(crate) fn everything() -> FindItems {
    FindItems {
        text: TextFilter::Everything,
        filter: active(),
        order: SearchOrder::Sorted(Sort { by: SortBy::UpdatedAt, order: SortOrder::Descending }),
        start: PageStart::Offset(0),
        limit: 50,
        contents: Contents::Omit,
    }
}

fn active() -> Filter {
    Filter {
        spaces: BTreeSet::new(),
        kinds: Kind::ALL.into(),
        tags: Vec::new(),
        tag_match: TagMatch::All,
        views: set([View::Active]),
    }
}

/// Items of a filter, newest change first.
fn of(filter: Filter) -> FindItems {
    FindItems { filter, ..everything() }
}

/// The items that a caller gets, in their order.
pub(crate) async fn listed(world: &World, caller: &Caller, query: FindItems) -> Vec<Item> {
    let page = world.interline.find_items(caller, query).await.unwrap();
    assert_eq!(page.total, page.items.len() as u64);
    page.items.into_iter().map(|found| found.snapshot.item).collect()
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
        (of(Filter { kinds: set([Kind::Note]), ..active() }), vec![&note]),
        (of(Filter { kinds: set([]), ..active() }), vec![]),
        (of(Filter { tags: vec![tag("a")], ..active() }), vec![&site, &note]),
        (of(Filter { tags: vec![tag("a"), tag("b")], ..active() }), vec![&note]),
        (of(Filter { tags: vec![tag("a"), tag("b")], tag_match: TagMatch::Any, ..active() }), vec![&site, &note]),
        (of(Filter { tags: vec![tag("c")], ..active() }), vec![]),
        (of(Filter { views: set([View::Archived]), ..active() }), vec![&archived]),
        (of(Filter { views: set([View::Deleted]), ..active() }), vec![&deleted]),
        (
            of(Filter { views: all_views.clone(), kinds: set([Kind::Note]), ..active() }),
            vec![&deleted, &archived, &note],
        ),
        (of(Filter { views: all_views, tags: vec![tag("b")], ..active() }), vec![&archived, &note]),
        (
            FindItems {
                order: SearchOrder::Sorted(Sort { by: SortBy::CreatedAt, order: SortOrder::Ascending }),
                ..everything()
            },
            vec![&note, &site, &prompt],
        ),
        (of(Filter { spaces: set([SpaceId::generate()]), ..active() }), vec![&prompt, &site, &note]),
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
        let query = FindItems { start, limit: 2, contents: Contents::Read, ..everything() };
        let page = world.interline.find_items(&world.owner, query).await.unwrap();
        assert_eq!(page.total, 5);
        assert!(page.items.iter().all(|found| found.snapshot.content.is_some()));
        ids.extend(page.items.iter().map(|found| found.snapshot.item.id));
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
    let by = |by: SortBy| SearchOrder::Sorted(Sort { by, order: SortOrder::Ascending });
    for (query, expected) in [
        (FindItems { limit: 0, ..everything() }, "invalid_parameters"),
        (FindItems { limit: 101, ..everything() }, "invalid_parameters"),
        (FindItems { limit: 100, ..everything() }, "ok"),
        (FindItems { start: PageStart::Offset(u64::MAX), ..everything() }, "invalid_parameters"),
        (FindItems { start: after(text("a")), ..everything() }, "invalid_parameters"),
        (FindItems { start: after(None), ..everything() }, "invalid_parameters"),
        (FindItems { start: after(Some(CursorKey::Micros(1))), ..everything() }, "ok"),
        (
            FindItems { start: after(Some(CursorKey::Micros(1))), order: by(SortBy::Title), ..everything() },
            "invalid_parameters",
        ),
        (FindItems { start: after(text("a\0")), order: by(SortBy::Title), ..everything() }, "invalid_parameters"),
        (FindItems { start: after(text("a")), order: by(SortBy::Title), ..everything() }, "ok"),
        (FindItems { start: after(None), order: by(SortBy::LastUsedAt), ..everything() }, "ok"),
    ] {
        let start = query.start.clone();
        assert_eq!(code(world.interline.find_items(&world.owner, query).await), expected, "{start:?}");
    }
}

#[tokio::test]
async fn a_page_of_very_long_contents_is_refused_whole() {
    let world = World::new().await;
    let long = "x".repeat(8 * 1024 * 1024);
    for _ in 0..5 {
        world.create(Kind::Note, note_of(&long)).await;
    }
    let query = |limit, contents| FindItems { limit, contents, ..everything() };
    assert_eq!(code(world.interline.find_items(&world.owner, query(5, Contents::Read)).await), "too_large");
    assert_eq!(code(world.interline.find_items(&world.owner, query(4, Contents::Read)).await), "ok");
    assert_eq!(code(world.interline.find_items(&world.owner, query(5, Contents::Omit)).await), "ok");
}
