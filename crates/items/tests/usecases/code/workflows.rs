//! Finding one workflow, and validating a text as one.

use interline_items::{CodeKind, Error, WorkflowRef, WorkflowSource};

use super::{Cast, FLOW, file};
use crate::world::code;

fn named(name: &str) -> WorkflowRef {
    WorkflowRef::Name(name.to_owned())
}

fn at(path: &str, function: Option<&str>) -> WorkflowRef {
    WorkflowRef::Path { path: path.to_owned(), function: function.map(str::to_owned) }
}

#[tokio::test]
async fn a_workflow_is_found_by_name_or_path() {
    let cast = Cast::new().await;
    let two = "from bifrost import tool, workflow\n\n@workflow(name=\"Zwei\")\ndef two(who: str, *, n=2): ...\n\n@tool\ndef helper(): ...\n";
    cast.replace("acme", &file(CodeKind::Workflow, "two.py"), two).await.unwrap();
    let acme = cast.caller("acme").await;
    for (which, expected) in [
        (named("two"), &["two"][..]),
        (named("Zwei"), &["two"]),
        (at("two.py", None), &["two", "helper"]),
        (at("/two.py", Some("helper")), &["helper"]),
        (at("shared.py", None), &["flow"]),
    ] {
        let found = cast.interline().workflow(&acme, &which, None).await.unwrap();
        assert_eq!(found.iter().map(|one| one.function.name.as_str()).collect::<Vec<_>>(), expected, "{which:?}");
    }
    for which in [named("zwei"), named("none"), at("two.py", Some("three")), at("none.py", None)] {
        assert_eq!(code(cast.interline().workflow(&acme, &which, None).await), "not_found", "{which:?}");
    }
    // Theirs before the global one; by admins as they say.
    let of = async |who: &str, organization| {
        let found = cast.interline().workflow(&cast.caller(who).await, &named("flow"), organization).await;
        found.map(|found| found[0].file.fields.path.as_ref().unwrap().as_str().to_owned())
    };
    assert_eq!(of("acme", None).await.unwrap(), "acme.py");
    assert_eq!(of("umbra", None).await.unwrap(), "shared.py");
    assert_eq!(of("admin", Some(cast.acme)).await.unwrap(), "acme.py");
    assert_eq!(of("umbra", Some(cast.acme)).await.unwrap_err().code(), "not_found");
    cast.replace("acme", &file(CodeKind::Workflow, "again.py"), FLOW).await.unwrap();
    match of("acme", None).await {
        Err(Error::InvalidParameters(message)) => assert!(message.contains("give `path`"), "{message}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn validation_stores_nothing_and_lists_all_problems() {
    let cast = Cast::new().await;
    let acme = cast.caller("acme").await;
    let validate = async |source| cast.interline().validate_workflow(&acme, source, None).await;
    let text = |text: &str| WorkflowSource::Content(text.to_owned());
    let good = validate(text(FLOW)).await.unwrap();
    assert_eq!((good.errors.len(), good.warnings.len(), good.functions.len()), (0, 0, 1));
    let stored = validate(WorkflowSource::Path("shared.py".to_owned())).await.unwrap();
    assert_eq!(stored, good);
    let broken = validate(text("@workflow\ndef f(:\n")).await.unwrap();
    assert_eq!((broken.errors[0].line, broken.functions.len()), (2, 0));
    let none = validate(text("x = 1\n")).await.unwrap();
    assert!(none.errors[0].message.contains("no @workflow"), "{none:?}");
    let twice = validate(text("@workflow\ndef f(): ...\n@workflow\ndef f(): ...\n")).await.unwrap();
    assert_eq!((twice.errors.len(), twice.warnings.len()), (0, 3), "{twice:?}");
    assert_eq!(code(validate(WorkflowSource::Path("none.py".to_owned())).await), "not_found");
    assert_eq!(code(validate(text("a\0")).await), "validation_failed");
    assert_eq!(cast.item("acme", &file(CodeKind::Workflow, "shared.py")).await.stamp.version, 1);
}
