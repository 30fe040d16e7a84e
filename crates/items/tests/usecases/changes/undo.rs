//! Taking changes back: texts, fields, states; conflicts, hunks, and the undo of an undo.

use interline_items::{
    ChangeSetError, ChangeSetId, Error, ExpectedVersion, FieldChange, Item, ItemChanges, Kind, OnUndoConflict,
    ReviewState, TagChanges, UndoChangeSet, UndoneChanges,
};

use super::{Agent, details, everything, new_set};
use crate::samples::{arguments, bookmark, content, greeting, list, note_of, prompt, tagged, title, to};
use crate::world::{World, by_id, code, tags_of};

const ANY: ExpectedVersion = ExpectedVersion::Any;

/// A store with an agent, and an item in which the agent writes as one set.
struct Scene {
    world: World,
    agent: Agent,
    set: ChangeSetId,
}

impl Scene {
    async fn new() -> Scene {
        let world = World::new().await;
        let agent = Agent::new(&world, "agent").await;
        Scene { world, agent, set: new_set() }
    }

    async fn agent_changes(&self, item: &Item, changes: ItemChanges) {
        let caller = self.agent.in_set(&self.world, self.set).await;
        self.world.interline.update(&caller, &by_id(item), ANY, changes).await.unwrap();
    }

    async fn undo(&self, set: ChangeSetId, request: UndoChangeSet) -> Result<UndoneChanges, Error> {
        self.world.interline.undo_changes(&self.world.owner, set, request).await
    }

    /// The id of the set that the undo is.
    async fn undone(&self) -> ChangeSetId {
        self.undo(self.set, everything()).await.unwrap().set.unwrap().set.id
    }

    /// The causes of the conflicts of an undo of everything.
    async fn causes(&self) -> Vec<&'static str> {
        match self.undo(self.set, everything()).await {
            Err(Error::ChangeSet(ChangeSetError::Conflicts(conflicts))) => {
                conflicts.iter().map(|conflict| conflict.cause.name()).collect()
            }
            other => panic!("no conflict: {other:?}"),
        }
    }

    async fn state(&self, set: ChangeSetId) -> ReviewState {
        details(&self.world, set).await.summary.state
    }
}

#[tokio::test]
async fn a_text_goes_back_over_what_came_later_and_forth_again() {
    let scene = Scene::new().await;
    let item = scene.world.create(Kind::Note, note_of("a\nb\nc\nd\n")).await;
    scene.agent_changes(&item, content("a\nB\nc\nd\n")).await;
    scene.world.update(&item, content("a\nB\nc\nD\n")).await.unwrap();
    let undo = scene.undone().await;
    assert_eq!(scene.world.text(&item).await.unwrap(), "a\nb\nc\nD\n");
    assert_eq!(scene.state(scene.set).await, ReviewState::Undone);
    assert_eq!(scene.world.history(&item).last().unwrap().action, "undo");

    let version = scene.world.item(&item).await.stamp.version;
    let twice = scene.undo(scene.set, everything()).await.unwrap();
    assert!(twice.set.is_none() && twice.skipped.is_empty(), "what is undone is left alone");
    assert_eq!(scene.world.item(&item).await.stamp.version, version);

    scene.undo(undo, everything()).await.unwrap();
    assert_eq!(scene.world.text(&item).await.unwrap(), "a\nB\nc\nD\n");
    assert_eq!(scene.state(scene.set).await, ReviewState::Kept, "an undo that was undone is kept");
    assert_eq!(scene.state(undo).await, ReviewState::Undone);
}

