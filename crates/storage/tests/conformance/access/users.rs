//! `create_user`, `users`, `user` and `memberships`.

use interline_items::{AppId, Membership, OrganizationId, Rank, Role, Space, SpaceId, SpaceOwner, Store, UserId};
use jiff::SignedDuration;
use uuid::Uuid;

use std::sync::Arc;

use crate::fixtures::authors::{Author, author, stranger};
use crate::fixtures::samples::at;
use crate::fixtures::test_store::TestStore;
use crate::items::races::together;

on_both!(
    a_user_comes_with_a_space_and_a_token,
    every_field_of_a_user_comes_back,
    a_user_that_is_not_there_is_no_user,
    users_are_listed_oldest_first,
    a_user_without_a_free_secret_is_not_made,
    a_users_own_space_comes_first_then_the_others_by_id,
    somebody_elses_spaces_are_not_a_users,
    nobody_has_two_spaces,
    of_many_first_users_one_is_made,
    the_first_user_is_the_oldest,
);

async fn a_user_comes_with_a_space_and_a_token(test: TestStore) {
    assert_eq!(test.store.users().await.unwrap(), []);
    let ada = author(&*test.store, "ada").await;
    let own = Membership { space: ada.space.clone(), role: Role::Owner };
    assert_eq!(test.store.user(ada.user.id).await.unwrap(), Some(ada.user.clone()));
    assert_eq!(test.store.memberships(ada.user.id).await.unwrap(), [own, reader_of_all()]);
    assert_eq!(test.store.tokens(ada.user.id).await.unwrap(), [ada.token.token]);
}

async fn every_field_of_a_user_comes_back(test: TestStore) {
    let mut ada = stranger("Ada 'A' Λ \"quoted\"");
    ada.user.email = Some("ada@example.org".to_owned());
    ada.user.rank = Rank::Admin;
    ada.user.organization = Some(organization(&test).await);
    ada.user.created_at = at(1);
    test.store.create_user(&ada.user, &ada.space, &ada.token).await.unwrap();
    assert_eq!(test.store.user(ada.user.id).await.unwrap(), Some(ada.user.clone()));
    assert_eq!(test.store.users().await.unwrap(), [ada.user]);
}

async fn a_user_that_is_not_there_is_no_user(test: TestStore) {
    let nobody = UserId::generate();
    assert_eq!(test.store.user(nobody).await.unwrap(), None);
    assert_eq!(test.store.memberships(nobody).await.unwrap(), []);
    assert_eq!(test.store.tokens(nobody).await.unwrap(), []);
}

async fn users_are_listed_oldest_first(test: TestStore) {
    let mut made = Vec::new();
    for (name, age) in [("ada", 1), ("ben", 3), ("cyd", 2)] {
        let mut one = stranger(name);
        one.user.created_at = at(0) - SignedDuration::from_hours(age);
        test.store.create_user(&one.user, &one.space, &one.token).await.unwrap();
        made.push(one.user);
    }
    made.sort_by_key(|user| user.created_at);
    assert_eq!(test.store.users().await.unwrap(), made);
}

/// What every user is: a reader of what is everybody's.
pub(crate) fn reader_of_all() -> Membership {
    let id = SpaceId::from_uuid(Uuid::from_u128(0x0000_0000_0000_7000_8000_0000_0000_0001));
    Membership { space: Space { id, owner: SpaceOwner::Global, name: "global".to_owned() }, role: Role::Reader }
}

/// An organization that the store knows.
async fn organization(test: &TestStore) -> OrganizationId {
    let id = OrganizationId::generate();
    let key = test.literal(id.uuid());
    test.execute(&format!("INSERT INTO organizations (id, name, created_at) VALUES ({key}, 'team', 0)")).await;
    id
}

async fn add_space(test: &TestStore, space: &Space) {
    let id = test.literal(space.id.uuid());
    let (column, owner) = match space.owner {
        SpaceOwner::User(user) => ("\"user\"", test.literal(user.uuid())),
        SpaceOwner::Organization(organization) => ("organization", test.literal(organization.uuid())),
        SpaceOwner::App(app) => ("app", test.literal(app.uuid())),
        SpaceOwner::Global => panic!("there is one already"),
    };
    let name = &space.name;
    test.execute(&format!("INSERT INTO spaces (id, {column}, name) VALUES ({id}, {owner}, '{name}')")).await;
}

async fn add_member(test: &TestStore, space: SpaceId, user: UserId, role: &str) {
    let (space, user) = (test.literal(space.uuid()), test.literal(user.uuid()));
    test.execute(&format!("INSERT INTO members (\"user\", space, role) VALUES ({user}, {space}, '{role}')")).await;
}

