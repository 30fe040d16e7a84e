//! Rebuilding versions: every change leaves a record, and every version is rebuilt byte for byte.

use interline_items::Snapshot;

use crate::fixtures::authors::{Author, author};
use crate::fixtures::list_oracle::Dice;
use crate::fixtures::samples::{Sample, note, tags};
use crate::fixtures::sql::Value;
use crate::fixtures::test_store::TestStore;
use crate::fixtures::undo_decoder::content_before;

on_both!(
    a_record_tells_what_was_done_by_whom,
    a_lifecycle_change_is_a_record_without_a_version,
    a_version_keeps_the_fields_as_they_were,
    every_version_can_be_rebuilt,
    many_small_edits_of_a_long_text_take_little_room,
    records_that_outgrow_their_text_are_cut_by_a_whole_copy,
);

async fn a_record_tells_what_was_done_by_whom(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let made = ada.create(&*test.store, note(&ada.space, "Plan").with_content("ä")).await;
    let write = ada.editing(&made, 2..2, "€");
    let time = write.record.at;
    ada.change(&*test.store, &made, write).await.unwrap();
    let records = test
        .rows(
            "SELECT stamp_version, stamp_revision, version, action, changed_fields, at, source, \"user\", token,
             content_characters, content_bytes FROM versions ORDER BY stamp_version",
        )
        .await;
    let [first, second] = &records[..] else { panic!("{records:?}") };
    assert_eq!((first[0].integer(), first[2].integer(), first[3].text()), (1, 1, "create"));
    assert_eq!((second[0].integer(), second[1].integer(), second[2].integer()), (2, 0, 2));
    assert_eq!((second[3].text(), second[4].text()), ("update", "[\"content\"]"));
    assert_eq!((second[5].integer(), second[6].text()), (time.as_microsecond(), "rest"));
    assert_eq!((second[7].uuid(), second[8].uuid()), (ada.user.id.uuid(), ada.token.token.id.uuid()));
    assert_eq!((second[9].integer(), second[10].integer()), (2, 5));
}

async fn a_lifecycle_change_is_a_record_without_a_version(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let mut state = ada.create(&*test.store, note(&ada.space, "Plan")).await;
    for write in [Author::archiving, Author::deleting, Author::restoring] {
        state = ada.change(&*test.store, &state, write(&ada, &state)).await.unwrap();
    }
    let records = test
        .rows("SELECT action, version, stamp_version, stamp_revision FROM versions ORDER BY stamp_version, stamp_revision")
        .await;
    let rows: Vec<_> = records.iter().map(|row| (row[0].text(), row[2].integer(), row[3].integer())).collect();
    assert_eq!(rows, [("create", 1, 0), ("archive", 1, 1), ("delete", 1, 2), ("restore", 1, 3)]);
    assert_eq!(records[0][1], Value::Integer(1));
    assert!(records[1..].iter().all(|row| row[1] == Value::Null));
}

async fn a_version_keeps_the_fields_as_they_were(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let first = ada.create(&*test.store, note(&ada.space, "Plan").with_tags(&["a"])).await;
    let second = ada.change(&*test.store, &first, ada.retitling(&first, "New plan")).await.unwrap();
    let third = ada.change(&*test.store, &second, ada.rewriting(&second, Some("text"))).await.unwrap();
    let mut retagging = ada.editing(&third, 0..0, "more ");
    retagging.after.fields.tags = tags(&["b"]);
    ada.change(&*test.store, &third, retagging).await.unwrap();
    let versions = test.rows("SELECT fields FROM versions ORDER BY version").await;
    let [first, second, third, fourth] = &versions[..] else { panic!("{versions:?}") };
    let fields = |row: &[Value]| serde_json::from_str::<serde_json::Value>(row[0].text()).unwrap();
    assert_eq!(fields(first), serde_json::json!({"title": "Plan", "tags": ["a"]}));
    assert_eq!(fields(second), serde_json::json!({"title": "New plan", "tags": ["a"]}));
    assert_eq!(third[0], Value::Null, "they are as before");
    assert_eq!(fields(fourth), serde_json::json!({"title": "New plan", "tags": ["b"]}));
}

