//! The history of files, and bringing back versions and deleted files by path.

use interline_items::{CodeKind, Error, ExpectedVersion, HistoryQuery, Item};

use super::{Cast, FLOW, app_file, file, replacing};
use crate::world::code;

const PAGE: HistoryQuery = HistoryQuery { offset: 0, limit: 10 };

impl Cast {
    async fn restore_file(&self, who: &str, path: &str, version: Option<u64>) -> Result<Item, Error> {
        let file = file(CodeKind::Workflow, path);
        self.interline().restore_file(&self.caller(who).await, &file, version).await
    }

    async fn actions(&self, who: &str, path: &str) -> Result<Vec<&'static str>, Error> {
        let caller = self.caller(who).await;
        let item_ref = self.interline().file_or_deleted(&caller, &file(CodeKind::Workflow, path)).await?;
        let history = self.interline().history(&caller, &item_ref, PAGE).await?;
        Ok(history.records.iter().map(|record| record.action.name()).collect())
    }

    async fn delete(&self, who: &str, path: &str) -> Item {
        let file = file(CodeKind::Workflow, path);
        self.interline().delete_file(&self.caller(who).await, &file, ExpectedVersion::Any).await.unwrap()
    }
}

#[tokio::test]
async fn a_deleted_file_comes_back_by_its_path() {
    let cast = Cast::new().await;
    let present = file(CodeKind::Workflow, "acme.py");
    let before = cast.item("acme", &present).await;
    assert_eq!(cast.restore_file("acme", "acme.py", None).await.unwrap(), before, "one that is not deleted stays");
    cast.delete("acme", "acme.py").await;
    assert_eq!(cast.actions("acme", "acme.py").await.unwrap(), ["delete", "create"]);
    match cast.restore_file("acme", "acme.py", Some(1)).await {
        Err(Error::Missing { hint, .. }) => assert!(hint.contains("without `version` first"), "{hint}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(cast.restore_file("acme", "acme.py", None).await.unwrap().id, before.id);
    assert_eq!(cast.text("acme", &present).await, FLOW);
    assert_eq!(cast.actions("acme", "acme.py").await.unwrap(), ["restore", "delete", "create"]);
}

#[tokio::test]
async fn a_file_does_not_come_back_over_another() {
    let cast = Cast::new().await;
    let first = cast.delete("acme", "acme.py").await;
    let second = cast.replace("acme", &file(CodeKind::Workflow, "acme.py"), FLOW).await.unwrap();
    let present = cast.restore_file("acme", "acme.py", None).await.unwrap();
    assert_eq!((present.id, present.stamp), (second.file().item.id, second.file().item.stamp), "it stays as it is");
    assert_eq!(cast.actions("acme", "acme.py").await.unwrap(), ["create"], "the file that is there is meant");
    cast.delete("acme", "acme.py").await;
    let back = cast.restore_file("acme", "acme.py", None).await.unwrap();
    assert_eq!(back.id, second.file().item.id, "the last one is meant");
    assert_ne!(back.id, first.id);
}

#[tokio::test]
async fn a_version_of_a_file_is_restored_as_a_new_one() {
    let cast = Cast::new().await;
    let present = file(CodeKind::Workflow, "acme.py");
    let acme = cast.caller("acme").await;
    cast.interline().patch_file(&acme, &present, replacing("return x", "return 2")).await.unwrap();
    let restored = cast.restore_file("acme", "acme.py", Some(1)).await.unwrap();
    assert_eq!(restored.stamp.version, 3);
    assert_eq!(cast.text("acme", &present).await, FLOW);
    assert_eq!(code(cast.restore_file("acme", "acme.py", Some(9)).await), "not_found");
}

#[tokio::test]
async fn files_are_brought_back_by_those_who_may_write_them() {
    let cast = Cast::new().await;
    cast.delete("acme", "acme.py").await;
    cast.delete("admin", "shared.py").await;
    for (who, path, history, restoring) in [
        ("umbra", "acme.py", "not_found", "not_found"),
        ("loner", "acme.py", "not_found", "not_found"),
        ("acme reads", "acme.py", "ok", "forbidden"),
        ("acme", "shared.py", "ok", "not_found"),
        ("admin reads", "shared.py", "ok", "forbidden"),
        ("admin", "shared.py", "ok", "ok"),
        ("acme", "acme.py", "ok", "ok"),
        ("acme", "nothing.py", "not_found", "not_found"),
    ] {
        assert_eq!(code(cast.actions(who, path).await), history, "{who} {path}");
        assert_eq!(code(cast.restore_file(who, path, None).await), restoring, "{who} {path}");
    }
    let index = app_file("shop", "pages/index.tsx");
    let acme = cast.caller("acme").await;
    let deleted = cast.interline().delete_file(&acme, &index, ExpectedVersion::Any).await.unwrap();
    assert_eq!(cast.interline().restore_file(&acme, &index, None).await.unwrap().id, deleted.id);
}
