//! Histories: listing changes, reading, comparing and restoring versions.

use interline_items::{
    EditRequest, Error, Expectation, ExpectedVersion, FieldChange, HistoryQuery, HistoryRecord, Item, ItemChanges,
    Kind, LineRange, PassageChange, Rank, ReadContent, Scope, Stamp, TextChange, TokenDraft, View,
};

use crate::samples::{arguments, bookmark, content, greeting, note, note_of, retag, tagged, title, to, token};
use crate::world::{World, by_id, code, set};

fn replace(old_str: &str, new_str: &str) -> EditRequest {
    let (old_str, new_str) = (old_str.to_owned(), new_str.to_owned());
    EditRequest::new(TextChange::Replace(PassageChange { old_str, new_str, expected_matches: 1 }))
}

const ALL: HistoryQuery = HistoryQuery { offset: 0, limit: 100 };

/// An item of four versions, with a step of its life between them: its content is `a`, `a`, `a\nb`, none.
async fn eventful(world: &World) -> Item {
    let (interline, owner) = (&world.interline, &world.owner);
    let item = world.create(Kind::Note, tagged(note_of("a"), &["x"])).await;
    world.update(&item, title("Second")).await.unwrap();
    interline.archive(owner, &by_id(&item), ExpectedVersion::Any).await.unwrap();
    interline.edit(owner, &by_id(&item), replace("a", "a\nb")).await.unwrap();
    let cleared = ItemChanges { content: FieldChange::Clear, ..retag(&["y"], &["x"]) };
    world.update(&item, cleared).await.unwrap().item
}

#[tokio::test]
async fn every_change_is_listed_newest_first() {
    let world = World::new().await;
    let item = eventful(&world).await;
    let page = world.interline.history(&world.owner, &by_id(&item), ALL).await.unwrap();
    let summary = |record: &HistoryRecord| {
        let size = record.content.map(|content| content.characters);
        (record.version, record.action.name(), record.changed_fields.join(","), size)
    };
    let summaries: Vec<_> = page.records.iter().map(summary).collect();
    assert_eq!(
        summaries,
        [
            (Some(4), "update", "tags,content".to_owned(), None),
            (Some(3), "update", "content".to_owned(), Some(3)),
            (None, "archive", String::new(), Some(1)),
            (Some(2), "update", "title".to_owned(), Some(1)),
            (Some(1), "create", "title,tags,content".to_owned(), Some(1)),
        ]
    );
    assert_eq!(page.total, 5);
    let first = &page.records[4];
    assert_eq!(
        (first.user.id, first.user.name.as_deref(), first.source.name()),
        (world.owner.user(), Some("owner"), "rest")
    );
    assert_eq!(first.token.as_ref().and_then(|token| token.name.as_deref()), Some("first"));
    let second =
        world.interline.history(&world.owner, &by_id(&item), HistoryQuery { offset: 1, limit: 2 }).await.unwrap();
    assert_eq!((second.records.as_slice(), second.total), (&page.records[1..3], 5));
    for query in
        [HistoryQuery { limit: 0, ..ALL }, HistoryQuery { limit: 101, ..ALL }, HistoryQuery { offset: u64::MAX, ..ALL }]
    {
        let refused = world.interline.history(&world.owner, &by_id(&item), query).await;
        assert_eq!(code(refused), "invalid_parameters");
    }
}

