//! `POST /code/read`

use serde_json::json;

use super::{CodeUsers, app_file, with};
use crate::support::test_store::TestStore;

on_both!(lines_are_numbered, lines_that_are_not_there_are_refused);

async fn lines_are_numbered(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let long: String = (1..=300).map(|line| format!("line {line}\r\n")).collect();
    let target = app_file("shop", "long.txt");
    users.put(&users.acme, target.clone(), &long).await;
    for (more, start, end, first, last) in [
        (json!({}), 1, 101, "1: line 1\n", "\n101: line 101"),
        (json!({"start_line": 200}), 200, 300, "200: line 200\n", "\n300: line 300"),
        (json!({"start_line": 5, "end_line": 5}), 5, 5, "5: line 5", "5: line 5"),
        (json!({"start_line": 300, "end_line": 9_999}), 300, 301, "300: line 300\n", "\n301: "),
        (json!({"end_line": 2}), 1, 2, "1: line 1\n", "\n2: line 2"),
    ] {
        let read = users.acme.post("/code/read", with(&target, more)).await;
        let read =
            read.expect(200, json!({"path": "long.txt", "total_lines": 301, "start_line": start, "end_line": end}));
        let content = read.json()["content"].as_str().unwrap().to_owned();
        assert!(content.starts_with(first) && content.ends_with(last), "{content}");
        assert!(!content.contains('\r'));
    }
}

async fn lines_that_are_not_there_are_refused(store: TestStore) {
    let users = CodeUsers::new(store).await;
    let target = app_file("shop", "empty.txt");
    users.put(&users.acme, target.clone(), "").await;
    users.acme.post("/code/read", target.clone()).await.expect(200, json!({"content": "1: ", "total_lines": 1}));
    for more in [json!({"start_line": 2}), json!({"start_line": 2, "end_line": 1})] {
        let refused = users.acme.post("/code/read", with(&target, more)).await;
        refused.expect(400, json!({"error": "invalid_lines", "total_lines": 1}));
    }
    for (more, field) in [
        (json!({"start_line": 0}), "start_line"),
        (json!({"end_line": 0}), "end_line"),
        (json!({"start_line": -1}), "start_line"),
        (json!({"end_line": "2"}), "end_line"),
    ] {
        assert_eq!(users.acme.refused_fields("POST /code/read", with(&target, more)).await, [field]);
    }
}
