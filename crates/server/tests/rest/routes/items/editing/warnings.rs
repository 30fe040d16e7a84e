//! `warnings`: what was applied as asked, and probably was not meant.

use serde_json::{Value, json};

use super::{at, of_every_kind};
use crate::support::test_store::TestStore;

on_both!(an_exact_change_that_looks_unintended_is_made_with_a_warning);

async fn an_exact_change_that_looks_unintended_is_made_with_a_warning(store: TestStore) {
    let owner = store.serve().await.owner();
    let lost = json!([{"code": "lost_indentation", "line": 2, "text": "    b()", "message": "…indented…"}]);
    let joined = json!([{"code": "joined_lines", "line": 1, "message": "…line break…"}]);
    for (old, new, after, warnings) in [
        ("a()", "a()\nb()", "if x:\n    a()\nb()\nend\n", lost),
        ("if x:\n", "if x: ", "if x:     a()\nend\n", joined),
        ("a()", "b()", "if x:\n    b()\nend\n", Value::Null),
    ] {
        for path in of_every_kind(&owner, Some("if x:\n    a()\nend\n")).await {
            let body = json!({"old_str": old, "new_str": new});
            let shown = json!({"match_type": "exact", "content": after, "warnings": warnings});
            let shown = if warnings.is_null() { json!({"match_type": "exact", "content": after}) } else { shown };
            let edited = owner.check(&at("PATCH */str-replace", &path), body, 200, shown).await;
            assert_eq!(edited.json().get("warnings").is_none(), warnings.is_null());
        }
    }
}
