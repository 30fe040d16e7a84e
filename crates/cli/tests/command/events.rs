//! `events` on the local store and on a remote server.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::{RunningServer, Sandbox};

/// Longer than anything takes.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running `interline events`. It is killed if a test ends before it does.
struct Follower {
    child: Child,
    stdout: Option<BufReader<ChildStdout>>,
}

impl Follower {
    fn start(sandbox: &Sandbox, options: &[&str]) -> Follower {
        let mut command = sandbox.command(&[&["events"], options].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
        let stdout = child.stdout.take().map(BufReader::new);
        Follower { child, stdout }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.as_mut().expect("its stdout").read_line(&mut line).expect("a line");
        line
    }

    fn event(&mut self) -> Value {
        serde_json::from_str(&self.line()).expect("JSON")
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn note(served: &RunningServer, token: &str, title: &str) -> Value {
    let answer = served.post("/notes", token, &format!("{{\"title\": \"{title}\"}}"));
    assert_eq!(answer.status, 201, "{answer:?}");
    serde_json::from_str(&answer.body).expect("JSON")
}

#[test]
fn the_local_store_is_followed_whoever_changes_it() {
    let sandbox = Sandbox::new();
    let served = sandbox.serve(&[]);
    let token = sandbox.token();
    let first = note(&served, &token, "one");
    let mut follower = Follower::start(&sandbox, &["--since", "0", "--json"]);
    let event = follower.event();
    assert_eq!(
        (&event["event"], &event["id"], &event["source"]),
        (&"item.created".into(), &first["id"], &"rest".into())
    );
    let second = note(&served, &token, "two");
    assert_eq!(follower.event()["id"], second["id"]);

    let mut after = Follower::start(&sandbox, &["--since", event["cursor"].as_str().expect("a cursor")]);
    let line = after.line();
    assert!(line.contains("created     note") && line.contains(second["id"].as_str().expect("an id")), "{line}");
}

#[test]
fn a_server_is_followed_and_found_again() {
    let sandbox = Sandbox::new();
    let served = sandbox.serve(&[]);
    let (url, token, listen) = (served.url(), sandbox.token(), served.address.to_string());
    let elsewhere = Sandbox::new();
    let options = ["--url", &url, "--token", &token, "--since", "0", "--type", "note", "--json"];
    let mut follower = Follower::start(&elsewhere, &options);
    let first = note(&served, &token, "one");
    assert_eq!(follower.event()["id"], first["id"]);
    served.stop();
    let served = RunningServer::start(&mut sandbox.command(&["serve", "--listen", &listen]));
    let second = note(&served, &token, "two");
    assert_eq!(follower.event()["id"], second["id"], "nothing is missed, nothing told twice");
    assert!(!elsewhere.data_dir().exists(), "nothing is made here");
}

#[test]
fn a_follower_that_has_received_nothing_yet_misses_nothing() {
    let sandbox = Sandbox::new();
    let served = sandbox.serve(&[]);
    let (url, token, listen) = (served.url(), sandbox.token(), served.address.to_string());
    note(&served, &token, "before");
    let mut follower = Follower::start(&sandbox, &["--url", &url, "--token", &token, "--json"]);
    let deadline = Instant::now() + PATIENCE;
    while !served.get("/metrics", Some(&token)).body.contains("interline_event_listeners 1") {
        assert!(Instant::now() < deadline, "it listens");
    }
    served.stop();
    let served = RunningServer::start(&mut sandbox.command(&["serve", "--listen", &listen]));
    let missed = note(&served, &token, "while it was away");
    assert_eq!(follower.event()["id"], missed["id"]);
}

#[test]
fn it_ends_when_nobody_reads_it() {
    let sandbox = Sandbox::new();
    let served = sandbox.serve(&[]);
    let token = sandbox.token();
    let mut follower = Follower::start(&sandbox, &["--since", "0"]);
    note(&served, &token, "one");
    follower.line();
    drop(follower.stdout.take());
    note(&served, &token, "two");
    assert!(follower.child.wait().expect("its end").success());
}

#[test]
fn what_cannot_be_followed_is_refused() {
    let sandbox = Sandbox::new();
    let served = sandbox.serve(&[]);
    let url = served.url();
    sandbox.run(&["events", "--since", "yesterday"]).refused(2, &["--since: yesterday is not a cursor", "hint: "]);
    sandbox.run(&["events", "--id", "x"]).refused(2, &["--id: x is not the id of an item"]);
    sandbox.run(&["events", "--type", "song"]).refused(2, &["song"]);
    let token = sandbox.token();
    let there = ["events", "--url", &url, "--token"];
    sandbox.run(&[&there[..], &["il_wrong"]].concat()).refused(1, &["token", "hint: "]);
    sandbox.run(&[&there[..], &[&token, "--since", "yesterday"]].concat()).refused(1, &["since"]);
    served.stop();
    sandbox.run(&[&there[..], &[&token]].concat()).refused(3, &["does not answer", "hint: "]);
}
