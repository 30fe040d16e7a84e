//! `change_sets`, `change_set_summaries`, `change_set_user`, `is_decided` and `unreviewed_change_sets`: sets as their records tell
//! of them; what becomes of them when records go.

use std::collections::BTreeSet;

use interline_items::{
    Action, Author as Writer, Batch, ChangeSetFilter, ChangeSetQuery, ChangeSetRef, Client, Decision, HistoryQuery,
    ItemWrite, Kind, LineCounts, Reason, RemoveUser, Retention, ReviewState, Snapshot, SpaceId, Store, TokenId, UserId,
    Visibility,
};
use jiff::SignedDuration;

use crate::fixtures::authors::{Author, author};
use crate::fixtures::samples::{Sample, at, note, prompt};
use crate::fixtures::test_store::TestStore;

on_both!(
    sets_are_listed_newest_first_in_pages,
    sets_are_found_by_what_they_did_and_who_made_them,
    a_summary_tells_what_the_visible_records_of_a_set_tell,
    summaries_of_several_sets_are_those_of_each,
    a_set_that_only_archives_begins_with_the_version_there_was,
    the_user_of_a_set_is_known_to_those_who_see_it,
    a_set_is_decided_when_something_of_it_is,
    unreviewed_sets_are_counted_up_to_a_number,
    a_record_of_an_agent_after_a_decision_is_unreviewed,
    a_record_of_an_agent_in_the_set_of_a_person_is_unreviewed,
    a_long_set_among_others_is_read_and_decided_as_one,
    a_set_is_gone_with_the_last_of_its_records,
    a_set_is_gone_with_its_items_and_their_space,
);

/// A set that was begun at a minute.
pub(super) fn set(minute: i64) -> ChangeSetRef {
    ChangeSetRef { begun_at: at(minute), ..ChangeSetRef::generate() }
}

/// The same write in a set, of an agent.
pub(super) fn by_agent(mut write: ItemWrite, set: ChangeSetRef) -> ItemWrite {
    write.record.attribution.change_set = set;
    write.record.attribution.author = Writer::Agent;
    write
}

fn by_person(write: ItemWrite, set: ChangeSetRef) -> ItemWrite {
    let mut write = by_agent(write, set);
    write.record.attribution.author = Writer::Person;
    write
}

pub(super) fn everything(author: &Author) -> Visibility {
    Visibility::new(BTreeSet::from([author.space.id]), Kind::ALL.into())
}

/// A new note that an agent makes in a set.
pub(super) async fn made_in(store: &dyn Store, author: &Author, set: ChangeSetRef) -> Snapshot {
    let sample = note(&author.space, "Plan").with_content("one\n");
    store.commit(by_agent(author.creation(&sample), set).into()).await.unwrap();
    sample
}

pub(super) async fn found(store: &dyn Store, spaces: &[SpaceId], filter: ChangeSetFilter) -> Vec<ChangeSetRef> {
    let query = ChangeSetQuery { spaces: spaces.to_vec(), filter, after: None, limit: 100 };
    store.change_sets(&query).await.unwrap()
}

async fn decide(store: &dyn Store, set: ChangeSetRef, item: &Snapshot, state: ReviewState) {
    let decisions = vec![Decision { set, item: item.item.id, state }];
    store.commit(Batch { decisions, ..Batch::default() }).await.unwrap();
}

async fn state(store: &dyn Store, author: &Author, set: ChangeSetRef) -> ReviewState {
    store.change_set(set, &everything(author), 10).await.unwrap().unwrap().state
}

async fn sets_are_listed_newest_first_in_pages(test: TestStore) {
    let store = &*test.store;
    let (ada, bob) = (author(store, "ada").await, author(store, "bob").await);
    let mut sets: Vec<ChangeSetRef> = [3, 1, 2, 2, 5].map(set).into();
    for set in &sets {
        made_in(store, &ada, *set).await;
        made_in(store, &ada, *set).await;
    }
    sets.push(set(4));
    made_in(store, &bob, sets[5]).await;
    sets.sort();
    sets.reverse();
    let both = [ada.space.id, bob.space.id];
    assert_eq!(found(store, &both, ChangeSetFilter::default()).await, sets);
    let mut query = ChangeSetQuery { spaces: both.into(), filter: ChangeSetFilter::default(), after: None, limit: 2 };
    for page in sets.chunks(2) {
        assert_eq!(store.change_sets(&query).await.unwrap(), page);
        query.after = page.last().copied();
    }
    assert_eq!(store.change_sets(&query).await.unwrap(), []);
    assert_eq!(found(store, &[bob.space.id], ChangeSetFilter::default()).await, [sets[1]]);
}

