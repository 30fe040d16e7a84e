//! `versions` and `version`: the records of a history, and every version as it was; `forget_versions`.

use interline_items::{
    Action, ContentSize, HistoryPage, HistoryQuery, ItemId, ItemWrite, MergedFrom, NamedId, RemoveUser, Retention,
    Snapshot, Source, Stamp, Store,
};
use jiff::Timestamp;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};
use tokio::runtime::Handle;

use crate::fixtures::authors::{Author, author};
use crate::fixtures::changes::outcome;
use crate::fixtures::samples::{Sample, at, description, note, prompt, tags};
use crate::fixtures::test_store::TestStore;
use crate::items::races::together;

on_both!(
    a_record_tells_what_was_done,
    a_merge_is_recorded_with_the_versions_it_merged,
    a_restored_version_is_a_version_and_a_restored_item_is_none,
    records_come_newest_first_in_pages,
    an_item_that_is_not_there_has_no_history,
    every_version_of_a_random_history_is_rebuilt,
    names_in_a_history_outlive_their_users_and_tokens,
    a_version_after_many_whole_copies_is_rebuilt,
    old_records_are_forgotten_and_the_rest_is_rebuilt,
    a_history_is_cut_to_a_number_of_records,
    the_newest_version_is_never_forgotten,
    forgetting_gets_through_all_items_in_steps,
    those_who_forget_together_leave_what_is_kept,
);

const ALL: HistoryQuery = HistoryQuery { offset: 0, limit: 1_000 };

async fn a_record_tells_what_was_done(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let made = ada.create(&*test.store, note(&ada.space, "Plan").with_content("ä")).await;
    let mut write = ada.editing(&made, 2..2, "€");
    (write.record.source, write.record.token) = (Source::McpCode, None);
    let time = write.record.at;
    let changed = ada.change(&*test.store, &made, write).await.unwrap();
    ada.change(&*test.store, &changed, ada.archiving(&changed)).await.unwrap();

    let HistoryPage { records, total } = test.store.versions(made.item.id, ALL).await.unwrap();
    let [archived, edited, created] = &records[..] else { panic!("{records:?}") };
    assert_eq!(total, 3);
    assert_eq!((archived.action, archived.version), (Action::Archive, None));
    assert_eq!(archived.stamp, Stamp { version: 2, revision: 1 });
    assert_eq!((edited.action, edited.version, edited.at), (Action::Update, Some(2), time));
    assert_eq!((edited.source, &edited.changed_fields[..]), (Source::McpCode, &["content".to_owned()][..]));
    assert_eq!(edited.content, Some(ContentSize { characters: 2, bytes: 5 }));
    assert_eq!(edited.user, NamedId { id: ada.user.id, name: Some("ada".to_owned()) });
    assert_eq!(edited.token, None);
    assert_eq!((created.action, created.version), (Action::Create, Some(1)));
    assert_eq!(created.token, Some(NamedId { id: ada.token.token.id, name: Some("ada".to_owned()) }));
}

async fn a_merge_is_recorded_with_the_versions_it_merged(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let mut state = ada.create(&*test.store, note(&ada.space, "Plan").with_content("one")).await;
    for (text, base) in [("two", None), ("three", Some(1)), ("four", None), ("five", Some(4))] {
        let mut write = ada.rewriting(&state, Some(text));
        write.record.merged_base = base;
        state = ada.change(&*test.store, &state, write).await.unwrap();
    }
    ada.change(&*test.store, &state, ada.archiving(&state)).await.unwrap();

    let records = test.store.versions(state.item.id, ALL).await.unwrap().records;
    let merged: Vec<_> = records.iter().rev().map(|record| record.merged_from).collect();
    let from = |base, theirs| Some(MergedFrom { base, theirs });
    assert_eq!(merged, [None, None, from(1, 2), None, from(4, 4), None]);
    let third = test.store.version(state.item.id, 3).await.unwrap().unwrap();
    assert_eq!((third.record.merged_from, third.content.as_deref()), (from(1, 2), Some("three")));
}

