//! Edits of templates, and of templates together with their arguments.

use interline_items::fields::Arguments;
use interline_items::{EditMode, EditRequest, Error, Item, Kind, TextChange};

use super::{delete, insert, lines, passage, replace, request, several};
use crate::samples::{arguments, bookmark, greeting, note_of};
use crate::world::{World, refused_fields};

fn with(names: &[&str], change: TextChange) -> EditRequest {
    EditRequest { arguments: Some(arguments(names)), ..EditRequest::new(change) }
}

fn alone(names: &[&str]) -> EditRequest {
    EditRequest { change: None, ..with(names, delete("x")) }
}

fn names(item: &Item) -> Vec<&str> {
    item.fields.arguments.iter().flat_map(Arguments::as_slice).map(|argument| argument.name.as_str()).collect()
}

#[tokio::test]
async fn text_and_arguments_change_together_by_every_edit() {
    let world = World::new().await;
    let patch = TextChange::Patch(vec![lines(1, 1, "Hello {{ who }}, {{ more }}")]);
    for change in [
        replace("{{ who }}", "{{ who }}, {{ more }}"),
        patch,
        insert(super::after("}}"), ", {{ more }}"),
        several([("}}", "}}, "), (", ", ", {{ more }}")]),
    ] {
        let item = world.create(Kind::Prompt, greeting()).await;
        // The text alone would use what no argument gives.
        let error = request(&world, &item, EditRequest::new(change.clone())).await.unwrap_err();
        match &error {
            Error::InvalidTemplate { line: None, undefined_variables, unused_arguments, .. } => {
                assert_eq!((undefined_variables.as_slice(), unused_arguments.len()), (&["more".to_owned()][..], 0));
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(error.to_string(), "the template is not valid: `more` has no argument");
        let edited = request(&world, &item, with(&["who", "more"], change.clone())).await.unwrap();
        assert_eq!(edited.after.content.as_deref(), Some("Hello {{ who }}, {{ more }}"), "{change:?}");
        assert_eq!(names(&edited.after.item), ["who", "more"]);
        assert_eq!(edited.after.item, world.item(&item).await);
        assert_eq!(world.history(&item)[1].changed_fields, r#"["arguments","content"]"#);
        world.interline.purge(&world.owner, &crate::world::by_id(&item), Default::default()).await.unwrap();
    }
}

#[tokio::test]
async fn arguments_may_come_alone() {
    let world = World::new().await;
    let item = world.create(Kind::Prompt, greeting()).await;
    let unchanged = request(&world, &item, alone(&["who"])).await.unwrap();
    assert_eq!(unchanged.after.item, item);
    let mut described = alone(&["who"]);
    described.arguments.as_mut().unwrap()[0].description = Some("whom to greet".to_owned());
    let edited = request(&world, &item, described).await.unwrap();
    assert_eq!((edited.match_type, edited.line, edited.count), (None, None, 0));
    assert!(edited.diff.text.is_empty());
    assert_eq!(edited.after.item.stamp.version, 2);
    assert_eq!(edited.after.item, world.item(&item).await);
    assert_eq!(world.history(&item)[1].changed_fields, r#"["arguments"]"#);
    assert_eq!(world.text(&item).await.as_deref(), Some("Hello {{ who }}"));
    let nothing = EditRequest { arguments: None, ..alone(&[]) };
    assert_eq!(refused_fields(request(&world, &item, nothing).await), ["arguments"]);
}

#[tokio::test]
async fn errors_come_in_the_order_of_the_contract() {
    let world = World::new().await;
    let item = world.create(Kind::Prompt, greeting()).await;
    // Each is wrong in all that follows, too.
    for (edit_request, code) in [
        (with(&["B", "B"], replace("zzz", "{{ broken")), "no_match"),
        (with(&["B", "B"], replace("Hello", "{{ broken")), "invalid_template"),
        (with(&["B", "B"], replace("Hello", "{{ other }}")), "validation_failed"),
        (with(&["b"], replace("Hello", "{{ other }}")), "invalid_template"),
        (alone(&["B"]), "validation_failed"),
        (alone(&[]), "invalid_template"),
        (alone(&["who", "unused"]), "invalid_template"),
        (EditRequest::new(replace("Hello {{ who }}", " ")), "invalid_template"),
        (EditRequest::new(delete("Hello {{ who }}")), "invalid_template"),
        (EditRequest::new(replace("{{ who }}", "{{ who|nope }}")), "invalid_template"),
    ] {
        for mode in [EditMode::Write, EditMode::DryRun] {
            let edit_request = EditRequest { mode, ..edit_request.clone() };
            assert_eq!(
                request(&world, &item, edit_request.clone()).await.unwrap_err().code(),
                code,
                "{edit_request:?}"
            );
        }
        assert_eq!(world.item(&item).await, item);
    }
    match request(&world, &item, EditRequest::new(replace("Hello ", "Hello\n{{ a | }}"))).await {
        Err(Error::InvalidTemplate { line: Some(2), .. }) => {}
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn only_the_last_text_of_several_must_be_a_template() {
    let world = World::new().await;
    let item = world.create(Kind::Prompt, greeting()).await;
    let edits = TextChange::Several(vec![passage("who }}", "who"), passage("{{ who", "{{ whom }}")]);
    let edited = request(&world, &item, with(&["whom"], edits)).await.unwrap();
    assert_eq!(edited.after.content.as_deref(), Some("Hello {{ whom }}"));
}

#[tokio::test]
async fn other_kinds_have_no_arguments() {
    let world = World::new().await;
    let note = world.create(Kind::Note, note_of("{{ not a template")).await;
    let site = world.create(Kind::Bookmark, bookmark("https://a.example/")).await;
    for edit_request in [with(&["a"], replace("not", "n")), alone(&["a"]), alone(&[])] {
        assert_eq!(refused_fields(request(&world, &note, edit_request).await), ["arguments"]);
    }
    assert_eq!(refused_fields(request(&world, &site, alone(&["a"])).await), ["arguments"]);
    assert_eq!(request(&world, &note, EditRequest::new(replace("not a", "no"))).await.unwrap().line, Some(1));
}
