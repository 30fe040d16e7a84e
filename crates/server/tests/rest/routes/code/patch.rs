//! `POST /code/patch`

use serde_json::{Value, json};

use super::{CodeUsers, MODULE, app_file, file, with};
use crate::support::test_store::TestStore;

on_both!(
    a_patch_reports_where_and_how_much,
    line_endings_stay_as_the_file_has_them,
    several_edits_are_one_version,
    places_are_reported_by_line,
    a_patch_that_breaks_the_syntax_leaves_the_file,
    a_repeated_patch_is_applied_once,
    lines_that_lack_their_indentation_are_refused_with_the_change_that_is_meant,
);

async fn a_patch_reports_where_and_how_much(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let target = app_file("shop", "a.txt");
    users.put(&users.acme, target.clone(), "one\ntwo\nthree\n").await;
    let app = users.acme.get("/apps/shop").await.id();
    let edit = |more: Value| with(&target, with(&json!({"old_string": "two", "new_string": "2\n2"}), more));
    users
        .acme
        .post("/code/patch", edit(json!({"dry_run": true})))
        .await
        .expect(200, json!({"success": true, "dry_run": true, "version": 1, "lines_changed": 2}));
    users
        .acme
        .post("/code/patch", edit(json!({"expected_version": 7})))
        .await
        .expect(409, json!({"error": "conflict"}));
    users.acme.post("/code/patch", edit(json!({"expected_version": 1}))).await.expect(
        200,
        json!({"success": true, "path": "a.txt", "entity_type": "app_file", "app_id": app, "line": 2,
            "match_type": "exact", "lines_changed": 2, "version": 2}),
    );
    assert_eq!(users.text(&users.acme, &target).await, "one\n2\n2\nthree\n");
    let all = with(&target, json!({"old_string": "2", "new_string": "two", "expected_matches": 2}));
    users.acme.post("/code/patch", all).await.expect(200, json!({"lines_changed": 2, "version": 3}));
    let same = with(&target, json!({"old_string": "one", "new_string": "one"}));
    users.acme.post("/code/patch", same).await.expect(200, json!({"lines_changed": 0, "version": 3}));
}

async fn line_endings_stay_as_the_file_has_them(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let target = app_file("shop", "crlf.txt");
    users.put(&users.acme, target.clone(), "a\r\nb\r\nc\r\n").await;
    let edit = with(&target, json!({"old_string": "a\nb", "new_string": "a\nx\nb"}));
    users.acme.post("/code/patch", edit).await.expect(200, json!({"success": true}));
    assert_eq!(users.text(&users.acme, &target).await, "a\r\nx\r\nb\r\nc\r\n");
    // A line as `/code/get` has it, without its `\n`.
    let edit = with(&target, json!({"old_string": "b\r", "new_string": "B\nD\r"}));
    users.acme.post("/code/patch", edit).await.expect(200, json!({"line": 3, "match_type": "exact"}));
    assert_eq!(users.text(&users.acme, &target).await, "a\r\nx\r\nB\r\nD\r\nc\r\n");
}

async fn several_edits_are_one_version(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let target = file("module", "lib.py");
    let edits = json!([
        {"old_string": "value = 1", "new_string": "value = ("},
        {"old_string": "value = (", "new_string": "value = (2)"},
    ]);
    let edit = with(&target, json!({"edits": edits}));
    users.admin.post("/code/patch", edit).await.expect(200, json!({"version": 2}));
    assert_eq!(users.text(&users.admin, &target).await, "value = (2)\n");
    let edits = json!([
        {"old_string": "value", "new_string": "v"},
        {"old_string": "nothing like it", "new_string": "x"},
    ]);
    let refused = users.admin.post("/code/patch", with(&target, json!({"edits": edits}))).await;
    refused.expect(400, json!({"error": "no_match", "edit_index": 1, "message": "…`old_string`…"}));
    for (more, field) in [
        (json!({}), "old_string"),
        (json!({"old_string": "a"}), "new_string"),
        (json!({"old_string": "", "new_string": "a"}), "old_string"),
        (json!({"old_string": "a", "new_string": "b", "edits": []}), "edits"),
        (json!({"edits": []}), "edits"),
        (json!({"edits": [{"old_string": "a", "new_string": "b"}], "expected_matches": 2}), "expected_matches"),
        (json!({"old_str": "a", "new_string": "b"}), "old_str"),
    ] {
        assert_eq!(users.admin.refused_fields("POST /code/patch", with(&target, more)).await, [field]);
    }
}

