//! Finding change sets, and the net change of each item.

use interline_items::{ChangeSetFilter, ExpectedVersion, FindChangeSets, Kind, ReviewState, Scope, TokenDraft};

use super::{Agent, details, new_set, sets};
use crate::samples::{content, note_of, title, token};
use crate::world::{World, by_id, code, set};

#[tokio::test]
async fn a_set_has_the_net_change_of_each_item() {
    let world = World::new().await;
    let agent = Agent::new(&world, "a").await;
    let item = world.create(Kind::Note, note_of("one\ntwo\nthree\n")).await;
    let name = new_set();
    let caller = agent.in_set(&world, name).await;
    for text in ["ONE\ntwo\nthree\n", "one!\ntwo\nthree\n", "one!\ntwo\nthree\nfour\n"] {
        world.interline.update(&caller, &by_id(&item), ExpectedVersion::Any, content(text)).await.unwrap();
    }
    world.interline.update(&caller, &by_id(&item), ExpectedVersion::Any, title("New")).await.unwrap();
    world.interline.archive(&caller, &by_id(&item), ExpectedVersion::Any).await.unwrap();
    let read = details(&world, name).await;
    let [change] = read.changes.as_slice() else { panic!("one item") };
    assert_eq!((change.item.from_version, change.item.to_version), (Some(1), 5));
    assert_eq!((change.item.lines.added, change.item.lines.removed), (2, 1));
    assert_eq!(change.fields, ["content", "title"]);
    assert_eq!(change.actions, [interline_items::Action::Archive]);
    let [part] = change.parts.as_slice() else { panic!("one diff") };
    assert_eq!(part.diff.text, "--- a/content\n+++ b/content\n@@ -1,3 +1,4 @@\n-one\n+one!\n two\n three\n+four\n");
    assert_eq!(part.hunks.len(), 1);
}

#[tokio::test]
async fn what_others_changed_between_is_taken_out_or_parts_the_diff() {
    let world = World::new().await;
    let agent = Agent::new(&world, "a").await;
    let lines =
        |first: &str, middle: &str, last: &str| format!("{first}\n2\n3\n4\n5\n6\n7\n{middle}\n9\n10\n11\n12\n{last}\n");
    for (others, parts) in [(lines("A", "other", "13"), 1), (lines("other", "8", "13"), 2)] {
        let item = world.create(Kind::Note, note_of(&lines("1", "8", "13"))).await;
        let name = new_set();
        let caller = agent.in_set(&world, name).await;
        let write = |text: String| content(&text);
        world
            .interline
            .update(&caller, &by_id(&item), ExpectedVersion::Any, write(lines("A", "8", "13")))
            .await
            .unwrap();
        world.update(&item, content(&others)).await.unwrap();
        let last = others.replace("\n13\n", "\nZ\n").replace("other\n2", "B\n2");
        world.interline.update(&caller, &by_id(&item), ExpectedVersion::Any, write(last)).await.unwrap();
        let read = details(&world, name).await;
        assert_eq!(read.changes[0].parts.len(), parts, "{:?}", read.changes[0].parts);
        let shown = read.changes[0].parts.iter().any(|part| part.diff.text.contains("+other"));
        assert!(!shown, "what others wrote is not of the set");
    }
}

