//! `import` that is interrupted: by Ctrl-C at any moment, and while a server does not answer.

use std::fs;
use std::io::Read as _;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::store_access::StoreAccess;
use crate::harness::CommandOutput;

const PATIENCE: Duration = Duration::from_secs(60);

fn folder_of(place: &StoreAccess, files: usize) -> PathBuf {
    let folder = place.sandbox.write("x", "").with_file_name("many");
    fs::create_dir(&folder).expect("a folder");
    for number in 0..files {
        fs::write(folder.join(format!("{number}.md")), format!("text {number}\n")).expect("a file");
    }
    folder
}

fn start(mut command: Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command runs")
}

fn press_ctrl_c(child: &Child) {
    let sent = Command::new("sh").arg("-c").arg(format!("kill -INT {}", child.id())).status();
    assert!(sent.expect("sh").success());
}

#[test]
fn an_import_that_is_interrupted_goes_on_later() {
    let place = StoreAccess::local();
    let folder = folder_of(&place, 1_500);
    let path = folder.to_str().expect("UTF-8");
    // Each run has got further than the one before, or nowhere; none may leave anything half done.
    for _ in 0..3 {
        let child = start(place.command(&["import", path]));
        press_ctrl_c(&child);
        let output = CommandOutput::from(child.wait_with_output().expect("its end"));
        assert!(output.code.is_none_or(|code| code <= 1), "{output:?}");
    }
    let rest = place.json(&["import", path]);
    let counted = |name: &str| rest[name].as_u64().expect("a count");
    assert_eq!(counted("created") + counted("unchanged"), 1_500, "{rest}");
    assert_eq!(place.json(&["list"])["total"], 1_500);
    place.ok(&["check"]);
}

#[test]
fn ctrl_c_twice_ends_an_import_that_a_server_does_not_answer() {
    let place = StoreAccess::local();
    let folder = folder_of(&place, 1);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let mut command = place.command(&["import", folder.to_str().expect("UTF-8")]);
    command.env("INTERLINE_URL", format!("http://{}", listener.local_addr().expect("its address")));
    command.env("INTERLINE_TOKEN", "il_x");
    let mut child = start(command);
    let (mut connection, _) = listener.accept().expect("a connection");
    connection.read_exact(&mut [0; 16]).expect("a request");
    let begin = Instant::now();
    while child.try_wait().expect("its state").is_none() {
        assert!(begin.elapsed() < PATIENCE, "it does not end");
        press_ctrl_c(&child);
    }
    let output = CommandOutput::from(child.wait_with_output().expect("its end"));
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stderr.contains("error: interrupted; of the files"), "{output:?}");
    assert!(output.stderr.contains("hint: run the same command again to go on"), "{output:?}");
}
