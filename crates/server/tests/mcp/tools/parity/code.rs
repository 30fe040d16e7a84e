//! Parity of the code tools: the same parameters at both doors.

use serde_json::{Value, json};

use super::{Row, assert_same, row, with};
use crate::support::client::Client;
use crate::support::test_store::TestStore;

on_both!(both_doors_do_the_same_to_code);

const WORKFLOW: &str =
    "@workflow(category=\"mail\")\ndef send(to: str, retries: int = 3):\n    \"\"\"Sends.\"\"\"\n    return to\n";

/// Arguments about the workflow at a path.
fn workflow(path: &str, mut more: Value) -> Value {
    (more["entity_type"], more["path"]) = ("workflow".into(), path.into());
    more
}

/// The same request of a file at both doors.
fn same(rest: &'static str, tool: &'static str, arguments: Value) -> Row {
    row(rest, arguments.clone(), tool, arguments)
}

fn files() -> Vec<Row> {
    let patch = |more: Value| same("POST /code/patch", "patch_content", workflow("send.py", more));
    let replace = |path: &str, content: &str, more: Value| {
        same("POST /code/replace", "replace_content", workflow(path, with(more, "content", content)))
    };
    let read = |more: Value| same("POST /code/read", "read_content_lines", workflow("send.py", more));
    let get = |arguments: Value| same("POST /code/get", "get_content", arguments);
    let delete = |arguments: Value| same("POST /code/delete", "delete_content", arguments);
    let list = |arguments: Value| same("POST /code/list", "list_content", arguments);
    let search = |more: Value| same("POST /code/search", "search_content", with(more, "entity_type", "workflow"));
    vec![
        search(json!({"pattern": "def \\w+"})),
        search(json!({"pattern": "RETURN TO", "literal": true, "case_sensitive": false, "context_lines": 0})),
        search(json!({"pattern": "e", "max_results": 1})),
        search(json!({"pattern": "nowhere at all"})),
        search(json!({"pattern": "("})),
        search(json!({"pattern": ""})),
        search(json!({"pattern": "e", "path": "send.py", "path_prefix": "s"})),
        search(json!({"pattern": "e", "app_id": "reports"})),
        patch(json!({"old_string": "return to", "new_string": "return None"})),
        patch(json!({"old_string": "return to", "new_string": "return ("})),
        patch(json!({"old_string": "to", "new_string": "x"})),
        patch(json!({"old_string": "nothing", "new_string": "x"})),
        patch(json!({"old_string": "@workflow(category=\"mail\")\n", "new_string": ""})),
        patch(json!({"old_string": "return to", "new_string": "return 1", "dry_run": true})),
        patch(json!({"old_string": "return to", "new_string": "return 1", "expected_version": 7})),
        patch(json!({"old_string": "", "new_string": "x"})),
        patch(json!({"old_string": "return to"})),
        patch(json!({"edits": [
            {"old_string": "return to", "new_string": "return x"}, {"old_string": "to: str", "new_string": "x: str"}]})),
        patch(json!({"edits": [
            {"old_string": "return to", "new_string": "x"}, {"old_string": "e", "new_string": "x"}]})),
        patch(json!({"edits": []})),
        replace("send.py", WORKFLOW, json!({})),
        replace("send.py", "@tool\ndef other():\n    pass\n", json!({"expected_version": 1})),
        replace("send.py", "@tool\ndef other():\n    pass\n", json!({"expected_version": 4})),
        replace("new/one.py", WORKFLOW, json!({})),
        replace("new/one.py", WORKFLOW, json!({"expected_version": 1})),
        replace("new/one.py", "x = 1\n", json!({})),
        replace("new/one.py", "def (", json!({})),
        replace("new/one.txt", WORKFLOW, json!({})),
        replace("../one.py", WORKFLOW, json!({})),
        same(
            "POST /code/replace",
            "replace_content",
            json!({"entity_type": "module", "path": "a.py", "content": "x = 1\n"}),
        ),
        same(
            "POST /code/replace",
            "replace_content",
            json!({"entity_type": "app_file", "app_id": "reports", "path": "a.css", "content": "p {}\n"}),
        ),
        read(json!({})),
        read(json!({"start_line": 2, "end_line": 3})),
        read(json!({"start_line": 9})),
        read(json!({"start_line": 0})),
        get(workflow("send.py", json!({}))),
        get(workflow("nothing.py", json!({}))),
        get(workflow("send.py", json!({"app_id": "reports"}))),
        get(json!({"entity_type": "app_file", "path": "_layout.tsx"})),
        get(json!({"entity_type": "app_file", "app_id": "reports", "path": "_layout.tsx"})),
        get(json!({"entity_type": "app_file", "app_id": "nobody", "path": "_layout.tsx"})),
        get(json!({"entity_type": "note", "path": "a"})),
        list(json!({"entity_type": "workflow"})),
        list(json!({"entity_type": "app_file", "app_id": "reports", "path_prefix": "pages/"})),
        list(json!({"entity_type": "app_file"})),
        delete(workflow("send.py", json!({}))),
        delete(workflow("nothing.py", json!({}))),
    ]
}

