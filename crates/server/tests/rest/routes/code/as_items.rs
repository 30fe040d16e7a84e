//! Code by the routes of items: `/content/{id}/…` works on it as on a note.

use serde_json::{Value, json};

use super::{CodeUsers, FLOW, MODULE, app_file, file, with};
use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(
    every_item_route_works_on_code,
    every_edit_of_python_is_checked,
    lists_and_searches_have_code_too,
    code_has_its_place_in_answers,
);

async fn every_item_route_works_on_code(store: TestStore) {
    let users = CodeUsers::new(store).await;
    for (client, kind, target, content) in [
        (&users.admin, "module", file("module", "lib.py"), MODULE),
        (&users.acme, "workflow", file("workflow", "acme.py"), FLOW),
        (&users.acme, "app_file", app_file("shop", "a.txt"), "one\ntwo\n"),
    ] {
        if kind == "app_file" {
            users.put(client, target.clone(), content).await;
        }
        let id = text(&client.post("/code/get", target.clone()).await.json()["id"]);
        let path = format!("/content/{id}");
        client.get(&path).await.expect(200, json!({"type": kind, "path": target["path"], "content": content}));
        client.get(&format!("{path}?type={kind}&start_line=1&end_line=1")).await.expect(200, json!({"version": 1}));
        client.get(&format!("{path}?type=note")).await.expect(404, json!({"error": "not_found"}));
        client.get(&format!("/notes/{id}")).await.expect(404, json!({"error": "not_found", "actual_type": kind}));
        client.patch(&path, json!({"title": "T", "add_tags": ["a"]})).await.expect(200, json!({"version": 2}));
        let end = json!({"at": "end", "new_str": "# end"});
        client.post(&format!("{path}/insert"), end).await.expect(200, json!({"version": 3, "type": kind}));
        let lines = json!({"operations": [{"start_line": 1, "end_line": 0, "content": "# start"}]});
        client.patch(&format!("{path}/content"), lines).await.expect(200, json!({"version": 4}));
        let edit = json!({"old_str": "# start", "new_str": "# begin"});
        client.patch(&format!("{path}/str-replace"), edit).await.expect(200, json!({"version": 5}));
        let edits = json!({"edits": [{"old_str": "# begin", "new_str": "# b"}, {"old_str": "# b", "new_str": "# c"}]});
        client.post(&format!("{path}/edits"), edits).await.expect(200, json!({"version": 6}));
        let delete = json!({"content_to_delete": "# c\n"});
        client.post(&format!("{path}/delete-content"), delete).await.expect(200, json!({"version": 7}));
        client.get(&format!("{path}/search?q=end")).await.expect(200, json!({"total_matches": 1}));
        client.get(&format!("{path}/history")).await.expect(200, json!({"total": 7}));
        client.get(&format!("{path}/history/1")).await.expect(200, json!({"content": content, "path": target["path"]}));
        client.get(&format!("{path}/history/3/diff")).await.expect(200, json!({"changed_fields": ["content"]}));
        let back = client.post(&format!("{path}/history/1/restore"), json!({})).await;
        back.expect(200, json!({"version": 8, "content": content}));
        let last = client.get(&format!("{path}/history?limit=1")).await;
        last.expect(
            200,
            json!({"items": [{"version": 8, "action": "restore", "changed_fields": ["title", "tags", "content"]}]}),
        );
        client
            .patch(&path, json!({"path": "moved/a.py"}))
            .await
            .expect(200, json!({"version": 9, "path": "moved/a.py"}));
        client.post(&format!("{path}/archive"), json!({})).await.expect(200, json!({}));
        client.post(&format!("{path}/unarchive"), json!({})).await.expect(200, json!({}));
        client.post(&format!("{path}/track-usage"), json!({})).await.expect(200, json!({}));
        client.delete(&path).await.expect(204, Value::Null);
        client.post(&format!("{path}/restore"), json!({})).await.expect(200, json!({"type": kind}));
        let moved = with(&target, json!({"path": "moved/a.py"}));
        assert_eq!(users.text(client, &moved).await, content);
        client.delete(&format!("{path}?permanent=true")).await.expect(204, Value::Null);
    }
}

