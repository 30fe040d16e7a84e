//! `POST /notes`

use serde_json::{Value, json};

use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(
    a_note_is_answered_as_it_is_stored,
    a_content_is_kept_byte_for_byte,
    fields_are_normalised,
    values_at_their_limits_are_taken,
    values_over_their_limits_are_refused_with_the_figures,
    wrong_fields_are_named,
    all_wrong_fields_are_reported_at_once,
    the_answer_leaves_the_content_out_when_asked,
);

async fn a_note_is_answered_as_it_is_stored(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    let body = json!({"title": "Plan", "description": "For spring", "tags": ["b", "a"], "content": "one\ntwo"});
    let made = owner.post("/notes", body).await;
    assert_eq!(made.header("etag"), "\"1.0\"");
    assert_eq!(made.header("location"), format!("/notes/{}", made.id()));
    let made = made.expect(
        201,
        json!({
            "type": "note", "title": "Plan", "description": "For spring", "tags": ["b", "a"], "version": 1,
            "last_used_at": null, "archived_at": null, "deleted_at": null,
            "content_length": 7, "content_preview": null, "content": "one\ntwo",
            "content_metadata": {"total_lines": 2, "start_line": 1, "end_line": 2, "is_partial": false},
        }),
    );
    let item = made.json();
    for absent in ["url", "name", "arguments", "path", "space"] {
        assert!(item.get(absent).is_none(), "{absent}: {item}");
    }
    assert_eq!(item["created_at"], item["updated_at"]);
    let at = text(&item["created_at"]);
    assert!(at.len() == "2023-11-14T22:13:20.000000Z".len() && at.ends_with('Z'), "{at}");
    assert_eq!(uuid::Uuid::parse_str(&made.id()).unwrap().get_version_num(), 7);
    assert_eq!(owner.get(&format!("/notes/{}", made.id())).await.expect(200, json!({})).json(), item);
}

async fn a_content_is_kept_byte_for_byte(store: TestStore) {
    let owner = store.serve().await.owner();
    for content in
        ["", " ", "a\r\nb\r", "trailing  \n\n", "\u{feff}bom", "e\u{301}\u{2028}👍\u{1}\u{7f}", "\t\\\"\u{0080}"]
    {
        let made = owner.note("Bytes", Some(content)).await;
        let read = owner.get(&format!("/notes/{}", text(&made["id"]))).await.json();
        for item in [&made, &read] {
            assert_eq!(item["content"], content);
            assert_eq!(item["content_length"], content.chars().count());
        }
    }
    let without = owner.note("None", None).await;
    let empty = json!({"content": null, "content_length": null, "content_preview": null, "content_metadata": null});
    crate::support::json_assertion::assert_within("without content", &empty, &without);
}

async fn fields_are_normalised(store: TestStore) {
    let owner = store.serve().await.owner();
    for (given, kept) in [
        (json!({"title": "  Plan\u{a0}"}), json!({"title": "  Plan\u{a0}", "description": null, "tags": []})),
        (
            json!({"title": "x", "tags": [" Rust ", "RUST", "rust/Async-io_2"]}),
            json!({"tags": ["rust", "rust/async-io_2"]}),
        ),
        (json!({"title": "x", "tags": ["E\u{301}TE\u{301}", "日本語"]}), json!({"tags": ["été", "日本語"]})),
        (json!({"title": "x", "description": null, "content": null}), json!({"description": null, "content": null})),
        (json!({"title": "x", "type": "note"}), json!({"type": "note"})),
        (json!({"title": "x", "description": ""}), json!({"description": ""})),
    ] {
        owner.check("POST /notes", given, 201, kept).await;
    }
}

async fn values_at_their_limits_are_taken(store: TestStore) {
    let owner = store.serve().await.owner();
    let tags: Vec<String> = (0..100).map(|number| format!("{number:0>64}")).collect();
    let body = json!({"title": "ä".repeat(500), "description": "👍".repeat(4_000), "tags": tags});
    owner.check("POST /notes", body.clone(), 201, body).await;
    let eight_mebibytes = "x".repeat(8 * 1024 * 1024);
    let body = json!({"title": "x", "content": eight_mebibytes});
    owner.check("POST /notes", body, 201, json!({"content_length": 8 * 1024 * 1024})).await;
}

