//! What an agent writes to the MCP server's standard input: each line is a message, is answered with an error, or is a
//! notification that nobody waits for. Whatever a tool is called with is refused by the argument that is wrong.
#![no_main]

#[path = "../../crates/server/src/mcp/protocol/stdio/line_buffer.rs"]
mod line_buffer;
mod mcp;
mod text_input;
#[path = "../../crates/server/src/mcp/protocol/stdio/transport.rs"]
#[allow(dead_code, reason = "the server uses all of it")]
mod transport;
mod wire;

use interline_items::Error;
use libfuzzer_sys::fuzz_target;
use rmcp::model::{EmptyResult, JsonRpcMessage, RequestId, ServerResult};
use rmcp::transport::Transport as _;
use serde_json::{Map, Value};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::runtime::{Builder, Runtime};

use line_buffer::{Line, LineBuffer};
use transport::LineTransport;

/// Parts of messages, and of the arguments of tools.
#[rustfmt::skip]
const TOKENS: &[&str] = &[
    "\n", "\n", "\r\n", "{", "}", "[", "]", ",", ":", "\"", " ", "null", "true", "1", "-1", "1.5", "1e999",
    "18446744073709551616", "\"a\"", "\"\"", "\"\\u0000\"", "\"\\ud800\"", "\"jsonrpc\":\"2.0\"", "\"jsonrpc\":\"1.0\"",
    "\"id\":1", "\"id\":\"a\"", "\"id\":null", "\"id\":1.5", "\"method\":\"ping\"", "\"method\":\"initialize\"",
    "\"method\":\"tools/list\"", "\"method\":\"tools/call\"", "\"method\":\"notifications/initialized\"",
    "\"method\":\"notifications/cancelled\"", "\"method\":\"nothing\"", "\"method\":7", "\"result\":{}",
    "\"error\":{\"code\":1,\"message\":\"m\"}", "\"params\":", "\"params\":{}", "\"params\":{\"requestId\":1}",
    "\"name\":\"edit_content\"", "\"arguments\":{", "\"_meta\":{\"progressToken\":1}", "\"protocolVersion\":\"2025-06-18\"",
    "\"capabilities\":{}", "\"clientInfo\":{\"name\":\"x\",\"version\":\"1\"}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}\n",
    "\"id\":\"0190a6f4-7b3c-7def-8123-456789abcdef\"", "\"id\":\"7\"", "\"type\":\"note\"", "\"type\":\"poem\"",
    "\"old_str\":\"a\"", "\"old_string\":\"a\"", "\"new_str\":\"b\"", "\"new_string\":\"b\"", "\"expected_matches\":2",
    "\"expected_matches\":0", "\"expected_matches\":null", "\"edits\":[", "{\"old_str\":\"a\",\"new_str\":\"b\"}",
    "[\"a\",\"b\"]", "\"edits\":null", "\"old_str\":null", "\u{e9}", "\u{feff}", "\\", "\0", "\u{2028}",
    "[[[[[[[[[[[[[[[[",
];

thread_local! {
    static RUNTIME: Runtime = Builder::new_current_thread().enable_time().build().unwrap();
}

/// The bytes between line ends are lines, however they arrive.
fn lines_are_taken(data: &[u8], sizes: &[u8]) {
    let mut buffer = LineBuffer::default();
    let (mut lines, mut rest, mut sizes) = (Vec::new(), data, sizes.iter().cycle());
    while !rest.is_empty() {
        let size = sizes.next().map_or(1, |size| usize::from(*size) + 1).min(rest.len());
        buffer.bytes.extend_from_slice(&rest[..size]);
        rest = &rest[size..];
        while let Some(line) = buffer.take_line() {
            lines.push(line);
        }
    }
    let mut expected: Vec<Line> = data.split(|byte| *byte == b'\n').map(|line| Line::Whole(line.to_vec())).collect();
    // The last one has no end.
    expected.pop();
    assert_eq!(lines, expected);
}

/// What becomes of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Answer {
    NotJson,
    MessageOrRefused,
    MessageOrNone,
}

