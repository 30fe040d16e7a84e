//! `create_app`, `update_app`, `apps`, and the published versions of apps.

use std::sync::Arc;

use interline_items::fields::AppSlug;
use interline_items::{App, AppId, AppVersion, CodeKind, NewApp, PublishedFile, Snapshot, Store, StoreError, UserId};
use jiff::SignedDuration;

use crate::access::organizations::{app, organization};
use crate::fixtures::authors::{Author, author};
use crate::fixtures::samples::{at, file, path};
use crate::fixtures::test_store::TestStore;
use crate::items::races::together;

on_both!(
    an_app_comes_with_its_space_and_files,
    a_slug_is_taken_in_its_organization,
    of_creators_of_one_slug_exactly_one_wins,
    an_app_is_changed_only_as_it_was_known,
    what_was_published_stays,
    nothing_is_published_of_no_file,
    a_version_is_what_the_draft_was_at_one_moment,
    apps_that_publish_together_have_versions_of_their_own,
);

fn slug(text: &str) -> AppSlug {
    AppSlug::from_stored(text.to_owned())
}

async fn make(store: &dyn Store, new: &NewApp) -> App {
    store.create_app(new.clone()).await.unwrap();
    new.app.clone()
}

async fn an_app_comes_with_its_space_and_files(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let (acme, space) = organization("acme");
    test.store.create_organization(&acme, &space).await.unwrap();
    let mut new = app("shop", Some(acme.id));
    new.app.description = Some("Sells \"things\"".to_owned());
    new.app.navigation = Some(r#"[{"path":"/"}]"#.to_owned());
    let index = file(&new.space, CodeKind::AppFile, "pages/index.tsx", "export {}");
    new.files.writes.push(ada.creation(&index));
    let shop = make(&*test.store, &new).await;
    let other = make(&*test.store, &app("other", None)).await;
    let there = test.store.apps(&[shop.id, AppId::generate()].into()).await.unwrap();
    assert_eq!(there, std::slice::from_ref(&shop));
    assert_eq!(test.store.apps(&[shop.id, other.id].into()).await.unwrap().len(), 2);
    assert_eq!(test.store.apps_by_slug(&slug("shop")).await.unwrap(), [shop]);
    assert_eq!(test.store.snapshot(index.item.id).await.unwrap(), Some(index));
}

async fn a_slug_is_taken_in_its_organization(test: TestStore) {
    let ((acme, space), (umbra, other)) = (organization("acme"), organization("umbra"));
    test.store.create_organization(&acme, &space).await.unwrap();
    test.store.create_organization(&umbra, &other).await.unwrap();
    let mut made = Vec::new();
    for owner in [None, Some(acme.id), Some(umbra.id)] {
        let first = make(&*test.store, &app("shop", owner)).await;
        match test.store.create_app(app("shop", owner)).await {
            Err(StoreError::SlugTaken(holder)) => assert_eq!(*holder, first),
            refused => panic!("{refused:?}"),
        }
        let mut second = make(&*test.store, &app("second", owner)).await;
        second.slug = slug("shop");
        match test.store.update_app(&second, second.updated_at).await {
            Err(StoreError::SlugTaken(holder)) => assert_eq!(*holder, first),
            refused => panic!("{refused:?}"),
        }
        made.push(first);
    }
    made.sort_by_key(|app| app.id);
    assert_eq!(test.store.apps_by_slug(&slug("shop")).await.unwrap(), made);
    assert_eq!(test.count("SELECT count(*) FROM apps").await, 6);
    // Everybody's, two organizations', six apps'.
    assert_eq!(test.count("SELECT count(*) FROM spaces").await, 9);
}

async fn of_creators_of_one_slug_exactly_one_wins(test: TestStore) {
    let other = test.database.open().await;
    for owner in 0..5 {
        let work = (0..8).map(|number| {
            let store = Arc::clone(if number % 2 == 0 { &test.store } else { &other });
            let new = app(&format!("shop-{owner}"), None);
            async move { store.create_app(new).await }
        });
        let outcomes = together(work).await;
        assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
        let refused = outcomes.iter().filter_map(|outcome| outcome.as_ref().err());
        assert!(refused.into_iter().all(|error| matches!(error, StoreError::SlugTaken(_))));
    }
}

async fn an_app_is_changed_only_as_it_was_known(test: TestStore) {
    let first = make(&*test.store, &app("shop", None)).await;
    let mut second = first.clone();
    second.name = "The shop".to_owned();
    second.slug = slug("the-shop");
    second.description = Some("Sells".to_owned());
    second.navigation = Some("{}".to_owned());
    second.updated_at += SignedDuration::from_secs(1);
    assert!(test.store.update_app(&second, first.updated_at).await.unwrap());
    assert!(!test.store.update_app(&first, first.updated_at).await.unwrap());
    assert_eq!(test.store.apps(&[first.id].into()).await.unwrap(), [second.clone()]);
    assert!(!test.store.update_app(&app("none", None).app, at(0)).await.unwrap());
    let called = test.rows("SELECT name FROM spaces WHERE app IS NOT NULL").await;
    assert_eq!(called[0][0].text(), "The shop");
}

/// An app with a file, and its author.
async fn published(test: &TestStore) -> (Author, App, NewApp, Snapshot) {
    let ada = author(&*test.store, "ada").await;
    let mut new = app("shop", None);
    let index = file(&new.space, CodeKind::AppFile, "pages/index.tsx", "one");
    new.files.writes.push(ada.creation(&index));
    let shop = make(&*test.store, &new).await;
    (ada, shop, new, index)
}

async fn text(test: &TestStore, app: AppId, version: u64, name: &str) -> Option<String> {
    let found = test.store.published_content(app, version, &path(name)).await.unwrap();
    found.map(|text| text.to_string())
}

async fn what_was_published_stays(test: TestStore) {
    let store = &*test.store;
    let (ada, shop, new, index) = published(&test).await;
    let same = ada.create(store, file(&new.space, CodeKind::AppFile, "Same.tsx", "one")).await;
    let gone = ada.create(store, file(&new.space, CodeKind::AppFile, "gone.tsx", "gone")).await;
    ada.change(store, &gone, ada.deleting(&gone)).await.unwrap();
    let first = store.publish_app(shop.id, ada.user.id, at(1)).await.unwrap().unwrap();
    assert_eq!(first, AppVersion { version: 1, published_at: at(1), user: ada.user.id, files: 2 });

    let index = ada.change(store, &index, ada.rewriting(&index, Some("zwei"))).await.unwrap();
    store.purge(same.item.id, same.item.stamp, ada.record(interline_items::Action::Delete, at(2)), None).await.unwrap();
    let second = store.publish_app(shop.id, ada.user.id, at(3)).await.unwrap().unwrap();
    assert_eq!((second.version, second.files), (2, 1));
    store
        .purge(index.item.id, index.item.stamp, ada.record(interline_items::Action::Delete, at(4)), None)
        .await
        .unwrap();

    assert_eq!(store.app_versions(shop.id).await.unwrap(), [second, first]);
    let listed = |name: &str, characters| PublishedFile { path: path(name), characters };
    assert_eq!(store.published_files(shop.id, 1).await.unwrap(), [listed("pages/index.tsx", 3), listed("Same.tsx", 3)]);
    assert_eq!(store.published_files(shop.id, 2).await.unwrap(), [listed("pages/index.tsx", 4)]);
    assert_eq!(store.published_files(shop.id, 3).await.unwrap(), []);
    assert_eq!(text(&test, shop.id, 1, "pages/index.tsx").await.as_deref(), Some("one"));
    assert_eq!(text(&test, shop.id, 1, "Same.tsx").await.as_deref(), Some("one"));
    assert_eq!(text(&test, shop.id, 2, "pages/index.tsx").await.as_deref(), Some("zwei"));
    for (version, name) in [(1, "gone.tsx"), (1, "pages"), (2, "Same.tsx"), (u64::MAX, "Same.tsx"), (0, "Same.tsx")] {
        assert_eq!(text(&test, shop.id, version, name).await, None, "{version} {name}");
    }
    assert_eq!(test.count("SELECT count(*) FROM published_contents").await, 2);
    assert_eq!(store.apps(&[shop.id].into()).await.unwrap()[0].published_version, Some(2));
    assert_eq!(store.apps(&[shop.id].into()).await.unwrap()[0].updated_at, shop.updated_at);
}

async fn nothing_is_published_of_no_file(test: TestStore) {
    let (ada, shop, _, index) = published(&test).await;
    ada.change(&*test.store, &index, ada.deleting(&index)).await.unwrap();
    assert_eq!(test.store.publish_app(shop.id, ada.user.id, at(1)).await.unwrap(), None);
    assert_eq!(test.store.publish_app(AppId::generate(), ada.user.id, at(1)).await.unwrap(), None);
    assert_eq!(test.store.app_versions(shop.id).await.unwrap(), []);
    assert_eq!(test.store.apps(&[shop.id].into()).await.unwrap(), [shop]);
    for table in ["app_versions", "app_version_files", "published_contents"] {
        assert_eq!(test.count(&format!("SELECT count(*) FROM {table}")).await, 0, "{table}");
    }
}

/// Two files always say the same, since one batch changes both: a version in which they differ was of two moments.
async fn a_version_is_what_the_draft_was_at_one_moment(test: TestStore) {
    let (ada, shop, new, mut one) = published(&test).await;
    let mut two = ada.create(&*test.store, file(&new.space, CodeKind::AppFile, "two.tsx", "one")).await;
    let other = test.database.open().await;
    let user = ada.user.id;
    let writing = async move {
        for number in 0..40 {
            let text = format!("text {number}");
            let writes = [ada.rewriting(&one, Some(&text)), ada.rewriting(&two, Some(&text))];
            let (next_one, next_two) = (
                crate::fixtures::changes::outcome(&one, &writes[0]),
                crate::fixtures::changes::outcome(&two, &writes[1]),
            );
            other.commit(writes.into_iter().collect()).await.unwrap();
            (one, two) = (next_one, next_two);
        }
    };
    let store = Arc::clone(&test.store);
    let publishing = async move {
        for number in 0..20 {
            store.publish_app(shop.id, user, at(number)).await.unwrap().unwrap();
        }
    };
    tokio::join!(tokio::spawn(writing), publishing).0.unwrap();
    for version in 1..=20 {
        let first = text(&test, shop.id, version, "pages/index.tsx").await.unwrap();
        assert_eq!(text(&test, shop.id, version, "two.tsx").await.unwrap(), first, "version {version}");
    }
}

async fn apps_that_publish_together_have_versions_of_their_own(test: TestStore) {
    let (_, shop, ..) = published(&test).await;
    let other = test.database.open().await;
    let work = (0..12).map(|number| {
        let store = Arc::clone(if number % 2 == 0 { &test.store } else { &other });
        async move { store.publish_app(shop.id, UserId::generate(), at(number)).await.unwrap().unwrap().version }
    });
    let mut versions = together(work).await;
    versions.sort_unstable();
    assert_eq!(versions, (1..=12).collect::<Vec<u64>>());
}
