//! The first start: one owner, and one token in a file that only its user can read.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;

use crate::harness::{CommandOutput, Sandbox};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o7777
}

#[test]
fn the_token_is_printed_once_and_kept() {
    let sandbox = Sandbox::new();
    let first = sandbox.serve(&[]);
    let token = sandbox.token();
    assert!(first.greeting.contains(&format!("\n    {token}\n")), "{}", first.greeting);
    let shown = format!("\nOwner token (shown only now; saved in {}):\n", sandbox.token_file().display());
    assert!(first.greeting.contains(&shown), "{}", first.greeting);
    assert_eq!(first.get("/users/me", Some(&token)).status, 200);
    first.stop();

    let second = sandbox.serve(&[]);
    assert!(!second.greeting.contains("il_"), "{}", second.greeting);
    assert_eq!(second.get("/users/me", Some(&token)).status, 200);
    second.stop();
    assert_eq!(sandbox.token(), token);
    assert_eq!(sandbox.json(&["user", "list"])["users"].as_array().map(Vec::len), Some(1));
}

#[test]
fn nobody_else_can_read_what_is_kept() {
    let sandbox = Sandbox::new();
    let command = sandbox.command(&["user", "add", "grace"]);
    // Whatever mode the user's umask gives to new files.
    let mut shell = std::process::Command::new("sh");
    shell.arg("-c").arg("umask 000; exec \"$0\" user add grace").arg(command.get_program()).env_clear();
    shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    assert!(shell.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("sh").success());
    assert_eq!(mode(&sandbox.data_dir()), 0o700);
    assert_eq!(mode(&sandbox.token_file()), 0o600);
    assert_eq!(mode(&sandbox.data_dir().join("interline.db")), 0o600);
}

#[test]
fn a_command_that_writes_can_be_the_first_and_says_so() {
    let sandbox = Sandbox::new();
    let first = sandbox.run(&["user", "add", "grace"]);
    assert!(first.stderr.starts_with("note: made a new store in "), "{first:?}");
    assert!(!first.stderr.contains(&sandbox.token()) && !first.stdout.contains(&sandbox.token()), "{first:?}");
    assert_eq!(sandbox.run(&["user", "list"]).stderr, "");
}

#[test]
fn a_command_that_reads_makes_no_store() {
    let sandbox = Sandbox::new();
    let commands: [&[&str]; 6] = [
        &["token", "list"],
        &["user", "list"],
        &["events"],
        &["check"],
        &["token", "remove", "019a0000-0000-7000-8000-000000000000"],
        &["user", "remove", "grace"],
    ];
    for command in commands {
        let place = format!("error: there is no store in {}\n", sandbox.data_dir().display());
        sandbox.run(command).refused(1, &[&place, "hint: say where it is with --data-dir", "`interline serve` makes"]);
        assert!(!sandbox.data_dir().exists(), "{command:?}");
    }
    // What a first start that was cut off has left behind is no store yet.
    fs::create_dir(sandbox.data_dir()).expect("a folder");
    fs::write(sandbox.data_dir().join("interline.db"), "").expect("a file");
    sandbox.run(&["token", "list"]).refused(1, &["error: there is no store in "]);
    assert!(!sandbox.token_file().exists());
    let file = sandbox.data_dir().join("interline.db");
    let header = rusqlite::Connection::open(&file).expect("a database");
    header.pragma_update(None, "journal_mode", "wal").expect("a header");
    drop(header);
    assert_eq!(fs::metadata(&file).expect("a file").len(), 4_096, "a header alone");
    for command in commands {
        sandbox.run(command).refused(1, &["error: there is no store in "]);
        let files = fs::read_dir(sandbox.data_dir()).expect("a folder").count();
        assert_eq!(files, 1, "{command:?} makes nothing");
    }
    sandbox.serve(&[]).stop();
    assert_eq!(sandbox.run(&["check"]).code, Some(0), "serve makes a store of it");
}

#[test]
fn processes_that_start_together_make_one_owner() {
    let sandbox = Sandbox::new();
    let spawn = |number: usize| {
        let mut command = sandbox.command(&["token", "add", &format!("laptop {number}"), "--json"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
    };
    let running: Vec<_> = (0..6).map(spawn).collect();
    let outputs: Vec<CommandOutput> =
        running.into_iter().map(|child| child.wait_with_output().expect("it ends").into()).collect();
    assert!(outputs.iter().all(|output| output.code == Some(0)), "{outputs:?}");
    assert_eq!(outputs.iter().filter(|output| output.stderr.contains("made a new store")).count(), 1, "{outputs:?}");
    assert_eq!(sandbox.json(&["user", "list"])["users"].as_array().map(Vec::len), Some(1));
    let served = sandbox.serve(&[]);
    assert_eq!(served.get("/users/me", Some(&sandbox.token())).status, 200, "the kept token is the owner's");
}

#[test]
fn two_servers_that_start_together_share_the_store() {
    let sandbox = Sandbox::new();
    let served = std::thread::scope(|scope| {
        let starts = [(); 2].map(|()| scope.spawn(|| sandbox.serve(&[])));
        starts.map(|start| start.join().expect("it starts"))
    });
    let shown = served.iter().filter(|served| served.greeting.contains(&sandbox.token())).count();
    assert_eq!(shown, 1, "the token is printed once");
    assert!(served.iter().all(|served| served.get("/users/me", Some(&sandbox.token())).status == 200));
    for served in served {
        served.stop();
    }
    let files = fs::read_dir(sandbox.data_dir()).expect("a folder").map(|entry| entry.expect("a file").file_name());
    let files: Vec<_> = files.filter(|name| name.to_string_lossy().contains("token")).collect();
    assert_eq!(files, ["token"], "whoever was slower leaves nothing behind");
}

#[test]
fn the_token_of_another_store_is_not_overwritten() {
    let sandbox = Sandbox::new();
    sandbox.run(&["user", "add", "grace"]);
    let token = sandbox.token();
    for file in ["interline.db", "interline.db-wal", "interline.db-shm"] {
        let _ = fs::remove_file(sandbox.data_dir().join(file));
    }
    let add = ["user", "add", "grace"];
    sandbox.run(&add).refused(1, &["the token of another store", "hint: move that file away"]);
    assert_eq!(sandbox.token(), token);
    fs::remove_file(sandbox.token_file()).expect("it is there");
    assert_eq!(sandbox.run(&add).code, Some(0));
    assert_ne!(sandbox.token(), token);
}

#[test]
fn an_empty_token_file_is_taken_and_closed_to_others() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.data_dir()).expect("a folder");
    fs::write(sandbox.token_file(), "").expect("a file");
    fs::set_permissions(sandbox.token_file(), fs::Permissions::from_mode(0o644)).expect("its mode");
    assert_eq!(sandbox.run(&["user", "add", "grace"]).code, Some(0));
    assert!(sandbox.token().starts_with("il_"));
    assert_eq!(mode(&sandbox.token_file()), 0o600);
}