async fn sets_are_found_by_what_they_did_and_who_made_them(test: TestStore) {
    let store = &*test.store;
    let (ada, bob) = (author(store, "ada").await, author(store, "bob").await);
    let (first, second, third) = (set(1), set(2), set(3));
    let item = made_in(store, &ada, first).await;
    let mut write = by_person(ada.retitling(&item, "New"), second);
    write.record.attribution.client = Client::parse("pen", Some("2")).unwrap();
    let item = ada.change(store, &item, write).await.unwrap();
    let mut write = by_agent(ada.archiving(&item), third);
    (write.record.user, write.record.token) = (bob.user.id, None);
    ada.change(store, &item, write).await.unwrap();
    decide(store, first, &item, ReviewState::Undone).await;

    let none = ChangeSetFilter::default;
    let token = |token: &Author| Some(token.token.token.id);
    for (filter, expected) in [
        (none(), vec![third, second, first]),
        (ChangeSetFilter { user: Some(ada.user.id), ..none() }, vec![second, first]),
        (ChangeSetFilter { user: Some(UserId::generate()), ..none() }, vec![]),
        (ChangeSetFilter { token: token(&ada), ..none() }, vec![second, first]),
        (ChangeSetFilter { token: Some(TokenId::generate()), ..none() }, vec![]),
        (ChangeSetFilter { client: Some("pen".to_owned()), ..none() }, vec![second]),
        (ChangeSetFilter { client: Some("pen/2".to_owned()), ..none() }, vec![]),
        (ChangeSetFilter { author: Some(Writer::Agent), ..none() }, vec![third, first]),
        (ChangeSetFilter { author: Some(Writer::Person), ..none() }, vec![second]),
        (ChangeSetFilter { state: Some(ReviewState::Unreviewed), ..none() }, vec![third]),
        (ChangeSetFilter { since: Some(at(2)), ..none() }, vec![third, second]),
        (ChangeSetFilter { before: Some(at(2)), ..none() }, vec![first]),
        (ChangeSetFilter { since: Some(at(2)), before: Some(at(3)), ..none() }, vec![second]),
    ] {
        assert_eq!(found(store, &[ada.space.id], filter.clone()).await, expected, "{filter:?}");
        let of_item = ChangeSetFilter { item: Some(item.item.id), ..filter };
        assert_eq!(found(store, &[ada.space.id], of_item.clone()).await, expected, "{of_item:?}");
        let of_another = ChangeSetFilter { item: Some(interline_items::ItemId::generate()), ..of_item };
        assert_eq!(found(store, &[ada.space.id], of_another).await, []);
    }
}

