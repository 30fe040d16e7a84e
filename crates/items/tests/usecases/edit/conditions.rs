//! Expected versions, dry runs, and the states of an item.

use interline_items::{EditMode, EditRequest, Error, Expectation, ExpectedVersion, Kind, Stamp, View};

use super::{delete, edit, insert, lines, of_every_kind, replace, request, several};
use crate::samples::{by_name, greeting, note_of};
use crate::world::{World, by_id, code};

fn changes() -> [interline_items::TextChange; 5] {
    [
        replace("b", "B"),
        delete("b"),
        insert(interline_items::InsertAt::End, "c"),
        interline_items::TextChange::Patch(vec![lines(1, 1, "x")]),
        several([("b", "B")]),
    ]
}

#[tokio::test]
async fn an_edit_of_another_version_is_a_conflict_before_all_else() {
    let world = World::new().await;
    for how in [Expectation::ExpectedVersion, Expectation::Precondition] {
        for item in of_every_kind(&world, "a b").await {
            for change in changes().into_iter().chain([replace("zzz", "x")]) {
                let expected = ExpectedVersion::Exactly(7, how);
                match request(&world, &item, EditRequest { expected, ..EditRequest::new(change) }).await {
                    Err(Error::Conflict { expected_version: 7, expectation, current, .. }) => {
                        assert_eq!((expectation, *current), (how, item.clone()));
                    }
                    other => panic!("{other:?}"),
                }
            }
            for (number, change) in changes().into_iter().take(1).enumerate() {
                let expected = ExpectedVersion::Exactly(1 + number as u64, how);
                assert_eq!(
                    code(request(&world, &item, EditRequest { expected, ..EditRequest::new(change) }).await),
                    "ok"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_dry_run_tells_what_would_be_and_writes_nothing() {
    let world = World::new().await;
    for change in changes() {
        for item in of_every_kind(&world, "a b").await {
            let dry = EditRequest { mode: EditMode::DryRun, ..EditRequest::new(change.clone()) };
            let would = request(&world, &item, dry).await.unwrap();
            assert_eq!(world.item(&item).await, item);
            assert_eq!(world.text(&item).await.as_deref(), Some("a b"));
            assert_eq!(world.history(&item).len(), 1);
            assert_eq!((would.after.item.stamp, would.after.item.updated_at), (item.stamp, item.updated_at));
            let did = edit(&world, &item, change.clone()).await.unwrap();
            assert_eq!((would.diff, would.line, would.match_type), (did.diff, did.line, did.match_type));
            assert_eq!(would.after.content, did.after.content);
            assert_eq!(would.after.item.content, did.after.item.content);
        }
    }
    let item = world.create(Kind::Note, note_of("a")).await;
    let dry = EditRequest { mode: EditMode::DryRun, ..EditRequest::new(replace("b", "c")) };
    assert_eq!(code(request(&world, &item, dry).await), "no_match");
}

#[tokio::test]
async fn archived_items_are_edited_and_deleted_ones_are_not_found() {
    let world = World::new().await;
    let (interline, owner) = (&world.interline, &world.owner);
    for change in changes() {
        for item in of_every_kind(&world, "a b").await {
            interline.archive(owner, &by_id(&item), ExpectedVersion::Any).await.unwrap();
            let edited = edit(&world, &item, change.clone()).await.unwrap().after.item;
            assert_eq!((View::from_item(&edited), edited.stamp), (View::Archived, Stamp { version: 2, revision: 1 }));
            interline.delete(owner, &by_id(&item), ExpectedVersion::Any).await.unwrap();
            for mode in [EditMode::Write, EditMode::DryRun] {
                let asked = EditRequest { mode, ..EditRequest::new(change.clone()) };
                assert_eq!(code(request(&world, &item, asked).await), "not_found");
            }
        }
    }
}

#[tokio::test]
async fn a_prompt_is_edited_by_its_name() {
    let world = World::new().await;
    let item = world.create(Kind::Prompt, greeting()).await;
    let asked = EditRequest::new(replace("Hello", "Bye"));
    let edited = world.interline.edit(&world.owner, &by_name("greet"), asked.clone()).await.unwrap();
    assert_eq!((edited.after.item.id, edited.after.content.as_deref()), (item.id, Some("Bye {{ who }}")));
    assert_eq!(code(world.interline.edit(&world.owner, &by_name("other"), asked).await), "not_found");
}
