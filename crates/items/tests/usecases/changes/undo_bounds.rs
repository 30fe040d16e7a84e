//! What an undo of several items, and of large ones, must not do: be in its own way, exceed limits, take all memory. Nor must
//! a blame of many lines.

use interline_items::fields::Limits;
use interline_items::{
    AttributionRequest, ChangeSetError, ChangeSetId, Error, ExpectedVersion, ItemChanges, Kind, MemoryBudget,
    MemoryHolder, OnUndoConflict, UndoChangeSet,
};

use super::{Agent, everything, new_set};
use crate::samples::{bookmark, content, note_of, replace_tags, tagged, to};
use crate::world::{World, by_id, code, refused_fields, tags_of};

const ANY: ExpectedVersion = ExpectedVersion::Any;

fn moved(url: &str) -> ItemChanges {
    ItemChanges { url: to(url), ..ItemChanges::default() }
}

fn causes(error: &Error) -> Vec<&'static str> {
    match error {
        Error::ChangeSet(ChangeSetError::Conflicts(conflicts)) => {
            conflicts.iter().map(|conflict| conflict.cause.name()).collect()
        }
        other => panic!("no conflict: {other:?}"),
    }
}

#[tokio::test]
async fn what_the_set_put_in_the_place_of_something_makes_room_for_it_again() {
    let world = World::new().await;
    let agent = Agent::new(&world, "agent").await;
    let (first, second) = ("https://example.org/1", "https://example.org/2");
    let old = world.create(Kind::Bookmark, bookmark(first)).await;
    let other = world.create(Kind::Bookmark, bookmark(second)).await;
    let set = new_set();
    let caller = agent.in_set(&world, set).await;
    world.interline.delete(&caller, &by_id(&old), ANY).await.unwrap();
    world.interline.update(&caller, &by_id(&other), ANY, moved("https://example.org/3")).await.unwrap();
    let new = world.interline.create(&caller, Kind::Bookmark, bookmark(first)).await.unwrap().item;
    let late = world.interline.create(&caller, Kind::Bookmark, bookmark(second)).await.unwrap().item;
    let state = async || {
        let mut active = Vec::new();
        for item in [&old, &other, &new, &late] {
            let now = world.item(item).await;
            active.push(now.deleted_at.is_none().then(|| now.fields.url.unwrap().as_str().to_owned()));
        }
        active
    };
    let done = state().await;
    let undo = world.interline.undo_changes(&world.owner, set, everything()).await.unwrap();
    let (first, second) = (Some(first.to_owned()), Some(second.to_owned()));
    assert_eq!(state().await, [first, second, None, None]);
    let undo = undo.set.unwrap().set.id;
    world.interline.undo_changes(&world.owner, undo, everything()).await.unwrap();
    assert_eq!(state().await, done, "and the undo of the undo");
}

#[tokio::test]
async fn items_that_are_asked_for_in_any_order_are_taken_back_in_the_order_of_the_set() {
    let world = World::new().await;
    let agent = Agent::new(&world, "agent").await;
    let url = "https://example.org/1";
    let old = world.create(Kind::Bookmark, bookmark(url)).await;
    let set = new_set();
    let caller = agent.in_set(&world, set).await;
    world.interline.delete(&caller, &by_id(&old), ANY).await.unwrap();
    let new = world.interline.create(&caller, Kind::Bookmark, bookmark(url)).await.unwrap().item;
    let request = UndoChangeSet { items: Some(vec![old.id, new.id, old.id]), ..everything() };
    world.interline.undo_changes(&world.owner, set, request).await.unwrap();
    assert!(world.item(&old).await.deleted_at.is_none() && world.item(&new).await.deleted_at.is_some());
}

