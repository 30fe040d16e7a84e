//! The line that the log has for each request.

use std::io::{Read as _, Write as _};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::{HttpResponse, RunningServer, Sandbox};

/// The fields of the lines of requests in a log of JSON.
fn request_lines(log: &str) -> Vec<Value> {
    let records = log.split_terminator('\n').map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
    records
        .filter(|record| record["target"] == "interline_server::request")
        .map(|record| record["fields"].clone())
        .collect()
}

/// Sends a request as the owner, with further headers.
fn request(served: &RunningServer, sandbox: &Sandbox, line: &str, headers: &str, body: &str) -> HttpResponse {
    let about = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
    let token = sandbox.token();
    served.send(&format!("{line} HTTP/1.1\r\nAuthorization: Bearer {token}\r\n{about}{headers}"), body)
}

#[test]
fn every_request_has_one_line_that_says_who_did_what() {
    let sandbox = Sandbox::new();
    let served = sandbox.serve(&["--log-format", "json"]);
    let agent = "User-Agent: reader/1.0\r\n";
    let created = request(&served, &sandbox, "POST /notes", agent, r#"{"title": "Plan"}"#);
    let id = serde_json::from_str::<Value>(&created.body).expect("JSON")["id"].as_str().expect("an id").to_owned();
    assert_eq!(request(&served, &sandbox, &format!("GET /notes/{id}?q=private+words"), agent, "").status, 200);
    assert_eq!(request(&served, &sandbox, "GET /notes?limit=0&q=private", agent, "").status, 422);
    assert_eq!(served.get("/health", None).status, 200);
    let output = served.stop();
    let lines = request_lines(&output.stderr);
    let expected = [("POST", "/notes", 201), ("GET", "/notes/{id}", 200), ("GET", "/notes", 422)];
    assert_eq!(lines.len(), 4, "{}", output.stderr);
    for (line, (method, route, status)) in lines.iter().zip(expected) {
        assert_eq!((&line["method"], &line["route"]), (&json!(method), &json!(route)), "{line}");
        assert_eq!((&line["status"], &line["user"], &line["token"]), (&json!(status), &json!("ada"), &json!("first")));
        assert_eq!((&line["client"], &line["address"]), (&json!("reader/1.0"), &json!("127.0.0.1")), "{line}");
        assert!(line["ms"].as_f64().is_some_and(|ms| ms > 0.0 && ms < 60_000.0), "{line}");
        assert!(line["request_id"].as_str().is_some_and(|id| !id.is_empty()), "{line}");
    }
    let health = &lines[3];
    assert_eq!((&health["route"], &health["user"], &health["client"]), (&json!("/health"), &Value::Null, &Value::Null));
    assert!(!output.stderr.contains("private") && !output.stderr.contains(&sandbox.token()), "{}", output.stderr);
}

/// Another process that writes keeps the request from being answered while its client is there.
#[test]
fn a_request_whose_client_hangs_up_has_a_line_too() {
    let sandbox = Sandbox::new();
    let served = sandbox.serve(&["--log-format", "json"]);
    let other = rusqlite::Connection::open(sandbox.data_dir().join("interline.db")).expect("the store");
    other.execute_batch("BEGIN IMMEDIATE").expect("the right to write");
    let body = r#"{"title": "Plan"}"#;
    let (address, token) = (served.address, sandbox.token());
    let head = format!(
        "POST /notes HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nUser-Agent: hasty\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nExpect: 100-continue\r\n\r\n",
        body.len()
    );
    let mut client = served.connect();
    client.write_all(head.as_bytes()).expect("the head is sent");
    // The server asks for the body when it has begun to answer.
    let mut asked = [0; 25];
    client.read_exact(&mut asked).expect("an answer to the head");
    assert_eq!(&asked, b"HTTP/1.1 100 Continue\r\n\r\n");
    client.write_all(body.as_bytes()).expect("the body is sent");
    drop(client);
    let counted = r#"interline_http_requests_total{method="POST",route="/notes",status="499"} 1"#;
    let deadline = Instant::now() + Duration::from_secs(20);
    while !served.get("/metrics", None).body.contains(counted) {
        assert!(Instant::now() < deadline, "{}", served.get("/metrics", None).body);
    }
    other.execute_batch("ROLLBACK").expect("the end");
    let output = served.stop();
    let lines = request_lines(&output.stderr);
    let posted: Vec<&Value> = lines.iter().filter(|line| line["method"] == "POST").collect();
    let [line] = posted[..] else { panic!("{}", output.stderr) };
    assert_eq!((&line["status"], &line["route"]), (&json!(499), &json!("/notes")), "{line}");
    assert_eq!((&line["user"], &line["client"]), (&json!("ada"), &json!("hasty")), "{line}");
    assert!(line["ms"].is_f64() && line["request_id"].is_string(), "{line}");
}

#[test]
fn lines_for_people_have_no_colors_and_no_debug_output() {
    let sandbox = Sandbox::new();
    let served = sandbox.serve(&[]);
    let odd = "User-Agent: \u{9b}31mred\ttab\r\n";
    request(&served, &sandbox, "GET /notes", odd, "");
    request(&served, &sandbox, "GET /notes", &format!("User-Agent: {}\r\n", "x".repeat(5_000)), "");
    let output = served.stop();
    let lines: Vec<&str> = output.stderr.split('\n').filter(|line| line.contains(": request method=")).collect();
    assert_eq!(lines.len(), 2, "{output:?}");
    let line = lines[0];
    for part in
        [" INFO ", " route=/notes status=200 ms=", " user=\"ada\" token=\"first\" client=", " address=127.0.0.1 "]
    {
        assert!(line.contains(part), "{part}: {line}");
    }
    assert!(lines.iter().all(|line| line.len() < 500), "{output:?}");
    assert!(!output.stderr.contains(['\u{1b}', '\u{9b}', '\t']) && !output.stderr.contains("Some("), "{output:?}");
}

#[test]
fn an_mcp_client_is_logged_by_its_name_and_the_sdk_not_at_all() {
    let sandbox = Sandbox::new();
    let served = sandbox.serve(&["--log-format", "json"]);
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "inspector", "version": "2"}});
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).to_string();
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}).to_string();
    let accept = "Accept: application/json, text/event-stream\r\nUser-Agent: node\r\n";
    for (path, message) in [("/mcp/content", &initialize), ("/mcp/content/mcp", &initialize), ("/mcp/code", &list)] {
        let answer = request(&served, &sandbox, &format!("POST {path}"), accept, message);
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    let output = served.stop();
    let lines = request_lines(&output.stderr);
    let clients: Vec<_> = lines.iter().map(|line| (line["route"].as_str(), line["client"].as_str())).collect();
    let expected = [("/mcp/content", "inspector/2"), ("/mcp/content/mcp", "inspector/2"), ("/mcp/code", "node")];
    assert_eq!(clients, expected.map(|(route, client)| (Some(route), Some(client))), "{}", output.stderr);
    assert!(!output.stderr.contains("rmcp"), "{}", output.stderr);
}

