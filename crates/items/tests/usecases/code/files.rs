//! Files: how requests name them, and making, replacing, editing and deleting them.

use interline_items::{
    AppRef, CodeFiles, CodeKind, CodeScope, Error, Expectation, ExpectedVersion, FileRef, HistoryQuery, ItemChanges,
    ItemRef, LineRange, ReadContent, ReplaceFile, ReplacedFile, Updated,
};

use super::{Cast, FLOW, MODULE, app_file, file, in_app, replacing, scope};
use crate::samples::to;
use crate::world::{code, refused_fields};

#[tokio::test]
async fn what_does_not_identify_a_file_is_refused_by_its_field() {
    let cast = Cast::new().await;
    let admin = cast.caller("admin").await;
    let organization = Some(cast.acme);
    let app = Some(AppRef::parse("shop"));
    for (scope, field) in [
        (CodeScope { organization, ..scope(CodeKind::Module) }, "organization_id"),
        (CodeScope { organization, ..in_app("shop") }, "organization_id"),
        (CodeScope { app: app.clone(), ..scope(CodeKind::Module) }, "app_id"),
        (CodeScope { app, ..scope(CodeKind::Workflow) }, "app_id"),
        (scope(CodeKind::AppFile), "app_id"),
    ] {
        let (interline, target) = (cast.interline(), FileRef { scope: scope.clone(), path: "a.py".to_owned() });
        let requested = CodeFiles { scope: scope.clone(), path_prefix: None };
        assert_eq!(refused_fields(interline.list_files(&admin, &requested).await), [field], "{scope:?}");
        assert_eq!(refused_fields(interline.read_file(&admin, &target, ReadContent::Omit).await), [field]);
        assert_eq!(refused_fields(interline.patch_file(&admin, &target, replacing("a", "b")).await), [field]);
        assert_eq!(refused_fields(cast.replace("admin", &target, MODULE).await), [field]);
        assert_eq!(refused_fields(interline.delete_file(&admin, &target, ExpectedVersion::Any).await), [field]);
    }
}

#[tokio::test]
async fn a_path_that_is_none_is_refused_everywhere() {
    let cast = Cast::new().await;
    let acme = cast.caller("acme").await;
    let long = "x".repeat(2_000);
    for path in ["", "/", "../a.py", "a/../b.py", "a//b.py", "a\\b.py", "a\0.py", "a\n.py", long.as_str()] {
        for target in [app_file("shop", path), file(CodeKind::Workflow, path)] {
            let interline = cast.interline();
            assert_eq!(refused_fields(interline.read_file(&acme, &target, ReadContent::Omit).await), ["path"]);
            assert_eq!(refused_fields(interline.patch_file(&acme, &target, replacing("a", "b")).await), ["path"]);
            assert_eq!(refused_fields(cast.replace("acme", &target, FLOW).await), ["path"]);
            assert_eq!(refused_fields(interline.delete_file(&acme, &target, ExpectedVersion::Any).await), ["path"]);
        }
    }
    assert_eq!(refused_fields(cast.replace("acme", &file(CodeKind::Workflow, "a.txt"), FLOW).await), ["path"]);
    let item = cast.item("acme", &file(CodeKind::Workflow, "acme.py")).await;
    let changes = ItemChanges { path: to("../a.py"), ..ItemChanges::default() };
    let which = ItemRef::Id(item.id, None);
    let moved = cast.interline().update(&acme, &which, ExpectedVersion::Any, changes).await;
    assert_eq!(refused_fields(moved), ["path"]);
    let changes = ItemChanges { path: interline_items::FieldChange::Clear, ..ItemChanges::default() };
    let cleared = cast.interline().update(&acme, &which, ExpectedVersion::Any, changes).await;
    assert_eq!(refused_fields(cleared), ["path"]);
}

#[tokio::test]
async fn replacing_makes_a_file_or_changes_it() {
    let cast = Cast::new().await;
    let target = app_file("shop", "/components/a.tsx/");
    let ReplacedFile::Created(made) = cast.replace("acme", &target, "one\r\n").await.unwrap() else {
        panic!("not made")
    };
    assert_eq!(made.item.fields.path.as_ref().unwrap().as_str(), "components/a.tsx");
    let ReplacedFile::Updated(Updated { after: same, .. }) = cast.replace("acme", &target, "one\r\n").await.unwrap()
    else {
        panic!("made twice")
    };
    assert_eq!(same, made);
    let ReplacedFile::Updated(Updated { after: other, .. }) = cast.replace("acme", &target, "").await.unwrap() else {
        panic!("made twice")
    };
    assert_eq!((other.item.id, other.item.stamp.version), (made.item.id, 2));
    assert_eq!(cast.text("acme", &app_file("shop", "components/a.tsx")).await, "");
}

#[tokio::test]
async fn a_file_is_replaced_only_at_the_version_that_is_expected() {
    let cast = Cast::new().await;
    let acme = cast.caller("acme").await;
    let at = |version| ExpectedVersion::Exactly(version, Expectation::ExpectedVersion);
    let requested = |path: &str, expected| ReplaceFile {
        file: app_file("shop", path),
        content: "new".to_owned(),
        expected,
        on_stale: None,
    };
    let interline = cast.interline();
    assert_eq!(code(interline.replace_file(&acme, requested("_layout.tsx", at(2))).await), "conflict");
    assert_eq!(code(interline.replace_file(&acme, requested("_layout.tsx", at(1))).await), "ok");
    assert_eq!(code(interline.replace_file(&acme, requested("none.tsx", at(1))).await), "not_found");
    assert_eq!(code(interline.delete_file(&acme, &app_file("shop", "_layout.tsx"), at(1)).await), "conflict");
}

