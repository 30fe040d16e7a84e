//! Keeping changes.

use interline_items::{ExpectedVersion, Kind, ReviewState, Scope};

use super::{Agent, details, new_set, newest, unreviewed};
use crate::samples::{content, note_of, token};
use crate::world::{World, by_id, code, set};

#[tokio::test]
async fn what_was_kept_leaves_the_inbox_and_its_set_takes_no_more() {
    let world = World::new().await;
    let agent = Agent::new(&world, "a").await;
    let one = world.interline.create(&agent.caller(&world).await, Kind::Note, note_of("a\n")).await.unwrap().item;
    let other = world.interline.create(&agent.caller(&world).await, Kind::Note, note_of("b\n")).await.unwrap().item;
    let made = newest(&world, &one).await.change_set;
    assert_eq!(newest(&world, &other).await.change_set, made);

    let kept = world.interline.keep_changes(&world.owner, made.id, Some(&[one.id])).await.unwrap();
    assert_eq!(kept.state, ReviewState::Unreviewed, "partly kept is not reviewed");
    let states: Vec<ReviewState> = kept.items.iter().map(|item| item.state).collect();
    assert_eq!(states, [ReviewState::Kept, ReviewState::Unreviewed]);
    world
        .interline
        .update(&agent.caller(&world).await, &by_id(&one), ExpectedVersion::Any, content("c\n"))
        .await
        .unwrap();
    assert_ne!(newest(&world, &one).await.change_set, made, "the set is closed");

    for _ in 0..2 {
        let kept = world.interline.keep_changes(&world.owner, made.id, None).await.unwrap();
        assert_eq!(kept.state, ReviewState::Kept, "twice is as once");
    }
    assert_eq!(unreviewed(&world).await.len(), 1, "what came after it");
}

#[tokio::test]
async fn several_sets_are_kept_or_none() {
    let world = World::new().await;
    let agent = Agent::new(&world, "a").await;
    let (one, other) = (new_set(), new_set());
    for name in [one, other] {
        world.interline.create(&agent.in_set(&world, name).await, Kind::Note, note_of("a\n")).await.unwrap();
    }
    assert_eq!(code(world.interline.keep_change_sets(&world.owner, &[one, new_set()]).await), "not_found");
    assert_eq!(unreviewed(&world).await.len(), 2);
    assert_eq!(code(world.interline.keep_change_sets(&world.owner, &[]).await), "validation_failed");
    let kept = world.interline.keep_change_sets(&world.owner, &[other, one]).await.unwrap();
    assert_eq!(kept.iter().map(|set| set.set.id).collect::<Vec<_>>(), [other, one]);
    assert!(unreviewed(&world).await.is_empty());
}

#[tokio::test]
async fn keeping_needs_the_scope_and_a_person() {
    let world = World::new().await;
    let agent = Agent::new(&world, "a").await;
    let name = new_set();
    world.interline.create(&agent.in_set(&world, name).await, Kind::Note, note_of("a\n")).await.unwrap();
    let writer =
        world.narrowed(interline_items::TokenDraft { scopes: Some(set([Scope::Read, Scope::Write])), ..token() }).await;
    let stranger = world.user("stranger", interline_items::Rank::Admin).await;
    for (caller, outcome) in
        [(&agent.caller(&world).await, "forbidden"), (&writer, "forbidden"), (&stranger, "not_found")]
    {
        assert_eq!(code(world.interline.keep_changes(caller, name, None).await), outcome);
        assert_eq!(code(world.interline.keep_change_sets(caller, &[name]).await), outcome);
    }
    assert_eq!(details(&world, name).await.summary.state, ReviewState::Unreviewed);
    let missing = interline_items::ItemId::generate();
    assert_eq!(code(world.interline.keep_changes(&world.owner, name, Some(&[missing])).await), "not_found");
}
