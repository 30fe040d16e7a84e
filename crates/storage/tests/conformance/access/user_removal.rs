//! `remove_user`: what a user owned is removed, and its name stays in the history.

use interline_items::{Kind, Rank, RemoveUser, Store, UserId, UserRemoval};

use crate::fixtures::authors::{Author, author, stranger, token};
use crate::fixtures::samples::{Sample, at, note, prompt};
use crate::fixtures::sql::Value;
use crate::fixtures::test_store::TestStore;
use crate::items::lists::VIEWS;

on_both!(
    a_removed_user_is_gone_with_all_that_was_its_own,
    a_user_with_items_is_removed_only_with_them,
    a_user_without_items_is_removed,
    a_user_that_is_not_there_cannot_be_removed,
    the_last_admin_stays,
    of_two_admins_that_remove_each_other_one_stays,
    names_of_users_and_tokens_outlive_them,
);

async fn remove(store: &dyn Store, user: UserId, items: RemoveUser) -> UserRemoval {
    store.remove_user(user, items, at(7)).await.unwrap()
}

async fn admin(store: &dyn Store, name: &str) -> Author {
    let mut admin = stranger(name);
    admin.user.rank = Rank::Admin;
    store.create_user(&admin.user, &admin.space, &admin.token).await.unwrap();
    admin
}

async fn a_removed_user_is_gone_with_all_that_was_its_own(test: TestStore) {
    let store = &*test.store;
    let (ada, ben) = (author(store, "ada").await, author(store, "ben").await);
    let kept = ada.create(store, note(&ada.space, "Kept").with_tags(&["a"]).with_content("text")).await;
    let mut gone = vec![ben.create(store, prompt(&ben.space, "gone").with_tags(&["b"])).await];
    gone.push(ben.create(store, note(&ben.space, "Gone").with_content("text")).await);
    let edited = ben.change(store, &gone[1], ben.editing(&gone[1], 0..0, "new ")).await.unwrap();
    ben.change(store, &edited, ben.deleting(&edited)).await.unwrap();
    let (space, user) = (test.literal(ben.space.id.uuid()), test.literal(ada.user.id.uuid()));
    test.execute(&format!("INSERT INTO members (\"user\", space, role) VALUES ({user}, {space}, 'reader')")).await;

    assert_eq!(remove(store, ben.user.id, RemoveUser::Purge).await, UserRemoval::Removed(2));
    for item in gone {
        assert_eq!(store.snapshot(item.item.id).await.unwrap(), None);
    }
    assert_eq!(store.snapshot(kept.item.id).await.unwrap(), Some(kept));
    assert_eq!(store.user(ben.user.id).await.unwrap(), None);
    assert_eq!(store.users().await.unwrap(), std::slice::from_ref(&ada.user));
    assert_eq!(store.credentials(ben.token.secret).await.unwrap(), None);
    assert_eq!(store.tokens(ben.user.id).await.unwrap(), []);
    assert_eq!(store.memberships(ben.user.id).await.unwrap(), []);
    // Hers, and everybody's.
    assert_eq!(store.memberships(ada.user.id).await.unwrap().len(), 2);
    assert_eq!(store.tags(&[ben.space.id], &Kind::ALL.into(), &VIEWS.into()).await.unwrap(), []);
    for (table, rows) in [("spaces", 2), ("items", 1), ("contents", 1), ("versions", 1), ("events", 1), ("members", 1)]
    {
        assert_eq!(test.count(&format!("SELECT count(*) FROM {table}")).await, rows, "{table}");
    }
    assert_eq!(test.count("SELECT count(*) FROM stale_items").await, 3, "the search index forgets them too");
    assert_eq!(remove(store, ben.user.id, RemoveUser::Purge).await, UserRemoval::Unknown);
}

async fn a_user_with_items_is_removed_only_with_them(test: TestStore) {
    let store = &*test.store;
    let ada = author(store, "ada").await;
    let made = ada.create(store, note(&ada.space, "Plan")).await;
    let deleted = ada.change(store, &made, ada.deleting(&made)).await.unwrap();
    assert_eq!(remove(store, ada.user.id, RemoveUser::IfEmpty).await, UserRemoval::HasItems(1));
    assert_eq!(store.item(made.item.id).await.unwrap(), Some(deleted.item));
    assert!(store.credentials(ada.token.secret).await.unwrap().is_some());
}

async fn a_user_without_items_is_removed(test: TestStore) {
    let store = &*test.store;
    let (ada, ben) = (author(store, "ada").await, author(store, "ben").await);
    assert_eq!(remove(store, ada.user.id, RemoveUser::IfEmpty).await, UserRemoval::Removed(0));
    assert_eq!(store.first_user().await.unwrap(), Some(ben.user));
    // Its secret and its name are free again.
    author(store, "ada").await;
}

async fn a_user_that_is_not_there_cannot_be_removed(test: TestStore) {
    assert_eq!(remove(&*test.store, UserId::generate(), RemoveUser::Purge).await, UserRemoval::Unknown);
}

async fn the_last_admin_stays(test: TestStore) {
    let store = &*test.store;
    let (ada, ben) = (admin(store, "ada").await, admin(store, "ben").await);
    author(store, "cyd").await;
    assert_eq!(remove(store, ada.user.id, RemoveUser::Purge).await, UserRemoval::Removed(0));
    assert_eq!(remove(store, ben.user.id, RemoveUser::Purge).await, UserRemoval::LastAdmin);
    assert_eq!(store.user(ben.user.id).await.unwrap(), Some(ben.user));
}

async fn of_two_admins_that_remove_each_other_one_stays(test: TestStore) {
    let other = test.database.open().await;
    for round in 0..5 {
        let (ada, ben) =
            (admin(&*test.store, &format!("ada{round}")).await, admin(&*other, &format!("ben{round}")).await);
        for admin in test.store.users().await.unwrap() {
            if admin.id != ada.user.id && admin.id != ben.user.id {
                remove(&*other, admin.id, RemoveUser::Purge).await;
            }
        }
        let outcomes = tokio::join!(
            remove(&*test.store, ada.user.id, RemoveUser::Purge),
            remove(&*other, ben.user.id, RemoveUser::Purge)
        );
        assert!(
            matches!(
                outcomes,
                (UserRemoval::Removed(0), UserRemoval::LastAdmin) | (UserRemoval::LastAdmin, UserRemoval::Removed(0))
            ),
            "{outcomes:?}"
        );
    }
}

async fn names_of_users_and_tokens_outlive_them(test: TestStore) {
    let mut ada = stranger("ada");
    ada.user.email = Some("ada@example.org".to_owned());
    test.store.create_user(&ada.user, &ada.space, &ada.token).await.unwrap();
    let second = token(ada.user.id, "second");
    test.store.create_token(&second).await.unwrap();
    assert!(test.store.delete_token(ada.user.id, second.token.id).await.unwrap());
    remove(&*test.store, ada.user.id, RemoveUser::Purge).await;
    let users = test.rows("SELECT name, email, deleted_at FROM users").await;
    assert_eq!(users, [[Value::Text("ada".to_owned()), Value::Null, Value::Integer(at(7).as_microsecond())]]);
    let tokens = test.rows("SELECT name, secret FROM tokens ORDER BY name").await;
    assert_eq!(tokens, ["ada", "second"].map(|name| [Value::Text(name.to_owned()), Value::Null]));
}
