//! `credentials`, `token_credentials`, `token_secrets`, `existing_tokens`, `create_token`, `tokens`, `rename_token`, `delete_token` and `mark_token_used`.

use std::collections::{BTreeSet, HashSet};

use interline_items::{
    Credentials, HistoryQuery, Kind, Membership, NewToken, RemoveUser, Role, Scope, SpaceId, TokenId,
};

use crate::access::users::reader_of_all;
use crate::fixtures::authors::{author, secret, token};
use crate::fixtures::samples::at;
use crate::fixtures::test_store::TestStore;

on_both!(
    a_secret_stands_for_its_token_user_and_spaces,
    an_unknown_secret_stands_for_nothing,
    an_expired_secret_is_still_known,
    tokens_exist_until_they_or_their_user_are_removed,
    every_field_of_a_token_comes_back,
    no_kinds_and_no_spaces_differ_from_all,
    tokens_are_listed_oldest_first,
    a_secret_cannot_be_given_twice,
    a_token_gets_another_name,
    nobody_renames_the_token_of_another,
    a_deleted_token_is_gone,
    nobody_deletes_the_token_of_another,
    the_use_of_a_token_is_remembered,
    the_use_of_a_token_that_is_gone_is_nothing,
    histories_outlive_the_token_of_a_change,
);

async fn a_secret_stands_for_its_token_user_and_spaces(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    author(&*test.store, "ben").await;
    let expected = Credentials {
        token: ada.token.token,
        user: ada.user,
        memberships: vec![Membership { space: ada.space, role: Role::Owner }, reader_of_all()],
    };
    assert_eq!(test.store.token_credentials(expected.token.id).await.unwrap(), Some(expected.clone()));
    assert_eq!(test.store.credentials(ada.token.secret).await.unwrap(), Some(expected));
}

async fn an_unknown_secret_stands_for_nothing(test: TestStore) {
    author(&*test.store, "ada").await;
    assert_eq!(test.store.credentials(secret("nobody")).await.unwrap(), None);
    assert_eq!(test.store.token_credentials(TokenId::generate()).await.unwrap(), None);
}

async fn tokens_exist_until_they_or_their_user_are_removed(test: TestStore) {
    let (ada, ben) = (author(&*test.store, "ada").await, author(&*test.store, "ben").await);
    let second = token(ada.user.id, "second");
    test.store.create_token(&second).await.unwrap();
    let all = BTreeSet::from([ada.token.token.id, ben.token.token.id, second.token.id]);
    let asked: BTreeSet<TokenId> = all.iter().copied().chain([TokenId::generate()]).collect();
    assert_eq!(test.store.existing_tokens(&asked).await.unwrap(), all);
    let secrets = async || test.store.token_secrets().await.unwrap().into_iter().collect::<HashSet<_>>();
    assert_eq!(secrets().await, HashSet::from([ada.token.secret, ben.token.secret, second.secret]));

    test.store.delete_token(ada.user.id, second.token.id).await.unwrap();
    test.store.remove_user(ben.user.id, RemoveUser::Purge, at(1)).await.unwrap();
    assert_eq!(test.store.existing_tokens(&asked).await.unwrap(), BTreeSet::from([ada.token.token.id]));
    assert_eq!(secrets().await, HashSet::from([ada.token.secret]));
    assert_eq!(test.store.existing_tokens(&BTreeSet::new()).await.unwrap(), BTreeSet::new());
}

async fn an_expired_secret_is_still_known(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let mut old = token(ada.user.id, "old");
    old.token.expires_at = Some(at(-1_000_000));
    test.store.create_token(&old).await.unwrap();
    assert_eq!(test.store.credentials(old.secret).await.unwrap().unwrap().token, old.token);
}

async fn every_field_of_a_token_comes_back(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let mut full = token(ada.user.id, "full");
    full.token.name = "CI \"nightly\" ☾".to_owned();
    full.token.scopes = BTreeSet::from(Scope::ALL);
    full.token.kinds = Some(BTreeSet::from([Kind::Note, Kind::Prompt]));
    full.token.spaces = Some(BTreeSet::from([ada.space.id, SpaceId::generate()]));
    full.token.expires_at = Some(at(1_000));
    full.token.last_used_at = Some(at(10));
    test.store.create_token(&full).await.unwrap();
    assert_eq!(test.store.credentials(full.secret).await.unwrap().unwrap().token, full.token);
    assert!(test.store.tokens(ada.user.id).await.unwrap().contains(&full.token));
}

