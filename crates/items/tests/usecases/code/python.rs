//! Python is checked before anything is stored, whichever way it comes.

use interline_items::{
    CodeKind, EditRequest, Error, ExpectedVersion, InsertAt, ItemDraft, ItemRef, LinePatch, PassageChange, TextChange,
};
use interline_python::SdkName;

use super::{Cast, FLOW, MODULE, app_file, file};
use crate::samples::{content, text};
use crate::world::{code, refused_fields};

fn passage(old: &str, new: &str) -> PassageChange {
    PassageChange { old_str: old.to_owned(), new_str: new.to_owned(), expected_matches: 1 }
}

/// Every way of editing that makes `def f(` of `value = 1`.
fn breaking() -> Vec<TextChange> {
    let operation = LinePatch { start_line: 1, end_line: 1, content: "def f(".to_owned(), expect: None };
    vec![
        TextChange::Replace(passage("value = 1", "def f(")),
        TextChange::Several(vec![passage("value", "other"), passage("other = 1", "def f(")]),
        TextChange::Patch(vec![operation]),
        TextChange::Insert { at: InsertAt::Start, new_str: "def f(".to_owned() },
        TextChange::Delete { content_to_delete: " 1".to_owned(), expected_matches: 1 },
    ]
}

#[tokio::test]
async fn no_edit_breaks_the_syntax_and_the_file_stays() {
    let cast = Cast::new().await;
    let (admin, target) = (cast.caller("admin").await, file(CodeKind::Module, "lib.py"));
    let before = cast.item("admin", &target).await;
    let which = ItemRef::Id(before.id, None);
    for change in breaking() {
        let by_path = cast.interline().patch_file(&admin, &target, EditRequest::new(change.clone())).await;
        assert!(matches!(by_path, Err(Error::InvalidCode(_))), "{change:?}: {by_path:?}");
        let by_id = cast.interline().edit(&admin, &which, EditRequest::new(change.clone())).await;
        assert_eq!(code(by_id), "invalid_code", "{change:?}");
    }
    let update = cast.interline().update(&admin, &which, ExpectedVersion::Any, content("def f(")).await;
    assert_eq!(code(update), "invalid_code");
    assert_eq!(code(cast.replace("admin", &target, "def f(").await), "invalid_code");
    assert_eq!(code(cast.replace("admin", &file(CodeKind::Module, "new.py"), "def f(").await), "invalid_code");
    assert_eq!(cast.item("admin", &target).await, before);
    assert_eq!(cast.text("admin", &target).await, MODULE);
}

