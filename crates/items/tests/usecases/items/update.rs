//! Changing fields, whole contents, the archive and the trash state.

use std::sync::Arc;

use interline_items::fields::{Limits, PromptName};
use interline_items::{
    ArchiveState, Error, Expectation, ExpectedVersion, FieldChange, ItemChanges, ItemDraft, Kind, Stamp, TokenDraft,
    TrashState, View,
};
use tokio::sync::Barrier;

use crate::samples::{
    arguments, bookmark, by_name, content, greeting, list, note, note_of, prompt, replace_tags, retag, tagged, text,
    title, to, token,
};
use crate::world::{World, by_id, code, refused_fields, tags_of};

#[tokio::test]
async fn a_change_makes_a_version_and_records_which_fields_changed() {
    let world = World::new().await;
    let note = world.create(Kind::Note, note_of("x")).await;
    let site = world.create(Kind::Bookmark, bookmark("https://a.example/")).await;
    let prompt = world.create(Kind::Prompt, greeting()).await;
    for (item, changes, fields) in [
        (&note, title("New"), r#"["title"]"#),
        (&note, content("y"), r#"["content"]"#),
        (&note, ItemChanges { description: to("d"), ..replace_tags(&["t"]) }, r#"["description","tags"]"#),
        (&note, ItemChanges { content: FieldChange::Clear, ..title("New") }, r#"["content"]"#),
        (&note, content(""), r#"["content"]"#),
        (&site, ItemChanges { url: to("https://b.example/"), ..ItemChanges::default() }, r#"["url"]"#),
        (&site, ItemChanges { content: to("z"), ..title("T") }, r#"["title","content"]"#),
        (&prompt, ItemChanges { name: to("hello"), ..ItemChanges::default() }, r#"["name"]"#),
        (
            &prompt,
            ItemChanges { arguments: FieldChange::Set(arguments(&["whom"])), ..content("Hi {{ whom }}") },
            r#"["arguments","content"]"#,
        ),
    ] {
        let before = world.item(item).await;
        let after = world.update(item, changes.clone()).await.unwrap().item;
        assert_eq!(after, world.item(item).await, "the answer is the new state");
        assert_eq!(after.stamp, Stamp { version: before.stamp.version + 1, revision: 0 });
        assert!(after.updated_at > before.updated_at && after.created_at == before.created_at);
        let history = world.history(item);
        let last = history.last().unwrap();
        assert_eq!((last.action.as_str(), last.version), ("update", Some(after.stamp.version)));
        assert_eq!(last.changed_fields, fields, "{changes:?}");
    }
}

#[tokio::test]
async fn a_change_that_changes_nothing_writes_nothing() {
    let world = World::new().await;
    let draft = ItemDraft { description: text("d"), ..tagged(note_of("x"), &["a", "b"]) };
    let note = world.create(Kind::Note, draft).await;
    let site = world.create(Kind::Bookmark, bookmark("https://a.example/")).await;
    let prompt = world.create(Kind::Prompt, greeting()).await;
    for (item, changes) in [
        (&note, ItemChanges::default()),
        (&note, title("Plan")),
        (&note, content("x")),
        (&note, replace_tags(&[" A", "b", "B"])),
        (&note, retag(&["A"], &["c"])),
        (&note, retag(&[], &[])),
        (&note, retag(&["new"], &["NEW"])),
        (&note, ItemChanges { description: to("d"), ..content("x") }),
        (&site, ItemChanges { url: to("HTTPS://A.example"), ..ItemChanges::default() }),
        (&site, ItemChanges { title: FieldChange::Clear, content: FieldChange::Clear, ..ItemChanges::default() }),
        (&prompt, ItemChanges { name: to("greet"), ..ItemChanges::default() }),
        (&prompt, ItemChanges { arguments: FieldChange::Set(arguments(&["who"])), ..ItemChanges::default() }),
    ] {
        assert_eq!(world.update(item, changes.clone()).await.unwrap().item, *item, "{changes:?}");
        assert_eq!(world.item(item).await, *item);
        assert_eq!(world.history(item).len(), 1);
    }
}

#[tokio::test]
async fn fields_and_archive_state_change_together_or_not_at_all() {
    let world = World::new().await;
    let note = world.create(Kind::Note, note_of("x")).await;
    let with_state = |changes, state| ItemChanges { archive_state: Some(state), ..changes };
    // What is changed, where it is kept, and the records that this adds, with the state afterwards.
    for (changes, state, records, stamp, view) in [
        (title("A"), ArchiveState::Archived, &["update", "archive"][..], (2, 1), View::Archived),
        (title("A"), ArchiveState::Archived, &[], (2, 1), View::Archived),
        (title("B"), ArchiveState::Archived, &["update"], (3, 1), View::Archived),
        (ItemChanges::default(), ArchiveState::Active, &["unarchive"], (3, 2), View::Active),
        (ItemChanges::default(), ArchiveState::Active, &[], (3, 2), View::Active),
    ] {
        let before = world.history(&note).len();
        let after = world.update(&note, with_state(changes, state)).await.unwrap();
        assert_eq!(after.item, world.item(&note).await, "the answer is the new state");
        assert_eq!(after.content.as_deref(), Some("x"));
        assert_eq!(
            (after.item.stamp.version, after.item.stamp.revision, View::from_item(&after.item)),
            (stamp.0, stamp.1, view)
        );
        let history = world.history(&note);
        let added: Vec<&str> = history[before..].iter().map(|record| record.action.as_str()).collect();
        assert_eq!(added, records);
    }
    let refused = world.update(&note, with_state(title(" "), ArchiveState::Archived)).await;
    assert_eq!(code(refused), "validation_failed");
    assert_eq!(View::from_item(&world.item(&note).await), View::Active);
}

#[tokio::test]
async fn fields_and_trash_state_change_together_or_not_at_all() {
    use ArchiveState::{Active, Archived};
    use TrashState::{Deleted, Restored};
    let world = World::new().await;
    let note = world.create(Kind::Note, note_of("x")).await;
    let moved = |archive_state, trash_state, changes| ItemChanges { archive_state, trash_state, ..changes };
    let none = ItemChanges::default;
    let update = async |changes| {
        world.interline.update_metadata(&world.owner, &by_id(&note), ExpectedVersion::Any, changes).await
    };
    // What is asked for, the records that this adds (or the error), and the view and version afterwards.
    for (changes, added, view, version) in [
        (moved(None, Some(Restored), none()), Ok(&[][..]), View::Active, 1),
        (moved(None, Some(Deleted), title("A")), Ok(&["update", "delete"][..]), View::Deleted, 2),
        (moved(None, Some(Deleted), none()), Err("not_found"), View::Deleted, 2),
        (moved(None, Some(Deleted), title("B")), Err("not_found"), View::Deleted, 2),
        (moved(Some(Archived), None, none()), Err("not_found"), View::Deleted, 2),
        (title("B"), Err("not_found"), View::Deleted, 2),
        (moved(None, Some(Restored), title(" ")), Err("validation_failed"), View::Deleted, 2),
        (moved(None, Some(Restored), title("B")), Ok(&["update", "restore"][..]), View::Active, 3),
        (moved(None, Some(Deleted), none()), Ok(&["delete"][..]), View::Deleted, 3),
        (
            moved(Some(Archived), Some(Restored), title("C")),
            Ok(&["update", "restore", "archive"][..]),
            View::Archived,
            4,
        ),
        (moved(Some(Active), Some(Deleted), none()), Ok(&["unarchive", "delete"][..]), View::Deleted, 4),
        (moved(None, Some(Restored), none()), Ok(&["restore"][..]), View::Active, 4),
    ] {
        let (shown, before) = (format!("{changes:?}"), world.history(&note).len());
        let outcome = update(changes).await;
        let item = world.item(&note).await;
        match added {
            Ok(_) => assert_eq!(outcome.unwrap(), item, "{shown}"),
            Err(expected) => assert_eq!(code(outcome), expected, "{shown}"),
        }
        assert_eq!((View::from_item(&item), item.stamp.version), (view, version), "{shown}");
        let history = world.history(&note);
        let records: Vec<&str> = history[before..].iter().map(|record| record.action.as_str()).collect();
        assert_eq!(records, added.unwrap_or_default(), "{shown}");
    }
}

#[tokio::test]
async fn a_prompt_whose_name_is_taken_comes_back_under_another() {
    let world = World::new().await;
    let name = || PromptName::parse("greet", &Limits::default()).unwrap();
    let restore_it = async |item_ref: interline_items::ItemRef, changes| {
        let changes = ItemChanges { trash_state: Some(TrashState::Restored), ..changes };
        world.interline.update_metadata(&world.owner, &item_ref, ExpectedVersion::Any, changes).await
    };
    let restore = async |changes| {
        let item_ref = world.interline.prompt_or_deleted(&world.owner, name()).await.unwrap();
        restore_it(item_ref, changes).await
    };
    let delete = async |item: &interline_items::Item| {
        world.interline.delete(&world.owner, &by_id(item), ExpectedVersion::Any).await.unwrap();
    };
    assert_eq!(code(restore(ItemChanges::default()).await), "not_found");
    let first = world.create(Kind::Prompt, greeting()).await;
    assert_eq!(restore(ItemChanges::default()).await.unwrap(), first, "one that is not deleted stays");
    delete(&first).await;
    assert_eq!(restore(ItemChanges::default()).await.unwrap().id, first.id);
    delete(&first).await;
    let second = world.create(Kind::Prompt, greeting()).await;
    assert_eq!(restore(ItemChanges::default()).await.unwrap(), second, "the one that has the name is meant");
    assert_eq!(code(restore_it(by_id(&first), ItemChanges::default()).await), "duplicate");
    assert_eq!(View::from_item(&world.item(&first).await), View::Deleted);
    let another_name = ItemChanges { name: to("greet-again"), ..ItemChanges::default() };
    let renamed = restore_it(by_id(&first), another_name).await.unwrap();
    assert_eq!((renamed.id, View::from_item(&renamed)), (first.id, View::Active));
    // Of two that were deleted, the last one is meant.
    let third = world.create(Kind::Prompt, prompt("other", "Hello {{ who }}", &["who"])).await;
    delete(&second).await;
    world.update(&third, ItemChanges { name: to("greet"), ..ItemChanges::default() }).await.unwrap();
    delete(&third).await;
    assert_eq!(restore(ItemChanges::default()).await.unwrap().id, third.id);
    let history = world.interline.prompt_or_deleted(&world.owner, name()).await.unwrap();
    assert!(matches!(history, interline_items::ItemRef::PromptName(_)), "{history:?}");
}

#[tokio::test]
async fn null_clears_what_may_be_empty_and_is_refused_elsewhere() {
    let world = World::new().await;
    let full = |draft| ItemDraft { title: text("T"), description: text("d"), ..draft };
    let note = world.create(Kind::Note, full(note_of("x"))).await;
    let site = world.create(Kind::Bookmark, full(bookmark("https://a.example/"))).await;
    let prompt = world.create(Kind::Prompt, full(greeting())).await;
    let clear = |field| {
        let mut changes = ItemChanges::default();
        match field {
            "title" => changes.title = FieldChange::Clear,
            "description" => changes.description = FieldChange::Clear,
            "url" => changes.url = FieldChange::Clear,
            "name" => changes.name = FieldChange::Clear,
            "arguments" => changes.arguments = FieldChange::Clear,
            "content" => changes.content = FieldChange::Clear,
            other => panic!("{other}"),
        }
        changes
    };
    for (item, refused, cleared) in [
        (&note, &["title", "url", "name", "arguments"][..], &["description", "content"][..]),
        (&site, &["url", "name", "arguments"], &["title", "description", "content"]),
        (&prompt, &["url", "name", "arguments", "content"], &["title", "description"]),
    ] {
        for field in refused {
            assert_eq!(refused_fields(world.update(item, clear(field)).await), [*field], "{}", item.kind);
        }
        assert_eq!(world.item(item).await, *item);
        for field in cleared {
            world.update(item, clear(field)).await.unwrap();
        }
        let after = world.item(item).await;
        assert_eq!(after.fields.description, None);
        assert_eq!(after.content.is_some(), item.kind == Kind::Prompt);
        assert_eq!(after.fields.title.is_some(), item.kind == Kind::Note);
    }
}

#[tokio::test]
async fn a_refused_change_names_all_errors_and_changes_nothing() {
    let world = World::with_limits(Limits { content_bytes: 40, ..Limits::default() }).await;
    let item = world.create(Kind::Note, note_of("x")).await;
    let changes = ItemChanges {
        title: to(" "),
        description: to("\0"),
        tags: retag(&["ok", "#"], &["ok", "ok", "a b"]).tags,
        url: to("https://a.example/"),
        name: to("a"),
        arguments: FieldChange::Set(Vec::new()),
        path: to("a.py"),
        front_matter: to("- no mapping"),
        content: to("\0"),
        archive_state: Some(ArchiveState::Archived),
        trash_state: None,
    };
    let all = [
        "title",
        "description",
        "add_tags[1]",
        "remove_tags[2]",
        "url",
        "name",
        "arguments",
        "path",
        "front_matter",
        "content",
    ];
    assert_eq!(refused_fields(world.update(&item, changes).await), all);
    assert_eq!(code(world.update(&item, content(&"x".repeat(41))).await), "too_large");
    assert_eq!(world.item(&item).await, item);
}

#[tokio::test]
async fn tags_are_replaced_added_and_removed() {
    let world = World::new().await;
    for (changes, tags) in [
        (replace_tags(&[]), &[][..]),
        (replace_tags(&["Z", "y", "z "]), &["z", "y"]),
        (retag(&["C", "a"], &[]), &["a", "b", "c"]),
        (retag(&[], &["A "]), &["b"]),
        (retag(&["c"], &["a"]), &["b", "c"]),
        (retag(&["a", "c"], &["a"]), &["b", "c"]),
        (retag(&[], &["a", "b", "unknown"]), &[]),
    ] {
        let item = world.create(Kind::Note, tagged(note("a"), &["a", "b"])).await;
        assert_eq!(tags_of(&world.update(&item, changes.clone()).await.unwrap().item), tags, "{changes:?}");
        assert_eq!(tags_of(&world.item(&item).await), tags, "{changes:?}");
    }
}

#[tokio::test]
async fn tags_are_counted_after_those_that_go_are_gone() {
    let limits = |tags| Limits { tags, ..Limits::default() };
    let world = World::with_limits(limits(2)).await;
    let item = world.create(Kind::Note, tagged(note("a"), &["a", "b"])).await;
    assert_eq!(refused_fields(world.update(&item, retag(&["c"], &[])).await), ["add_tags"]);
    assert_eq!(refused_fields(world.update(&item, replace_tags(&["a", "b", "c"])).await), ["tags"]);
    assert_eq!(tags_of(&world.update(&item, retag(&["c"], &["a"])).await.unwrap().item), ["b", "c"]);
    // Of more tags than there may be now, some can go.
    let item = world.create(Kind::Note, tagged(note("b"), &["a", "b"])).await;
    let stricter = world.limited(limits(0));
    assert_eq!(
        code(stricter.update(&world.owner, &by_id(&item), ExpectedVersion::Any, retag(&["c"], &[])).await),
        "validation_failed"
    );
    assert_eq!(
        code(stricter.update(&world.owner, &by_id(&item), ExpectedVersion::Any, retag(&[], &["a"])).await),
        "ok"
    );
}

#[tokio::test]
async fn a_template_is_checked_with_the_arguments_after_the_change() {
    let world = World::new().await;
    let item = world.create(Kind::Prompt, greeting()).await;
    let args = |names: &[&str]| ItemChanges { arguments: FieldChange::Set(arguments(names)), ..ItemChanges::default() };
    for changes in [
        content(""),
        content(" "),
        content("{{ who"),
        content("{{ who|nope }}"),
        content("{{ who }}{{ more }}"),
        content("nobody"),
        args(&[]),
        args(&["who", "more"]),
        ItemChanges { arguments: FieldChange::Set(arguments(&["other"])), ..content("{{ who }}") },
    ] {
        assert_eq!(code(world.update(&item, changes.clone()).await), "invalid_template", "{changes:?}");
    }
    assert_eq!(refused_fields(world.update(&item, args(&["who", "who"])).await), ["arguments[1].name"]);
    assert_eq!(world.item(&item).await, item);
    for changes in [ItemChanges { content: to("{{ a }}{{ b }}"), ..args(&["a", "b"]) }, content("{{ b }}: {{ a }}")] {
        assert_eq!(code(world.update(&item, changes.clone()).await), "ok", "{changes:?}");
    }
}

#[tokio::test]
async fn a_taken_address_or_name_is_refused() {
    let world = World::new().await;
    let taken = world.create(Kind::Bookmark, bookmark("https://a.example/")).await;
    let site = world.create(Kind::Bookmark, bookmark("https://b.example/")).await;
    let change = ItemChanges { url: to("https://a.example"), ..ItemChanges::default() };
    match world.update(&site, change.clone()).await {
        Err(Error::Duplicate { field, existing }) => assert_eq!((field.name(), existing.id), ("url", taken.id)),
        other => panic!("{other:?}"),
    }
    world.interline.delete(&world.owner, &by_id(&taken), ExpectedVersion::Any).await.unwrap();
    assert_eq!(code(world.update(&site, change).await), "ok");

    world.create(Kind::Prompt, greeting()).await;
    let other = world.create(Kind::Prompt, prompt("other", "x", &[])).await;
    let change = ItemChanges { name: to("greet"), ..ItemChanges::default() };
    assert_eq!(code(world.update(&other, change).await), "duplicate");
}

#[tokio::test]
async fn a_change_for_another_version_is_a_conflict_with_the_current_item() {
    let world = World::new().await;
    let (interline, owner) = (&world.interline, &world.owner);
    let item = world.create(Kind::Note, note("a")).await;
    let expecting = async |version, how, changes| {
        interline.update(owner, &by_id(&item), ExpectedVersion::Exactly(version, how), changes).await
    };
    let second = expecting(1, Expectation::ExpectedVersion, title("b")).await.unwrap().item;
    for (expected, how, changes) in [
        (1, Expectation::ExpectedVersion, title("c")),
        (3, Expectation::Precondition, title("c")),
        (0, Expectation::Precondition, title("c")),
        (1, Expectation::ExpectedVersion, ItemChanges::default()),
        (1, Expectation::ExpectedVersion, title(" ")),
    ] {
        match expecting(expected, how, changes).await {
            Err(Error::Conflict { expected_version, expectation, current, .. }) => {
                assert_eq!((expected_version, expectation, *current), (expected, how, second.clone()));
            }
            other => panic!("{other:?}"),
        }
    }
    // Whichever version it is, it exists.
    let existing = interline.update(owner, &by_id(&item), ExpectedVersion::Existing, ItemChanges::default()).await;
    assert_eq!(existing.unwrap().item, second);
    // What makes no version is no conflict.
    interline.archive(owner, &by_id(&item), ExpectedVersion::Any).await.unwrap();
    let third = expecting(2, Expectation::Precondition, title("c")).await.unwrap().item;
    assert_eq!(third.stamp, Stamp { version: 3, revision: 1 });
}

#[tokio::test]
async fn archived_items_are_edited_and_deleted_ones_are_not_found() {
    let world = World::new().await;
    let (interline, owner) = (&world.interline, &world.owner);
    let item = world.create(Kind::Prompt, greeting()).await;
    interline.archive(owner, &by_id(&item), ExpectedVersion::Any).await.unwrap();
    let edited = interline.update(owner, &by_name("greet"), ExpectedVersion::Any, title("T")).await.unwrap().item;
    assert_eq!((View::from_item(&edited), edited.stamp), (View::Archived, Stamp { version: 2, revision: 1 }));
    interline.delete(owner, &by_id(&item), ExpectedVersion::Any).await.unwrap();
    for which in [by_id(&item), by_name("greet")] {
        for expected in
            [ExpectedVersion::Any, ExpectedVersion::Existing, ExpectedVersion::Exactly(1, Expectation::ExpectedVersion)]
        {
            assert_eq!(code(interline.update(owner, &which, expected, title("U")).await), "not_found");
        }
    }
    assert_eq!(world.text(&item).await.as_deref(), Some("Hello {{ who }}"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn of_concurrent_changes_of_different_fields_none_is_lost() {
    let world = World::new().await;
    for round in 0..10 {
        let item = world.create(Kind::Bookmark, bookmark(&format!("https://a.example/{round}"))).await;
        let url = format!("https://b.example/{round}");
        let changes = [
            title("T"),
            content("C"),
            ItemChanges { description: to("D"), ..ItemChanges::default() },
            ItemChanges { url: to(&url), ..ItemChanges::default() },
            retag(&["a"], &[]),
            retag(&["b"], &[]),
            retag(&["c"], &[]),
            retag(&["d"], &[]),
        ];
        let start = Arc::new(Barrier::new(changes.len()));
        let tasks = changes.map(|changes| {
            let (interline, owner) = (world.interline.clone(), world.owner.clone());
            let (which, start) = (by_id(&item), Arc::clone(&start));
            tokio::spawn(async move {
                start.wait().await;
                interline.update(&owner, &which, ExpectedVersion::Any, changes).await
            })
        });
        for task in tasks {
            assert_eq!(code(task.await.unwrap()), "ok");
        }
        let after = world.item(&item).await;
        assert_eq!(after.stamp, Stamp { version: 9, revision: 0 });
        assert_eq!(after.fields.title.as_ref().unwrap().as_str(), "T");
        assert_eq!(after.fields.description.as_ref().unwrap().as_str(), "D");
        assert_eq!(after.fields.url.as_ref().unwrap().as_str(), url);
        let mut tags = tags_of(&after);
        tags.sort_unstable();
        assert_eq!(tags, list(&["a", "b", "c", "d"]));
        assert_eq!(world.text(&item).await.as_deref(), Some("C"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn many_concurrent_changes_of_one_item_all_succeed() {
    let world = World::new().await;
    let item = world.create(Kind::Note, note("a")).await;
    let tasks: Vec<_> = (0..64)
        .map(|number| {
            let (interline, owner, which) = (world.interline.clone(), world.owner.clone(), by_id(&item));
            let changes = retag(&[&format!("tag-{number}")], &[]);
            tokio::spawn(async move { interline.update(&owner, &which, ExpectedVersion::Any, changes).await })
        })
        .collect();
    for task in tasks {
        assert_eq!(code(task.await.unwrap()), "ok");
    }
    let after = world.item(&item).await;
    assert_eq!((after.stamp.version, tags_of(&after).len()), (65, 64));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn of_concurrent_changes_for_one_version_one_succeeds() {
    let world = World::new().await;
    let item = world.create(Kind::Note, note("a")).await;
    let tasks = ["1", "2", "3", "4"].map(|new| {
        let (interline, owner, which) = (world.interline.clone(), world.owner.clone(), by_id(&item));
        let expected = ExpectedVersion::Exactly(1, Expectation::ExpectedVersion);
        tokio::spawn(async move { interline.update(&owner, &which, expected, title(new)).await })
    });
    let mut outcomes = Vec::new();
    for task in tasks {
        outcomes.push(code(task.await.unwrap()));
    }
    outcomes.sort_unstable();
    assert_eq!(outcomes, ["conflict", "conflict", "conflict", "ok"]);
    assert_eq!(world.item(&item).await.stamp.version, 2);
}

#[tokio::test]
async fn a_token_without_prompts_learns_nothing_of_deleted_ones() {
    let world = World::new().await;
    let prompt = world.create(Kind::Prompt, greeting()).await;
    world.interline.delete(&world.owner, &by_id(&prompt), ExpectedVersion::Any).await.unwrap();
    let name = || PromptName::parse("greet", &Limits::default()).unwrap();
    let notes = TokenDraft { kinds: Some([Kind::Note].into()), ..token() };
    for (caller, is_found) in [(world.owner.clone(), true), (world.narrowed(notes).await, false)] {
        let found = world.interline.prompt_or_deleted(&caller, name()).await.unwrap();
        assert_eq!(matches!(found, interline_items::ItemRef::Id(..)), is_found, "{found:?}");
    }
}
