//! Tools of an agent whose writes are kept as proposals: what they answer, and what the agent sees.

use serde_json::json;

use crate::agent::Agent;
use crate::support::client::text;
use crate::support::test_store::TestStore;

on_both!(
    a_write_says_in_words_that_a_person_has_to_accept_it,
    a_rejection_is_told_once_and_found_in_the_history,
    prompts_and_code_are_proposed_too,
);

async fn a_write_says_in_words_that_a_person_has_to_accept_it(store: TestStore) {
    let world = store.serve().await;
    let owner = world.owner();
    let (proposing, _) = owner.new_token(json!({"name": "agent", "agent": true, "writes": "propose"})).await;
    let agent = Agent::new(world.address, "content", proposing.secret());
    let id = text(&owner.note("Plan", Some("one\ntwo\n")).await["id"]);
    let edit = json!({"id": id, "old_str": "two", "new_str": "2", "reason": "shorter"});
    let result = agent.request("tools/call", json!({"name": "edit_content", "arguments": edit})).await.unwrap();
    assert_eq!(result["structuredContent"]["applied"], false, "{result}");
    assert_eq!(result["structuredContent"]["proposal"]["state"], "pending");
    let words = result["content"][1]["text"].as_str().unwrap();
    assert!(words.contains("a person has to accept") && words.contains("without waiting"), "{words}");
    agent.check("get_item", json!({"id": id}), json!({"pending": true, "version": 1, "content": "one\n2\n"})).await;
    owner.get(&format!("/notes/{id}")).await.expect(200, json!({"version": 1, "content": "one\ntwo\n"}));
    let resource = agent.request("resources/read", json!({"uri": format!("interline://note/{id}")})).await.unwrap();
    assert!(resource.to_string().contains("one\\ntwo"), "resources show what is stored: {resource}");
    let made = agent.check("create_note", json!({"title": "New"}), json!({"applied": false})).await;
    agent.check("get_item", json!({"id": made["id"]}), json!({"pending": true, "title": "New"})).await;
    agent.check("search_items", json!({"query": "New"}), json!({"total": 0})).await;
}

async fn a_rejection_is_told_once_and_found_in_the_history(store: TestStore) {
    let world = store.serve().await;
    let owner = world.owner();
    let (proposing, _) = owner.new_token(json!({"name": "agent", "agent": true, "writes": "propose"})).await;
    let agent = Agent::new(world.address, "content", proposing.secret());
    let id = text(&owner.note("Plan", Some("one\ntwo\n")).await["id"]);
    let call = |new: &str| json!({"id": id, "old_str": "one", "new_str": new});
    let made = agent.check("edit_content", call("1"), json!({})).await;
    let proposal = text(&made["proposal"]["id"]);
    let why = json!({"reason": "keep the words"});
    owner.post(&format!("/proposals/{proposal}/reject"), why).await.expect(200, json!({}));
    let history = agent.check("item_history", json!({"id": id}), json!({})).await;
    assert_eq!(history["rejected"][0]["reason"], "keep the words", "{history}");
    let told = agent.request("tools/call", json!({"name": "edit_content", "arguments": call("I")})).await.unwrap();
    assert_eq!(told["structuredContent"]["rejected"]["reason"], "keep the words", "{told}");
    assert!(told["content"][1]["text"].as_str().unwrap().contains("keep the words"), "{told}");
    let again = agent.check("edit_content", json!({"id": id, "old_str": "two", "new_str": "2"}), json!({})).await;
    assert!(again.get("rejected").is_none(), "{again}");
}

async fn prompts_and_code_are_proposed_too(store: TestStore) {
    let world = store.serve().await;
    let owner = world.owner();
    let (proposing, _) = owner.new_token(json!({"name": "agent", "agent": true, "writes": "propose"})).await;
    let prompts = Agent::new(world.address, "prompts", proposing.secret());
    prompts.check("create_prompt", json!({"name": "greet", "content": "Hello"}), json!({"applied": false})).await;
    let edit = json!({"name": "greet", "old_str": "Hello", "new_str": "Hi"});
    prompts.check("edit_prompt_template", edit, json!({"applied": false, "proposal": {"revision": 2}})).await;
    let code = Agent::new(world.address, "code", proposing.secret());
    let file = json!({"entity_type": "module", "path": "a.py", "content": "x = 1\n"});
    code.check("replace_content", file, json!({"applied": false})).await;
    let read = json!({"entity_type": "module", "path": "a.py"});
    code.check("get_content", read, json!({"content": "x = 1\n", "pending": true})).await;
    code.refused("create_app", json!({"name": "shop"}), json!({"error": "forbidden"})).await;
    owner.get("/prompts/name/greet").await.expect(404, json!({}));
}
