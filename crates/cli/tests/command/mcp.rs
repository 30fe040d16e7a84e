//! `interline mcp`: an agent that starts a server and talks to it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;

use serde_json::{Value, json};

use crate::running::{Outcome, Place};

/// A server on standard input and output, and who talks to it.
struct Talk {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next_id: u64,
}

impl Talk {
    /// Starts the command and introduces itself.
    fn start(command: &mut Command) -> Talk {
        let mut talk = Talk::silent(command);
        let client = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        let told = talk.request("initialize", params);
        assert_eq!(told["result"]["serverInfo"]["name"], "interline-content", "{told}");
        talk.say(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        talk
    }

    fn silent(command: &mut Command) -> Talk {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the server starts");
        let input = child.stdin.take().expect("its stdin");
        let output = BufReader::new(child.stdout.take().expect("its stdout"));
        Talk { child, input, output, next_id: 1 }
    }

    fn say(&mut self, message: &[u8]) {
        self.input.write_all(&[message, b"\n"].concat()).expect("it reads");
    }

    /// The next message, which must be one: nothing else may be on its stdout.
    fn hear(&mut self) -> Value {
        let mut line = String::new();
        assert_ne!(self.output.read_line(&mut line).expect("its stdout"), 0, "it ended");
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        message
    }

    #[expect(clippy::needless_pass_by_value, reason = "tests write it where they need it")]
    fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.next_id;
        self.next_id += 1;
        self.say(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string().as_bytes());
        let answer = self.hear();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// What a tool gives.
    #[expect(clippy::needless_pass_by_value, reason = "tests write it where they need it")]
    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        answer["result"]["structuredContent"].clone()
    }

    /// Leaves, and waits for its end.
    fn end(mut self) -> Outcome {
        drop(self.input);
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.output.read_to_string(&mut stdout).expect("its stdout");
        self.child.stderr.take().expect("its stderr").read_to_string(&mut stderr).expect("its stderr");
        Outcome { code: self.child.wait().expect("its end").code(), stdout, stderr }
    }
}

fn converse(talk: &mut Talk) -> String {
    let listed = talk.request("tools/list", json!({}));
    assert_eq!(listed["result"]["tools"].as_array().map(Vec::len), Some(12), "{listed}");
    let note = talk.call("create_note", json!({"title": "Plan", "content": "one\ntwo\n"}));
    let id = note["id"].as_str().expect("an id").to_owned();
    let edited = talk.call("edit_content", json!({"id": id, "old_str": "two", "new_str": "three"}));
    assert_eq!((&edited["version"], &edited["line"]), (&json!(2), &json!(2)), "{edited}");
    let found = talk.call("search_items", json!({"query": "three"}));
    assert_eq!(found["items"][0]["id"], id.as_str(), "{found}");
    id
}

#[test]
fn an_agent_works_on_the_local_store_and_leaves() {
    let place = Place::new();
    // The first start, which has much to say elsewhere.
    let mut talk = Talk::start(&mut place.command(&["mcp", "content"]));
    let id = converse(&mut talk);
    let history = talk.call("item_history", json!({"id": id}));
    let record = &history["records"][0];
    assert_eq!((&record["source"], &record["user"]), (&json!("mcp-content"), &json!("ada")), "{history}");
    let outcome = talk.end();
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(0), ""), "{outcome:?}");
    assert!(outcome.stderr.starts_with("note: the store in ") && !outcome.stderr.contains("il_"), "{outcome:?}");

    let silent = Talk::silent(&mut place.command(&["mcp", "content"])).end();
    assert_eq!((silent.code, silent.stdout.as_str(), silent.stderr.as_str()), (Some(0), "", ""));
}

