//! `serve`: from its first line to its exit code.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::harness::{HttpResponse, RunningServer, Sandbox};

#[test]
fn it_says_where_it_is_and_how_to_try_it() {
    let sandbox = Sandbox::new();
    let served = sandbox.serve(&[]);
    assert_ne!(served.address.port(), 0);
    let example = served.greeting.split('\n').find(|line| line.contains("curl")).expect("an example").trim();
    let file = sandbox.token_file();
    let expected = format!("curl -H \"Authorization: Bearer $(cat {})\" {}/notes", file.display(), served.url());
    assert_eq!(example, expected);
    let answer = served.get("/notes", Some(&sandbox.token()));
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(served.get("/notes", None).status, 401);
    let output = served.stop();
    assert_eq!(output.stdout, "", "logs are on stderr");
    assert!(output.stderr.contains("listening") && output.stderr.contains("stopped"), "{output:?}");
}

#[test]
fn it_says_how_an_agent_is_connected() {
    let sandbox = Sandbox::new();
    let served = sandbox.serve(&[]);
    let greeting = served.greeting.clone();
    served.stop();
    let line = greeting.split('\n').find(|line| line.contains(" mcp install ")).expect("the line").trim();
    // The line as a shell runs it, in a home of its own.
    let home = sandbox.data_dir().with_file_name("home");
    let mut shell = std::process::Command::new("sh");
    let installed = crate::harness::run(shell.args(["-c", line]).env_clear().env("HOME", &home));
    assert_eq!(installed.code, Some(0), "{line}: {installed:?}");
    let written = std::fs::read_to_string(home.join(".claude.json")).expect("the configuration of the client");
    let config: serde_json::Value = serde_json::from_str(&written).expect("JSON");
    let entry = &config["mcpServers"]["interline-content"];
    let data_dir = sandbox.data_dir();
    let token = &sandbox.json(&["token", "list"])["tokens"][1]["id"];
    let expected =
        serde_json::json!(["mcp", "content", "--data-dir", data_dir.to_str().expect("UTF-8"), "--as", token]);
    assert_eq!(entry["args"], expected, "{written}");
}

#[test]
fn a_name_can_be_listened_on() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(&["serve", "--auth", "none", "--listen", "localhost:0"]);
    let served = RunningServer::start(&mut command);
    assert!(served.address.ip().is_loopback(), "{}", served.address);
    assert_eq!(served.get("/users/me", None).status, 200);
    served.stop();
}

#[test]
fn both_signals_stop_it_with_code_0() {
    let sandbox = Sandbox::new();
    for name in ["TERM", "INT"] {
        let served = sandbox.serve(&[]);
        served.signal(name);
        assert_eq!(served.finish().code, Some(0), "{name}");
    }
}

#[test]
fn without_authentication_everybody_is_the_owner() {
    let sandbox = Sandbox::new();
    let served = sandbox.serve(&["--auth", "none"]);
    assert!(served.greeting.contains(&format!("    curl {}/notes\n", served.url())), "{}", served.greeting);
    let answer = served.get("/users/me", None);
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.body.contains("\"ada\""), "{answer:?}");
}

#[test]
fn an_address_in_use_is_code_3_and_makes_nothing() {
    let (first, second) = (Sandbox::new(), Sandbox::new());
    let served = first.serve(&[]);
    let address = served.address.to_string();
    second.run(&["serve", "--listen", &address]).refused(3, &[&address, "is in use", "hint: ", "--listen"]);
    assert!(!second.data_dir().exists());
}

