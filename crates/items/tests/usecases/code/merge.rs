//! Whole files that were written for an older version.

use interline_items::{
    CodeKind, Error, Expectation, ExpectedVersion, FailedMerge, FileRef, MergedFrom, OnStale, ReplaceFile, ReplacedFile,
};

use super::{Cast, app, app_file, file};
use crate::world::{code, refused_fields};

const FLOW: &str =
    "from bifrost import workflow\n\n@workflow\ndef flow(x: int = 1):\n    y = x\n    z = y\n    return z\n";

fn written_for(version: u64, file: &FileRef, content: &str) -> ReplaceFile {
    ReplaceFile {
        file: file.clone(),
        content: content.to_owned(),
        expected: ExpectedVersion::Exactly(version, Expectation::ExpectedVersion),
        on_stale: Some(OnStale::Merge),
    }
}

/// Who may write a file: modules are everybody's, and the admin's to change.
fn who(file: &FileRef) -> &'static str {
    if file.scope.kind == CodeKind::Module { "admin" } else { "acme" }
}

/// Merges what was written for version 1.
async fn merge(cast: &Cast, file: &FileRef, content: &str) -> Result<ReplacedFile, Error> {
    cast.interline().replace_file(&cast.caller(who(file)).await, written_for(1, file, content)).await
}

#[tokio::test]
async fn files_of_every_kind_are_merged_or_refused_whole() {
    let cast = Cast::new().await;
    cast.interline().create_app(&cast.caller("acme").await, app("Front")).await.unwrap();
    // The flow is called something else, and returns something else.
    let [theirs, ours] = [FLOW.replace("flow(x", "start(x"), FLOW.replace("return z", "return -z")];
    let merged = theirs.replace("return z", "return -z");
    for (number, (target, before)) in [
        (file(CodeKind::Workflow, "merged.py"), ""),
        (file(CodeKind::Module, "merged/lib.py"), "@workflow\n"),
        (app_file("front", "merged.py"), ""),
    ]
    .into_iter()
    .enumerate()
    {
        // A module has no decorated function.
        let of_kind = |text: &str| if before.is_empty() { text.to_owned() } else { text.replace(before, "") };
        cast.replace(who(&target), &target, &of_kind(FLOW)).await.unwrap();
        cast.replace(who(&target), &target, &of_kind(&theirs)).await.unwrap();
        let ReplacedFile::Updated(updated) = merge(&cast, &target, &of_kind(&ours)).await.unwrap() else {
            panic!("{number}: made")
        };
        assert_eq!(updated.merged_from, Some(MergedFrom { base: 1, theirs: 2 }), "{number}");
        assert_eq!(updated.after.content.as_deref(), Some(&*of_kind(&merged)), "{number}");
        assert_eq!(cast.text(who(&target), &target).await, of_kind(&merged), "{number}");
        let functions = cast.item(who(&target), &target).await.functions;
        let named = functions.as_ref().and_then(|functions| functions.first()).map(|function| function.name.as_str());
        assert_eq!(named, (number == 0).then_some("start"));

        let again = merge(&cast, &target, &of_kind(&ours)).await.unwrap();
        assert_eq!(again.file().item.stamp.version, 3, "{number}: nothing was added");
        assert!(matches!(again, ReplacedFile::Updated(updated) if updated.merged_from.is_none()));

        let refused = merge(&cast, &target, &of_kind(&FLOW.replace("flow(x", "begin(x"))).await;
        let Err(Error::Conflict { merge: Some(failed), .. }) = refused else { panic!("{number}: {refused:?}") };
        let FailedMerge::BothChanged { places, fields, total: 1 } = *failed else { panic!("{number}: {failed:?}") };
        assert_eq!((places[0].ours.text.as_str(), fields.len()), ("def begin(x: int = 1):\n", 0), "{number}");
        assert_eq!(cast.text(who(&target), &target).await, of_kind(&merged), "{number}");
    }
}

#[tokio::test]
async fn code_that_is_invalid_only_when_merged_is_a_conflict() {
    let cast = Cast::new().await;
    let target = file(CodeKind::Module, "syntax.py");
    cast.replace(who(&target), &target, "a = [\n    1,\n    2,\n    3,\n    4,\n]\n").await.unwrap();
    cast.replace(who(&target), &target, "a = [\n    1,\n    2,\n    5 +\n    6,\n    3,\n    4,\n]\n").await.unwrap();
    let outcome = merge(&cast, &target, "if a:\n    1,\n    2,\n    3,\n    4,\n").await;
    let message = outcome.as_ref().unwrap_err().to_string();
    let Err(Error::Conflict { merge: Some(failed), .. }) = outcome else { panic!("{message}") };
    assert!(matches!(*failed, FailedMerge::Invalid(Error::InvalidCode(_))), "{failed:?}");
    assert!(message.contains("what comes of merging them is refused: the code is not valid on line"), "{message}");
    assert_eq!(cast.item(who(&target), &target).await.stamp.version, 2);
    assert_eq!(
        code(merge(&cast, &target, "a = {\n    1,\n    2,\n    3,\n    4,\n]\n").await),
        "invalid_code",
        "ours alone is wrong"
    );
}

#[tokio::test]
async fn a_file_that_is_not_there_has_no_version_to_merge_with() {
    let cast = Cast::new().await;
    let (admin, target) = (cast.caller("admin").await, file(CodeKind::Module, "new.py"));
    assert_eq!(code(merge(&cast, &target, "a = 1\n").await), "not_found");
    for on_stale in [OnStale::Refuse, OnStale::Merge] {
        let request = ReplaceFile {
            expected: ExpectedVersion::Any,
            on_stale: Some(on_stale),
            ..written_for(1, &target, "a = 1\n")
        };
        assert_eq!(refused_fields(cast.interline().replace_file(&admin, request).await), ["expected_version"]);
    }
    cast.replace(who(&target), &target, "a = 1\n").await.unwrap();
    assert_eq!(code(merge(&cast, &target, "a = 2\n").await), "ok");
}
