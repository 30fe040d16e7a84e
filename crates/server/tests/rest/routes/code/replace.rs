//! `POST /code/replace`

use serde_json::{Value, json};

use super::{CodeUsers, FLOW, MODULE, app_file, file, with};
use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(
    a_file_is_made_and_then_replaced,
    python_is_checked_before_it_is_stored,
    a_deleted_path_gets_a_new_file,
    of_many_that_make_one_file_one_makes_it,
    a_stale_file_is_merged_or_refused_whole,
);

async fn a_file_is_made_and_then_replaced(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let target = file("workflow", "jobs/nightly.py");
    let body = with(&target, json!({"content": FLOW}));
    let expected = json!({"success": true, "path": "jobs/nightly.py", "entity_type": "workflow",
        "organization_id": users.acme_id, "created": true, "version": 1});
    users.acme.post("/code/replace", body.clone()).await.expect(201, expected);
    users.acme.post("/code/replace", body).await.expect(200, json!({"created": false, "version": 1}));
    let other = with(&target, json!({"content": FLOW.replace("x", "y"), "expected_version": 1}));
    users.acme.post("/code/replace", other.clone()).await.expect(200, json!({"created": false, "version": 2}));
    users.acme.post("/code/replace", other).await.expect(409, json!({"error": "conflict", "current_version": 2}));
    let none = with(&file("workflow", "none.py"), json!({"content": FLOW, "expected_version": 1}));
    users.acme.post("/code/replace", none).await.expect(404, json!({"error": "not_found", "id": "none.py"}));
}

async fn python_is_checked_before_it_is_stored(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let deep = format!("x = {}1{}\n", "(".repeat(10_000), ")".repeat(10_000));
    for (kind, content, status, code) in [
        ("module", "x = \n", 400, "invalid_code"),
        ("module", "if 1:\n\tx = 1\n        y = 2\n", 400, "invalid_code"),
        ("module", deep.as_str(), 400, "invalid_code"),
        ("module", FLOW, 400, "entity_type_mismatch"),
        ("workflow", MODULE, 400, "entity_type_mismatch"),
        ("workflow", "", 400, "entity_type_mismatch"),
        ("workflow", "# @workflow\n'@workflow'\n", 400, "entity_type_mismatch"),
        ("module", "a\0", 422, "validation_failed"),
    ] {
        let body = with(&file(kind, "a.py"), json!({"content": content}));
        users.admin.post("/code/replace", body).await.expect(status, json!({"error": code}));
    }
    for (kind, path, content) in [
        ("module", "empty.py", ""),
        ("module", "bom.py", "\u{feff}x = 1\r\n"),
        ("workflow", "f.py", "import bifrost\n@bifrost.tool()\nasync def f(*, a: int | None = None): ...\n"),
    ] {
        users.put(&users.admin, file(kind, path), content).await;
        assert_eq!(users.text(&users.admin, &file(kind, path)).await, content);
    }
    users.put(&users.acme, app_file("shop", "empty"), "").await;
    users.put(&users.acme, app_file("shop", "not python.py"), "def (").await;
}

async fn a_deleted_path_gets_a_new_file(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let target = file("workflow", "acme.py");
    let first = users.acme.post("/code/delete", target.clone()).await.expect(200, json!({"success": true}));
    let first = text(&first.json()["id"]);
    users.put(&users.acme, target.clone(), FLOW).await;
    let second = text(&users.acme.post("/code/get", target).await.json()["id"]);
    assert_ne!(first, second);
    let restored = users.acme.post(&format!("/content/{first}/restore"), json!({})).await;
    restored
        .expect(409, json!({"error": "duplicate", "field": "path", "existing_id": second, "existing_state": "active"}));
}

async fn of_many_that_make_one_file_one_makes_it(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let tasks: Vec<_> = (0..12)
        .map(|number| {
            let client = users.acme.afresh();
            let body = with(&app_file("shop", "new.txt"), json!({"content": number.to_string()}));
            tokio::spawn(async move { client.post("/code/replace", body).await.status })
        })
        .collect();
    let mut statuses = Vec::new();
    for task in tasks {
        statuses.push(task.await.unwrap());
    }
    statuses.sort_unstable();
    assert_eq!((statuses[..11].to_vec(), statuses[11]), (vec![200; 11], 201));
    users.acme.post("/code/get", app_file("shop", "new.txt")).await.expect(200, json!({"version": 12}));
}