async fn a_summary_tells_what_the_visible_records_of_a_set_tell(test: TestStore) {
    let store = &*test.store;
    let (ada, bob) = (author(store, "ada").await, author(store, "bob").await);
    let set = set(1);
    let older = ada.create(store, note(&ada.space, "Older").with_content("one\n")).await;
    let mut changed = older.clone();
    for (text, reason) in [("two\n", "b"), ("three\n", "a"), ("four\n", "b"), ("five\n", "c"), ("six\n", "d")] {
        let mut write = by_agent(ada.rewriting(&changed, Some(text)), set);
        write.record.attribution.reason = Reason::parse(reason).unwrap();
        write.record.lines = Some(LineCounts { added: 2, removed: 1 });
        changed = ada.change(store, &changed, write).await.unwrap();
    }
    let made = prompt(&ada.space, "new");
    let mut write = by_agent(ada.creation(&made), set);
    write.record.at = changed.item.updated_at + SignedDuration::from_secs(1);
    store.commit(write.into()).await.unwrap();

    let seen = store.change_set(set, &everything(&ada), 10).await.unwrap().unwrap();
    assert_eq!((seen.set, seen.user.id, seen.user.name.as_deref()), (set, ada.user.id, Some("ada")));
    assert_eq!(seen.token.as_ref().map(|token| token.id), Some(ada.token.token.id));
    assert_eq!(seen.token.as_ref().and_then(|token| token.name.as_deref()), Some("ada"));
    assert_eq!((seen.client.name(), seen.author, seen.state), ("test", Writer::Agent, ReviewState::Unreviewed));
    assert_eq!(seen.reasons.iter().map(Reason::as_str).collect::<Vec<_>>(), ["b", "a", "c"]);
    let second = older.item.updated_at + SignedDuration::from_secs(1);
    assert_eq!((seen.first_at, seen.last_at), (second, second + SignedDuration::from_secs(5)));
    assert_eq!(seen.items_total, 2);
    let [first, last] = &seen.items[..] else { panic!("{seen:?}") };
    assert_eq!((first.id, first.kind, first.space), (older.item.id, Kind::Note, ada.space.id));
    assert_eq!((first.title.as_deref(), first.from_version, first.to_version), (Some("Older"), Some(1), 6));
    assert_eq!((first.lines, first.state), (LineCounts { added: 10, removed: 5 }, ReviewState::Unreviewed));
    assert_eq!((last.id, last.from_version, last.to_version), (made.item.id, None, 1));
    assert_eq!((last.title.as_deref(), last.lines), (Some("new"), LineCounts::default()));

    let one = store.change_set(set, &everything(&ada), 1).await.unwrap().unwrap();
    assert_eq!((one.items.len(), one.items_total, one.last_at), (1, 2, seen.last_at));
    let prompts = Visibility::new(BTreeSet::from([ada.space.id]), BTreeSet::from([Kind::Prompt]));
    let prompts = store.change_set(set, &prompts, 10).await.unwrap().unwrap();
    assert_eq!((prompts.items_total, prompts.first_at, prompts.reasons.len()), (1, seen.last_at, 0));
    assert_eq!(store.change_set(set, &everything(&bob), 10).await.unwrap(), None);
    assert_eq!(store.change_set(ChangeSetRef::generate(), &everything(&ada), 10).await.unwrap(), None);
}

async fn summaries_of_several_sets_are_those_of_each(test: TestStore) {
    let store = &*test.store;
    let (ada, bob) = (author(store, "ada").await, author(store, "bob").await);
    let sets: Vec<ChangeSetRef> = (1..8).map(set).collect();
    for (number, set) in sets.iter().enumerate() {
        for _ in 0..=number {
            let item = made_in(store, &ada, *set).await;
            ada.change(store, &item, by_person(ada.archiving(&item), sets[0])).await.unwrap();
        }
    }
    made_in(store, &bob, sets[3]).await;
    let spaces = BTreeSet::from([ada.space.id, bob.space.id]);
    for visible in [everything(&ada), everything(&bob), Visibility::new(spaces, Kind::ALL.into())] {
        let mut each = Vec::new();
        for set in &sets {
            each.extend(store.change_set(*set, &visible, 3).await.unwrap());
        }
        let backwards: Vec<ChangeSetRef> = sets.iter().rev().copied().collect();
        assert_eq!(store.change_set_summaries(&backwards, &visible, 3).await.unwrap(), each);
    }
    assert_eq!(store.change_set_summaries(&[], &everything(&ada), 3).await.unwrap(), []);
}

async fn a_set_that_only_archives_begins_with_the_version_there_was(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let item = ada.create(store, note(&ada.space, "Plan")).await;
    let item = ada.change(store, &item, ada.retitling(&item, "Next")).await.unwrap();
    let set = set(1);
    ada.change(store, &item, by_agent(ada.archiving(&item), set)).await.unwrap();
    let seen = store.change_set(set, &everything(&ada), 10).await.unwrap().unwrap();
    assert_eq!((seen.items[0].from_version, seen.items[0].to_version), (Some(2), 2));
}

async fn the_user_of_a_set_is_known_to_those_who_see_it(test: TestStore) {
    let store = &*test.store;
    let (ada, bob) = (author(store, "ada").await, author(store, "bob").await);
    let set = set(1);
    made_in(store, &ada, set).await;
    assert_eq!(store.change_set_user(set, &everything(&ada)).await.unwrap(), Some(ada.user.id));
    assert_eq!(store.change_set_user(set, &everything(&bob)).await.unwrap(), None);
    let prompts = Visibility::new(BTreeSet::from([ada.space.id]), BTreeSet::from([Kind::Prompt]));
    assert_eq!(store.change_set_user(set, &prompts).await.unwrap(), None);
}