#[test]
fn only_a_trusted_proxy_says_whose_request_it_is() {
    let forwarded = "X-Forwarded-For: 203.0.113.9\r\nX-Request-Id: abc-123\r\n";
    for (options, address, id) in
        [(&["--trusted-proxy", "127.0.0.1"][..], "203.0.113.9", Some("abc-123")), (&[], "127.0.0.1", None)]
    {
        let sandbox = Sandbox::new();
        let served = sandbox.serve(&[&["--log-format", "json"], options].concat());
        let answer = request(&served, &sandbox, "GET /notes", forwarded, "");
        let odd = request(&served, &sandbox, "GET /notes", "X-Request-Id: a b\r\n", "");
        assert!(!odd.head.contains("x-request-id: a b"), "{odd:?}");
        let output = served.stop();
        let line = &request_lines(&output.stderr)[0];
        assert_eq!(line["address"], address, "{options:?}: {line}");
        let logged = line["request_id"].as_str().expect("an id");
        assert_eq!(logged == "abc-123", id.is_some(), "{options:?}: {line}");
        assert!(answer.head.contains(&format!("x-request-id: {logged}\r\n")), "{answer:?}");
    }
}

/// Failed authentications share a line, and so do requests that need no token beyond ten a second.
#[test]
fn who_shows_no_token_cannot_fill_the_log() {
    let sandbox = Sandbox::new();
    let served = sandbox.serve(&["--log-format", "json"]);
    let started = Instant::now();
    for number in 0..60 {
        let status = served.get("/notes", Some(&format!("il_{number}"))).status;
        assert!([401, 429].contains(&status), "{status}");
        assert_eq!(served.get("/notes", None).status, 401);
        assert_eq!(served.get("/nothing", None).status, 404);
        assert_eq!(served.get("/health", None).status, 200);
    }
    let seconds = started.elapsed().as_secs() + 1;
    let output = served.stop();
    let lines = request_lines(&output.stderr);
    assert!(lines.iter().all(|line| line["route"] == "/health"), "{}", output.stderr);
    assert!(!lines.is_empty() && lines.len() as u64 <= 10 * seconds, "{} lines in {seconds} s", lines.len());
}