#[tokio::test]
async fn more_tags_than_an_item_may_have_are_a_conflict() {
    let limits = Limits { tags: 2, ..Limits::default() };
    let world = World::with_limits(limits).await;
    let agent = Agent::new(&world, "agent").await;
    let item = world.create(Kind::Note, tagged(note_of("a"), &["one", "two"])).await;
    let set = new_set();
    let caller = agent.in_set(&world, set).await;
    world.interline.update(&caller, &by_id(&item), ANY, replace_tags(&["one"])).await.unwrap();
    world.update(&item, replace_tags(&["one", "mine"])).await.unwrap();
    let refused = world.interline.undo_changes(&world.owner, set, everything()).await.unwrap_err();
    assert_eq!(causes(&refused), ["check"]);
    assert_eq!(tags_of(&world.item(&item).await), ["one", "mine"]);
}

#[tokio::test]
async fn what_turns_out_to_be_taken_after_the_first_hundred_is_told() {
    let world = World::new().await;
    let agent = Agent::new(&world, "agent").await;
    let set = new_set();
    let caller = agent.in_set(&world, set).await;
    let url = |number: usize, end: &str| format!("https://example.org/{number}{end}");
    let mut items = Vec::new();
    for number in 0..120 {
        let item = world.create(Kind::Bookmark, bookmark(&url(number, ""))).await;
        world.interline.update(&caller, &by_id(&item), ANY, moved(&url(number, "/moved"))).await.unwrap();
        items.push(item);
    }
    // The first of the set is the last that is taken back.
    world.create(Kind::Bookmark, bookmark(&url(0, ""))).await;
    let undone = world.interline.undo_changes(&world.owner, set, everything()).await.unwrap();
    let skipped: Vec<_> = undone.skipped.iter().map(|conflict| (conflict.item, conflict.cause.name())).collect();
    assert_eq!((undone.set.unwrap().items_total, skipped), (119, vec![(items[0].id, "taken")]));
    let first_hundred = UndoChangeSet { items: Some(vec![items[0].id]), ..everything() };
    let refused = world.interline.undo_changes(&world.owner, set, first_hundred).await.unwrap_err();
    assert_eq!(causes(&refused), ["taken"], "nothing was taken back by this one");
}

/// A request beside another one, with which it may take so many bytes.
async fn within<T>(bytes: usize, work: impl Future<Output = Result<T, Error>>) -> &'static str {
    let budget = MemoryBudget::new(bytes, || None);
    let other = budget.request(MemoryHolder::User(interline_items::UserId::generate()));
    other.hold(bytes / 16);
    code(budget.request(MemoryHolder::User(interline_items::UserId::generate())).scope(work).await)
}

const TEXT: usize = 100_000;
const MEGABYTE: usize = 1 << 20;

#[tokio::test]
async fn the_parts_of_a_set_take_memory_together() {
    let world = World::new().await;
    let (one, other) = (Agent::new(&world, "one").await, Agent::new(&world, "other").await);
    let item = world.create(Kind::Note, note_of(&"x".repeat(TEXT))).await;
    let (set, others): (ChangeSetId, ChangeSetId) = (new_set(), new_set());
    // One line, which both change in turn: no part can be joined with another.
    for letter in 'a'..='t' {
        for (agent, set, end) in [(&one, set, "1"), (&other, others, "2")] {
            let text = letter.to_string().repeat(TEXT) + end;
            let caller = agent.in_set(&world, set).await;
            world.interline.update(&caller, &by_id(&item), ANY, content(&text)).await.unwrap();
        }
    }
    let read = || world.interline.change_set(&world.owner, set, None);
    assert_eq!(within(4 * MEGABYTE, read()).await, "overloaded");
    assert_eq!(within(100 * MEGABYTE, read()).await, "ok");
}

