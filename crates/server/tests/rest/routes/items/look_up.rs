//! `GET /content/lookup`

use serde_json::{Value, json};

use crate::support::client::{Client, text};
use crate::support::test_store::TestStore;

on_both!(
    an_item_is_found_by_what_people_call_it,
    an_exact_name_comes_before_beginnings_of_ids,
    what_others_have_is_not_found,
    wrong_requests_are_refused,
);

async fn found(client: &Client, item: &str) -> Vec<String> {
    let answer = client.get(&format!("/content/lookup?item={item}")).await;
    let items = answer.expect(200, json!({"has_more": false})).json()["items"].take();
    items.as_array().expect("a list").iter().map(|item| text(&item["id"])).collect()
}

async fn an_item_is_found_by_what_people_call_it(store: TestStore) {
    let owner = store.serve().await.owner();
    let note = text(&owner.note("Plan", Some("text")).await["id"]);
    let prompt = text(&owner.create("prompts", json!({"name": "greet", "content": "Hi"})).await["id"]);
    for name in [note.clone(), note.to_ascii_uppercase(), note.replace('-', ""), note[..24].to_owned()] {
        assert_eq!(found(&owner, &name).await, [note.as_str()], "{name}");
    }
    assert_eq!(found(&owner, &note[..4]).await, [note.as_str(), prompt.as_str()], "both, in the order of their ids");
    assert_eq!(found(&owner, "greet").await, [prompt.as_str()]);
    owner.delete(&format!("/prompts/{prompt}")).await.expect(204, Value::Null);
    assert_eq!(found(&owner, "greet").await, [prompt.as_str()], "in the trash too");
    let again = text(&owner.create("prompts", json!({"name": "greet", "content": "Hi"})).await["id"]);
    assert_eq!(found(&owner, "greet").await, [again.as_str()]);
    for nothing in ["nothing", "019", "zzzz", "01890000-0000-7000-8000-000000000000", "..", "%00", "a%2Fb.py"] {
        assert_eq!(found(&owner, nothing).await, Vec::<String>::new(), "{nothing}");
    }
    let shape = owner.get("/content/lookup?item=greet").await.json();
    assert_eq!((&shape["items"][0]["content"], &shape["items"][0]["content_preview"]), (&Value::Null, &json!("Hi")));
    for number in 0..11 {
        owner.note(&format!("note {number}"), None).await;
    }
    let many = owner.get(&format!("/content/lookup?item={}", &note[..4])).await.json();
    assert_eq!((many["items"].as_array().map(Vec::len), &many["has_more"]), (Some(10), &json!(true)));
}

async fn an_exact_name_comes_before_beginnings_of_ids(store: TestStore) {
    let owner = store.serve().await.owner();
    let note = text(&owner.note("Plan", None).await["id"]);
    let prompt = owner.create("prompts", json!({"name": &note[..4], "content": "Hi"})).await;
    assert_eq!(found(&owner, &note[..4]).await, [text(&prompt["id"])]);
}

async fn what_others_have_is_not_found(store: TestStore) {
    let owner = store.serve().await.owner();
    let note = text(&owner.note("Plan", None).await["id"]);
    owner.create("prompts", json!({"name": "greet", "content": "Hi"})).await;
    let (other, _) = owner.new_user("grace").await;
    for name in [&note, &note[..20], &note[..4], "greet"] {
        assert_eq!(found(&other, name).await, Vec::<String>::new(), "{name}");
    }
    let (narrow, _) = owner.new_token(json!({"name": "notes", "kinds": ["note"]})).await;
    assert_eq!(found(&narrow, "greet").await, Vec::<String>::new());
    assert_eq!(found(&narrow, &note[..4]).await, [note.as_str()]);
}

async fn wrong_requests_are_refused(store: TestStore) {
    let owner = store.serve().await.owner();
    for query in ["", "?item=", "?item=a&item=b"] {
        let answer = owner.get(&format!("/content/lookup{query}")).await;
        answer.expect(422, json!({"error": "validation_failed"}));
    }
}