#[tokio::test]
async fn an_error_says_where() {
    let cast = Cast::new().await;
    match cast.replace("admin", &file(CodeKind::Module, "a.py"), "x = 1\nif x\n    y = 2\n").await {
        Err(Error::InvalidCode(error)) => assert_eq!(error.line, 2, "{error}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn workflows_have_a_decorator_and_modules_have_none() {
    let cast = Cast::new().await;
    let message =
        |refused: Result<_, Error>| refused.map(|_: interline_items::ReplacedFile| ()).unwrap_err().to_string();
    let module = file(CodeKind::Module, "a.py");
    assert_eq!(
        message(cast.replace("admin", &module, FLOW).await),
        "declared 'module' but content contains @workflow decorator. Use entity_type='workflow' instead."
    );
    let tool = "@bifrost.tool()\ndef f(): ...\n";
    assert!(message(cast.replace("admin", &module, tool).await).contains("contains @tool decorator"));
    let workflow = file(CodeKind::Workflow, "a.py");
    for text in ["", MODULE, "# @workflow\n", "'''@workflow'''\n", "@mcp.tool()\ndef f(): ...\n"] {
        let refusal = message(cast.replace("acme", &workflow, text).await);
        assert_eq!(
            refusal,
            "declared 'workflow' but content contains no @workflow, @tool or @data_provider decorator. Use \
             entity_type='module' instead."
        );
    }
    // An edit that takes the last decorator, or brings one, is of the other kind too.
    let acme = cast.caller("acme").await;
    let bare = EditRequest::new(TextChange::Replace(passage("@workflow(category=\"Ops\")\n", "")));
    let refused = cast.interline().patch_file(&acme, &file(CodeKind::Workflow, "acme.py"), bare).await;
    assert_eq!(code(refused), "entity_type_mismatch");
    for (kind, content) in [(CodeKind::Module, ""), (CodeKind::Workflow, FLOW)] {
        assert_eq!(code(cast.replace("admin", &file(kind, "b.py"), content).await), "ok");
    }
}

#[tokio::test]
async fn what_is_known_of_the_functions_follows_every_change() {
    let cast = Cast::new().await;
    let (acme, target) = (cast.caller("acme").await, file(CodeKind::Workflow, "acme.py"));
    let names = async || {
        let functions = cast.item("acme", &target).await.functions.unwrap();
        functions.into_iter().map(|function| function.name).collect::<Vec<_>>()
    };
    assert_eq!(names().await, ["flow"]);
    let rename = EditRequest::new(TextChange::Replace(passage("def flow", "def stream")));
    let edited = cast.interline().patch_file(&acme, &target, rename).await.unwrap();
    assert_eq!(edited.after.item.functions.as_ref().unwrap()[0].name, "stream");
    assert_eq!(names().await, ["stream"]);
    let which = ItemRef::Id(edited.after.item.id, None);
    cast.interline().restore_version(&acme, &which, 1, ExpectedVersion::Any).await.unwrap();
    assert_eq!(names().await, ["flow"]);
    cast.replace("acme", &target, &FLOW.replace("def flow", "def river")).await.unwrap();
    assert_eq!(names().await, ["river"]);
    assert_eq!(cast.item("acme", &app_file("shop", "_layout.tsx")).await.functions, None);
    assert_eq!(cast.item("acme", &file(CodeKind::Module, "lib.py")).await.functions, None);
}

/// A version that was good under other rules is checked like every write.
#[tokio::test]
async fn a_version_is_restored_only_if_it_is_what_its_kind_demands() {
    let cast = Cast::new().await;
    let (acme, target) = (cast.caller("acme").await, file(CodeKind::Workflow, "a.py"));
    let elsewhere = cast.interline().clone().with_sdk(SdkName::parse("acme").unwrap());
    let requested = interline_items::ReplaceFile {
        file: target.clone(),
        content: "@acme.workflow\ndef f(): ...\n".to_owned(),
        expected: ExpectedVersion::Any,
        on_stale: None,
    };
    let made = elsewhere.replace_file(&acme, requested).await.unwrap().file().item.clone();
    cast.replace("acme", &target, FLOW).await.unwrap();
    let which = ItemRef::Id(made.id, None);
    let restored = cast.interline().restore_version(&acme, &which, 1, ExpectedVersion::Any).await;
    assert_eq!(code(restored), "entity_type_mismatch");
    assert_eq!(cast.text("acme", &target).await, FLOW);
    assert_eq!(code(elsewhere.restore_version(&acme, &which, 1, ExpectedVersion::Any).await), "ok");
}

#[tokio::test]
async fn code_is_made_at_a_path_and_never_as_an_item() {
    let cast = Cast::new().await;
    for kind in CodeKind::ALL {
        let draft = ItemDraft { path: text("a.py"), content: text(FLOW), ..ItemDraft::default() };
        let made = cast.interline().create(&cast.caller("admin").await, kind.kind(), draft).await;
        assert_eq!(refused_fields(made), ["type"], "{}", kind.name());
    }
}

#[tokio::test]
async fn hostile_code_is_refused_and_odd_code_kept() {
    let cast = Cast::new().await;
    let deep = format!("x = {}1{}\n", "(".repeat(10_000), ")".repeat(10_000));
    let module = |path| file(CodeKind::Module, path);
    assert_eq!(code(cast.replace("admin", &module("deep.py"), &deep).await), "invalid_code");
    assert_eq!(
        code(cast.replace("admin", &module("tabs.py"), "if 1:\n\tx = 1\n        y = 2\n").await),
        "invalid_code"
    );
    for (path, text) in [("bom.py", "\u{feff}x = 1\n"), ("crlf.py", "if 1:\r\n    x = 1\r\n"), ("none.py", "x = 1")] {
        cast.replace("admin", &module(path), text).await.unwrap();
        assert_eq!(cast.text("admin", &module(path)).await, text);
    }
}