async fn a_restored_version_is_a_version_and_a_restored_item_is_none(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let first = ada.create(&*test.store, note(&ada.space, "Plan").with_content("one")).await;
    let second = ada.change(&*test.store, &first, ada.rewriting(&first, Some("two"))).await.unwrap();
    let third = ada.change(&*test.store, &second, ada.restoring_version(&second, &first)).await.unwrap();
    let deleted = ada.change(&*test.store, &third, ada.deleting(&third)).await.unwrap();
    let last = ada.change(&*test.store, &deleted, ada.restoring(&deleted)).await.unwrap();
    ada.change(&*test.store, &last, ada.rewriting(&last, Some("four"))).await.unwrap();

    let records = test.store.versions(first.item.id, ALL).await.unwrap().records;
    let actions: Vec<_> = records.iter().rev().map(|record| (record.action, record.version)).collect();
    let expected = [
        (Action::Create, Some(1)),
        (Action::Update, Some(2)),
        (Action::Restore, Some(3)),
        (Action::Delete, None),
        (Action::Restore, None),
        (Action::Update, Some(4)),
    ];
    assert_eq!(actions, expected);
    for (number, content) in [(1, "one"), (2, "two"), (3, "one"), (4, "four")] {
        let version = test.store.version(first.item.id, number).await.unwrap().unwrap();
        assert_eq!(version.content.as_deref(), Some(content), "version {number}");
        assert_eq!(version.fields, first.item.fields, "version {number}");
    }
}

async fn records_come_newest_first_in_pages(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let mut state = ada.create(&*test.store, note(&ada.space, "0")).await;
    ada.create(&*test.store, note(&ada.space, "another")).await;
    for step in 1..10 {
        let write = if step % 3 == 0 { ada.archiving(&state) } else { ada.retitling(&state, &step.to_string()) };
        state = ada.change(&*test.store, &state, write).await.unwrap();
    }
    let all = test.store.versions(state.item.id, ALL).await.unwrap();
    assert_eq!((all.records.len(), all.total), (10, 10));
    assert!(all.records.is_sorted_by_key(|record| std::cmp::Reverse((record.stamp.version, record.stamp.revision))));
    for (offset, limit) in [(0, 3), (2, 5), (8, 5), (10, 1), (u64::MAX, 1), (0, 0)] {
        let page = test.store.versions(state.item.id, HistoryQuery { offset, limit }).await.unwrap();
        let expected: Vec<_> = all.records.iter().skip(usize::try_from(offset).unwrap()).take(limit).cloned().collect();
        assert_eq!((page.records, page.total), (expected, 10), "{offset} {limit}");
    }
}

async fn an_item_that_is_not_there_has_no_history(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let made = ada.create(&*test.store, note(&ada.space, "Plan")).await;
    assert_eq!(test.store.versions(ItemId::generate(), ALL).await.unwrap(), HistoryPage::default());
    assert_eq!(test.store.version(ItemId::generate(), 1).await.unwrap(), None);
    for number in [0, 2, i64::MAX as u64, u64::MAX] {
        assert_eq!(test.store.version(made.item.id, number).await.unwrap(), None, "{number}");
    }
}

/// A change of an item, whatever it is like by then.
#[derive(Clone, Debug)]
enum Step {
    Retitle(String),
    Describe(Option<String>),
    Tag(Vec<String>),
    Rewrite(Option<String>),
    Edit(Index, Index, String),
    Archive,
    Delete,
}

fn step() -> impl Strategy<Value = Step> {
    let text = prop_oneof![
        4 => "[a-zäß€𝄞\r\n ]{0,40}",
        1 => "[a-z]{1,8}".prop_map(|word| word.repeat(900)),
    ];
    prop_oneof![
        1 => "[a-z]{0,3}".prop_map(Step::Retitle),
        1 => prop::option::of("[a-z]{0,3}").prop_map(Step::Describe),
        1 => prop::collection::vec("[a-z]{1,2}", 0..3).prop_map(Step::Tag),
        2 => prop::option::of(text.clone()).prop_map(Step::Rewrite),
        6 => (any::<Index>(), any::<Index>(), text).prop_map(|(a, b, text)| Step::Edit(a, b, text)),
        1 => Just(Step::Archive),
        1 => Just(Step::Delete),
    ]
}

fn write_of(author: &Author, state: &Snapshot, step: &Step) -> ItemWrite {
    let mut write = author.retitling(state, state.item.fields.title.as_ref().map_or("", |title| title.as_str()));
    match step {
        Step::Retitle(text) => return author.retitling(state, text),
        Step::Describe(text) => write.after.fields.description = text.as_deref().map(description),
        Step::Tag(words) => write.after.fields.tags = tags(&words.iter().map(String::as_str).collect::<Vec<_>>()),
        Step::Rewrite(text) => return author.rewriting(state, text.as_deref()),
        Step::Edit(a, b, new) => match state.content.as_deref() {
            None => return author.rewriting(state, Some(new)),
            Some(text) => {
                let ends = [a.index(text.len() + 1), b.index(text.len() + 1)].map(|end| text.floor_char_boundary(end));
                return author.editing(state, ends[0].min(ends[1])..ends[0].max(ends[1]), new);
            }
        },
        Step::Archive if state.item.archived_at.is_none() => return author.archiving(state),
        Step::Archive => return author.unarchiving(state),
        Step::Delete if state.item.deleted_at.is_none() => return author.deleting(state),
        Step::Delete => return author.restoring(state),
    }
    write
}

