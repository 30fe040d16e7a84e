//! Listing, renaming and deleting a tag over all items.

use interline_items::{ExpectedVersion, Kind, TagCountFilter, TokenDraft, View};

use crate::samples::{bookmark, greeting, note, tag, tagged, token};
use crate::world::{World, by_id, code, set, tags_of};

async fn counts(world: &World, caller: &interline_items::Caller) -> Vec<(String, u64)> {
    let tags = world.interline.tags(caller, &TagCountFilter::default()).await.unwrap();
    tags.into_iter().map(|(tag, count)| (tag.as_str().to_owned(), count)).collect()
}

fn counted(of: &[(&str, u64)]) -> Vec<(String, u64)> {
    of.iter().map(|(tag, count)| ((*tag).to_owned(), *count)).collect()
}

#[tokio::test]
async fn tags_are_counted_over_all_kinds_without_deleted_items() {
    let world = World::new().await;
    assert_eq!(counts(&world, &world.owner).await, []);
    world.create(Kind::Note, tagged(note("a"), &["b", "a"])).await;
    let site = world.create(Kind::Bookmark, tagged(bookmark("https://a.example/"), &["a"])).await;
    let prompt = world.create(Kind::Prompt, tagged(greeting(), &["a", "c"])).await;
    world.interline.archive(&world.owner, &by_id(&site), ExpectedVersion::Any).await.unwrap();
    assert_eq!(counts(&world, &world.owner).await, counted(&[("a", 3), ("b", 1), ("c", 1)]));
    world.interline.delete(&world.owner, &by_id(&prompt), ExpectedVersion::Any).await.unwrap();
    assert_eq!(counts(&world, &world.owner).await, counted(&[("a", 2), ("b", 1)]));
}

#[tokio::test]
async fn a_tag_is_renamed_everywhere_and_merged_where_the_new_one_is() {
    let world = World::new().await;
    let note = world.create(Kind::Note, tagged(note("a"), &["x", "old", "y"])).await;
    let site = world.create(Kind::Bookmark, tagged(bookmark("https://a.example/"), &["old", "x", "new"])).await;
    let prompt = world.create(Kind::Prompt, tagged(greeting(), &["other"])).await;
    let archived = world.create(Kind::Bookmark, tagged(bookmark("https://b.example/"), &["old"])).await;
    let deleted = world.create(Kind::Bookmark, tagged(bookmark("https://c.example/"), &["old"])).await;
    world.interline.archive(&world.owner, &by_id(&archived), ExpectedVersion::Any).await.unwrap();
    world.interline.delete(&world.owner, &by_id(&deleted), ExpectedVersion::Any).await.unwrap();

    assert_eq!(world.interline.rename_tag(&world.owner, &tag("old"), &tag("new")).await.unwrap(), 4);
    for (item, tags, version) in [
        (&note, &["x", "new", "y"][..], 2),
        (&site, &["new", "x"], 2),
        (&prompt, &["other"], 1),
        (&archived, &["new"], 2),
        (&deleted, &["new"], 2),
    ] {
        let now = world.item(item).await;
        assert_eq!((tags_of(&now), now.stamp.version), (tags.to_vec(), version), "{item:?}");
        assert_eq!(now.updated_at > item.updated_at, version == 2);
    }
    assert_eq!(View::from_item(&world.item(&archived).await), View::Archived);
    let history = world.history(&note);
    assert_eq!((history[1].action.as_str(), history[1].changed_fields.as_str()), ("update", r#"["tags"]"#));
    assert_eq!(code(world.interline.rename_tag(&world.owner, &tag("old"), &tag("new")).await), "not_found");
}

#[tokio::test]
async fn a_tag_renamed_to_itself_changes_nothing() {
    let world = World::new().await;
    let item = world.create(Kind::Note, tagged(note("a"), &["a"])).await;
    assert_eq!(world.interline.rename_tag(&world.owner, &tag("a"), &tag("A")).await.unwrap(), 0);
    assert_eq!(world.item(&item).await, item);
    assert_eq!(code(world.interline.rename_tag(&world.owner, &tag("b"), &tag("b")).await), "not_found");
}

#[tokio::test]
async fn a_deleted_tag_is_off_every_item() {
    let world = World::new().await;
    let note = world.create(Kind::Note, tagged(note("a"), &["a", "b"])).await;
    let prompt = world.create(Kind::Prompt, tagged(greeting(), &["b"])).await;
    assert_eq!(world.interline.delete_tag(&world.owner, &tag("b")).await.unwrap(), 2);
    assert_eq!(tags_of(&world.item(&note).await), ["a"]);
    assert_eq!(tags_of(&world.item(&prompt).await), [""; 0]);
    assert_eq!(counts(&world, &world.owner).await, counted(&[("a", 1)]));
    assert_eq!(code(world.interline.delete_tag(&world.owner, &tag("b")).await), "not_found");
}

#[tokio::test]
async fn tags_of_kinds_that_a_token_does_not_have_are_not_there_for_it() {
    let world = World::new().await;
    let note = world.create(Kind::Note, tagged(note("a"), &["both", "note"])).await;
    let prompt = world.create(Kind::Prompt, tagged(greeting(), &["both", "prompt"])).await;
    let notes = world.narrowed(TokenDraft { kinds: Some(set([Kind::Note])), ..token() }).await;
    assert_eq!(counts(&world, &notes).await, counted(&[("both", 1), ("note", 1)]));
    assert_eq!(world.interline.rename_tag(&notes, &tag("both"), &tag("new")).await.unwrap(), 1);
    assert_eq!(tags_of(&world.item(&note).await), ["new", "note"]);
    assert_eq!(world.item(&prompt).await, prompt);
    for hidden in ["both", "prompt"] {
        assert_eq!(code(world.interline.delete_tag(&notes, &tag(hidden)).await), "not_found");
        assert_eq!(code(world.interline.rename_tag(&notes, &tag(hidden), &tag(hidden)).await), "not_found");
    }
}