async fn values_over_their_limits_are_refused_with_the_figures(store: TestStore) {
    let owner = store.serve().await.owner();
    let many: Vec<String> = (0..101).map(|number| format!("t{number}")).collect();
    for (body, field, message) in [
        (json!({"title": "x".repeat(501)}), "title", "…501 characters; the limit is 500…"),
        (
            json!({"title": "x", "description": "x".repeat(4_001)}),
            "description",
            "…4001 characters; the limit is 4000…",
        ),
        (json!({"title": "x", "tags": ["x".repeat(65)]}), "tags[0]", "…65 characters; the limit is 64…"),
        (json!({"title": "x", "tags": many}), "tags", "…101 tags; the limit is 100…"),
    ] {
        let errors = json!({"error": "validation_failed", "errors": [{"field": field, "message": message}]});
        owner.check("POST /notes", body, 422, errors).await;
    }
    let body = json!({"title": "x", "content": "ä".repeat(4 * 1024 * 1024 + 1)});
    let refused = json!({"error": "too_large", "limit": 8_388_608, "actual": 8_388_610, "message": "…8388610 bytes, and 8388608…"});
    owner.check("POST /notes", body, 413, refused).await;
}

async fn wrong_fields_are_named(store: TestStore) {
    let owner = store.serve().await.owner();
    for (body, field, message) in [
        (json!({}), "title", "…is required…"),
        (json!({"title": null}), "title", "……"),
        (json!({"title": " \t\u{3000}"}), "title", "…blank…"),
        (json!({"title": 1}), "title", "…integer `1`…"),
        (json!({"title": ["x"]}), "title", "…a list, expected a string…"),
        (json!({"title": "x", "titel": "y"}), "titel", "…is not a field here…"),
        (json!({"title": "x", "id": "y"}), "id", "…is not a field here…"),
        (json!({"title": "x", "add_tags": []}), "add_tags", "…is not a field here…"),
        (json!({"title": "x", "version": 1}), "version", "…is not a field here…"),
        (json!({"title": "x", "tags": "abc"}), "tags", "…expected a list…"),
        (json!({"title": "x", "tags": [1]}), "tags[0]", "…integer `1`…"),
        (json!({"title": "x", "tags": [null]}), "tags[0]", "…null…"),
        (json!({"title": "x", "tags": null}), "tags", "…null…"),
        (json!({"title": "x", "tags": {}}), "tags", "…an object, expected a list…"),
        (json!({"title": "x", "tags": ["ok", "a b"]}), "tags[1]", "a tag has no blanks: write `a-b` instead of `a b`"),
        (json!({"title": "x", "tags": ["a--b"]}), "tags[0]", "…does not follow a letter or digit…"),
        (json!({"title": "x", "tags": [" "]}), "tags[0]", "…blank…"),
        (json!({"title": "x", "content": 5}), "content", "…integer `5`…"),
        (json!({"title": "x", "description": true}), "description", "…boolean…"),
        (json!({"title": "a\0"}), "title", "…character 2 is NUL…"),
        (json!({"title": "x", "description": "\0"}), "description", "…character 1 is NUL…"),
        (json!({"title": "x", "content": "äb\0"}), "content", "…character 3 is NUL…"),
        (json!({"title": "x", "tags": ["a\0"]}), "tags[0]", "…NUL…"),
        (json!({"title": "x", "url": "https://example.org"}), "url", "…not a field of this kind…"),
        (json!({"title": "x", "name": "x"}), "name", "…not a field of this kind…"),
        (json!({"title": "x", "arguments": []}), "arguments", "…not a field of this kind…"),
        (json!({"title": "x", "arguments": null}), "arguments", "…null…"),
        (json!({"title": "x", "type": "bookmark"}), "type", "……"),
        (json!({"title": "x", "type": "poem"}), "type", "…must be one of note, bookmark, prompt…"),
        (json!({"title": "x", "type": null}), "type", "…null…"),
        (json!([]), "body", "……"),
        (json!(["x"]), "body", "……"),
        (json!("x"), "body", "……"),
        (json!(5), "body", "……"),
    ] {
        let expected = json!({
            "error": "validation_failed",
            "errors": [{"field": field, "message": message}],
            "suggestion": "correct the fields named in `errors`",
        });
        owner.check("POST /notes", body, 422, expected).await;
    }
    owner.check("GET /notes", Value::Null, 200, json!({"total": 0})).await;
}

async fn all_wrong_fields_are_reported_at_once(store: TestStore) {
    let owner = store.serve().await.owner();
    let body = json!({"title": " ", "description": "\0", "tags": ["a b"], "url": "x", "content": "\0"});
    assert_eq!(owner.refused_fields("POST /notes", body).await, ["content", "description", "tags[0]", "title", "url"]);
}

async fn the_answer_leaves_the_content_out_when_asked(store: TestStore) {
    let owner = store.serve().await.owner();
    let content = "ä".repeat(501);
    let expected = json!({
        "content": null, "content_metadata": null, "content_length": 501, "content_preview": "ä".repeat(500),
    });
    owner.check("POST /notes?include_content=false", json!({"title": "x", "content": content}), 201, expected).await;
    assert_eq!(
        owner.refused_fields("POST /notes?include_content=maybe", json!({"title": "x"})).await,
        ["include_content"]
    );
}
