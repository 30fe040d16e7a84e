//! `edit`: every change of a text, of every kind of item.

mod access;
mod arguments;
mod changes;
mod concurrent;
mod conditions;
mod insert;
mod patch;
mod replace;
mod several;

use interline_items::{
    EditRequest, EditResult, Error, InsertAt, Item, ItemDraft, Kind, LinePatch, PassageChange, Stamp, TextChange,
};
use interline_items::{Level, UnifiedDiff};

use crate::samples::{bookmark, note_of, prompt, text};
use crate::world::{World, by_id};

/// Items of every kind with a content.
async fn of_every_kind(world: &World, content: &str) -> Vec<Item> {
    let mut items = Vec::new();
    for kind in Kind::ALL {
        let name = interline_items::ItemId::generate().to_string();
        let draft = match kind {
            Kind::Note => note_of(content),
            Kind::Bookmark => ItemDraft { content: text(content), ..bookmark(&format!("https://a.example/{name}")) },
            Kind::Prompt if content.trim().is_empty() => continue,
            Kind::Prompt => prompt(&name, content, &[]),
            // Code has tests of its own.
            Kind::AppFile | Kind::Workflow | Kind::Module => continue,
        };
        items.push(world.create(kind, draft).await);
    }
    items
}

async fn edit(world: &World, item: &Item, change: TextChange) -> Result<EditResult, Error> {
    request(world, item, EditRequest::new(change)).await
}

async fn request(world: &World, item: &Item, request: EditRequest) -> Result<EditResult, Error> {
    world.interline.edit(&world.owner, &by_id(item), request).await
}

/// Edits an item of every kind and compares its content; gives what the answers had in common.
async fn assert_edits(world: &World, before: &str, change: &TextChange, after: &str) -> EditResult {
    let mut last = None;
    for item in of_every_kind(world, before).await {
        let edited = edit(world, &item, change.clone()).await;
        let edited = edited.unwrap_or_else(|error| panic!("{} {before:?} {change:?}: {error}", item.kind));
        let case = format!("{} {before:?} {change:?}", item.kind);
        assert_eq!(edited.after.content.as_deref(), Some(after), "{case}");
        assert_eq!(world.text(&item).await.as_deref(), Some(after), "{case}");
        assert_eq!(edited.after.item, world.item(&item).await, "the answer is the new state: {case}");
        assert_eq!(edited.edit.apply(before).as_deref(), Ok(after), "{case}");
        let changes = u64::from(before != after);
        assert_eq!(edited.after.item.stamp, Stamp { version: 1 + changes, revision: 0 }, "{case}");
        assert_eq!(edited.diff == UnifiedDiff::default(), before == after);
        assert_eq!(world.history(&item).len() as u64, 1 + changes, "{case}");
        last = Some(edited);
    }
    last.unwrap()
}

/// Refuses an edit of an item of every kind, which stays as it is; gives the last refusal.
async fn assert_refuses(world: &World, before: &str, edit_request: &EditRequest, code: &str) -> Error {
    let mut last = None;
    for item in of_every_kind(world, before).await {
        let error = request(world, &item, edit_request.clone()).await.unwrap_err();
        assert_eq!(error.code(), code, "{} {before:?} {edit_request:?}", item.kind);
        assert_eq!(world.item(&item).await, item);
        assert_eq!(world.text(&item).await.as_deref(), Some(before));
        last = Some(error);
    }
    last.unwrap()
}

fn passage(old_str: &str, new_str: &str) -> PassageChange {
    PassageChange { old_str: old_str.to_owned(), new_str: new_str.to_owned(), expected_matches: 1 }
}

fn replace(old_str: &str, new_str: &str) -> TextChange {
    TextChange::Replace(passage(old_str, new_str))
}

fn replace_all(old_str: &str, new_str: &str, expected_matches: usize) -> TextChange {
    TextChange::Replace(PassageChange { expected_matches, ..passage(old_str, new_str) })
}

fn delete(content: &str) -> TextChange {
    TextChange::Delete { content_to_delete: content.to_owned(), expected_matches: 1 }
}

fn insert(at: InsertAt, new_str: &str) -> TextChange {
    TextChange::Insert { at, new_str: new_str.to_owned() }
}

fn after(anchor: &str) -> InsertAt {
    InsertAt::After(anchor.to_owned())
}

fn before(anchor: &str) -> InsertAt {
    InsertAt::Before(anchor.to_owned())
}

fn lines(start_line: usize, end_line: usize, content: &str) -> LinePatch {
    LinePatch { start_line, end_line, content: content.to_owned(), expect: None }
}

fn expecting(expect: &str, operation: LinePatch) -> LinePatch {
    LinePatch { expect: Some(expect.to_owned()), ..operation }
}

fn several<const N: usize>(edits: [(&str, &str); N]) -> TextChange {
    TextChange::Several(edits.into_iter().map(|(old_str, new_str)| passage(old_str, new_str)).collect())
}

fn capped(loosest: Level, change: TextChange) -> EditRequest {
    EditRequest { loosest, ..EditRequest::new(change) }
}
