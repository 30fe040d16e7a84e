//! Unique fields: urls and names are unique in a space among items that are not deleted.

use interline_items::{Kind, Snapshot, StoreError, UniqueField};

use crate::fixtures::authors::author;
use crate::fixtures::changes::outcome;
use crate::fixtures::samples::{bookmark, name, prompt, url};
use crate::fixtures::test_store::TestStore;

on_both!(
    a_url_is_taken_by_an_active_item,
    a_name_is_taken_by_an_active_item,
    a_url_is_taken_by_an_archived_item,
    a_deleted_item_frees_its_url,
    a_deleted_item_frees_its_name,
    restoring_into_a_taken_url_is_refused,
    restoring_into_a_taken_name_is_refused,
    renaming_to_a_taken_name_is_refused,
    renaming_a_deleted_item_to_a_taken_name_is_fine,
    a_name_that_was_given_up_is_free,
    each_space_has_its_own_names,
    two_of_one_commit_cannot_have_the_same_url,
    a_name_can_be_given_up_and_taken_in_one_commit,
    a_refused_commit_changes_nothing,
    urls_and_names_that_differ_in_a_byte_are_different,
    each_kind_has_its_own_names,
);

const HERE: &str = "https://example.org/here";

/// The commit was refused because `holder` has it.
fn assert_taken(result: Result<(), StoreError>, wanted: &UniqueField, holder: &Snapshot) {
    match result {
        Err(StoreError::Duplicate { field, existing }) => {
            assert_eq!(field, *wanted);
            assert_eq!(*existing, holder.item);
        }
        other => panic!("{other:?}"),
    }
}

async fn a_url_is_taken_by_an_active_item(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let first = ada.create(&*test.store, bookmark(&ada.space, HERE)).await;
    let second = test.store.commit(ada.creation(&bookmark(&ada.space, HERE)).into()).await;
    assert_taken(second, &UniqueField::Url(url(HERE)), &first);
}

async fn a_name_is_taken_by_an_active_item(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let first = ada.create(&*test.store, prompt(&ada.space, "review")).await;
    let second = test.store.commit(ada.creation(&prompt(&ada.space, "review")).into()).await;
    assert_taken(second, &UniqueField::Name(name("review")), &first);
}

async fn a_url_is_taken_by_an_archived_item(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let first = ada.create(&*test.store, bookmark(&ada.space, HERE)).await;
    let archived = ada.change(&*test.store, &first, ada.archiving(&first)).await.unwrap();
    let second = test.store.commit(ada.creation(&bookmark(&ada.space, HERE)).into()).await;
    assert_taken(second, &UniqueField::Url(url(HERE)), &archived);
}

async fn a_deleted_item_frees_its_url(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    for _ in 0..3 {
        let made = ada.create(&*test.store, bookmark(&ada.space, HERE)).await;
        ada.change(&*test.store, &made, ada.deleting(&made)).await.unwrap();
    }
    ada.create(&*test.store, bookmark(&ada.space, HERE)).await;
}

async fn a_deleted_item_frees_its_name(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    for _ in 0..3 {
        let made = ada.create(&*test.store, prompt(&ada.space, "review")).await;
        ada.change(&*test.store, &made, ada.deleting(&made)).await.unwrap();
    }
    ada.create(&*test.store, prompt(&ada.space, "review")).await;
}

async fn restoring_into_a_taken_url_is_refused(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let first = ada.create(&*test.store, bookmark(&ada.space, HERE)).await;
    let deleted = ada.change(&*test.store, &first, ada.deleting(&first)).await.unwrap();
    let second = ada.create(&*test.store, bookmark(&ada.space, HERE)).await;

    let restored = test.store.commit(ada.restoring(&deleted).into()).await;
    assert_taken(restored, &UniqueField::Url(url(HERE)), &second);
    assert_eq!(test.store.snapshot(first.item.id).await.unwrap(), Some(deleted.clone()));

    ada.change(&*test.store, &second, ada.deleting(&second)).await.unwrap();
    ada.change(&*test.store, &deleted, ada.restoring(&deleted)).await.unwrap();
}

async fn restoring_into_a_taken_name_is_refused(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let first = ada.create(&*test.store, prompt(&ada.space, "review")).await;
    let deleted = ada.change(&*test.store, &first, ada.deleting(&first)).await.unwrap();
    let second = ada.create(&*test.store, prompt(&ada.space, "review")).await;
    let restored = test.store.commit(ada.restoring(&deleted).into()).await;
    assert_taken(restored, &UniqueField::Name(name("review")), &second);
}

