//! Contents and times are read back byte for byte.

use interline_items::Contents;
use jiff::Timestamp;

use crate::fixtures::authors::author;
use crate::fixtures::samples::{Sample, at, note};
use crate::fixtures::test_store::TestStore;
use crate::items::lists::everything;

on_both!(
    contents_come_back_byte_for_byte,
    no_content_differs_from_an_empty_one,
    four_megabytes_come_back_byte_for_byte,
    edits_of_odd_characters_come_back_byte_for_byte,
    times_come_back_to_the_microsecond,
    everything_is_there_after_reopening,
    the_state_of_an_item_is_that_of_the_whole,
);

/// Every control character but NUL, every sort of line end, and characters of every length in UTF-8.
const ODD: &str = "\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\u{8}\t\u{b}\u{c}\u{e}\u{f}\u{10}\u{11}\u{12}\u{13}\u{14}\u{15}\
    \u{16}\u{17}\u{18}\u{19}\u{1a}\u{1b}\u{1c}\u{1d}\u{1e}\u{1f}\u{7f}\u{80}\u{85}\u{2028}\u{feff}\u{fffd}\u{ffff}\
    \r\n\r\r\n\n ä € 𝄞 \u{10ffff} e\u{301} \\ ' \" \\x00 $1 ? % \u{e000}  \r";

async fn contents_come_back_byte_for_byte(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    for text in [ODD, "\u{feff}", "\r", "\n", " \t ", "a", "\\", "{\"json\": null}", "\\u0000"] {
        let made = ada.create(&*test.store, note(&ada.space, "Odd").with_content(text)).await;
        assert_eq!(test.store.snapshot(made.item.id).await.unwrap(), Some(made), "{text:?}");
    }
}

async fn no_content_differs_from_an_empty_one(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let none = ada.create(&*test.store, note(&ada.space, "None")).await;
    let empty = ada.create(&*test.store, note(&ada.space, "Empty").with_content("")).await;
    assert_eq!(test.store.snapshot(none.item.id).await.unwrap().unwrap().content, None);
    assert_eq!(test.store.snapshot(empty.item.id).await.unwrap().unwrap().content.as_deref(), Some(""));

    let emptied = ada.change(&*test.store, &none, ada.rewriting(&none, Some(""))).await.unwrap();
    let cleared = ada.change(&*test.store, &empty, ada.rewriting(&empty, None)).await.unwrap();
    assert_eq!(test.store.snapshot(none.item.id).await.unwrap(), Some(emptied));
    assert_eq!(test.store.snapshot(empty.item.id).await.unwrap(), Some(cleared));
}

async fn four_megabytes_come_back_byte_for_byte(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let long: String = (0..130_000).map(|line| format!("{line} 𝄞 of a long text, with ends\r\n")).collect();
    assert!(long.len() > 4 << 20);
    let made = ada.create(&*test.store, note(&ada.space, "Long").with_content(&long)).await;
    assert_eq!(test.store.snapshot(made.item.id).await.unwrap(), Some(made.clone()));

    let edited = ada.change(&*test.store, &made, ada.editing(&made, 2_000_000..2_000_000, "here")).await;
    assert_eq!(test.store.snapshot(made.item.id).await.unwrap(), Some(edited.unwrap()));
}

async fn edits_of_odd_characters_come_back_byte_for_byte(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let mut state = ada.create(&*test.store, note(&ada.space, "Odd").with_content(ODD)).await;
    for character in ODD.chars().rev() {
        let end = state.content.as_ref().unwrap().len();
        let write = ada.editing(&state, end - character.len_utf8()..end, "");
        state = ada.change(&*test.store, &state, write).await.unwrap();
    }
    assert_eq!(state.content.as_deref(), Some(""));
    assert_eq!(test.store.snapshot(state.item.id).await.unwrap(), Some(state));
}

async fn times_come_back_to_the_microsecond(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    for microsecond in [0, 1, -1, 999_999, 1_767_225_600_000_001, 253_402_207_200_000_000, -62_135_596_800_000_001] {
        let time = Timestamp::from_microsecond(microsecond).unwrap();
        let mut sample = note(&ada.space, "Then").made_at(time);
        sample.item.last_used_at = Some(time);
        sample.item.archived_at = Some(time);
        sample.item.deleted_at = Some(time);
        let made = ada.create(&*test.store, sample).await;
        assert_eq!(test.store.snapshot(made.item.id).await.unwrap(), Some(made), "{microsecond}");
    }
}

async fn everything_is_there_after_reopening(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let plan = ada.create(&*test.store, note(&ada.space, "Plan").with_tags(&["work"]).with_content(ODD)).await;
    let plan = ada.change(&*test.store, &plan, ada.rewriting(&plan, Some("now"))).await.unwrap();
    test.store.mark_used(plan.item.id, at(3)).await.unwrap();
    let query = everything(&ada.space, Contents::Read);
    let listed = test.store.list(&query).await.unwrap();
    let credentials = test.store.credentials(ada.token.secret).await.unwrap();
    let TestStore { store, database } = test;
    drop(store);

    let reopened = database.open().await;
    assert_eq!(reopened.list(&query).await.unwrap(), listed);
    assert_eq!(reopened.credentials(ada.token.secret).await.unwrap(), credentials);
    assert_eq!(reopened.users().await.unwrap(), [ada.user]);
    assert_eq!(listed.items.len(), 1);
}

async fn the_state_of_an_item_is_that_of_the_whole(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let made = ada.create(&*test.store, note(&ada.space, "One").with_content("1")).await;
    let made = ada.change(&*test.store, &made, ada.archiving(&made)).await.unwrap();
    test.store.mark_used(made.item.id, at(7)).await.unwrap();
    let state = test.store.state(made.item.id).await.unwrap().unwrap();
    let item = test.store.item(made.item.id).await.unwrap().unwrap();
    let whole = (item.kind, item.space, item.stamp, item.last_used_at);
    assert_eq!((state.kind, state.space, state.stamp, state.last_used_at), whole);
    assert_eq!(test.store.state(interline_items::ItemId::generate()).await.unwrap(), None);
}
