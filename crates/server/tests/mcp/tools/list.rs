//! What a server says about itself and its tools: `tools/list` is the committed snapshot, within its budget of tokens,
//! and true.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::agent::Agent;
use crate::support::test_store::{TestStore, on_sqlite};

/// Tokens, about.
const BYTES_PER_TOKEN: usize = 4;

/// The servers, with the tokens that a model may see of each list, and those of the whole list.
const SERVERS: [(&str, usize, usize); 3] =
    [("content", 2_400, 6_000), ("prompts", 2_000, 6_000), ("code", 3_000, 7_500)];

/// The servers by name, with what they list.
async fn listed(store: TestStore) -> Vec<(&'static str, Agent, Vec<Value>)> {
    let world = store.serve().await;
    let mut listed = Vec::new();
    for (server, _, _) in SERVERS {
        let agent = Agent::new(world.address, server, Some(&world.store.secret));
        let tools = agent.tools().await.to_vec();
        listed.push((server, agent, tools));
    }
    listed
}

#[test]
fn the_list_is_what_was_agreed() {
    on_sqlite(async |store| {
        let mut others = Vec::new();
        for (server, _, tools) in listed(store).await {
            // A difference is a change of what models see: it goes into the changelog.
            let text = format!("{:#}\n", Value::from(tools));
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/mcp/tools-{server}.json"));
            if std::fs::read_to_string(&path).unwrap_or_default() != text {
                let new = path.with_extension("json.new");
                std::fs::write(&new, text).unwrap();
                others.push(new);
            }
        }
        assert!(others.is_empty(), "other than agreed: compare, and move over if the change is meant: {others:?}");
    });
}

#[test]
fn the_list_is_within_its_budget() {
    on_sqlite(async |store| {
        for ((server, _, tools), (_, most_seen, most)) in listed(store).await.into_iter().zip(SERVERS) {
            let seen = |tool: &Value| json!({"name": tool["name"], "description": tool["description"], "inputSchema": tool["inputSchema"]});
            let seen = Value::from_iter(tools.iter().map(seen)).to_string().len() / BYTES_PER_TOKEN;
            let whole = Value::from(tools).to_string().len() / BYTES_PER_TOKEN;
            assert!(seen <= most_seen && whole <= most, "{server}: {seen} tokens seen by a model, {whole} in all");
        }
    });
}

#[test]
fn every_tool_says_what_it_is_and_does() {
    on_sqlite(async |store| {
        let tools: Vec<Value> = listed(store).await.into_iter().flat_map(|(_, _, tools)| tools).collect();
        let hints = |tool: &Value| {
            let hints = &tool["annotations"];
            assert_eq!(hints["openWorldHint"], false, "{tool}");
            ["readOnlyHint", "destructiveHint", "idempotentHint"].map(|hint| hints[hint].as_bool().expect("a hint"))
        };
        let result: Vec<(&str, [bool; 3])> =
            tools.iter().map(|tool| (tool["name"].as_str().unwrap(), hints(tool))).collect();
        let (reads, adds, changes, settles) =
            ([true, false, true], [false, false, false], [false, true, false], [false, true, true]);
        let expected = [
            ("search_items", reads),
            ("get_item", reads),
            ("search_in_content", reads),
            ("edit_content", changes),
            ("patch_note", changes),
            ("rewrite_content", settles),
            ("update_item_metadata", settles),
            ("create_bookmark", adds),
            ("create_note", adds),
            ("list_tags", reads),
            ("item_history", reads),
            ("restore_item", settles),
            ("search_prompts", reads),
            ("get_prompt_template", reads),
            ("get_prompt_metadata", reads),
            ("edit_prompt_template", changes),
            ("update_prompt_metadata", settles),
            ("list_tags", reads),
            ("create_prompt", adds),
            ("render_prompt", reads),
            ("prompt_history", reads),
            ("restore_prompt", settles),
            ("list_content", reads),
            ("search_content", reads),
            ("read_content_lines", reads),
            ("patch_content", changes),
            ("get_content", reads),
            ("replace_content", settles),
            ("delete_content", settles),
            ("content_history", reads),
            ("restore_content", settles),
            ("list_workflows", reads),
            ("get_workflow", reads),
            ("validate_workflow", reads),
            ("list_apps", reads),
            ("create_app", adds),
            ("get_app", reads),
            ("update_app", settles),
            ("publish_app", changes),
            ("delete_app", settles),
            ("restore_app", settles),
            ("list_organizations", reads),
        ];
        assert_eq!(result, expected);
        for tool in &tools {
            for member in ["title", "description"] {
                assert!(!tool[member].as_str().unwrap_or_default().is_empty(), "{tool}");
            }
            assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
            assert_strict(&tool["inputSchema"], tool);
        }
    });
}

