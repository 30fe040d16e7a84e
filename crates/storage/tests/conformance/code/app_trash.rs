//! Deleted apps: `update_app`, `deleted_apps`, `memberships`, `apps_to_purge` and `purge_app`.

use interline_items::{App, AppId, CodeKind, NewApp, Rank, Snapshot, SpaceId, Store, StoreError};
use jiff::SignedDuration;

use crate::access::organizations::{app, organization};
use crate::fixtures::authors::{Author, author, stranger};
use crate::fixtures::samples::{at, file, path};
use crate::fixtures::test_store::{Database, TestStore};

on_both!(
    the_space_of_a_deleted_app_is_nobodys,
    the_slug_of_a_deleted_app_is_free,
    a_deleted_app_keeps_what_it_has,
    a_purged_app_is_gone_with_all_that_was_its_own,
    an_app_is_purged_only_when_it_was_deleted_long_enough,
    a_purge_that_is_interrupted_leaves_no_app_and_is_finished_later,
);

/// An app with one file, and its author.
async fn with_file(test: &TestStore, slug: &str, text: &str) -> (Author, NewApp, Snapshot) {
    let author = author(&*test.store, slug).await;
    let mut new = app(slug, None);
    let index = file(&new.space, CodeKind::AppFile, "index.tsx", text);
    new.files.writes.push(author.creation(&index));
    test.store.create_app(new.clone()).await.unwrap();
    (author, new, index)
}

/// The app, deleted or restored.
async fn change(store: &dyn Store, app: &App, deleted_at: Option<i64>) -> App {
    let changed = App {
        deleted_at: deleted_at.map(at),
        updated_at: app.updated_at + SignedDuration::from_secs(1),
        ..app.clone()
    };
    assert!(store.update_app(&changed, app.updated_at).await.unwrap());
    changed
}

async fn the_space_of_a_deleted_app_is_nobodys(test: TestStore) {
    let store = &*test.store;
    let (acme, space) = organization("acme");
    store.create_organization(&acme, &space).await.unwrap();
    let mut users = Vec::new();
    for (name, rank, organization) in
        [("admin", Rank::Admin, None), ("ada", Rank::Member, Some(acme.id)), ("ben", Rank::Member, None)]
    {
        let mut user = stranger(name);
        (user.user.rank, user.user.organization) = (rank, organization);
        store.create_user(&user.user, &user.space, &user.token).await.unwrap();
        users.push(user);
    }
    let (theirs, global) = (app("shop", Some(acme.id)), app("portal", None));
    for new in [&theirs, &global] {
        store.create_app(new.clone()).await.unwrap();
        // Also those who were made members of it.
        let (space, user) = (test.literal(new.space.id.uuid()), test.literal(users[2].user.id.uuid()));
        test.execute(&format!("INSERT INTO members (\"user\", space, role) VALUES ({user}, {space}, 'owner')")).await;
    }
    let seen = async |space: SpaceId| {
        let mut seen = Vec::new();
        for user in &users {
            let memberships = store.memberships(user.user.id).await.unwrap();
            seen.push(memberships.iter().any(|membership| membership.space.id == space));
        }
        seen
    };
    for new in [&theirs, &global] {
        assert!(seen(new.space.id).await.contains(&true));
        let before = seen(new.space.id).await;
        let deleted = change(store, &new.app, Some(5)).await;
        assert_eq!(seen(new.space.id).await, [false; 3], "{}", new.app.name);
        change(store, &deleted, None).await;
        assert_eq!(seen(new.space.id).await, before, "{}", new.app.name);
    }
}

