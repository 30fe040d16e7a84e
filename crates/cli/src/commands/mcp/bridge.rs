//! The bridge from an MCP client on standard input and output to a remote server: the bridge posts the client's messages
//! one by one and writes back the server's responses.
//!
//! Messages that the server sends unasked do not come through: the bridge neither offers nor accepts streams.

use interline_server::McpServer;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};

use crate::command_error::CommandError;
use crate::remote::RemoteServer;

/// The longest message, in bytes.
const MAX_MESSAGE_BYTES: u64 = 20 * 1024 * 1024;
/// The code that JSON-RPC leaves to servers for their own errors.
const SERVER_ERROR: i64 = -32000;
const METHOD_NOT_FOUND: i64 = -32601;

/// Passes the client's messages on until its input ends.
pub(super) async fn run(server: &RemoteServer, name: McpServer) -> Result<(), CommandError> {
    let stdio_error =
        |error: std::io::Error| CommandError::failed(format!("the agent cannot be heard or answered: {error}"));
    let (mut input, mut output) = (BufReader::new(tokio::io::stdin()), tokio::io::stdout());
    let mut negotiated = None;
    loop {
        let mut line = Vec::new();
        (&mut input).take(MAX_MESSAGE_BYTES).read_until(b'\n', &mut line).await.map_err(stdio_error)?;
        if line.last() != Some(&b'\n') {
            return if line.is_empty() {
                Ok(())
            } else {
                Err(CommandError::failed("a message is cut off or too long"))
            };
        }
        let message: Value = serde_json::from_slice(&line).unwrap_or_default();
        let answer = if message["method"] == "subscriptions/listen" {
            error_response(&message, METHOD_NOT_FOUND, "this way to the server has no streams")
        } else {
            match server.send_mcp_message(name, &headers(&message, negotiated.as_deref()), line).await {
                Ok(answer) => answer,
                Err(failure) => failure_response(&message, &failure),
            }
        };
        let Some(mut answer) = answer else { continue };
        match message["method"].as_str() {
            Some("initialize") => negotiated = negotiated_version(&answer),
            Some("server/discover") => answer = without_streams(answer),
            Some(_) | None => {}
        }
        answer.push(b'\n');
        output.write_all(&answer).await.map_err(stdio_error)?;
        output.flush().await.map_err(stdio_error)?;
    }
}

/// The HTTP headers of a message: its version of the protocol, and since 2026-07-28 its method and the name that it is about.
fn headers(message: &Value, negotiated: Option<&str>) -> Vec<(&'static str, String)> {
    let params = &message["params"];
    let own_version = params["_meta"]["io.modelcontextprotocol/protocolVersion"].as_str();
    let mut headers = Vec::new();
    headers.extend(own_version.or(negotiated).map(|version| ("mcp-protocol-version", version.to_owned())));
    if own_version.is_some() {
        let name = params["name"].as_str().or_else(|| params["uri"].as_str());
        headers.extend(message["method"].as_str().map(|method| ("mcp-method", method.to_owned())));
        headers.extend(name.map(|name| ("mcp-name", name.to_owned())));
    }
    headers
}

fn negotiated_version(answer: &[u8]) -> Option<String> {
    let answer: Value = serde_json::from_slice(answer).ok()?;
    answer["result"]["protocolVersion"].as_str().map(str::to_owned)
}

/// A server's description of itself, without the capabilities that need streams.
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

/// The response to a message that the server did not accept; none to a notification, which expects no response.
fn failure_response(message: &Value, failure: &CommandError) -> Option<Vec<u8>> {
    let text = failure.to_string();
    tracing::warn!(failure = text.replace('\n', "; "), "a message was not taken");
    error_response(message, SERVER_ERROR, &text)
}

fn error_response(message: &Value, code: i64, text: &str) -> Option<Vec<u8>> {
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
    fn a_request_is_answered_and_a_notification_is_not() {
        let failure = CommandError::failed("there is nobody");
        assert_eq!(failure_response(&json!({"method": "notifications/initialized"}), &failure), None);
        let response: Value =
            serde_json::from_slice(&failure_response(&json!({"id": "a"}), &failure).expect("one")).expect("JSON");
        assert_eq!((&response["id"], &response["error"]["code"]), (&json!("a"), &json!(-32000)));
        assert!(
            response["error"]["message"].as_str().is_some_and(|text| text.contains("there is nobody")),
            "{response}"
        );
    }
}
