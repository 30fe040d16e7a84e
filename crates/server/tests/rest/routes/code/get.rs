//! `POST /code/get`

use serde_json::json;

use super::{CodeUsers, FLOW, app_file, file, with};
use crate::support::test_store::TestStore;

on_both!(a_file_comes_back_as_it_was_written, a_long_file_is_cut, ones_own_comes_before_the_global_one);

async fn a_file_comes_back_as_it_was_written(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let content = "\u{feff}é\r\n\ttab \n\u{1f44d}";
    let target = app_file("shop", "/odd name.txt/");
    users.put(&users.acme, target.clone(), content).await;
    let answer = users.acme.post("/code/get", target).await.expect(
        200,
        json!({"path": "odd name.txt", "entity_type": "app_file", "content": content, "total_lines": 3, "version": 1,
            "content_length": 11}),
    );
    assert!(answer.json().get("truncated").is_none());
}

async fn a_long_file_is_cut(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let target = app_file("shop", "long.txt");
    users.put(&users.acme, target.clone(), &"é\n".repeat(60_000)).await;
    let answer = users.acme.post("/code/get", target).await;
    let answer = answer.expect(200, json!({"truncated": true, "content_length": 120_000, "total_lines": 60_001}));
    // At the end of a line.
    assert_eq!(answer.json()["content"], "é\n".repeat(50_000).trim_end());
}

async fn ones_own_comes_before_the_global_one(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let shared = file("workflow", "shared.py");
    let own = FLOW.replace("return x", "return -x");
    users.put(&users.acme, shared.clone(), &own).await;
    let acme = json!({"organization_id": users.acme_id});
    for (client, more, content, owner) in [
        (&users.acme, json!({}), own.as_str(), json!(users.acme_id)),
        (&users.admin, acme.clone(), &own, json!(users.acme_id)),
        (&users.admin, json!({}), FLOW, json!(null)),
        (&users.umbra, json!({}), FLOW, json!(null)),
        (&users.loner, json!({}), FLOW, json!(null)),
    ] {
        let answer = client.post("/code/get", with(&shared, more)).await;
        answer.expect(200, json!({"content": content, "organization_id": owner}));
    }
}