async fn the_slug_of_a_deleted_app_is_free(test: TestStore) {
    let store = &*test.store;
    let first = app("shop", None);
    store.create_app(first.clone()).await.unwrap();
    let first = change(store, &first.app, Some(5)).await;
    let second = app("shop", None);
    store.create_app(second.clone()).await.unwrap();
    let restored =
        App { deleted_at: None, updated_at: first.updated_at + SignedDuration::from_secs(1), ..first.clone() };
    match store.update_app(&restored, first.updated_at).await {
        Err(StoreError::SlugTaken(holder)) => assert_eq!(holder.id, second.app.id),
        other => panic!("{other:?}"),
    }
    let second = change(store, &second.app, Some(6)).await;
    assert_eq!(store.deleted_apps().await.unwrap(), [second.clone(), first.clone()], "the last one first");
    let mut named = store.apps_by_slug(&first.slug).await.unwrap();
    named.sort_by_key(|app| app.deleted_at);
    assert_eq!(named, [first.clone(), second.clone()]);
    let first = change(store, &first, None).await;
    assert_eq!(store.apps(&[first.id, second.id].into()).await.unwrap().len(), 2);
    assert_eq!(store.deleted_apps().await.unwrap(), [second]);
}

async fn a_deleted_app_keeps_what_it_has(test: TestStore) {
    let store = &*test.store;
    let (ada, new, index) = with_file(&test, "shop", "one").await;
    let published = store.publish_app(new.app.id, ada.user.id, at(1)).await.unwrap().unwrap();
    let app = store.apps(&[new.app.id].into()).await.unwrap().remove(0);
    let deleted = change(store, &app, Some(5)).await;
    assert_eq!(store.apps(&[app.id].into()).await.unwrap(), std::slice::from_ref(&deleted));
    let restored = change(store, &deleted, None).await;
    assert_eq!(App { updated_at: app.updated_at, ..restored }, app);
    assert_eq!(store.snapshot(index.item.id).await.unwrap(), Some(index));
    assert_eq!(store.app_versions(app.id).await.unwrap(), [published]);
}

async fn a_purged_app_is_gone_with_all_that_was_its_own(test: TestStore) {
    let store = &*test.store;
    let (ada, gone, index) = with_file(&test, "gone", "shared").await;
    let own = ada.create(store, file(&gone.space, CodeKind::AppFile, "own.tsx", "own")).await;
    let own = ada.change(store, &own, ada.rewriting(&own, Some("own too"))).await.unwrap();
    let (ben, kept, other) = with_file(&test, "kept", "shared").await;
    for (app, user) in [(gone.app.id, ada.user.id), (kept.app.id, ben.user.id)] {
        store.publish_app(app, user, at(1)).await.unwrap().unwrap();
    }
    assert_eq!(test.count("SELECT count(*) FROM published_contents").await, 2);
    change(store, &gone.app, Some(5)).await;
    assert!(store.purge_app(gone.app.id, at(6)).await.unwrap());
    for item in [&index, &own] {
        assert_eq!(store.snapshot(item.item.id).await.unwrap(), None);
    }
    assert_eq!(store.apps(&[gone.app.id].into()).await.unwrap(), []);
    assert_eq!(store.deleted_apps().await.unwrap(), []);
    assert_eq!(store.app_versions(gone.app.id).await.unwrap(), []);
    assert_eq!(store.snapshot(other.item.id).await.unwrap(), Some(other));
    let text = store.published_content(kept.app.id, 1, &path("index.tsx")).await.unwrap();
    assert_eq!(text.as_deref(), Some("shared"), "other versions keep what they share");
    for (table, rows) in [("apps", 1), ("items", 1), ("app_versions", 1), ("app_version_files", 1)] {
        assert_eq!(test.count(&format!("SELECT count(*) FROM {table}")).await, rows, "{table}");
    }
    assert_eq!(test.count("SELECT count(*) FROM published_contents").await, 1);
    assert_eq!(test.count("SELECT count(*) FROM spaces WHERE app IS NOT NULL").await, 1);
    assert!(!store.purge_app(gone.app.id, at(6)).await.unwrap());
    let problems = store.check().await.unwrap().problems;
    assert!(problems.is_empty(), "{problems:?}");
}