#[tokio::test]
async fn lines_that_others_changed_since_are_a_conflict_with_the_places() {
    let scene = Scene::new().await;
    let item = scene.world.create(Kind::Note, note_of("a\nb\nc\n")).await;
    let other = scene.world.create(Kind::Note, note_of("x\n")).await;
    scene.agent_changes(&item, content("a\nB\nc\n")).await;
    scene.agent_changes(&other, content("y\n")).await;
    scene.world.update(&item, content("a\nBB\nc\n")).await.unwrap();
    match scene.undo(scene.set, everything()).await {
        Err(Error::ChangeSet(ChangeSetError::Conflicts(conflicts))) => {
            assert_eq!((conflicts.len(), conflicts[0].item, conflicts[0].cause.name()), (1, item.id, "lines"));
            assert_eq!(conflicts[0].places[0].theirs.text, "BB\n");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(scene.world.text(&other).await.unwrap(), "y\n", "nothing is taken back");

    let skipping = UndoChangeSet { on_conflict: OnUndoConflict::Skip, ..everything() };
    let undone = scene.undo(scene.set, skipping).await.unwrap();
    assert_eq!(undone.skipped.iter().map(|conflict| conflict.item).collect::<Vec<_>>(), [item.id]);
    assert_eq!(scene.world.text(&other).await.unwrap(), "x\n");
    assert_eq!(scene.world.text(&item).await.unwrap(), "a\nBB\nc\n");
}

#[tokio::test]
async fn lines_that_the_set_changed_again_after_others_are_a_conflict() {
    let scene = Scene::new().await;
    let item = scene.world.create(Kind::Note, note_of("a\nb\nc\n")).await;
    scene.agent_changes(&item, content("a\nB\nc\n")).await;
    scene.world.update(&item, content("a\nBB\nc\n")).await.unwrap();
    scene.agent_changes(&item, content("a\nBBB\nc\n")).await;
    assert_eq!(scene.causes().await, ["lines"]);
    assert_eq!(scene.world.text(&item).await.unwrap(), "a\nBBB\nc\n");
}

#[tokio::test]
async fn some_hunks_go_back_and_unknown_ones_are_refused() {
    let scene = Scene::new().await;
    let text = |first: &str, last: &str| format!("{first}\n2\n3\n4\n5\n6\n7\n8\n9\n{last}\n");
    let item = scene.world.create(Kind::Note, note_of(&text("1", "10"))).await;
    scene.agent_changes(&item, content(&text("one", "ten"))).await;
    let hunks = details(&scene.world, scene.set).await.changes[0].parts[0].hunks.clone();
    assert_eq!(hunks.len(), 2);
    let some = |ids: &[&str]| UndoChangeSet { hunks: Some(list(ids)), ..everything() };

    assert_eq!(code(scene.undo(scene.set, some(&[&hunks[0].id, "0000000000000000"])).await), "conflict");
    assert_eq!(scene.world.text(&item).await.unwrap(), text("one", "ten"), "nothing is taken back");
    let undone = scene.undo(scene.set, some(&[&hunks[0].id])).await.unwrap();
    assert_eq!(scene.world.text(&item).await.unwrap(), text("1", "ten"));
    assert_eq!(scene.state(scene.set).await, ReviewState::PartlyUndone);
    scene.undo(undone.set.unwrap().set.id, everything()).await.unwrap();
    assert_eq!(scene.world.text(&item).await.unwrap(), text("one", "ten"));
    scene.undo(scene.set, some(&[&hunks[0].id, &hunks[1].id])).await.unwrap();
    assert_eq!(scene.world.text(&item).await.unwrap(), text("1", "10"));
    assert_eq!(scene.state(scene.set).await, ReviewState::Undone);
}

#[tokio::test]
async fn fields_go_back_one_by_one_and_tags_each_by_itself() {
    let scene = Scene::new().await;
    let item = scene.world.create(Kind::Note, tagged(note_of("a\n"), &["one", "two"])).await;
    let tags = |add: &[&str], remove: &[&str]| ItemChanges {
        tags: TagChanges::Adjust { add: list(add), remove: list(remove) },
        ..ItemChanges::default()
    };
    let described = ItemChanges { title: to("New"), description: to("By the agent"), ..tags(&["agent"], &["one"]) };
    scene.agent_changes(&item, described).await;
    scene.world.update(&item, ItemChanges { content: to("b\n"), ..tags(&["mine"], &[]) }).await.unwrap();
    let undo = scene.undone().await;
    let after = scene.world.item(&item).await;
    assert_eq!(after.fields.title.as_ref().unwrap().as_str(), "Plan");
    assert_eq!(after.fields.description, None);
    let mut left = tags_of(&after);
    left.sort_unstable();
    assert_eq!(left, ["mine", "one", "two"]);
    assert_eq!(scene.world.text(&item).await.unwrap(), "b\n");
    scene.undo(undo, everything()).await.unwrap();
    assert_eq!(scene.world.item(&item).await.fields.title.as_ref().unwrap().as_str(), "New");

    let scene = Scene::new().await;
    let item = scene.world.create(Kind::Note, note_of("a\n")).await;
    scene.agent_changes(&item, title("By the agent")).await;
    scene.world.update(&item, title("By me")).await.unwrap();
    assert_eq!(scene.causes().await, ["field"]);
}

#[tokio::test]
async fn items_that_the_set_made_go_to_the_trash_unless_others_edited_them() {
    let scene = Scene::new().await;
    let caller = scene.agent.in_set(&scene.world, scene.set).await;
    let item = scene.world.interline.create(&caller, Kind::Note, note_of("a\n")).await.unwrap().item;
    let undo = scene.undone().await;
    assert!(scene.world.item(&item).await.deleted_at.is_some());
    scene.undo(undo, everything()).await.unwrap();
    assert!(scene.world.item(&item).await.deleted_at.is_none());
    scene.world.update(&item, title("Mine")).await.unwrap();
    assert_eq!(scene.causes().await, ["edited"]);
}

#[tokio::test]
async fn states_go_back_unless_others_changed_them_since() {
    let scene = Scene::new().await;
    let item = scene.world.create(Kind::Note, note_of("a\n")).await;
    let caller = scene.agent.in_set(&scene.world, scene.set).await;
    scene.world.interline.archive(&caller, &by_id(&item), ANY).await.unwrap();
    scene.world.interline.delete(&caller, &by_id(&item), ANY).await.unwrap();
    let undo = scene.undone().await;
    let after = scene.world.item(&item).await;
    assert!(after.deleted_at.is_none() && after.archived_at.is_none());
    scene.undo(undo, everything()).await.unwrap();
    let after = scene.world.item(&item).await;
    assert!(after.deleted_at.is_some() && after.archived_at.is_some());

    let scene = Scene::new().await;
    let item = scene.world.create(Kind::Note, note_of("a\n")).await;
    let caller = scene.agent.in_set(&scene.world, scene.set).await;
    scene.world.interline.archive(&caller, &by_id(&item), ANY).await.unwrap();
    scene.world.interline.unarchive(&scene.world.owner, &by_id(&item), ANY).await.unwrap();
    scene.world.interline.archive(&scene.world.owner, &by_id(&item), ANY).await.unwrap();
    assert_eq!(scene.causes().await, ["lifecycle"]);

    let scene = Scene::new().await;
    let item = scene.world.create(Kind::Note, note_of("a\n")).await;
    scene.agent_changes(&item, content("b\n")).await;
    scene.world.interline.delete(&scene.world.owner, &by_id(&item), ANY).await.unwrap();
    assert_eq!(scene.causes().await, ["lifecycle"], "an item in the trash takes no version");
}

#[tokio::test]
async fn a_name_that_is_taken_and_a_text_that_its_kind_refuses_are_conflicts() {
    let scene = Scene::new().await;
    let item = scene.world.create(Kind::Bookmark, bookmark("https://example.org/a")).await;
    let moved = ItemChanges { url: FieldChange::Set("https://example.org/b".to_owned()), ..ItemChanges::default() };
    scene.agent_changes(&item, moved).await;
    scene.world.create(Kind::Bookmark, bookmark("https://example.org/a")).await;
    assert_eq!(scene.causes().await, ["taken"]);

    let scene = Scene::new().await;
    let item = scene.world.create(Kind::Prompt, prompt("greet", "Hello {{ who }}\n-\nyou\n", &["who"])).await;
    scene.agent_changes(&item, content("Hello {{ who }}\n-\n{{ who }} and you\n")).await;
    let only = ItemChanges {
        arguments: FieldChange::Set(arguments(&["who", "mood"])),
        ..content("Hello {{ mood }}\n-\n{{ who }} and you\n")
    };
    scene.world.update(&item, only).await.unwrap();
    assert_eq!(scene.causes().await, ["check"], "`who` would be an argument that the template does not use");
}

#[tokio::test]
async fn purged_items_and_forgotten_versions_are_conflicts() {
    let scene = Scene::new().await;
    let item = scene.world.create(Kind::Note, note_of("a\n")).await;
    let other = scene.world.create(Kind::Note, note_of("x\n")).await;
    scene.agent_changes(&item, content("b\n")).await;
    scene.agent_changes(&other, content("y\n")).await;
    scene.world.interline.purge(&scene.world.owner, &by_id(&item), ANY).await.unwrap();
    assert_eq!(scene.causes().await, ["purged"]);
    assert_eq!(scene.world.text(&other).await.unwrap(), "y\n");
    let only = UndoChangeSet { items: Some(vec![item.id]), ..everything() };
    assert_eq!(code(scene.undo(scene.set, only).await), "conflict");
    let skipping = UndoChangeSet { on_conflict: OnUndoConflict::Skip, ..everything() };
    let undone = scene.undo(scene.set, skipping).await.unwrap();
    assert_eq!((undone.skipped.len(), undone.skipped[0].item), (1, item.id));
    assert_eq!(scene.world.text(&other).await.unwrap(), "x\n");

    let scene = Scene::new().await;
    let item = scene.world.create(Kind::Note, note_of("a\n")).await;
    scene.agent_changes(&item, content("b\n")).await;
    scene.world.interline.purge(&scene.world.owner, &by_id(&item), ANY).await.unwrap();
    assert_eq!(scene.causes().await, ["purged"], "a set of which nothing is left is still known");

    let scene = Scene::new().await;
    let item = scene.world.create(Kind::Note, note_of("a\n")).await;
    scene.agent_changes(&item, content("b\n")).await;
    scene.world.update(&item, title("Mine")).await.unwrap();
    rusqlite::Connection::open(scene.world.file())
        .unwrap()
        .execute("DELETE FROM versions WHERE version = 1", [])
        .unwrap();
    assert_eq!(scene.causes().await, ["forgotten"]);
}

#[tokio::test]
async fn a_set_of_many_items_is_taken_back_in_steps_or_not_at_all() {
    let scene = Scene::new().await;
    let caller = scene.agent.in_set(&scene.world, scene.set).await;
    let mut items = Vec::new();
    for number in 0..230 {
        let draft = note_of(&format!("{number}\n"));
        items.push(scene.world.interline.create(&caller, Kind::Note, draft).await.unwrap().item);
    }
    scene.world.update(&items[220], title("Mine")).await.unwrap();
    assert_eq!(scene.causes().await, ["edited"]);
    assert!(scene.world.item(&items[0]).await.deleted_at.is_none(), "all are checked first");
    let skipping = UndoChangeSet { on_conflict: OnUndoConflict::Skip, ..everything() };
    let undone = scene.undo(scene.set, skipping).await.unwrap();
    assert_eq!((undone.set.unwrap().items_total, undone.skipped.len()), (229, 1));
}

#[tokio::test]
async fn an_undo_needs_the_right_to_write_and_what_is_not_seen_does_not_exist() {
    let scene = Scene::new().await;
    let item = scene.world.create(Kind::Prompt, greeting()).await;
    scene.agent_changes(&item, content("Hi {{ who }}")).await;
    let reader = scene.world.narrowed(interline_items::TokenDraft {
        scopes: Some([interline_items::Scope::Read, interline_items::Scope::Review].into()),
        ..crate::samples::token()
    });
    let (reader, stranger) = (reader.await, scene.world.user("stranger", interline_items::Rank::Member).await);
    for (caller, outcome) in [(&reader, "forbidden"), (&stranger, "not_found")] {
        assert_eq!(code(scene.world.interline.undo_changes(caller, scene.set, everything()).await), outcome);
    }
    let unknown = UndoChangeSet { items: Some(vec![interline_items::ItemId::generate()]), ..everything() };
    assert_eq!(code(scene.undo(scene.set, unknown).await), "not_found");
    assert_eq!(scene.world.text(&item).await.unwrap(), "Hi {{ who }}");
}
