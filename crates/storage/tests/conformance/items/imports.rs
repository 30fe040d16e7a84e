//! Imports: front matter, imported changes and their events, what is remembered of a source, and the items of a space.

use interline_items::fields::{FrontMatter, Limits, Url};
use interline_items::{
    Action, Batch, HistoryQuery, ImportEvent, ImportOrigin, ImportedChange, ImportedFrom, ImportedSource, ItemId,
    MergedSource, RemoveUser, Snapshot, UserRemoval,
};

use crate::fixtures::authors::{Author, author};
use crate::fixtures::samples::{Sample, at, bookmark, note, prompt};
use crate::fixtures::test_store::TestStore;

on_both!(
    front_matter_is_a_field_of_items_and_versions,
    an_imported_change_keeps_its_time_and_its_author_and_its_event_has_that_of_the_import,
    what_is_remembered_of_a_source_comes_with_its_item_and_goes_with_it,
    what_is_remembered_goes_with_a_user,
    a_batch_that_fails_remembers_nothing,
    items_of_a_space_come_in_the_order_of_ids,
    a_bookmark_is_found_by_its_url,
);

fn yaml(text: &str) -> Option<FrontMatter> {
    Some(FrontMatter::from_stored(text.to_owned()))
}

fn remembered(author: &Author, key: &str, item: ItemId) -> ImportedSource {
    ImportedSource {
        space: author.space.id,
        source: "vault".to_owned(),
        key: key.to_owned(),
        item,
        hash: [7; 32],
        version: 1,
        origin: ImportOrigin::Made,
        merged: None,
    }
}

async fn front_matter_is_a_field_of_items_and_versions(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let mut sample = note(&ada.space, "Plan").with_content("text");
    sample.item.fields.front_matter = yaml("a: 1\n");
    let made = ada.create(&*test.store, sample).await;
    let mut write = ada.retitling(&made, "Plan");
    write.after.fields.front_matter = yaml("b: ä\n");
    write.record.changed_fields = vec!["front_matter"];
    let changed = ada.change(&*test.store, &made, write).await.unwrap();
    assert_eq!(test.store.snapshot(made.item.id).await.unwrap(), Some(changed.clone()));
    let mut write = ada.retitling(&changed, "Plan");
    write.after.fields.front_matter = None;
    ada.change(&*test.store, &changed, write).await.unwrap();
    for (version, expected) in [(1, yaml("a: 1\n")), (2, yaml("b: ä\n")), (3, None)] {
        let version = test.store.version(made.item.id, version).await.unwrap().unwrap();
        assert_eq!(version.fields.front_matter, expected);
    }
}

async fn an_imported_change_keeps_its_time_and_its_author_and_its_event_has_that_of_the_import(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let sample = note(&ada.space, "Plan").with_content("one");
    let import = |event, user: Option<&str>| {
        let from = user.map(|user| ImportedFrom { user: Some(user.to_owned()), token: None });
        Some(ImportedChange { at: at(500), from, event })
    };
    let mut first = ada.creation(&sample);
    first.record.import = import(ImportEvent::Silent, Some("ann"));
    let mut second = ada.rewriting(&sample, Some("two"));
    (second.record.at, second.after.updated_at) = (at(3), at(3));
    second.record.import = import(ImportEvent::Created, None);
    test.store.commit([first, second].into_iter().collect()).await.unwrap();

    let page = test.store.versions(sample.item.id, HistoryQuery { offset: 0, limit: 10 }).await.unwrap();
    let [second, first] = &page.records[..] else { panic!("{page:?}") };
    assert_eq!(first.imported_from, Some(ImportedFrom { user: Some("ann".to_owned()), token: None }));
    assert_eq!((second.imported_from.clone(), second.at, second.action), (None, at(3), Action::Update));
    let events = test.rows("SELECT event, version, at FROM events").await;
    let [event] = &events[..] else { panic!("{events:?}") };
    assert_eq!((event[0].text(), event[1].integer(), event[2].integer()), ("created", 2, at(500).as_microsecond()));
}