async fn places_are_reported_by_line(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let target = app_file("shop", "a.txt");
    let lines: String = (1..=30).map(|line| format!("x = {line};\n")).collect();
    users.put(&users.acme, target.clone(), &format!("x = 0;\n{lines}")).await;
    let refused =
        users.acme.post("/code/patch", with(&target, json!({"old_string": "x =", "new_string": "y ="}))).await;
    let refused =
        refused.expect(400, json!({"error": "multiple_matches", "total_matches": 31, "suggestion": "…`old_string`…"}));
    let body = refused.json();
    let locations = body["match_locations"].as_array().unwrap();
    assert_eq!((locations.len(), body["matches"].as_array().unwrap().len()), (20, 20));
    for (index, location) in locations.iter().enumerate() {
        assert_eq!(*location, json!({"line": index + 1, "preview": format!("x = {index};")}));
    }
    let none = users.acme.post("/code/patch", with(&target, json!({"old_string": "x = 77;", "new_string": ""}))).await;
    none.expect(400, json!({"error": "no_match", "message": "…`old_string`…"}));
}

async fn a_patch_that_breaks_the_syntax_leaves_the_file(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let target = file("module", "lib.py");
    users.admin.post("/code/replace", with(&target, json!({"content": format!("{MODULE}other = 2\n")}))).await;
    let edit = with(&target, json!({"old_string": "other = 2", "new_string": "other = = 2"}));
    let refused = users.admin.post("/code/patch", edit).await;
    let refused = refused.expect(400, json!({"error": "invalid_code", "line": 2}));
    let body = refused.json();
    assert!(body["column"].as_u64().unwrap() > 1 && !body["detail"].as_str().unwrap().is_empty(), "{body}");
    assert_eq!(users.text(&users.admin, &target).await, format!("{MODULE}other = 2\n"));
    users.admin.post("/code/get", target.clone()).await.expect(200, json!({"version": 2}));
    let edit = with(&target, json!({"old_string": "other = 2", "new_string": "@workflow\ndef f(): ..."}));
    users.admin.post("/code/patch", edit).await.expect(
        400,
        json!({"error": "entity_type_mismatch", "declared": "module", "detected": "workflow",
            "message": "declared 'module' but content contains @workflow decorator. Use entity_type='workflow' instead."}),
    );
}

async fn a_repeated_patch_is_applied_once(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let target = app_file("shop", "a.txt");
    let key = [("idempotency-key", "made")];
    let whole = with(&target, json!({"content": "a"}));
    let edit = with(&target, json!({"old_string": "a", "new_string": "aa"}));
    for (line, key, body, status) in [
        ("POST /code/replace", "made", whole, 201),
        ("POST /code/patch", "edited", edit, 200),
        ("POST /code/delete", "deleted", target.clone(), 200),
    ] {
        let first =
            users.acme.send_with(line, &[("idempotency-key", key)], Some(&body)).await.expect(status, json!({}));
        let again =
            users.acme.send_with(line, &[("idempotency-key", key)], Some(&body)).await.expect(status, first.json());
        assert_eq!((again.header("idempotency-replayed"), first.header("idempotency-replayed")), ("true", ""));
        assert_eq!(again.json(), first.json(), "{line}");
    }
    // What only reads is no write that could be remembered.
    let list = json!({"entity_type": "module"});
    users.acme.send_with("POST /code/list", &key, Some(&list)).await.expect(200, json!({"count": 1}));
}

async fn lines_that_lack_their_indentation_are_refused_with_the_change_that_is_meant(store: TestStore) {
    const BEFORE: &str = "def f():\n    a()\n    return 1\n";
    let users = CodeUsers::new(store).await;
    let targets = [(app_file("shop", "a.py"), &users.acme), (file("module", "block.py"), &users.admin)];
    for (target, user) in targets {
        users.put(user, target.clone(), BEFORE).await;
        let edit = |more: Value| with(&target, with(&json!({"old_string": "a()", "new_string": "a()\nb()"}), more));
        let shown = json!({"error": "lost_indentation", "line": 2, "merged": {"line": 2, "end_line": 2}});
        let refused = user.post("/code/patch", edit(json!({}))).await.expect(400, shown);
        let id = refused.json()["merged"]["id"].clone();
        assert_eq!(users.text(user, &target).await, BEFORE);
        user.post("/code/patch", edit(json!({"merged": "x"}))).await.expect(409, json!({"error": "conflict"}));
        user.post("/code/patch", edit(json!({"merged": id}))).await.expect(200, json!({"match_type": "merged"}));
        assert_eq!(users.text(user, &target).await, "def f():\n    a()\n    b()\n    return 1\n");
    }
    let target = app_file("shop", "a.py");
    let exact = json!({"old_string": "b()", "new_string": "b()\nc()", "match": "exact"});
    let warned = json!({"match_type": "exact", "warnings": [{"code": "lost_indentation"}]});
    users.acme.post("/code/patch", with(&target, exact)).await.expect(200, warned);
    assert_eq!(users.text(&users.acme, &target).await, "def f():\n    a()\n    b()\nc()\n    return 1\n");
    let wrong = json!({"old_string": "b()", "new_string": "c()", "match": "loose"});
    users.acme.post("/code/patch", with(&target, wrong)).await.expect(422, json!({"error": "validation_failed"}));
}
