//! Idempotency records, which are committed beside changes of items.

use std::sync::Arc;

use interline_items::{Action, Batch, IdempotencyRecord, StoreError};

use crate::fixtures::authors::{Author, author};
use crate::fixtures::samples::{Sample, at, note};
use crate::fixtures::test_store::TestStore;
use crate::items::races::together;

on_both!(
    an_answer_is_remembered_with_its_change,
    an_answer_needs_no_change,
    a_taken_key_refuses_the_whole_batch,
    a_refused_batch_remembers_nothing,
    a_key_is_one_users,
    a_purge_remembers_its_answer,
    of_requests_with_one_key_exactly_one_is_carried_out,
    old_answers_are_forgotten_and_their_keys_are_free,
);

fn answer(author: &Author, key: &str) -> IdempotencyRecord {
    IdempotencyRecord {
        user: author.user.id,
        key: key.to_owned(),
        request: [3; 32],
        answer: "{\"version\": 2, \"title\": \"ä\"}".to_owned(),
        at: at(5),
    }
}

async fn an_answer_is_remembered_with_its_change(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let made = note(&ada.space, "Plan");
    let batch = Batch { idempotency: Some(answer(&ada, "a 'key' 𝄞")), ..ada.creation(&made).into() };
    assert_eq!(test.store.idempotency_record(ada.user.id, "a 'key' 𝄞").await.unwrap(), None);
    test.store.commit(batch).await.unwrap();
    assert_eq!(test.store.idempotency_record(ada.user.id, "a 'key' 𝄞").await.unwrap(), Some(answer(&ada, "a 'key' 𝄞")));
    assert_eq!(test.store.idempotency_record(ada.user.id, "a 'KEY' 𝄞").await.unwrap(), None);
    assert_eq!(test.store.item(made.item.id).await.unwrap(), Some(made.item));
}

async fn an_answer_needs_no_change(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    test.store.commit(Batch { idempotency: Some(answer(&ada, "k")), ..Batch::default() }).await.unwrap();
    assert_eq!(test.store.idempotency_record(ada.user.id, "k").await.unwrap(), Some(answer(&ada, "k")));
}

async fn a_taken_key_refuses_the_whole_batch(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let made = ada.create(&*test.store, note(&ada.space, "Plan")).await;
    let batch = || Batch { idempotency: Some(answer(&ada, "k")), ..ada.retitling(&made, "New").into() };
    test.store.commit(batch()).await.unwrap();
    // The key is looked at first: the item has changed too.
    let again = Batch { idempotency: Some(IdempotencyRecord { request: [4; 32], ..answer(&ada, "k") }), ..batch() };
    let refused = test.store.commit(again).await;
    assert!(matches!(refused, Err(StoreError::KeyTaken)), "{refused:?}");
    assert_eq!(test.store.idempotency_record(ada.user.id, "k").await.unwrap(), Some(answer(&ada, "k")));
    assert_eq!(test.store.item(made.item.id).await.unwrap().unwrap().stamp.version, 2);
}

async fn a_refused_batch_remembers_nothing(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let made = ada.create(&*test.store, note(&ada.space, "Plan")).await;
    let writes = vec![ada.creation(&made)];
    let refused = test.store.commit(Batch { writes, idempotency: Some(answer(&ada, "k")), ..Batch::default() }).await;
    assert!(matches!(refused, Err(StoreError::Stale(_))), "{refused:?}");
    assert_eq!(test.store.idempotency_record(ada.user.id, "k").await.unwrap(), None);
}

async fn a_key_is_one_users(test: TestStore) {
    for name in ["ada", "ben"] {
        let author = author(&*test.store, name).await;
        let batch = Batch { idempotency: Some(answer(&author, "k")), ..Batch::default() };
        test.store.commit(batch).await.unwrap();
        assert_eq!(test.store.idempotency_record(author.user.id, "k").await.unwrap(), Some(answer(&author, "k")));
    }
}

async fn a_purge_remembers_its_answer(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let made = ada.create(&*test.store, note(&ada.space, "Plan")).await;
    let record = || ada.record(Action::Delete, at(9));
    let purge = async || test.store.purge(made.item.id, made.item.stamp, record(), Some(answer(&ada, "k"))).await;
    purge().await.unwrap();
    assert_eq!(test.store.idempotency_record(ada.user.id, "k").await.unwrap(), Some(answer(&ada, "k")));
    let again = purge().await;
    assert!(matches!(again, Err(StoreError::KeyTaken)), "{again:?}");
}

async fn of_requests_with_one_key_exactly_one_is_carried_out(test: TestStore) {
    let ada = Arc::new(author(&*test.store, "ada").await);
    let other = test.database.open().await;
    let work = (0..16).map(|number| {
        let (store, ada) = (Arc::clone(if number % 2 == 0 { &test.store } else { &other }), Arc::clone(&ada));
        async move {
            let made = note(&ada.space, &number.to_string()).with_content("text");
            store.commit(Batch { idempotency: Some(answer(&ada, "k")), ..ada.creation(&made).into() }).await
        }
    });
    let (won, lost): (Vec<_>, Vec<_>) = together(work).await.into_iter().partition(Result::is_ok);
    assert_eq!(won.len(), 1);
    assert!(lost.iter().all(|lost| matches!(lost, Err(StoreError::KeyTaken))), "{lost:?}");
    assert_eq!(test.count("SELECT count(*) FROM items").await, 1);
}

async fn old_answers_are_forgotten_and_their_keys_are_free(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let put = async |key: &str, seconds| {
        let remember = Some(IdempotencyRecord { at: at(seconds), ..answer(&ada, key) });
        test.store.commit(Batch { idempotency: remember, ..Batch::default() }).await
    };
    for (key, seconds) in [("old", 1), ("older", 0), ("new", 2)] {
        put(key, seconds).await.unwrap();
    }
    assert_eq!(test.store.forget_idempotency_records(at(2)).await.unwrap(), 2);
    assert_eq!(test.store.forget_idempotency_records(at(2)).await.unwrap(), 0);
    assert_eq!(test.store.idempotency_record(ada.user.id, "old").await.unwrap(), None);
    assert!(test.store.idempotency_record(ada.user.id, "new").await.unwrap().is_some());
    put("old", 3).await.unwrap();
}
