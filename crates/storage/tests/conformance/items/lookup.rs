//! `mark_used`, `find_by_name`, `find_deleted` and `find_by_id_range`.

use std::collections::BTreeSet;

use interline_items::{CodeKind, ItemId, Kind, SpaceId, UniqueField, Visibility};

use crate::fixtures::authors::author;
use crate::fixtures::samples::{at, bookmark, file, name, note, path, prompt, url};
use crate::fixtures::test_store::TestStore;

on_both!(
    use_is_remembered_and_is_no_change,
    the_use_of_an_item_that_is_gone_is_nothing,
    an_older_use_does_not_hide_a_newer_one,
    a_change_made_before_a_use_does_not_undo_it,
    a_prompt_is_found_by_its_name,
    an_archived_prompt_is_found_and_a_deleted_one_is_not,
    the_first_space_with_a_name_wins,
    what_was_deleted_last_is_found_by_what_it_was_called,
    items_are_found_by_a_range_of_ids,
);

async fn use_is_remembered_and_is_no_change(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let made = ada.create(&*test.store, note(&ada.space, "Plan")).await;
    let events = test.count("SELECT count(*) FROM events").await;
    test.store.mark_used(made.item.id, at(9)).await.unwrap();

    let mut used = made.item.clone();
    used.last_used_at = Some(at(9));
    assert_eq!(test.store.item(made.item.id).await.unwrap(), Some(used));
    assert_eq!(test.count("SELECT count(*) FROM events").await, events);
    assert_eq!(test.count("SELECT count(*) FROM versions").await, 1);
}

async fn the_use_of_an_item_that_is_gone_is_nothing(test: TestStore) {
    test.store.mark_used(ItemId::generate(), at(9)).await.unwrap();
}

async fn an_older_use_does_not_hide_a_newer_one(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let made = ada.create(&*test.store, note(&ada.space, "Plan")).await;
    for seconds in [5, 9, 7] {
        test.store.mark_used(made.item.id, at(seconds)).await.unwrap();
    }
    assert_eq!(test.store.item(made.item.id).await.unwrap().unwrap().last_used_at, Some(at(9)));
}

/// A use changes no stamp, so a change that was made before it is not stale and does not know of it.
async fn a_change_made_before_a_use_does_not_undo_it(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let made = ada.create(&*test.store, note(&ada.space, "Plan")).await;
    let retitling = ada.retitling(&made, "New plan");
    test.store.mark_used(made.item.id, at(9)).await.unwrap();
    test.store.commit(retitling.into()).await.unwrap();
    assert_eq!(test.store.item(made.item.id).await.unwrap().unwrap().last_used_at, Some(at(9)));
}

async fn a_prompt_is_found_by_its_name(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let made = ada.create(&*test.store, prompt(&ada.space, "review")).await;
    let find =
        async |spaces: &[SpaceId], word| test.store.find_by_name(spaces, Kind::Prompt, &name(word)).await.unwrap();
    assert_eq!(find(&[ada.space.id], "review").await, Some(made.item.id));
    assert_eq!(find(&[ada.space.id], "revie").await, None);
    assert_eq!(find(&[SpaceId::generate()], "review").await, None);
    assert_eq!(find(&[], "review").await, None);
}

async fn an_archived_prompt_is_found_and_a_deleted_one_is_not(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let made = ada.create(&*test.store, prompt(&ada.space, "review")).await;
    let find = async || test.store.find_by_name(&[ada.space.id], Kind::Prompt, &name("review")).await.unwrap();
    let archived = ada.change(&*test.store, &made, ada.archiving(&made)).await.unwrap();
    assert_eq!(find().await, Some(made.item.id));
    ada.change(&*test.store, &archived, ada.deleting(&archived)).await.unwrap();
    assert_eq!(find().await, None);
}

async fn the_first_space_with_a_name_wins(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let ben = author(&*test.store, "ben").await;
    let hers = ada.create(&*test.store, prompt(&ada.space, "review")).await;
    let his = ben.create(&*test.store, prompt(&ben.space, "review")).await;
    let only_his = ben.create(&*test.store, prompt(&ben.space, "draft")).await;
    let nowhere = SpaceId::generate();
    for (spaces, word, found) in [
        ([nowhere, ada.space.id, ben.space.id], "review", hers.item.id),
        ([ben.space.id, nowhere, ada.space.id], "review", his.item.id),
        ([ada.space.id, ben.space.id, nowhere], "draft", only_his.item.id),
    ] {
        assert_eq!(test.store.find_by_name(&spaces, Kind::Prompt, &name(word)).await.unwrap(), Some(found));
    }
}