#[tokio::test]
async fn sets_are_listed_newest_first_in_pages_and_by_every_filter() {
    let world = World::new().await;
    let agent = Agent::new(&world, "agent").await;
    let item = world.create(Kind::Note, note_of("0\n")).await;
    let mut names = Vec::new();
    for number in 1..=7 {
        names.push(new_set());
        let caller = agent.in_set(&world, names[number - 1]).await;
        world
            .interline
            .update(&caller, &by_id(&item), ExpectedVersion::Any, content(&format!("{number}\n")))
            .await
            .unwrap();
    }
    names.reverse();
    let mut seen = Vec::new();
    let mut find = FindChangeSets { filter: ChangeSetFilter::default(), after: None, limit: 3 };
    loop {
        let page = world.interline.change_sets(&world.owner, find.clone()).await.unwrap();
        assert!(page.sets.len() <= 3);
        seen.extend(page.sets.iter().map(|set| set.set.id));
        match page.next {
            Some(next) => find.after = Some(next),
            None => break,
        }
    }
    assert_eq!(seen.len(), 8, "and the one that made the note");
    assert_eq!(seen[..7], names[..]);

    world.interline.keep_changes(&world.owner, names[0], None).await.unwrap();
    let none = ChangeSetFilter::default;
    let token = sets(&world, none()).await[0].token.as_ref().unwrap().id;
    for (filter, count) in [
        (ChangeSetFilter { item: Some(item.id), ..none() }, 8),
        (ChangeSetFilter { item: Some(interline_items::ItemId::generate()), ..none() }, 0),
        (ChangeSetFilter { user: Some(world.owner.user()), ..none() }, 8),
        (ChangeSetFilter { user: Some(interline_items::UserId::generate()), ..none() }, 0),
        (ChangeSetFilter { token: Some(token), ..none() }, 7),
        (ChangeSetFilter { client: Some("agent".to_owned()), ..none() }, 7),
        (ChangeSetFilter { client: Some("Agent".to_owned()), ..none() }, 0),
        (ChangeSetFilter { author: Some(interline_items::Author::Agent), ..none() }, 7),
        (ChangeSetFilter { author: Some(interline_items::Author::Person), ..none() }, 1),
        (ChangeSetFilter { state: Some(ReviewState::Unreviewed), ..none() }, 6),
        (ChangeSetFilter { state: Some(ReviewState::Kept), ..none() }, 2),
        (ChangeSetFilter { state: Some(ReviewState::Kept), author: Some(interline_items::Author::Agent), ..none() }, 1),
        (ChangeSetFilter { state: Some(ReviewState::Undone), ..none() }, 0),
        (ChangeSetFilter { since: Some(jiff::Timestamp::MAX), ..none() }, 0),
        (ChangeSetFilter { before: Some(jiff::Timestamp::UNIX_EPOCH), ..none() }, 0),
    ] {
        assert_eq!(sets(&world, filter.clone()).await.len(), count, "{filter:?}");
    }
}

#[tokio::test]
async fn a_set_of_which_nothing_is_visible_does_not_exist() {
    let world = World::new().await;
    let agent = Agent::new(&world, "a").await;
    let name = new_set();
    world.interline.create(&agent.in_set(&world, name).await, Kind::Note, note_of("a\n")).await.unwrap();
    let stranger = world.user("stranger", interline_items::Rank::Admin).await;
    let prompts = world.narrowed(TokenDraft { kinds: Some(set([Kind::Prompt])), ..token() }).await;
    let writer = world.narrowed(TokenDraft { scopes: Some(set([Scope::Write])), ..token() }).await;
    for (caller, outcome) in [(&stranger, "not_found"), (&prompts, "not_found"), (&writer, "forbidden")] {
        assert_eq!(code(world.interline.change_set(caller, name, None).await), outcome);
    }
    let find = FindChangeSets { filter: ChangeSetFilter::default(), after: None, limit: 10 };
    assert!(world.interline.change_sets(&stranger, find.clone()).await.unwrap().sets.is_empty());
    assert!(world.interline.change_sets(&prompts, find).await.unwrap().sets.is_empty());
    assert_eq!(world.interline.unreviewed_change_sets(&stranger).await.unwrap(), 0);
    assert_eq!(code(world.interline.change_set(&world.owner, new_set(), None).await), "not_found");
}

#[tokio::test]
async fn a_named_set_takes_no_more_than_a_thousand_items() {
    let world = World::new().await;
    let agent = Agent::new(&world, "a").await;
    let name = new_set();
    // One request of many items, such as an import, and one more.
    let caller = agent.in_set(&world, name).await;
    for _ in 0..1_010 {
        world.interline.create(&caller, Kind::Note, note_of("a")).await.unwrap();
    }
    let all = sets(&world, ChangeSetFilter::default()).await;
    assert_eq!(all.iter().map(|set| set.items_total).collect::<Vec<_>>(), [10, 1_000], "the rest is a set of its own");
    let naming = interline_items::AttributionRequest { change_set: Some(name), ..Default::default() };
    let caller = agent.caller(&world).await;
    assert_eq!(code(world.interline.attribute(&caller, naming).await), "conflict", "it is closed");
}