fn expected_answer(line: &[u8]) -> Answer {
    match serde_json::from_slice::<Value>(line) {
        Err(_) => Answer::NotJson,
        // Nobody waits for an answer to what has a method and no id.
        Ok(Value::Object(members)) if members.get("method").is_some_and(Value::is_string) && no_id(&members) => {
            Answer::MessageOrNone
        }
        Ok(_) => Answer::MessageOrRefused,
    }
}

fn no_id(members: &Map<String, Value>) -> bool {
    members.get("id").is_none_or(Value::is_null)
}

/// Sends lines to a server that answers each request; the messages that it received, and the codes of its errors.
async fn exchange(data: &[u8]) -> (usize, Vec<i64>) {
    let (mut to_server, input) = tokio::io::duplex(1 << 20);
    let (output, mut from_server) = tokio::io::duplex(1 << 22);
    let mut transport = LineTransport::new(input, output);
    to_server.write_all(data).await.unwrap();
    to_server.write_all(b"\n{\"jsonrpc\":\"2.0\",\"id\":\"the last\",\"method\":\"ping\"}\n").await.unwrap();
    drop(to_server);
    let (mut received, mut last) = (0, None);
    while let Some(message) = transport.receive().await {
        received += 1;
        last = None;
        if let JsonRpcMessage::Request(request) = message {
            let result = ServerResult::EmptyResult(EmptyResult {});
            transport.send(JsonRpcMessage::response(result, request.id.clone())).await.unwrap();
            last = Some(request.id);
        }
    }
    assert_eq!(last, Some(RequestId::String("the last".into())), "whatever came before");
    let mut answers = Vec::new();
    transport.close().await.unwrap();
    // Errors are written by tasks that hold the output.
    drop(transport);
    from_server.read_to_end(&mut answers).await.unwrap();
    let answers = answers.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let answers = answers.map(|line| serde_json::from_slice::<Value>(line).unwrap());
    (received - 1, answers.filter_map(|answer| answer["error"]["code"].as_i64()).collect())
}

fn lines_are_answered(data: &[u8]) {
    let lines = data.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let expected: Vec<Answer> = lines.map(expected_answer).collect();
    let count = |answer| expected.iter().filter(|one| **one == answer).count();
    let (received, errors) = RUNTIME.with(|runtime| runtime.block_on(exchange(data)));
    let refused = errors.iter().filter(|code| **code == -32600).count();
    let shown = String::from_utf8_lossy(data);
    assert_eq!(errors.len() - refused, count(Answer::NotJson), "{shown}");
    assert!(errors.iter().all(|code| [-32600, -32700].contains(code)), "{errors:?}");
    let messages = received + refused;
    let least = count(Answer::MessageOrRefused);
    assert!((least..=least + count(Answer::MessageOrNone)).contains(&messages), "{messages} of {expected:?}: {shown}");
}

/// Arguments are taken, or refused by the name of one; `null` is as good as nothing.
fn arguments_are_parsed(arguments: Map<String, Value>) {
    let outcome = mcp::protocol::parse(arguments.clone());
    if let Err(error) = &outcome {
        let Error::ValidationFailed(errors) = error else { panic!("{error:?}") };
        assert!(matches!(errors.as_slice(), [one] if !one.field.is_empty() && one.message.chars().count() <= 301));
    }
    let mut with_nulls = arguments;
    for name in ["type", "old_str", "new_str", "expected_matches", "edits", "nothing"] {
        with_nulls.entry(name).or_insert(Value::Null);
    }
    let again = mcp::protocol::parse(with_nulls);
    assert_eq!(format!("{outcome:?}"), format!("{again:?}"));
}

fuzz_target!(|data: &[u8]| {
    let (sizes, data) = data.split_at(data.len().min(3));
    let text = text_input::text(data, TOKENS);
    let raw = if data.first().is_some_and(|choice| choice % 4 == 0) { &data[1..] } else { text.as_bytes() };
    lines_are_taken(raw, sizes);
    lines_are_answered(raw);
    for line in raw.split(|byte| *byte == b'\n') {
        match serde_json::from_slice(line) {
            Ok(Value::Object(mut members)) => {
                if let Some(Value::Object(params)) = members.get_mut("params")
                    && let Some(Value::Object(arguments)) = params.remove("arguments")
                {
                    arguments_are_parsed(arguments);
                }
                arguments_are_parsed(members);
            }
            Ok(_) | Err(_) => {}
        }
    }
});
