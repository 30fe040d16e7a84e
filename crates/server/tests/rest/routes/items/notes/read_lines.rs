//! `GET /notes/{id}?start_line=&end_line=`

use serde_json::{Value, json};

use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(
    lines_are_read_inclusively_and_the_end_is_clamped,
    impossible_ranges_are_refused_with_the_total,
    a_range_of_no_content_is_refused,
    a_range_without_content_excludes_itself,
    what_is_not_a_line_is_refused,
    prompts_are_read_by_lines_by_their_name_too,
);

async fn lines_are_read_inclusively_and_the_end_is_clamped(store: TestStore) {
    let owner = store.serve().await.owner();
    let id = text(&owner.note("x", Some("one\ntwo\r\nthree\n")).await["id"]);
    for (query, content, start, end) in [
        ("start_line=1&end_line=1", "one", 1, 1),
        ("start_line=2&end_line=2", "two\r", 2, 2),
        ("start_line=2&end_line=3", "two\r\nthree", 2, 3),
        ("start_line=2", "two\r\nthree\n", 2, 4),
        ("end_line=2", "one\ntwo\r", 1, 2),
        ("start_line=4", "", 4, 4),
        ("start_line=3&end_line=99", "three\n", 3, 4),
        ("end_line=18446744073709551615", "one\ntwo\r\nthree\n", 1, 4),
    ] {
        let metadata = json!({"total_lines": 4, "start_line": start, "end_line": end, "is_partial": true});
        let expected = json!({
            "content": content, "content_length": 15, "content_preview": null, "content_metadata": metadata,
        });
        owner.check(&format!("GET /notes/{id}?{query}"), Value::Null, 200, expected).await;
    }
    let empty = text(&owner.note("x", Some("")).await["id"]);
    let expected = json!({
        "content": "", "content_length": 0,
        "content_metadata": {"total_lines": 1, "start_line": 1, "end_line": 1, "is_partial": true},
    });
    owner.check(&format!("GET /notes/{empty}?start_line=1"), Value::Null, 200, expected).await;
}

async fn impossible_ranges_are_refused_with_the_total(store: TestStore) {
    let owner = store.serve().await.owner();
    let id = text(&owner.note("x", Some("one\ntwo")).await["id"]);
    for query in [
        "start_line=3",
        "start_line=3&end_line=9",
        "start_line=2&end_line=1",
        "start_line=9&end_line=8",
        "start_line=18446744073709551615",
    ] {
        let expected = json!({
            "error": "invalid_lines", "total_lines": 2, "message": "…2 lines…", "suggestion": "ask for lines from 1 to 2",
        });
        owner.check(&format!("GET /notes/{id}?{query}"), Value::Null, 400, expected).await;
    }
}

async fn a_range_of_no_content_is_refused(store: TestStore) {
    let owner = store.serve().await.owner();
    let id = text(&owner.note("x", None).await["id"]);
    for query in ["start_line=1", "end_line=1", "start_line=1&end_line=1&include_content=true"] {
        let expected = json!({"error": "content_empty", "message": "Content is empty; cannot retrieve lines"});
        owner.check(&format!("GET /notes/{id}?{query}"), Value::Null, 400, expected).await;
    }
}

async fn a_range_without_content_excludes_itself(store: TestStore) {
    let owner = store.serve().await.owner();
    let id = text(&owner.note("x", Some("y")).await["id"]);
    for query in ["include_content=false&start_line=1", "end_line=1&include_content=false"] {
        let message = "start_line/end_line parameters are only valid when include_content=true";
        let expected = json!({"error": "invalid_parameters", "message": message});
        owner.check(&format!("GET /notes/{id}?{query}"), Value::Null, 400, expected).await;
    }
}

async fn what_is_not_a_line_is_refused(store: TestStore) {
    let owner = store.serve().await.owner();
    let id = text(&owner.note("x", Some("y")).await["id"]);
    for value in ["0", "-1", "x", "", "1.5", "%2B1", "1e2", "99999999999999999999", "%00", "１", "0x1", "1%20"] {
        for name in ["start_line", "end_line"] {
            let fields = owner.refused_fields(&format!("GET /notes/{id}?{name}={value}"), Value::Null).await;
            assert_eq!(fields, [name], "{value}");
        }
    }
    assert_eq!(
        owner.refused_fields(&format!("GET /notes/{id}?start_line=1&start_line=2"), Value::Null).await,
        ["start_line"]
    );
    assert_eq!(
        owner.refused_fields(&format!("GET /notes/{id}?start_line=0&end_line=x"), Value::Null).await,
        ["end_line", "start_line"]
    );
}

async fn prompts_are_read_by_lines_by_their_name_too(store: TestStore) {
    let owner = store.serve().await.owner();
    owner.create("prompts", json!({"name": "hello", "content": "one\ntwo"})).await;
    let expected = json!({"content": "two", "content_metadata": {"start_line": 2, "end_line": 2, "is_partial": true}});
    owner.check("GET /prompts/name/hello?start_line=2", Value::Null, 200, expected).await;
    let refused = json!({"error": "invalid_lines", "total_lines": 2});
    owner.check("GET /prompts/name/hello?start_line=3", Value::Null, 400, refused).await;
}
