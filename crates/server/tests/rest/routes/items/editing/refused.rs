//! Bodies of edits that are wrong, whatever the text is: each is refused by the name of its field, and changes nothing.

use serde_json::{Value, json};

use super::every_edit::every_edit;
use super::{at, of_every_kind, wrong};
use crate::support::test_store::TestStore;

on_both!(
    options_of_a_wrong_type_are_refused_by_every_edit,
    texts_of_a_wrong_type_are_refused,
    operations_of_a_wrong_type_are_refused,
    what_cannot_be_stored_is_refused,
);

async fn options_of_a_wrong_type_are_refused_by_every_edit(store: TestStore) {
    let owner = store.serve().await.owner();
    let mut wrongs = vec![
        ("expected_version", json!("1")),
        ("expected_version", json!(-1)),
        ("expected_version", json!(1.5)),
        ("match", json!("loose")),
        ("match", json!("")),
        ("match", json!(1)),
        ("line_endings", json!("crlf")),
        ("line_endings", json!(true)),
        ("dry_run", json!("true")),
        ("dry_run", json!(1)),
        ("type", json!("poem")),
        ("type", json!(1)),
        ("arguments", json!("who")),
        ("arguments", json!({"name": "who"})),
        ("old_string", json!("a")),
        ("title", json!("a")),
        ("version", json!(1)),
    ];
    for option in ["expected_version", "match", "line_endings", "dry_run", "type", "arguments"] {
        wrongs.push((option, Value::Null));
    }
    for path in of_every_kind(&owner, Some("one two\nthree\n")).await {
        let was = owner.get(&path).await.json();
        for (route, body, _) in every_edit() {
            let line = at(route, &path);
            for (option, value) in &wrongs {
                let mut body = body.clone();
                body[*option] = value.clone();
                assert_eq!(owner.refused_fields(&line, body.clone()).await, [*option], "{line} {body}");
            }
            for body in [json!([]), json!("x"), json!(1)] {
                owner.check(&line, body, 422, wrong("body")).await;
            }
            owner.send(&line, None).await.expect(422, wrong("body"));
            owner.check(&line, json!({}), 422, json!({"error": "validation_failed"})).await;
        }
        assert_eq!(owner.get(&path).await.json(), was);
    }
}

async fn texts_of_a_wrong_type_are_refused(store: TestStore) {
    let owner = store.serve().await.owner();
    let rows = [
        ("PATCH */str-replace", json!({}), "old_str"),
        ("PATCH */str-replace", json!({"old_str": "a"}), "new_str"),
        ("PATCH */str-replace", json!({"new_str": "a"}), "old_str"),
        ("PATCH */str-replace", json!({"old_str": null, "new_str": "x"}), "old_str"),
        ("PATCH */str-replace", json!({"old_str": "a", "new_str": null}), "new_str"),
        ("PATCH */str-replace", json!({"old_str": "", "new_str": "x"}), "old_str"),
        ("PATCH */str-replace", json!({"old_str": ["a"], "new_str": "x"}), "old_str"),
        ("PATCH */str-replace", json!({"old_str": "a", "new_str": 1}), "new_str"),
        ("PATCH */str-replace", json!({"old_str": "a", "new_str": "x", "expected_matches": 0}), "expected_matches"),
        ("PATCH */str-replace", json!({"old_str": "a", "new_str": "x", "expected_matches": -1}), "expected_matches"),
        ("PATCH */str-replace", json!({"old_str": "a", "new_str": "x", "expected_matches": "2"}), "expected_matches"),
        ("PATCH */str-replace", json!({"old_str": "a", "new_str": "x", "expected_matches": null}), "expected_matches"),
        ("PATCH */str-replace", json!({"old_str": "a", "new_str": "x", "operations": []}), "operations"),
        ("POST */delete-content", json!({}), "content_to_delete"),
        ("POST */delete-content", json!({"content_to_delete": null}), "content_to_delete"),
        ("POST */delete-content", json!({"content_to_delete": 1}), "content_to_delete"),
        ("POST */delete-content", json!({"content_to_delete": "a", "expected_matches": 0}), "expected_matches"),
        ("POST */insert", json!({"after_str": null, "new_str": "x"}), "after_str"),
        ("POST */insert", json!({"at": "end", "new_str": null}), "new_str"),
        ("POST */insert", json!({"at": 1, "new_str": "x"}), "at"),
        ("POST */insert", json!({"after_str": "a", "new_str": "x", "expected_matches": 1}), "expected_matches"),
        ("POST */edits", json!({}), "edits"),
        ("POST */edits", json!({"edits": null}), "edits"),
        ("POST */edits", json!({"edits": {"old_str": "a", "new_str": "x"}}), "edits"),
        ("POST */edits", json!({"edits": [], "old_str": "a"}), "old_str"),
    ];
    for (route, body, field) in rows {
        super::assert_refuses(&owner, route, Some("a"), &body, 422, &wrong(field)).await;
    }
}