#[test]
fn a_request_in_flight_is_finished() {
    let sandbox = Sandbox::new();
    let served = sandbox.serve(&[]);
    let body = r#"{"title": "in flight", "content": "kept"}"#;
    let mut stream = served.connect();
    let head = format!(
        "POST /notes HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n",
        served.address,
        sandbox.token(),
        body.len()
    );
    stream.write_all(head.as_bytes()).expect("the head is sent");
    // The server asks for the body: the request is in flight.
    let mut interim = String::new();
    let mut reader = BufReader::new(stream.try_clone().expect("the stream"));
    while !interim.ends_with("\r\n\r\n") {
        assert_ne!(reader.read_line(&mut interim).expect("an interim answer"), 0, "{interim}");
    }
    assert!(interim.starts_with("HTTP/1.1 100 "), "{interim}");

    served.signal("TERM");
    while TcpStream::connect(served.address).is_ok() {
        // It has not heard yet.
    }
    stream.write_all(body.as_bytes()).expect("the body is sent");
    let answer = HttpResponse::read(&mut stream);
    assert_eq!(answer.status, 201, "{answer:?}");
    assert_eq!(served.finish().code, Some(0));

    let again = sandbox.serve(&[]);
    assert!(again.get("/notes", Some(&sandbox.token())).body.contains("in flight"));
}

#[test]
fn logs_are_filtered_and_can_be_json() {
    let sandbox = Sandbox::new();
    let output = sandbox.serve(&["--log-format", "json"]).stop();
    for line in output.stderr.split_terminator('\n') {
        let record: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
        assert!(record["timestamp"].is_string() && record["level"].is_string(), "{line}");
    }
    assert!(output.stderr.contains("listening"), "{output:?}");
    assert_eq!(sandbox.serve(&["--log", "off"]).stop().stderr, "");
}

#[test]
fn a_configuration_file_and_the_environment_reach_the_server() {
    let sandbox = Sandbox::new();
    let file =
        sandbox.write("interline.toml", "auth = \"none\"\nlog = \"off\"\nrate_limit = \"1/1\"\n[limits]\ntitle = 3\n");
    let mut command = sandbox.command(&["serve", "--listen", "127.0.0.1:0"]);
    let served = RunningServer::start(
        command.env("INTERLINE_CONFIG", &file).env("INTERLINE_AUTH", "token").env("INTERLINE_RATE_LIMIT", "1/9"),
    );
    let token = sandbox.token();
    assert_eq!(served.get("/notes", None).status, 401, "the environment is before the file");
    let answer = served.post("/notes", &token, r#"{"title": "four"}"#);
    assert_eq!(answer.status, 422, "the file's limit holds: {answer:?}");
    assert_eq!(served.get("/notes", Some(&token)).status, 200);
    assert_eq!(served.get("/notes", Some(&token)).status, 429, "one read a minute");
    assert_eq!(served.stop().stderr, "", "the file's log filter holds");
}

/// A server that may open few files: whoever comes is answered or turned away, and never left waiting.
#[test]
fn with_few_files_new_clients_are_answered_or_closed() {
    let sandbox = Sandbox::new();
    let command = sandbox.command(&["serve", "--listen", "127.0.0.1:0"]);
    let program = command.get_program().to_owned();
    let mut limited = std::process::Command::new("sh");
    limited.args(["-c", "ulimit -n 256; exec \"$0\" serve --listen 127.0.0.1:0"]).arg(program).env_clear();
    limited.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let served = RunningServer::start(&mut limited);
    let token = sandbox.token();
    let mut idle = Vec::new();
    for _ in 0..400 {
        let mut stream = served.connect();
        let head = format!("GET /health HTTP/1.1\r\nHost: {}\r\n\r\n", served.address);
        let _ = stream.write_all(head.as_bytes());
        idle.push(stream);
    }
    let started = Instant::now();
    let head = format!("GET /notes HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", served.address);
    let request = format!("{head}Authorization: Bearer {token}\r\n\r\n");
    let answered = (0..20).filter(|_| {
        let (mut stream, mut answer) = (served.connect(), String::new());
        // One that comes while there is no room may be closed.
        let sent = stream.write_all(request.as_bytes()).and_then(|()| stream.read_to_string(&mut answer));
        assert!(sent.is_err() || answer.is_empty() || answer.starts_with("HTTP/1.1 200"), "{answer}");
        sent.is_ok() && !answer.is_empty()
    });
    assert!(answered.count() >= 10, "most are answered");
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    drop(idle);
    let output = served.stop();
    let warnings = output.stderr.split('\n').filter(|line| line.contains("WARN")).count();
    assert!(warnings <= 30, "a line a second: {warnings} lines\n{}", output.stderr);
}
