//! What agents cannot do, at the MCP servers: every tool is called, over HTTP with a person's token and over a connection of
//! its own. None manages users, tokens or webhooks, none purges, none decides about changes, and all leave work to review.

use std::collections::BTreeSet;

use interline_server::McpServer;
use serde_json::{Value, json};

use crate::agent::Agent;
use crate::listener::Connection;
use crate::support::client::{Client, text};
use crate::support::openapi_document::operations;
use crate::support::test_store::{TestServer, TestStore};

on_both!(
    every_tool_has_a_call,
    over_http_a_persons_token_does_only_what_agents_may,
    over_a_connection_only_what_agents_may_is_done,
);

/// What people alone may do, by the ids of the operations.
const FOR_PEOPLE: &[&str] = &[
    "keep_change_sets",
    "keep_changes",
    "undo_changes",
    "accept_proposal",
    "accept_proposals",
    "reject_proposal",
    "reject_proposals",
    "create_token",
    "rename_token",
    "delete_token",
    "create_webhook",
    "update_webhook",
    "delete_webhook",
    "create_organization",
    "create_user",
    "delete_user",
];

/// Arguments that would mean what people alone may do.
const NO_ARGUMENTS: &[&str] =
    &["permanent", "purge", "agent", "writes", "scopes", "review", "change_set", "keep", "undo"];

/// A call of each tool that agents may use, which is all of them, in an order in which each can be answered. Names in braces are
/// filled with what there is. A new tool without a call fails [`every_tool_has_a_call`].
fn calls() -> Vec<(McpServer, &'static str, Value)> {
    use McpServer::{Code, Content, Prompts};
    let flow = |more: Value| with(json!({"entity_type": "workflow", "path": "flow.py"}), more);
    vec![
        (Content, "search_items", json!({})),
        (Content, "get_item", json!({"id": "{note}"})),
        (Content, "search_in_content", json!({"id": "{note}", "query": "text"})),
        (Content, "list_tags", json!({})),
        (Content, "item_history", json!({"id": "{note}"})),
        (Content, "edit_content", json!({"id": "{note}", "old_str": "text", "new_str": "other"})),
        (
            Content,
            "patch_note",
            json!({"note_id": "{note}", "operations": [{"start_line": 1, "end_line": 1, "content": "patched"}]}),
        ),
        (Content, "restore_item", json!({"id": "{note}", "version": 1})),
        (Content, "rewrite_content", json!({"id": "{note}", "content": "all", "expected_version": 4})),
        (Content, "create_note", json!({"title": "B"})),
        (Content, "create_bookmark", json!({"url": "https://example.org/b"})),
        (Content, "update_item_metadata", json!({"id": "{note}", "deleted": true})),
        (Prompts, "search_prompts", json!({})),
        (Prompts, "get_prompt_template", json!({"name": "greet"})),
        (Prompts, "get_prompt_metadata", json!({"name": "greet"})),
        (Prompts, "list_tags", json!({})),
        (Prompts, "render_prompt", json!({"name": "greet"})),
        (Prompts, "prompt_history", json!({"name": "greet"})),
        (Prompts, "edit_prompt_template", json!({"name": "greet", "old_str": "text", "new_str": "other"})),
        (Prompts, "restore_prompt", json!({"name": "greet", "version": 1})),
        (Prompts, "create_prompt", json!({"name": "new", "content": "x"})),
        (Prompts, "update_prompt_metadata", json!({"name": "greet", "deleted": true})),
        (Code, "list_organizations", json!({})),
        (Code, "list_content", json!({"entity_type": "workflow"})),
        (Code, "search_content", json!({"entity_type": "workflow", "pattern": "flow"})),
        (Code, "read_content_lines", flow(json!({}))),
        (Code, "get_content", flow(json!({}))),
        (Code, "content_history", flow(json!({}))),
        (Code, "list_workflows", json!({})),
        (Code, "get_workflow", json!({"path": "flow.py"})),
        (Code, "validate_workflow", json!({"path": "flow.py"})),
        (Code, "patch_content", flow(json!({"old_string": "def flow", "new_string": "def flow2"}))),
        (Code, "replace_content", flow(json!({"content": "@workflow\ndef flow3(): ...\n"}))),
        (Code, "delete_content", flow(json!({}))),
        (Code, "restore_content", flow(json!({}))),
        (Code, "list_apps", json!({})),
        (Code, "create_app", json!({"name": "new"})),
        (Code, "get_app", json!({"app_id": "tools"})),
        (Code, "update_app", json!({"app_id": "tools", "description": "x"})),
        (Code, "publish_app", json!({"app_id": "tools"})),
        (Code, "delete_app", json!({"app_id": "tools"})),
        (Code, "restore_app", json!({"app_id": "tools"})),
    ]
}

fn with(mut arguments: Value, more: Value) -> Value {
    let Value::Object(more) = more else { panic!("{more}") };
    arguments.as_object_mut().unwrap().extend(more);
    arguments
}

/// What a tool reads only.
fn reads(tool: &Value) -> bool {
    tool["annotations"]["readOnlyHint"] == true
}

