//! Listening to events.

use std::time::Duration;

use interline_items::{
    Event, EventCursor, EventKind, Interline, ItemEvent, Kind, ListenFrom, ListenRequest, Listener, Rank,
    ReceivedEvent, TokenDraft, Upkeep,
};
use jiff::SignedDuration;

use crate::samples::{content, note, prompt, title, token};
use crate::world::{World, by_id, code};

/// Longer than anything takes.
const PATIENCE: Duration = Duration::from_secs(20);

fn all(from: ListenFrom) -> ListenRequest {
    ListenRequest { from, kinds: None, ids: None }
}

async fn next(listener: &mut Listener) -> ReceivedEvent {
    tokio::time::timeout(PATIENCE, listener.next()).await.unwrap().unwrap()
}

/// What happened to an item.
fn item_event(event: &Event) -> &ItemEvent {
    event.item_event().unwrap()
}

/// The next so many, as what happened to which version.
async fn hear(listener: &mut Listener, count: usize) -> Vec<(EventKind, u64)> {
    let mut received = Vec::new();
    for _ in 0..count {
        let event = next(listener).await.event;
        received.push((item_event(&event).event_kind, item_event(&event).version));
    }
    received
}

/// Nothing more is received than a note that is made now.
async fn hears_nothing(world: &World, listener: &mut Listener) {
    let last = world.create(Kind::Note, note("last")).await;
    assert_eq!(item_event(&next(listener).await.event).item, last.id);
}

#[tokio::test]
async fn events_are_received_in_their_order() {
    let world = World::new().await;
    world.create(Kind::Note, note("before")).await;
    let mut listener = world.interline.listen(&world.owner, all(ListenFrom::Now)).await.unwrap();
    let item = world.create(Kind::Note, note("a")).await;
    world.update(&item, content("text")).await.unwrap();
    world.interline.archive(&world.owner, &by_id(&item), interline_items::ExpectedVersion::Any).await.unwrap();
    let expected = [(EventKind::Created, 1), (EventKind::Updated, 2), (EventKind::Archived, 2)];
    assert_eq!(hear(&mut listener, 3).await, expected);
    // What changes nothing is no event.
    world.update(&item, content("text")).await.unwrap();
    hears_nothing(&world, &mut listener).await;
}

#[tokio::test]
async fn another_process_is_heard() {
    let world = World::new().await;
    let mut listener = world.interline.listen(&world.owner, all(ListenFrom::Now)).await.unwrap();
    let elsewhere: Interline = world.limited(interline_items::fields::Limits::default());
    let made = elsewhere.create(&world.owner, Kind::Note, note("there")).await.unwrap().item;
    assert_eq!(item_event(&next(&mut listener).await.event).item, made.id);
}