#[test]
fn an_agent_works_on_a_server() {
    let place = Place::new();
    let served = place.serve(&[]);
    let elsewhere = Place::new();
    let (url, token) = (served.url(), place.token());
    let mut talk = Talk::start(&mut elsewhere.command(&["mcp", "content", "--url", &url, "--token", &token]));
    let id = converse(&mut talk);
    let unknown = talk.request("tools/call", json!({"name": "burn"}));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    talk.say(b"not JSON");
    assert_eq!(talk.hear()["error"]["code"], -32700);
    let outcome = talk.end();
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{outcome:?}");
    assert!(!elsewhere.data_dir().exists(), "nothing is made here");
    let note = served.get(&format!("/notes/{id}"), Some(&token));
    assert!(note.body.contains("three"), "{}", note.body);

    let mut stranger = Talk::silent(&mut elsewhere.command(&["mcp", "content", "--url", &url, "--token", "il_x"]));
    let refused = stranger.request("tools/list", json!({}));
    assert!(refused["error"]["message"].as_str().is_some_and(|text| text.contains("token")), "{refused}");
    assert_eq!(stranger.end().code, Some(0));
}

#[test]
fn what_is_no_message_does_not_end_a_talk() {
    let place = Place::new();
    let mut talk = Talk::start(&mut place.command(&["mcp", "content", "--log", "off"]));
    let too_long = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{}"}}"#, "x".repeat(21 * 1024 * 1024));
    let deep =
        format!(r#"{{"jsonrpc":"2.0","id":7,"method":"ping","params":{}1{}}}"#, "[".repeat(5_000), "]".repeat(5_000));
    for unheard in [&b"not JSON"[..], b"{", b"\xff\xfe", b"", b" ", too_long.as_bytes(), deep.as_bytes()] {
        talk.say(unheard);
        // Whatever it makes of that, the next request is answered.
        let id = talk.next_id;
        talk.next_id += 1;
        talk.say(json!({"jsonrpc": "2.0", "id": id, "method": "ping"}).to_string().as_bytes());
        let mut answer = talk.hear();
        if answer["error"].is_object() {
            answer = talk.hear();
        }
        assert_eq!(
            (&answer["id"], &answer["result"]),
            (&json!(id), &json!({})),
            "{:?}",
            &unheard[..unheard.len().min(50)]
        );
    }
    for refused in ["[]", "7", "{}", r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#] {
        talk.say(refused.as_bytes());
        assert_eq!(talk.hear()["error"]["code"], -32600, "{refused}");
    }
    assert_eq!(talk.end().code, Some(0));
}

#[test]
fn two_agents_and_a_server_lose_nothing_of_each_other() {
    const EDITS: usize = 25;
    let place = Place::new();
    let served = place.serve(&[]);
    let token = place.token();
    let mut first = Talk::start(&mut place.command(&["mcp", "content"]));
    let content = "agent 1: -\nagent 2: -\nserver: -\n";
    let note = first.call("create_note", json!({"title": "Shared", "content": content}));
    let id = note["id"].as_str().expect("an id").to_owned();
    let second = Talk::start(&mut place.command(&["mcp", "content"]));
    let edit = |who: &str, number: usize| {
        let before = if number == 0 { "-".to_owned() } else { (number - 1).to_string() };
        (format!("{who}: {before}\n"), format!("{who}: {number}\n"))
    };
    thread::scope(|scope| {
        for (who, mut talk) in [("agent 1", first), ("agent 2", second)] {
            let (id, edit) = (&id, &edit);
            scope.spawn(move || {
                for number in 0..EDITS {
                    let (old_str, new_str) = edit(who, number);
                    talk.call("edit_content", json!({"id": id, "old_str": old_str, "new_str": new_str}));
                }
                assert_eq!(talk.end().code, Some(0));
            });
        }
        for number in 0..EDITS {
            let (old_str, new_str) = edit("server", number);
            let body = json!({"edits": [{"old_str": old_str, "new_str": new_str}]}).to_string();
            let answer = served.post(&format!("/notes/{id}/edits"), &token, &body);
            assert_eq!(answer.status, 200, "{}", answer.body);
        }
    });
    let note: Value = serde_json::from_str(&served.get(&format!("/notes/{id}"), Some(&token)).body).expect("JSON");
    let last = EDITS - 1;
    assert_eq!(note["content"], format!("agent 1: {last}\nagent 2: {last}\nserver: {last}\n"));
    assert_eq!(note["version"], 1 + 3 * EDITS, "each edit is a version");
}
