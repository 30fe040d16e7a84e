//! A server elsewhere on standard input and output: messages go there one by one, and answers come back.
//!
//! What the server tells without being asked does not come through: it is neither offered nor taken here.

use interline_server::McpServer;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};

use crate::failure::Failure;
use crate::remote::Server;

/// The longest message, in bytes.
const MAX_MESSAGE_BYTES: u64 = 20 * 1024 * 1024;
/// What JSON-RPC leaves to servers for their own errors.
const SERVER_ERROR: i64 = -32000;
const METHOD_NOT_FOUND: i64 = -32601;

/// Passes messages on until the input ends.
pub(super) async fn run(server: &Server, name: McpServer) -> Result<(), Failure> {
    let lost = |error: std::io::Error| Failure::failed(format!("the agent cannot be heard or answered: {error}"));
    let (mut input, mut output) = (BufReader::new(tokio::io::stdin()), tokio::io::stdout());
    let mut agreed = None;
    loop {
        let mut line = Vec::new();
        (&mut input).take(MAX_MESSAGE_BYTES).read_until(b'\n', &mut line).await.map_err(lost)?;
        if line.last() != Some(&b'\n') {
            return if line.is_empty() { Ok(()) } else { Err(Failure::failed("a message is cut off or too long")) };
        }
        let message: Value = serde_json::from_slice(&line).unwrap_or_default();
        let answer = if message["method"] == "subscriptions/listen" {
            error(&message, METHOD_NOT_FOUND, "this way to the server has no streams")
        } else {
            match server.exchange(name, &headers(&message, agreed.as_deref()), line).await {
                Ok(answer) => answer,
                Err(failure) => refusal(&message, &failure),
            }
        };
        let Some(mut answer) = answer else { continue };
        match message["method"].as_str() {
            Some("initialize") => agreed = agreed_version(&answer),
            Some("server/discover") => answer = without_streams(answer),
            Some(_) | None => {}
        }
        answer.push(b'\n');
        output.write_all(&answer).await.map_err(lost)?;
        output.flush().await.map_err(lost)?;
    }
}

/// What HTTP wants to know of a message beside it: its version of the protocol, and since 2026-07-28 what it is about.
fn headers(message: &Value, agreed: Option<&str>) -> Vec<(&'static str, String)> {
    let params = &message["params"];
    let own_version = params["_meta"]["io.modelcontextprotocol/protocolVersion"].as_str();
    let mut headers = Vec::new();
    headers.extend(own_version.or(agreed).map(|version| ("mcp-protocol-version", version.to_owned())));
    if own_version.is_some() {
        let name = params["name"].as_str().or_else(|| params["uri"].as_str());
        headers.extend(message["method"].as_str().map(|method| ("mcp-method", method.to_owned())));
        headers.extend(name.map(|name| ("mcp-name", name.to_owned())));
    }
    headers
}

fn agreed_version(answer: &[u8]) -> Option<String> {
    let answer: Value = serde_json::from_slice(answer).ok()?;
    answer["result"]["protocolVersion"].as_str().map(str::to_owned)
}

/// A server's description of itself, without what it tells on streams.
fn without_streams(answer: Vec<u8>) -> Vec<u8> {
    let Ok(mut described) = serde_json::from_slice::<Value>(&answer) else { return answer };
    for (capability, offered) in [("resources", "subscribe"), ("prompts", "listChanged")] {
        let capability = described.pointer_mut(&format!("/result/capabilities/{capability}"));
        if let Some(capability) = capability.and_then(Value::as_object_mut) {
            capability.remove(offered);
        }
    }
    described.to_string().into_bytes()
}

/// What is said to a message that the server did not take; nothing to one that nobody waits for an answer to.
fn refusal(message: &Value, failure: &Failure) -> Option<Vec<u8>> {
    tracing::warn!(%failure, "a message was not taken");
    error(message, SERVER_ERROR, &failure.to_string())
}

fn error(message: &Value, code: i64, text: &str) -> Option<Vec<u8>> {
    let id = message.get("id")?;
    let error = json!({"code": code, "message": text});
    Some(json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_goes_with_its_version() {
        let list = json!({"id": 1, "method": "tools/list"});
        assert_eq!(headers(&list, None), []);
        assert_eq!(headers(&list, Some("2025-11-25")), [("mcp-protocol-version", "2025-11-25".to_owned())]);
        let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28"});
        let call = json!({"method": "tools/call", "params": {"name": "get_item", "_meta": meta}});
        let expected = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "get_item")];
        assert_eq!(headers(&call, None), expected.map(|(name, value)| (name, value.to_owned())));
    }

    #[test]
    fn who_waits_for_an_answer_gets_one() {
        let failure = Failure::failed("there is nobody");
        assert_eq!(refusal(&json!({"method": "notifications/initialized"}), &failure), None);
        let told: Value = serde_json::from_slice(&refusal(&json!({"id": "a"}), &failure).expect("one")).expect("JSON");
        assert_eq!((&told["id"], &told["error"]["code"]), (&json!("a"), &json!(-32000)));
        assert!(told["error"]["message"].as_str().is_some_and(|text| text.contains("there is nobody")), "{told}");
    }
}
