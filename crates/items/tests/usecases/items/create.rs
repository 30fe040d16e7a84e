//! Making new items.

use interline_items::fields::{Limits, Title};
use interline_items::{Error, ExpectedVersion, ItemDraft, Kind, Stamp, View};

use crate::samples::{arguments, bookmark, greeting, note, note_of, prompt, tagged, text};
use crate::world::{World, by_id, code, refused_fields, tags_of};

#[tokio::test]
async fn each_kind_takes_its_fields_and_refuses_those_of_others() {
    let world = World::new().await;
    let site = || bookmark("https://a.example/");
    let cases: [(Kind, ItemDraft, &[&str]); 20] = [
        (Kind::Note, ItemDraft::default(), &["title"]),
        (Kind::Note, note(""), &["title"]),
        (Kind::Note, note(" \t\u{a0}"), &["title"]),
        (Kind::Note, note("a\0"), &["title"]),
        (Kind::Note, note(&"x".repeat(501)), &["title"]),
        (Kind::Note, ItemDraft { url: text("https://a.example/"), ..note("a") }, &["url"]),
        (Kind::Note, ItemDraft { name: text("a"), ..note("a") }, &["name"]),
        (Kind::Note, ItemDraft { arguments: Some(Vec::new()), ..note("a") }, &["arguments"]),
        (Kind::Note, ItemDraft { description: text(&"x".repeat(4_001)), ..note("a") }, &["description"]),
        (Kind::Note, note_of("a\0b"), &["content"]),
        (Kind::Note, tagged(note("a"), &["ok", "not ok"]), &["tags[1]"]),
        (Kind::Bookmark, ItemDraft::default(), &["url"]),
        (Kind::Bookmark, bookmark("ftp://a.example/"), &["url"]),
        (Kind::Bookmark, ItemDraft { name: text("a"), ..site() }, &["name"]),
        (Kind::Bookmark, ItemDraft { arguments: Some(arguments(&["a"])), ..site() }, &["arguments"]),
        (Kind::Prompt, ItemDraft::default(), &["name", "content"]),
        (Kind::Prompt, ItemDraft { content: None, ..greeting() }, &["content"]),
        (Kind::Prompt, prompt("Not A Name", "x", &[]), &["name"]),
        (Kind::Prompt, prompt("a", "{{ B }}", &["B"]), &["arguments[0].name"]),
        (Kind::Prompt, ItemDraft { url: text("https://a.example/"), ..greeting() }, &["url"]),
    ];
    for (kind, draft, fields) in cases {
        let outcome = world.interline.create(&world.owner, kind, draft.clone()).await;
        assert_eq!(refused_fields(outcome), fields, "{kind} {draft:?}");
    }
}

#[tokio::test]
async fn what_a_kind_may_have_is_kept_as_it_was_given() {
    let world = World::new().await;
    for (kind, draft) in [
        (Kind::Note, note(" Plan ")),
        (Kind::Note, note(&"ä".repeat(500))),
        (Kind::Note, note_of("a\r\nb \n\n")),
        (Kind::Note, note_of("")),
        (Kind::Bookmark, bookmark("https://a.example/")),
        (Kind::Bookmark, ItemDraft { title: text(""), description: text(""), ..bookmark("https://b.example/") }),
        (Kind::Prompt, ItemDraft { title: text("Hi"), ..greeting() }),
        (Kind::Prompt, ItemDraft { name: text("plain"), content: text("no variables"), ..ItemDraft::default() }),
    ] {
        let made = world.interline.create(&world.owner, kind, draft.clone()).await.unwrap();
        let stored = world.item(&made.item).await;
        assert_eq!(stored, made.item);
        assert_eq!((stored.kind, stored.stamp), (kind, Stamp { version: 1, revision: 0 }));
        assert_eq!(
            (View::from_item(&stored), stored.created_at, stored.last_used_at),
            (View::Active, stored.updated_at, None)
        );
        assert_eq!(stored.fields.title.as_ref().map(Title::as_str), draft.title.as_deref());
        assert_eq!(world.text(&stored).await, draft.content);
        assert_eq!(made.content.as_deref(), draft.content.as_deref());
    }
}