async fn what_was_deleted_last_is_found_by_what_it_was_called(test: TestStore) {
    let store = &*test.store;
    let (ada, ben) = (author(store, "ada").await, author(store, "ben").await);
    let find = async |spaces: &[SpaceId], kind, field| store.find_deleted(spaces, kind, &field).await.unwrap();
    let review = || UniqueField::Name(name("review"));
    let first = ada.create(store, prompt(&ada.space, "review")).await;
    assert_eq!(find(&[ada.space.id], Kind::Prompt, review()).await, None, "it is not deleted");
    ada.change(store, &first, ada.deleting(&first)).await.unwrap();
    assert_eq!(find(&[ada.space.id], Kind::Prompt, review()).await, Some(first.item.id));
    let second = ada.create(store, prompt(&ada.space, "review")).await;
    assert_eq!(
        find(&[ada.space.id], Kind::Prompt, review()).await,
        Some(first.item.id),
        "the other one is not deleted"
    );
    ada.change(store, &second, ada.deleting(&second)).await.unwrap();
    assert_eq!(find(&[ada.space.id], Kind::Prompt, review()).await, Some(second.item.id), "it was deleted last");
    let his = ben.create(store, prompt(&ben.space, "review")).await;
    ben.change(store, &his, ben.deleting(&his)).await.unwrap();
    let both = [ada.space.id, ben.space.id];
    assert_eq!(find(&both, Kind::Prompt, review()).await, Some(second.item.id), "the first space wins");
    assert_eq!(find(&[ben.space.id, ada.space.id], Kind::Prompt, review()).await, Some(his.item.id));
    for (spaces, kind, field) in [
        (&[][..], Kind::Prompt, review()),
        (&[SpaceId::generate()], Kind::Prompt, review()),
        (&both, Kind::Note, review()),
        (&both, Kind::Prompt, UniqueField::Name(name("revie"))),
    ] {
        assert_eq!(find(spaces, kind, field).await, None);
    }
    let site = ada.create(store, bookmark(&ada.space, "https://a.example/")).await;
    ada.change(store, &site, ada.deleting(&site)).await.unwrap();
    let field = UniqueField::Url(url("https://a.example/"));
    assert_eq!(find(&both, Kind::Bookmark, field).await, Some(site.item.id));
    let code = ada.create(store, file(&ada.space, CodeKind::Workflow, "a/b.py", "x")).await;
    ada.change(store, &code, ada.deleting(&code)).await.unwrap();
    assert_eq!(find(&both, Kind::Workflow, UniqueField::Path(path("a/b.py"))).await, Some(code.item.id));
}

async fn items_are_found_by_a_range_of_ids(test: TestStore) {
    let store = &*test.store;
    let (ada, ben) = (author(store, "ada").await, author(store, "ben").await);
    let mut hers = Vec::new();
    for title in ["a", "b", "c"] {
        hers.push(ada.create(store, note(&ada.space, title)).await);
    }
    let his = ben.create(store, note(&ben.space, "d")).await.item.id;
    ada.change(store, &hers[1], ada.deleting(&hers[1])).await.unwrap();
    hers.push(ada.create(store, prompt(&ada.space, "review")).await);
    let ids: Vec<ItemId> = hers.iter().map(|made| made.item.id).collect();
    let all = ItemId::from_uuid(uuid::Uuid::nil())..=ItemId::from_uuid(uuid::Uuid::max());
    let visible = |spaces: &[SpaceId], kinds: &[Kind]| {
        Visibility::new(spaces.iter().copied().collect(), kinds.iter().copied().collect::<BTreeSet<_>>())
    };
    let own = visible(&[ada.space.id], &Kind::ALL);
    let find = async |range, visible: &Visibility, limit| store.find_by_id_range(range, visible, limit).await.unwrap();
    assert_eq!(find(all.clone(), &own, 10).await, ids, "deleted ones too, and nobody else's");
    assert_eq!(find(all.clone(), &own, 2).await, ids[..2]);
    assert_eq!(find(ids[1]..=ids[2], &own, 10).await, ids[1..=2], "both ends are included");
    assert_eq!(find(ids[2]..=ids[1], &own, 10).await, []);
    assert_eq!(find(all.clone(), &visible(&[ada.space.id], &[Kind::Prompt]), 10).await, ids[3..]);
    assert_eq!(
        find(all.clone(), &visible(&[ada.space.id, ben.space.id], &[Kind::Note]), 3).await,
        [&ids[..3]].concat()
    );
    assert_eq!(find(his..=his, &own, 10).await, []);
    assert_eq!(find(all, &visible(&[], &Kind::ALL), 10).await, []);
}