/// The versions from `first` on are as they were, and those before are not there.
async fn assert_versions(store: &dyn Store, versions: &[Snapshot], first: usize) {
    let id = versions[0].item.id;
    for (index, was) in versions.iter().enumerate() {
        let number = index as u64 + 1;
        let read = store.version(id, number).await.unwrap();
        if index + 1 < first {
            assert_eq!(read, None, "version {number} is forgotten");
            continue;
        }
        let version = read.unwrap_or_else(|| panic!("version {number} is there"));
        assert_eq!(version.content, was.content, "version {number}");
        assert_eq!(version.fields, was.item.fields, "version {number}");
        assert_eq!((version.record.version, version.record.stamp), (Some(number), was.item.stamp));
    }
}

async fn check_history(store: &dyn Store, author: &Author, steps: &[Step], keep: u64) {
    let mut state = author.create(store, note(&author.space, "Plan").with_content("start\r\n")).await;
    let (mut versions, mut records) = (vec![state.clone()], 1);
    for step in steps {
        let write = write_of(author, &state, step);
        let makes_version = write.makes_version();
        state = author.change(store, &state, write).await.unwrap();
        records += 1;
        if makes_version {
            versions.push(state.clone());
        }
        assert_versions(store, &versions, 1).await;
    }
    let page = store.versions(state.item.id, ALL).await.unwrap();
    assert_eq!((page.total, page.records.len()), (records, records.try_into().unwrap()));

    let cut = Retention { before: None, keep: Some(keep) };
    while store.forget_versions(cut, None).await.unwrap().records > 0 {}
    let kept = store.versions(state.item.id, ALL).await.unwrap().records;
    let first = kept.iter().filter_map(|record| record.version).min().expect("the newest version stays");
    assert_eq!(kept[..], page.records[..kept.len()]);
    assert_versions(store, &versions, usize::try_from(first).unwrap()).await;

    // History goes on from there.
    let write = author.rewriting(&state, Some("the end"));
    versions.push(outcome(&state, &write));
    author.change(store, &state, write).await.unwrap();
    assert_versions(store, &versions, usize::try_from(first).unwrap()).await;
}

async fn every_version_of_a_random_history_is_rebuilt(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let runtime = Handle::current();
    let checking = tokio::task::spawn_blocking(move || {
        let config = Config { cases: 24, failure_persistence: None, ..Config::default() };
        TestRunner::new(config).run(&(prop::collection::vec(step(), 0..16), 1_u64..12), |(steps, keep)| {
            runtime.block_on(check_history(&*test.store, &ada, &steps, keep));
            Ok(())
        })
    });
    if let Err(failure) = checking.await.unwrap() {
        panic!("{failure}");
    }
}

async fn names_in_a_history_outlive_their_users_and_tokens(test: TestStore) {
    let (ada, ben) = (author(&*test.store, "ada").await, author(&*test.store, "ben").await);
    let made = ada.create(&*test.store, prompt(&ada.space, "review")).await;
    ben.change(&*test.store, &made, ben.retitling(&made, "Ben was here")).await.unwrap();
    assert!(test.store.delete_token(ada.user.id, ada.token.token.id).await.unwrap());
    test.store.remove_user(ben.user.id, RemoveUser::Purge, at(9)).await.unwrap();
    let records = test.store.versions(made.item.id, ALL).await.unwrap().records;
    for (record, author) in records.iter().zip([&ben, &ada]) {
        assert_eq!(record.user, NamedId { id: author.user.id, name: Some(author.user.name.clone()) });
        let token = &author.token.token;
        assert_eq!(record.token, Some(NamedId { id: token.id, name: Some(token.name.clone()) }));
    }
}