#[tokio::test]
async fn a_listener_goes_on_after_its_cursor_without_loss_or_repetition() {
    let world = World::new().await;
    let item = world.create(Kind::Note, note("a")).await;
    let mut listener = world.interline.listen(&world.owner, all(ListenFrom::Oldest)).await.unwrap();
    let mut cursor = next(&mut listener).await.cursor;
    drop(listener);
    let mut versions = Vec::new();
    for round in 0..20_u64 {
        for number in 0..round % 4 {
            world.update(&item, title(&format!("{round}.{number}"))).await.unwrap();
        }
        let text = cursor.to_string();
        let from = ListenFrom::After(EventCursor::parse(&text).unwrap());
        let mut listener = world.interline.listen(&world.owner, all(from)).await.unwrap();
        for _ in 0..round % 4 {
            let received = next(&mut listener).await;
            versions.push(item_event(&received.event).version);
            cursor = received.cursor;
        }
        assert_eq!(listener.cursor(), &cursor);
    }
    let newest = world.item(&item).await.stamp.version;
    assert_eq!(versions, (2..=newest).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_listener_that_is_far_behind_receives_everything() {
    let world = World::new().await;
    let item = world.create(Kind::Note, note("a")).await;
    let mut slow = world.interline.listen(&world.owner, all(ListenFrom::Now)).await.unwrap();
    let mut fast = world.interline.listen(&world.owner, all(ListenFrom::Now)).await.unwrap();
    for number in 0..1_500 {
        world.update(&item, title(&number.to_string())).await.unwrap();
        next(&mut fast).await;
    }
    let versions: Vec<u64> = hear(&mut slow, 1_500).await.into_iter().map(|(_, version)| version).collect();
    assert_eq!(versions, (2..=1_501).collect::<Vec<_>>());
}

#[tokio::test]
async fn kinds_and_ids_narrow_what_is_heard() {
    let world = World::new().await;
    let (one, _) = (world.create(Kind::Note, note("one")).await, world.create(Kind::Note, note("two")).await);
    world.create(Kind::Prompt, prompt("hello", "Hi", &[])).await;
    let items = async |requested: ListenRequest, count: usize| {
        let mut listener = world.interline.listen(&world.owner, requested).await.unwrap();
        let mut kinds = Vec::new();
        for _ in 0..count {
            kinds.push(item_event(&next(&mut listener).await.event).kind);
        }
        kinds
    };
    let from = ListenFrom::Oldest;
    let prompts = ListenRequest { kinds: Some([Kind::Prompt].into()), ..all(from.clone()) };
    assert_eq!(items(prompts, 1).await, [Kind::Prompt]);
    let mut only =
        world.interline.listen(&world.owner, ListenRequest { ids: Some([one.id].into()), ..all(from) }).await.unwrap();
    assert_eq!(item_event(&next(&mut only).await.event).item, one.id);
    world.update(&one, title("again")).await.unwrap();
    assert_eq!(item_event(&next(&mut only).await.event).version, 2, "the other note was not received");
}

#[tokio::test]
async fn what_a_caller_may_not_see_is_not_heard() {
    let world = World::new().await;
    let ben = world.user("ben", Rank::Member).await;
    let mut his = world.interline.listen(&ben, all(ListenFrom::Oldest)).await.unwrap();
    let no_notes = TokenDraft { kinds: Some([Kind::Prompt].into()), ..token() };
    let narrowed = world.narrowed(no_notes).await;
    let mut prompts = world.interline.listen(&narrowed, all(ListenFrom::Oldest)).await.unwrap();
    world.create(Kind::Note, note("hers")).await;
    let prompt = world.create(Kind::Prompt, prompt("hello", "Hi", &[])).await;
    assert_eq!(item_event(&next(&mut prompts).await.event).item, prompt.id);
    let own = world.interline.create(&ben, Kind::Note, note("his")).await.unwrap().item;
    assert_eq!(item_event(&next(&mut his).await.event).item, own.id);
}

#[tokio::test]
async fn a_cursor_of_what_is_forgotten_or_never_was_is_refused_with_the_present_one() {
    let world = World::new().await;
    let mut listener = world.interline.listen(&world.owner, all(ListenFrom::Now)).await.unwrap();
    let old = listener.cursor().clone();
    for number in 0..3 {
        world.create(Kind::Note, note(&number.to_string())).await;
    }
    let future = loop {
        let received = next(&mut listener).await;
        if received.event.number == 3 {
            break received.cursor;
        }
    };
    let other = World::new().await;
    let listen = async |world: &World, cursor: &EventCursor| {
        world.interline.listen(&world.owner, all(ListenFrom::After(cursor.clone()))).await
    };
    assert!(listen(&other, &future).await.is_ok(), "the spaces of another store are none of its business");

    let rules = Upkeep { events: Some(SignedDuration::ZERO), ..Upkeep::default() };
    assert_eq!(world.interline.run_upkeep(rules).await.unwrap().events, 3);
    let Err(error) = listen(&world, &old).await else { panic!("it is refused") };
    let interline_items::Error::CursorExpired { current } = &error else { panic!("{error:?}") };
    assert_eq!(current, &future);
    assert_eq!(code::<()>(Err(error)), "cursor_expired");
    let mut again = listen(&world, &future).await.unwrap();
    hears_nothing(&world, &mut again).await;
}