/// Whether an object has whatever members a caller likes: the values that a prompt is rendered with, a navigation.
fn is_free(schema: &Value) -> bool {
    *schema == json!({"type": "object", "additionalProperties": true})
}

/// Demands that objects have no other members than those listed, and lists have items.
fn assert_strict(schema: &Value, tool: &Value) {
    match schema["type"].as_str() {
        Some("object") if is_free(schema) => {
            let name = tool["name"].as_str().unwrap();
            assert!(["render_prompt", "create_app", "update_app"].contains(&name), "{tool}");
        }
        Some("object") => {
            assert_eq!(schema["additionalProperties"], false, "{tool}");
            let none = Map::new();
            let members = schema["properties"].as_object().unwrap_or(&none);
            members.values().for_each(|member| assert_strict(member, tool));
        }
        Some("array") => assert_strict(&schema["items"], tool),
        Some("string" | "integer" | "boolean") => {}
        other => panic!("{other:?} in {tool}"),
    }
}

/// A value that a schema allows.
fn sample(schema: &Value) -> Value {
    if let Some(words) = schema["enum"].as_array() {
        return words[0].clone();
    }
    match schema["type"].as_str() {
        Some("string") => json!("0190a6f4-7b3c-7def-8123-456789abcdef"),
        Some("integer") => schema["maximum"].as_u64().unwrap_or(7).into(),
        Some("boolean") => true.into(),
        Some("array") => json!([sample(&schema["items"])]),
        Some("object") if is_free(schema) => json!({"any": 1}),
        Some("object") => {
            let members = schema["properties"].as_object().expect("properties").iter();
            members.map(|(name, schema)| (name.clone(), sample(schema))).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_listed_argument_is_accepted_and_no_other() {
    on_sqlite(async |store| {
        for (_, agent, tools) in listed(store).await {
            for tool in &tools {
                assert_takes_what_it_lists(&agent, tool).await;
            }
        }
    });
}

async fn assert_takes_what_it_lists(agent: &Agent, tool: &Value) {
    let name = tool["name"].as_str().unwrap();
    let Value::Object(mut whole) = sample(&tool["inputSchema"]) else { panic!("an object") };
    let refusal = agent.call(name, Value::Object(whole.clone())).await.err().unwrap_or_default();
    let errors = refusal["errors"].as_array().cloned().unwrap_or_default();
    // They may exclude each other or mean nothing that is there, but each is known and of the right type.
    for message in errors.iter().filter_map(|error| error["message"].as_str()) {
        let is_misread = ["is not a field", "invalid", "unknown"].iter().any(|part| message.contains(part));
        assert!(!is_misread, "{name}: {refusal}");
    }
    whole.insert("speling".to_owned(), json!(1));
    let refusal = agent.refused(name, Value::Object(whole), json!({"error": "validation_failed"})).await;
    assert_eq!(refusal["errors"][0]["field"], "speling", "{name}: {refusal}");
}

#[test]
fn a_server_introduces_itself() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        for (server, capabilities, tool) in [
            ("content", json!({"tools": {}, "resources": {}, "completions": {}}), "edit_content"),
            (
                "prompts",
                json!({"tools": {}, "resources": {}, "completions": {}, "prompts": {}}),
                "edit_prompt_template",
            ),
            ("code", json!({"tools": {}, "resources": {}, "completions": {}}), "patch_content"),
        ] {
            let agent = Agent::new(world.address, server, Some(&world.store.secret));
            for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
                let client = json!({"name": "test", "version": "1"});
                let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client});
                let message = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
                let answer = agent.post(message.to_string(), &[]).await.json();
                let result = &answer["result"];
                assert_eq!(result["protocolVersion"], version, "{answer}");
                assert_eq!(result["serverInfo"]["name"], format!("interline-{server}"));
                assert_eq!(result["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
                assert_eq!(result["capabilities"], capabilities);
                let instructions = result["instructions"].as_str().unwrap();
                assert!(instructions.len() < 1_200 && instructions.contains(tool), "{instructions}");
            }
        }
    });
}

#[test]
fn the_newest_protocol_needs_no_handshake() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let agent = Agent::new(world.address, "content", Some(&world.store.secret));
        let prefix = "io.modelcontextprotocol";
        let meta = json!({
            format!("{prefix}/protocolVersion"): "2026-07-28",
            format!("{prefix}/clientInfo"): {"name": "test", "version": "1"},
            format!("{prefix}/clientCapabilities"): {},
        });
        let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "server/discover")];
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": meta}});
        let result = agent.post(message.to_string(), &headers).await.json();
        let versions = result["result"]["supportedVersions"].as_array().expect("versions");
        assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2025-06-18")), "{result}");
    });
}
