//! Whole contents that were written for an older version: `update_or_merge`.

use interline_items::fields::Limits;
use interline_items::{
    ArchiveState, ConflictPlace, EditRequest, Error, Expectation, ExpectedVersion, FailedMerge, FieldChange,
    HistoryQuery, Item, ItemChanges, ItemDraft, Kind, MergedFrom, OnStale, PassageChange, ReadContent, TextChange,
    TrashState, Updated, Upkeep, View,
};
use tokio::task::JoinSet;

use crate::samples::{
    arguments, bookmark, content, note, note_of, prompt, replace_tags, retag, tagged, text, title, to,
};
use crate::world::{World, by_id, code, refused_fields, tags_of};

const BASE: &str = "one\ntwo\nthree\nfour\nfive\n";
const OURS: &str = "ONE\ntwo\nthree\nfour\nfive\n";
const THEIRS: &str = "one\ntwo\nthree\nfour\nFIVE\n";
const MERGED: &str = "ONE\ntwo\nthree\nfour\nFIVE\n";

fn at(version: u64) -> ExpectedVersion {
    ExpectedVersion::Exactly(version, Expectation::ExpectedVersion)
}

async fn merge_at(world: &World, item: &Item, version: u64, changes: ItemChanges) -> Result<Updated, Error> {
    let on_stale = Some(OnStale::Merge);
    world.interline.update_or_merge(&world.owner, &by_id(item), at(version), on_stale, changes).await
}

/// Merges what was written for version 1.
async fn merge(world: &World, item: &Item, changes: ItemChanges) -> Result<Updated, Error> {
    merge_at(world, item, 1, changes).await
}

/// Why a merge failed; the conflict is about the item as it is now, and nothing was stored.
async fn failure(world: &World, item: &Item, outcome: Result<Updated, Error>) -> Option<FailedMerge> {
    match outcome {
        Err(Error::Conflict {
            expected_version: 1, expectation: Expectation::ExpectedVersion, current, merge, ..
        }) => {
            assert_eq!(*current, world.item(item).await);
            merge.map(|merge| *merge)
        }
        other => panic!("{other:?}"),
    }
}

/// The fields and the places that both sides changed.
async fn both_changed(
    world: &World,
    item: &Item,
    outcome: Result<Updated, Error>,
) -> (Vec<&'static str>, Vec<ConflictPlace>) {
    match failure(world, item, outcome).await {
        Some(FailedMerge::BothChanged { fields, places, total }) => {
            assert_eq!(total, places.len());
            (fields, places)
        }
        other => panic!("{other:?}"),
    }
}

/// An item of each kind that is no code.
async fn items(world: &World, content: &str, tag: &str) -> Vec<Item> {
    let site = ItemDraft { content: text(content), ..bookmark(&format!("https://a.example/{tag}")) };
    let mut items = vec![world.create(Kind::Note, note_of(content)).await, world.create(Kind::Bookmark, site).await];
    if !content.trim().is_empty() {
        items.push(world.create(Kind::Prompt, prompt(tag, content, &[])).await);
    }
    items
}

async fn merged_in_history(world: &World, item: &Item) -> Vec<Option<MergedFrom>> {
    let page = HistoryQuery { offset: 0, limit: 100 };
    let records = world.interline.history(&world.owner, &by_id(item), page).await.unwrap().records;
    records.iter().rev().map(|record| record.merged_from).collect()
}