async fn a_set_is_decided_when_something_of_it_is(test: TestStore) {
    let store = &*test.store;
    let (ada, bob) = (author(store, "ada").await, author(store, "bob").await);
    let (here, there) = (BTreeSet::from([ada.space.id]), BTreeSet::from([bob.space.id]));
    for decision in [ReviewState::Kept, ReviewState::Undone, ReviewState::PartlyUndone] {
        let set = set(1);
        let item = made_in(store, &ada, set).await;
        made_in(store, &ada, set).await;
        assert!(!store.is_decided(set, &here).await.unwrap());
        decide(store, set, &item, decision).await;
        assert!(store.is_decided(set, &here).await.unwrap(), "{decision:?}");
        assert!(!store.is_decided(set, &there).await.unwrap());
        assert_eq!(state(store, &ada, set).await, ReviewState::Unreviewed, "the other item is not decided about");
    }
    let by_hand = set(2);
    ada.create(store, note(&ada.space, "Mine")).await;
    assert!(!store.is_decided(by_hand, &here).await.unwrap(), "kept from the start is no decision");
}

async fn unreviewed_sets_are_counted_up_to_a_number(test: TestStore) {
    let store = &*test.store;
    let (ada, bob) = (author(store, "ada").await, author(store, "bob").await);
    let mut items = Vec::new();
    for minute in 0..5 {
        let set = set(minute);
        items.push((set, made_in(store, &ada, set).await));
        made_in(store, &ada, set).await;
    }
    made_in(store, &bob, set(9)).await;
    ada.create(store, note(&ada.space, "By hand")).await;
    let count = async |spaces: &[SpaceId], most| store.unreviewed_change_sets(spaces, most).await.unwrap();
    assert_eq!(count(&[ada.space.id], 100).await, 5);
    assert_eq!(count(&[ada.space.id, bob.space.id], 100).await, 6);
    assert_eq!(count(&[ada.space.id, bob.space.id], 3).await, 3);
    assert_eq!(count(&[], 3).await, 0);
    let (set, item) = &items[0];
    decide(store, *set, item, ReviewState::Kept).await;
    assert_eq!(count(&[ada.space.id], 100).await, 5, "one of its items is still unreviewed");
}

async fn a_record_of_an_agent_after_a_decision_is_unreviewed(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    for decision in [ReviewState::Kept, ReviewState::Undone, ReviewState::PartlyUndone] {
        let set = set(1);
        let item = made_in(store, &ada, set).await;
        decide(store, set, &item, decision).await;
        assert_eq!(state(store, &ada, set).await, decision);
        ada.change(store, &item, by_agent(ada.retitling(&item, "Late"), set)).await.unwrap();
        assert_eq!(state(store, &ada, set).await, ReviewState::Unreviewed);
        decide(store, set, &item, ReviewState::Kept).await;
        assert_eq!(state(store, &ada, set).await, ReviewState::Kept);
    }
}

async fn a_record_of_an_agent_in_the_set_of_a_person_is_unreviewed(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let set = set(1);
    let item = note(&ada.space, "Plan");
    store.commit(by_person(ada.creation(&item), set).into()).await.unwrap();
    assert_eq!(state(store, &ada, set).await, ReviewState::Kept);
    let item = ada.change(store, &item, by_agent(ada.retitling(&item, "Agent's"), set)).await.unwrap();
    let item = ada.change(store, &item, by_person(ada.retitling(&item, "Mine"), set)).await.unwrap();
    assert_eq!(state(store, &ada, set).await, ReviewState::Unreviewed);
    let history = store.versions(item.item.id, HistoryQuery { offset: 0, limit: 10 }).await.unwrap();
    let states: Vec<ReviewState> = history.records.iter().map(|record| record.review).collect();
    assert_eq!(states, [ReviewState::Kept, ReviewState::Unreviewed, ReviewState::Kept]);
    assert!(history.records.iter().all(|record| record.attribution.change_set == set));
}

