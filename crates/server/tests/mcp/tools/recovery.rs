//! `merged` in refusals, and its id in the repeated call: `edit_content`, `edit_prompt_template`, `patch_content`.

use serde_json::{Value, json};

use crate::agent::Agent;
use crate::support::test_store::TestStore;

on_both!(a_slip_in_a_note_is_recovered, a_slip_in_a_prompt_is_recovered, a_slip_in_code_is_recovered);

const BEFORE: &str = "Intro.\n\nAsk Ann about the keys.\nAsk Bob about the door.\nAsk Eve about the rest.\nThe end.\n";
/// As an agent remembers it: one word is wrong, in a line that stays.
const OLD: &str = "Ask Ann about the cars.\nAsk Bob about the door.\nAsk Eve about the rest.";
const NEW: &str = "Ask Ann about the cars.\nAsk Bob about the window.\nAsk Eve about the rest.";

fn with(one: &Value, more: Value) -> Value {
    let (Value::Object(mut one), Value::Object(more)) = (one.clone(), more) else { panic!("no objects") };
    one.extend(more);
    one.into()
}

/// Makes a call that slips, then with ids that it was not given, then with the one that it was.
async fn recover(agent: &Agent, tool: &str, call: Value, changed: &str) {
    let refused = agent.refused(tool, call.clone(), json!({"error": "no_match", "merged": {}})).await;
    let id = refused["merged"]["id"].as_str().expect("an id").to_owned();
    let diff = refused["merged"]["diff"].as_str().unwrap();
    assert!(diff.contains("door") && diff.contains("window"), "{diff}");
    for unknown in ["", "x", &id[1..], &format!("{id}0")] {
        let refused = agent.call(tool, with(&call, json!({"merged": unknown}))).await;
        assert!(refused.is_err(), "{tool} took {unknown:?}");
    }
    // The id is that of one change: another text is another change.
    let other = with(&call, json!({"merged": id, changed: NEW.replace("window", "roof")}));
    agent.refused(tool, other, json!({"error": "conflict"})).await;
    let dry =
        agent.check(tool, with(&call, json!({"merged": id, "dry_run": true})), json!({"match_type": "merged"})).await;
    assert_eq!(dry["dry_run"], true, "{dry}");
    agent.check(tool, with(&call, json!({"merged": id})), json!({"match_type": "merged", "version": 2})).await;
    // What it was made for is gone.
    assert!(agent.call(tool, with(&call, json!({"merged": id}))).await.is_err(), "{tool} applied it twice");
}

async fn a_slip_in_a_note_is_recovered(store: TestStore) {
    let world = store.serve().await;
    let agent = Agent::new(world.address, "content", Some(&world.store.secret));
    let (id, other) = (agent.note("Plan", BEFORE).await, agent.note("Other", BEFORE).await);
    let call = json!({"id": id, "old_str": OLD, "new_str": NEW});
    let of_other = agent.refused("edit_content", with(&call, json!({"id": other})), json!({"merged": {}})).await;
    let foreign = with(&call, json!({"merged": of_other["merged"]["id"]}));
    agent.refused("edit_content", foreign, json!({"error": "conflict"})).await;
    recover(&agent, "edit_content", call, "new_str").await;
    assert_eq!(agent.content(&id).await, BEFORE.replace("door", "window"), "the document's own word stays");
    assert_eq!(agent.content(&other).await, BEFORE);
}

async fn a_slip_in_a_prompt_is_recovered(store: TestStore) {
    let world = store.serve().await;
    let agent = Agent::new(world.address, "prompts", Some(&world.store.secret));
    agent.check("create_prompt", json!({"name": "ask", "content": BEFORE}), json!({})).await;
    recover(&agent, "edit_prompt_template", json!({"name": "ask", "old_str": OLD, "new_str": NEW}), "new_str").await;
    let read = agent.check("get_prompt_template", json!({"name": "ask"}), json!({})).await;
    assert!(read.to_string().contains("Ask Ann about the keys.\\nAsk Bob about the window."), "{read}");
}

async fn a_slip_in_code_is_recovered(store: TestStore) {
    let world = store.serve().await;
    let agent = Agent::new(world.address, "code", Some(&world.store.secret));
    let app = agent.check("create_app", json!({"name": "shop"}), json!({})).await;
    let file = json!({"entity_type": "app_file", "app_id": app["id"], "path": "notes.md"});
    agent.check("replace_content", with(&file, json!({"content": BEFORE})), json!({})).await;
    recover(&agent, "patch_content", with(&file, json!({"old_string": OLD, "new_string": NEW})), "new_string").await;
    let read = agent.check("get_content", file, json!({})).await;
    assert_eq!(read["content"], BEFORE.replace("door", "window"));
}
