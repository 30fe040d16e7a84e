//! `POST /code/search`

use serde_json::{Value, json};

use super::{CodeUsers, FLOW, app_file, file, with};
use crate::support::test_store::TestStore;

on_both!(matches_are_listed_with_lines_around, scope_and_paths_narrow_it, bad_searches_are_refused);

async fn matches_are_listed_with_lines_around(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let app = users.acme.get("/apps/shop").await.id();
    let lines: String = (1..=30).map(|line| format!("line {line}\n")).collect();
    users.put(&users.acme, app_file("shop", "a.txt"), &lines).await;
    let search = json!({"entity_type": "app_file", "app_id": "shop"});
    let asked = |more: Value| with(&search, more);
    users.acme.post("/code/search", asked(json!({"pattern": "line 1[01]", "context_lines": 1}))).await.expect(
        200,
        json!({"total_matches": 2, "files_searched": 3, "truncated": false, "matches": [
            {"path": "a.txt", "app_id": app, "line_number": 10, "match": "line 10", "context_before": ["9: line 9"],
                "context_after": ["11: line 11"]},
            {"line_number": 11, "context_before": ["10: line 10"], "context_after": ["12: line 12"]},
        ]}),
    );
    // At the edges of a file there are fewer lines; endings are left out.
    users.put(&users.acme, app_file("shop", "b.txt"), "first\r\nsecond\r\n\r\nfourth").await;
    for (pattern, before, after) in [
        ("first", json!([]), json!(["2: second", "3: ", "4: fourth"])),
        ("second", json!(["1: first"]), json!(["3: ", "4: fourth"])),
        ("fourth", json!(["1: first", "2: second", "3: "]), json!([])),
    ] {
        let found = json!({"matches": [{"context_before": before, "context_after": after}]});
        users.acme.post("/code/search", asked(json!({"pattern": pattern}))).await.expect(200, found);
    }
    let all = users.acme.post("/code/search", asked(json!({"pattern": "line"}))).await;
    let all = all.expect(200, json!({"total_matches": 30, "truncated": true}));
    assert_eq!(all.json()["matches"].as_array().unwrap().len(), 20);
    let some = asked(json!({"pattern": "line", "max_results": 1_000}));
    users.acme.post("/code/search", some).await.expect(200, json!({"total_matches": 30, "truncated": false}));
    for (more, total) in [
        (json!({"pattern": "LINE 7"}), 0),
        (json!({"pattern": "LINE 7", "case_sensitive": false}), 1),
        (json!({"pattern": "line .", "literal": true}), 0),
        (json!({"pattern": "^line .$"}), 9),
        (json!({"pattern": "nowhere"}), 0),
    ] {
        users.acme.post("/code/search", asked(more)).await.expect(200, json!({"total_matches": total}));
    }
    // A search right after a write sees it.
    let edit = with(&app_file("shop", "a.txt"), json!({"old_string": "line 7", "new_string": "nowhere"}));
    users.acme.post("/code/patch", edit).await.expect(200, json!({}));
    let found = users.acme.post("/code/search", asked(json!({"pattern": "nowhere"}))).await;
    found.expect(200, json!({"total_matches": 1, "matches": [{"line_number": 7}]}));
}

async fn scope_and_paths_narrow_it(store: TestStore) {
    let users = CodeUsers::new(store).await;
    users.put(&users.acme, file("workflow", "jobs/a.py"), FLOW).await;
    let acme = users.acme_id.clone();
    for (client, more, paths) in [
        (&users.acme, json!({}), &["acme.py", "jobs/a.py", "shared.py"][..]),
        (&users.acme, json!({"path_prefix": "jobs/"}), &["jobs/a.py"]),
        (&users.acme, json!({"path": "/acme.py"}), &["acme.py"]),
        (&users.admin, json!({}), &["shared.py"]),
        (&users.admin, json!({"organization_id": acme}), &["acme.py", "jobs/a.py", "shared.py"]),
        (&users.umbra, json!({}), &["shared.py"]),
        (&users.umbra, json!({"organization_id": acme}), &[]),
        (&users.loner, json!({}), &["shared.py"]),
    ] {
        let body = with(&json!({"entity_type": "workflow", "pattern": "def flow"}), more);
        let found = client.post("/code/search", body).await.expect(200, json!({"total_matches": paths.len()})).json();
        let shown: Vec<&str> =
            found["matches"].as_array().unwrap().iter().map(|one| one["path"].as_str().unwrap()).collect();
        assert_eq!(shown, paths);
    }
    let body = json!({"entity_type": "app_file", "app_id": "shop", "pattern": "export"});
    users.umbra.post("/code/search", body).await.expect(404, json!({"error": "not_found", "type": "app"}));
}

async fn bad_searches_are_refused(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let search = json!({"entity_type": "module", "pattern": "value"});
    for (more, field) in [
        (json!({"entity_type": "note"}), "entity_type"),
        (json!({"entity_type": "app_file"}), "app_id"),
        (json!({"pattern": ""}), "pattern"),
        (json!({"pattern": "a\0"}), "pattern"),
        (json!({"pattern": 1}), "pattern"),
        (json!({"context_lines": 11}), "context_lines"),
        (json!({"max_results": 0}), "max_results"),
        (json!({"max_results": 1_001}), "max_results"),
        (json!({"path": "../a.py"}), "path"),
        (json!({"organization_id": users.acme_id}), "organization_id"),
        (json!({"regex": true}), "regex"),
    ] {
        assert_eq!(users.admin.refused_fields("POST /code/search", with(&search, more)).await, [field]);
    }
    for pattern in ["(", "(?=a)", r"(a)\1", "a{1000}{1000}{1000}"] {
        let refused = users.admin.post("/code/search", with(&search, json!({"pattern": pattern}))).await;
        refused.expect(400, json!({"error": "invalid_pattern"}));
    }
    // What explodes elsewhere takes linear time.
    let text = format!("value = '{}'\n", "a".repeat(30_000));
    let whole = with(&file("module", "a.py"), json!({"content": text}));
    users.admin.post("/code/replace", whole).await.expect(201, json!({}));
    let exploding = with(&search, json!({"pattern": "(a+)+$"}));
    users.admin.post("/code/search", exploding).await.expect(200, json!({"total_matches": 0}));
}
