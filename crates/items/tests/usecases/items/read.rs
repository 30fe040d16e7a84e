//! `read`.

use interline_items::{Error, ExpectedVersion, ItemId, ItemRef, Kind, LineRange, ReadContent};

use crate::samples::{bookmark, by_name, greeting, note, note_of, text};
use crate::world::{World, by_id, code};

fn lines(start: Option<u64>, end: Option<u64>) -> ReadContent {
    ReadContent::Lines(LineRange { start, end })
}

#[tokio::test]
async fn lines_are_read_as_the_contract_says() {
    let world = World::new().await;
    let three = "a\r\nb \nc";
    for (content, start, end, read) in [
        (three, None, None, (three, 1, 3)),
        (three, Some(2), None, ("b \nc", 2, 3)),
        (three, None, Some(1), ("a\r", 1, 1)),
        (three, Some(2), Some(2), ("b ", 2, 2)),
        (three, Some(3), Some(3), ("c", 3, 3)),
        (three, Some(2), Some(99), ("b \nc", 2, 3)),
        (three, None, Some(u64::MAX), (three, 1, 3)),
        ("a\n", None, None, ("a\n", 1, 2)),
        ("a\n", Some(2), None, ("", 2, 2)),
        ("", None, None, ("", 1, 1)),
        ("", Some(1), Some(5), ("", 1, 1)),
        ("", Some(1), Some(1), ("", 1, 1)),
    ] {
        let item = world.create(Kind::Note, note_of(content)).await;
        let read_item = world.read(&item, lines(start, end)).await.unwrap();
        let part = read_item.part.unwrap();
        assert_eq!((&*part.text, part.start_line, part.end_line), read, "{content:?} {start:?}..={end:?}");
        assert_eq!(read_item.item, item, "the rest is that of the whole");
    }
}

#[tokio::test]
async fn impossible_lines_are_refused_with_their_number() {
    let world = World::new().await;
    for (content, start, end, total) in [
        ("a\nb\nc", Some(4), None, 3),
        ("a\nb\nc", Some(4), Some(9), 3),
        ("a\nb\nc", Some(3), Some(2), 3),
        ("a\nb\nc", Some(u64::MAX), None, 3),
        ("a\nb\nc", Some(0), None, 3),
        ("a\nb\nc", None, Some(0), 3),
        ("a\n", Some(3), None, 2),
        ("", Some(2), None, 1),
    ] {
        let item = world.create(Kind::Note, note_of(content)).await;
        match world.read(&item, lines(start, end)).await {
            Err(Error::InvalidLines { total_lines }) => assert_eq!(total_lines, total),
            other => panic!("{content:?} {start:?}..={end:?}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn no_content_has_no_lines_and_is_not_an_empty_one() {
    let world = World::new().await;
    let item = world.create(Kind::Note, note("a")).await;
    assert_eq!(world.read(&item, ReadContent::Whole).await.unwrap().part, None);
    assert_eq!(item.content, None);
    for range in [lines(None, None), lines(Some(1), None), lines(None, Some(1))] {
        let error = world.read(&item, range).await.unwrap_err();
        assert_eq!(error.code(), "content_empty");
        assert_eq!(error.to_string(), "Content is empty; cannot retrieve lines");
    }
}

#[tokio::test]
async fn the_content_comes_when_asked_for() {
    let world = World::new().await;
    let long = "ä".repeat(501) + "\n";
    let item = world.create(Kind::Note, note_of(&long)).await;
    let without = world.read(&item, ReadContent::Omit).await.unwrap();
    assert_eq!(without.part, None);
    let info = without.item.content.unwrap();
    assert_eq!((info.characters, info.bytes, info.lines), (502, 1_003, 2));
    assert_eq!(info.preview, "ä".repeat(500));
    let part = world.read(&item, ReadContent::Whole).await.unwrap().part.unwrap();
    assert_eq!((&*part.text, part.start_line, part.end_line), (long.as_str(), 1, 2));
}

#[tokio::test]
async fn an_item_is_found_by_its_id_and_kind_and_a_prompt_by_its_name() {
    let world = World::new().await;
    let note = world.create(Kind::Note, note("a")).await;
    let prompt = world.create(Kind::Prompt, greeting()).await;
    for (which, outcome) in [
        (ItemRef::Id(note.id, None), "ok"),
        (ItemRef::Id(note.id, Some(Kind::Note)), "ok"),
        (ItemRef::Id(note.id, Some(Kind::Prompt)), "not_found"),
        (ItemRef::Id(prompt.id, Some(Kind::Prompt)), "ok"),
        (ItemRef::Id(ItemId::generate(), None), "not_found"),
        (by_name("greet"), "ok"),
        (by_name("other"), "not_found"),
    ] {
        for content in [ReadContent::Omit, ReadContent::Whole] {
            assert_eq!(code(world.interline.read(&world.owner, &which, content).await), outcome, "{which:?}");
        }
    }
}

#[tokio::test]
async fn a_name_leads_to_the_prompt_that_has_it_now() {
    let world = World::new().await;
    let (interline, owner) = (&world.interline, &world.owner);
    let first = world.create(Kind::Prompt, greeting()).await;
    interline.archive(owner, &by_name("greet"), ExpectedVersion::Any).await.unwrap();
    assert_eq!(code(interline.read(owner, &by_name("greet"), ReadContent::Whole).await), "ok");
    interline.delete(owner, &by_name("greet"), ExpectedVersion::Any).await.unwrap();
    assert_eq!(code(interline.read(owner, &by_name("greet"), ReadContent::Whole).await), "not_found");
    let second = world.create(Kind::Prompt, greeting()).await;
    assert_ne!(first.id, second.id);
    assert_eq!(interline.read(owner, &by_name("greet"), ReadContent::Omit).await.unwrap().item.id, second.id);
}

#[tokio::test]
async fn reading_writes_nothing() {
    let world = World::new().await;
    let draft = interline_items::ItemDraft { content: text("x"), ..bookmark("https://a.example/") };
    let item = world.create(Kind::Bookmark, draft).await;
    for content in [ReadContent::Omit, ReadContent::Whole, lines(Some(1), None)] {
        world.interline.read(&world.owner, &by_id(&item), content).await.unwrap();
    }
    assert_eq!(world.item(&item).await, item);
    assert_eq!(world.history(&item).len(), 1);
}

#[tokio::test]
async fn the_state_of_an_item_tells_whether_it_changed() {
    let world = World::new().await;
    let (interline, owner) = (&world.interline, &world.owner);
    let item = world.create(Kind::Prompt, greeting()).await;
    for which in [by_id(&item), by_name("greet")] {
        assert_eq!(interline.state(owner, &which).await.unwrap().stamp, item.stamp);
    }
    interline.archive(owner, &by_id(&item), ExpectedVersion::Any).await.unwrap();
    let archived = interline.state(owner, &by_id(&item)).await.unwrap().stamp;
    assert_ne!(archived, item.stamp, "a step of its life is another state");
    interline.track_usage(owner, &by_id(&item), ExpectedVersion::Any).await.unwrap();
    let used = interline.state(owner, &by_id(&item)).await.unwrap();
    assert_eq!((used.stamp, used.last_used_at), (archived, world.item(&item).await.last_used_at));
    let stranger = world.user("other", interline_items::Rank::Member).await;
    for which in [by_id(&item), by_name("greet")] {
        assert_eq!(code(interline.state(&stranger, &which).await), "not_found");
    }
    let of_another_kind = ItemRef::Id(item.id, Some(Kind::Note));
    assert_eq!(code(interline.state(owner, &of_another_kind).await), "not_found");
}