fn histories() -> Vec<Row> {
    let get =
        |rest: &'static str, path: &str, more: Value| row(rest, Value::Null, "content_history", workflow(path, more));
    let restore =
        |rest: &'static str, path: &str, more: Value| row(rest, Value::Null, "restore_content", workflow(path, more));
    vec![
        get("GET /content/{edited}/history", "edited.py", json!({})),
        get("GET /content/{edited}/history?limit=1", "edited.py", json!({"limit": "1"})),
        get("GET /content/{gone}/history", "gone.py", json!({})),
        get("GET /content/{nobody}/history", "nothing.py", json!({})),
        get("GET /content/{edited}/history/2/diff", "edited.py", json!({"version": 2})),
        get("GET /content/{edited}/history/2/diff?against=0", "edited.py", json!({"version": 2, "against": 0})),
        get("GET /content/{edited}/history/9/diff", "edited.py", json!({"version": 9})),
        restore("POST /content/{edited}/history/1/restore", "edited.py", json!({"version": 1})),
        restore("POST /content/{edited}/history/9/restore", "edited.py", json!({"version": 9})),
        restore("POST /content/{edited}/restore", "edited.py", json!({})),
        restore("POST /content/{gone}/restore", "gone.py", json!({})),
        restore("POST /content/{gone}/history/1/restore", "gone.py", json!({"version": 1})),
        restore("POST /content/{taken}/restore", "taken.py", json!({})),
        restore("POST /content/{nobody}/restore", "nothing.py", json!({})),
    ]
}

fn app_moves() -> Vec<Row> {
    let moved =
        |rest: &'static str, tool: &'static str, app: &str| row(rest, Value::Null, tool, json!({"app_id": app}));
    vec![
        moved("DELETE /apps/reports", "delete_app", "reports"),
        moved("DELETE /apps/{app}", "delete_app", "{app}"),
        moved("DELETE /apps/old", "delete_app", "old"),
        moved("DELETE /apps/nobody", "delete_app", "nobody"),
        moved("POST /apps/old/restore", "restore_app", "old"),
        moved("POST /apps/{old}/restore", "restore_app", "{old}"),
        moved("POST /apps/reports/restore", "restore_app", "reports"),
        moved("POST /apps/nobody/restore", "restore_app", "nobody"),
        row("GET /apps?view=deleted", Value::Null, "list_apps", json!({"view": "deleted"})),
        row("GET /apps?view=archived", Value::Null, "list_apps", json!({"view": "archived"})),
    ]
}