async fn what_is_remembered_of_a_source_comes_with_its_item_and_goes_with_it(test: TestStore) {
    let store = &*test.store;
    let (ada, ben) = (author(store, "ada").await, author(store, "ben").await);
    let sample = note(&ada.space, "Plan");
    let import = remembered(&ada, "a 'key' ä", sample.item.id);
    store.commit(Batch { imports: vec![import.clone()], ..ada.creation(&sample).into() }).await.unwrap();
    let keys = ["none".to_owned(), import.key.clone()];
    assert_eq!(store.imported_sources(ada.space.id, "vault", &keys).await.unwrap(), [None, Some(import.clone())]);
    assert_eq!(store.imported_sources(ada.space.id, "other", &keys).await.unwrap(), [None, None]);
    assert_eq!(store.imported_sources(ben.space.id, "vault", &keys).await.unwrap(), [None, None]);

    let merged = Some(MergedSource { fields: sample.item.fields.clone(), content: Some("ä\n".into()) });
    let later = ImportedSource { hash: [8; 32], version: 4, origin: ImportOrigin::Found, merged, ..import };
    store.commit(Batch { imports: vec![later.clone()], ..Batch::default() }).await.unwrap();
    assert_eq!(store.imported_sources(ada.space.id, "vault", &keys[1..]).await.unwrap(), [Some(later.clone())]);

    let renamed = ImportedSource { key: "b".to_owned(), version: 5, ..later.clone() };
    let earlier = ImportedSource { key: "c".to_owned(), version: 3, ..later };
    store.commit(Batch { imports: vec![renamed.clone(), earlier], ..Batch::default() }).await.unwrap();
    let newest = |space, source| store.newest_import_of(space, source, sample.item.id);
    assert_eq!(newest(ada.space.id, "vault").await.unwrap(), Some(renamed));
    assert_eq!(newest(ada.space.id, "other").await.unwrap(), None);
    assert_eq!(newest(ben.space.id, "vault").await.unwrap(), None);

    let record = ada.record(Action::Delete, at(9));
    store.purge(sample.item.id, sample.item.stamp, record, None).await.unwrap();
    assert_eq!(store.imported_sources(ada.space.id, "vault", &keys).await.unwrap(), [None, None]);
    assert_eq!(test.count("SELECT count(*) FROM import_sources").await, 0);
}

async fn what_is_remembered_goes_with_a_user(test: TestStore) {
    let store = &*test.store;
    let (_ada, ben) = (author(store, "ada").await, author(store, "ben").await);
    let sample = note(&ben.space, "Plan");
    let imports = vec![remembered(&ben, "a", sample.item.id)];
    store.commit(Batch { imports, ..ben.creation(&sample).into() }).await.unwrap();
    let removal = store.remove_user(ben.user.id, RemoveUser::Purge, at(7)).await.unwrap();
    assert_eq!(removal, UserRemoval::Removed(1));
    assert_eq!(test.count("SELECT count(*) FROM import_sources").await, 0);
}

async fn a_batch_that_fails_remembers_nothing(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    ada.create(store, prompt(&ada.space, "taken")).await;
    let second = prompt(&ada.space, "taken");
    let imports = vec![remembered(&ada, "a", second.item.id)];
    assert!(store.commit(Batch { imports, ..ada.creation(&second).into() }).await.is_err());
    assert_eq!(test.count("SELECT count(*) FROM import_sources").await, 0);
}

async fn items_of_a_space_come_in_the_order_of_ids(test: TestStore) {
    let store = &*test.store;
    let (ada, ben) = (author(store, "ada").await, author(store, "ben").await);
    let mut samples: Vec<Snapshot> = Vec::new();
    for sample in [prompt(&ada.space, "p"), note(&ada.space, "n"), bookmark(&ada.space, "https://a.example/")] {
        ben.create(store, note(&ben.space, "Other")).await;
        samples.push(ada.create(store, sample).await);
    }
    ada.change(store, &samples[0], ada.deleting(&samples[0])).await.unwrap();
    ada.change(store, &samples[1], ada.archiving(&samples[1])).await.unwrap();
    let mut ids: Vec<ItemId> = samples.iter().map(|sample| sample.item.id).collect();
    ids.sort_by_key(|id| id.uuid());
    assert_eq!(store.items_of_space(ada.space.id, None, 10).await.unwrap(), ids);
    assert_eq!(store.items_of_space(ada.space.id, Some(ids[0]), 1).await.unwrap(), ids[1..2]);
    assert_eq!(store.items_of_space(ada.space.id, Some(ids[2]), 10).await.unwrap(), []);
}

async fn a_bookmark_is_found_by_its_url(test: TestStore) {
    let store = &*test.store;
    let (ada, ben) = (author(store, "ada").await, author(store, "ben").await);
    let made = ada.create(store, bookmark(&ada.space, "https://a.example/")).await;
    let url = Url::parse("https://a.example", &Limits::default()).unwrap();
    assert_eq!(store.find_by_url(ada.space.id, &url).await.unwrap(), Some(made.item.id));
    assert_eq!(store.find_by_url(ben.space.id, &url).await.unwrap(), None);
    ada.change(store, &made, ada.deleting(&made)).await.unwrap();
    assert_eq!(store.find_by_url(ada.space.id, &url).await.unwrap(), None);
}
