//! `interline mcp`: the servers on standard input and output.

use std::thread;

use serde_json::{Value, json};

use crate::running::Place;
use crate::talk::Talk;

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
    let mut talk = Talk::with(&place, "content", &[]);
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
    let mut talk = Talk::with(&elsewhere, "content", &["--url", &url, "--token", &token]);
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
fn prompts_have_a_server_of_their_own() {
    let place = Place::new();
    let served = place.serve(&[]);
    let (url, token) = (served.url(), place.token());
    for (name, options) in [("local", &[][..]), ("bridged", &["--url", &url, "--token", &token])] {
        let mut talk = Talk::with(&place, "prompts", options);
        let listed = talk.request("tools/list", json!({}));
        assert_eq!(listed["result"]["tools"].as_array().map(Vec::len), Some(9), "{listed}");
        let arguments = json!([{"name": "who", "required": true}]);
        talk.call("create_prompt", json!({"name": name, "content": "Hello {{ who }}", "arguments": arguments}));
        let arguments = json!([{"name": "person", "required": true}]);
        let edit = json!({"name": name, "old_str": "who", "new_str": "person", "arguments": arguments});
        assert_eq!(talk.call("edit_prompt_template", edit)["version"], 2);
        let prompts = talk.request("prompts/list", json!({}));
        let prompts = prompts["result"]["prompts"].as_array().expect("prompts");
        assert!(prompts.iter().any(|prompt| prompt["name"] == name), "{prompts:?}");
        let rendered = talk.request("prompts/get", json!({"name": name, "arguments": {"person": "Ada"}}));
        assert_eq!(rendered["result"]["messages"][0]["content"]["text"], "Hello Ada", "{rendered}");
        let missing = talk.request("prompts/get", json!({"name": name}));
        assert_eq!(missing["error"]["code"], -32602, "{missing}");
        let read = talk.request("resources/read", json!({"uri": format!("interline://prompt/{name}")}));
        assert_eq!(read["result"]["contents"][0]["text"], "Hello {{ person }}", "{read}");
        let history = talk.call("prompt_history", json!({"name": name}));
        assert_eq!(history["records"][0]["source"], "mcp-prompts", "{history}");
        assert_eq!(talk.end().code, Some(0));
    }
}

#[test]
fn what_a_server_changes_is_told_to_agents_beside_it() {
    let place = Place::new();
    let served = place.serve(&[]);
    let (url, token) = (served.url(), place.token());
    let mut talk = Talk::with(&place, "content", &[]);
    let note = talk.call("create_note", json!({"title": "Plan", "content": "one"}));
    let id = note["id"].as_str().expect("an id");
    let uri = format!("interline://note/{id}");
    assert_eq!(talk.request("resources/subscribe", json!({"uri": uri}))["result"], json!({}));
    let edit = json!({"edits": [{"old_str": "one", "new_str": "two"}]}).to_string();
    assert_eq!(served.post(&format!("/notes/{id}/edits"), &token, &edit).status, 200);
    let told = talk.hear();
    assert_eq!(told["method"], "notifications/resources/updated", "{told}");
    assert_eq!(told["params"], json!({"uri": uri}));
    assert_eq!(talk.end().code, Some(0));

    // Nothing comes through the bridge that was not asked for, and it says so.
    let prefix = "io.modelcontextprotocol";
    let meta = json!({
        format!("{prefix}/protocolVersion"): "2026-07-28",
        format!("{prefix}/clientInfo"): {"name": "test", "version": "1"},
        format!("{prefix}/clientCapabilities"): {},
    });
    let mut bridged = Talk::silent(&mut place.command(&["mcp", "prompts", "--url", &url, "--token", &token]));
    let described = bridged.request("server/discover", json!({"_meta": meta}));
    let offered = &described["result"]["capabilities"];
    assert_eq!((&offered["resources"], &offered["prompts"]), (&json!({}), &json!({})), "{described}");
    let listen = json!({"notifications": {"promptsListChanged": true}, "_meta": meta});
    assert_eq!(bridged.request("subscriptions/listen", listen)["error"]["code"], -32601);
    assert_eq!(bridged.request("tools/list", json!({"_meta": meta}))["result"]["tools"][0]["name"], "search_prompts");
    assert_eq!(bridged.end().code, Some(0));
}

/// Where edits of one writer go, in each of the shared notes.
const WRITERS: [&str; 3] = ["agent 1", "agent 2", "server"];

#[test]
fn two_agents_and_a_server_lose_nothing_of_each_other() {
    const EDITS: usize = 20;
    let place = Place::new();
    let served = place.serve(&[]);
    let token = place.token();
    let mut first = Talk::with(&place, "content", &[]);
    let notes = ["one", "other"].map(|title| {
        let content: String = WRITERS.iter().map(|who| format!("== {who}\n")).collect();
        let note = first.call("create_note", json!({"title": title, "content": content}));
        note["id"].as_str().expect("an id").to_owned()
    });
    let second = Talk::with(&place, "content", &[]);
    // Each writes below its own heading, so that every edit is of another passage of the same notes.
    let edit = |who: &str, number: usize| {
        let heading = format!("== {who}\n");
        json!({"old_str": heading, "new_str": format!("{heading}{who}: {number}\n")})
    };
    thread::scope(|scope| {
        for (who, mut talk) in [(WRITERS[0], first), (WRITERS[1], second)] {
            let (notes, edit) = (&notes, &edit);
            scope.spawn(move || {
                for (number, id) in (0..EDITS).flat_map(|number| notes.iter().map(move |id| (number, id))) {
                    let mut edit = edit(who, number);
                    edit["id"] = id.as_str().into();
                    talk.call("edit_content", edit);
                }
                assert_eq!(talk.end().code, Some(0));
            });
        }
        for (number, id) in (0..EDITS).flat_map(|number| notes.iter().map(move |id| (number, id))) {
            let body = json!({"edits": [edit(WRITERS[2], number)]}).to_string();
            let answer = served.post(&format!("/notes/{id}/edits"), &token, &body);
            assert_eq!(answer.status, 200, "{}", answer.body);
        }
    });
    let get = |path: &str| -> Value { serde_json::from_str(&served.get(path, Some(&token)).body).expect("JSON") };
    let below = |who: &&str| -> String {
        let lines: String = (0..EDITS).rev().map(|number| format!("{who}: {number}\n")).collect();
        format!("== {who}\n{lines}")
    };
    for id in &notes {
        let note = get(&format!("/notes/{id}"));
        assert_eq!(note["content"], WRITERS.iter().map(below).collect::<String>());
        assert_eq!(note["version"], 1 + WRITERS.len() * EDITS, "each edit is a version");
        let history = get(&format!("/notes/{id}/history?limit=100"));
        let records = history["items"].as_array().expect("records");
        let count = |source: &str| records.iter().filter(|record| record["source"] == source).count();
        assert_eq!((count("mcp-content"), count("rest")), (1 + 2 * EDITS, EDITS), "{history}");
    }
}