#[tokio::test]
async fn a_clean_merge_keeps_what_both_sides_changed() {
    let world = World::new().await;
    for (number, (base, ours, theirs, merged)) in [
        (BASE, OURS, THEIRS, MERGED),
        (BASE, THEIRS, OURS, MERGED),
        ("a\r\nb\r\nc\r\nd\r\n", "A\r\nb\r\nc\r\nd\r\n", "a\r\nb\r\nc\r\nD\r\n", "A\r\nb\r\nc\r\nD\r\n"),
        ("a\nb\nc\nd", "A\nb\nc\nd", "a\nb\nc\nd\ne", "A\nb\nc\nd\ne"),
        ("a\nb\nc\nd", "A\nb\nc\nd", "a\nb\nc\nd\n", "A\nb\nc\nd\n"),
        ("a\nb\nc\nd\n", "a\nb\nc\nd", "0\na\nb\nc\nd\n", "0\na\nb\nc\nd"),
        // Only they changed it, then only we did, then both did in the same way.
        (BASE, "ONE\ntwo\nthree\nfour\n5\n", "ONE\ntwo\nthree\nfour\nfive\n", "ONE\ntwo\nthree\nfour\n5\n"),
        ("", "new\n", "", "new\n"),
    ]
    .into_iter()
    .enumerate()
    {
        for item in items(&world, base, &format!("clean-{number}")).await {
            // Something else changes too, so that there is a second version where the text is the same.
            world.update(&item, ItemChanges { description: to("d"), ..content(theirs) }).await.unwrap();
            let Updated { after, merged_from } = merge(&world, &item, content(ours)).await.unwrap();
            let case = format!("{} {base:?} {ours:?} {theirs:?}", item.kind);
            assert_eq!(after.content.as_deref(), Some(merged), "{case}");
            assert_eq!(world.text(&item).await.as_deref(), Some(merged), "{case}");
            assert_eq!((&after.item, after.item.stamp.version), (&world.item(&item).await, 3), "{case}");
            let from = Some(MergedFrom { base: 1, theirs: 2 });
            assert_eq!(merged_from, from, "{case}");
            assert_eq!(merged_in_history(&world, &item).await, [None, None, from], "{case}");
            let before = world.interline.read_version(&world.owner, &by_id(&item), 2, ReadContent::Whole).await;
            assert_eq!(&*before.unwrap().part.unwrap().text, theirs, "{case}");
        }
    }
}

#[tokio::test]
async fn what_both_changed_is_a_conflict_with_its_places_and_nothing_is_stored() {
    let world = World::new().await;
    for item in items(&world, BASE, "conflict").await {
        world.update(&item, content("1\ntwo\nthree\nfour\n5\nsix\n")).await.unwrap();
        let outcome = merge(&world, &item, content("ONE\ntwo\nthree\nfour\nFIVE\n")).await;
        let message = outcome.as_ref().unwrap_err().to_string();
        assert_eq!(
            message,
            "the item is at version 2, and version 1 was expected; both change 2 places of the content"
        );
        let suggestion = outcome.as_ref().unwrap_err().suggestion();
        assert!(suggestion.contains("`conflicts`") && suggestion.contains("version 2"), "{suggestion}");
        assert!(matches!(&outcome, Err(Error::Conflict { diff: Some(_), .. })));
        let (fields, places) = both_changed(&world, &item, outcome).await;
        assert_eq!(fields, [""; 0]);
        let [first, second] = &places[..] else { panic!("{places:?}") };
        let lines = |place: &ConflictPlace| {
            [&place.base, &place.ours, &place.theirs]
                .map(|passage| (passage.start_line, passage.end_line, passage.text.clone()))
        };
        assert_eq!(lines(first), [(1, 1, "one\n".into()), (1, 1, "ONE\n".into()), (1, 1, "1\n".into())]);
        assert_eq!(lines(second), [(5, 5, "five\n".into()), (5, 5, "FIVE\n".into()), (5, 6, "5\nsix\n".into())]);
        assert_eq!(world.text(&item).await.as_deref(), Some("1\ntwo\nthree\nfour\n5\nsix\n"));
        assert_eq!(world.history(&item).len(), 2);
    }
}

#[tokio::test]
async fn a_merge_that_adds_nothing_writes_nothing() {
    let world = World::new().await;
    for item in items(&world, BASE, "nothing").await {
        world.update(&item, content(THEIRS)).await.unwrap();
        let before = world.item(&item).await;
        // What they wrote, what there was before, and a field as it was or as it is.
        for changes in [
            content(THEIRS),
            content(BASE),
            ItemChanges { content: to(BASE), ..retag(&[], &["none"]) },
            ItemChanges { description: FieldChange::Clear, ..content(THEIRS) },
        ] {
            let Updated { after, merged_from } = merge(&world, &item, changes.clone()).await.unwrap();
            assert_eq!((after.item, merged_from), (before.clone(), None), "{changes:?}");
            assert_eq!(after.content.as_deref(), Some(THEIRS));
        }
        assert_eq!(world.history(&item).len(), 2);
    }
}

