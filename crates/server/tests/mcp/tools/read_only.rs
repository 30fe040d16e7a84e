//! A token that only reads is offered the tools that read, at every server and protocol version.

use serde_json::{Value, json};

use crate::agent::Agent;
use crate::support::test_store::on_sqlite;

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[test]
fn a_reader_is_offered_the_tools_that_read() {
    on_sqlite(async |store| {
        let world = store.serve().await;
        let token = json!({"name": "r", "scopes": ["read"]});
        let token = world.owner().check("POST /tokens", token, 201, json!({})).await.json();
        for (server, offered) in [
            ("content", &["search_items", "get_item", "search_in_content", "list_tags", "item_history"][..]),
            (
                "prompts",
                &[
                    "search_prompts",
                    "get_prompt_template",
                    "get_prompt_metadata",
                    "list_tags",
                    "render_prompt",
                    "prompt_history",
                ],
            ),
            (
                "code",
                &[
                    "list_content",
                    "search_content",
                    "read_content_lines",
                    "get_content",
                    "content_history",
                    "list_workflows",
                    "get_workflow",
                    "validate_workflow",
                    "list_apps",
                    "get_app",
                    "list_organizations",
                ],
            ),
        ] {
            let reader = Agent::new(world.address, server, token["token"].as_str());
            assert_eq!(names(reader.tools().await), offered, "{server}");
            assert_eq!(names(&without_handshake(&reader).await), offered, "{server}");
            let writer = Agent::new(world.address, server, Some(&world.store.secret));
            assert!(writer.tools().await.len() > offered.len(), "{server}");
            assert_eq!(names(&without_handshake(&writer).await), names(writer.tools().await), "{server}");
        }
    });
}

/// The tools as the newest protocol lists them.
async fn without_handshake(agent: &Agent) -> Vec<Value> {
    let prefix = "io.modelcontextprotocol";
    let meta = json!({
        format!("{prefix}/protocolVersion"): "2026-07-28",
        format!("{prefix}/clientInfo"): {"name": "test", "version": "1"},
        format!("{prefix}/clientCapabilities"): {},
    });
    let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/list")];
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}});
    let listed = agent.post(message.to_string(), &headers).await.json();
    listed["result"]["tools"].as_array().unwrap_or_else(|| panic!("{listed}")).clone()
}