async fn a_long_set_among_others_is_read_and_decided_as_one(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let (long, other) = (set(1), set(2));
    let mut item = made_in(store, &ada, other).await;
    for number in 0..200 {
        let (set, write) = (if number % 3 == 0 { other } else { long }, ada.retitling(&item, &number.to_string()));
        item = ada.change(store, &item, by_agent(write, set)).await.unwrap();
        if number % 50 == 7 {
            item = ada.change(store, &item, by_agent(ada.archiving(&item), set)).await.unwrap();
            item = ada.change(store, &item, by_agent(ada.unarchiving(&item), set)).await.unwrap();
        }
    }
    let seen = store.change_set(long, &everything(&ada), 10).await.unwrap().unwrap();
    assert_eq!((seen.items_total, seen.items[0].from_version, seen.items[0].to_version), (1, Some(2), 201));
    let seen = store.change_set(other, &everything(&ada), 10).await.unwrap().unwrap();
    assert_eq!((seen.items[0].from_version, seen.items[0].to_version), (None, 200));
    decide(store, long, &item, ReviewState::Kept).await;
    assert_eq!(state(store, &ada, long).await, ReviewState::Kept);
    assert_eq!(state(store, &ada, other).await, ReviewState::Unreviewed);
    let history = store.versions(item.item.id, HistoryQuery { offset: 0, limit: 1_000 }).await.unwrap();
    for record in &history.records {
        let kept = record.attribution.change_set == long;
        let expected = if kept { ReviewState::Kept } else { ReviewState::Unreviewed };
        assert_eq!(record.review, expected, "{record:?}");
    }
    assert_eq!(store.unreviewed_change_sets(&[ada.space.id], 10).await.unwrap(), 1);
}

async fn a_set_is_gone_with_the_last_of_its_records(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let sets: Vec<ChangeSetRef> = (0..100).map(set).collect();
    let mut item = made_in(store, &ada, sets[0]).await;
    for set in &sets[1..] {
        item = ada.change(store, &item, by_agent(ada.retitling(&item, "Next"), *set)).await.unwrap();
    }
    item = ada.change(store, &item, by_agent(ada.retitling(&item, "Again"), sets[0])).await.unwrap();
    for keep in [70, 69, 41, 3, 1] {
        store.forget_versions(Retention { before: None, keep: Some(keep) }, None).await.unwrap();
        let mut left: Vec<ChangeSetRef> = sets[sets.len() + 1 - usize::try_from(keep).unwrap()..].to_vec();
        left.push(sets[0]);
        left.sort();
        left.reverse();
        assert_eq!(found(store, &[ada.space.id], ChangeSetFilter::default()).await, left, "{keep}");
        let of_item = ChangeSetFilter { item: Some(item.item.id), ..ChangeSetFilter::default() };
        assert_eq!(found(store, &[ada.space.id], of_item).await, left, "{keep}");
        assert_eq!(store.unreviewed_change_sets(&[ada.space.id], 1_000).await.unwrap(), keep);
        assert_eq!(store.change_set(sets[1], &everything(&ada), 1).await.unwrap(), None);
    }
    let seen = store.change_set(sets[0], &everything(&ada), 1).await.unwrap().unwrap();
    assert_eq!((seen.items[0].from_version, seen.items[0].to_version), (Some(100), 101));
}

async fn a_set_is_gone_with_its_items_and_their_space(test: TestStore) {
    let store = &*test.store;
    let (ada, bob) = (author(store, "ada").await, author(store, "bob").await);
    let (first, second) = (set(1), set(2));
    let item = made_in(store, &ada, first).await;
    made_in(store, &ada, second).await;
    made_in(store, &bob, second).await;
    store.purge(item.item.id, item.item.stamp, ada.record(Action::Delete, at(99)), None).await.unwrap();
    assert_eq!(found(store, &[ada.space.id], ChangeSetFilter::default()).await, [second]);
    store.remove_user(ada.user.id, RemoveUser::Purge, at(100)).await.unwrap();
    assert_eq!(found(store, &[ada.space.id], ChangeSetFilter::default()).await, []);
    assert_eq!(found(store, &[bob.space.id], ChangeSetFilter::default()).await, [second]);
    assert_eq!(test.count("SELECT count(*) FROM changed_items").await, 1);
}