#[tokio::test]
async fn what_is_not_stale_is_written_as_ever() {
    let world = World::new().await;
    for item in items(&world, BASE, "fresh").await {
        let Updated { after, merged_from } = merge(&world, &item, content(OURS)).await.unwrap();
        assert_eq!((after.content.as_deref(), merged_from), (Some(OURS), None));
        // Archiving makes no version.
        world.interline.archive(&world.owner, &by_id(&item), ExpectedVersion::Any).await.unwrap();
        let again = merge_at(&world, &item, 2, content(BASE)).await.unwrap();
        assert_eq!((again.after.item.stamp.version, again.merged_from), (3, None));
        assert_eq!(merged_in_history(&world, &item).await, [None; 4]);
    }
}

#[tokio::test]
async fn no_content_is_an_empty_text() {
    let world = World::new().await;
    let cleared = || ItemChanges { content: FieldChange::Clear, ..ItemChanges::default() };
    // The content at first, then, and as it was sent; then what is stored, or that it is a conflict.
    for (base, theirs, ours, stored) in [
        (None, None, Some("new"), Ok(Some("new"))),
        (None, Some("theirs\n"), None, Ok(Some("theirs\n"))),
        (None, Some("theirs\n"), Some("theirs\n"), Ok(Some("theirs\n"))),
        (None, Some("theirs\n"), Some("ours\n"), Err("conflict")),
        (Some("x\n"), Some("x\n"), None, Ok(None)),
        (Some("x\n"), None, Some("x\n"), Ok(None)),
        (Some("x\n"), None, Some("y\n"), Err("conflict")),
        (Some("x\n"), Some("y\n"), None, Err("conflict")),
        (Some("x\n"), None, Some(""), Ok(None)),
        (None, None, Some(""), Ok(None)),
    ] {
        let item = world.create(Kind::Note, ItemDraft { content: base.map(str::to_owned), ..note("Plan") }).await;
        let change = |text: Option<&str>| text.map_or_else(cleared, content);
        world.update(&item, ItemChanges { description: to("d"), ..change(theirs) }).await.unwrap();
        let case = format!("{base:?} {theirs:?} {ours:?}");
        match (merge(&world, &item, change(ours)).await, stored) {
            (Ok(merged), Ok(stored)) => {
                assert_eq!(merged.after.content.as_deref(), stored, "{case}");
                assert_eq!(world.text(&item).await.as_deref(), stored, "{case}");
                assert_eq!(merged.merged_from.is_some(), stored != theirs, "{case}");
            }
            (Err(error), Err(expected)) => assert_eq!(error.code(), expected, "{case}"),
            (outcome, _) => panic!("{case}: {outcome:?}"),
        }
    }
}

#[tokio::test]
async fn other_fields_are_applied_where_they_are_as_they_were() {
    let world = World::new().await;
    let with_content = |changes| ItemChanges { content: to(OURS), ..changes };
    let described = |description: &str| ItemChanges { description: to(description), ..ItemChanges::default() };
    // What they change, what we change, then the fields in which both are in conflict; else title, description and tags.
    for (theirs, ours, both, after) in [
        (title("Theirs"), described("ours"), &[][..], ("Theirs", Some("ours"), &["a"][..])),
        (title("Theirs"), title("Ours"), &["title"], ("", None, &[])),
        (title("Same"), title("Same"), &[], ("Same", None, &["a"])),
        (title("Theirs"), title("Plan"), &[], ("Theirs", None, &["a"])),
        (replace_tags(&["b"]), replace_tags(&["c"]), &["tags"], ("", None, &[])),
        (replace_tags(&["b"]), title("Ours"), &[], ("Ours", None, &["b"])),
        (retag(&["b"], &[]), retag(&["c"], &["a"]), &[], ("Plan", None, &["b", "c"])),
        (
            ItemChanges { description: to("theirs"), ..title("Theirs") },
            ItemChanges { description: to("ours"), ..title("Ours") },
            &["title", "description"],
            ("", None, &[]),
        ),
    ] {
        let item = world.create(Kind::Note, tagged(note_of(BASE), &["a"])).await;
        let case = format!("{theirs:?} {ours:?}");
        world.update(&item, ItemChanges { content: to(THEIRS), ..theirs }).await.unwrap();
        let outcome = merge(&world, &item, with_content(ours)).await;
        if both.is_empty() {
            let after_merge = outcome.unwrap().after;
            let fields = &after_merge.item.fields;
            let description = fields.description.as_ref().map(|description| description.as_str().to_owned());
            assert_eq!(fields.title.as_ref().unwrap().as_str(), after.0, "{case}");
            assert_eq!((description.as_deref(), &tags_of(&after_merge.item)[..]), (after.1, after.2), "{case}");
            assert_eq!(after_merge.content.as_deref(), Some(MERGED), "{case}");
        } else {
            assert!(outcome.as_ref().unwrap_err().to_string().contains(both[0]), "{case}");
            assert_eq!(both_changed(&world, &item, outcome).await, (both.to_vec(), Vec::new()), "{case}");
            assert_eq!(world.text(&item).await.as_deref(), Some(THEIRS), "{case}");
        }
    }
}