/// Contents that have nothing in common: their chain is cut by whole copies, and going back starts at the nearest.
async fn a_version_after_many_whole_copies_is_rebuilt(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let mut dice = crate::fixtures::list_oracle::Dice::new(11);
    let mut versions = vec![ada.create(&*test.store, note(&ada.space, "Noise").with_content("")).await];
    for _ in 0..80 {
        let noise: String = (0..400).map(|_| char::from(b' ' + u8::try_from(dice.below(95)).unwrap())).collect();
        let state = &versions[versions.len() - 1];
        let write = ada.editing(state, 0..state.content.as_ref().unwrap().len(), &noise);
        let changed = ada.change(&*test.store, state, write).await.unwrap();
        versions.push(changed);
    }
    assert!(test.count("SELECT count(*) FROM versions WHERE undo_kind = 5").await >= 3);
    assert_versions(&*test.store, &versions, 1).await;
}

/// Versions of an item, one a second from `at(0)` on.
pub(crate) async fn seconds(test: &TestStore, author: &Author, count: usize) -> Vec<Snapshot> {
    let mut versions = vec![author.create(&*test.store, note(&author.space, "0").with_content("0")).await];
    while versions.len() < count {
        let state = &versions[versions.len() - 1];
        let write = author.rewriting(state, Some(&versions.len().to_string()));
        let changed = author.change(&*test.store, state, write).await.unwrap();
        versions.push(changed);
    }
    versions
}

fn before(time: Timestamp) -> Retention {
    Retention { before: Some(time), keep: None }
}

async fn old_records_are_forgotten_and_the_rest_is_rebuilt(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let (versions, others) = (seconds(&test, &ada, 10).await, seconds(&test, &ada, 3).await);
    let forgotten = test.store.forget_versions(before(at(4)), None).await.unwrap();
    assert_eq!((forgotten.records, forgotten.last), (4 + 2, None));
    assert_versions(&*test.store, &versions, 5).await;
    assert_versions(&*test.store, &others, 3).await;
    assert_eq!(test.store.forget_versions(before(at(4)), None).await.unwrap().records, 0);
    assert_eq!(test.store.snapshot(versions[9].item.id).await.unwrap().as_ref(), Some(&versions[9]));
}

async fn a_history_is_cut_to_a_number_of_records(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let versions = seconds(&test, &ada, 10).await;
    let keep = Retention { before: None, keep: Some(3) };
    assert_eq!(test.store.forget_versions(keep, None).await.unwrap().records, 7);
    assert_versions(&*test.store, &versions, 8).await;
    let page = test.store.versions(versions[0].item.id, ALL).await.unwrap();
    assert_eq!((page.total, page.records.last().unwrap().version), (3, Some(8)));
}

async fn the_newest_version_is_never_forgotten(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let versions = seconds(&test, &ada, 3).await;
    let newest = versions[2].clone();
    let archived = ada.change(&*test.store, &newest, ada.archiving(&newest)).await.unwrap();
    for retention in [before(at(1_000_000)), Retention { before: None, keep: Some(0) }] {
        test.store.forget_versions(retention, None).await.unwrap();
        assert_versions(&*test.store, &versions, 3).await;
        assert_eq!(test.store.versions(newest.item.id, ALL).await.unwrap().total, 2);
    }
    assert_eq!(test.store.snapshot(newest.item.id).await.unwrap(), Some(archived));
}

async fn forgetting_gets_through_all_items_in_steps(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let samples: Vec<Snapshot> = (0..1_100).map(|number| note(&ada.space, &number.to_string())).collect();
    test.store.commit(samples.iter().map(|sample| ada.creation(sample)).collect()).await.unwrap();
    test.store.commit(samples.iter().map(|sample| ada.retitling(sample, "new")).collect()).await.unwrap();
    let (mut after, mut steps, mut records) = (None, 0, 0);
    loop {
        let forgotten = test.store.forget_versions(before(at(1)), after).await.unwrap();
        (steps, records) = (steps + 1, records + forgotten.records);
        match forgotten.last {
            Some(last) => after = Some(last),
            None => break,
        }
    }
    assert_eq!((steps, records), (2, 1_100));
    assert_eq!(test.count("SELECT count(*) FROM versions").await, 1_100);
}

async fn those_who_forget_together_leave_what_is_kept(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let versions = seconds(&test, &ada, 30).await;
    let stores = [test.database.open().await, test.database.open().await];
    let keep = Retention { before: None, keep: Some(10) };
    let work = stores.map(|store| async move { store.forget_versions(keep, None).await.unwrap().records });
    assert_eq!(together(work).await.iter().sum::<u64>(), 20);
    assert_versions(&*test.store, &versions, 21).await;
    assert_eq!(test.store.versions(versions[0].item.id, ALL).await.unwrap().total, 10);
}
