//! The first start: one owner, one token, kept where nobody else can read it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;

use crate::running::{Outcome, Place};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o7777
}

#[test]
fn the_token_is_printed_once_and_kept() {
    let place = Place::new();
    let first = place.serve(&[]);
    let token = place.token();
    assert!(first.greeting.contains(&format!("\n    {token}\n")), "{}", first.greeting);
    assert!(first.greeting.contains("The token of ada, "), "{}", first.greeting);
    assert_eq!(first.get("/users/me", Some(&token)).status, 200);
    first.stop();

    let second = place.serve(&[]);
    assert!(!second.greeting.contains("il_"), "{}", second.greeting);
    assert_eq!(second.get("/users/me", Some(&token)).status, 200);
    second.stop();
    assert_eq!(place.token(), token);
    assert_eq!(place.json(&["user", "list"])["users"].as_array().map(Vec::len), Some(1));
}

#[test]
fn nobody_else_can_read_what_is_kept() {
    let place = Place::new();
    let command = place.command(&["user", "list"]);
    // Whatever the user lets others do elsewhere.
    let mut shell = std::process::Command::new("sh");
    shell.arg("-c").arg("umask 000; exec \"$0\" user list").arg(command.get_program()).env_clear();
    shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    assert!(shell.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("sh").success());
    assert_eq!(mode(&place.data_dir()), 0o700);
    assert_eq!(mode(&place.token_file()), 0o600);
    assert_eq!(mode(&place.data_dir().join("interline.db")), 0o600);
}

#[test]
fn any_command_can_be_the_first_and_says_so() {
    let place = Place::new();
    let first = place.run(&["user", "list"]);
    assert!(first.stderr.starts_with("note: ") && first.stderr.contains("is new"), "{first:?}");
    assert!(!first.stderr.contains(&place.token()) && !first.stdout.contains(&place.token()), "{first:?}");
    assert_eq!(place.run(&["user", "list"]).stderr, "");
}

#[test]
fn processes_that_start_together_make_one_owner() {
    let place = Place::new();
    let spawn = |_| {
        let mut command = place.command(&["user", "list", "--json"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
    };
    let running: Vec<_> = (0..6).map(spawn).collect();
    let outcomes: Vec<Outcome> =
        running.into_iter().map(|child| child.wait_with_output().expect("it ends").into()).collect();
    assert!(outcomes.iter().all(|outcome| outcome.code == Some(0)), "{outcomes:?}");
    assert_eq!(outcomes.iter().filter(|outcome| outcome.stderr.contains("is new")).count(), 1, "{outcomes:?}");
    assert_eq!(place.json(&["user", "list"])["users"].as_array().map(Vec::len), Some(1));
    let served = place.serve(&[]);
    assert_eq!(served.get("/users/me", Some(&place.token())).status, 200, "the kept token is the owner's");
}

#[test]
fn two_servers_that_start_together_share_the_store() {
    let place = Place::new();
    let served = std::thread::scope(|scope| {
        let starts = [(); 2].map(|()| scope.spawn(|| place.serve(&[])));
        starts.map(|start| start.join().expect("it starts"))
    });
    let shown = served.iter().filter(|served| served.greeting.contains(&place.token())).count();
    assert_eq!(shown, 1, "the token is printed once");
    assert!(served.iter().all(|served| served.get("/users/me", Some(&place.token())).status == 200));
    for served in served {
        served.stop();
    }
    let kept = fs::read_dir(place.data_dir()).expect("a folder").map(|entry| entry.expect("a file").file_name());
    let kept: Vec<_> = kept.filter(|name| name.to_string_lossy().contains("token")).collect();
    assert_eq!(kept, ["token"], "whoever was slower leaves nothing behind");
}

#[test]
fn the_token_of_another_store_is_not_overwritten() {
    let place = Place::new();
    place.run(&["user", "list"]);
    let token = place.token();
    for file in ["interline.db", "interline.db-wal", "interline.db-shm"] {
        let _ = fs::remove_file(place.data_dir().join(file));
    }
    place.run(&["user", "list"]).refused(1, &["another's token", "hint: move that file away"]);
    assert_eq!(place.token(), token);
    fs::remove_file(place.token_file()).expect("it is there");
    assert_eq!(place.run(&["user", "list"]).code, Some(0));
    assert_ne!(place.token(), token);
}

#[test]
fn an_empty_token_file_is_taken_and_closed_to_others() {
    let place = Place::new();
    fs::create_dir(place.data_dir()).expect("a folder");
    fs::write(place.token_file(), "").expect("a file");
    fs::set_permissions(place.token_file(), fs::Permissions::from_mode(0o644)).expect("its mode");
    assert_eq!(place.run(&["user", "list"]).code, Some(0));
    assert!(place.token().starts_with("il_"));
    assert_eq!(mode(&place.token_file()), 0o600);
}