#[tokio::test]
async fn states_change_with_a_merge_or_not_at_all() {
    let world = World::new().await;
    let item = world.create(Kind::Note, note_of(BASE)).await;
    world.update(&item, content(THEIRS)).await.unwrap();
    let archived = |changes| ItemChanges { archive_state: Some(ArchiveState::Archived), ..changes };
    assert_eq!(code(merge(&world, &item, archived(content("x\n"))).await), "conflict");
    assert_eq!(View::from_item(&world.item(&item).await), View::Active);
    let merged = merge(&world, &item, archived(content(OURS))).await.unwrap();
    assert_eq!(View::from_item(&merged.after.item), View::Archived);
    assert_eq!(merged.merged_from, Some(MergedFrom { base: 1, theirs: 2 }));
    let from = Some(MergedFrom { base: 1, theirs: 2 });
    assert_eq!(merged_in_history(&world, &item).await, [None, None, from, None]);

    world.interline.delete(&world.owner, &by_id(&item), ExpectedVersion::Any).await.unwrap();
    assert_eq!(code(merge(&world, &item, content(OURS)).await), "not_found");
    let restored =
        ItemChanges { trash_state: Some(TrashState::Restored), ..content("0\none\ntwo\nthree\nfour\nfive\n") };
    assert_eq!(code(merge(&world, &item, restored).await), "conflict", "the first line is ours and theirs");
    let restored = ItemChanges { trash_state: Some(TrashState::Restored), ..content("one\ntwo\n3\nfour\nfive\n") };
    let restored = merge(&world, &item, restored).await.unwrap().after;
    assert_eq!(restored.content.as_deref(), Some("ONE\ntwo\n3\nfour\nFIVE\n"));
}

#[tokio::test]
async fn it_takes_a_content_and_a_version() {
    let world = World::new().await;
    let item = world.create(Kind::Note, note_of(BASE)).await;
    world.update(&item, content(THEIRS)).await.unwrap();
    for on_stale in [OnStale::Refuse, OnStale::Merge] {
        for (expected, changes, missing) in [
            (ExpectedVersion::Any, content("x"), &["expected_version"][..]),
            (ExpectedVersion::Existing, content("x"), &["expected_version"]),
            (at(1), title("x"), &["content"]),
            (ExpectedVersion::Any, title("x"), &["content", "expected_version"]),
        ] {
            let which = by_id(&item);
            let outcome = world.interline.update_or_merge(&world.owner, &which, expected, Some(on_stale), changes);
            assert_eq!(refused_fields(outcome.await), missing);
        }
    }
    let which = by_id(&item);
    let refused =
        world.interline.update_or_merge(&world.owner, &which, at(1), Some(OnStale::Refuse), content(OURS)).await;
    assert!(failure(&world, &item, refused).await.is_none());
    assert_eq!(refused_fields(merge(&world, &item, ItemChanges { content: to(OURS), ..title(" ") }).await), ["title"]);
    assert_eq!(world.history(&item).len(), 2);
}