#[tokio::test]
async fn the_items_of_an_undo_take_memory_together() {
    let world = World::new().await;
    let agent = Agent::new(&world, "agent").await;
    let set = new_set();
    let caller = agent.in_set(&world, set).await;
    let mut items = Vec::new();
    for _ in 0..20 {
        let item = world.create(Kind::Note, note_of(&"x".repeat(TEXT))).await;
        world.interline.update(&caller, &by_id(&item), ANY, content(&"y".repeat(TEXT))).await.unwrap();
        items.push(item);
    }
    let undo = |items: Option<Vec<_>>| {
        let request = UndoChangeSet { items, hunks: None, on_conflict: OnUndoConflict::Refuse };
        world.interline.undo_changes(&world.owner, set, request)
    };
    assert_eq!(within(4 * MEGABYTE, undo(None)).await, "overloaded");
    assert_eq!(world.text(&items[0]).await.unwrap(), "y".repeat(TEXT), "nothing was taken back");
    assert_eq!(within(4 * MEGABYTE, undo(Some(vec![items[0].id]))).await, "ok", "one after the other they are");
}

#[tokio::test]
async fn a_blame_of_many_ranges_takes_memory_for_each() {
    let world = World::new().await;
    let agent = Agent::new(&world, "agent").await;
    let lines = |odd: &str| -> String {
        (0..100_000).map(|line| if line % 2 == 0 { format!("{line}\n") } else { format!("{odd}{line}\n") }).collect()
    };
    let item = world.create(Kind::Note, note_of(&lines("a"))).await;
    let caller = agent.caller(&world).await;
    let request = AttributionRequest { reason: super::reason(&"😀".repeat(500)), ..AttributionRequest::default() };
    world.interline.attribute(&caller, request).await.unwrap();
    world.interline.update(&caller, &by_id(&item), ANY, content(&lines("b"))).await.unwrap();
    let few = lines("b").split_terminator('\n').take(10_000).map(|line| format!("{line}\n")).collect::<String>();
    let blame = || async { world.interline.blame(&world.owner, &by_id(&item)).await.map(|blame| blame.ranges.len()) };
    assert_eq!(code(blame().await), "overloaded", "more than any request may have");
    world.update(&item, content(&few)).await.unwrap();
    for _ in 0..2 {
        // With and without what was remembered of it.
        assert_eq!(within(8 * MEGABYTE, blame()).await, "overloaded");
        assert!(blame().await.unwrap() >= 10_000);
    }
}

#[tokio::test]
async fn texts_that_are_too_large_together_are_refused_also_to_one_who_is_alone() {
    const LARGE: usize = 7 * MEGABYTE;
    let world = World::new().await;
    let (one, other) = (Agent::new(&world, "one").await, Agent::new(&world, "other").await);
    let (set, others) = (new_set(), new_set());
    let item = world.create(Kind::Note, note_of(&"x".repeat(LARGE))).await;
    for letter in 'a'..='j' {
        for (agent, set, end) in [(&one, set, "1"), (&other, others, "2")] {
            let text = letter.to_string().repeat(LARGE) + end;
            world.interline.update(&agent.in_set(&world, set).await, &by_id(&item), ANY, content(&text)).await.unwrap();
        }
    }
    let read = super::details(&world, set).await;
    assert!(read.changes[0].parts.is_empty() && read.changes[0].fields == ["content"], "no diff");
    let refused = world.interline.undo_changes(&world.owner, set, everything()).await.unwrap_err();
    assert_eq!(causes(&refused), ["forgotten"]);

    let set = new_set();
    let caller = one.in_set(&world, set).await;
    let mut items = Vec::new();
    for _ in 0..10 {
        let item = world.create(Kind::Note, note_of(&"x".repeat(LARGE))).await;
        world.interline.update(&caller, &by_id(&item), ANY, content(&"y".repeat(LARGE))).await.unwrap();
        items.push(item.id);
    }
    let undone = world.interline.undo_changes(&world.owner, set, everything()).await;
    assert_eq!(refused_fields(undone), ["items"]);
    let some = UndoChangeSet { items: Some(items[..2].to_vec()), ..everything() };
    assert_eq!(world.interline.undo_changes(&world.owner, set, some).await.unwrap().set.unwrap().items_total, 2);
}