async fn no_kinds_and_no_spaces_differ_from_all(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let mut nothing = token(ada.user.id, "nothing");
    nothing.token.scopes = BTreeSet::new();
    nothing.token.kinds = Some(BTreeSet::new());
    nothing.token.spaces = Some(BTreeSet::new());
    test.store.create_token(&nothing).await.unwrap();
    assert_eq!(test.store.credentials(nothing.secret).await.unwrap().unwrap().token, nothing.token);
}

async fn tokens_are_listed_oldest_first(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    author(&*test.store, "ben").await;
    let mut made = vec![ada.token.token.clone()];
    for (name, seconds) in [("b", 2), ("c", -3), ("d", 1)] {
        let mut new = token(ada.user.id, name);
        new.token.created_at = at(seconds);
        test.store.create_token(&new).await.unwrap();
        made.push(new.token);
    }
    made.sort_by_key(|token| token.created_at);
    assert_eq!(test.store.tokens(ada.user.id).await.unwrap(), made);
}

async fn a_secret_cannot_be_given_twice(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let again = NewToken { secret: ada.token.secret, ..token(ada.user.id, "again") };
    assert!(test.store.create_token(&again).await.is_err());
    assert_eq!(test.store.tokens(ada.user.id).await.unwrap(), [ada.token.token]);
}

async fn a_token_gets_another_name(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let made = ada.create(&*test.store, crate::fixtures::samples::note(&ada.space, "Plan")).await;
    let mut expected = ada.token.token.clone();
    expected.name = "Ada's \"laptop\" ☾".to_owned();
    let renamed = test.store.rename_token(ada.user.id, expected.id, &expected.name).await.unwrap();
    assert_eq!(renamed.as_ref(), Some(&expected));
    assert_eq!(test.store.credentials(ada.token.secret).await.unwrap().unwrap().token, expected);
    assert_eq!(test.store.tokens(ada.user.id).await.unwrap(), std::slice::from_ref(&expected));
    let history = test.store.versions(made.item.id, HistoryQuery { offset: 0, limit: 1 }).await.unwrap();
    let token = history.records[0].token.as_ref().unwrap();
    assert_eq!((token.id, token.name.as_ref()), (expected.id, Some(&expected.name)));
}

async fn nobody_renames_the_token_of_another(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let ben = author(&*test.store, "ben").await;
    let second = token(ada.user.id, "second");
    test.store.create_token(&second).await.unwrap();
    test.store.delete_token(ada.user.id, second.token.id).await.unwrap();
    for (user, id) in
        [(ben.user.id, ada.token.token.id), (ada.user.id, second.token.id), (ada.user.id, TokenId::generate())]
    {
        assert_eq!(test.store.rename_token(user, id, "mine").await.unwrap(), None);
    }
    assert_eq!(test.store.tokens(ada.user.id).await.unwrap(), [ada.token.token]);
}

async fn a_deleted_token_is_gone(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let second = token(ada.user.id, "second");
    test.store.create_token(&second).await.unwrap();
    assert!(test.store.delete_token(ada.user.id, second.token.id).await.unwrap());
    assert_eq!(test.store.credentials(second.secret).await.unwrap(), None);
    assert_eq!(test.store.token_credentials(second.token.id).await.unwrap(), None);
    assert_eq!(test.store.tokens(ada.user.id).await.unwrap(), [ada.token.token]);
    assert!(!test.store.delete_token(ada.user.id, second.token.id).await.unwrap());
}

async fn nobody_deletes_the_token_of_another(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let ben = author(&*test.store, "ben").await;
    assert!(!test.store.delete_token(ben.user.id, ada.token.token.id).await.unwrap());
    assert!(test.store.credentials(ada.token.secret).await.unwrap().is_some());
}

async fn the_use_of_a_token_is_remembered(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    for seconds in [60, 180, 120] {
        test.store.mark_token_used(ada.token.token.id, at(seconds)).await.unwrap();
    }
    let known = test.store.credentials(ada.token.secret).await.unwrap().unwrap();
    assert_eq!(known.token.last_used_at, Some(at(180)));
}

async fn the_use_of_a_token_that_is_gone_is_nothing(test: TestStore) {
    test.store.mark_token_used(TokenId::generate(), at(60)).await.unwrap();
}

async fn histories_outlive_the_token_of_a_change(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let made = ada.create(&*test.store, crate::fixtures::samples::note(&ada.space, "Plan")).await;
    assert!(test.store.delete_token(ada.user.id, ada.token.token.id).await.unwrap());
    assert_eq!(test.count("SELECT count(*) FROM versions").await, 1);
    assert_eq!(test.store.item(made.item.id).await.unwrap(), Some(made.item));
}