async fn a_stale_file_is_merged_or_refused_whole(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let base = "from bifrost import workflow\n\n@workflow\ndef flow(x: int = 1):\n    y = x\n    z = y\n    return z\n";
    let [theirs, ours] = [base.replace("flow(x", "start(x"), base.replace("return z", "return -z")];
    for (number, target) in
        [file("workflow", "m.py"), file("module", "m.py"), app_file("shop", "m.py")].into_iter().enumerate()
    {
        // Modules are the admin's, and have no decorated function.
        let client = if number == 1 { &users.admin } else { &users.acme };
        let of_kind = |text: &str| if number == 1 { text.replace("@workflow\n", "") } else { text.to_owned() };
        let replace = async |key: &str, content: &str, more: Value| {
            let mut body = with(&target, json!({"content": of_kind(content)}));
            body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            client.send_with("POST /code/replace", &[("idempotency-key", key)], Some(&body)).await
        };
        let key = |name: &str| format!("{name}-{number}");
        replace(&key("base"), base, json!({})).await.expect(201, json!({"version": 1}));
        replace(&key("theirs"), &theirs, json!({})).await.expect(200, json!({"version": 2}));
        let merging = json!({"expected_version": 1, "on_stale": "merge"});
        let expected = json!({"version": 3, "created": false, "merged_from": {"base": 1, "theirs": 2}});
        replace(&key("ours"), &ours, merging.clone()).await.expect(200, expected.clone());
        let replayed = replace(&key("ours"), &ours, merging.clone()).await.expect(200, expected);
        assert_eq!(replayed.header("idempotency-replayed"), "true");
        let merged = of_kind(&theirs.replace("return z", "return -z"));
        assert_eq!(users.text(client, &target).await, merged);
        let same = replace(&key("same"), &ours, merging.clone()).await.expect(200, json!({"version": 3})).json();
        assert!(same.get("merged_from").is_none(), "{same}");

        let both = replace(&key("both"), &base.replace("flow(x", "begin(x"), merging.clone()).await;
        let place = json!({"base": {"text": "def flow(x: int = 1):\n"}, "ours": {"text": "def begin(x: int = 1):\n"},
            "theirs": {"text": "def start(x: int = 1):\n"}});
        both.expect(409, json!({"error": "conflict", "current_version": 3, "conflicts": [place]}));
        let refuse = json!({"expected_version": 1, "on_stale": "refuse"});
        replace(&key("refuse"), &ours, refuse).await.expect(409, json!({"error": "conflict"}));
        for (more, field) in [
            (json!({"on_stale": "merge"}), "expected_version"),
            (json!({"on_stale": "refuse"}), "expected_version"),
            (json!({"expected_version": 1, "on_stale": "theirs"}), "on_stale"),
            (json!({"expected_version": 1, "on_stale": null}), "on_stale"),
        ] {
            let refused = replace(&key("wrong"), &ours, more).await;
            refused.expect(422, json!({"error": "validation_failed", "errors": [{"field": field}]}));
        }
        assert_eq!(users.text(client, &target).await, merged);
    }
    // A file that is valid on each side, and not when merged.
    let target = file("module", "list.py");
    users.put(&users.admin, target.clone(), "a = [\n    1,\n    2,\n    3,\n    4,\n]\n").await;
    let theirs = with(&target, json!({"content": "a = [\n    1,\n    2,\n    5 +\n    6,\n    3,\n    4,\n]\n"}));
    users.admin.post("/code/replace", theirs).await.expect(200, json!({"version": 2}));
    let ours =
        json!({"content": "if a:\n    1,\n    2,\n    3,\n    4,\n", "expected_version": 1, "on_stale": "merge"});
    let expected = json!({"error": "conflict", "conflicts": [], "refusal": {"error": "invalid_code", "line": 4}});
    users.admin.post("/code/replace", with(&target, ours)).await.expect(409, expected);
    let wrong =
        json!({"content": "a = {\n    1,\n    2,\n    3,\n    4,\n]\n", "expected_version": 1, "on_stale": "merge"});
    users.admin.post("/code/replace", with(&target, wrong)).await.expect(400, json!({"error": "invalid_code"}));
    let none = with(&file("module", "none.py"), json!({"content": "", "expected_version": 1, "on_stale": "merge"}));
    users.admin.post("/code/replace", none).await.expect(404, json!({"error": "not_found"}));
}
