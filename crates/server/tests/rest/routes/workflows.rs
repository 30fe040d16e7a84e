//! `/workflows`

use serde_json::json;

use crate::routes::code::{CodeUsers, FLOW, file};
use crate::support::test_store::TestStore;

on_both!(functions_are_listed_with_what_is_known_of_them, one_is_found_by_name_or_path, validation_stores_nothing);

const TWO: &str = "from bifrost import tool, workflow\n\n\
    @workflow(name=\"Zwei\", description=\"Counts\", retries=3, tags=[\"a\", None])\n\
    async def two(who: str, /, n=2, *args, key: dict[str, int] = {}, **rest):\n    \"\"\"Says how many.\"\"\"\n\n\
    @tool\ndef helper(): ...\n";

async fn functions_are_listed_with_what_is_known_of_them(store: TestStore) {
    let users = CodeUsers::new(store).await;
    users.put(&users.acme, file("workflow", "two.py"), TWO).await;
    let listed = users.acme.get("/workflows?query=zwei").await;
    listed.expect(
        200,
        json!({"count": 1, "workflows": [{
            "path": "two.py", "organization_id": users.acme_id, "version": 1, "function": "two", "name": "Zwei",
            "decorator": "workflow", "line": 4, "description": "Counts", "category": null, "doc": "Says how many.",
            "options": {"retries": 3, "tags": ["a", null]},
            "parameters": [
                {"name": "who", "kind": "positional_only", "annotation": "str", "default": null},
                {"name": "n", "kind": "standard", "annotation": null, "default": "2"},
                {"name": "args", "kind": "var_positional"},
                {"name": "key", "kind": "keyword_only", "annotation": "dict[str, int]", "default": "{}"},
                {"name": "rest", "kind": "var_keyword"},
            ],
        }]}),
    );
    let acme = users.acme_id.clone();
    for (client, query, names) in [
        (&users.acme, String::new(), json!([{"name": "flow"}, {"name": "flow"}, {"name": "Zwei"}, {"name": "helper"}])),
        (&users.umbra, String::new(), json!([{"path": "shared.py", "organization_id": null}])),
        (&users.acme, "?category=OPS".to_owned(), json!([{"name": "flow"}, {"name": "flow"}])),
        (&users.acme, "?category=none".to_owned(), json!([])),
        (&users.admin, format!("?organization_id={acme}&query=two.py"), json!([{}, {}])),
        (&users.umbra, format!("?organization_id={acme}"), json!([])),
    ] {
        client.get(&format!("/workflows{query}")).await.expect(200, json!({"workflows": names}));
    }
    let refused = users.acme.refused_fields("GET /workflows?organization_id=acme", json!(null)).await;
    assert_eq!(refused, ["organization_id"]);
}

async fn one_is_found_by_name_or_path(store: TestStore) {
    let users = CodeUsers::new(store).await;
    users.put(&users.acme, file("workflow", "two.py"), TWO).await;
    for (query, found) in [
        ("workflow_name=two", json!([{"function": "two"}])),
        ("workflow_name=Zwei", json!([{"function": "two"}])),
        ("path=two.py", json!([{"function": "two"}, {"function": "helper"}])),
        ("path=two.py&function=helper", json!([{"function": "helper"}])),
        ("workflow_name=flow", json!([{"path": "acme.py"}])),
    ] {
        users.acme.get(&format!("/workflows/find?{query}")).await.expect(200, json!({"workflows": found}));
    }
    for query in ["workflow_name=none", "path=none.py", "path=two.py&function=none"] {
        let refused = users.acme.get(&format!("/workflows/find?{query}")).await;
        refused.expect(404, json!({"error": "not_found", "type": "workflow"}));
    }
    users.acme.get("/workflows/find").await.expect(422, json!({"errors": [{"field": "workflow_name"}]}));
    for query in ["workflow_name=a&path=b.py", "workflow_name=a&function=b"] {
        let refused = users.acme.get(&format!("/workflows/find?{query}")).await;
        refused.expect(400, json!({"error": "invalid_parameters"}));
    }
    users.put(&users.acme, file("workflow", "again.py"), FLOW).await;
    let refused = users.acme.get("/workflows/find?workflow_name=flow").await;
    refused.expect(400, json!({"error": "invalid_parameters", "message": "…give `path`…"}));
}

async fn validation_stores_nothing(store: TestStore) {
    let users = CodeUsers::new(store).await;
    for (body, expected) in [
        (
            json!({"content": FLOW}),
            json!({"valid": true, "errors": [], "warnings": [], "functions": [{"name": "flow"}]}),
        ),
        (json!({"path": "shared.py"}), json!({"valid": true, "functions": [{"function": "flow"}]})),
        (json!({"content": "@workflow\ndef f(:"}), json!({"valid": false, "errors": [{"line": 2}], "functions": []})),
        (json!({"content": "x = 1"}), json!({"valid": false, "errors": [{"line": 1, "message": "…no @workflow…"}]})),
        (json!({"content": "@tool\ndef f(): ..."}), json!({"valid": true, "warnings": ["…description…"]})),
    ] {
        users.acme.post("/workflows/validate", body).await.expect(200, expected);
    }
    for (body, field) in [
        (json!({}), "content"),
        (json!({"content": "a", "path": "b.py"}), "path"),
        (json!({"content": "a\0"}), "content"),
        (json!({"path": "../a.py"}), "path"),
    ] {
        assert_eq!(users.acme.refused_fields("POST /workflows/validate", body).await, [field]);
    }
    users.acme.post("/workflows/validate", json!({"path": "none.py"})).await.expect(404, json!({"error": "not_found"}));
    users.acme.get("/content?type=workflow").await.expect(200, json!({"total": 2}));
}