async fn every_edit_of_python_is_checked(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let target = file("module", "lib.py");
    let id = text(&users.admin.post("/code/get", target.clone()).await.json()["id"]);
    let path = format!("/content/{id}");
    let mut lines = vec![
        (format!("PATCH {path}"), json!({"content": "def f("})),
        (format!("PATCH {path}/str-replace"), json!({"old_str": "1", "new_str": "("})),
        (
            format!("PATCH {path}/content"),
            json!({"operations": [{"start_line": 1, "end_line": 1, "content": "def f("}]}),
        ),
        (format!("POST {path}/insert"), json!({"at": "start", "new_str": "def f("})),
        (format!("POST {path}/delete-content"), json!({"content_to_delete": " 1"})),
        (format!("POST {path}/edits"), json!({"edits": [{"old_str": "1", "new_str": "("}]})),
    ];
    lines.push(("POST /code/replace".to_owned(), with(&target, json!({"content": "def f("}))));
    lines.push(("POST /code/patch".to_owned(), with(&target, json!({"old_string": "1", "new_string": "("}))));
    for (line, body) in lines {
        users.admin.send(&line, Some(&body)).await.expect(400, json!({"error": "invalid_code"}));
    }
    users.admin.patch(&path, json!({"path": "../x.py"})).await.expect(422, json!({"errors": [{"field": "path"}]}));
    users.admin.patch(&path, json!({"path": null})).await.expect(422, json!({"errors": [{"field": "path"}]}));
    users.admin.patch(&path, json!({"content": null})).await.expect(422, json!({"errors": [{"field": "content"}]}));
    users.admin.get(&path).await.expect(200, json!({"version": 1, "content": MODULE}));
    let note = users.admin.note("n", None).await;
    let note = format!("/notes/{}", text(&note["id"]));
    users.admin.patch(&note, json!({"path": "a.py"})).await.expect(422, json!({"errors": [{"field": "path"}]}));
}

async fn lists_and_searches_have_code_too(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let total = async |path: &str| users.acme.get(path).await.expect(200, json!({})).json()["total"].clone();
    // Two workflows, a module, two files of each app.
    assert_eq!(total("/content").await, json!(7));
    assert_eq!(total("/content?type=workflow").await, json!(2));
    assert_eq!(total("/content?type=app_file&type=module").await, json!(5));
    assert_eq!(total("/notes").await, json!(0));
    assert_eq!(total("/content?regex=%5Edef%20flow").await, json!(2));
    let found = users.acme.get("/content?q=acme.py").await;
    found.expect(200, json!({"total": 1, "items": [{"path": "acme.py", "snippet": {"field": "path"}}]}));
    assert_eq!(users.umbra.get("/content?q=acme.py").await.json()["total"], json!(0));
}

async fn code_has_its_place_in_answers(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let shop = users.acme.get("/apps/shop").await.id();
    let page = users.acme.get("/content?sort_by=created_at&sort_order=asc").await.json();
    for item in page["items"].as_array().unwrap() {
        let owner = match item["path"].as_str().unwrap() {
            "acme.py" => json!(users.acme_id),
            "shared.py" | "lib.py" => Value::Null,
            _ => {
                assert!(item["app_id"].is_string() && item.get("organization_id").is_none(), "{item}");
                continue;
            }
        };
        assert_eq!(item.get("organization_id"), Some(&owner), "{item}");
        assert!(item.get("app_id").is_none(), "{item}");
    }
    let file = users.acme.post("/code/get", app_file("shop", "_layout.tsx")).await;
    let item = users.acme.get(&format!("/content/{}", file.id())).await;
    item.expect(200, json!({"type": "app_file", "app_id": shop, "path": "_layout.tsx"}));
    let note = users.acme.note("n", None).await;
    for member in ["path", "app_id", "organization_id"] {
        assert!(note.get(member).is_none(), "{note}");
    }
}
