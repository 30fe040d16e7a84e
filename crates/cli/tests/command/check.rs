//! `check` on the local store.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};

use serde_json::json;

use crate::harness::{Sandbox, run};

/// A passage that is nowhere else, after what previews show.
const MARK: &str = "unmistakable passage";

/// A store with two notes.
fn filled() -> Sandbox {
    let sandbox = Sandbox::new();
    let served = sandbox.serve(&[]);
    let content = format!("{}{MARK}", "wool ".repeat(200));
    for note in [json!({"title": "plain"}), json!({"title": "long", "content": content})] {
        let answer = served.post("/notes", &sandbox.token(), &note.to_string());
        assert_eq!(answer.status, 201, "{answer:?}");
    }
    served.stop();
    sandbox
}

#[test]
fn a_whole_store_is_code_0() {
    let sandbox = filled();
    let output = sandbox.run(&["check"]);
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{output:?}");

    let mut report = sandbox.json(&["check"]);
    let stale = report["stale"].take();
    // How far the server came before it was stopped is a matter of time.
    let waiting = match stale.as_u64() {
        Some(0) => "",
        Some(1) => "1 item waiting to be indexed (normal)\n",
        Some(2) => "2 items waiting to be indexed (normal)\n",
        _ => panic!("{stale}"),
    };
    assert_eq!(output.stdout, format!("2 items and 2 versions checked\n{waiting}no problems\n"));
    assert_eq!(report, json!({"items": 2, "versions": 2, "stale": null, "problems": [], "total_problems": 0}));
}

#[test]
fn a_server_may_go_on_meanwhile() {
    let sandbox = filled();
    let served = sandbox.serve(&[]);
    let output = sandbox.run(&["check"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    served.stop();
}

#[test]
fn a_damaged_store_is_code_3_and_the_damage_is_told() {
    let sandbox = filled();
    let file = sandbox.data_dir().join("interline.db");
    let mut bytes = fs::read(&file).expect("the store");
    let places: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(MARK.as_bytes())).collect();
    assert!(!places.is_empty(), "contents are kept as they are");
    for at in places {
        bytes[at] ^= 1;
    }
    fs::write(&file, bytes).expect("the store");

    let output = sandbox.run(&["check"]);
    assert_eq!(output.code, Some(3), "{output:?}");
    assert!(output.stdout.contains(": the content is not what was written\n"), "{output:?}");
    assert!(output.stderr.starts_with("error: the store is damaged: "), "{output:?}");
    assert!(output.stderr.contains("\nhint: "), "{output:?}");

    let output = sandbox.run(&["check", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!((output.code, &report["problems"][0]["problem"]), (Some(3), &json!("content")), "{output:?}");
}

#[test]
fn a_server_is_not_checked() {
    let sandbox = filled();
    let says = ["`check` reads the store itself", "hint: run it where the store is"];
    sandbox.run(&["check", "--url", "http://127.0.0.1:4680"]).refused(2, &["--url: ", says[0], says[1]]);
    let elsewhere =
        |arguments: &[&str]| run(sandbox.command(arguments).env("INTERLINE_URL", "https://notes.example.org"));
    elsewhere(&["check"]).refused(2, &["INTERLINE_URL: ", says[0], says[1]]);
    let directory = sandbox.data_dir();
    let output = elsewhere(&["check", "--data-dir", directory.to_str().expect("UTF-8")]);
    assert_eq!(output.code, Some(0), "whoever types where the store is means it: {output:?}");
}

#[test]
fn a_store_that_is_not_there_is_not_made() {
    let sandbox = Sandbox::new();
    sandbox.run(&["check"]).refused(1, &["there is no store in ", "hint: say where it is with --data-dir"]);
    assert!(!sandbox.data_dir().exists());
}

#[test]
fn all_damage_in_a_read_only_copy_is_told_and_the_copy_stays_as_it_is() {
    let sandbox = Sandbox::new();
    let served = sandbox.serve(&[]);
    for number in 0..3 {
        let content = format!("{}{MARK} {number}", "wool ".repeat(200));
        let note = json!({"title": format!("note {number}"), "content": content});
        assert_eq!(served.post("/notes", &sandbox.token(), &note.to_string()).status, 201);
    }
    served.stop();
    let copy = sandbox.data_dir().with_file_name("copy");
    fs::create_dir(&copy).expect("a directory");
    let mut bytes = fs::read(sandbox.data_dir().join("interline.db")).expect("the store");
    for at in 0..bytes.len() - MARK.len() {
        if bytes[at..].starts_with(MARK.as_bytes()) {
            bytes[at] ^= 1;
        }
    }
    let file = copy.join("interline.db");
    fs::write(&file, &bytes).expect("the copy");
    // In the place of a file that a reader would make, and root could make: SQLite follows no link there.
    symlink("nowhere", copy.join("interline.db-shm")).expect("a link");
    fs::set_permissions(&file, Permissions::from_mode(0o400)).expect("a mode");
    fs::set_permissions(&copy, Permissions::from_mode(0o500)).expect("a mode");

    let output = sandbox.run(&["check", "--data-dir", copy.to_str().expect("UTF-8")]);
    fs::set_permissions(&copy, Permissions::from_mode(0o700)).expect("a mode");
    assert_eq!(output.code, Some(3), "{output:?}");
    assert!(output.stdout.starts_with("3 items and 3 versions checked\n"), "{output:?}");
    assert_eq!(output.stdout.matches(": the content is not what was written\n").count(), 3, "{output:?}");
    assert_eq!(output.stdout.matches(": version 1 cannot be rebuilt").count(), 3, "{output:?}");
    assert_eq!(fs::read(&file).expect("the copy"), bytes);
}

#[test]
fn damaged_pages_are_told_by_the_name_of_their_table() {
    let sandbox = filled();
    let file = sandbox.data_dir().join("interline.db");
    let mut bytes = fs::read(&file).expect("the store");
    let mark = (0..bytes.len()).find(|&at| bytes[at..].starts_with(MARK.as_bytes())).expect("the content");
    // The header of the page that has the content.
    let page = mark / 4096 * 4096;
    bytes[page..page + 8].fill(0xff);
    fs::write(&file, &bytes).expect("the store");
    let output = sandbox.run(&["check"]);
    assert_eq!(output.code, Some(3), "{output:?}");
    assert!(output.stdout.contains("the database: table contents: "), "{output:?}");
    assert!(output.stdout.contains(": the content is not what was written\n"), "{output:?}");
}
