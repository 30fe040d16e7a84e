//! Events as a listener reads them: `events`, `event_ranges`, `forget_events` and `changes`.

use std::collections::BTreeMap;
use std::time::Duration;

use interline_items::{
    Event, EventAttribution, EventKind, EventRange, EventSubject, ItemEvent, Kind, NamedId, Record, Source, SpaceId,
    Store,
};

use crate::fixtures::authors::{Author, author};
use crate::fixtures::samples::{Sample, at, note, prompt};
use crate::fixtures::test_store::TestStore;

on_both!(
    an_event_is_read_as_it_was_written,
    events_come_after_a_number_and_in_their_order,
    only_so_many_are_read_and_the_rest_later,
    ranges_tell_what_is_kept,
    what_is_too_old_is_forgotten_up_to_the_first_that_is_not,
    a_commit_is_told,
    a_commit_of_another_process_is_told,
    what_was_not_committed_is_not_heard,
);

/// Longer than anything takes.
const PATIENCE: Duration = Duration::from_secs(20);

async fn read(store: &dyn Store, after: &[(SpaceId, u64)], limit: usize) -> Vec<Event> {
    store.events(&after.iter().copied().collect::<BTreeMap<_, _>>(), limit).await.unwrap()
}

async fn notes(store: &dyn Store, author: &Author, count: usize) {
    for number in 0..count {
        let second = at(i64::try_from(number).unwrap());
        author.create(store, note(&author.space, &number.to_string()).made_at(second)).await;
    }
}

async fn an_event_is_read_as_it_was_written(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let made = ada.create(&*test.store, prompt(&ada.space, "hello")).await;
    let write = ada.retitling(&made, "Hello");
    let Record { at: time, attribution: made_by, .. } = write.record.clone();
    ada.change(&*test.store, &made, write).await.unwrap();
    let event = Event {
        space: ada.space.id,
        number: 2,
        subject: EventSubject::Item(ItemEvent {
            event_kind: EventKind::Updated,
            item: made.item.id,
            kind: Kind::Prompt,
            version: 2,
            changed_fields: vec!["title".to_owned()],
        }),
        source: Source::Rest,
        at: time,
        attribution: Some(EventAttribution {
            user: NamedId { id: ada.user.id, name: Some("ada".to_owned()) },
            token: Some(NamedId { id: ada.token.token.id, name: Some(ada.token.token.name.clone()) }),
            client: made_by.client,
            reason: made_by.reason,
            change_set: made_by.change_set.id,
        }),
    };
    assert_eq!(read(&*test.store, &[(ada.space.id, 1)], 10).await, [event]);
}

async fn events_come_after_a_number_and_in_their_order(test: TestStore) {
    let store = &*test.store;
    let (ada, ben) = (author(store, "ada").await, author(store, "ben").await);
    notes(store, &ada, 4).await;
    notes(store, &ben, 2).await;
    let numbers = |events: Vec<Event>| events.iter().map(|event| (event.space, event.number)).collect::<Vec<_>>();
    let (hers, his) = (ada.space.id, ben.space.id);
    assert!(hers < his, "ids are in the order of creation");
    let found = numbers(read(store, &[(hers, 2), (his, 0)], 10).await);
    assert_eq!(found, [(hers, 3), (hers, 4), (his, 1), (his, 2)]);
    assert_eq!(numbers(read(store, &[(hers, 4), (his, u64::MAX)], 10).await), []);
    assert_eq!(numbers(read(store, &[(SpaceId::generate(), 0)], 10).await), []);
    assert_eq!(numbers(read(store, &[], 10).await), []);
}

async fn only_so_many_are_read_and_the_rest_later(test: TestStore) {
    let store = &*test.store;
    let (ada, ben) = (author(store, "ada").await, author(store, "ben").await);
    notes(store, &ada, 5).await;
    notes(store, &ben, 5).await;
    let mut after = BTreeMap::from([(ada.space.id, 0), (ben.space.id, 0)]);
    let mut heard = Vec::new();
    loop {
        let some = store.events(&after, 3).await.unwrap();
        assert!(some.len() <= 3);
        if some.is_empty() {
            break;
        }
        for event in some {
            assert_eq!(after.insert(event.space, event.number), Some(event.number - 1), "without a gap");
            heard.push(event);
        }
    }
    assert_eq!(heard.len(), 10);
}

async fn ranges_tell_what_is_kept(test: TestStore) {
    let store = &*test.store;
    let (ada, ben) = (author(store, "ada").await, author(store, "ben").await);
    notes(store, &ada, 3).await;
    let ranges = store.event_ranges(&[ada.space.id, ben.space.id, SpaceId::generate()]).await.unwrap();
    let expected =
        [(ada.space.id, EventRange { oldest: 1, newest: 3 }), (ben.space.id, EventRange { oldest: 1, newest: 0 })];
    assert_eq!(ranges, expected.into());
}

async fn what_is_too_old_is_forgotten_up_to_the_first_that_is_not(test: TestStore) {
    let store = &*test.store;
    let (ada, ben) = (author(store, "ada").await, author(store, "ben").await);
    notes(store, &ada, 1_500).await;
    notes(store, &ben, 3).await;
    assert_eq!(store.forget_events(at(0)).await.unwrap(), 0);
    assert_eq!(store.forget_events(at(1_200)).await.unwrap(), 1_203);
    let range = async |author: &Author| store.event_ranges(&[author.space.id]).await.unwrap()[&author.space.id];
    assert_eq!(range(&ada).await, EventRange { oldest: 1_201, newest: 1_500 });
    assert_eq!(range(&ben).await, EventRange { oldest: 4, newest: 3 });
    notes(store, &ben, 1).await;
    assert_eq!(range(&ben).await, EventRange { oldest: 4, newest: 4 });
}

async fn a_commit_is_told(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    hears_of(&*test.store, &*test.store, &ada).await;
}

async fn a_commit_of_another_process_is_told(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let other = test.database.open().await;
    hears_of(&*test.store, &*other, &ada).await;
    hears_of(&*other, &*test.store, &ada).await;
}

/// Whoever listens at one store hears of every commit at another.
async fn hears_of(listener: &dyn Store, writer: &dyn Store, author: &Author) {
    let mut changes = listener.changes();
    let space = author.space.id;
    let mut known = listener.event_ranges(&[space]).await.unwrap()[&space].newest;
    for _ in 0..10 {
        author.create(writer, note(&author.space, "Plan")).await;
        let hearing = async {
            loop {
                changes.changed().await.unwrap();
                if let [event] = &read(listener, &[(space, known)], 10).await[..] {
                    return event.number;
                }
            }
        };
        known = tokio::time::timeout(PATIENCE, hearing).await.expect("it is told");
    }
}

async fn what_was_not_committed_is_not_heard(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let made = ada.create(&*test.store, note(&ada.space, "Plan")).await;
    let stale = ada.retitling(&made, "Late");
    ada.change(&*test.store, &made, ada.deleting(&made)).await.unwrap();
    test.store.commit(stale.into()).await.unwrap_err();
    let events = read(&*test.store, &[(ada.space.id, 0)], 10).await;
    let happenings: Vec<EventKind> = events.iter().map(|event| event.item_event().unwrap().event_kind).collect();
    assert_eq!(happenings, [EventKind::Created, EventKind::Deleted]);
}