/// The contents of an item's versions, oldest first, made of the newest and the records.
async fn rebuilt(test: &TestStore, newest: &Snapshot) -> Vec<Option<String>> {
    let records = test
        .rows("SELECT version, undo_kind, undo FROM versions WHERE version IS NOT NULL ORDER BY version DESC")
        .await;
    let mut contents = vec![newest.content.as_deref().map(str::to_owned)];
    for record in &records {
        let newer = contents.last().unwrap().as_deref();
        contents.push(content_before(newer, &record[1], &record[2]));
    }
    // Before the first version there was nothing.
    assert_eq!(contents.pop(), Some(None));
    contents.reverse();
    contents
}

async fn every_version_can_be_rebuilt(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let mut dice = Dice::new(42);
    let long = "𝄞 some text that is there already, ".repeat(200);
    let mut state = ada.create(&*test.store, note(&ada.space, "Plan").with_content(&long)).await;
    let mut contents = vec![state.content.clone()];
    for step in 0..150 {
        let write = match (dice.below(8), state.content.as_deref()) {
            (0, _) => ada.retitling(&state, &format!("Plan {step}")),
            (1, _) if dice.below(3) == 0 => ada.rewriting(&state, None),
            (1, _) => ada.rewriting(&state, Some("")),
            (2, Some(text)) => ada.rewriting(&state, Some(&halves_swapped(text))),
            (_, None) => ada.rewriting(&state, Some(&long[4..])),
            (_, Some(text)) => edit(&ada, &mut dice, &state, text),
        };
        state = ada.change(&*test.store, &state, write).await.unwrap();
        contents.push(state.content.clone());
        if dice.below(5) == 0 {
            state = ada.change(&*test.store, &state, ada.archiving(&state)).await.unwrap();
        }
    }
    let rebuilt = rebuilt(&test, &state).await;
    assert_eq!(rebuilt.len(), contents.len());
    for (version, (rebuilt, was)) in rebuilt.iter().zip(&contents).enumerate() {
        assert_eq!(rebuilt.as_deref(), was.as_deref(), "version {}", version + 1);
    }
}

fn halves_swapped(text: &str) -> String {
    let (first, second) = text.split_at(text.floor_char_boundary(text.len() / 2));
    format!("{second}{first}")
}

/// Replaces some characters by others, sometimes by many.
fn edit(author: &Author, dice: &mut Dice, state: &Snapshot, text: &str) -> interline_items::ItemWrite {
    let start = text.floor_char_boundary(dice.below(text.len() + 1));
    let end = text.ceil_char_boundary(start + dice.below(text.len() - start + 1).min(20));
    let new = ["", "x", "ä€𝄞", "\r\n"][dice.below(4)].repeat([1, 3, 300][dice.below(3)]);
    author.editing(state, start..end, &new)
}

async fn many_small_edits_of_a_long_text_take_little_room(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let long: String = (0..4_000).map(|line| format!("line {line} of a text that is edited a lot\n")).collect();
    let mut state = ada.create(&*test.store, note(&ada.space, "Log").with_content(&long)).await;
    for step in 0..300 {
        let write = ada.editing(&state, step * 400..step * 400 + 4, "LINE");
        state = ada.change(&*test.store, &state, write).await.unwrap();
    }
    let room = test.count("SELECT sum(length(undo)) FROM versions").await;
    assert!(usize::try_from(room).unwrap() < long.len() / 10, "{room} bytes");
    assert_eq!(rebuilt(&test, &state).await[0].as_deref(), Some(&long[..]));
}

/// A version is rebuilt from the next whole copy, so its way there must not grow for ever.
async fn records_that_outgrow_their_text_are_cut_by_a_whole_copy(test: TestStore) {
    let ada = author(&*test.store, "ada").await;
    let mut dice = Dice::new(5);
    let mut state = ada.create(&*test.store, note(&ada.space, "Noise").with_content("")).await;
    let mut contents = vec![state.content.clone()];
    for _ in 0..60 {
        let noise: String = (0..300).map(|_| char::from(b' ' + u8::try_from(dice.below(95)).unwrap())).collect();
        let write = ada.editing(&state, 0..state.content.as_ref().unwrap().len(), &noise);
        state = ada.change(&*test.store, &state, write).await.unwrap();
        contents.push(state.content.clone());
    }
    let whole = 5;
    let kinds = test.rows("SELECT undo_kind FROM versions ORDER BY version").await;
    let longest = kinds.split(|kind| kind[0].integer() == whole).map(<[_]>::len).max();
    assert!(longest < Some(30), "{longest:?} records without a whole copy");
    let rebuilt = rebuilt(&test, &state).await;
    assert!(rebuilt.iter().map(Option::as_deref).eq(contents.iter().map(Option::as_deref)));
}