#[tokio::test]
async fn every_version_is_read_as_it_was() {
    let world = World::new().await;
    let item = eventful(&world).await;
    let read = async |number, content| world.interline.read_version(&world.owner, &by_id(&item), number, content).await;
    for (number, title, tag, text) in [
        (1, "Plan", "x", Some("a")),
        (2, "Second", "x", Some("a")),
        (3, "Second", "x", Some("a\nb")),
        (4, "Second", "y", None),
    ] {
        let version = read(number, ReadContent::Whole).await.unwrap();
        assert_eq!((version.item.id, version.item.stamp.version), (item.id, number));
        assert_eq!(version.item.fields.title.as_ref().unwrap().as_str(), title);
        assert_eq!(crate::world::tags_of(&version.item), [tag]);
        assert_eq!(version.part.as_ref().map(|part| &*part.text), text);
        assert_eq!(version.item.content.as_ref().map(|info| info.bytes), text.map(|text| text.len() as u64));
        assert_eq!((View::from_item(&version.item), version.item.created_at), (View::Active, item.created_at));
        assert!(version.item.updated_at <= item.updated_at);
        assert_eq!(read(number, ReadContent::Omit).await.unwrap().part, None);
    }
    let lines = |start, end| ReadContent::Lines(LineRange { start: Some(start), end: Some(end) });
    let second_line = read(3, lines(2, 9)).await.unwrap().part.unwrap();
    assert_eq!((&*second_line.text, second_line.start_line, second_line.end_line), ("b", 2, 2));
    assert_eq!(code(read(3, lines(3, 3)).await), "invalid_lines");
    assert_eq!(code(read(4, lines(1, 1)).await), "content_empty");
    for number in [0, 5, u64::MAX] {
        match read(number, ReadContent::Whole).await {
            Err(error @ Error::VersionNotFound { version, current: 4, .. }) => {
                assert_eq!((version, error.code()), (number, "not_found"));
                assert_eq!(error.to_string(), format!("there is no version {number} of note {}", item.id));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn any_two_versions_are_compared() {
    let world = World::new().await;
    let item = eventful(&world).await;
    let compare = async |to, from| world.interline.compare_versions(&world.owner, &by_id(&item), to, from).await;
    let added = "--- a/content\n+++ b/content\n@@ -1 +1,2 @@\n-a\n\\ No newline at end of file\n+a\n+b\n\\ No newline at end of file\n";
    let cases: [(u64, Option<u64>, u64, &[&str]); 8] = [
        (1, None, 0, &["title", "tags", "content"]),
        (2, None, 1, &["title"]),
        (3, None, 2, &["content"]),
        (4, None, 3, &["tags", "content"]),
        (4, Some(1), 1, &["title", "tags", "content"]),
        (1, Some(4), 4, &["title", "tags", "content"]),
        (2, Some(2), 2, &[]),
        (3, Some(0), 0, &["title", "tags", "content"]),
    ];
    for (to, requested_from, from, fields) in cases {
        let difference = compare(to, requested_from).await.unwrap();
        assert_eq!((difference.from, difference.to, difference.changed_fields.as_slice()), (from, to, fields));
        assert_eq!(difference.diff.text.is_empty(), !fields.contains(&"content"), "{to} {requested_from:?}");
    }
    assert_eq!(compare(3, None).await.unwrap().diff.text, added);
    for (to, from) in [(0, None), (5, None), (u64::MAX, Some(1)), (1, Some(5)), (1, Some(u64::MAX))] {
        assert_eq!(code(compare(to, from).await), "not_found", "{to} {from:?}");
    }
}

#[tokio::test]
async fn a_version_is_restored_as_a_new_one() {
    let world = World::new().await;
    let (interline, owner) = (&world.interline, &world.owner);
    let item = eventful(&world).await;
    let restore = async |number| interline.restore_version(owner, &by_id(&item), number, ExpectedVersion::Any).await;
    let unchanged = restore(4).await.unwrap();
    assert_eq!(unchanged.item, item);
    assert_eq!(world.history(&item).len(), 5);
    for (number, version, fields) in
        [(1, 5, r#"["title","tags","content"]"#), (3, 6, r#"["title","content"]"#), (4, 7, r#"["tags","content"]"#)]
    {
        let restored = restore(number).await.unwrap();
        assert_eq!(restored.item.stamp, Stamp { version, revision: 1 });
        assert_eq!(restored.item, world.item(&item).await);
        let was = interline.read_version(owner, &by_id(&item), number, ReadContent::Whole).await.unwrap();
        assert_eq!((&restored.item.fields, &restored.item.content), (&was.item.fields, &was.item.content));
        assert_eq!(world.text(&item).await, was.part.map(|part| part.text.to_string()));
        let history = world.history(&item);
        let last = history.last().unwrap();
        assert_eq!(
            (last.action.as_str(), last.version, last.changed_fields.as_str()),
            ("restore", Some(version), fields)
        );
    }
    for number in [0, 8, u64::MAX] {
        assert_eq!(code(restore(number).await), "not_found");
    }
    let expected = ExpectedVersion::Exactly(6, Expectation::ExpectedVersion);
    assert_eq!(code(interline.restore_version(owner, &by_id(&item), 1, expected).await), "conflict");
}

#[tokio::test]
async fn a_prompt_comes_back_with_its_arguments() {
    let world = World::new().await;
    let item = world.create(Kind::Prompt, greeting()).await;
    let changes = ItemChanges { arguments: FieldChange::Set(arguments(&["whom"])), ..content("Hi {{ whom }}") };
    world.update(&item, changes).await.unwrap();
    let restored = world.interline.restore_version(&world.owner, &by_id(&item), 1, ExpectedVersion::Any).await.unwrap();
    assert_eq!(restored.content.as_deref(), Some("Hello {{ who }}"));
    assert_eq!(restored.item.fields, item.fields);
}

#[tokio::test]
async fn restoring_a_taken_address_or_name_is_refused() {
    let world = World::new().await;
    let (interline, owner) = (&world.interline, &world.owner);
    let site = bookmark("https://a.example/");
    let moved = ItemChanges { url: to("https://b.example/"), ..ItemChanges::default() };
    let renamed = ItemChanges { name: to("other"), ..ItemChanges::default() };
    for (kind, draft, changes, field) in
        [(Kind::Bookmark, site, moved, "url"), (Kind::Prompt, greeting(), renamed, "name")]
    {
        let item = world.create(kind, draft.clone()).await;
        let changed = world.update(&item, changes).await.unwrap().item;
        let taker = world.create(kind, draft).await;
        match interline.restore_version(owner, &by_id(&item), 1, ExpectedVersion::Any).await {
            Err(Error::Duplicate { field: taken, existing }) => {
                assert_eq!((taken.name(), existing.id), (field, taker.id));
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(world.item(&item).await, changed);
        interline.delete(owner, &by_id(&taker), ExpectedVersion::Any).await.unwrap();
        let restored = interline.restore_version(owner, &by_id(&item), 1, ExpectedVersion::Any).await.unwrap();
        assert_eq!(restored.item.fields, item.fields);
    }
}

#[tokio::test]
async fn the_history_of_a_deleted_item_is_read_but_not_restored() {
    let world = World::new().await;
    let (interline, owner) = (&world.interline, &world.owner);
    let item = eventful(&world).await;
    interline.delete(owner, &by_id(&item), ExpectedVersion::Any).await.unwrap();
    assert_eq!(interline.history(owner, &by_id(&item), ALL).await.unwrap().total, 6);
    assert_eq!(code(interline.read_version(owner, &by_id(&item), 1, ReadContent::Whole).await), "ok");
    assert_eq!(code(interline.compare_versions(owner, &by_id(&item), 2, None).await), "ok");
    let refused = interline.restore_version(owner, &by_id(&item), 1, ExpectedVersion::Any).await;
    assert_eq!(code(refused), "not_found");
    interline.purge(owner, &by_id(&item), ExpectedVersion::Any).await.unwrap();
    assert_eq!(code(interline.history(owner, &by_id(&item), ALL).await), "not_found");
    assert_eq!(code(interline.read_version(owner, &by_id(&item), 1, ReadContent::Whole).await), "not_found");
}

#[tokio::test]
async fn a_caller_that_does_not_see_the_item_sees_no_history_of_it() {
    let world = World::new().await;
    let interline = &world.interline;
    let item = world.create(Kind::Note, note("a")).await;
    let stranger = world.user("other", Rank::Admin).await;
    let writer = world.narrowed(TokenDraft { scopes: Some(set([Scope::Write])), ..token() }).await;
    let reader = world.narrowed(TokenDraft { scopes: Some(set([Scope::Read])), ..token() }).await;
    for (caller, reading, restoring) in
        [(&stranger, "not_found", "not_found"), (&writer, "forbidden", "forbidden"), (&reader, "ok", "forbidden")]
    {
        let which = by_id(&item);
        assert_eq!(code(interline.history(caller, &which, ALL).await), reading);
        assert_eq!(code(interline.read_version(caller, &which, 1, ReadContent::Omit).await), reading);
        assert_eq!(code(interline.compare_versions(caller, &which, 1, None).await), reading);
        assert_eq!(code(interline.restore_version(caller, &which, 1, ExpectedVersion::Any).await), restoring);
    }
}

#[tokio::test]
async fn a_conflict_has_the_diff_since_the_expected_version() {
    let world = World::new().await;
    let (interline, owner) = (&world.interline, &world.owner);
    let item = world.create(Kind::Note, note_of("a\nb\nc\n")).await;
    interline.edit(owner, &by_id(&item), replace("b", "B")).await.unwrap();
    interline.edit(owner, &by_id(&item), replace("c", "C")).await.unwrap();
    let expecting = |version| ExpectedVersion::Exactly(version, Expectation::ExpectedVersion);
    let diff_of = |error| match error {
        Err::<(), _>(Error::Conflict { diff, .. }) => diff,
        other => panic!("{other:?}"),
    };
    let which = by_id(&item);
    for version in [1, 2] {
        let since = interline.compare_versions(owner, &which, 3, Some(version)).await.unwrap().diff;
        assert!(since.text.contains("+C"));
        let edit = EditRequest { expected: expecting(version), ..replace("C", "d") };
        let edit = interline.edit(owner, &which, edit).await.map(|_| ());
        let update = interline.update(owner, &which, expecting(version), title("x")).await.map(|_| ());
        let archive = interline.archive(owner, &which, expecting(version)).await.map(|_| ());
        let purge = interline.purge(owner, &which, expecting(version)).await;
        for refused in [edit, update, archive, purge] {
            assert_eq!(diff_of(refused), Some(since.clone()), "{version}");
        }
    }
    for unknown in [0, 4, u64::MAX] {
        assert_eq!(diff_of(interline.update(owner, &which, expecting(unknown), title("x")).await.map(|_| ())), None);
    }
    let long = "0123456789 abcdefghij\n".repeat(10_000);
    world.update(&item, content(&long)).await.unwrap();
    let cut = diff_of(interline.update(owner, &which, expecting(1), title("x")).await.map(|_| ())).unwrap();
    assert!(cut.truncated && cut.text.len() <= 24 * 1024);
    assert!(cut.text.contains("\n+0123456789 abcdefghij\n+0123"), "the first lines are shown: {}", cut.text);
}