#[tokio::test]
async fn a_deleted_path_is_free_and_its_file_can_come_back() {
    let cast = Cast::new().await;
    let (acme, target) = (cast.caller("acme").await, file(CodeKind::Workflow, "acme.py"));
    let first = cast.interline().delete_file(&acme, &target, ExpectedVersion::Any).await.unwrap();
    assert_eq!(code(cast.interline().read_file(&acme, &target, ReadContent::Omit).await), "not_found");
    let ReplacedFile::Created(second) = cast.replace("acme", &target, FLOW).await.unwrap() else { panic!("not made") };
    assert_ne!(second.item.id, first.id);
    let which = ItemRef::Id(first.id, None);
    match cast.interline().restore(&acme, &which, ExpectedVersion::Any).await {
        Err(Error::Duplicate { field, existing }) => {
            assert_eq!((field.name(), existing.id), ("path", second.item.id));
        }
        other => panic!("{other:?}"),
    }
    cast.interline().delete_file(&acme, &target, ExpectedVersion::Any).await.unwrap();
    cast.interline().restore(&acme, &which, ExpectedVersion::Any).await.unwrap();
    assert_eq!(cast.item("acme", &target).await.id, first.id);
}

#[tokio::test]
async fn of_many_that_make_one_file_all_succeed_and_one_makes_it() {
    let cast = Cast::new().await;
    let acme = cast.caller("acme").await;
    for round in 0..5 {
        let work = (0..16).map(|number| {
            let (interline, acme) = (cast.interline().clone(), acme.clone());
            let content = format!("{round} {number}");
            let file = app_file("shop", &format!("new-{round}.txt"));
            let requested = ReplaceFile { file, content, expected: ExpectedVersion::Any, on_stale: None };
            tokio::spawn(async move { interline.replace_file(&acme, requested).await.unwrap() })
        });
        let mut made = 0;
        for task in work.collect::<Vec<_>>() {
            made += usize::from(matches!(task.await.unwrap(), ReplacedFile::Created(_)));
        }
        assert_eq!(made, 1);
        let file = cast.item("acme", &app_file("shop", &format!("new-{round}.txt"))).await;
        assert_eq!(file.stamp.version, 16);
    }
}

#[tokio::test]
async fn lines_are_read_and_edits_say_how_many_changed() {
    let cast = Cast::new().await;
    let (acme, target) = (cast.caller("acme").await, app_file("shop", "a.txt"));
    cast.replace("acme", &target, "one\r\ntwo\r\nthree\r\n").await.unwrap();
    let lines = ReadContent::Lines(LineRange { start: Some(2), end: Some(99) });
    let part = cast.interline().read_file(&acme, &target, lines).await.unwrap().part.unwrap();
    assert_eq!((&*part.text, part.start_line, part.end_line), ("two\r\nthree\r\n", 2, 4));
    let past = ReadContent::Lines(LineRange { start: Some(5), end: None });
    assert_eq!(code(cast.interline().read_file(&acme, &target, past).await), "invalid_lines");
    for (old, new, changed) in [("two", "2", 1), ("2\r\nthree", "2\r\n3\r\n4\r\n5", 3), ("3\r\n4\r\n", "", 2)] {
        let edited = cast.interline().patch_file(&acme, &target, replacing(old, new)).await.unwrap();
        assert_eq!(edited.lines_changed, changed, "{old:?} {new:?}");
    }
    assert_eq!(cast.text("acme", &target).await, "one\r\n2\r\n5\r\n");
    let long = "x\n".repeat(40_000);
    cast.replace("acme", &target, &long).await.unwrap();
    let edited = cast.interline().patch_file(&acme, &target, replacing(&long, &"y\n".repeat(50_000))).await.unwrap();
    assert_eq!((edited.diff.truncated, edited.lines_changed), (true, 50_000));
}

#[tokio::test]
async fn a_file_moves_by_its_path_and_its_history_says_so() {
    let cast = Cast::new().await;
    let (acme, old) = (cast.caller("acme").await, file(CodeKind::Workflow, "acme.py"));
    let which = ItemRef::Id(cast.item("acme", &old).await.id, None);
    let changes = ItemChanges { path: to("/jobs/nightly.py"), ..ItemChanges::default() };
    let moved = cast.interline().update(&acme, &which, ExpectedVersion::Any, changes).await.unwrap();
    assert!(moved.item.functions.as_ref().is_some_and(|functions| functions.len() == 1));
    assert_eq!(cast.item("acme", &file(CodeKind::Workflow, "jobs/nightly.py")).await, moved.item);
    assert_eq!(code(cast.interline().read_file(&acme, &old, ReadContent::Omit).await), "not_found");
    let page = HistoryQuery { offset: 0, limit: 10 };
    let history = cast.interline().history(&acme, &which, page).await.unwrap();
    assert_eq!(history.records[0].changed_fields, ["path"]);
    assert_eq!(history.records[1].changed_fields, ["path", "content"]);
    cast.interline().restore_version(&acme, &which, 1, ExpectedVersion::Any).await.unwrap();
    assert_eq!(cast.item("acme", &old).await.stamp.version, 3);
    let taken = ItemChanges { path: to("acme.py"), ..ItemChanges::default() };
    cast.replace("acme", &file(CodeKind::Workflow, "b.py"), FLOW).await.unwrap();
    let other = ItemRef::Id(cast.item("acme", &file(CodeKind::Workflow, "b.py")).await.id, None);
    assert_eq!(code(cast.interline().update(&acme, &other, ExpectedVersion::Any, taken).await), "duplicate");
}
