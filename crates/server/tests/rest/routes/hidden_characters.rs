//! Names, paths, tags and titles with characters that are not seen, and in several Unicode forms: at every route that takes one.

use serde_json::{Value, json};

use crate::support::test_store::TestStore;

on_both!(
    what_is_not_seen_is_refused_by_every_field_that_names_something,
    a_name_that_was_stored_before_is_found_and_can_be_changed,
    a_path_has_one_spelling,
);

/// A character that is not seen, and how the error of it ends.
const HIDDEN: [(&str, &str); 5] = [
    ("\u{202e}", "a control of the direction of text (U+202E); remove it"),
    ("\u{2066}", "a control of the direction of text (U+2066); remove it"),
    ("\u{2028}", "a line separator (U+2028); remove it"),
    ("\u{feff}", "a byte order mark (U+FEFF); remove it"),
    ("\u{200b}", "an invisible character (U+200B); remove it"),
];

fn file(path: &str) -> Value {
    json!({"entity_type": "module", "path": path, "content": "a = 1\n"})
}

async fn what_is_not_seen_is_refused_by_every_field_that_names_something(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    let organization = owner.post("/organizations", json!({"name": "x"})).await.expect(201, json!({})).id();
    let requests = |text: &str| {
        [
            ("POST /notes", json!({"title": text}), "title"),
            ("POST /notes", json!({"title": "a", "tags": [text]}), "tags[0]"),
            ("POST /prompts", json!({"name": text, "content": "a"}), "name"),
            ("POST /code/replace", file(&format!("{text}.py")), "path"),
            ("POST /users", json!({"name": text}), "name"),
            ("POST /users", json!({"name": "a", "email": text}), "email"),
            ("POST /tokens", json!({"name": text}), "name"),
            ("POST /organizations", json!({"name": text}), "name"),
            ("POST /apps", json!({"name": text, "slug": "a", "organization_id": organization}), "name"),
        ]
    };
    for (character, reason) in HIDDEN {
        for (line, body, field) in requests(&format!("a{character}b")) {
            let refused = owner.check(line, body, 422, json!({"error": "validation_failed"})).await.json();
            let problem = &refused["errors"][0];
            assert_eq!(problem["field"], field, "{line}: {refused}");
            let message = problem["message"].as_str().unwrap();
            // The names of prompts have letters of ASCII alone, which their errors say.
            let expected =
                if line == "POST /prompts" { "`code-review-2`".to_owned() } else { format!("character 2 is {reason}") };
            assert!(message.ends_with(&expected), "{line}: {message}");
            assert!(!refused.to_string().contains(character), "{line}: {refused}");
        }
    }
    for blank in [" ", "\u{3164}", "\u{2800}"] {
        for (line, body, field) in requests(blank) {
            let body = if field == "path" { file(&format!("a/{blank}/b.py")) } else { body };
            assert_eq!(owner.refused_fields(line, body).await, [field], "{line} {}", blank.escape_unicode());
        }
    }
    for title in ["سلام\u{200f}!", "می\u{200c}خواهم", "👩\u{200d}💻"] {
        owner.post("/notes", json!({"title": title})).await.expect(201, json!({"title": title}));
    }
}

async fn a_name_that_was_stored_before_is_found_and_can_be_changed(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    owner.post("/code/replace", file("old.py")).await.expect(201, json!({}));
    let note = owner.create("notes", json!({"title": "old"})).await;
    for statement in [
        "UPDATE items SET path = 'cafe\u{301}\u{200b}.py' WHERE path = 'old.py'",
        "UPDATE items SET title = 'old\u{202e}' WHERE title = 'old'",
    ] {
        server.store.execute(statement).await;
    }
    // A server that has not read the items before.
    let server = server.store.opened_again().await.serve().await;
    let owner = server.owner();
    let path = "cafe\u{301}\u{200b}.py";
    let read = json!({"entity_type": "module", "path": path, "old_string": "a = 1", "new_string": "a = 2"});
    owner.post("/code/patch", read).await.expect(200, json!({"success": true}));
    let id = note["id"].as_str().unwrap();
    let read = owner.get(&format!("/notes/{id}")).await.expect(200, json!({"title": "old\u{202e}"})).json();
    // A client that sends back what it has read changes nothing.
    owner
        .patch(&format!("/notes/{id}"), json!({"title": read["title"], "description": "x"}))
        .await
        .expect(200, json!({}));
    assert_eq!(owner.refused_fields(&format!("PATCH /notes/{id}"), json!({"title": "new\u{202e}"})).await, ["title"]);
    owner.patch(&format!("/notes/{id}"), json!({"title": "new"})).await.expect(200, json!({"title": "new"}));
}

async fn a_path_has_one_spelling(store: TestStore) {
    let server = store.serve().await;
    let owner = server.owner();
    owner.post("/code/replace", file("café.py")).await.expect(201, json!({}));
    let refused = owner.check("POST /code/replace", file("cafe\u{301}.py"), 422, json!({})).await.json();
    let message = refused["errors"][0]["message"].as_str().unwrap();
    assert!(message.contains("character 4") && message.contains("spell it `café.py`"), "{message}");
    // One that was stored decomposed keeps its place: there is no second file beside it.
    owner.post("/code/replace", file("old.py")).await.expect(201, json!({}));
    server.store.execute("UPDATE items SET path = 'u\u{308}ber.py' WHERE path = 'old.py'").await;
    let server = server.store.opened_again().await.serve().await;
    server.owner().post("/code/replace", file("u\u{308}ber.py")).await.expect(200, json!({"created": false}));
    server.owner().check("POST /code/replace", file("über.py"), 409, json!({"error": "duplicate"})).await;
}