async fn an_app_is_purged_only_when_it_was_deleted_long_enough(test: TestStore) {
    let store = &*test.store;
    let (_, new, index) = with_file(&test, "shop", "one").await;
    assert!(!store.purge_app(new.app.id, at(9)).await.unwrap(), "it is not deleted");
    change(store, &new.app, Some(5)).await;
    assert!(!store.purge_app(new.app.id, at(5)).await.unwrap(), "it was not deleted before");
    assert!(!store.purge_app(AppId::generate(), at(9)).await.unwrap());
    assert_eq!(store.snapshot(index.item.id).await.unwrap(), Some(index));
    assert!(store.purge_app(new.app.id, at(6)).await.unwrap());
}

/// Gives the history of an item more records between its first and its last version.
async fn lengthen_history(test: &TestStore, item: &Snapshot, records: u64) {
    let id = test.literal(item.item.id.uuid());
    let key = match test.database {
        Database::Sqlite { .. } => "number",
        Database::Postgres { .. } => "id",
    };
    test.execute(&format!(
        "WITH RECURSIVE more (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM more WHERE number < {records})
         INSERT INTO versions (item, stamp_version, stamp_revision, action, changed_fields, at, source, \"user\")
         SELECT items.{key}, 1, more.number, 'archive', '[]', 1, 'rest', {id} FROM items, more WHERE items.id = {id}"
    ))
    .await;
}

/// A row of another table keeps the space from being removed, as a crash would.
async fn a_purge_that_is_interrupted_leaves_no_app_and_is_finished_later(test: TestStore) {
    let store = &*test.store;
    let (ada, new, index) = with_file(&test, "shop", "one").await;
    for number in 0..120 {
        ada.create(store, file(&new.space, CodeKind::AppFile, &format!("{number}.tsx"), "text")).await;
    }
    let index = ada.change(store, &index, ada.rewriting(&index, Some("two"))).await.unwrap();
    lengthen_history(&test, &index, 2_500).await;
    for second in [1, 2] {
        store.publish_app(new.app.id, ada.user.id, at(second)).await.unwrap().unwrap();
    }
    let kept = app("kept", None);
    store.create_app(kept.clone()).await.unwrap();
    let deleted = change(store, &new.app, Some(5)).await;
    assert_eq!(store.apps_to_purge(at(5)).await.unwrap(), []);
    assert_eq!(store.apps_to_purge(at(6)).await.unwrap(), [new.app.id]);
    let space = test.literal(new.space.id.uuid());
    let kind = match test.database {
        Database::Sqlite { .. } => "BLOB",
        Database::Postgres { .. } => "uuid",
    };
    test.execute(&format!(
        "CREATE TABLE obstacle (space {kind} REFERENCES spaces (id)); INSERT INTO obstacle VALUES ({space})"
    ))
    .await;
    store.purge_app(new.app.id, at(6)).await.unwrap_err();

    for table in ["items", "versions", "contents", "app_versions", "app_version_files", "published_contents", "events"]
    {
        assert_eq!(test.count(&format!("SELECT count(*) FROM {table}")).await, 0, "{table} of steps before");
    }
    assert_eq!(test.count("SELECT count(*) FROM apps").await, 2);
    assert_eq!(store.deleted_apps().await.unwrap(), []);
    assert_eq!(store.apps(&[new.app.id, kept.app.id].into()).await.unwrap(), std::slice::from_ref(&kept.app));
    assert_eq!(store.apps_by_slug(&new.app.slug).await.unwrap(), []);
    let restored =
        App { deleted_at: None, updated_at: deleted.updated_at + SignedDuration::from_secs(1), ..deleted.clone() };
    assert!(!store.update_app(&restored, deleted.updated_at).await.unwrap(), "half an app does not come back");
    let problems = store.check().await.unwrap().problems;
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(store.apps_to_purge(at(0)).await.unwrap(), [new.app.id], "whatever is kept now");

    test.execute("DROP TABLE obstacle").await;
    assert!(store.purge_app(new.app.id, at(0)).await.unwrap());
    assert_eq!(store.apps_to_purge(at(9)).await.unwrap(), []);
    assert_eq!(test.count("SELECT count(*) FROM apps").await, 1);
    assert_eq!(test.count("SELECT count(*) FROM spaces WHERE app IS NOT NULL").await, 1);
    assert!(!store.purge_app(new.app.id, at(9)).await.unwrap());
}