async fn every_tool_has_a_call(store: TestStore) {
    let world = store.serve().await;
    let mut listed = BTreeSet::new();
    for server in McpServer::ALL {
        let agent = Agent::new(world.address, server.name(), Some(&world.store.secret));
        for tool in agent.tools().await {
            listed.insert((server.name(), text(&tool["name"])));
            for argument in tool["inputSchema"]["properties"].as_object().into_iter().flatten() {
                assert!(!NO_ARGUMENTS.contains(&argument.0.as_str()), "{}: {}", tool["name"], argument.0);
            }
        }
    }
    let called: BTreeSet<_> = calls().into_iter().map(|(server, tool, _)| (server.name(), tool.to_owned())).collect();
    assert_eq!(listed, called, "tools (left) and calls of this file (right) differ: say how agents use each");
    let ids: BTreeSet<String> =
        operations().iter().map(|operation| text(&operation.description["operationId"])).collect();
    for id in FOR_PEOPLE {
        assert!(ids.contains(*id), "there is no operation {id}");
    }
}

/// What people alone may change, as the owner sees it.
async fn of_people(owner: &Client) -> Vec<Value> {
    let mut all = Vec::new();
    for path in ["/webhooks", "/users", "/organizations", "/tokens"] {
        let mut seen = owner.get(path).await.expect(200, json!({})).json();
        for token in seen["tokens"].as_array_mut().into_iter().flatten() {
            token["last_used_at"] = Value::Null;
        }
        all.push(seen);
    }
    all
}

/// The ids of all items, those in the trash too.
async fn items(owner: &Client) -> BTreeSet<String> {
    let path = "/content?view=active&view=archived&view=deleted&limit=100";
    let listed = owner.get(path).await.expect(200, json!({})).json();
    listed["items"].as_array().unwrap().iter().map(|item| text(&item["id"])).collect()
}

struct Scene {
    owner: Client,
    note: String,
    items: BTreeSet<String>,
    of_people: Vec<Value>,
}

impl Scene {
    async fn new(world: &TestServer) -> Scene {
        let owner = world.owner();
        owner.post("/webhooks", json!({"url": "https://example.org/hook"})).await.expect(201, json!({}));
        owner.post("/apps", json!({"name": "tools"})).await.expect(201, json!({"slug": "tools"}));
        let flow = json!({"entity_type": "workflow", "path": "flow.py", "content": "@workflow\ndef flow(): ...\n"});
        owner.post("/code/replace", flow).await.expect(201, json!({}));
        owner.create("prompts", json!({"name": "greet", "content": "text"})).await;
        let note = text(&owner.note("A", Some("text")).await["id"]);
        let (items, of_people) = (items(&owner).await, of_people(&owner).await);
        Scene { owner, note, items, of_people }
    }

    fn arguments(&self, arguments: &Value) -> Value {
        serde_json::from_str(&arguments.to_string().replace("{note}", &self.note)).unwrap()
    }

    /// After every tool was called: nothing of people's has changed, no item is gone, and nothing was decided.
    async fn check(&self) {
        assert_eq!(of_people(&self.owner).await, self.of_people);
        assert!(items(&self.owner).await.is_superset(&self.items));
        let all = self.owner.get("/changes?agent=true&limit=100").await.expect(200, json!({})).json();
        let sets = all["items"].as_array().unwrap();
        let changed = sets.iter().flat_map(|set| set["items"].as_array().unwrap());
        let kinds: BTreeSet<String> = changed.map(|item| text(&item["type"])).collect();
        assert_eq!(kinds.into_iter().collect::<Vec<_>>(), ["app_file", "bookmark", "note", "prompt", "workflow"]);
        for set in sets {
            assert_eq!((&set["state"], &set["agent"]), (&json!("unreviewed"), &json!(true)), "{set}");
        }
    }
}

async fn over_http_a_persons_token_does_only_what_agents_may(store: TestStore) {
    let world = store.serve().await;
    let scene = Scene::new(&world).await;
    for (server, tool, arguments) in calls() {
        let agent = Agent::new(world.address, server.name(), Some(&world.store.secret));
        agent.check(tool, scene.arguments(&arguments), json!({})).await;
        let listed = agent.tools().await.iter().find(|listed| listed["name"] == tool).unwrap();
        if !reads(listed) {
            let permanent = with(scene.arguments(&arguments), json!({"permanent": true}));
            let refused = json!({"error": "validation_failed", "errors": [{"field": "permanent"}]});
            agent.refused(tool, permanent, refused).await;
        }
    }
    for server in McpServer::ALL {
        let agent = Agent::new(world.address, server.name(), Some(&world.store.secret));
        for operation in FOR_PEOPLE {
            agent.protocol_error("tools/call", json!({"name": operation, "arguments": {}}), -32602).await;
        }
    }
    scene.check().await;
}

async fn over_a_connection_only_what_agents_may_is_done(store: TestStore) {
    let world = store.serve().await;
    let scene = Scene::new(&world).await;
    for server in McpServer::ALL {
        let (mut connection, _) = Connection::initialized(&world.store, server, 1 << 20).await;
        for (_, tool, arguments) in calls().into_iter().filter(|(of, _, _)| of.name() == server.name()) {
            let params = json!({"name": tool, "arguments": scene.arguments(&arguments)});
            let answer = connection.request("tools/call", params).await.unwrap();
            assert_eq!(answer["isError"], false, "{tool}: {answer}");
        }
        for operation in FOR_PEOPLE {
            let refused = connection.request("tools/call", json!({"name": operation, "arguments": {}})).await;
            assert_eq!(refused.unwrap_err()["code"], -32602, "{operation}");
        }
        connection.end().await;
    }
    scene.check().await;
}