async fn renaming_to_a_taken_name_is_refused(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let review = ada.create(&*test.store, prompt(&ada.space, "review")).await;
    let draft = ada.create(&*test.store, prompt(&ada.space, "draft")).await;
    let mut renaming = ada.retitling(&draft, "Draft");
    renaming.after.fields.name = Some(name("review"));
    assert_taken(test.store.commit(renaming.into()).await, &UniqueField::Name(name("review")), &review);
    assert_eq!(test.store.snapshot(draft.item.id).await.unwrap(), Some(draft));
}

async fn renaming_a_deleted_item_to_a_taken_name_is_fine(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    ada.create(&*test.store, prompt(&ada.space, "review")).await;
    let draft = ada.create(&*test.store, prompt(&ada.space, "draft")).await;
    let deleted = ada.change(&*test.store, &draft, ada.deleting(&draft)).await.unwrap();
    let mut renaming = ada.retitling(&deleted, "Draft");
    renaming.after.fields.name = Some(name("review"));
    ada.change(&*test.store, &deleted, renaming).await.unwrap();
}

async fn a_name_that_was_given_up_is_free(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let old = ada.create(&*test.store, prompt(&ada.space, "review")).await;
    let mut renaming = ada.retitling(&old, "Old");
    renaming.after.fields.name = Some(name("old-review"));
    ada.change(&*test.store, &old, renaming).await.unwrap();
    let new = ada.create(&*test.store, prompt(&ada.space, "review")).await;
    let found = test.store.find_by_name(&[ada.space.id], Kind::Prompt, &name("review")).await.unwrap();
    assert_eq!(found, Some(new.item.id));
}

async fn each_space_has_its_own_names(test: TestStore) {
    for who in ["ada", "ben"] {
        let author = author(&*test.store, who).await;
        author.create(&*test.store, bookmark(&author.space, HERE)).await;
        author.create(&*test.store, prompt(&author.space, "review")).await;
    }
}

async fn two_of_one_commit_cannot_have_the_same_url(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let (first, second) = (bookmark(&ada.space, HERE), bookmark(&ada.space, HERE));
    let result = test.store.commit([ada.creation(&first), ada.creation(&second)].into_iter().collect()).await;
    assert_taken(result, &UniqueField::Url(url(HERE)), &first);
    assert_eq!(test.store.item(first.item.id).await.unwrap(), None);
}

async fn a_name_can_be_given_up_and_taken_in_one_commit(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let old = ada.create(&*test.store, prompt(&ada.space, "review")).await;
    let new = prompt(&ada.space, "review");
    let deleting = ada.deleting(&old);
    let deleted = outcome(&old, &deleting);
    test.store.commit([deleting, ada.creation(&new)].into_iter().collect()).await.unwrap();
    assert_eq!(test.store.item(old.item.id).await.unwrap(), Some(deleted.item));
    assert_eq!(test.store.item(new.item.id).await.unwrap(), Some(new.item));
}

async fn a_refused_commit_changes_nothing(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let first = ada.create(&*test.store, bookmark(&ada.space, HERE)).await;
    let other = ada.create(&*test.store, prompt(&ada.space, "review")).await;
    let events = test.rows("SELECT * FROM events").await.len();
    let writes = vec![ada.editing(&other, 0..3, "Shout"), ada.creation(&bookmark(&ada.space, HERE))];
    assert_taken(test.store.commit(writes.into_iter().collect()).await, &UniqueField::Url(url(HERE)), &first);
    assert_eq!(test.store.snapshot(other.item.id).await.unwrap(), Some(other));
    assert_eq!(test.rows("SELECT * FROM events").await.len(), events);
}

async fn urls_and_names_that_differ_in_a_byte_are_different(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    for address in ["https://e.org/a", "https://e.org/A", "https://e.org/a/", "https://e.org/%61", "https://e.org/a?"] {
        ada.create(&*test.store, bookmark(&ada.space, address)).await;
    }
    for word in ["ab", "a-b", "a", "a1"] {
        ada.create(&*test.store, prompt(&ada.space, word)).await;
    }
}

async fn each_kind_has_its_own_names(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let prompt = ada.create(&*test.store, prompt(&ada.space, "review")).await;
    let mut other = bookmark(&ada.space, HERE);
    other.item.fields.name = Some(name("review"));
    let other = ada.create(&*test.store, other).await;
    let mut third = prompt.clone();
    third.item.id = interline_items::ItemId::generate();
    third.item.fields.url = Some(url(HERE));
    third.item.fields.name = Some(name("third"));
    ada.create(&*test.store, third).await;
    for (kind, holder) in
        [(Kind::Prompt, Some(prompt.item.id)), (Kind::Bookmark, Some(other.item.id)), (Kind::Note, None)]
    {
        let found = test.store.find_by_name(&[ada.space.id], kind, &name("review")).await.unwrap();
        assert_eq!(found, holder, "{kind}");
    }
}