/// The three are made together or not at all.
async fn a_user_without_a_free_secret_is_not_made(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let mut ben = stranger("ben");
    ben.token.secret = ada.token.secret;
    assert!(test.store.create_user(&ben.user, &ben.space, &ben.token).await.is_err());
    assert_eq!(test.store.users().await.unwrap(), [ada.user]);
    assert_eq!(test.store.memberships(ben.user.id).await.unwrap(), []);
    // Hers, and everybody's.
    assert_eq!(test.count("SELECT count(*) FROM spaces").await, 2);
}

async fn a_users_own_space_comes_first_then_the_others_by_id(test: TestStore) {
    let team = organization(&test).await;
    let shared = |owner| Space { id: SpaceId::generate(), owner, name: "shared".to_owned() };
    let (early, late) = (shared(SpaceOwner::App(AppId::generate())), shared(SpaceOwner::Organization(team)));
    let ada = author(&*test.store, "ada").await;
    let ben = author(&*test.store, "ben").await;
    for (space, role) in [(&late, "writer"), (&early, "reader")] {
        add_space(&test, space).await;
        add_member(&test, space.id, ada.user.id, role).await;
    }
    add_member(&test, ben.space.id, ada.user.id, "writer").await;

    let memberships = test.store.memberships(ada.user.id).await.unwrap();
    let expected = [
        Membership { space: ada.space, role: Role::Owner },
        reader_of_all(),
        Membership { space: early, role: Role::Reader },
        Membership { space: late, role: Role::Writer },
        Membership { space: ben.space, role: Role::Writer },
    ];
    assert_eq!(memberships, expected);
    assert_eq!(test.store.credentials(ada.token.secret).await.unwrap().unwrap().memberships, expected);
}

async fn somebody_elses_spaces_are_not_a_users(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let ben = author(&*test.store, "ben").await;
    let spaces: Vec<_> = test.store.memberships(ada.user.id).await.unwrap();
    assert_eq!(
        spaces.iter().map(|membership| membership.space.id).collect::<Vec<_>>(),
        [ada.space.id, reader_of_all().space.id]
    );
    assert_ne!(ada.space.id, ben.space.id);
}

async fn nobody_has_two_spaces(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let team = organization(&test).await;
    let app = AppId::generate();
    let owners = [SpaceOwner::Organization(team), SpaceOwner::App(app), SpaceOwner::Global];
    for owner in [SpaceOwner::Organization(team), SpaceOwner::App(app)] {
        add_space(&test, &Space { id: SpaceId::generate(), owner, name: "first".to_owned() }).await;
    }
    for owner in owners.into_iter().chain([SpaceOwner::User(ada.user.id)]) {
        let mut ben = stranger("ben");
        ben.space.owner = owner;
        assert!(test.store.create_user(&ben.user, &ben.space, &ben.token).await.is_err(), "{owner:?}");
    }
    assert_eq!(test.store.users().await.unwrap(), [ada.user]);
}

async fn make_first(store: &dyn Store, new: &Author) -> bool {
    store.create_first_user(&new.user, &new.space, &new.token).await.unwrap()
}

/// Processes that start together on a new database make one owner.
async fn of_many_first_users_one_is_made(test: TestStore) {
    let mut stores = vec![Arc::clone(&test.store)];
    for _ in 0..3 {
        stores.push(test.database.open().await);
    }
    let work = (0..32).map(|number| {
        let (store, new) = (Arc::clone(&stores[number % 4]), stranger(&format!("user {number}")));
        async move { make_first(&*store, &new).await.then_some(new) }
    });
    let made: Vec<Author> = together(work).await.into_iter().flatten().collect();
    let [owner] = &made[..] else { panic!("{} first users", made.len()) };
    assert_eq!(test.store.users().await.unwrap(), std::slice::from_ref(&owner.user));
    assert_eq!(test.store.tokens(owner.user.id).await.unwrap(), std::slice::from_ref(&owner.token.token));
    for (table, rows) in [("users", 1), ("spaces", 2), ("members", 1), ("tokens", 1)] {
        assert_eq!(test.count(&format!("SELECT count(*) FROM {table}")).await, rows, "{table}");
    }
}

async fn the_first_user_is_the_oldest(test: TestStore) {
    assert_eq!(test.store.first_user().await.unwrap(), None);
    let ada = author(&*test.store, "ada").await;
    assert_eq!(test.store.first_user().await.unwrap(), Some(ada.user));
    let mut older = stranger("older");
    older.user.created_at = at(-1);
    assert!(!make_first(&*test.store, &older).await);
    test.store.create_user(&older.user, &older.space, &older.token).await.unwrap();
    assert_eq!(test.store.first_user().await.unwrap(), Some(older.user));
}