fn others() -> Vec<Row> {
    let get = |path: &'static str, tool: &'static str, arguments: Value| row(path, Value::Null, tool, arguments);
    vec![
        get("GET /workflows", "list_workflows", json!({})),
        get("GET /workflows?query=SEND", "list_workflows", json!({"query": "SEND"})),
        get("GET /workflows?category=other", "list_workflows", json!({"category": "other"})),
        get("GET /workflows/find?workflow_name=send", "get_workflow", json!({"workflow_name": "send"})),
        get("GET /workflows/find?workflow_name=nobody", "get_workflow", json!({"workflow_name": "nobody"})),
        get("GET /workflows/find?path=send.py", "get_workflow", json!({"path": "send.py"})),
        same("POST /workflows/validate", "validate_workflow", json!({"content": WORKFLOW})),
        same("POST /workflows/validate", "validate_workflow", json!({"content": "def ("})),
        same("POST /workflows/validate", "validate_workflow", json!({"path": "send.py"})),
        same("POST /workflows/validate", "validate_workflow", json!({})),
        get("GET /apps", "list_apps", json!({})),
        same("POST /apps", "create_app", json!({"name": "Other", "navigation": {"a": [1]}})),
        same("POST /apps", "create_app", json!({"name": "Reports"})),
        same("POST /apps", "create_app", json!({"name": ""})),
        get("GET /apps/reports", "get_app", json!({"app_id": "reports"})),
        get("GET /apps/nobody", "get_app", json!({"app_id": "nobody"})),
        row(
            "PATCH /apps/reports",
            json!({"name": "New", "description": "d"}),
            "update_app",
            json!({"app_id": "reports", "name": "New", "description": "d"}),
        ),
        row("PATCH /apps/reports", json!({"slug": "A B"}), "update_app", json!({"app_id": "reports", "slug": "A B"})),
        row("POST /apps/reports/publish", Value::Null, "publish_app", json!({"app_id": "reports"})),
        row("POST /apps/nobody/publish", Value::Null, "publish_app", json!({"app_id": "nobody"})),
        get("GET /organizations", "list_organizations", json!({})),
    ]
}

/// What is there before a request.
async fn before(rest: &Client) -> Vec<(&'static str, String)> {
    let file = workflow("send.py", json!({"content": WORKFLOW}));
    rest.check("POST /code/replace", file, 201, json!({"created": true})).await;
    let id = |answer: Value| answer["id"].as_str().unwrap().to_owned();
    let write = async |path: &str| {
        let file = workflow(path, json!({"content": WORKFLOW}));
        rest.check("POST /code/replace", file, 201, json!({"created": true})).await;
        let newest = rest.get("/content?type=workflow&sort_by=created_at&limit=1").await.json();
        id(newest["items"][0].clone())
    };
    let delete =
        async |path: &str| drop(rest.check("POST /code/delete", workflow(path, json!({})), 200, json!({})).await);
    let app = async |name: &str| id(rest.check("POST /apps", json!({"name": name}), 201, json!({})).await.json());
    let (edited, gone) = (write("edited.py").await, write("gone.py").await);
    write("taken.py").await;
    let edit = workflow("edited.py", json!({"old_string": "return to", "new_string": "return None"}));
    rest.check("POST /code/patch", edit, 200, json!({"version": 2})).await;
    delete("gone.py").await;
    delete("taken.py").await;
    // Where a file is again, that one is meant.
    let taken = write("taken.py").await;
    let (reports, old) = (app("Reports").await, app("Old").await);
    rest.delete(&format!("/apps/{old}")).await.expect(204, Value::Null);
    vec![
        ("{edited}", edited),
        ("{gone}", gone),
        ("{taken}", taken),
        ("{app}", reports),
        ("{old}", old),
        ("{nobody}", "0190a6f4-7b3c-7def-8123-456789abcdef".to_owned()),
    ]
}

/// A user of an organization of their own.
async fn member(owner: &Client, name: &str) -> Value {
    let made = owner.check("POST /organizations", json!({"name": "Acme"}), 201, json!({})).await.json();
    json!({"name": name, "organization_id": made["id"]})
}

async fn both_doors_do_the_same_to_code(store: TestStore) {
    assert_same(store, "code", [files(), histories(), others(), app_moves()].into_iter().flatten(), member, before)
        .await;
}
