//! `events`: following the local store, and a server.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::running::{Place, Served};

/// Longer than anything takes.
const PATIENCE: Duration = Duration::from_secs(30);

/// A command that follows events. It is killed if a test ends before it does.
struct Following {
    child: Child,
    stdout: Option<BufReader<ChildStdout>>,
}

impl Following {
    fn start(place: &Place, options: &[&str]) -> Following {
        let mut command = place.command(&[&["events"], options].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
        let stdout = child.stdout.take().map(BufReader::new);
        Following { child, stdout }
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

impl Drop for Following {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn note(served: &Served, token: &str, title: &str) -> Value {
    let answer = served.post("/notes", token, &format!("{{\"title\": \"{title}\"}}"));
    assert_eq!(answer.status, 201, "{answer:?}");
    serde_json::from_str(&answer.body).expect("JSON")
}

#[test]
fn the_local_store_is_followed_whoever_changes_it() {
    let place = Place::new();
    let served = place.serve(&[]);
    let token = place.token();
    let first = note(&served, &token, "one");
    let mut following = Following::start(&place, &["--since", "0", "--json"]);
    let heard = following.event();
    assert_eq!(
        (&heard["event"], &heard["id"], &heard["source"]),
        (&"item.created".into(), &first["id"], &"rest".into())
    );
    let second = note(&served, &token, "two");
    assert_eq!(following.event()["id"], second["id"]);

    let mut after = Following::start(&place, &["--since", heard["cursor"].as_str().expect("a cursor")]);
    let line = after.line();
    assert!(line.contains("created     note") && line.contains(second["id"].as_str().expect("an id")), "{line}");
}

#[test]
fn a_server_is_followed_and_found_again() {
    let place = Place::new();
    let served = place.serve(&[]);
    let (url, token, listen) = (served.url(), place.token(), served.address.to_string());
    let elsewhere = Place::new();
    let options = ["--url", &url, "--token", &token, "--since", "0", "--type", "note", "--json"];
    let mut following = Following::start(&elsewhere, &options);
    let first = note(&served, &token, "one");
    assert_eq!(following.event()["id"], first["id"]);
    served.stop();
    let served = Served::start(&mut place.command(&["serve", "--listen", &listen]));
    let second = note(&served, &token, "two");
    assert_eq!(following.event()["id"], second["id"], "nothing is missed, nothing told twice");
    assert!(!elsewhere.data_dir().exists(), "nothing is made here");
}

#[test]
fn who_has_heard_nothing_yet_misses_nothing_either() {
    let place = Place::new();
    let served = place.serve(&[]);
    let (url, token, listen) = (served.url(), place.token(), served.address.to_string());
    note(&served, &token, "before");
    let mut following = Following::start(&place, &["--url", &url, "--token", &token, "--json"]);
    let deadline = Instant::now() + PATIENCE;
    while !served.get("/metrics", Some(&token)).body.contains("interline_event_listeners 1") {
        assert!(Instant::now() < deadline, "it listens");
    }
    served.stop();
    let served = Served::start(&mut place.command(&["serve", "--listen", &listen]));
    let missed = note(&served, &token, "while it was away");
    assert_eq!(following.event()["id"], missed["id"]);
}

#[test]
fn it_ends_when_nobody_reads_it() {
    let place = Place::new();
    let served = place.serve(&[]);
    let token = place.token();
    let mut following = Following::start(&place, &["--since", "0"]);
    note(&served, &token, "one");
    following.line();
    drop(following.stdout.take());
    note(&served, &token, "two");
    assert!(following.child.wait().expect("its end").success());
}

#[test]
fn what_cannot_be_followed_is_refused() {
    let place = Place::new();
    let served = place.serve(&[]);
    let url = served.url();
    place.run(&["events", "--since", "yesterday"]).refused(2, &["--since: yesterday is not a cursor", "hint: "]);
    place.run(&["events", "--id", "x"]).refused(2, &["--id: x is not the id of an item"]);
    place.run(&["events", "--type", "song"]).refused(2, &["song"]);
    let token = place.token();
    let there = ["events", "--url", &url, "--token"];
    place.run(&[&there[..], &["il_wrong"]].concat()).refused(1, &["token", "hint: "]);
    place.run(&[&there[..], &[&token, "--since", "yesterday"]].concat()).refused(1, &["since"]);
    served.stop();
    place.run(&[&there[..], &[&token]].concat()).refused(3, &["does not answer", "hint: "]);
}