async fn operations_of_a_wrong_type_are_refused(store: TestStore) {
    let owner = store.serve().await.owner();
    for (operations, field) in [
        (Value::Null, "operations"),
        (json!({}), "operations"),
        (json!([1]), "operations[0]"),
        (json!([{"end_line": 1, "content": "x"}]), "operations[0].start_line"),
        (json!([{"start_line": 1, "content": "x"}]), "operations[0].end_line"),
        (json!([{"start_line": 1, "end_line": 1}]), "operations[0].content"),
        (json!([{"start_line": 1, "end_line": 1, "content": null}]), "operations[0].content"),
        (json!([{"start_line": -1, "end_line": 1, "content": "x"}]), "operations[0].start_line"),
        (json!([{"start_line": "1", "end_line": 1, "content": "x"}]), "operations[0].start_line"),
        (json!([{"start_line": 1, "end_line": 1.5, "content": "x"}]), "operations[0].end_line"),
        (json!([{"start_line": 1, "end_line": 1, "content": "x", "expect": null}]), "operations[0].expect"),
        (json!([{"start_line": 1, "end_line": 1, "content": "x", "line": 1}]), "operations[0].line"),
    ] {
        let body = json!({"operations": operations});
        super::assert_refuses(&owner, "PATCH */content", Some("a"), &body, 422, &wrong(field)).await;
    }
    super::assert_refuses(&owner, "PATCH */content", Some("a"), &json!({}), 422, &wrong("operations")).await;
    let expected = json!({"error": "invalid_operations", "operations": []});
    super::assert_refuses(&owner, "PATCH */content", Some("a"), &json!({"operations": []}), 422, &expected).await;
}

async fn what_cannot_be_stored_is_refused(store: TestStore) {
    let owner = store.serve().await.owner();
    let operation = |content: &str| json!({"operations": [{"start_line": 1, "end_line": 1, "content": content}]});
    for (route, body, field) in [
        ("PATCH */str-replace", json!({"old_str": "a", "new_str": "\0"}), "new_str"),
        ("PATCH */str-replace", json!({"old_str": "\0", "new_str": "x"}), "old_str"),
        ("POST */delete-content", json!({"content_to_delete": "\0"}), "content_to_delete"),
        ("POST */insert", json!({"at": "end", "new_str": "\0"}), "new_str"),
        ("POST */insert", json!({"after_str": "\0", "new_str": "x"}), "after_str"),
        ("POST */insert", json!({"before_str": "\0", "new_str": "x"}), "before_str"),
        ("POST */edits", json!({"edits": [{"old_str": "a", "new_str": "\0"}]}), "edits[0].new_str"),
        ("PATCH */content", operation("\0"), "operations[0].content"),
    ] {
        super::assert_refuses(&owner, route, Some("a"), &body, 422, &wrong(field)).await;
    }
}
