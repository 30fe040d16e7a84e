//! Tests of the consistency check: it must find losses.

use std::sync::Arc;

use interline_items::fields::Limits;
use interline_items::{ExpectedVersion, FieldChange, Interline, ItemChanges, ItemDraft, ItemRef, Kind, Source};
use interline_storage::SqliteStore;

use super::*;
use crate::notes::{NotePlan, edit_mark, name_of_line};
use crate::served::client_log::EditMethod;

/// Judges a note of two clients with two lines each after some edits, each a list of lines that its number is put into.
fn checked(edits: &[&[usize]], changes: &[(usize, ChangeKind, ChangeOutcome)]) -> Result<CheckedNotes, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(SqliteStore::open(&folder.path().join("interline.db")).unwrap());
        let interline = Interline::new(Arc::clone(&store) as _, Limits::default());
        interline.first_start("soak").await.unwrap();
        let owner = interline.owner().await.unwrap().id;
        let caller = interline.trusted(owner, Source::Rest).await.unwrap();
        let plan = NotePlan::new(500, 4, &mut Random::part(1, 1));
        let mut text = plan.text();
        let draft = ItemDraft { title: Some("soak".to_owned()), content: Some(text.clone()), ..ItemDraft::default() };
        let id = interline.create(&caller, Kind::Note, draft).await.unwrap().item.id;
        for (number, lines) in edits.iter().enumerate() {
            for line in *lines {
                let name = name_of_line(*line);
                text = text.replace(&name, &(name.clone() + &edit_mark(u32::try_from(number).unwrap())));
            }
            let changes = ItemChanges { content: FieldChange::Set(text.clone()), ..ItemChanges::default() };
            interline.update(&caller, &ItemRef::Id(id, None), ExpectedVersion::Any, changes).await.unwrap();
        }
        let notes = Notes { plans: vec![plan], ids: vec![id], lines_per_client: 2 };
        let mut logs = [ClientLog::new(0, 1), ClientLog::new(1, 1)];
        for (number, (client, what, outcome)) in changes.iter().enumerate() {
            let number = u32::try_from(number).unwrap();
            logs[*client].changes.push(ClientChange { number, note: 0, what: what.clone(), outcome: *outcome });
        }
        check_store(&*store, &notes, &mut logs, Rebuild::After(&[0])).await.map_err(|error| format!("{error:#}"))
    })
}

fn lines(lines: &[usize]) -> ChangeKind {
    ChangeKind::Lines(EditMethod::Edits, lines.to_vec())
}

#[track_caller]
fn fails(edits: &[&[usize]], changes: &[(usize, ChangeKind, ChangeOutcome)], why: &str) {
    let error = checked(edits, changes).unwrap_err();
    assert!(error.contains(why), "{error}");
}

#[test]
fn what_was_told_is_there() {
    let changes =
        [(0, lines(&[0, 1]), ChangeOutcome::Acknowledged(2)), (1, lines(&[3]), ChangeOutcome::Acknowledged(3))];
    let found = checked(&[&[0, 1], &[3]], &changes).unwrap();
    assert_eq!((found.versions, found.rebuilt), (vec![3], 3));
}

#[test]
fn a_change_without_an_answer_happened_or_not() {
    let changes = [(0, lines(&[0]), ChangeOutcome::Acknowledged(2)), (1, lines(&[2, 3]), ChangeOutcome::Unanswered)];
    assert_eq!(checked(&[&[0], &[2, 3]], &changes).unwrap().versions, [3]);
    assert_eq!(checked(&[&[0]], &changes).unwrap().versions, [2]);
    fails(&[&[0], &[2]], &changes, "half a batch");
}

#[test]
fn losses_are_found() {
    let changes =
        [(0, lines(&[0, 1]), ChangeOutcome::Acknowledged(2)), (1, lines(&[3]), ChangeOutcome::Acknowledged(3))];
    fails(&[&[0, 1]], &changes, "lost [1]");
    fails(&[&[0], &[3]], &changes, "lost [0]");
    fails(&[&[0, 1], &[3, 3]], &changes, "twice");
    // The same content, reached in the other order.
    let swapped =
        [(0, lines(&[0, 1]), ChangeOutcome::Acknowledged(3)), (1, lines(&[3]), ChangeOutcome::Acknowledged(2))];
    fails(&[&[0, 1], &[3]], &swapped, "version 2");
}

#[test]
fn what_was_refused_or_never_asked_for_is_found() {
    fails(&[&[0]], &[(0, lines(&[0]), ChangeOutcome::Refused)], "there without being told [0]");
    fails(&[&[0], &[2]], &[(0, lines(&[0]), ChangeOutcome::Acknowledged(2))], "there without being told [1]");
    let tagged =
        [(0, lines(&[0]), ChangeOutcome::Acknowledged(2)), (0, ChangeKind::Tag, ChangeOutcome::Acknowledged(3))];
    fails(&[&[0]], &tagged, "tags");
    let archived =
        [(0, lines(&[0]), ChangeOutcome::Acknowledged(2)), (0, ChangeKind::Archive, ChangeOutcome::Acknowledged(2))];
    fails(&[&[0]], &archived, "archived");
}