#[tokio::test]
async fn all_errors_of_fields_come_at_once() {
    let world = World::new().await;
    let draft = ItemDraft {
        title: text("\0"),
        description: text("\0"),
        tags: vec!["#".to_owned()],
        url: text("https://a.example/"),
        name: text("A"),
        arguments: Some(arguments(&["1"])),
        path: text("a.py"),
        front_matter: text("- no mapping"),
        content: text("\0"),
    };
    let outcome = world.interline.create(&world.owner, Kind::Prompt, draft).await;
    let all =
        ["title", "description", "tags[0]", "url", "name", "arguments[0].name", "path", "front_matter", "content"];
    assert_eq!(refused_fields(outcome), all);
}

#[tokio::test]
async fn a_content_is_measured_in_bytes() {
    let world = World::with_limits(Limits { content_bytes: 4, ..Limits::default() }).await;
    assert_eq!(code(world.interline.create(&world.owner, Kind::Note, note_of("ää")).await), "ok");
    match world.interline.create(&world.owner, Kind::Note, note_of("ääa")).await {
        Err(Error::TooLarge { limit: 4, actual: 5 }) => {}
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn tags_and_addresses_are_normalised() {
    let world = World::new().await;
    let item =
        world.create(Kind::Bookmark, tagged(bookmark("HTTPS://A.example:443"), &[" Rust", "rust", "E\u{301}"])).await;
    assert_eq!(tags_of(&item), ["rust", "é"]);
    assert_eq!(item.fields.url.as_ref().unwrap().as_str(), "https://a.example/");
}

#[tokio::test]
async fn a_template_must_be_valid_and_fit_its_arguments() {
    let world = World::new().await;
    for (source, arguments, at, undefined, unused) in [
        ("", &[][..], None, &[][..], &[][..]),
        (" \n", &[], None, &[], &[]),
        ("a\n{{ b", &[], Some(2), &[], &[]),
        ("{{ a|nope }}", &["a"], Some(1), &[], &[]),
        ("{{ a is nope }}", &["a"], Some(1), &[], &[]),
        ("{{ a }}{{ c }}{{ b }}", &["a"], None, &["b", "c"], &[]),
        ("{{ a }}", &["c", "a", "b"], None, &[], &["b", "c"]),
        ("{{ a }}", &["b"], None, &["a"], &["b"]),
    ] {
        match world.interline.create(&world.owner, Kind::Prompt, prompt("p", source, arguments)).await {
            Err(Error::InvalidTemplate { line, undefined_variables, unused_arguments, .. }) => {
                assert_eq!(line, at, "{source}");
                assert_eq!(undefined_variables, undefined, "{source}");
                assert_eq!(unused_arguments, unused, "{source}");
            }
            other => panic!("{source}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn an_address_or_name_is_taken_until_its_item_is_deleted() {
    let world = World::new().await;
    let (interline, owner) = (&world.interline, &world.owner);
    for (kind, draft, field) in
        [(Kind::Bookmark, bookmark("https://a.example/"), "url"), (Kind::Prompt, greeting(), "name")]
    {
        let first = world.create(kind, draft.clone()).await;
        let assert_taken = async |view| match interline.create(owner, kind, draft.clone()).await {
            Err(Error::Duplicate { field: taken, existing }) => {
                assert_eq!((taken.name(), existing.id, View::from_item(&existing)), (field, first.id, view));
            }
            other => panic!("{other:?}"),
        };
        assert_taken(View::Active).await;
        interline.archive(owner, &by_id(&first), ExpectedVersion::Any).await.unwrap();
        assert_taken(View::Archived).await;
        interline.delete(owner, &by_id(&first), ExpectedVersion::Any).await.unwrap();
        assert_eq!(code(interline.create(owner, kind, draft).await), "ok");
    }
}

#[tokio::test]
async fn history_begins_with_the_fields_that_were_given() {
    let world = World::new().await;
    for (kind, draft, fields) in [
        (Kind::Note, note("a"), r#"["title"]"#),
        (Kind::Note, tagged(note_of("x"), &["t"]), r#"["title","tags","content"]"#),
        (Kind::Bookmark, bookmark("https://a.example/"), r#"["url"]"#),
        (Kind::Prompt, greeting(), r#"["name","arguments","content"]"#),
    ] {
        let item = world.create(kind, draft).await;
        let history = world.history(&item);
        assert_eq!(history.len(), 1);
        assert_eq!((history[0].action.as_str(), history[0].version), ("create", Some(1)));
        assert_eq!((history[0].changed_fields.as_str(), history[0].source.as_str()), (fields, "rest"));
    }
}
