//! `user` and `token` on a remote server.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use serde_json::Value;

use crate::harness::{CommandOutput, RunningServer, Sandbox, run};

/// Runs a command on another machine, which knows the server's address and a token.
fn elsewhere(served: &RunningServer, token: &str, arguments: &[&str]) -> CommandOutput {
    let sandbox = Sandbox::new();
    let output = run(sandbox.command(arguments).env("INTERLINE_URL", served.url()).env("INTERLINE_TOKEN", token));
    assert!(!sandbox.data_dir().exists(), "nothing is made here");
    output
}

#[track_caller]
fn json(output: &CommandOutput) -> Value {
    assert_eq!(output.code, Some(0), "{output:?}");
    serde_json::from_str(&output.stdout).expect("JSON")
}

#[test]
fn a_server_is_administered_as_the_store_is() {
    let sandbox = Sandbox::new();
    let served = sandbox.serve(&[]);
    let owner = sandbox.token();
    let grace = json(&elsewhere(&served, &owner, &["user", "add", "grace", "--admin", "--json"]));
    assert_eq!((&grace["name"], &grace["admin"]), (&"grace".into(), &true.into()));

    let over_http = json(&elsewhere(&served, &owner, &["user", "list", "--json"]));
    assert_eq!(over_http, sandbox.json(&["user", "list"]), "the store says the same");
    let table = elsewhere(&served, &owner, &["user", "list"]);
    assert_eq!(table.stdout, sandbox.run(&["user", "list"]).stdout);

    let options = ["--user", "grace", "--scope", "read", "--kind", "note", "--expires", "2h", "--json"];
    let token = json(&elsewhere(&served, &owner, &[&["token", "add", "laptop"], &options[..]].concat()));
    assert_eq!((&token["scopes"], &token["kinds"]), (&serde_json::json!(["read"]), &serde_json::json!(["note"])));
    let graces = grace["token"].as_str().expect("her first token");
    let hers = json(&elsewhere(&served, graces, &["token", "list", "--user", "grace", "--json"]));
    let mut local = sandbox.json(&["token", "list", "--user", "grace"]);
    // The request that asked is a use.
    assert!(local["tokens"][0]["last_used_at"].is_string(), "{local}");
    local["tokens"][0]["last_used_at"] = hers["tokens"][0]["last_used_at"].clone();
    assert_eq!(hers, local);

    let id = token["id"].as_str().expect("its id");
    let renamed = elsewhere(&served, graces, &["token", "rename", id, " her laptop "]);
    assert_eq!((renamed.code, &*renamed.stdout), (Some(0), &*format!("Renamed token {id} to her laptop.\n")));
    elsewhere(&served, graces, &["token", "rename", id, " "]).refused(1, &["name: must not be blank"]);
    elsewhere(&served, &owner, &["token", "rename", id, "mine"]).refused(1, &[id]);
    assert_eq!(elsewhere(&served, graces, &["token", "remove", id]).code, Some(0));
    let removed = elsewhere(&served, &owner, &["user", "remove", "grace"]);
    assert_eq!((removed.code, removed.stdout.as_str()), (Some(0), "Removed user grace.\n"), "{removed:?}");
    assert_eq!(sandbox.json(&["user", "list"])["users"].as_array().map(Vec::len), Some(1));
}

#[test]
fn what_a_server_refuses_is_code_1() {
    let sandbox = Sandbox::new();
    let served = sandbox.serve(&[]);
    let owner = sandbox.token();
    let member = json(&elsewhere(&served, &owner, &["user", "add", "grace", "--json"]));
    let member = member["token"].as_str().expect("her token");
    elsewhere(&served, "il_wrong", &["user", "list"]).refused(1, &["hint: ", "--token"]);
    elsewhere(&served, member, &["user", "list"]).refused(1, &["admin", "hint: "]);
    elsewhere(&served, member, &["token", "list", "--user", "ada"])
        .refused(1, &["only the tokens of the user who asks", "hint: "]);
    elsewhere(&served, &owner, &["user", "add", ""]).refused(1, &["name: must not be blank"]);
    elsewhere(&served, &owner, &["user", "remove", "nobody"]).refused(1, &["there is no user nobody"]);
    let unknown = "01890000-0000-7000-8000-000000000000";
    elsewhere(&served, &owner, &["token", "remove", unknown]).refused(1, &[unknown]);
    elsewhere(&served, &owner, &["token", "rename", "../users", "x"]).refused(1, &["there is no token ../users"]);
    elsewhere(&served, &owner, &["token", "remove", "../users"]).refused(1, &["there is no token ../users"]);
}

#[test]
fn a_user_who_has_items_goes_with_them_or_stays() {
    let sandbox = Sandbox::new();
    let served = sandbox.serve(&[]);
    let owner = sandbox.token();
    for name in ["grace", "linus"] {
        let user = json(&elsewhere(&served, &owner, &["user", "add", name, "--json"]));
        let token = user["token"].as_str().expect("a token");
        let answer = served.post("/notes", token, r#"{"title": "a note"}"#);
        assert_eq!(answer.status, 201, "{answer:?}");
    }
    elsewhere(&served, &owner, &["user", "remove", "grace"]).refused(1, &["still has 1 items"]);
    sandbox.run(&["user", "remove", "linus"]).refused(1, &["still has 1 items"]);
    assert_eq!(elsewhere(&served, &owner, &["user", "remove", "grace", "--purge"]).code, Some(0));
    assert_eq!(sandbox.run(&["user", "remove", "linus", "--purge"]).code, Some(0));
    assert_eq!(sandbox.json(&["user", "list"])["users"].as_array().map(Vec::len), Some(1));
}

#[test]
fn on_this_machine_the_owners_token_is_at_hand() {
    let sandbox = Sandbox::new();
    let served = sandbox.serve(&[]);
    let output = run(sandbox.command(&["user", "list", "--json"]).env("INTERLINE_URL", served.url()));
    assert_eq!(json(&output)["users"][0]["name"], "ada");
}

#[test]
fn a_server_that_is_not_there_is_code_3() {
    let free = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("its address");
    let output = Sandbox::new().run(&["user", "list", "--url", &format!("http://{free}")]);
    output.refused(3, &["does not answer", "hint: "]);
}

#[test]
fn another_servers_answer_is_code_3() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("its address"));
    let stranger = std::thread::spawn(move || {
        for answer in
            ["200 OK\r\nContent-Length: 5\r\n\r\nhello", "302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n"]
        {
            let (mut stream, _) = listener.accept().expect("a connection");
            let mut head = [0; 16];
            stream.read_exact(&mut head).expect("a request");
            stream.write_all(format!("HTTP/1.1 {answer}").as_bytes()).expect("an answer");
        }
    });
    for _ in 0..2 {
        let output = Sandbox::new().run(&["user", "list", "--url", &url]);
        output.refused(3, &["does not answer as an Interline server", "hint: "]);
    }
    stranger.join().expect("both were answered");
}