#[tokio::test]
async fn a_base_that_history_does_not_have_is_a_plain_conflict() {
    let world = World::new().await;
    for item in items(&world, BASE, "forgotten").await {
        for text in [OURS, THEIRS, MERGED] {
            world.update(&item, content(text)).await.unwrap();
        }
        // One that was never there, and one that is forgotten.
        for version in [0, 5, u64::MAX] {
            assert!(matches!(
                merge_at(&world, &item, version, content("x")).await,
                Err(Error::Conflict { diff: None, merge: None, .. })
            ));
        }
        let keep = Upkeep { trash: None, history: None, events: None, history_records: Some(2) };
        world.interline.run_upkeep(keep).await.unwrap();
        assert!(failure(&world, &item, merge(&world, &item, content(OURS)).await).await.is_none());
        assert_eq!(merge_at(&world, &item, 3, content(THEIRS)).await.unwrap().after.item.stamp.version, 4);
    }
}

#[tokio::test]
async fn a_merged_prompt_is_checked_with_the_arguments_of_the_request_or_the_stored_ones() {
    let world = World::new().await;
    let base = "{{ a }}\n1\n2\n3\n{{ b }}\n";
    let block = "{% if a %}\n1\n2\n3\n4\n{% endif %}\n{{ b }}\n";
    let with = |content_text: &str, names: Option<&[&str]>| ItemChanges {
        arguments: names.map_or(FieldChange::Keep, |names| FieldChange::Set(arguments(names))),
        ..content(content_text)
    };
    // What they write and we write, with arguments or without; then the merged text, or the code of the refusal.
    for (number, (base, theirs, ours, outcome)) in [
        // The stored arguments fit.
        (
            base,
            with("{{ a }}\n1\n2\n3\n{{ c }}\n", Some(&["a", "c"])),
            with("{{ a }}!\n1\n2\n3\n{{ b }}\n", None),
            "ok",
        ),
        // Ours needs an argument that it brings.
        (
            base,
            with("{{ a }}\n1\n2\n3\n{{ b }}?\n", None),
            with("{{ d }}\n1\n2\n3\n{{ b }}\n", Some(&["d", "b"])),
            "ok",
        ),
        // Both change the arguments.
        (
            base,
            with("{{ a }}\n1\n2\n3\n{{ c }}\n", Some(&["a", "c"])),
            with("{{ d }}\n1\n2\n3\n{{ b }}\n", Some(&["d", "b"])),
            "arguments",
        ),
        // Theirs has dropped an argument that ours uses once more.
        (
            base,
            with("{{ a }}\n1\n2\n3\nend\n", Some(&["a"])),
            with("{{ a }}{{ b }}\n1\n2\n3\n{{ b }}\n", None),
            "invalid",
        ),
        // Theirs adds to a block that ours has taken away.
        (
            block,
            with("{% if a %}\n1\n2\n{% else %}\n3\n4\n{% endif %}\n{{ b }}\n", None),
            with("{{ a }}\n1\n2\n3\n4\n{{ b }}\n", None),
            "invalid",
        ),
        // What was sent is wrong by itself.
        (base, with("{{ a }}?\n1\n2\n3\n{{ b }}\n", None), with("{{ a }}\n1\n2\n3\n{{ b\n", None), "invalid_template"),
        (
            base,
            with("{{ a }}?\n1\n2\n3\n{{ b }}\n", None),
            with("{{ a }}\n1\n2\n3\n{{ z }}\n", None),
            "invalid_template",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let item = world.create(Kind::Prompt, prompt(&format!("p-{number}"), base, &["a", "b"])).await;
        world.update(&item, theirs).await.unwrap();
        let before = world.text(&item).await;
        let merged = merge(&world, &item, ours).await;
        match outcome {
            "ok" => assert!(merged.unwrap().merged_from.is_some(), "{number}"),
            "arguments" => assert_eq!(both_changed(&world, &item, merged).await.0, ["arguments"], "{number}"),
            "invalid" => {
                let refused = merged.as_ref().unwrap_err().to_string();
                assert!(
                    refused.contains("what comes of merging them is refused: the template is not valid"),
                    "{refused}"
                );
                let failed = failure(&world, &item, merged).await;
                assert!(matches!(failed, Some(FailedMerge::Invalid(Error::InvalidTemplate { .. }))), "{failed:?}");
            }
            refused => assert_eq!(code(merged), refused, "{number}"),
        }
        if outcome != "ok" {
            assert_eq!(world.text(&item).await, before, "{number}");
        }
    }
}

#[tokio::test]
async fn a_merge_that_is_too_long_is_a_conflict() {
    let world = World::with_limits(Limits { content_bytes: 29, ..Limits::default() }).await;
    let item = world.create(Kind::Note, note_of("a\nb\nc\nd\n")).await;
    world.update(&item, content("a\nb\nc\nd 0123456789\n")).await.unwrap();
    let outcome = merge(&world, &item, content("a 0123456789\nb\nc\nd\n")).await;
    let failed = failure(&world, &item, outcome).await;
    assert!(matches!(failed, Some(FailedMerge::Invalid(Error::TooLarge { limit: 29, actual: 30 }))), "{failed:?}");
    let outcome = merge(&world, &item, content(&"x".repeat(31))).await;
    assert_eq!(code(outcome), "too_large");
    assert!(merge(&world, &item, content("a 01234567\nb\nc\nd\n")).await.unwrap().merged_from.is_some());
}

#[tokio::test]
async fn long_texts_are_merged_and_hold_nobody_up() {
    let world = World::new().await;
    let lines = |changed: &[usize], word: &str| {
        let line = |line: usize| if changed.contains(&line) { format!("{word}\n") } else { format!("line {line}\n") };
        (0..60_000).map(line).collect::<String>()
    };
    let item = world.create(Kind::Note, note_of(&lines(&[], ""))).await;
    world.update(&item, content(&lines(&[0, 30_000, 59_999], "theirs"))).await.unwrap();
    let before = world.item(&item).await;
    let reads = async {
        for _ in 0..10 {
            assert_eq!(world.item(&item).await, before);
        }
    };
    // On one thread, and the merge is looked after first. It goes on without its caller.
    tokio::select! {
        biased;
        merged = merge(&world, &item, content(&lines(&[0], "ours"))) => panic!("{merged:?}"),
        () = reads => {}
    }
    let merged = merge(&world, &item, content(&lines(&[5, 40_000], "ours"))).await.unwrap();
    let text = merged.after.content.unwrap();
    assert_eq!((text.matches("ours\n").count(), text.matches("theirs\n").count()), (2, 3));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn of_many_writers_and_mergers_at_once_nothing_is_lost() {
    const WRITERS: usize = 20;
    let world = World::new().await;
    let base: String = (0..WRITERS * 2).map(|line| format!("<{line}>\nkept {line}\n")).collect();
    for item in items(&world, &base, "many").await {
        let mut tasks: JoinSet<Result<(), Error>> = JoinSet::new();
        for number in 0..WRITERS {
            let (interline, owner, which) = (world.interline.clone(), world.owner.clone(), by_id(&item));
            let old_str = format!("<{number}>");
            let new_str = format!("({number})");
            tasks.spawn(async move {
                let change = TextChange::Replace(PassageChange { old_str, new_str, expected_matches: 1 });
                interline.edit(&owner, &which, EditRequest::new(change)).await.map(drop)
            });
            let (interline, owner, which) = (world.interline.clone(), world.owner.clone(), by_id(&item));
            let number = number + WRITERS;
            let changes = content(&base.replace(&format!("<{number}>"), &format!("({number})")));
            tasks.spawn(async move {
                interline.update_or_merge(&owner, &which, at(1), Some(OnStale::Merge), changes).await.map(drop)
            });
        }
        assert_eq!(tasks.join_all().await.into_iter().map(code).collect::<Vec<_>>(), ["ok"; WRITERS * 2]);
        assert_eq!(world.text(&item).await, Some(base.replace('<', "(").replace('>', ")")));
        assert_eq!(world.history(&item).len(), 1 + WRITERS * 2);
        let merged = merged_in_history(&world, &item).await;
        for (index, merged_from) in merged.iter().enumerate() {
            let theirs = index as u64;
            assert!(merged_from.is_none_or(|from| from == MergedFrom { base: 1, theirs }), "{merged:?}");
        }
        assert!(merged.iter().flatten().count() >= WRITERS - 1, "only the first change may be no merge");
    }
}
